//! Pairs on their way from a kernel to the visitor, in batches that stay in L1.

use crate::arena::Arena;
use crate::lanes::{Lanes, Picked, TakePairs, emit};

/// Boxes that a kernel compares at a time. Every instruction set walks the same sixteen, so that the order of the
/// pairs does not depend on the machine.
pub const LANES: usize = 16;

/// Which member of a pair comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOrder {
    /// The lower row: for two rows of the same structure.
    LowerRow,
    /// The one from the left run.
    Left,
    /// The one from the right run.
    Right,
}

impl PairOrder {
    /// The order that gives the same pairs when left and right are swapped.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::LowerRow => Self::LowerRow,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// What belongs to two structures that meet, with that of the one that is walked first: the first unless pairs begin with
    /// the other's rows.
    #[must_use]
    pub fn walked_first<T>(self, [first, second]: [T; 2]) -> [T; 2] {
        match self {
            Self::LowerRow | Self::Left => [first, second],
            Self::Right => [second, first],
        }
    }
}

/// The memory of a [`PairBuffer`].
pub type PairRoom = [[u32; 2]; PairBuffer::MOST];

/// A buffer that hands over its pairs when it is full. No pair is ever lost.
///
/// What is left at the end is handed over by [`flush`](Self::flush), not by a destructor: where a batch ends is part
/// of what a search promises.
pub struct PairBuffer<'a> {
    pairs: &'a mut PairRoom,
    len: usize,
    total: u64,
    visit: &'a mut dyn FnMut(&[[u32; 2]]),
}

impl<'a> PairBuffer<'a> {
    /// About how many pairs are handed over at a time: at most a group of [`LANES`] more. 8 KiB.
    pub const BATCH: usize = 1024;
    /// The capacity: no more pairs are ever handed over at a time.
    pub const MOST: usize = Self::BATCH + 2 * LANES;
    /// Bytes that a buffer takes from its arena.
    pub const BYTES: usize = size_of::<PairRoom>();

    /// An empty buffer that hands its pairs to `visit`.
    pub fn new(arena: &'a Arena, visit: &'a mut dyn FnMut(&[[u32; 2]])) -> Self {
        Self::in_room(Self::room_for_one(arena), visit)
    }

    /// Memory for a buffer, for callers that need several buffers one after the other and want to reuse it.
    #[must_use]
    pub fn room_for_one(arena: &'a Arena) -> &'a mut PairRoom {
        // Pair by pair: a whole room would be filled on the stack first, and then copied.
        let room = arena.alloc_slice_fill(Self::MOST, [0; 2]);
        room.first_chunk_mut().expect("it is as long as a room")
    }

    /// An empty buffer in memory [made for one](Self::room_for_one).
    pub fn in_room(room: &'a mut PairRoom, visit: &'a mut dyn FnMut(&[[u32; 2]])) -> Self {
        Self {
            pairs: room,
            len: 0,
            total: 0,
            visit,
        }
    }

    /// Room for [`LANES`] more pairs, of which the caller then [`keep`](Self::keep)s some.
    #[inline(always)]
    pub fn room(&mut self) -> &mut [[u32; 2]; LANES] {
        // Written so that the compiler sees that there is room.
        let len = if self.len > Self::BATCH {
            self.flush();
            0
        } else {
            self.len
        };
        self.pairs[len..]
            .first_chunk_mut()
            .expect("room for a group is kept behind a full batch")
    }

    /// Keeps the first `count` of the pairs written to [`room`](Self::room): at most [`LANES`] for each
    /// call of it.
    #[inline(always)]
    pub fn keep(&mut self, count: usize) {
        debug_assert!(count <= LANES);
        self.len += count;
    }

    /// Hands over the pairs in the buffer.
    #[cold]
    #[inline(never)]
    pub fn flush(&mut self) {
        if self.len > 0 {
            self.total += self.len as u64;
            (self.visit)(&self.pairs[..self.len]);
            self.len = 0;
        }
    }

    /// Pairs handed over so far.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }
}

impl TakePairs for PairBuffer<'_> {
    #[inline(always)]
    fn take<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, count: usize) {
        let rows = pairs.rows();
        let [first, second] = pairs.by_row(rows, rows);
        pairs.lanes().store_all_pairs(self.room(), first, second);
        self.keep(count);
    }

    #[inline(always)]
    fn take_some<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, keep: u32) {
        let [left, right] = pairs.rows();
        emit(pairs.lanes(), self, keep, PairOrder::LowerRow, left, right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_handed_over_in_order() {
        let arena = Arena::with_capacity(PairBuffer::BYTES);
        let mut found = Vec::new();
        let mut visit = |batch: &[[u32; 2]]| {
            assert!((1..=PairBuffer::BATCH + LANES).contains(&batch.len()));
            found.extend_from_slice(batch);
        };
        let mut buffer = PairBuffer::new(&arena, &mut visit);
        let mut next = 0_u32;
        for group in 0..1000 {
            let count = group * 7 % (LANES + 1);
            for pair in &mut buffer.room()[..count] {
                *pair = [next, next + 1];
                next += 1;
            }
            buffer.keep(count);
        }
        buffer.flush();
        buffer.flush();
        assert_eq!(buffer.total(), u64::from(next));
        assert_eq!(found, (0..next).map(|k| [k, k + 1]).collect::<Vec<_>>());
    }
}
