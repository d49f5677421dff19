//! How many blocks each level of a tree has, and where they are stored.

use super::header::NODE;
use throng_core::LANES;

/// The most rows that a tree can be built from; row numbers are below it.
pub const MOST_PACKED_ROWS: usize = 1 << 27;

/// The most levels, leaves included.
pub(crate) const MOST_LEVELS: usize = 8;

/// A level of at most this many blocks needs none above it: going through all of them costs less than another level.
const FEW: u32 = 4;

// Each level has a sixteenth of the blocks below it, so even the most leaves possible (one row in each) come down to
// a few blocks before the levels run out.
const _: () = assert!(MOST_PACKED_ROWS.div_ceil(LANES.pow(MOST_LEVELS as u32 - 1)) <= FEW as usize);

/// Blocks by level. Level 0 is the leaves; child `k` of block `b` is block `16 b + k` of the level below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    /// Blocks of each level; 0 above the top.
    blocks: [u32; MOST_LEVELS],
    /// Where the columns of each level begin, in columns after the header; those of leaves after all others.
    starts: [u32; MOST_LEVELS],
    len: usize,
}

impl Levels {
    /// The levels above this many leaves, with at most `max_depth` above the leaves.
    pub fn over(leaves: u32, max_depth: usize) -> Self {
        let mut blocks = [0; MOST_LEVELS];
        let mut len = 0;
        if leaves > 0 {
            blocks[0] = leaves;
            len = 1;
            while len < MOST_LEVELS && len <= max_depth && blocks[len - 1] > FEW {
                blocks[len] = blocks[len - 1].div_ceil(LANES as u32);
                len += 1;
            }
        }
        let (mut starts, mut end) = ([0; MOST_LEVELS], 0);
        for level in (1..len).rev() {
            starts[level] = end;
            // Each level above the leaves has a sixteenth of the blocks below it, so this fits, whatever bytes claim.
            end += blocks[level] * NODE as u32;
        }
        starts[0] = end;
        Self {
            blocks,
            starts,
            len,
        }
    }

    /// How many levels there are, leaves included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// How many blocks a level has.
    pub fn blocks(&self, level: usize) -> usize {
        self.blocks[level] as usize
    }

    /// Where the columns of a level begin, in columns after the header.
    #[inline(always)]
    pub fn start(&self, level: usize) -> usize {
        self.starts[level] as usize
    }

    /// How many blocks there are above the leaves.
    pub fn nodes(&self) -> usize {
        self.blocks[..self.len]
            .iter()
            .skip(1)
            .map(|&blocks| blocks as usize)
            .sum()
    }

    pub fn leaves(&self) -> usize {
        self.blocks[0] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_but_those_of_the_top_has_a_place_above() {
        for leaves in (0..5000).chain([1 << 20, (1 << 27) - 1, 1 << 27]) {
            for max_depth in 0..MOST_LEVELS {
                let levels = Levels::over(leaves, max_depth);
                assert_eq!(levels.leaves(), leaves as usize);
                assert!(levels.len() <= max_depth + 1);
                for level in 1..levels.len() {
                    let (blocks, below) = (levels.blocks(level), levels.blocks(level - 1));
                    assert!(below > FEW as usize, "a level of few blocks is the top");
                    assert!(blocks * LANES >= below && (blocks - 1) * LANES < below);
                }
                let top = levels.len().saturating_sub(1);
                let is_short = levels.blocks(top) <= FEW as usize;
                assert!(is_short || levels.len() == max_depth + 1);
            }
        }
    }
}
