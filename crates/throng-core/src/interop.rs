//! Boxes in the types of maths libraries.
//!
//! Input is anything that converts into a `[f32; 2]`: the points of glam, mint, nalgebra, euclid and others do, in
//! any version, without a feature. Output is a `[f32; 2]`, which `into()` turns into one of their points; the
//! features add getters that save even that. They are getters and not conversions, because a second `From<Aabb>` for
//! a pair of points would make `let (min, max) = aabb.into()` ambiguous wherever some dependency turns the feature
//! on.

use crate::aabb::Aabb;

macro_rules! getters {
    ($feature:literal, $point:ty, $min:ident, $max:ident, $center:ident) => {
        #[doc = concat!("With the `", $feature, "` feature.")]
        #[cfg(feature = $feature)]
        impl Aabb {
            #[doc = concat!("[`min`](Self::min) as a `", stringify!($point), "`.")]
            #[inline]
            #[must_use]
            pub fn $min(&self) -> $point {
                self.min().into()
            }

            #[doc = concat!("[`max`](Self::max) as a `", stringify!($point), "`.")]
            #[inline]
            #[must_use]
            pub fn $max(&self) -> $point {
                self.max().into()
            }

            #[doc = concat!("[`center`](Self::center) as a `", stringify!($point), "`.")]
            #[must_use]
            pub fn $center(&self) -> $point {
                self.center().into()
            }
        }
    };
}

getters!("glam", glam::Vec2, min_vec2, max_vec2, center_vec2);
getters!("mint", mint::Point2<f32>, min_mint, max_mint, center_mint);
