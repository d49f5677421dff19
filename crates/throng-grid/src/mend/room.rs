//! The memory of leaves that grow.

use super::Mend;
use crate::leaf::{Bounds, Leaf};

/// A leaf that outgrows its memory gets room for what it needs, one record more for each so many, and a few besides.
const SPARE_PART: u32 = 4;
const SPARE_RECORDS: u32 = 16;
/// Memory that is too small for all leaves grows by one word in so many.
const GROWTH: usize = 8;

impl Leaf {
    /// An empty leaf without memory.
    pub(super) fn empty((strip, block): (i32, i32)) -> Self {
        Self {
            strip,
            block,
            start: 0,
            len: 0,
            stride: 0,
            room: 0,
            bounds: Bounds::NONE,
        }
    }

    /// The leaf's columns, with all the room that they have.
    #[inline(always)]
    pub(super) fn columns_mut<'w, const WORDS: usize>(
        &self,
        words: &'w mut [u32],
    ) -> [&'w mut [u32]; WORDS] {
        let stride = self.stride as usize;
        let mut rest = &mut words[self.start as usize..][..stride * WORDS];
        std::array::from_fn(|_| {
            let (column, later) = std::mem::take(&mut rest).split_at_mut(stride);
            rest = later;
            column
        })
    }
}

impl<const WORDS: usize> Mend<'_, WORDS> {
    /// Makes sure that each column of a leaf has room for `len` records. `None` if there is no more memory that 32 bits can
    /// number.
    pub(super) fn make_room(&mut self, leaf: &mut Leaf, len: u32) -> Option<()> {
        if len <= leaf.stride {
            return Some(());
        }
        let start = if len <= leaf.room {
            leaf.start
        } else {
            leaf.room = len + len / SPARE_PART + SPARE_RECORDS;
            self.claim(leaf.room)?
        };
        // The last one first, because they may move over each other.
        for column in (0..WORDS as u32).rev() {
            let from = (leaf.start + column * leaf.stride) as usize;
            let to = start + column * leaf.room;
            self.words
                .copy_within(from..from + leaf.len as usize, to as usize);
        }
        (leaf.start, leaf.stride) = (start, leaf.room);
        Some(())
    }

    /// Takes memory that is nobody's.
    fn claim(&mut self, records: u32) -> Option<u32> {
        let start = u32::try_from(self.upkeep.free).ok()?;
        let end = self.upkeep.free + records as usize * WORDS;
        u32::try_from(end).ok()?;
        if end > self.words.len() {
            let grown = end + end / GROWTH;
            self.words.reserve_exact(grown - self.words.len());
            self.words.resize(grown, 0);
        }
        self.upkeep.free = end;
        self.scratch.relocated = true;
        Some(start)
    }
}
