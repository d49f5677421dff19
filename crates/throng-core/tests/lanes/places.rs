//! Places are noted in order, at every level.

use proptest::prelude::*;
use throng_core::lanes::{Kernel, Lanes, PlaceRoom, Places, Simd};
use throng_core::{LANES, SimdLevel};

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
            prop_assert!(noted == groups.len() || count + LANES > Places::ROOM.len());
        }
    }
}
