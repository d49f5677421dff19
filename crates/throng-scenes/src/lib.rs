//! What throng's tests, benches and examples share: seeded scenes, real maps, a recorded crowd, and an oracle that is
//! too simple to be wrong.
//!
//! The same seed gives the same scene, bit for bit, on every machine: coordinates come from a PCG generator, using
//! only basic arithmetic and square roots, which IEEE 754 defines exactly.
//!
//! A [`Scene`] is what one uniform category holds; a [`BoxScene`] has boxes of any size, including unbounded ones.
//! The oracle takes either, or one against the other.
//!
//! ```
//! use throng_scenes::{overlapping_pairs, overlapping_pairs_sweep, uniform};
//!
//! let scene = uniform(1000, 1.0, 7);
//! let pairs = overlapping_pairs(&scene);
//! assert!((800..1200).contains(&pairs.len()), "about one pair for each");
//! assert_eq!(pairs, overlapping_pairs_sweep(&scene));
//! ```

mod adversarial;
mod box_scene;
mod boxes;
mod categories;
mod count;
mod crowds;
mod limits;
mod lines;
mod lord_of_the_rings;
pub mod map;
mod motion;
pub mod oracle;
mod order;
mod pair_hash;
mod patterns;
mod random;
pub mod replay;
mod rows;
mod scene;
mod scenery;
mod sorted;
mod threads;
mod windows;

pub use adversarial::adversarial;
pub use box_scene::BoxScene;
pub use boxes::{
    adversarial_boxes, box_towns, boxes_far_from_origin, boxes_on_a_line, boxes_on_a_point,
    crossing_walls, denormal_boxes, equal_boxes, extreme_boxes, flat_boxes, giants_alone,
    hundred_giants, log_uniform_boxes, log_uniform_squares, masked_boxes, no_boxes, one_covers_all,
    touching_boxes, unbounded_boxes, walls,
};
pub use categories::{four_categories, two_categories};
pub use count::parse_count;
pub use crowds::{blobs, gaussian_clusters, towns_in_a_wide_world, uniform};
pub use limits::{denormals, extremes, far_from_origin, half_outside, zero_extents};
pub use lines::{marching_columns, wavy_front};
pub use lord_of_the_rings::{LordOfTheRings, lord_of_the_rings, lord_of_the_rings_with_walls};
#[doc(no_inline)]
pub use map::{CellRectangle, GridMap, MapError};
pub use motion::{resize_some, step_box_motion, step_motion};
#[doc(no_inline)]
pub use oracle::{
    nearest, overlapping_pairs, overlapping_pairs_between, overlapping_pairs_between_sweep,
    overlapping_pairs_sweep, rows_at_point, rows_in_box, rows_in_circle,
};
pub use pair_hash::PairHash;
pub use patterns::{
    Line, coincident_groups, lattice, masked, mixed_sizes, on_a_line, one_dense_cell,
};
#[doc(no_inline)]
pub use replay::{Replay, ReplayError, ReplayFrame, TiledReplay};
pub use rows::Rows;
pub use scene::Scene;
pub use scenery::{WallsAndAgents, walls_and_agents};
pub use sorted::{AsNumber, sorted};
pub use threads::{Failing, THREADS, Threads};
pub use windows::windows;
