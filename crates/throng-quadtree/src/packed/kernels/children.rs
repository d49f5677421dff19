//! A few blocks of a level, and the list of their children that the search visits next.

use throng_core::LANES;
use throng_core::lanes::{Lanes, NUMBERS, chunk_mut};

/// How many blocks a search looks into before it goes down to their children. One to eight are equally fast.
pub(super) const TOGETHER: usize = 4;
/// Room for the children of that many blocks, and for what a vector store writes past them.
const ROOM: usize = (TOGETHER + 1) * LANES;

/// Children of up to [`TOGETHER`] blocks.
pub(super) struct Children {
    numbers: [u32; ROOM],
    len: usize,
}

impl Children {
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            numbers: [0; ROOM],
            len: 0,
        }
    }

    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends the children of a block whose lanes are in the set.
    #[inline(always)]
    pub fn append<L: Lanes>(&mut self, lanes: L, set: u32, block: u32) {
        let first = lanes.splat_words(block * LANES as u32);
        let own = lanes.add_words(first, lanes.load_words(&NUMBERS));
        lanes.store_kept_words(chunk_mut(&mut self.numbers, self.len), set, own);
        self.len += set.count_ones() as usize;
    }

    #[inline(always)]
    pub fn found(&self) -> &[u32] {
        &self.numbers[..self.len]
    }
}

/// The numbers of [`TOGETHER`] blocks from `first` on.
#[inline(always)]
pub(super) fn few_from(first: usize) -> [u32; TOGETHER] {
    let mut few = [0; TOGETHER];
    for (k, block) in few.iter_mut().enumerate() {
        *block = (first + k) as u32;
    }
    few
}
