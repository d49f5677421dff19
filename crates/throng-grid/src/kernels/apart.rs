//! All pairs of a run with itself, and of two runs, whose boxes do not overlap but are no farther apart than a distance along either
//! axis.
//!
//! Mostly few are, of many that are compared. So there is a branch only for several groups together, as in [`sweep`](super::sweep).

use super::boxes::{boxes, lefts};
use super::near::{Join, Sweep, as_they_are, between};
use super::sweep::AT_ONCE;
use throng_core::lanes::{GroupMasks, Kernel, Lanes, Sides, agreeing, chunk};
use throng_core::{LANES, PairOrder, Simd};

/// Every such pair of one of the first boxes of a run with one after it: see [`sweep_near`](super::sweep_near).
pub(super) fn sweep_apart(simd: Simd, masked: bool, sweep: Sweep<'_, '_, '_>) -> u64 {
    match (sweep.run.is_exact(), masked) {
        (false, false) => simd.run(SweepApart::<false, false>(sweep)),
        (false, true) => simd.run(SweepApart::<false, true>(sweep)),
        (true, false) => simd.run(SweepApart::<true, false>(sweep)),
        (true, true) => simd.run(SweepApart::<true, true>(sweep)),
    }
}

/// Every such pair of a box of one run with one of the other: see [`join_near`](super::join_near).
pub(super) fn join_apart(simd: Simd, masked: bool, join: Join<'_, '_, '_>) -> u64 {
    if masked {
        simd.run(JoinApart::<true>(join))
    } else {
        simd.run(JoinApart::<false>(join))
    }
}

/// The lanes in which the boxes do not overlap, and are no farther apart than a distance along either axis. None where a lower side of `a`
/// or an upper side of `b` is NaN, and so none where a center is.
#[inline(always)]
fn apart<L: Lanes>(lanes: L, [a, b]: [&Sides<L>; 2], distance: L::Floats) -> L::Mask {
    // Above 0 exactly where they do not overlap along the axis: floats that differ never have a difference of 0.
    let x = between(lanes, [a.min_x, a.max_x], [b.min_x, b.max_x]);
    let y = between(lanes, [a.min_y, a.max_y], [b.min_y, b.max_y]);
    let near = lanes.le(lanes.every_lane(), x, distance);
    let near = lanes.le(near, y, distance);
    let least = lanes.splat(f32::from_bits(1));
    lanes.le(near, least, lanes.higher(x, y))
}

struct SweepApart<'a, 'b, 'v, const EXACT: bool, const MASKED: bool>(Sweep<'a, 'b, 'v>);

impl<const EXACT: bool, const MASKED: bool> Kernel for SweepApart<'_, '_, '_, EXACT, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Sweep {
            near,
            run,
            own,
            slack,
            out,
        } = self.0;
        let distance = lanes.splat(near.limit.distance);
        let wide = lanes.splat(run.bound[0]);
        let mut compared = 0;
        for block in (0..own).step_by(LANES) {
            let a = boxes(lanes, EXACT, &as_they_are(&run, near.boxes[0]), block);
            // Lanes after the last of these boxes are near nothing, and reach nothing.
            let a = Sides {
                min_x: lanes.nan_behind(own - block, a.min_x),
                ..a
            };
            let rows = lanes.load_words(chunk(run.names, block));
            let own_masks = GroupMasks::load(lanes, MASKED, run.masks, block);
            let right = lanes.add(lanes.load(chunk(run.xs, block)), wide);
            let reach = lanes.add(right, lanes.splat(slack));
            let reach = lanes.nan_behind(own - block, reach);
            let mut at = block + 1;
            let is_near = lanes.le(lanes.every_lane(), lefts(lanes, &run, at), reach);
            let mut is_near = lanes.any(is_near);
            while is_near {
                let ahead = run.cut::<{ AT_ONCE + LANES }>(at, (EXACT, MASKED));
                let next = lanes.le(lanes.every_lane(), lefts(lanes, &ahead, AT_ONCE), reach);
                is_near = lanes.any(next);
                let ahead = as_they_are(&ahead, near.boxes[0]);
                compared += (AT_ONCE * LANES) as u64;
                let mut hits = [0; AT_ONCE];
                let mut some = 0;
                for (k, hits) in hits.iter_mut().enumerate() {
                    let b = boxes(lanes, EXACT, &ahead, k);
                    let masks = GroupMasks::load(lanes, MASKED, ahead.masks, k);
                    let hit = apart(lanes, [&a, &b], distance);
                    *hits = lanes.bits(agreeing(lanes, hit, own_masks, masks));
                    some |= *hits;
                }
                if some != 0 {
                    for (k, hits) in hits.into_iter().enumerate().filter(|(_, hits)| *hits != 0) {
                        let others = lanes.load_words(chunk(run.names, at + k));
                        let no_squares = lanes.splat(0.0);
                        out.emit(lanes, hits, PairOrder::LowerRow, [rows, others], no_squares);
                    }
                }
                at += AT_ONCE;
            }
        }
        compared
    }
}

struct JoinApart<'a, 'b, 'v, const MASKED: bool>(Join<'a, 'b, 'v>);

impl<const MASKED: bool> Kernel for JoinApart<'_, '_, '_, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Join {
            near,
            runs: [left, right],
            slack,
            order,
            out,
        } = self.0;
        let distance = lanes.splat(near.limit.distance);
        let [own, others] = [
            as_they_are(&left, near.boxes[0]),
            as_they_are(&right, near.boxes[1]),
        ];
        let wide = lanes.splat(left.bound[0]);
        let mut compared = 0;
        let mut first = 0;
        for block in (0..left.len).step_by(LANES) {
            let a = boxes(lanes, own.is_exact(), &own, block);
            let own_rows = lanes.load_words(chunk(left.names, block));
            let own_masks = GroupMasks::load(lanes, MASKED, left.masks, block);
            let begins = left.order(block) - slack[0];
            while first < right.len && right.xs[first] + right.bound[0] < begins {
                first += 1;
            }
            // After the last there are NaNs, which are never the highest and near nothing.
            let ends = lanes.add(lanes.load(chunk(left.xs, block)), wide);
            let furthest = lanes.highest(ends) + slack[1];
            let mut at = first;
            // Behind the last of the right run there are NaNs, too, and more than are compared at once.
            while right.xs[at] - right.bound[0] <= furthest {
                compared += (AT_ONCE * LANES) as u64;
                let mut hits = [0; AT_ONCE];
                let mut some = 0;
                for (k, hits) in hits.iter_mut().enumerate() {
                    let b = Sides::splat(lanes, others.corners(at + k));
                    let masks = GroupMasks::splat(lanes, MASKED, right.masks, at + k);
                    let hit = apart(lanes, [&a, &b], distance);
                    *hits = lanes.bits(agreeing(lanes, hit, own_masks, masks));
                    some |= *hits;
                }
                if some != 0 {
                    for (k, hits) in hits.into_iter().enumerate().filter(|(_, hits)| *hits != 0) {
                        let row = lanes.splat_words(right.names[at + k]);
                        let no_squares = lanes.splat(0.0);
                        out.emit(lanes, hits, order, [own_rows, row], no_squares);
                    }
                }
                at += AT_ONCE;
            }
        }
        compared
    }
}
