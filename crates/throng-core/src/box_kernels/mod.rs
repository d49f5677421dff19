//! The loops that compare boxes.
//!
//! | loop | does |
//! |---|---|
//! | `within` | all overlapping pairs of a run with itself |
//! | `cross` | all overlapping pairs of two runs |
//! | `touching` | picks the boxes that touch a window |
//!
//! Nothing but `<=` on sides as stored is used, so there is nothing to argue about rounding.

mod cross;
mod touching;
mod within;

#[cfg(test)]
mod tests;
