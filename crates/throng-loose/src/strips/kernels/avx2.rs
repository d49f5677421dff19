//! The kernels with AVX2: each group of sixteen lanes is two vectors of eight, done in lane order.

use super::super::buckets::Copies;
use super::super::gather::{Reach, gather_reached};
use super::super::partition::{BEGINS_HERE, Part, Pass, ROW, WORDS};
use super::super::sort::{Columns, SortScratch, sort_bucket};
use super::{MOST_DIAGONALS, Sweep};
use crate::sides::Corners;
use std::arch::x86_64::*;
use std::ops::Range;
use throng_core::lanes::avx2::{HALF, emit, load, load_words, ordered};
use throng_core::{Arena, BoxRun, LANES, PairBuffer, PairOrder};

const _: () = assert!(BEGINS_HERE == 1 << 31, "a sign bit is what movemask sees");

#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn partition(pass: &Pass<'_>, part: &mut Part) {
    pass.run(part);
}

#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn sort(
    records: &[[u32; WORDS]],
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    sorted: Columns<'_>,
) -> f32 {
    sort_bucket(records, runs, scratch, sorted)
}

#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn gather<'a>(
    reach: &Reach<'_>,
    window: &Corners,
    arena: &'a Arena,
    found: &mut BoxRun<'a>,
) {
    gather_reached(reach, window, arena, found);
}

/// Eight copies, without their left sides.
#[derive(Clone, Copy)]
struct Group {
    max_x: __m256,
    min_y: __m256,
    max_y: __m256,
    rows: __m256i,
    masks: [__m256i; 2],
}

/// Half a group of copies, or one copy in all lanes. Macros, because functions of this size are not
/// inlined, and a call for every group costs more than the comparison.
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
        let rows = _mm256_set1_epi32(rows[$at] as i32);
        Group {
            max_x: _mm256_set1_ps(max_x[$at]),
            min_y: _mm256_set1_ps(min_y[$at]),
            max_y: _mm256_set1_ps(max_y[$at]),
            rows,
            masks: if $masked {
                let [memberships, filters] = $sweep.masks;
                [
                    _mm256_set1_epi32(memberships[$at] as i32),
                    _mm256_set1_epi32(filters[$at] as i32),
                ]
            } else {
                [rows; 2]
            },
        }
    }};
}

/// The lanes, as a bit set, whose left sides are within reach.
#[inline]
#[target_feature(enable = "avx2")]
fn reached(min_x: &[f32], at: usize, reach: __m256) -> u32 {
    _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(load(min_x, at), reach)) as u32
}

/// Writes the pairs of those lanes of `near` in which the copies make one. Does not look at x.
macro_rules! emit_pairs {
    ($masked:expr, $out:expr, $near:expr, $a:expr, $b:expr) => {{
        let (a, b) = (&$a, &$b);
        let along_y = _mm256_and_ps(
            _mm256_cmp_ps::<_CMP_LE_OQ>(a.min_y, b.max_y),
            _mm256_cmp_ps::<_CMP_LE_OQ>(b.min_y, a.max_y),
        );
        let begins = _mm256_castsi256_ps(_mm256_or_si256(a.rows, b.rows));
        let mut hit = $near & _mm256_movemask_ps(_mm256_and_ps(along_y, begins)) as u32;
        if $masked {
            hit &= agreeing(a.masks, b.masks);
        }
        let row = _mm256_set1_epi32(ROW as i32);
        let (a, b) = (_mm256_and_si256(a.rows, row), _mm256_and_si256(b.rows, row));
        let (first, second) = ordered(PairOrder::LowerRow, a, b);
        emit($out, hit, first, second);
    }};
}

/// The lanes whose masks agree, as a bit set.
#[inline]
#[target_feature(enable = "avx2")]
fn agreeing(a: [__m256i; 2], b: [__m256i; 2]) -> u32 {
    let zero = _mm256_setzero_si256();
    let refused = _mm256_or_si256(
        _mm256_cmpeq_epi32(_mm256_and_si256(a[0], b[1]), zero),
        _mm256_cmpeq_epi32(_mm256_and_si256(b[0], a[1]), zero),
    );
    !_mm256_movemask_ps(_mm256_castsi256_ps(refused)) as u32
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn sweep<const MASKED: bool>(sweep: &Sweep<'_>, out: &mut PairBuffer<'_>) -> u64 {
    let min_x = sweep.copies.min_x;
    let mut compared = 0;
    for block in (0..sweep.own).step_by(LANES) {
        let lanes = lanes_below(sweep.own - block);
        let a = [
            group!(MASKED, sweep, block),
            group!(MASKED, sweep, block + HALF),
        ];
        let mut near = lanes;
        let mut at = block + 1;
        for _ in 0..MOST_DIAGONALS {
            near = [
                lanes[0] & reached(min_x, at, a[0].max_x),
                lanes[1] & reached(min_x, at + HALF, a[1].max_x),
            ];
            if near[0] | near[1] == 0 {
                break;
            }
            compared += LANES as u64;
            for half in 0..2 {
                let b = group!(MASKED, sweep, at + half * HALF);
                emit_pairs!(MASKED, out, near[half], a[half], b);
            }
            at += 1;
        }
        let mut near = near[0] | near[1] << HALF;
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            let a = spread!(MASKED, sweep, block + lane);
            let mut from = at + lane;
            loop {
                compared += LANES as u64;
                let mut last = 0;
                for half in [from, from + HALF] {
                    last = reached(min_x, half, a.max_x);
                    let b = group!(MASKED, sweep, half);
                    emit_pairs!(MASKED, out, last, a, b);
                }
                if last != 0xff {
                    break;
                }
                from += LANES;
            }
        }
    }
    compared
}

/// The first `count` lanes of a group, as two bit sets of eight.
#[inline]
fn lanes_below(count: usize) -> [u32; 2] {
    let lanes = if count >= LANES {
        0xffff
    } else {
        (1 << count) - 1
    };
    [lanes & 255, lanes >> 8]
}
