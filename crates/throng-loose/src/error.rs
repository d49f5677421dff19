//! What can be wrong with the input, and what is needed instead.

use throng_core::SimdUnavailable;

/// The most rows that a structure can hold; row numbers are below it. More could overflow the 32-bit indices inside.
pub const MOST_ROWS: usize = 1 << 27;

/// Why a structure was not created or not changed. After a refused change the structure is as before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LooseError {
    /// A size in the config is not a finite number above zero.
    #[error("{what} must be a finite number above zero, or left out, but {given} was given")]
    Size {
        /// Which field of the config, and what it means.
        what: &'static str,
        /// As given.
        given: f32,
    },
    /// A count in the config is too small or too large.
    #[error("{what} must be {least} to {most}, but {given} was given")]
    Count {
        /// Which field of the config.
        what: &'static str,
        /// As given.
        given: usize,
        /// The smallest value allowed.
        least: usize,
        /// The largest value allowed.
        most: usize,
    },
    /// More rows than can be numbered.
    #[error("a structure holds at most {MOST_ROWS} rows, but {given} were given")]
    TooManyRows {
        /// Rows given.
        given: usize,
    },
    /// A row number above the highest that is allowed.
    #[error("rows are numbered from 0 to {}, but row {given} was given", MOST_ROWS - 1)]
    RowTooHigh {
        /// The row as given.
        given: u32,
    },
    /// Not as many rows as boxes.
    #[error("each box has a row, but {rows} rows were given for {boxes} boxes")]
    RowsDiffer {
        /// Rows given.
        rows: usize,
        /// Boxes given.
        boxes: usize,
    },
    /// Rows that do not ascend.
    #[error("rows must ascend, each given once, but row {row} was given after row {after}")]
    Descending {
        /// The row as given.
        row: u32,
        /// The row before it.
        after: u32,
    },
    /// A row to be inserted is held already.
    #[error("row {row} is there already; set it, or remove it first")]
    Present {
        /// The row as given.
        row: u32,
    },
    /// A row to be set or removed is not held.
    #[error("row {row} is not there; insert it first")]
    Absent {
        /// The row as given.
        row: u32,
    },
    /// The instruction set asked for is not available.
    #[error(transparent)]
    Simd(#[from] SimdUnavailable),
}
