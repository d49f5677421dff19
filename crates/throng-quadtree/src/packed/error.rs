//! What can be wrong with boxes, configs and bytes, and what is needed instead.

use super::{ALIGNMENT, MOST_PACKED_ROWS};
use throng_core::SimdUnavailable;

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
        /// The lowest allowed.
        least: usize,
        /// The highest allowed.
        most: usize,
    },
    /// More rows than can be numbered.
    #[error("a packed tree is built from at most {MOST_PACKED_ROWS} rows, but {given} were given")]
    TooManyRows {
        /// Rows given.
        given: usize,
    },
    /// The instruction set asked for is not available.
    #[error(transparent)]
    Simd(#[from] SimdUnavailable),
}

/// Why bytes are not a packed tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BytesError {
    /// The first byte is not aligned, so the columns cannot be read in place.
    #[error(
        "a packed tree must begin at a multiple of {ALIGNMENT} bytes, but these begin {past} past one; a mapped \
         file does, and so does a copy in `AlignedBytes`"
    )]
    Misaligned {
        /// Bytes past the last multiple of the alignment.
        past: usize,
    },
    /// There are too few bytes, or too many.
    #[error("a packed tree of {expected} bytes was expected, but {given} bytes were given")]
    Length {
        /// The expected number of bytes: the one that the header tells, or that follows from its counts, or the size of a header.
        expected: u64,
        /// The number of bytes given.
        given: u64,
    },
    /// The bytes do not begin as a packed tree does.
    #[error(
        "a packed tree begins with the bytes {:?}, but these begin with {given:?}; give the bytes that a tree was saved as, whole and unchanged",
        super::header::MAGIC
    )]
    NotATree {
        /// The first bytes as given.
        given: [u8; 8],
    },
    /// Written by another version of this format.
    #[error(
        "this library reads version {} of the format, but the bytes are version {given}",
        super::header::VERSION
    )]
    Version {
        /// The version in the bytes.
        given: u32,
    },
    /// Written on a machine with the opposite byte order.
    #[error(
        "the bytes were written in the opposite byte order to this machine's; write them on a little-endian machine, \
         as almost all are, and read them on one"
    )]
    ByteOrder,
    /// The bytes have changed since they were written.
    #[error(
        "the bytes are damaged: their checksum should be {expected:#018x}, but is {computed:#018x}"
    )]
    Checksum {
        /// The checksum in the header.
        expected: u64,
        /// The checksum of everything else, as computed.
        computed: u64,
    },
    /// The checksum is right, but the contents are not a tree.
    #[error("the bytes do not make a tree: {broken}")]
    Broken {
        /// The rule that is broken.
        broken: String,
    },
}
