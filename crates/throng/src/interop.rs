//! Centers as glam's vectors, beside those of [`Aabb`](crate::Aabb).
//!
//! Only what comes out needs a feature: `throng-core`, `interop.rs`, says why. mint's points are not computed with, so that
//! nothing is gained by more of them than boxes give.

use glam::Vec2;
use throng_core::for_both;

use crate::frame::narrowphase::PairBatch;
use crate::query::queries::QueryHit;
use crate::world::ids::Row;
use crate::world::proxy::ProxyView;

/// With the `glam` feature.
impl ProxyView {
    /// Its center as glam's vector.
    pub fn center_vec2(&self) -> Vec2 {
        self.center.into()
    }
}

/// With the `glam` feature.
impl QueryHit {
    /// Its center as glam's vector.
    pub fn center_vec2(&self) -> Vec2 {
        self.center.into()
    }
}

/// With the `glam` feature.
impl PairBatch<'_> {
    /// The centers of a pair of this batch as glam's vectors.
    ///
    /// # Panics
    ///
    /// If a row is not one of its category.
    #[inline]
    pub fn centers_vec2(&self, pair: [Row; 2]) -> [Vec2; 2] {
        for_both(|side| {
            let [xs, ys] = self.centers(side);
            let row = pair[side] as usize;
            Vec2::new(xs[row], ys[row])
        })
    }
}
