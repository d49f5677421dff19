//! Which rows have moved since the last index: their centers are compared with those of then, a block at a time.

use std::ops::Range;

use throng_core::prefetch_for_reading;

use crate::frame::resting::stillness::{BLOCK, DUE, EIGHT, MOVED, RESTING, TOLD, TURNS};
use crate::world::columns::ProxyColumns;
use crate::world::ids::Row;
use crate::world::row_changes::RowChanges;

/// What is learned while rows that have moved are found.
pub(super) struct Found<'f> {
    pub changes: &'f mut RowChanges,
    /// The list of those that are awake, if it is kept.
    pub awake: Option<&'f mut Vec<Row>>,
    pub wake: &'f mut dyn FnMut(Row),
    /// Whether some are likely to be found in every block.
    pub expects_many: bool,
    /// How many have moved, or are new, and how many of them had moved in the last step as well.
    pub moved: usize,
    pub again: usize,
}

impl Found<'_> {
    /// A row does not rest any more; `center` is where it was.
    #[inline]
    fn woke(&mut self, row: Row, center: [f32; 2]) {
        self.changes.note(row, center);
        (self.wake)(row);
        if let Some(awake) = &mut self.awake {
            awake.push(row);
        }
    }
}

/// The centers of all rows: as written, and as of the last index.
pub(super) struct Centers<'c> {
    xs: &'c [f32],
    ys: &'c [f32],
    last_xs: &'c mut [f32],
    last_ys: &'c mut [f32],
    pub still: &'c mut [u8],
}

impl<'c> Centers<'c> {
    pub fn of(columns: &'c mut ProxyColumns) -> Self {
        Self {
            xs: &columns.xs,
            ys: &columns.ys,
            last_xs: columns.last_xs.values_mut(),
            last_ys: columns.last_ys.values_mut(),
            still: columns.still.values_mut(),
        }
    }

    /// Lets those of a block that have moved, or are new (which count no more than `moved`), count as `moved`. Where many are likely
    /// to have moved, this takes no branch for each, unless some of them were resting.
    #[inline]
    pub fn find_moved(&mut self, block: Range<usize>, moved: u8, found: &mut Found<'_>) {
        if !found.expects_many && self.has_none_moved(block.clone(), moved) {
            return;
        }
        let marks = self.marks(block.clone(), moved);
        let still = &mut self.still[block.clone()];
        // In bytes, so that a vector holds many; no block has more rows than a byte counts.
        let (mut count, mut again, mut were_resting) = (0_u8, 0_u8, 0);
        for (still, mark) in still.iter().zip(&marks) {
            count += mark & 1;
            again += mark & u8::from(*still == MOVED + 1);
            were_resting |= mark & u8::from(*still == RESTING);
        }
        if found.expects_many && were_resting == 0 {
            for (still, mark) in still.iter_mut().zip(&marks) {
                *still = (*still & !mark) | (moved & mark);
            }
            self.keep(block);
            found.moved += usize::from(count);
            found.again += usize::from(again);
            return;
        }
        let (eights, _) = marks.as_chunks::<EIGHT>();
        for (first, eight) in block.step_by(EIGHT).zip(eights) {
            let mut left = u64::from_le_bytes(*eight);
            while left != 0 {
                let place = left.trailing_zeros() / u8::BITS;
                left &= !(u64::from(u8::MAX) << (place * u8::BITS));
                self.look_at(first + place as usize, moved, found);
            }
        }
    }

    /// Lets a row count as `moved`, if it has moved or is new. There may be no such row.
    #[inline(always)]
    pub fn look_at(&mut self, row: usize, moved: u8, found: &mut Found<'_>) {
        if row >= self.still.len() || !self.has_moved(row, moved) {
            return;
        }
        let from = [self.last_xs[row], self.last_ys[row]];
        (self.last_xs[row], self.last_ys[row]) = (self.xs[row], self.ys[row]);
        let was = std::mem::replace(&mut self.still[row], moved);
        found.moved += 1;
        found.again += usize::from(was == MOVED + 1);
        if was == RESTING {
            found.woke(row as Row, from);
        }
    }

    /// Which rows of a block have moved, or are new: all bits of a byte, or none. Beyond the end of the columns there are none.
    #[inline(always)]
    fn marks(&self, block: Range<usize>, moved: u8) -> [u8; BLOCK] {
        let mut marks = [0; BLOCK];
        let Some(([xs, ys, last_xs, last_ys], still)) = self.whole(block.start) else {
            for (mark, row) in marks.iter_mut().zip(block) {
                *mark = if self.has_moved(row, moved) {
                    u8::MAX
                } else {
                    0
                };
            }
            return marks;
        };
        for k in 0..BLOCK {
            let x = xs[k].to_bits() ^ last_xs[k].to_bits();
            let y = ys[k].to_bits() ^ last_ys[k].to_bits();
            let has_moved = (x | y != 0) | (still[k] <= moved);
            marks[k] = if has_moved { u8::MAX } else { 0 };
        }
        marks
    }

