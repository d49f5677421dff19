//! The work of a search, cut into chunks in a way that depends only on the data.

use crate::leaves::Leaves;
use std::ops::Range;

use educe::Educe;

/// About how many chunks to make, and the fewest rows per chunk for that. Enough for work stealing to balance them, and
/// large enough that handing one out costs nothing noticeable.
const CHUNKS: usize = 64;
const FEWEST_ROWS: usize = 512;
/// The longest piece of a leaf that is searched at a time, in whole groups of lanes.
pub(crate) const LONGEST_PIECE: usize = 512;

/// Where chunks begin, as of the last [`cut`](Self::cut).
///
/// Only starts are stored, and the last chunk goes to whatever end there is. So rows and leaves added since are in some
/// chunk, those removed are in none, and a search is always complete: an outdated cut is less even, not wrong.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub(crate) struct Work {
    /// Start of each chunk but the first, ascending.
    begins: Vec<Position>,
    longest_leaf: usize,
}

/// A position among the rows: `(leaf, row in it)`.
type Position = (u32, u32);

/// A range of the rows of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeafPiece {
    pub leaf: usize,
    pub rows: Range<usize>,
}

impl Work {
    /// Cuts the chunks again, of leaves that have so many rows together. O(leaves).
    pub fn cut(&mut self, leaves: &impl Leaves, rows: usize) {
        self.begins.clear();
        self.longest_leaf = 0;
        let enough = (rows / CHUNKS)
            .max(FEWEST_ROWS)
            .next_multiple_of(LONGEST_PIECE);
        let mut left = enough;
        for leaf in 0..leaves.leaf_count() {
            let len = leaves.leaf_len(leaf);
            self.longest_leaf = self.longest_leaf.max(len);
            // A leaf is cut only between pieces, and only where the rest is large enough for a chunk.
            let mut first = 0;
            while len - first >= left + FEWEST_ROWS {
                first += left.next_multiple_of(LONGEST_PIECE);
                self.begins.push((leaf as u32, first as u32));
                left = enough;
            }
            if len - first < left {
                left -= len - first;
            } else {
                self.begins.push((leaf as u32 + 1, 0));
                left = enough;
            }
        }
        if self.begins.last() == Some(&(leaves.leaf_count() as u32, 0)) {
            self.begins.pop();
        }
    }

    /// Forgets the last cut.
    pub fn clear(&mut self) {
        self.begins.clear();
        self.longest_leaf = 0;
    }

    /// How many chunks a structure has that is not empty.
    pub fn chunks(&self) -> usize {
        self.begins.len() + 1
    }

    /// Rows in the largest leaf, as of the last cut.
    pub fn longest_leaf(&self) -> usize {
        self.longest_leaf
    }

    pub fn bytes(&self) -> usize {
        self.begins.capacity() * size_of::<Position>()
    }

    /// The pieces of a chunk, in leaf order.
    ///
    /// # Panics
    ///
    /// If there is no such chunk.
    pub fn pieces(&self, leaves: &impl Leaves, chunk: usize) -> impl Iterator<Item = LeafPiece> {
        let count = leaves.leaf_count();
        assert!(chunk < self.chunks(), "chunk {chunk} of {}", self.chunks());
        let begin = chunk.checked_sub(1).map_or((0, 0), |at| self.begins[at]);
        let end = self.begins.get(chunk).copied().unwrap_or((count as u32, 0));
        let leaf_and_row = |(leaf, row): Position| (leaf as usize, row as usize);
        let (begin, end) = (leaf_and_row(begin), leaf_and_row(end));
        let last = count.min(end.0 + usize::from(end.1 > 0));
        (begin.0..last).flat_map(move |leaf| {
            let len = leaves.leaf_len(leaf);
            let first = if leaf == begin.0 { begin.1 } else { 0 };
            let end = if leaf == end.0 { len.min(end.1) } else { len };
            (first..end)
                .step_by(LONGEST_PIECE)
                .map(move |first| LeafPiece {
                    leaf,
                    rows: first..end.min(first + LONGEST_PIECE),
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaves::BoxSlice;
    use crate::sides::NOTHING;
    use std::ops::ControlFlow;
    use throng_core::Corners;
    use throng_core::Simd;

    /// Leaves of which only the lengths matter.
    struct Lengths(Vec<usize>);

    impl Leaves for Lengths {
        fn simd(&self) -> Simd {
            Simd::new(None).expect("there is always one")
        }
        fn leaf_count(&self) -> usize {
            self.0.len()
        }
        fn leaf_len(&self, leaf: usize) -> usize {
            self.0[leaf]
        }
        fn leaf_bounds(&self, _: usize) -> Corners {
            NOTHING
        }
        fn box_slices(&self, _: usize) -> impl Iterator<Item = BoxSlice<'_>> {
            std::iter::empty()
        }
        fn leaves_touching<B>(
            &self,
            _: &Corners,
            _: usize,
            _: impl FnMut(usize) -> ControlFlow<B>,
        ) -> ControlFlow<B> {
            ControlFlow::Continue(())
        }
    }

    /// All pieces in order, and how many rows the largest chunk has.
    fn pieces(work: &Work, leaves: &Lengths) -> (Vec<LeafPiece>, usize) {
        let chunks = (0..work.chunks()).map(|chunk| work.pieces(leaves, chunk).collect::<Vec<_>>());
        let chunks: Vec<_> = chunks.collect();
        let rows = |pieces: &Vec<LeafPiece>| pieces.iter().map(|piece| piece.rows.len()).sum();
        let largest = chunks.iter().map(rows).max().unwrap_or(0);
        (chunks.concat(), largest)
    }

    fn assert_complete(pieces: &[LeafPiece], leaves: &Lengths) {
        let mut at: Vec<usize> = vec![0; leaves.0.len()];
        for piece in pieces {
            assert_eq!(piece.rows.start, at[piece.leaf], "{piece:?}");
            assert!((1..=LONGEST_PIECE).contains(&piece.rows.len()));
            at[piece.leaf] = piece.rows.end;
        }
        assert_eq!(at, leaves.0);
    }

    #[test]
    fn every_row_is_in_one_piece() {
        for lengths in [
            vec![],
            vec![0],
            vec![1],
            vec![100_000],
            vec![16; 5000],
            vec![511, 512, 513, 1023, 1024, 1025, 0, 0, 5000, 1],
            vec![0, 70_000, 3, 0],
        ] {
            let leaves = Lengths(lengths);
            let rows: usize = leaves.0.iter().sum();
            let mut work = Work::default();
            work.cut(&leaves, rows);
            let (pieces, largest) = pieces(&work, &leaves);
            assert_complete(&pieces, &leaves);
            assert!(
                largest <= 3 * (rows / CHUNKS + 2 * FEWEST_ROWS),
                "{largest} of {rows}"
            );
            assert!(work.chunks() <= 2 * CHUNKS + 1);
        }
    }

    #[test]
    fn a_cut_that_is_out_of_date_is_still_complete() {
        let mut work = Work::default();
        work.cut(&Lengths(vec![40, 3000, 700, 600, 2000]), 6340);
        assert!(work.chunks() > 3);
        for lengths in [
            vec![],
            vec![40, 10, 10],
            vec![40, 5000, 0, 600, 2000, 900, 7],
            vec![9999; 8],
        ] {
            let leaves = Lengths(lengths);
            assert_complete(&pieces(&work, &leaves).0, &leaves);
        }
        work.clear();
        assert_eq!(work.chunks(), 1);
    }
}
