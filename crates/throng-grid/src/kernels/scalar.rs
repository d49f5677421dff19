//! The plain twin of the vector kernels: the same lanes, the same order, one comparison at a time.

use super::PairOrder;
use crate::layout::Layout;
use crate::leaf::Leaf;
use crate::pair_buffer::PairBuffer;
use crate::partition::{Part, Pass};
use crate::run::{Centers, LANES, Picked, Run, reaches};
use crate::sort::{Bucket, SortScratch, sort_bucket};
use std::ops::Range;
use throng_core::{Masks, overlaps_1d};

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

pub(super) fn fill<const EXACT: bool>(run: &mut Run<'_>, centers: &Centers<'_>) {
    debug_assert!(centers.rows.is_empty() || EXACT == centers.is_exact());
    (0..centers.rows.len()).for_each(|k| run.push(centers, k));
}

pub(super) fn pick<const EXACT: bool>(
    centers: &Centers<'_>,
    window: [f32; 2],
    picked: &mut Picked<'_>,
) {
    picked.len = 0;
    pick_rest::<EXACT>(centers, 0, window, picked);
}

/// Picks from the centres from `first` on: the end of every vector kernel's pick.
pub(super) fn pick_rest<const EXACT: bool>(
    centers: &Centers<'_>,
    first: usize,
    window: [f32; 2],
    picked: &mut Picked<'_>,
) {
    for k in first..centers.rows.len() {
        let at = picked.len;
        picked.xs[at] = centers.xs[k];
        picked.ys[at] = centers.ys[k];
        picked.rows[at] = centers.rows[k];
        if EXACT {
            picked.own[0][at] = centers.own[0][k];
            picked.own[1][at] = centers.own[1][k];
        }
        picked.len += usize::from(reaches(centers.ys[k], centers.bound[1], window));
    }
}

pub(super) fn sweep<const MASKED: bool>(
    run: &Run<'_>,
    own: usize,
    slack: f32,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let order = run.order();
    let mut compared = 0;
    for block in (0..own).step_by(LANES) {
        let lanes = LANES.min(own - block);
        for ahead in 1..run.len - block {
            let near = (0..lanes)
                .any(|lane| order[block + lane + ahead] <= run.max_x[block + lane] + slack);
            if !near {
                break;
            }
            compared += LANES as u64;
            let group = out.room();
            let mut found = 0;
            for lane in 0..lanes {
                let (a, b) = (block + lane, block + lane + ahead);
                let near = order[b] <= run.max_x[a] + slack;
                let hit = near & meets::<MASKED>(run, a, run, b);
                group[found] = ordered(run.rows[a], run.rows[b], PairOrder::LowerRow);
                found += usize::from(hit);
                if found == LANES {
                    break;
                }
            }
            out.keep(found);
        }
    }
    compared
}

pub(super) fn join<const MASKED: bool>(
    left: &Run<'_>,
    right: &Run<'_>,
    slack: [f32; 2],
    pair_order: PairOrder,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let (left_order, right_order) = (left.order(), right.order());
    let mut compared = 0;
    let mut first = 0;
    for block in (0..left.len).step_by(LANES) {
        let lanes = block..left.len.min(block + LANES);
        // Boxes that end left of everything still to come are done with.
        let reach = left_order[block] - slack[0];
        while first < right.len && right.max_x[first] < reach {
            first += 1;
        }
        let furthest = left.max_x[lanes.clone()]
            .iter()
            .fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
        for (b, &begin) in right_order.iter().enumerate().take(right.len).skip(first) {
            if begin > furthest + slack[1] {
                break;
            }
            compared += LANES as u64;
            let group = out.room();
            let mut found = 0;
            for a in lanes.clone() {
                if meets::<MASKED>(left, a, right, b) {
                    group[found] = ordered(left.rows[a], right.rows[b], pair_order);
                    found += 1;
                }
            }
            out.keep(found);
        }
    }
    compared
}

#[inline(always)]
fn meets<const MASKED: bool>(left: &Run<'_>, a: usize, right: &Run<'_>, b: usize) -> bool {
    let overlap = overlaps_1d(left.min_x[a], left.max_x[a], right.min_x[b], right.max_x[b])
        & overlaps_1d(left.min_y[a], left.max_y[a], right.min_y[b], right.max_y[b]);
    let masks = |run: &Run<'_>, k: usize| Masks {
        memberships: run.memberships[k],
        filter: run.filters[k],
    };
    overlap & (!MASKED || masks(left, a).meets(masks(right, b)))
}

#[inline(always)]
fn ordered(left: u32, right: u32, order: PairOrder) -> [u32; 2] {
    match order {
        PairOrder::LowerRow => [left.min(right), left.max(right)],
        PairOrder::Left => [left, right],
        PairOrder::Right => [right, left],
    }
}
