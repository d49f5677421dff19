//! Where in a column a search finds what it looks for.

use super::{Lanes, NUMBERS, chunk_mut};
use crate::pair_buffer::LANES;

/// How many places are noted before they are handed over.
const AT_ONCE: usize = 64;

/// The places of what a search finds, in ascending order, noted for sixteen elements at a time.
pub struct Places<'a> {
    places: &'a mut PlaceRoom,
    /// Beside the places and not behind them: see [`Hits`](super::Hits).
    len: usize,
}

/// The memory of [`Places`].
pub type PlaceRoom = [u32; AT_ONCE];

impl<'a> Places<'a> {
    /// Empty memory.
    pub const ROOM: PlaceRoom = [0; AT_ONCE];

    /// None yet.
    #[inline(always)]
    pub fn in_room(room: &'a mut PlaceRoom) -> Self {
        Self {
            places: room,
            len: 0,
        }
    }

    /// How many there are, the first of the room.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> usize {
        self.len
    }

    /// Whether there is room for sixteen more.
    #[inline(always)]
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.len <= AT_ONCE - LANES
    }

    /// Notes the lanes of a set, of sixteen elements from `at` on.
    ///
    /// # Panics
    ///
    /// If there is no [room](Self::has_room).
    #[inline(always)]
    pub fn note<L: Lanes>(&mut self, lanes: L, hit: u32, at: usize) {
        let numbers = lanes.load_words(&NUMBERS);
        let here = lanes.add_words(lanes.splat_words(at as u32), numbers);
        lanes.store_kept_words(chunk_mut(self.places, self.len), hit, here);
        self.len += hit.count_ones() as usize;
    }
}
