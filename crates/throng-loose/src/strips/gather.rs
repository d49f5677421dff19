//! Which boxes touch a window: for the query, for smaller boxes that look for larger ones, and for other
//! structures.

use super::BoxStrips;
use super::buckets::{Copies, Slot};
use super::kernels;
use super::layers::Layer;
use super::partition::ROW;
use super::staged::Staged;
use crate::LooseStructure;
use crate::sides::{Corners, touches, union};
use std::ops::{ControlFlow, Range};
use throng_core::{Aabb, Arena, BoxRun, BoxSource, LANES, highest, lowest};

/// The part of a slot's copies that can touch a window along the strip, and how to tell, of a box that touches the
/// window, whether it is to be reported from this slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<'a> {
    pub layer: &'a Layer,
    pub copies: Copies<'a>,
    /// The slot's number in its layer.
    slot: u32,
    /// The strip of the window's lower side.
    window_strip: i32,
}

impl Reach<'_> {
    /// Whether a box that touches the window is reported from here, and nowhere else.
    ///
    /// The box and the window share the strip `s`, the higher of the two that their lower sides are in:
    /// the map from coordinates to strips is monotone. The box has a copy for `s`, in the slot of `s`,
    /// and no other copy in that slot (see [`Layer`]); and a search visits that slot once.
    #[inline(always)]
    pub fn reports(&self, min_y: f32) -> bool {
        self.layer
            .slot(self.layer.strip(min_y).max(self.window_strip))
            == self.slot
    }
}

impl BoxStrips {
    /// Visits what of each slot can touch the window, lower layers first, from layer `from` on.
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
            let along = usize::from(layer.lies_across());
            let strips = [layer.strip(min[1]), layer.strip(max[1])];
            // Beyond this many strips they come round to slots that were visited.
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
                    copies: copies.slice(range).upright(layer.lies_across()),
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
            kernels::gather(self.simd, reach, window, arena, found);
            ControlFlow::Continue(())
        });
        debug_assert!(every.is_continue());
    }

    /// What [`query_box`](LooseStructure::query_box) does.
    pub(super) fn visit_touching(
        &self,
        window: &Aabb,
        visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let window = [window.min(), window.max()];
        self.slots_touching(0, &window, |reach| {
            for k in 0..reach.copies.len {
                let corners = reach.copies.corners(k);
                if touches(&corners, &window)
                    && reach.reports(corners[0][1])
                    && let Ok(aabb) = Aabb::new(corners[0], corners[1])
                {
                    visit(reach.copies.rows[k] & ROW, aabb)?;
                }
            }
            ControlFlow::Continue(())
        })
    }
}

impl BoxSource for BoxStrips {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        self.gather_from(0, &[window.min(), window.max()], arena, found);
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bounds(&self) -> Option<Aabb> {
        let held = self.buckets.slots().iter().filter(|slot| slot.len > 0);
        let fill = held.map(|slot| bounds(&self.buckets.copies(slot), slot.lies_across));
        let [min, max] = fill.reduce(|a, b| union(&a, &b))?;
        Aabb::new(min, max).ok()
    }
}

/// Which of a slot's copies can touch a window along the strip, by the window's sides along it.
///
/// A box that reaches to `left` begins at most the slot's greatest width before it. That width was
/// rounded to the nearest, so the next above is no less than the real one, and the number below the
/// rounded difference is no greater than the real difference.
fn reached(slot: &Slot, copies: &Copies<'_>, [left, right]: [f32; 2]) -> Range<usize> {
    let lefts = &copies.min_x[..copies.len];
    let furthest = (left - slot.widest.next_up()).next_down();
    let first = lefts.partition_point(|&x| x < furthest);
    first..first + lefts[first..].partition_point(|&x| x <= right)
}

/// The box that copies as stored fill, of which there is at least one.
pub(crate) fn bounds(copies: &Copies<'_>, lies_across: bool) -> Corners {
    let min_y = lowest(&copies.min_y[..copies.len]);
    let max_x = highest(&copies.max_x[..copies.len]);
    let max_y = highest(&copies.max_y[..copies.len]);
    let corners = [[copies.min_x[0], min_y], [max_x, max_y]];
    if lies_across {
        corners.map(|[along, across]| [across, along])
    } else {
        corners
    }
}

/// Appends those boxes that touch the window and are reported from here. Inlined into a function per
/// instruction set; spelled out, because closures would not be.
#[inline(always)]
pub(crate) fn gather_reached<'a>(
    reach: &Reach<'_>,
    window: &Corners,
    arena: &'a Arena,
    found: &mut BoxRun<'a>,
) {
    let Copies {
        len,
        min_x,
        min_y,
        max_x,
        max_y,
        rows,
    } = reach.copies;
    let mut staged = Staged::default();
    for first in (0..len).step_by(LANES) {
        // Behind the last copy there are more, or sentinels; neither counts.
        let lanes = LANES.min(len - first);
        let at = first..first + LANES;
        let (min_x, min_y) = (&min_x[at.clone()], &min_y[at.clone()]);
        let (max_x, max_y, rows) = (&max_x[at.clone()], &max_y[at.clone()], &rows[at]);
        let mut hits = 0_u32;
        for lane in 0..LANES {
            let hit = (min_x[lane] <= window[1][0])
                & (window[0][0] <= max_x[lane])
                & (min_y[lane] <= window[1][1])
                & (window[0][1] <= max_y[lane]);
            hits |= u32::from(hit) << lane;
        }
        hits &= (1 << lanes) - 1;
        while hits != 0 {
            let lane = hits.trailing_zeros() as usize & (LANES - 1);
            hits &= hits - 1;
            let corners = [[min_x[lane], min_y[lane]], [max_x[lane], max_y[lane]]];
            staged.push_if(reach.reports(min_y[lane]), corners, rows[lane] & ROW);
        }
        staged.append_if_full(arena, found);
    }
    staged.append_to(arena, found);
}
