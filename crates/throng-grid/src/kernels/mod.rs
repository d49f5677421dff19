//! The inner loops.
//!
//! | loop | does |
//! |---|---|
//! | `partition` | appends rows to buckets |
//! | `sort` | sorts a bucket by column |
//! | `pick` | collects the centers whose boxes can touch a window |
//! | `touching` | collects the boxes, made from centers, that touch a window |
//! | `sweep` | all overlapping pairs of a run with itself |
//! | `join` | all overlapping pairs of two runs |
//! | `near` | all near pairs of a run with itself, and of two runs |
//! | `around` | the rows near each row of a piece |
//! | `sort_list` | a list of rows, put into ascending order |
//! | `probe` | all overlapping pairs of a piece, in place, with boxes of any size |
//!
//! The first two are plain Rust that [`Simd`](throng_core::Simd) compiles for each instruction set; the others are
//! written with [`Lanes`](throng_core::lanes::Lanes).

mod around;
mod boxes;
mod join;
mod near;
mod passes;
mod pick;
mod probe;
mod sort_list;
mod sweep;
mod touching;

#[cfg(test)]
mod tests;

pub(crate) use around::{Around, Counted, Found, Group, Stretch, around};
pub(crate) use join::join;
pub(crate) use near::{Near, join_near, sweep_near};
pub(crate) use passes::{partition, sort};
pub(crate) use pick::pick;
pub(crate) use probe::{Probing, probe};
pub(crate) use sort_list::BEHIND;
pub(crate) use sweep::sweep;
pub(crate) use touching::touching;
