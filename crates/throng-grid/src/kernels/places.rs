//! Where the boxes that touch a window are in a leaf.

use super::boxes::{boxes, last_boxes};
use crate::leaf::Bounds;
use crate::run::{Centers, RunView};
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
    let (run, window) = (centers.view(), [window.min, window.max]);
    if centers.own.is_some() {
        simd.run(TouchingPlaces::<true> {
            run,
            window,
            from,
            ahead,
            places,
        })
    } else {
        simd.run(TouchingPlaces::<false> {
            run,
            window,
            from,
            ahead,
            places,
        })
    }
}

struct TouchingPlaces<'a, const EXACT: bool> {
    run: RunView<'a>,
    window: [[f32; 2]; 2],
    from: usize,
    ahead: f32,
    places: &'a mut Places,
}

impl<const EXACT: bool> Kernel for TouchingPlaces<'_, EXACT> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (usize, usize) {
        let Self {
            run,
            window,
            from: mut at,
            ahead,
            places,
        } = self;
        let (window, numbers) = (Sides::splat(lanes, window), lanes.load_words(&NUMBERS));
        let mut found = 0;
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
