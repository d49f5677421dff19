//! All overlapping pairs of a run with itself.

use super::boxes::{boxes, lefts};
use crate::run::{Run, RunView};
use throng_core::lanes::{GroupMasks, Kernel, Lanes, agreeing, chunk, emit, overlapping};
use throng_core::{LANES, PairBuffer, PairOrder, Simd};

/// Every overlapping pair of one of the first `own` boxes with a box after it. Returns the number of comparisons.
pub(crate) fn sweep(
    simd: Simd,
    run: &Run<'_>,
    own: usize,
    slack: f32,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let (exact, masked, run) = (run.is_exact(), run.is_masked(), run.view());
    let sweep = (run, own, slack, out);
    match (exact, masked) {
        (false, false) => simd.run(Sweep::<false, false>::of(sweep)),
        (false, true) => simd.run(Sweep::<false, true>::of(sweep)),
        (true, false) => simd.run(Sweep::<true, false>::of(sweep)),
        (true, true) => simd.run(Sweep::<true, true>::of(sweep)),
    }
}

struct Sweep<'a, 'b, const EXACT: bool, const MASKED: bool> {
    run: RunView<'a>,
    own: usize,
    slack: f32,
    out: &'a mut PairBuffer<'b>,
}

impl<'a, 'b, const EXACT: bool, const MASKED: bool> Sweep<'a, 'b, EXACT, MASKED> {
    fn of((run, own, slack, out): (RunView<'a>, usize, f32, &'a mut PairBuffer<'b>)) -> Self {
        Self {
            run,
            own,
            slack,
            out,
        }
    }
}

impl<const EXACT: bool, const MASKED: bool> Kernel for Sweep<'_, '_, EXACT, MASKED> {
    type Output = u64;

    /// Compares sixteen boxes with the same columns shifted by one, by two and so on, until all of them are too far
    /// apart.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            run,
            own,
            slack,
            out,
        } = self;
        let mut compared = 0;
        for block in (0..own).step_by(LANES) {
            let a = boxes(lanes, EXACT, &run, block);
            let rows = lanes.load_words(chunk(run.names, block));
            let own_masks = GroupMasks::load(lanes, MASKED, run.masks, block);
            let reach = lanes.add(a.max_x, lanes.splat(slack));
            // Lanes after the last of these boxes reach nothing.
            let reach = lanes.nan_behind(own - block, reach);
            for at in block + 1..run.len {
                let near = lanes.le(lanes.every_lane(), lefts(lanes, &run, at), reach);
                if !lanes.any(near) {
                    break;
                }
                compared += LANES as u64;
                let b = boxes(lanes, EXACT, &run, at);
                let hit = overlapping(lanes, near, &a, &b);
                let masks = GroupMasks::load(lanes, MASKED, run.masks, at);
                let hit = lanes.bits(agreeing(lanes, hit, own_masks, masks));
                let others = lanes.load_words(chunk(run.names, at));
                emit(lanes, out, hit, PairOrder::LowerRow, rows, others);
            }
        }
        compared
    }
}
