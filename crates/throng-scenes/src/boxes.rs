//! Scenes of boxes of any size.

mod adversarial;
mod crowds;
mod giants;
mod limits;
mod patterns;

pub use adversarial::adversarial_boxes;
pub(crate) use crowds::side_for_pairs;
pub use crowds::{box_towns, log_uniform_boxes, log_uniform_squares, masked_boxes, no_boxes};
pub use giants::{giants_alone, hundred_giants, one_covers_all};
pub use limits::{
    boxes_far_from_origin, denormal_boxes, extreme_boxes, flat_boxes, unbounded_boxes,
};
pub use patterns::{
    boxes_on_a_line, boxes_on_a_point, crossing_walls, equal_boxes, touching_boxes, walls,
};
