//! The loops that compare boxes.
//!
//! | loop | does |
//! |---|---|
//! | `within` | all overlapping pairs of a run with itself |
//! | `cross` | all overlapping pairs of two runs |
//! | `touching` | picks the boxes that touch a window |
//!
//! They only use `<=` on sides as stored, so rounding plays no part.

mod cross;
mod touching;
mod within;

#[cfg(test)]
mod tests;
