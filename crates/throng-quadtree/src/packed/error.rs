//! What can be wrong with boxes, configs and bytes, and what would be right.

use super::{ALIGNMENT, MOST_PACKED_ROWS};
use throng_core::SimdLevel;

/// Why a tree was not built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackedError {
    /// A count in the config is too small or too large.
    #[error("{what} must be {least} to {most}, but {given} was given")]
    Count {
        /// Which count.
        what: &'static str,
        /// As given.
        given: usize,
        /// The least there can be.
        least: usize,
        /// The most there can be.
        most: usize,
    },
    /// More rows than can be numbered.
    #[error("a packed tree is built from at most {MOST_PACKED_ROWS} rows, but {given} were given")]
    TooManyRows {
        /// Rows given.
        given: usize,
    },
    /// The instruction set asked for is not there.
    #[error("this machine cannot run {given} kernels; the best it can do is {best}")]
    Simd {
        /// The level asked for.
        given: SimdLevel,
        /// The best available.
        best: SimdLevel,
    },
}

/// Why bytes are no packed tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BytesError {
    /// The first byte does not stand where the columns behind it can be read in place.
    #[error(
        "a packed tree must begin at a multiple of {ALIGNMENT} bytes, but these begin {past} past one; a mapped \
         file does, and so does a copy in `AlignedBytes`"
    )]
    Misaligned {
        /// Bytes past the last multiple.
        past: usize,
    },
    /// The bytes end too early, or go on too long.
    #[error("a packed tree of {expected} bytes was begun, but {given} bytes were given")]
    Length {
        /// Bytes that there should be: those that the header says, or those of a header.
        expected: u64,
        /// Bytes that there are.
        given: u64,
    },
    /// They do not begin as a packed tree does.
    #[error(
        "a packed tree begins with the bytes {:?}, but these begin with {given:?}",
        super::header::MAGIC
    )]
    NotATree {
        /// The first bytes as given.
        given: [u8; 8],
    },
    /// Written by another version of this format.
    #[error(
        "version {} of the format can be read here, but the bytes are of version {given}",
        super::header::VERSION
    )]
    Version {
        /// The version that the bytes say.
        given: u32,
    },
    /// Written by a machine with the other order of bytes in a word.
    #[error(
        "the bytes were written with another byte order than this machine's; write them on a little-endian machine, \
         as almost all are, and read them on one"
    )]
    ByteOrder,
    /// The bytes are not those that were written.
    #[error(
        "the bytes are damaged: their checksum should be {expected:#018x}, but comes to {computed:#018x}"
    )]
    Checksum {
        /// As the header says.
        expected: u64,
        /// As computed of everything else.
        computed: u64,
    },
    /// What stands in the bytes is not a tree, although the checksum is right.
    #[error("the bytes do not make a tree: {broken}")]
    Broken {
        /// What does not hold.
        broken: String,
    },
}
