//! Boxes as they are stored and compared: only their sides, already checked.

use throng_core::{Aabb, Boxes, Corners, overlaps_1d};

/// Lower x, lower y, upper x, upper y.
pub(crate) type Sides = [f32; 4];

/// An empty box, which does not change the other in a [`union`].
pub(crate) const NOTHING: Corners = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];

/// The sides of a row, if it is to be held.
#[inline(always)]
pub(crate) fn sound_sides(boxes: &Boxes<'_>, row: usize) -> Option<Sides> {
    let [[min_x, min_y], [max_x, max_y]] = boxes.corners(row);
    (boxes.is_present(row) & boxes.is_sound(row)).then_some([min_x, min_y, max_x, max_y])
}

pub(crate) fn sides_of(aabb: &Aabb) -> Sides {
    let ([min_x, min_y], [max_x, max_y]) = (aabb.min(), aabb.max());
    [min_x, min_y, max_x, max_y]
}

pub(crate) fn corners_of(aabb: &Aabb) -> Corners {
    [aabb.min(), aabb.max()]
}

#[inline(always)]
pub(crate) fn corners([min_x, min_y, max_x, max_y]: Sides) -> Corners {
    [[min_x, min_y], [max_x, max_y]]
}

/// Whether two boxes touch, by the rule of the overlap test.
#[inline(always)]
pub(crate) fn touches(a: &Corners, b: &Corners) -> bool {
    let along = |axis: usize| overlaps_1d(a[0][axis], a[1][axis], b[0][axis], b[1][axis]);
    along(0) & along(1)
}

/// The box that holds both.
#[inline(always)]
pub(crate) fn union(a: &Corners, b: &Corners) -> Corners {
    [
        [a[0][0].min(b[0][0]), a[0][1].min(b[0][1])],
        [a[1][0].max(b[1][0]), a[1][1].max(b[1][1])],
    ]
}

/// The center between two sides. Halved first, so that the sum cannot overflow. Infinite if the box is infinite on one
/// side; NaN if on both, which [`CellMap`](throng_core::cell::CellMap) maps to the lowest cell.
#[inline(always)]
pub(crate) fn center(min: f32, max: f32) -> f32 {
    0.5 * min + 0.5 * max
}
