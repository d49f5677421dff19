//! The inner loops.
//!
//! | loop | does |
//! |---|---|
//! | `partition` | appends boxes to buckets |
//! | `sort` | sorts a bucket by left side |
//! | `gather` | collects the boxes that touch a window |
//! | `touching_places` | notes where such boxes are, and copies nothing |
//! | `sweep` | all overlapping pairs of a strip with itself |
//!
//! The first two are plain Rust that [`Simd`](throng_core::Simd) compiles for each instruction set; the others are
//! written with [`Lanes`](throng_core::lanes::Lanes).

mod passes;
mod places;
mod sweep;

#[cfg(test)]
mod tests;

pub(crate) use passes::{gather, partition, sort};
pub(crate) use places::touching_places;
pub(crate) use sweep::{Sweep, sweep};
