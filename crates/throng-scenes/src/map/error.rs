//! Why a text was refused as a map.

use std::path::PathBuf;

/// A map that cannot be used: where, what was found, and what is needed. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// The file could not be read, or is not text.
    #[error("cannot read the map {}: {source}", path.display())]
    Unreadable {
        /// The file as given.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A header line is not the one expected.
    #[error("line {line} of the map is `{found}`; `{expected}` is needed")]
    Header {
        /// The line.
        line: usize,
        /// The text of the line, shortened if long; empty if the text ends before it.
        found: String,
        /// What is expected there.
        expected: &'static str,
    },
    /// A row of cells is too short or too long.
    #[error("line {line} of the map has {found} cells; the header says {expected}")]
    RowLength {
        /// The line.
        line: usize,
        /// How many cells it has.
        found: usize,
        /// The width given in the header.
        expected: usize,
    },
    /// There are fewer or more rows of cells than the header says.
    #[error("the map has {found} rows of cells; the header says {expected}")]
    RowCount {
        /// How many rows there are.
        found: usize,
        /// The height given in the header.
        expected: usize,
    },
    /// A character that does not stand for any kind of cell.
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
