//! The loops that compare boxes.
//!
//! | loop | does |
//! |---|---|
//! | `within` | all overlapping pairs of a run with itself |
//! | `cross` | all overlapping pairs of two runs |
//! | `touching` | picks the boxes that touch a window |
//! | `apart` | of given pairs of rows, those that do not overlap, or those that do |
//!
//! They only use `<=` on sides as stored, so rounding plays no part. Only where `apart` has centers and one size, sides are computed, as
//! they are everywhere for such boxes.

mod apart;
mod cross;
mod touching;
mod within;

pub use apart::BoxesByRow;

#[cfg(test)]
mod tests;