    /// Whether a row has moved, or is new.
    #[inline(always)]
    fn has_moved(&self, row: usize, moved: u8) -> bool {
        self.is_elsewhere(row) | (self.still[row] <= moved)
    }

    /// Whether a row is not where it was. Compares bits: zeros of both signs are rare.
    #[inline(always)]
    fn is_elsewhere(&self, row: usize) -> bool {
        let x = self.xs[row].to_bits() ^ self.last_xs[row].to_bits();
        let y = self.ys[row].to_bits() ^ self.last_ys[row].to_bits();
        x | y != 0
    }

    /// Whether none of a block has moved: the same as no marks, in half the time.
    #[inline(always)]
    fn has_none_moved(&self, block: Range<usize>, moved: u8) -> bool {
        let Some(([xs, ys, last_xs, last_ys], still)) = self.whole(block.start) else {
            return !block.into_iter().any(|row| self.has_moved(row, moved));
        };
        let (mut differ, mut least) = (0, u8::MAX);
        for k in 0..BLOCK {
            differ |= xs[k].to_bits() ^ last_xs[k].to_bits();
            differ |= ys[k].to_bits() ^ last_ys[k].to_bits();
        }
        for &still in still {
            least = least.min(still);
        }
        (differ == 0) & (least > moved)
    }

    /// The centers of a whole block and the last ones, by axis, and what its rows count; `None` if fewer rows than a block are left.
    #[inline(always)]
    fn whole(&self, first: usize) -> Option<([&[f32; BLOCK]; 4], &[u8; BLOCK])> {
        let centers = [
            self.xs[first..].first_chunk()?,
            self.ys[first..].first_chunk()?,
            self.last_xs[first..].first_chunk()?,
            self.last_ys[first..].first_chunk()?,
        ];
        Some((centers, self.still[first..].first_chunk()?))
    }

    /// Whether all rows of a block have moved.
    #[inline]
    fn have_all_moved(&self, block: Range<usize>, moved: u8) -> bool {
        let rows = block.len();
        let marks = self.marks(block, moved);
        marks[..rows].iter().fold(u8::MAX, |all, mark| all & mark) == u8::MAX
    }

    /// Prefetches all that is known of a row, unless there is no such row any more.
    #[inline(always)]
    pub fn prefetch(&self, row: usize) {
        if row < self.still.len() {
            for column in [self.xs, self.ys, self.last_xs, self.last_ys] {
                prefetch_for_reading(&column[row]);
            }
            prefetch_for_reading(&self.still[row]);
        }
    }

    /// Writes the centers of some rows down.
    #[inline]
    pub fn keep(&mut self, rows: Range<usize>) {
        self.last_xs[rows.clone()].copy_from_slice(&self.xs[rows.clone()]);
        self.last_ys[rows.clone()].copy_from_slice(&self.ys[rows]);
    }

    /// Lets a row count as `moved`, unless it was told to rest, and has not moved since: then it is due in a step, as it would be without
    /// turns. A disabled one is still told.
    pub fn end_turns(&mut self, row: usize, moved: u8, is_disabled: bool) {
        if self.still[row] != TOLD || self.is_elsewhere(row) {
            self.still[row] = moved;
            self.keep(row..row + 1);
        } else if moved == MOVED && !is_disabled {
            self.still[row] = DUE;
        }
    }

    /// Whether all rows of the blocks whose turn it is have moved.
    pub fn all_move(&self, turn: usize) -> bool {
        self.blocks(turn).all(|block| self.have_all_moved(block, 0))
    }

    /// Writes the centers of the blocks down whose turn is next. Those of their rows that are new by now, or were woken, do not count as
    /// new any more: they count as moved then only if they move.
    pub fn keep_turn(&mut self, turn: usize) {
        for block in self.blocks(turn) {
            self.keep(block.clone());
            for still in &mut self.still[block] {
                *still = (*still).max(MOVED);
            }
        }
    }

    fn blocks(&self, turn: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let rows = self.xs.len();
        (turn * BLOCK..rows)
            .step_by(TURNS * BLOCK)
            .map(move |first| first..(first + BLOCK).min(rows))
    }
}
