//! Pairs on their way from a kernel to the visitor, in pieces that stay in L1.

use crate::run::LANES;
use throng_core::Arena;

/// Pairs handed over at a time, at most. 8 KiB.
pub(crate) const BATCH: usize = 1024;

/// A buffer that hands itself over when it is full. Nothing is ever dropped.
pub(crate) struct PairBuffer<'a> {
    pairs: &'a mut [[u32; 2]],
    len: usize,
    total: u64,
    visit: &'a mut dyn FnMut(&[[u32; 2]]),
}

impl<'a> PairBuffer<'a> {
    pub const BYTES: usize = (BATCH + 2 * LANES) * size_of::<[u32; 2]>();

    pub fn new(arena: &'a Arena, visit: &'a mut dyn FnMut(&[[u32; 2]])) -> Self {
        Self {
            pairs: arena.alloc_slice_fill(BATCH + 2 * LANES, [0; 2]),
            len: 0,
            total: 0,
            visit,
        }
    }

    /// Room for [`LANES`] more pairs, of which the caller then [`keep`](Self::keep)s some.
    #[inline(always)]
    pub fn room(&mut self) -> &mut [[u32; 2]; LANES] {
        if self.len > BATCH {
            self.flush();
        }
        self.pairs[self.len..]
            .first_chunk_mut()
            .expect("room for a group is kept behind a full batch")
    }

    /// Keeps the first `count` of the pairs written to [`room`](Self::room).
    #[inline(always)]
    pub fn keep(&mut self, count: usize) {
        debug_assert!(count <= LANES);
        self.len += count;
    }

    /// Hands over what is there.
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
    pub fn total(&self) -> u64 {
        self.total
    }
}
