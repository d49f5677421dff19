//! The inner loops.
//!
//! | loop | does |
//! |---|---|
//! | `partition` | appends rows to buckets |
//! | `sort` | sorts a bucket by column |
//! | `mend` | moves the records of rows that have moved |
//! | `refit` | brings the centers of rows up to date where they lie |
//! | `strays` | finds the rows that are far from where they were put |
//! | `measure` | measures how far rows are out of order |
//! | `pick` | collects the centers whose boxes can touch a window |
//! | `touching` | collects the boxes, made from centers, that touch a window |
//! | `touching_places` | notes where such boxes are, and copies nothing |
//! | `sweep` | all overlapping pairs of a run with itself |
//! | `join` | all overlapping pairs of two runs |
//! | `near` | all near pairs of a run with itself, and of two runs |
//! | `apart` | all pairs of boxes that are near each other and do not overlap |
//! | `around` | which rows are near each row of a piece, as bits |
//! | `write_lists` | their lists, each where it belongs |
//! | `sort_lists` | sixteen lists, put into ascending order |
//! | `offsets` | their lists, with how far away each is |
//! | `reached_cells` | which cells boxes reach that ask |
//! | `ask` | the rows of leaves that boxes touch, where these come one by one |
//! | `probe` | all overlapping pairs of a piece, in place, with boxes of any size |
//!
//! The first six, and `reached_cells`, are plain Rust that [`Simd`](throng_core::Simd) compiles for each instruction set; the others are
//! written with [`Lanes`](throng_core::lanes::Lanes).

mod apart;
mod around;
mod ask;
mod boxes;
mod join;
mod near;
mod offsets;
mod passes;
mod pick;
mod places;
mod probe;
mod sort_lists;
mod sweep;
mod touching;
mod write_lists;

#[cfg(test)]
mod tests;

pub(crate) use around::{Around, Counted, Stretch, around};
pub(crate) use ask::ask;
pub(crate) use join::join;
pub(crate) use near::{Near, join_near, sweep_near};
pub(crate) use offsets::list_offsets;
pub(crate) use passes::{measure, mend, partition, reached_cells, refit, sort, strays};
pub(crate) use pick::pick;
pub(crate) use places::touching_places;
pub(crate) use probe::{Probing, probe};
pub(crate) use sweep::sweep;
pub(crate) use touching::touching;
pub(crate) use write_lists::write_lists;
