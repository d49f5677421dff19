//! All overlapping pairs of two runs.

use crate::box_run::{BoxRun, RunView};
use crate::lanes::{
    GroupMasks, Kernel, Lanes, Sides, Simd, agreeing, chunk, emit, lanes_below, overlapping,
};
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};

impl Simd {
    /// Finds every overlapping pair of a box of `left` with a box of `right`. Both runs must be finished; neither
    /// need be sorted.
    ///
    /// One run is cut into blocks of sixteen boxes; the other is walked box by box, and each box is tested against the
    /// bounds of sixteen blocks at a time. Which run is cut is chosen by the groups of sixteen that would be compared
    /// if there were no bounds. O(boxes walked · (boxes cut / 256 + 1) + blocks that touch). The order depends only on the
    /// runs. Returns the number of comparisons, including
    /// unused lanes and blocks.
    ///
    /// # Panics
    ///
    /// If a run is not finished, or only one of them has masks.
    pub fn cross(
        self,
        left: &BoxRun<'_>,
        right: &BoxRun<'_>,
        order: PairOrder,
        out: &mut PairBuffer<'_>,
    ) -> u64 {
        assert_eq!(
            left.is_masked(),
            right.is_masked(),
            "masks on one side only"
        );
        let rounds =
            |blocks: &BoxRun<'_>, boxes: &BoxRun<'_>| boxes.len() * blocks.len().div_ceil(LANES);
        let (left, right, order) = if rounds(left, right) <= rounds(right, left) {
            (left, right, order)
        } else {
            (right, left, order.flipped())
        };
        let masked = left.is_masked();
        let (left, right) = (left.view(), right.view());
        match (masked, left.len <= LANES) {
            (false, false) => self.run(Cross::<false> {
                left,
                right,
                order,
                out,
            }),
            (true, false) => self.run(Cross::<true> {
                left,
                right,
                order,
                out,
            }),
            (false, true) => self.run(CrossOneGroup::<false> {
                left,
                right,
                order,
                out,
            }),
            (true, true) => self.run(CrossOneGroup::<true> {
                left,
                right,
                order,
                out,
            }),
        }
    }
}

struct Cross<'a, 'b, const MASKED: bool> {
    left: RunView<'a>,
    right: RunView<'a>,
    order: PairOrder,
    out: &'a mut PairBuffer<'b>,
}

impl<const MASKED: bool> Kernel for Cross<'_, '_, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            left,
            right,
            order,
            out,
        } = self;
        let mut compared = 0;
        let blocks = left.len.div_ceil(LANES);
        let bounded = !left.blocks[0].is_empty();
        for first in (0..blocks).step_by(LANES) {
            let all = lanes_below(blocks - first);
            for at in 0..right.len {
                let other = Sides::splat(lanes, right.corners(at));
                let row = lanes.splat_words(right.rows[at]);
                let other_masks = GroupMasks::splat(lanes, MASKED, right.masks, at);
                let mut touched = all;
                if bounded {
                    compared += LANES as u64;
                    let bounds = Sides::load(lanes, left.blocks, first);
                    let hit = overlapping(lanes, lanes.every_lane(), &bounds, &other);
                    touched = all & lanes.bits(hit);
                }
                while touched != 0 {
                    let group = (first + touched.trailing_zeros() as usize) * LANES;
                    touched &= touched - 1;
                    compared += LANES as u64;
                    let boxes = Sides::load(lanes, left.sides, group);
                    let hit = overlapping(lanes, lanes.every_lane(), &boxes, &other);
                    let masks = GroupMasks::load(lanes, MASKED, left.masks, group);
                    let hit = lanes.bits(agreeing(lanes, hit, masks, other_masks));
                    let rows = lanes.load_words(chunk(left.rows, group));
                    emit(lanes, out, hit, order, rows, row);
                }
            }
        }
        compared
    }
}

/// The same for a left run that fits into registers, as a small leaf does.
struct CrossOneGroup<'a, 'b, const MASKED: bool> {
    left: RunView<'a>,
    right: RunView<'a>,
    order: PairOrder,
    out: &'a mut PairBuffer<'b>,
}

impl<const MASKED: bool> Kernel for CrossOneGroup<'_, '_, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            left,
            right,
            order,
            out,
        } = self;
        if left.len == 0 {
            return 0;
        }
        let boxes = Sides::load(lanes, left.sides, 0);
        let rows = lanes.load_words(chunk(left.rows, 0));
        let masks = GroupMasks::load(lanes, MASKED, left.masks, 0);
        for at in 0..right.len {
            let other = Sides::splat(lanes, right.corners(at));
            let hit = overlapping(lanes, lanes.every_lane(), &boxes, &other);
            let other_masks = GroupMasks::splat(lanes, MASKED, right.masks, at);
            let hit = lanes.bits(agreeing(lanes, hit, masks, other_masks));
            let row = lanes.splat_words(right.rows[at]);
            emit(lanes, out, hit, order, rows, row);
        }
        (right.len * LANES) as u64
    }
}
