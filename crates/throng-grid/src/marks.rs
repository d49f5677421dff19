//! Which rows are near each row of a chunk, as bits: what lists are written from once it is known where each begins.

use crate::grid::MOST_ROWS;

/// How many rows look at the same groups.
pub(crate) const TOGETHER: usize = 4;

/// The neighbors of the rows of a chunk: sixteen candidates in sixteen bits, and what is shared by the rows that look at them.
/// That takes half the memory of lists at twenty neighbors each, and a quarter at sixty.
///
/// ```text
/// keys     candidates of the first piece, strip by strip │ of the second │ …
/// marks    from 3: bits of 4 rows ┆ from 19: bits of 4 rows ┆ from 70: bits of 4 rows │ from 5: bits of the next 4 rows ┆ …
/// blocks                                                            end of the first ┘
/// ```
#[derive(Clone, Debug, Default)]
pub struct NeighborMarks {
    /// Whose neighbors they are, in the order of leaves, and how many each has.
    pub(crate) rows: Vec<u32>,
    pub(crate) lens: Vec<u32>,
    /// Candidates, as [keys](key_of). What stands between those of two strips is never marked.
    pub(crate) keys: Vec<f32>,
    pub(crate) marks: Vec<Mark>,
    /// Where the marks of each four rows end.
    pub(crate) blocks: Vec<usize>,
    pub(crate) pieces: Vec<MarkedPiece>,
}

/// Which of a group are near each of four rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// Where the group begins among the candidates.
    pub from: u32,
    pub near: [u16; TOGETHER],
}

/// Where the rows of a piece end, and whether the candidates that all of them look at ascend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkedPiece {
    pub end: usize,
    pub ascends: bool,
}

/// Rows with this bit are floats in the same order, and neither NaN nor denormal.
pub(crate) const AS_FLOAT: u32 = 1 << 29;
const _: () = assert!(MOST_ROWS <= AS_FLOAT as usize);

/// A row as a float: keys compare as rows do.
#[inline(always)]
pub(crate) fn key_of(row: u32) -> f32 {
    f32::from_bits(row | AS_FLOAT)
}

/// The row of a key.
#[inline(always)]
pub(crate) fn row_of(key: f32) -> u32 {
    key.to_bits() & !AS_FLOAT
}

impl NeighborMarks {
    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        let Self {
            rows,
            lens,
            keys,
            marks,
            blocks,
            pieces,
        } = self;
        rows.clear();
        lens.clear();
        keys.clear();
        marks.clear();
        blocks.clear();
        pieces.clear();
    }

    /// Each row, in the order of leaves, and how many neighbors it has.
    pub fn lens(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.rows.iter().copied().zip(self.lens.iter().copied())
    }

    /// Drops neighbors that do not pass a test, given a row and its neighbor. O(neighbors).
    pub fn retain(&mut self, mut passes: impl FnMut(u32, u32) -> bool) {
        let (mut first, mut mark) = (0, 0);
        let mut blocks = self.blocks.iter();
        for piece in &self.pieces {
            while first < piece.end {
                let rows = TOGETHER.min(piece.end - first);
                let end = *blocks.next().expect("a block for each four rows");
                for mark in &mut self.marks[mark..end] {
                    let keys = &self.keys[mark.from as usize..];
                    // Where there are fewer than four rows, the last one's marks are there again.
                    mark.near[rows..].fill(0);
                    for (at, near) in (first..first + rows).zip(&mut mark.near) {
                        let mut rest = *near;
                        while rest != 0 {
                            let bit = rest & rest.wrapping_neg();
                            let other = row_of(keys[bit.trailing_zeros() as usize]);
                            if !passes(self.rows[at], other) {
                                *near ^= bit;
                                self.lens[at] -= 1;
                            }
                            rest ^= bit;
                        }
                    }
                }
                (first, mark) = (first + rows, end);
            }
        }
    }

    /// Bytes in use.
    pub fn used_bytes(&self) -> usize {
        self.bytes([
            self.rows.len(),
            self.lens.len(),
            self.keys.len(),
            self.marks.len(),
            self.blocks.len(),
            self.pieces.len(),
        ])
    }

    /// Bytes held, used or not.
    pub fn held_bytes(&self) -> usize {
        self.bytes([
            self.rows.capacity(),
            self.lens.capacity(),
            self.keys.capacity(),
            self.marks.capacity(),
            self.blocks.capacity(),
            self.pieces.capacity(),
        ])
    }

    fn bytes(&self, [rows, lens, keys, marks, blocks, pieces]: [usize; 6]) -> usize {
        (rows + lens) * size_of::<u32>()
            + keys * size_of::<f32>()
            + marks * size_of::<Mark>()
            + blocks * size_of::<usize>()
            + pieces * size_of::<MarkedPiece>()
    }

    /// Gives back memory that is not used.
    pub fn shrink_to_fit(&mut self) {
        self.rows.shrink_to_fit();
        self.lens.shrink_to_fit();
        self.keys.shrink_to_fit();
        self.marks.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.pieces.shrink_to_fit();
    }
}
