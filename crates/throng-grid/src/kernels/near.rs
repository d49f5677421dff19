//! All near pairs of a run with itself, and of two runs.

use super::apart::{join_apart, sweep_apart};
use super::boxes::boxes;
use crate::near_buffer::NearBuffer;
use crate::nearness::{Limit, Measure};
use crate::run::{Run, RunView};
use throng_core::lanes::{GroupMasks, Kernel, Lanes, Sides, agreeing, chunk};
use throng_core::{LANES, PairOrder, Simd};

/// What near pairs are searched in, and what near means.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    pub limit: Limit,
    pub measure: Measure,
    /// Half extents of rows that do not have their own, in either run.
    pub boxes: [[f32; 2]; 2],
}

/// Every near pair of one of the first `own` centers with one after it. The run ascends up to `slack`, for boxes so wide
/// that those of near rows overlap. Returns the number of comparisons.
pub(crate) fn sweep_near(
    simd: Simd,
    near: Near,
    run: &Run<'_>,
    (own, slack): (usize, f32),
    out: &mut NearBuffer<'_, '_>,
) -> u64 {
    let masked = run.is_masked();
    let sweep = Sweep {
        near,
        run: run.view(),
        own,
        slack,
        out,
    };
    match (near.measure, masked) {
        (Measure::Centers, false) => simd.run(SweepNear::<false, false>(sweep)),
        (Measure::Centers, true) => simd.run(SweepNear::<false, true>(sweep)),
        (Measure::Boxes, false) => simd.run(SweepNear::<true, false>(sweep)),
        (Measure::Boxes, true) => simd.run(SweepNear::<true, true>(sweep)),
        (Measure::OnlyApart, masked) => sweep_apart(simd, masked, sweep),
    }
}

/// Every near pair of a row of `left` with one of `right`, each of which ascends up to its slack. Returns the number of
/// comparisons.
pub(crate) fn join_near(
    simd: Simd,
    near: Near,
    [left, right]: [&Run<'_>; 2],
    slack: [f32; 2],
    order: PairOrder,
    out: &mut NearBuffer<'_, '_>,
) -> u64 {
    debug_assert_eq!(left.is_masked(), right.is_masked());
    let masked = left.is_masked();
    let join = Join {
        near,
        runs: [left.view(), right.view()],
        slack,
        order,
        out,
    };
    match (near.measure, masked) {
        (Measure::Centers, false) => simd.run(JoinNear::<false, false>(join)),
        (Measure::Centers, true) => simd.run(JoinNear::<false, true>(join)),
        (Measure::Boxes, false) => simd.run(JoinNear::<true, false>(join)),
        (Measure::Boxes, true) => simd.run(JoinNear::<true, true>(join)),
        (Measure::OnlyApart, masked) => join_apart(simd, masked, join),
    }
}

/// A run whose boxes count as wider, with boxes as they are: of these half extents, unless they have their own.
#[inline(always)]
pub(super) fn as_they_are<'a>(run: &RunView<'a>, half_extents: [f32; 2]) -> RunView<'a> {
    RunView {
        bound: half_extents,
        ..*run
    }
}

/// Sixteen boxes of a run from `at` on, to measure from: points if centers are.
#[inline(always)]
pub(super) fn measured<L: Lanes, const BOXES: bool>(
    lanes: L,
    run: &RunView<'_>,
    half: [f32; 2],
    at: usize,
) -> Sides<L> {
    if BOXES {
        let run = as_they_are(run, half);
        return boxes(lanes, run.is_exact(), &run, at);
    }
    let x = lanes.load(chunk(run.xs, at));
    let y = lanes.load(chunk(run.ys, at));
    points(x, y)
}

/// One box of a run in all lanes, to measure from.
#[inline(always)]
pub(super) fn measured_one<L: Lanes, const BOXES: bool>(
    lanes: L,
    run: &RunView<'_>,
    half: [f32; 2],
    at: usize,
) -> Sides<L> {
    if BOXES {
        let run = as_they_are(run, half);
        return Sides::splat(lanes, run.corners(at));
    }
    points(lanes.splat(run.xs[at]), lanes.splat(run.ys[at]))
}

#[inline(always)]
pub(super) fn points<L: Lanes>(x: L::Floats, y: L::Floats) -> Sides<L> {
    Sides {
        min_x: x,
        min_y: y,
        max_x: x,
        max_y: y,
    }
}

/// The lanes of `among` in which the boxes are near each other, and the square of their distance in every lane. NaN is
/// near nothing.
#[inline(always)]
pub(super) fn near_lanes<L: Lanes, const BOXES: bool>(
    lanes: L,
    among: L::Mask,
    [a, b]: [&Sides<L>; 2],
    limit: &Limit,
) -> (L::Mask, L::Floats) {
    let (x, y) = if BOXES {
        (
            gap(lanes, [a.min_x, a.max_x], [b.min_x, b.max_x]),
            gap(lanes, [a.min_y, a.max_y], [b.min_y, b.max_y]),
        )
    } else {
        // Either sign has the same square.
        (lanes.sub(b.min_x, a.min_x), lanes.sub(b.min_y, a.min_y))
    };
    let squares = lanes.add(lanes.mul(x, x), lanes.mul(y, y));
    let mut near = lanes.le(among, squares, lanes.splat(limit.squared));
    if !limit.squares_suffice {
        let ends = [lanes.splat(-limit.distance), lanes.splat(limit.distance)];
        for along in [x, y] {
            near = lanes.le(near, along, ends[1]);
            near = lanes.le(near, ends[0], along);
        }
    }
    (near, squares)
}

