//! Questions about what is where, as functions that fill the caller's buffers.
//!
//! Each sees the index of the last step or refresh, and may be asked from any number of threads at once. What a search needs
//! besides the caller's buffers is kept for the thread that asks, until it ends.

pub mod batch;
pub mod casts;
pub mod filter;
pub mod hits;
pub mod nearest;
pub mod neighbors;
pub mod pairs_within;
pub mod places;
mod scratch;
