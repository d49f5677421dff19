//! Where the copies that touch a window are in a slot.

use crate::strips::gather::Reach;
use throng_core::lanes::{
    Kernel, Lanes, PlaceRoom, Places, Sides, chunk, lanes_below, overlapping,
};
use throng_core::{Corners, LANES, Simd};

/// Writes the places of copies that touch the window and are to be reported from their slot: of those from `from` on, and no
/// more than there is room for. Returns how many there are, and where to go on.
pub(crate) fn touching_places(
    simd: Simd,
    reach: &Reach<'_>,
    window: &Corners,
    from: usize,
    room: &mut PlaceRoom,
) -> (usize, usize) {
    simd.run(TouchingPlaces(
        &Search {
            reach,
            window,
            from,
        },
        room,
    ))
}

struct Search<'a> {
    reach: &'a Reach<'a>,
    window: &'a Corners,
    from: usize,
}

/// Two references, which are passed in registers: what is larger is copied, which takes longer than to compare a group.
struct TouchingPlaces<'a>(&'a Search<'a>, &'a mut PlaceRoom);

impl Kernel for TouchingPlaces<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (usize, usize) {
        let Self(search, room) = self;
        let reach = search.reach;
        let copies = &reach.copies;
        let sides = [copies.min_x, copies.min_y, copies.max_x, copies.max_y];
        let window = Sides::splat(lanes, *search.window);
        let (mut at, mut places) = (search.from, Places::in_room(room));
        while at < copies.len && places.has_room() {
            let boxes = Sides::load(lanes, sides, at);
            let hit = lanes.bits(overlapping(lanes, lanes.every_lane(), &boxes, &window));
            // After the last copy there are more copies, or sentinels; both are ignored.
            let hit = hit & lanes_below(copies.len - at);
            if hit > 0 {
                let keep = reach.reported(hit, chunk(copies.min_y, at));
                places.note(lanes, keep, at);
            }
            at += LANES;
        }
        (places.count(), at)
    }
}
