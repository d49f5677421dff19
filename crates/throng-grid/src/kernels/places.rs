//! Where the boxes that touch a window are in a leaf.

use super::boxes::{boxes, last_boxes};
use crate::leaf::Bounds;
use crate::run::Centers;
use throng_core::lanes::{Kernel, Lanes, NUMBERS, Sides, chunk_mut, overlapping};
use throng_core::{LANES, Simd};

/// How many places a search notes before it hands them over.
const AT_ONCE: usize = 64;

/// Room for these, and for what a vector store writes past them.
pub(crate) type Places = [u32; AT_ONCE + LANES];

/// No places yet.
pub(crate) const NO_PLACES: Places = [0; AT_ONCE + LANES];

/// Writes the places of boxes that touch a window: of those from `from` on, which begins a group, in groups up to one that
/// begins at `ahead` or beyond it, and no more than there is room for. Returns how many there are, and where to go on.
pub(crate) fn touching_places(
    simd: Simd,
    centers: &Centers<'_>,
    window: &Bounds,
    (from, ahead): (usize, f32),
    places: &mut Places,
) -> (usize, usize) {
    let search = Search {
        centers,
        window,
        from,
        ahead,
    };
    if centers.own.is_some() {
        simd.run(TouchingPlaces::<true>(&search, places))
    } else {
        simd.run(TouchingPlaces::<false>(&search, places))
    }
}

struct Search<'a> {
    centers: &'a Centers<'a>,
    window: &'a Bounds,
    from: usize,
    ahead: f32,
}

/// Two references, which are passed in registers: what is larger is copied, which takes longer than to compare a group.
struct TouchingPlaces<'a, const EXACT: bool>(&'a Search<'a>, &'a mut Places);

impl<const EXACT: bool> Kernel for TouchingPlaces<'_, EXACT> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (usize, usize) {
        let Self(search, places) = self;
        let (run, ahead) = (search.centers.view(), search.ahead);
        let window = Sides::splat(lanes, [search.window.min, search.window.max]);
        let numbers = lanes.load_words(&NUMBERS);
        let (mut at, mut found) = (search.from, 0);
        while at < run.len && found <= AT_ONCE - LANES {
            if run.xs[at] >= ahead {
                return (found, run.len);
            }
            let boxes = if at + LANES <= run.len {
                boxes(lanes, EXACT, &run, at)
            } else {
                last_boxes(lanes, EXACT, &run, at)
            };
            let hit = lanes.bits(overlapping(lanes, lanes.every_lane(), &boxes, &window));
            let here = lanes.add_words(lanes.splat_words(at as u32), numbers);
            lanes.store_kept_words(chunk_mut(places, found), hit, here);
            found += hit.count_ones() as usize;
            at += LANES;
        }
        (found, at)
    }
}
