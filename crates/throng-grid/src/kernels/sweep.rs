//! All overlapping pairs of a run with itself.

use super::boxes::{boxes, lefts};
use crate::run::{Run, RunView};
use std::mem::swap;
use throng_core::lanes::{
    ClassTable, GroupMasks, Hits, Kernel, Lanes, Sides, TakePairs, agreeing, overlapping,
};
use throng_core::{LANES, MetClasses, Placed, Simd};

/// Every overlapping pair of one of the first `own` boxes with a box after it, the lower row first. Returns the number of
/// comparisons.
pub(crate) fn sweep(
    simd: Simd,
    run: &Run<'_>,
    met: Option<&MetClasses>,
    own: usize,
    slack: f32,
    out: &mut impl TakePairs,
) -> u64 {
    let (exact, masked, classed) = (run.is_exact(), run.is_masked(), run.is_classed());
    let run = run.view();
    let met = met.unwrap_or(&MetClasses::NONE);
    let sweep = (run, met, own, slack, out);
    // See `overlapping_ahead`.
    let ordered = !exact && slack <= run.bound[0];
    match (exact, ordered) {
        (false, false) => sweep_as::<_, false, false>(simd, (masked, classed), sweep),
        (false, true) => sweep_as::<_, false, true>(simd, (masked, classed), sweep),
        (true, _) => sweep_as::<_, true, false>(simd, (masked, classed), sweep),
    }
}

type Arguments<'a, 'o, O> = (RunView<'a>, &'a MetClasses, usize, f32, &'o mut O);

fn sweep_as<O: TakePairs, const EXACT: bool, const ORDERED: bool>(
    simd: Simd,
    (masked, classed): (bool, bool),
    sweep: Arguments<'_, '_, O>,
) -> u64 {
    match (masked, classed) {
        (_, true) => simd.run(Sweep::<_, EXACT, ORDERED, false, true>::of(sweep)),
        (true, false) => simd.run(Sweep::<_, EXACT, ORDERED, true, false>::of(sweep)),
        (false, false) => simd.run(Sweep::<_, EXACT, ORDERED, false, false>::of(sweep)),
    }
}

/// How many groups are compared with one branch. Where the last is, is as good as random, and so would be the branch after each.
pub(super) const AT_ONCE: usize = 4;
const _: () = assert!(
    LANES.is_multiple_of(AT_ONCE),
    "hits are handed over after whole steps"
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
    out: &'o mut O,
}

impl<'a, 'o, O, const EXACT: bool, const ORDERED: bool, const MASKED: bool, const CLASSED: bool>
    Sweep<'a, 'o, O, EXACT, ORDERED, MASKED, CLASSED>
{
    fn of((run, met, own, slack, out): Arguments<'a, 'o, O>) -> Self {
        Self {
            run,
            met,
            own,
            slack,
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
            out,
        } = self;
        let members = Placed {
            rows: run.rows,
            row_shift: if CLASSED { run.row_shift } else { 0 },
            centers: [run.xs, run.ys],
            own: EXACT.then_some(run.own),
            bound: run.bound,
        };
        // Those of a group are handed over when the next one has been compared: what was stored in pieces cannot be loaded as a
        // whole until it has left the store buffer.
        let (mut room, mut other_room) = (Hits::ROOM, Hits::ROOM);
        let mut hits = Hits::in_room(&mut room);
        let (mut last, mut last_from) = (Hits::in_room(&mut other_room), [0; 2]);
        let met = ClassTable::load(lanes, met);
        let mut compared = 0;
        for block in (0..own).step_by(LANES) {
            let a = boxes(lanes, EXACT, &run, block);
            let own_masks = GroupMasks::load(lanes, MASKED, run.masks, block);
            // Lanes after the last of these boxes reach nothing.
            let a = Sides {
                max_x: lanes.nan_behind(own - block, a.max_x),
                ..a
            };
            let reach = lanes.add(a.max_x, lanes.splat(slack));
            let mut from = block;
            let mut at = block + 1;
            let mut is_near = true;
            while is_near {
                let mut places = Hits::places(lanes);
                // Pairs are handed over before they are too far apart to be noted.
                while at <= from + LANES {
                    let near = lanes.le(lanes.every_lane(), lefts(lanes, &run, at), reach);
                    is_near = lanes.any(near);
                    if !is_near {
                        break;
                    }
                    compared += (AT_ONCE * LANES) as u64;
                    for at in at..at + AT_ONCE {
                        let b = boxes(lanes, EXACT, &run, at);
                        let hit = overlapping_ahead::<L, ORDERED>(lanes, &a, &b);
                        let masks = GroupMasks::load(lanes, MASKED, run.masks, at);
                        let hit = lanes.bits(agreeing(lanes, hit, own_masks, masks));
                        places = lanes.add_words(places, lanes.splat_words(1));
                        hits.note(lanes, hit, places);
                    }
                    at += AT_ONCE;
                }
                if CLASSED {
                    last.hand_over_met(lanes, &members, met, last_from, out);
                } else {
                    last.hand_over(lanes, &members, last_from, out);
                }
                swap(&mut hits, &mut last);
                last_from = [block, from];
                from += LANES;
            }
        }
        if CLASSED {
            last.hand_over_met(lanes, &members, met, last_from, out);
        } else {
            last.hand_over(lanes, &members, last_from, out);
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
