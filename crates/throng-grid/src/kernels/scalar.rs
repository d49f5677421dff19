//! The plain twin of the vector kernels: the same lanes, the same order, one comparison at a time.

use super::{HeightTest, Probing, admitted, furthest, masks_of, skip_before};
use crate::layout::Layout;
use crate::leaf::{Bounds, Leaf};
use crate::partition::{Part, Pass};
use crate::probe::{Block, Probe, Reached, Visits};
use crate::query::{Hit, touches};
use crate::run::{Centers, RunView};
use crate::sort::{Bucket, SortScratch, sort_bucket};
use std::ops::Range;
use throng_core::{BoxRun, LANES, PairBuffer, PairOrder, overlaps_1d};

pub(super) fn partition<const WORDS: usize>(pass: &Pass<'_>, part: &mut Part) {
    pass.run::<WORDS>(part);
}

pub(super) fn sort<const WORDS: usize>(
    layout: &Layout,
    bucket: Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    leaves: &mut Vec<Leaf>,
) {
    sort_bucket::<WORDS>(layout, bucket, runs, scratch, leaves);
}

/// Copies the elements that pass to `to`, from `kept` on. Returns where the copies end.
pub(super) fn pick<const COLUMNS: usize>(
    test: HeightTest,
    ys: &[f32],
    from: [&[u32]; COLUMNS],
    kept: usize,
    mut to: [&mut [u32]; COLUMNS],
) -> usize {
    pick_from(0, test, ys, from, kept, &mut to)
}

/// The same for the elements from `first` on: the end of a vector kernel's pick.
pub(super) fn pick_from<const COLUMNS: usize>(
    first: usize,
    test: HeightTest,
    ys: &[f32],
    from: [&[u32]; COLUMNS],
    mut kept: usize,
    to: &mut [&mut [u32]; COLUMNS],
) -> usize {
    for (k, y) in ys.iter().enumerate().skip(first) {
        for (to, from) in to.iter_mut().zip(from) {
            to[kept] = from[k];
        }
        let [low, high] = [y - test.half_height, y + test.half_height];
        kept += usize::from(overlaps_1d(low, high, test.window[0], test.window[1]));
    }
    kept
}

/// Writes the boxes that touch the window side by side, from `kept` on. Returns where they end.
pub(super) fn touching<const EXACT: bool>(
    centers: &Centers<'_>,
    window: &Bounds,
    kept: usize,
    mut sides: [&mut [f32]; 4],
    rows: &mut [u32],
) -> usize {
    touching_from(0, centers, window, kept, &mut sides, rows)
}

/// The same for the centres from `first` on: the end of a vector kernel's pick.
pub(super) fn touching_from(
    first: usize,
    centers: &Centers<'_>,
    window: &Bounds,
    mut kept: usize,
    sides: &mut [&mut [f32]; 4],
    rows: &mut [u32],
) -> usize {
    for hit in (first..centers.len()).map(|k| Hit::of(centers, k)) {
        let Bounds { min, max } = hit.sides();
        for (to, side) in sides.iter_mut().zip([min[0], min[1], max[0], max[1]]) {
            to[kept] = side;
        }
        rows[kept] = hit.row;
        kept += usize::from(touches(window, &hit.sides()));
    }
    kept
}

pub(super) fn sweep<const EXACT: bool, const MASKED: bool>(
    run: RunView<'_>,
    own: usize,
    slack: f32,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let mut compared = 0;
    for block in (0..own).step_by(LANES) {
        let lanes = LANES.min(own - block);
        let boxes: [_; LANES] = std::array::from_fn(|lane| run.corners(block + lane));
        let reach = boxes.map(|[_, max]| max[0] + slack);
        for at in block + 1..run.len {
            if !(0..lanes).any(|lane| run.order(at + lane) <= reach[lane]) {
                break;
            }
            compared += LANES as u64;
            let group = out.room();
            let mut found = 0;
            for lane in 0..lanes {
                let (a, b) = (block + lane, at + lane);
                let near = run.order(b) <= reach[lane];
                let hit = near
                    & overlap(boxes[lane], run.corners(b))
                    & (!MASKED || run.masks(a).meets(run.masks(b)));
                group[found.min(LANES - 1)] =
                    ordered(run.rows[a], run.rows[b], PairOrder::LowerRow);
                found += usize::from(hit);
            }
            out.keep(found);
        }
    }
    compared
}

