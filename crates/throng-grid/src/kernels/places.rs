//! Where the boxes that touch a window are in a leaf.

use super::boxes::{boxes, last_boxes};
use crate::leaf::Bounds;
use crate::run::Centers;
use throng_core::lanes::{Kernel, Lanes, PlaceRoom, Places, Sides, overlapping};
use throng_core::{LANES, Simd};

/// Writes the places of boxes that touch a window: of those from `from` on, which begins a group, in groups up to one that
/// begins at `ahead` or beyond it, and no more than there is room for. Returns how many there are, and where to go on.
pub(crate) fn touching_places(
    simd: Simd,
    centers: &Centers<'_>,
    window: &Bounds,
    (from, ahead): (usize, f32),
    room: &mut PlaceRoom,
) -> (usize, usize) {
    let search = Search {
        centers,
        window,
        from,
        ahead,
    };
    if centers.own.is_some() {
        simd.run(TouchingPlaces::<true>(&search, room))
    } else {
        simd.run(TouchingPlaces::<false>(&search, room))
    }
}

struct Search<'a> {
    centers: &'a Centers<'a>,
    window: &'a Bounds,
    from: usize,
    ahead: f32,
}

/// Two references, which are passed in registers: what is larger is copied, which takes longer than to compare a group.
struct TouchingPlaces<'a, const EXACT: bool>(&'a Search<'a>, &'a mut PlaceRoom);

impl<const EXACT: bool> Kernel for TouchingPlaces<'_, EXACT> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> (usize, usize) {
        let Self(search, room) = self;
        let (run, ahead) = (search.centers.view(), search.ahead);
        let window = Sides::splat(lanes, [search.window.min, search.window.max]);
        let (mut at, mut places) = (search.from, Places::in_room(room));
        while at < run.len && places.has_room() {
            if run.xs[at] >= ahead {
                return (places.count(), run.len);
            }
            let boxes = if at + LANES <= run.len {
                boxes(lanes, EXACT, &run, at)
            } else {
                last_boxes(lanes, EXACT, &run, at)
            };
            let hit = lanes.bits(overlapping(lanes, lanes.every_lane(), &boxes, &window));
            places.note(lanes, hit, at);
            at += LANES;
        }
        (places.count(), at)
    }
}
