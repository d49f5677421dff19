//! All overlapping pairs of two runs.

use super::boxes::{around, boxes};
use crate::run::{Run, RunView};
use throng_core::lanes::{
    ClassTable, GroupMasks, HitRoom, Hits, Kernel, Lanes, agreeing, chunk, overlapping,
};
use throng_core::{LANES, MetClasses, PairBuffer, PairOrder, Simd};

/// Every overlapping pair of a box of `left` with a box of `right`. Returns the number of comparisons.
pub(crate) fn join(
    simd: Simd,
    [left, right]: [&Run<'_>; 2],
    met: Option<&MetClasses>,
    slack: [f32; 2],
    order: PairOrder,
    room: &mut HitRoom,
    out: &mut PairBuffer<'_>,
) -> u64 {
    debug_assert_eq!(left.is_masked(), right.is_masked());
    debug_assert_eq!(left.is_classed(), right.is_classed());
    let (masked, classed) = (left.is_masked(), left.is_classed());
    let met = met.unwrap_or(&MetClasses::NONE);
    let join = (left.view(), right.view(), met, slack, order, room, out);
    match (masked, classed) {
        (_, true) => simd.run(Join::<false, true>::of(join)),
        (true, false) => simd.run(Join::<true, false>::of(join)),
        (false, false) => simd.run(Join::<false, false>::of(join)),
    }
}

struct Join<'a, 'b, const MASKED: bool, const CLASSED: bool> {
    left: RunView<'a>,
    right: RunView<'a>,
    /// Which classes meet, if `CLASSED`.
    met: &'a MetClasses,
    slack: [f32; 2],
    order: PairOrder,
    room: &'a mut HitRoom,
    out: &'a mut PairBuffer<'b>,
}

type Arguments<'a, 'b> = (
    RunView<'a>,
    RunView<'a>,
    &'a MetClasses,
    [f32; 2],
    PairOrder,
    &'a mut HitRoom,
    &'a mut PairBuffer<'b>,
);

impl<'a, 'b, const MASKED: bool, const CLASSED: bool> Join<'a, 'b, MASKED, CLASSED> {
    fn of((left, right, met, slack, order, room, out): Arguments<'a, 'b>) -> Self {
        Self {
            left,
            right,
            met,
            slack,
            order,
            room,
            out,
        }
    }
}

impl<const MASKED: bool, const CLASSED: bool> Kernel for Join<'_, '_, MASKED, CLASSED> {
    type Output = u64;

    /// Compares sixteen boxes of the left run with each box of the right one that begins before they all end. Pairs are noted, and
    /// looked up some dozens of comparisons later: see [`Hits`].
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            left,
            right,
            met,
            slack,
            order,
            room,
            out,
        } = self;
        // Cut to this length, so that an index below it needs no bounds check.
        let (xs, ys) = (&right.xs[..right.len], &right.ys[..right.len]);
        let right_words = &right.rows[..right.len];
        let [left_exact, right_exact] = [&left, &right].map(|run| !run.own[0].is_empty());
        let mut half = [lanes.splat(right.bound[0]), lanes.splat(right.bound[1])];
        let met = ClassTable::load(lanes, met);
        let names = [left.names, right.names];
        let name_shifts = if CLASSED {
            [left.name_shift, right.name_shift]
        } else {
            [0; 2]
        };
        let mut hits = Hits::in_room(room);
        let mut compared = 0;
        let mut block = 0;
        // All before it end too far to the left of the block.
        let mut first = 0;
        // Which is next, if the block is not done.
        let mut next = None;
        while block < left.len {
            while block < left.len && hits.has_room() {
                let a = boxes(lanes, left_exact, &left, block);
                let own_masks = GroupMasks::load(lanes, MASKED, left.masks, block);
                let met_by_own = if CLASSED {
                    met.met_by(lanes, lanes.load_words(chunk(left.rows, block)))
                } else {
                    lanes.splat_words(0)
                };
                let from = match next {
                    Some(next) => next,
                    None => {
                        first = skip_before(&right, first, left.order(block) - slack[0]);
                        first
                    }
                };
                // After the last box there are NaNs, which are never the highest and overlap nothing.
                let furthest = lanes.highest(a.max_x) + slack[1];
                let mut shift = lanes.splat_words(0);
                // No more than can be told apart: what comes after them is a stretch of its own.
                let end = right.len.min(from + LANES);
                let mut at = from;
                while at < end && xs[at] - right.bound[0] <= furthest {
                    compared += LANES as u64;
                    if right_exact {
                        half = [lanes.splat(right.own[0][at]), lanes.splat(right.own[1][at])];
                    }
                    let b = around(lanes, [lanes.splat(xs[at]), lanes.splat(ys[at])], half);
                    let hit = overlapping(lanes, lanes.every_lane(), &a, &b);
                    let masks = GroupMasks::splat(lanes, MASKED, right.masks, at);
                    let mut hit = agreeing(lanes, hit, own_masks, masks);
                    if CLASSED {
                        hit = lanes.has_bit(hit, met_by_own, lanes.splat_words(right_words[at]));
                    }
                    hits.note(lanes, hit, shift);
                    shift = lanes.add_words(shift, lanes.splat_words(Hits::ONE_BEHIND));
                    at += 1;
                }
                hits.end_stretch([block, from]);
                next = (at == from + LANES).then_some(at);
                if next.is_none() {
                    block += LANES;
                }
            }
            hits.hand_over_between(lanes, names, name_shifts, order, out);
        }
        compared
    }
}

/// Skips the boxes of `right`, from `first` on, that end left of `reach`. They are done if no later box of the left run
/// begins left of `reach`.
#[inline(always)]
fn skip_before(right: &RunView<'_>, first: usize, reach: f32) -> usize {
    let mut first = first;
    while first < right.len && right.corners(first)[1][0] < reach {
        first += 1;
    }
    first
}
