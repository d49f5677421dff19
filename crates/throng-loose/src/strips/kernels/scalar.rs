//! The kernels in portable Rust: what the others must equal.

use super::super::buckets::Copies;
use super::super::gather::{Reach, gather_reached};
use super::super::partition::{BEGINS_HERE, Part, Pass, ROW, WORDS};
use super::super::sort::{Columns, SortScratch, sort_bucket};
use super::{MOST_DIAGONALS, Sweep};
use crate::sides::Corners;
use std::ops::Range;
use throng_core::{Arena, BoxRun, LANES, Masks, PairBuffer, overlaps_1d};

pub(super) fn partition(pass: &Pass<'_>, part: &mut Part) {
    pass.run(part);
}

pub(super) fn sort(
    records: &[[u32; WORDS]],
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    sorted: Columns<'_>,
) -> f32 {
    sort_bucket(records, runs, scratch, sorted)
}

pub(super) fn gather<'a>(
    reach: &Reach<'_>,
    window: &Corners,
    arena: &'a Arena,
    found: &mut BoxRun<'a>,
) {
    gather_reached(reach, window, arena, found);
}

pub(super) fn sweep<const MASKED: bool>(sweep: &Sweep<'_>, out: &mut PairBuffer<'_>) -> u64 {
    let Copies { min_x, max_x, .. } = sweep.copies;
    let mut compared = 0;
    for block in (0..sweep.own).step_by(LANES) {
        let lanes = LANES.min(sweep.own - block);
        let mut near = 0_u32;
        let mut at = block + 1;
        for _ in 0..MOST_DIAGONALS {
            near = 0;
            for lane in 0..lanes {
                near |= u32::from(min_x[at + lane] <= max_x[block + lane]) << lane;
            }
            if near == 0 {
                break;
            }
            compared += LANES as u64;
            emit::<MASKED>(sweep, near, |lane| [block + lane, at + lane], out);
            at += 1;
        }
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            let (own, mut from) = (block + lane, at + lane);
            loop {
                compared += LANES as u64;
                let mut reached = 0;
                for ahead in 0..LANES {
                    reached |= u32::from(min_x[from + ahead] <= max_x[own]) << ahead;
                }
                emit::<MASKED>(sweep, reached, |ahead| [own, from + ahead], out);
                if reached != u32::from(u16::MAX) {
                    break;
                }
                from += LANES;
            }
        }
    }
    compared
}

/// Writes, in lane order, the pairs of those lanes of `near` in which the copies make one: they overlap
/// along y, one of them begins in the strip, and their masks agree. Does not look at x.
#[inline(always)]
fn emit<const MASKED: bool>(
    sweep: &Sweep<'_>,
    near: u32,
    pair_of: impl Fn(usize) -> [usize; 2],
    out: &mut PairBuffer<'_>,
) {
    let Copies {
        min_y, max_y, rows, ..
    } = sweep.copies;
    let masks = |k: usize| Masks {
        memberships: sweep.masks[0][k],
        filter: sweep.masks[1][k],
    };
    let group = out.room();
    let mut found = 0;
    let mut left = near;
    while left != 0 {
        let [a, b] = pair_of(left.trailing_zeros() as usize);
        left &= left - 1;
        let hit = overlaps_1d(min_y[a], max_y[a], min_y[b], max_y[b])
            & ((rows[a] | rows[b]) & BEGINS_HERE != 0)
            & (!MASKED || masks(a).meets(masks(b)));
        let [row, other] = [rows[a] & ROW, rows[b] & ROW];
        group[found] = [row.min(other), row.max(other)];
        found += usize::from(hit);
    }
    out.keep(found);
}
