//! Every scene of boxes that a structure might lose a pair of, or be very slow with.

use throng_core::Axis;

use super::{
    box_towns, boxes_far_from_origin, boxes_on_a_line, boxes_on_a_point, crossing_walls,
    denormal_boxes, equal_boxes, extreme_boxes, flat_boxes, giants_alone, hundred_giants,
    log_uniform_boxes, log_uniform_squares, masked_boxes, no_boxes, one_covers_all, touching_boxes,
    unbounded_boxes, walls,
};
use crate::box_scene::BoxScene;
use crate::patterns::Line;

/// The most rows of a scene in which all boxes, or one in a few, meet all others.
const DENSE_ROWS: usize = 1000;

/// All scenes of boxes, of `n` rows each; but the first has none, and those whose pairs grow with the square of their
/// rows have at most 1000.
///
/// Meant for a few thousand rows: there are about thirty, and the oracle is quadratic.
#[must_use]
pub fn adversarial_boxes(n: usize, seed: u64) -> Vec<BoxScene> {
    let dense = n.min(DENSE_ROWS);
    let mut scenes = vec![
        no_boxes(),
        log_uniform_boxes(n, [1.0, 100.0], 1.0, seed),
        log_uniform_boxes(n, [1.0, 100.0], 4.0, seed),
        log_uniform_boxes(n, [1.0, 1000.0], 1.0, seed),
        log_uniform_squares(n, [1.0, 1000.0], 1.0, seed),
        one_covers_all(n, seed),
        hundred_giants(n, seed),
        giants_alone(dense, seed),
        box_towns(n, 1e6, seed),
        boxes_on_a_point(dense, seed),
        equal_boxes(n, 25, seed),
        equal_boxes(dense, dense.max(1), seed),
        boxes_on_a_line(n, Line::Row, seed),
        boxes_on_a_line(n, Line::Column, seed),
        boxes_on_a_line(n, Line::Diagonal, seed),
        walls(n, Axis::X, seed),
        walls(n, Axis::Y, seed),
        crossing_walls(dense, seed),
        unbounded_boxes(n, seed),
        boxes_far_from_origin(n, 1e7, seed),
        boxes_far_from_origin(n, -1e7, seed),
        extreme_boxes(dense, seed),
        denormal_boxes(n, seed),
        flat_boxes(n, seed),
        masked_boxes(n, seed),
    ];
    for ulps in [-1, 0, 1] {
        scenes.push(touching_boxes(n, [-300.0, -300.0], ulps, seed));
        scenes.push(touching_boxes(n, [1e5, -2e6], ulps, seed));
    }
    scenes
}
