//! Why a text was refused as a map.

use std::path::PathBuf;

/// A map that cannot be used: where, what was found, and what would be right. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// The file could not be read, or is not text.
    #[error("cannot read the map {}: {source}", path.display())]
    Unreadable {
        /// The file as given.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line of the header is not what belongs there.
    #[error("line {line} of the map is `{found}`; `{expected}` is needed")]
    Header {
        /// The line.
        line: usize,
        /// The line's text, cut short if long; empty if the text ends before.
        found: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A row of cells is too short or too long.
    #[error("line {line} of the map has {found} cells; the header says {expected}")]
    RowLength {
        /// The line.
        line: usize,
        /// How many cells it has.
        found: usize,
        /// The width that the header gives.
        expected: usize,
    },
    /// There are fewer or more rows of cells than the header says.
    #[error("the map has {found} rows of cells; the header says {expected}")]
    RowCount {
        /// How many rows there are.
        found: usize,
        /// The height that the header gives.
        expected: usize,
    },
    /// A character that stands for no kind of cell.
    #[error("line {line}, column {column} of the map is `{found}`; one of . G S @ O T W is needed")]
    UnknownCell {
        /// The line.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// No cell is open, so there is nowhere to stand.
    #[error("the map has no open cell; at least one of . G S is needed")]
    NothingOpen,
}
