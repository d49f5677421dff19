//! Why a text was refused as a recorded crowd.

use std::path::PathBuf;

use throng_core::AabbError;

/// A recording that cannot be used: where, what was found, and what is needed. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file could not be read, or is not text.
    #[error("cannot read the recording {}: {source}", path.display())]
    Unreadable {
        /// The file as given.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A line has too few or too many fields.
    #[error(
        "line {line} of the recording has {found} fields; the ten `track xmin ymin xmax ymax frame lost \
        occluded generated \"label\"` are needed"
    )]
    FieldCount {
        /// The line.
        line: usize,
        /// How many fields it has.
        found: usize,
    },
    /// A field is not what is expected there.
    #[error("`{field}` in line {line} of the recording is `{found}`; {expected} is needed")]
    Field {
        /// The line.
        line: usize,
        /// The field's name.
        field: &'static str,
        /// Its text, shortened if long.
        found: String,
        /// What is expected there.
        expected: &'static str,
    },
    /// The sides in a line do not make a valid box.
    #[error("line {line} of the recording: {source}")]
    NoBox {
        /// The line.
        line: usize,
        /// What is wrong with the sides.
        source: AabbError,
    },
    /// A track appears twice in one frame.
    #[error(
        "line {line} of the recording: track {track} is in frame {frame} a second time; once is needed"
    )]
    Twice {
        /// The line of the second occurrence.
        line: usize,
        /// The track.
        track: u32,
        /// The frame.
        frame: u32,
    },
    /// Nobody is visible in any frame.
    #[error("nobody is visible in the recording; at least one line with `lost` 0 is needed")]
    NobodyVisible,
}
