//! What must be found, computed in the simplest possible way.
//!
//! Pairs come from comparing every two rows, or, for big scenes, from a sweep that is itself checked against that;
//! queries from testing every row. Rows that have no box (see [`Scene::aabb`](crate::Scene::aabb)) are left out;
//! boxes may be unbounded.
//!
//! Each function takes scenes of either kind, and two scenes may be of different kinds. A [`Scene`](crate::Scene)
//! gives the rows' own boxes, and in its [coarse](crate::Scene::coarse) form the boxes that a coarse category sees.

mod pairs;
mod queries;
mod sweep;

pub use pairs::{overlapping_pairs, overlapping_pairs_between};
pub use queries::{nearest, rows_at_point, rows_in_box, rows_in_circle};
pub use sweep::{overlapping_pairs_between_sweep, overlapping_pairs_sweep};