pub(super) fn join<const MASKED: bool>(
    left: RunView<'_>,
    right: RunView<'_>,
    slack: [f32; 2],
    pair_order: PairOrder,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let mut compared = 0;
    let mut first = 0;
    for block in (0..left.len).step_by(LANES) {
        let lanes = LANES.min(left.len - block);
        let boxes: [_; LANES] = std::array::from_fn(|lane| left.corners(block + lane));
        first = skip_before(&right, first, left.order(block) - slack[0]);
        let furthest = furthest(&left, block..block + lanes) + slack[1];
        for b in first..right.len {
            if right.order(b) > furthest {
                break;
            }
            compared += LANES as u64;
            let other = right.corners(b);
            let group = out.room();
            let mut found = 0;
            for (lane, &own) in boxes[..lanes].iter().enumerate() {
                let a = block + lane;
                let hit = overlap(own, other) & (!MASKED || left.masks(a).meets(right.masks(b)));
                group[found.min(LANES - 1)] = ordered(left.rows[a], right.rows[b], pair_order);
                found += usize::from(hit);
            }
            out.keep(found);
        }
    }
    compared
}

pub(super) fn probe<const EXACT: bool, const MASKED: bool>(
    probe: &Probe<'_>,
    boxes: &BoxRun<'_>,
    with: Probing<'_>,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let mut compared = 0;
    let (whole, last) = (probe.whole_groups(), probe.last_group());
    let (mut block, mut visits) = (Block::default(), Visits::new());
    for at in (0..boxes.len()).step_by(LANES) {
        block.load(boxes, at);
        let visits = visits.list(&reached(probe, &block), block.len);
        compared += (visits.len() * LANES) as u64;
        for visit in visits {
            let (other, row) = (block.corners(visit.lane()), block.rows[visit.lane()]);
            let at = visit.group() * LANES;
            let (own, at) = if at < whole.len {
                (whole, at)
            } else {
                (last, 0)
            };
            let mut hit = (0..LANES).fold(0, |hit, lane| {
                hit | u32::from(overlap(own.corners(at + lane), other)) << lane
            });
            let rows = &own.rows[at..at + LANES];
            if MASKED {
                hit = admitted(hit, rows, with.masks[0], masks_of(with.masks[1], row));
            }
            let room = out.room();
            let mut found = 0;
            for (lane, &own) in rows
                .iter()
                .enumerate()
                .filter(|(lane, _)| hit >> lane & 1 == 1)
            {
                debug_assert!(found <= lane);
                room[found] = ordered(own, row, with.order);
                found += 1;
            }
            out.keep(found);
        }
    }
    compared
}

/// Which groups each box of a block reaches.
fn reached(probe: &Probe<'_>, block: &Block) -> Reached {
    let mut reached = Reached::default();
    let [left, _, right, _] = &block.sides;
    for (lane, (left, right)) in left.iter().zip(right).enumerate() {
        let furthest = right + probe.slack();
        for (begins, ends) in probe.ends() {
            reached.passed[lane] += u32::from(ends < *left);
            reached.begun[lane] += u32::from(begins <= furthest);
        }
    }
    reached
}

#[inline(always)]
fn overlap(a: [[f32; 2]; 2], b: [[f32; 2]; 2]) -> bool {
    overlaps_1d(a[0][0], a[1][0], b[0][0], b[1][0])
        & overlaps_1d(a[0][1], a[1][1], b[0][1], b[1][1])
}

#[inline(always)]
fn ordered(left: u32, right: u32, order: PairOrder) -> [u32; 2] {
    match order {
        PairOrder::LowerRow => [left.min(right), left.max(right)],
        PairOrder::Left => [left, right],
        PairOrder::Right => [right, left],
    }
}
