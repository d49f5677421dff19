//! All overlapping pairs of a run with itself.

use crate::box_run::{BoxRun, RunView};
use crate::lanes::{GroupMasks, Kernel, Lanes, Sides, Simd, agreeing, chunk, emit, overlapping};
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};

impl Simd {
    /// Finds every overlapping pair within a finished run, the lower row first, by testing each box against those after
    /// it. O(len² / 16). Returns the number of comparisons, including unused lanes.
    ///
    /// If the run has masks, those of both boxes must match.
    ///
    /// # Panics
    ///
    /// If the run is not finished.
    pub fn within(self, run: &BoxRun<'_>, out: &mut PairBuffer<'_>) -> u64 {
        let (masked, run) = (run.is_masked(), run.view());
        if masked {
            self.run(Within::<true> { run, out })
        } else {
            self.run(Within::<false> { run, out })
        }
    }
}

struct Within<'a, 'b, const MASKED: bool> {
    run: RunView<'a>,
    out: &'a mut PairBuffer<'b>,
}

impl<const MASKED: bool> Kernel for Within<'_, '_, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self { run, out } = self;
        let mut compared = 0;
        for at in 0..run.len {
            let own = Sides::splat(lanes, run.corners(at));
            let row = lanes.splat_words(run.rows[at]);
            let own_masks = GroupMasks::splat(lanes, MASKED, run.masks, at);
            for group in (at + 1..run.len).step_by(LANES) {
                compared += LANES as u64;
                let others = Sides::load(lanes, run.sides, group);
                let hit = overlapping(lanes, lanes.every_lane(), &others, &own);
                let masks = GroupMasks::load(lanes, MASKED, run.masks, group);
                let hit = lanes.bits(agreeing(lanes, hit, masks, own_masks));
                let rows = lanes.load_words(chunk(run.rows, group));
                emit(lanes, out, hit, PairOrder::LowerRow, rows, row);
            }
        }
        compared
    }
}
