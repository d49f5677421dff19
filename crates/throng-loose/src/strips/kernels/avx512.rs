//! The kernels with AVX-512: sixteen boxes to a vector, matches compressed without a branch.

use super::super::buckets::Copies;
use super::super::gather::{Reach, gather_reached};
use super::super::partition::{BEGINS_HERE, Part, Pass, ROW, WORDS};
use super::super::sort::{Columns, SortScratch, sort_bucket};
use super::{MOST_DIAGONALS, Sweep};
use crate::sides::Corners;
use std::arch::x86_64::*;
use std::ops::Range;
use throng_core::lanes::avx512::{emit, load, load_words, ordered};
use throng_core::lanes::lanes_below;
use throng_core::{Arena, BoxRun, LANES, PairBuffer, PairOrder};

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
pub(super) fn partition(pass: &Pass<'_>, part: &mut Part) {
    pass.run(part);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
pub(super) fn sort(
    records: &[[u32; WORDS]],
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    sorted: Columns<'_>,
) -> f32 {
    sort_bucket(records, runs, scratch, sorted)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
pub(super) fn gather<'a>(
    reach: &Reach<'_>,
    window: &Corners,
    arena: &'a Arena,
    found: &mut BoxRun<'a>,
) {
    gather_reached(reach, window, arena, found);
}

/// Sixteen copies, without their left sides.
#[derive(Clone, Copy)]
struct Group {
    max_x: __m512,
    min_y: __m512,
    max_y: __m512,
    rows: __m512i,
    masks: [__m512i; 2],
}

/// A group of copies, or one copy in all lanes. Macros, because functions of this size are not inlined,
/// and a call for every group costs more than the comparison.
macro_rules! group {
    ($masked:expr, $sweep:expr, $at:expr) => {{
        let rows = load_words($sweep.copies.rows, $at);
        Group {
            max_x: load($sweep.copies.max_x, $at),
            min_y: load($sweep.copies.min_y, $at),
            max_y: load($sweep.copies.max_y, $at),
            rows,
            masks: if $masked {
                [
                    load_words($sweep.masks[0], $at),
                    load_words($sweep.masks[1], $at),
                ]
            } else {
                [rows; 2]
            },
        }
    }};
}
macro_rules! spread {
    ($masked:expr, $sweep:expr, $at:expr) => {{
        let Copies {
            max_x,
            min_y,
            max_y,
            rows,
            ..
        } = $sweep.copies;
        let rows = _mm512_set1_epi32(rows[$at] as i32);
        Group {
            max_x: _mm512_set1_ps(max_x[$at]),
            min_y: _mm512_set1_ps(min_y[$at]),
            max_y: _mm512_set1_ps(max_y[$at]),
            rows,
            masks: if $masked {
                let [memberships, filters] = $sweep.masks;
                [
                    _mm512_set1_epi32(memberships[$at] as i32),
                    _mm512_set1_epi32(filters[$at] as i32),
                ]
            } else {
                [rows; 2]
            },
        }
    }};
}

/// Writes the pairs of those lanes of `near` in which the copies make one. Does not look at x.
macro_rules! emit_pairs {
    ($masked:expr, $out:expr, $near:expr, $a:expr, $b:expr) => {{
        let (a, b) = (&$a, &$b);
        let hit = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>($near, a.min_y, b.max_y);
        let hit = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(hit, b.min_y, a.max_y);
        let either = _mm512_or_si512(a.rows, b.rows);
        let begins = _mm512_set1_epi32(BEGINS_HERE as i32);
        let mut hit = _mm512_mask_test_epi32_mask(hit, either, begins);
        if $masked {
            hit = _mm512_mask_test_epi32_mask(hit, a.masks[0], b.masks[1]);
            hit = _mm512_mask_test_epi32_mask(hit, b.masks[0], a.masks[1]);
        }
        let row = _mm512_set1_epi32(ROW as i32);
        let (a, b) = (_mm512_and_si512(a.rows, row), _mm512_and_si512(b.rows, row));
        let (first, second) = ordered(PairOrder::LowerRow, a, b);
        emit($out, hit, first, second);
    }};
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,popcnt")]
pub(super) fn sweep<const MASKED: bool>(sweep: &Sweep<'_>, out: &mut PairBuffer<'_>) -> u64 {
    let min_x = sweep.copies.min_x;
    let mut compared = 0;
    for block in (0..sweep.own).step_by(LANES) {
        let lanes = lanes_below(sweep.own - block);
        let a = group!(MASKED, sweep, block);
        let mut near = lanes;
        let mut at = block + 1;
        for _ in 0..MOST_DIAGONALS {
            near = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(lanes, load(min_x, at), a.max_x);
            if near == 0 {
                break;
            }
            compared += LANES as u64;
            let b = group!(MASKED, sweep, at);
            emit_pairs!(MASKED, out, near, a, b);
            at += 1;
        }
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            let a = spread!(MASKED, sweep, block + lane);
            let mut from = at + lane;
            loop {
                compared += LANES as u64;
                let reached = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(load(min_x, from), a.max_x);
                let b = group!(MASKED, sweep, from);
                emit_pairs!(MASKED, out, reached, a, b);
                if reached != !0 {
                    break;
                }
                from += LANES;
            }
        }
    }
    compared
}
