//! Which boxes touch a window: for queries, for smaller boxes that look for larger ones, and for other structures.

use super::BoxStrips;
use super::buckets::{Copies, Slot};
use super::kernels;
use super::layers::Layer;
use super::partition::ROW;
use crate::LooseStructure;
use crate::sides::union;
use std::ops::{ControlFlow, Range};
use throng_core::lanes::Places;
use throng_core::{
    Aabb, Arena, BoxRun, BoxSource, Corners, LANES, highest, last_group_below, lowest,
    spacing_of_parts,
};

/// How many copies are looked at before more room is made for those that are kept.
const AT_ONCE: usize = 256;

/// The copies of a slot that can touch a window along the strip. Also tells whether a box that touches the window is to
/// be reported from this slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<'a> {
    pub layer: &'a Layer,
    pub copies: Copies<'a>,
    /// The index of the slot in its layer.
    slot: u32,
    /// The strip of the window's lower side.
    window_strip: i32,
}

impl Reach<'_> {
    /// Whether a box that touches the window is reported from this slot, and from no other.
    ///
    /// The box and the window share strip `s`, the higher of the strips of their two lower sides, because the map from
    /// coordinates to strips is monotone. The box has one copy for `s`, in the slot of `s`, and no other copy in that
    /// slot (see [`Layer`]); and a search visits that slot once.
    #[inline(always)]
    pub fn reports(&self, min_y: f32) -> bool {
        self.layer
            .slot(self.layer.strip(min_y).max(self.window_strip))
            == self.slot
    }

    /// The lanes of a set for which [`reports`](Self::reports) says yes, given the lower sides of sixteen boxes.
    #[inline(always)]
    pub fn reported(&self, among: u32, min_y: &[f32; LANES]) -> u32 {
        let (mut reported, mut left) = (among, among);
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            reported &= !(u32::from(!self.reports(min_y[lane])) << lane);
        }
        reported
    }
}

impl BoxStrips {
    /// Visits the part of each slot that can touch the window, lower layers first, starting at layer `from`.
    pub(crate) fn slots_touching<'a, B>(
        &'a self,
        from: usize,
        window: &Corners,
        mut visit: impl FnMut(&Reach<'a>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let [min, max] = *window;
        let mut first_slot = 0;
        for (index, layer) in self.layers.as_slice().iter().enumerate() {
            let begin = first_slot;
            first_slot += layer.slots();
            if index < from || self.buckets.copies_in_layer(index) == 0 {
                continue;
            }
            let slots = &self.buckets.slots()[begin..first_slot];
            let along = usize::from(layer.transposed());
            let strips = [layer.strip(min[1]), layer.strip(max[1])];
            // Further strips would only lead to slots that have been visited.
            let crossed = strips[1].wrapping_sub(strips[0]) as u32;
            for step in 0..=crossed.min(layer.slots() as u32 - 1) {
                let slot = layer.slot(strips[0].wrapping_add(step as i32));
                let held = &slots[slot as usize];
                let copies = self.buckets.copies(held);
                let range = reached(held, &copies, [min[along], max[along]]);
                if range.is_empty() {
                    continue;
                }
                visit(&Reach {
                    layer,
                    copies: copies.slice(range).untransposed(layer.transposed()),
                    slot,
                    window_strip: strips[0],
                })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Appends every box of layer `from` or above that touches the window.
    pub(crate) fn gather_from<'a>(
        &self,
        from: usize,
        window: &Corners,
        arena: &'a Arena,
        found: &mut BoxRun<'a>,
    ) {
        let every: ControlFlow<()> = self.slots_touching(from, window, |reach| {
            for first in (0..reach.copies.len).step_by(AT_ONCE) {
                let part = first..reach.copies.len.min(first + AT_ONCE);
                found.make_room(arena, part.len());
                let copies = reach.copies.slice(part);
                kernels::gather(self.simd, &Reach { copies, ..*reach }, window, found);
            }
            ControlFlow::Continue(())
        });
        debug_assert!(every.is_continue());
    }

    /// What [`query_aabb`](LooseStructure::query_aabb) does.
    pub(super) fn visit_touching(
        &self,
        window: &Aabb,
        visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let window = [window.min(), window.max()];
        self.slots_touching(0, &window, |reach| {
            let (mut at, mut places) = (0, Places::ROOM);
            while at < reach.copies.len {
                let (found, next) =
                    kernels::touching_places(self.simd, reach, &window, at, &mut places);
                for &place in &places[..found] {
                    let place = place as usize;
                    let [min, max] = reach.copies.corners(place);
                    visit(reach.copies.rows[place] & ROW, Aabb::of_corners(min, max))?;
                }
                at = next;
            }
            ControlFlow::Continue(())
        })
    }
}

impl BoxSource for BoxStrips {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        self.gather_from(0, &[window.min(), window.max()], arena, found);
    }

    fn spacing(&self) -> Option<f32> {
        spacing_of_parts(self.pieces.len(), |piece| {
            let piece = self.pieces[piece];
            let copies = self
                .buckets
                .copies(&self.buckets.slots()[piece.slot as usize]);
            // Those in the middle of the piece; its ends may be in other towns.
            let len = piece.len.min(LANES as u32);
            let first = (piece.first + (piece.len - len) / 2) as usize;
            let some = copies.slice(first..first + len as usize);
            let [xs, ys] = [some.min_x, some.min_y].map(|lower| &lower[..some.len]);
            let bounds = [[lowest(xs), lowest(ys)], [highest(xs), highest(ys)]];
            (len > 1).then_some((bounds, len as usize - 1))
        })
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bounds(&self) -> Option<Aabb> {
        let held = self.buckets.slots().iter().filter(|slot| slot.len > 0);
        let fill = held.map(|slot| bounds(&self.buckets.copies(slot), slot.transposed));
        let [min, max] = fill.reduce(|a, b| union(&a, &b))?;
        Aabb::new(min, max).ok()
    }
}

/// Which of a slot's copies can touch a window along the strip, given the window's sides along it, in whole groups of
/// lanes: to find those takes half the time, and they are compared sixteen at a time anyway.
///
/// A box that reaches to `left` begins at most the slot's greatest width before it. That width was rounded to nearest,
/// so the next number above it is at least the real width, and the number below the rounded difference is at most the
/// real difference.
fn reached(slot: &Slot, copies: &Copies<'_>, [left, right]: [f32; 2]) -> Range<usize> {
    let lefts = &copies.min_x[..copies.len];
    let (Some(&leftmost), Some(&rightmost)) = (lefts.first(), lefts.last()) else {
        return 0..0;
    };
    let furthest = (left - slot.widest.next_up()).next_down();
    let first = last_group_below(lefts, [leftmost, rightmost], furthest);
    let later = lefts.iter().step_by(LANES).skip(first);
    let begun = later.take_while(|&&x| x <= right).count();
    first * LANES..copies.len.min((first + begun) * LANES)
}

/// The bounds of copies as stored; there must be at least one.
pub(crate) fn bounds(copies: &Copies<'_>, transposed: bool) -> Corners {
    let min_y = lowest(&copies.min_y[..copies.len]);
    let max_x = highest(&copies.max_x[..copies.len]);
    let max_y = highest(&copies.max_y[..copies.len]);
    let corners = [[copies.min_x[0], min_y], [max_x, max_y]];
    if transposed {
        corners.map(|[along, across]| [across, along])
    } else {
        corners
    }
}
