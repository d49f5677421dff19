//! What can be wrong with the input, and what is needed instead.

use throng_core::SimdUnavailable;

/// Why a grid was not created, not built or not mended. After one of the latter, it still holds what it held.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// The bound is not a pair of finite numbers of zero or more.
    #[error("a grid's half extents must be finite and not negative, but {given:?} was given")]
    Bound {
        /// The half extents as given.
        given: [f32; 2],
    },
    /// The columns of a build have different lengths.
    #[error("the columns of a build must have the same length, but there are {xs} xs, {ys} ys{}", own_extents(*.half_extents))]
    Lengths {
        /// Length of the x column.
        xs: usize,
        /// Length of the y column.
        ys: usize,
        /// Length of the column of half extents, if one was given.
        half_extents: Option<usize>,
    },
    /// Not as many classes as rows.
    #[error("a build with classes needs one for each row, but there are {classes} for {rows} rows")]
    Classes {
        /// Rows given.
        rows: usize,
        /// Classes given.
        classes: usize,
    },
    /// More rows than a grid can number.
    #[error("a grid holds at most {most} rows, but {given} were given")]
    TooManyRows {
        /// Rows given.
        given: usize,
        /// The most there can be.
        most: usize,
    },
    /// Rows to build from that do not ascend.
    #[error("rows to build from must ascend, each given once, but {row} was given after {after}")]
    Descending {
        /// The row as given.
        row: u32,
        /// The row before it.
        after: u32,
    },
    /// A row to build from that the columns do not have.
    #[error("there is no row {row} to build from: the columns have {columns} rows")]
    NoSuchRow {
        /// The row as given.
        row: u32,
        /// How many rows the columns have.
        columns: usize,
    },
    /// Two grids to build from that have a row in common.
    #[error("row {row} is in both of the grids to build from; each row may be in only one")]
    InBoth {
        /// The row.
        row: u32,
    },
    /// The instruction set asked for is not available.
    #[error(transparent)]
    Simd(#[from] SimdUnavailable),
}

fn own_extents(len: Option<usize>) -> String {
    len.map_or_else(String::new, |len| format!(" and {len} half extents"))
}
