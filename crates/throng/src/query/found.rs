//! A row found in an index of any kind.

use std::ops::ControlFlow;

use throng_core::{Aabb, whether_broken};
use throng_grid::Hit;

use crate::world::box_index::BoxIndex;
use crate::world::ids::Row;

/// A row as it was when the index was built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) row: Row,
    pub(crate) center: [f32; 2],
    pub(crate) half_extents: [f32; 2],
    /// The box that was compared.
    pub(crate) aabb: Aabb,
}

impl From<Hit> for Found {
    #[inline]
    fn from(hit: Hit) -> Self {
        Self {
            row: hit.row,
            center: hit.center,
            half_extents: hit.half_extents,
            aabb: hit.aabb(),
        }
    }
}

impl Found {
    pub(crate) fn of_box(row: Row, aabb: Aabb) -> Self {
        Self {
            row,
            center: aabb.center(),
            half_extents: aabb.half_extents(),
            aabb,
        }
    }
}

impl BoxIndex {
    /// Visits every row whose box overlaps the window.
    pub(crate) fn query<B>(
        &self,
        window: &Aabb,
        mut visit: impl FnMut(Found) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut outcome = ControlFlow::Continue(());
        let _ = self.structure.query_box(window, &mut |row, aabb| {
            outcome = visit(Found::of_box(row, aabb));
            whether_broken(&outcome)
        });
        outcome
    }
}
