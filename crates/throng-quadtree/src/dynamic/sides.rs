//! Boxes as they are stored and compared: bare sides, already checked.

use throng_core::{Aabb, overlaps_1d};

/// Lower x, lower y, upper x, upper y.
pub(super) type Sides = [f32; 4];

#[inline(always)]
pub(super) fn sides_of(aabb: &Aabb) -> Sides {
    let ([x0, y0], [x1, y1]) = (aabb.min(), aabb.max());
    [x0, y0, x1, y1]
}

/// Whether two boxes overlap, as defined by [`Aabb::overlaps`], without a branch between the axes.
#[inline(always)]
pub(super) fn touches(a: &Sides, b: &Sides) -> bool {
    overlaps_1d(a[0], a[2], b[0], b[2]) & overlaps_1d(a[1], a[3], b[1], b[3])
}
