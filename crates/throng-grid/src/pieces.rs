//! The work of a search, cut up in a way that depends only on the data.

use crate::leaf::Leaf;
use throng_core::LANES;

/// A leaf, or part of a crowded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub leaf: u32,
    pub first: u32,
    pub len: u32,
}

/// The longest piece: a crowd on one spot is a single leaf, and must not be left to one worker.
pub(crate) const LONGEST: u32 = 2048;
/// How many chunks to aim for, and the fewest and most rows in one of them. Enough chunks for work stealing to
/// balance, and large enough that handing one out costs nothing noticeable. (With 4,096 rows at least, sixteen workers would take
/// a sixth longer for the pairs of 100,000.)
const CHUNKS: usize = 64;
const ROWS_PER_CHUNK: [usize; 2] = [2048, 16384];

/// How many rows the longest of some pieces has.
pub(crate) fn longest(pieces: &[Piece]) -> usize {
    let lengths = pieces.iter().map(|piece| piece.len as usize);
    lengths.max().unwrap_or(0)
}

/// Lists the pieces in leaf order, and where each chunk of them begins.
pub(crate) fn cut_into_pieces(
    leaves: &[Leaf],
    rows: usize,
    pieces: &mut Vec<Piece>,
    chunks: &mut Vec<u32>,
) {
    pieces.clear();
    for (index, leaf) in (0_u32..).zip(leaves) {
        let parts = leaf.len.div_ceil(LONGEST).max(1);
        // Equal lengths, in whole groups of lanes.
        let len = leaf.len.div_ceil(parts).next_multiple_of(LANES as u32);
        let firsts = (0..leaf.len).step_by(len as usize);
        pieces.extend(firsts.map(|first| Piece {
            leaf: index,
            first,
            len: len.min(leaf.len - first),
        }));
    }
    let [fewest, most] = ROWS_PER_CHUNK;
    let enough = (rows / CHUNKS).clamp(fewest, most);
    chunks.clear();
    let mut gathered = enough;
    for (index, piece) in (0_u32..).zip(pieces.iter()) {
        if gathered >= enough {
            chunks.push(index);
            gathered = 0;
        }
        gathered += piece.len as usize;
    }
    chunks.push(pieces.len() as u32);
}

/// Brings the piece of a leaf that has more or fewer rows now up to date. Returns whether it did: not if leaves are, or must be,
/// cut into several.
pub(crate) fn resize_piece(pieces: &mut [Piece], leaves: usize, leaf: usize, len: u32) -> bool {
    let alone = pieces.len() == leaves && (1..=LONGEST).contains(&len);
    if alone {
        pieces[leaf].len = len;
    }
    alone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::Bounds;

    /// How many chunks there are of so many rows, in leaves of 128.
    fn chunks_of(rows: usize) -> usize {
        let leaf = Leaf {
            strip: 0,
            block: 0,
            start: 0,
            len: 128,
            stride: 128,
            room: 128,
            bounds: Bounds::of(&[], &[]),
        };
        let (leaves, mut pieces, mut chunks) = (vec![leaf; rows / 128], Vec::new(), Vec::new());
        cut_into_pieces(&leaves, rows, &mut pieces, &mut chunks);
        assert_eq!((pieces.len(), chunks[0]), (leaves.len(), 0));
        chunks.len() - 1
    }

    #[test]
    fn more_rows_make_more_chunks() {
        let rows = [1, 2, 4, 8, 16, 32, 64, 256, 512, 1024, 4096].map(|k| k * 1024);
        let chunks = rows.map(chunks_of);
        assert_eq!(chunks, [1, 1, 2, 4, 8, 16, 32, 64, 64, 64, 256]);
    }
}
