//! Where the copies that touch a window are in a slot.

use crate::sides::Corners;
use crate::strips::gather::Reach;
use throng_core::lanes::{
    Kernel, Lanes, NUMBERS, Sides, chunk, chunk_mut, lanes_below, overlapping,
};
use throng_core::{LANES, Simd};

/// How many places a search notes before it hands them over.
const AT_ONCE: usize = 64;

/// Room for these, and for what a vector store writes past them.
pub(crate) type Places = [u32; AT_ONCE + LANES];

/// No places yet.
pub(crate) const NO_PLACES: Places = [0; AT_ONCE + LANES];

/// Writes the places of copies that touch the window and are to be reported from their slot: of those from `from` on, and no
/// more than there is room for. Returns how many there are, and where to go on.
pub(crate) fn touching_places(
    simd: Simd,
    reach: &Reach<'_>,
    window: &Corners,
    from: usize,
    places: &mut Places,
) -> (usize, usize) {
    simd.run(TouchingPlaces(
        &Search {
            reach,
            window,
            from,
        },
        places,
    ))
}

struct Search<'a> {
    reach: &'a Reach<'a>,
    window: &'a Corners,
    from: usize,
}

/// Two references, which are passed in registers: what is larger is copied, which takes longer than to compare a group.
struct TouchingPlaces<'a>(&'a Search<'a>, &'a mut Places);

impl Kernel for TouchingPlaces<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (usize, usize) {
        let Self(search, places) = self;
        let reach = search.reach;
        let copies = &reach.copies;
        let sides = [copies.min_x, copies.min_y, copies.max_x, copies.max_y];
        let window = Sides::splat(lanes, *search.window);
        let numbers = lanes.load_words(&NUMBERS);
        let (mut at, mut found) = (search.from, 0);
        while at < copies.len && found <= AT_ONCE - LANES {
            let boxes = Sides::load(lanes, sides, at);
            let hit = lanes.bits(overlapping(lanes, lanes.every_lane(), &boxes, &window));
            // After the last copy there are more copies, or sentinels; both are ignored.
            let hit = hit & lanes_below(copies.len - at);
            if hit > 0 {
                let keep = reach.reported(hit, chunk(copies.min_y, at));
                let here = lanes.add_words(lanes.splat_words(at as u32), numbers);
                lanes.store_kept_words(chunk_mut(places, found), keep, here);
                found += keep.count_ones() as usize;
            }
            at += LANES;
        }
        (found, at)
    }
}
