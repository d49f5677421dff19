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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Kernel, Simd};
    use crate::simd::SimdLevel;
    use proptest::prelude::*;

    /// Notes these lanes of a column, sixteen after sixteen, as long as there is room. Returns how many places there are, and
    /// how many groups were noted.
    struct Note<'a>(&'a [u16], &'a mut PlaceRoom);

    impl Kernel for Note<'_> {
        type Output = (usize, usize);

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> (usize, usize) {
            let Self(groups, room) = self;
            let (mut noted, mut places) = (0, Places::in_room(room));
            while noted < groups.len() && places.has_room() {
                places.note(lanes, groups[noted].into(), noted * LANES);
                noted += 1;
            }
            (places.count(), noted)
        }
    }

    proptest! {
        #[test]
        fn places_are_noted_in_order_while_there_is_room_for_a_group(
            groups in prop::collection::vec(prop_oneof![Just(0), any::<u16>(), Just(u16::MAX)], 0..12),
        ) {
            let is_hit = |place: &usize| groups[place / LANES] >> (place % LANES) & 1 == 1;
            for &level in SimdLevel::available() {
                let mut room = Places::ROOM;
                let simd = Simd::new(Some(level)).expect("an available level");
                let (count, noted) = simd.run(Note(&groups, &mut room));
                let expected: Vec<u32> = (0..noted * LANES)
                    .filter(is_hit)
                    .map(|place| place as u32)
                    .collect();
                prop_assert_eq!(&room[..count], expected);
                prop_assert!(noted == groups.len() || count + LANES > AT_ONCE);
            }
        }
    }
}
