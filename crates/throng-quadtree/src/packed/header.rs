//! The first bytes of a tree: what it is, how large, and a checksum over all of it.
//!
//! ```text
//! offset   0  magic            8 bytes
//!          8  version          u32
//!         12  byte order       u32, 0x01020304 in the byte order of the writer's machine
//!         16  bytes in all     u64
//!         24  checksum         u64, of all bytes, with these eight as zeros
//!         32  rows             u64, of the columns it was built from: row numbers are below it
//!         40  boxes            u64
//!         48  rejected         u64, rows left out because they are not valid boxes
//!         56  leaf size        u32
//!         60  levels           u32, leaves included
//!         64  blocks           u32 for each of eight levels, leaves first; 0 above the top
//!         96  zeros            to 128
//!        128  nodes            the top level first, 256 bytes a block: 16 × min x, min y, max x, max y
//!             leaves           320 bytes a block: the same of 16 boxes, and 16 rows
//! ```

use super::levels::{Levels, MOST_LEVELS};
use super::{ALIGNMENT, BytesError, MOST_PACKED_ROWS};
use throng_core::LANES;

pub(crate) const MAGIC: [u8; 8] = *b"throngQT";
pub(crate) const VERSION: u32 = 1;
const BYTE_ORDER: u32 = 0x0102_0304;

/// Bytes of a header.
pub(crate) const HEADER: usize = 128;
/// Columns of sixteen words in a node.
pub(crate) const NODE: usize = 4;
/// Columns of sixteen words in a leaf: those of a node, and the rows.
pub(crate) const LEAF: usize = 5;
const COLUMN_BYTES: usize = LANES * size_of::<f32>();

const CHECKSUM_AT: usize = 24;
const BLOCKS_AT: usize = 64;

/// The contents of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// How many rows the columns had that the tree was built from.
    pub rows: usize,
    pub boxes: usize,
    pub rejected: usize,
    pub leaf_size: usize,
    pub levels: Levels,
}

impl Header {
    /// Bytes of the whole tree, which may be more than there are addresses.
    pub fn total_bytes(&self) -> u64 {
        let [nodes, leaves] =
            [self.levels.nodes(), self.levels.leaves()].map(|blocks| blocks as u64);
        let columns = nodes * NODE as u64 + leaves * LEAF as u64;
        HEADER as u64 + columns * COLUMN_BYTES as u64
    }

    /// Writes the header to the start of a tree that is complete apart from it.
    pub fn write(&self, bytes: &mut [u8]) {
        bytes[..HEADER].fill(0);
        bytes[..8].copy_from_slice(&MAGIC);
        put_u32(bytes, 8, VERSION);
        put_u32(bytes, 12, BYTE_ORDER);
        put_u64(bytes, 16, bytes.len() as u64);
        put_u64(bytes, 32, self.rows as u64);
        put_u64(bytes, 40, self.boxes as u64);
        put_u64(bytes, 48, self.rejected as u64);
        put_u32(bytes, 56, self.leaf_size as u32);
        put_u32(bytes, 60, self.levels.len() as u32);
        for level in 0..MOST_LEVELS {
            put_u32(
                bytes,
                BLOCKS_AT + 4 * level,
                self.levels.blocks(level) as u32,
            );
        }
        put_u64(bytes, CHECKSUM_AT, checksum(bytes));
    }

    /// Reads the header of bytes that claim to be a tree, and checks everything in it: every block that it promises
    /// is there.
    pub fn read(bytes: &[u8]) -> Result<Self, BytesError> {
        let past = bytes.as_ptr().addr() % ALIGNMENT;
        let given = bytes.len() as u64;
        let length = |expected| Err(BytesError::Length { expected, given });
        if past != 0 {
            return Err(BytesError::Misaligned { past });
        }
        if bytes.len() < HEADER {
            return length(HEADER as u64);
        }
        if bytes[..8] != MAGIC {
            let given = *bytes.first_chunk().expect("a header is longer");
            return Err(BytesError::NotATree { given });
        }
        if u32_at(bytes, 12) != BYTE_ORDER {
            return Err(BytesError::ByteOrder);
        }
        if u32_at(bytes, 8) != VERSION {
            let given = u32_at(bytes, 8);
            return Err(BytesError::Version { given });
        }
        if u64_at(bytes, 16) != given {
            return length(u64_at(bytes, 16));
        }
        let (expected, computed) = (u64_at(bytes, CHECKSUM_AT), checksum(bytes));
        if computed != expected {
            return Err(BytesError::Checksum { expected, computed });
        }
        let header = Self::counts(bytes)?;
        if header.total_bytes() != given {
            return length(header.total_bytes());
        }
        Ok(header)
    }

    fn counts(bytes: &[u8]) -> Result<Self, BytesError> {
        let broken = |broken: String| Err(BytesError::Broken { broken });
        let count = |at: usize| usize::try_from(u64_at(bytes, at)).unwrap_or(usize::MAX);
        let (rows, boxes, rejected) = (count(32), count(40), count(48));
        if rows > MOST_PACKED_ROWS || boxes > rows || rejected > rows - boxes {
            return broken(format!(
                "{boxes} boxes and {rejected} rejected of {rows} rows"
            ));
        }
        let leaf_size = u32_at(bytes, 56) as usize;
        let len = u32_at(bytes, 60) as usize;
        let leaves = u32_at(bytes, BLOCKS_AT);
        let levels = Levels::over(leaves, len.saturating_sub(1));
        let as_stored = (0..MOST_LEVELS)
            .all(|level| u32_at(bytes, BLOCKS_AT + 4 * level) as usize == levels.blocks(level));
        if !(1..=LANES).contains(&leaf_size) || levels.len() != len || !as_stored {
            return broken(format!("{len} levels over {leaves} leaves of {leaf_size}"));
        }
        // In this order: there are no more leaves than boxes, so the product fits in 32 bits.
        if levels.leaves() > boxes || boxes > levels.leaves() * leaf_size {
            return broken(format!("{boxes} boxes in {leaves} leaves of {leaf_size}"));
        }
        Ok(Self {
            rows,
            boxes,
            rejected,
            leaf_size,
            levels,
        })
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(*bytes[at..].first_chunk().expect("inside the header"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(*bytes[at..].first_chunk().expect("inside the header"))
}

fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_ne_bytes());
}

fn put_u64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_ne_bytes());
}

/// A checksum of all bytes but its own eight.
///
/// Eight sums side by side, one for each pair of words in a column. Each step is a bijection of the sum for a given
/// word and of the word for a given sum, so two byte strings that differ in one word never have the same checksum;
/// any others do with a chance of one in 2^64.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let mut sums: [u64; 8] = std::array::from_fn(|lane| lane as u64);
    // A tree is a whole number of cache lines; anything else is refused later for its length.
    let (lines, rest) = bytes.as_chunks::<64>();
    for (at, line) in lines.iter().enumerate() {
        let (words, _) = line.as_chunks::<8>();
        for (lane, (sum, word)) in sums.iter_mut().zip(words).enumerate() {
            let is_checksum = at == 0 && lane == CHECKSUM_AT / 8;
            let word = if is_checksum {
                0
            } else {
                u64::from_ne_bytes(*word)
            };
            *sum = step(*sum, word);
        }
    }
    let sum = sums.into_iter().fold(bytes.len() as u64, step);
    rest.iter()
        .fold(sum, |sum, &byte| step(sum, u64::from(byte)))
}