/// The gaps along one axis, as [`throng_core::gaps`] has them; NaN where a side is.
#[inline(always)]
fn gap<L: Lanes>(lanes: L, a: [L::Floats; 2], b: [L::Floats; 2]) -> L::Floats {
    lanes.higher(lanes.splat(0.0), between(lanes, a, b))
}

/// The same, negative where they overlap. NaN where the lower end of `a` or the upper end of `b` is.
#[inline(always)]
pub(super) fn between<L: Lanes>(lanes: L, a: [L::Floats; 2], b: [L::Floats; 2]) -> L::Floats {
    lanes.higher(lanes.sub(b[0], a[1]), lanes.sub(a[0], b[1]))
}

/// What the pairs of a run with itself are found in.
pub(super) struct Sweep<'a, 'b, 'v> {
    pub near: Near,
    pub run: RunView<'a>,
    pub own: usize,
    pub slack: f32,
    pub out: &'a mut NearBuffer<'b, 'v>,
}

struct SweepNear<'a, 'b, 'v, const BOXES: bool, const MASKED: bool>(Sweep<'a, 'b, 'v>);

impl<const BOXES: bool, const MASKED: bool> Kernel for SweepNear<'_, '_, '_, BOXES, MASKED> {
    type Output = u64;

    /// As the sweep of a step: sixteen centers with the same columns shifted by one, by two and so on.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Sweep {
            near,
            run,
            own,
            slack,
            out,
        } = self.0;
        let (limit, half) = (near.limit, near.boxes[0]);
        let wide = lanes.splat(run.bound[0]);
        let mut compared = 0;
        for block in (0..own).step_by(LANES) {
            let a = measured::<L, BOXES>(lanes, &run, half, block);
            let rows = lanes.load_words(chunk(run.names, block));
            let own_masks = GroupMasks::load(lanes, MASKED, run.masks, block);
            let right = lanes.add(lanes.load(chunk(run.xs, block)), wide);
            let reach = lanes.add(right, lanes.splat(slack));
            // Lanes after the last of these reach nothing.
            let reach = lanes.nan_behind(own - block, reach);
            for at in block + 1..run.len {
                let left = lanes.sub(lanes.load(chunk(run.xs, at)), wide);
                let reached = lanes.le(lanes.every_lane(), left, reach);
                if !lanes.any(reached) {
                    break;
                }
                compared += LANES as u64;
                let b = measured::<L, BOXES>(lanes, &run, half, at);
                let (hit, squares) = near_lanes::<L, BOXES>(lanes, reached, [&a, &b], &limit);
                let masks = GroupMasks::load(lanes, MASKED, run.masks, at);
                let hit = lanes.bits(agreeing(lanes, hit, own_masks, masks));
                let others = lanes.load_words(chunk(run.names, at));
                out.emit(lanes, hit, PairOrder::LowerRow, [rows, others], squares);
            }
        }
        compared
    }
}

/// What the pairs of two runs are found in.
pub(super) struct Join<'a, 'b, 'v> {
    pub near: Near,
    pub runs: [RunView<'a>; 2],
    pub slack: [f32; 2],
    pub order: PairOrder,
    pub out: &'a mut NearBuffer<'b, 'v>,
}

struct JoinNear<'a, 'b, 'v, const BOXES: bool, const MASKED: bool>(Join<'a, 'b, 'v>);

impl<const BOXES: bool, const MASKED: bool> Kernel for JoinNear<'_, '_, '_, BOXES, MASKED> {
    type Output = u64;

    /// As the join of a step: sixteen of the left run with each of the right one that begins before they all end.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Join {
            near,
            runs: [left, right],
            slack,
            order,
            out,
        } = self.0;
        let limit = near.limit;
        // Cut to this length, so that an index below it needs no bounds check.
        let (xs, rows) = (&right.xs[..right.len], &right.names[..right.len]);
        let wide = lanes.splat(left.bound[0]);
        let mut compared = 0;
        let mut first = 0;
        for block in (0..left.len).step_by(LANES) {
            let a = measured::<L, BOXES>(lanes, &left, near.boxes[0], block);
            let own_rows = lanes.load_words(chunk(left.names, block));
            let own_masks = GroupMasks::load(lanes, MASKED, left.masks, block);
            let begins = left.order(block) - slack[0];
            while first < xs.len() && xs[first] + right.bound[0] < begins {
                first += 1;
            }
            // After the last there are NaNs, which are never the highest and near nothing.
            let ends = lanes.add(lanes.load(chunk(left.xs, block)), wide);
            let furthest = lanes.highest(ends) + slack[1];
            for at in first..xs.len() {
                if xs[at] - right.bound[0] > furthest {
                    break;
                }
                compared += LANES as u64;
                let b = measured_one::<L, BOXES>(lanes, &right, near.boxes[1], at);
                let every = lanes.every_lane();
                let (hit, squares) = near_lanes::<L, BOXES>(lanes, every, [&a, &b], &limit);
                let masks = GroupMasks::splat(lanes, MASKED, right.masks, at);
                let hit = lanes.bits(agreeing(lanes, hit, own_masks, masks));
                let row = lanes.splat_words(rows[at]);
                out.emit(lanes, hit, order, [own_rows, row], squares);
            }
        }
        compared
    }
}
