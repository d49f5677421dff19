//! All overlapping pairs of a run with itself.

use super::boxes::{boxes, lefts};
use crate::run::{MaskTest, Run, RunView};
use throng_core::lanes::{
    ClassTable, GroupMasks, HitRoom, Hits, Kernel, Lanes, Sides, TakePairs, agreeing, overlapping,
};
use throng_core::{LANES, MetClasses, Placed, Simd};

/// Every overlapping pair of one of the first `own` boxes with a box after it, the lower row first. Returns the number of
/// comparisons.
pub(crate) fn sweep(
    simd: Simd,
    run: &Run<'_>,
    met: Option<&MetClasses>,
    (own, slack): (usize, f32),
    room: &mut HitRoom,
    out: &mut impl TakePairs,
) -> u64 {
    let (exact, mask_test) = (run.is_exact(), run.mask_test());
    let run = run.view();
    let met = met.unwrap_or(&MetClasses::NONE);
    let sweep = (run, met, own, slack, room, out);
    // See `overlapping_ahead`.
    let ordered = !exact && slack <= run.bound[0];
    match (exact, ordered) {
        (false, false) => sweep_as::<_, false, false>(simd, mask_test, sweep),
        (false, true) => sweep_as::<_, false, true>(simd, mask_test, sweep),
        (true, _) => sweep_as::<_, true, false>(simd, mask_test, sweep),
    }
}

type Arguments<'a, 'o, O> = (
    RunView<'a>,
    &'a MetClasses,
    usize,
    f32,
    &'a mut HitRoom,
    &'o mut O,
);

fn sweep_as<O: TakePairs, const EXACT: bool, const ORDERED: bool>(
    simd: Simd,
    mask_test: MaskTest,
    sweep: Arguments<'_, '_, O>,
) -> u64 {
    match mask_test {
        MaskTest::None => simd.run(Sweep::<_, EXACT, ORDERED, false, false>::of(sweep)),
        MaskTest::Words => simd.run(Sweep::<_, EXACT, ORDERED, true, false>::of(sweep)),
        MaskTest::Classes => simd.run(Sweep::<_, EXACT, ORDERED, false, true>::of(sweep)),
    }
}

/// How many groups are compared with one branch. Where the last is, is as good as random, and so would be the branch after each.
pub(super) const AT_ONCE: usize = 4;
const _: () = assert!(
    LANES.is_multiple_of(AT_ONCE),
    "a stretch ends after a whole step"
);

struct Sweep<
    'a,
    'o,
    O,
    const EXACT: bool,
    const ORDERED: bool,
    const MASKED: bool,
    const CLASSED: bool,
> {
    run: RunView<'a>,
    /// Which classes meet, if `CLASSED`.
    met: &'a MetClasses,
    own: usize,
    slack: f32,
    room: &'a mut HitRoom,
    out: &'o mut O,
}

impl<'a, 'o, O, const EXACT: bool, const ORDERED: bool, const MASKED: bool, const CLASSED: bool>
    Sweep<'a, 'o, O, EXACT, ORDERED, MASKED, CLASSED>
{
    fn of((run, met, own, slack, room, out): Arguments<'a, 'o, O>) -> Self {
        Self {
            run,
            met,
            own,
            slack,
            room,
            out,
        }
    }
}

impl<O: TakePairs, const EXACT: bool, const ORDERED: bool, const MASKED: bool, const CLASSED: bool>
    Kernel for Sweep<'_, '_, O, EXACT, ORDERED, MASKED, CLASSED>
{
    type Output = u64;

    /// Compares sixteen boxes with the same columns shifted by one, by two and so on, until all of them are too far
    /// apart. Behind the last box are sentinels, more than any step goes beyond it. Classes of masks are compared when pairs
    /// are handed over.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            run,
            met,
            own,
            slack,
            room,
            out,
        } = self;
        let members = Placed {
            rows: run.rows,
            row_shift: if CLASSED { run.row_shift } else { 0 },
            centers: [run.xs, run.ys],
            own: EXACT.then_some(run.own),
            bound: run.bound,
        };
        let mut hits = Hits::in_room(lanes, room);
        let met = CLASSED.then_some(ClassTable::load(lanes, met));
        let mut compared = 0;
        let mut block = 0;
        // Where places ahead are counted from, and which group is next.
        let (mut from, mut at) = (0, 1);
        while block < own {
            while block < own && hits.has_room() {
                let a = boxes(lanes, EXACT, &run, block);
                let own_masks = GroupMasks::load(lanes, MASKED, run.masks, block);
                // Lanes after the last of these boxes reach nothing.
                let a = Sides {
                    max_x: lanes.nan_behind(own - block, a.max_x),
                    ..a
                };
                let reach = lanes.add(a.max_x, lanes.splat(slack));
                let near = lanes.le(lanes.every_lane(), lefts(lanes, &run, at), reach);
                let mut is_near = lanes.any(near);
                // No longer than `Hits` can tell apart: what comes after that is a stretch of its own.
                while is_near && at <= from + LANES {
                    let ahead = run.cut::<{ AT_ONCE + LANES }>(at, (EXACT, MASKED));
                    // Asked a step early: how often this loop runs cannot be predicted, so the answer is to be there by then.
                    let near = lanes.le(lanes.every_lane(), lefts(lanes, &ahead, AT_ONCE), reach);
                    is_near = lanes.any(near);
                    compared += (AT_ONCE * LANES) as u64;
                    for k in 0..AT_ONCE {
                        let b = boxes(lanes, EXACT, &ahead, k);
                        let hit = overlapping_ahead::<L, ORDERED>(lanes, &a, &b);
                        let masks = GroupMasks::load(lanes, MASKED, ahead.masks, k);
                        let hit = agreeing(lanes, hit, own_masks, masks);
                        hits.note(hit, at + k - (from + 1));
                    }
                    at += AT_ONCE;
                }
                hits.end_stretch([block, from + 1]);
                if is_near {
                    from += LANES;
                } else {
                    block += LANES;
                    (from, at) = (block, block + 1);
                }
            }
            hits.hand_over(&members, met, out);
        }
        compared
    }
}

/// The lanes in which the boxes overlap. If `ORDERED`, whether `b` reaches back to `a` is not tested, because it always does: all
/// boxes have the same half width `h`, and `b`, which comes later in the run, begins no further than the slack left of `a`, after one
/// rounding. Two more roundings are in the width of `b`. Each of the three is less than a quarter of the slack (see
/// [`Layout::slack`](crate::layout::Layout::slack)). So if the slack is no more than `h`, it and they are less than the width, `2 h`.
#[inline(always)]
fn overlapping_ahead<L: Lanes, const ORDERED: bool>(
    lanes: L,
    a: &Sides<L>,
    b: &Sides<L>,
) -> L::Mask {
    if !ORDERED {
        return overlapping(lanes, lanes.every_lane(), a, b);
    }
    let hit = lanes.le(lanes.every_lane(), b.min_x, a.max_x);
    let hit = lanes.le(hit, a.min_y, b.max_y);
    lanes.le(hit, b.min_y, a.max_y)
}
