//! The kernels with AVX-512: sixteen boxes to a vector, matches compressed without a branch.

use super::PairOrder;
use crate::layout::Layout;
use crate::leaf::Leaf;
use crate::pair_buffer::PairBuffer;
use crate::partition::{Part, Pass};
use crate::run::{Centers, LANES, Picked, Run, RunView};
use crate::sort::{Bucket, SortScratch, sort_bucket};
use std::arch::x86_64::*;
use std::ops::Range;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
pub(super) fn partition<const WORDS: usize>(pass: &Pass<'_>, part: &mut Part) {
    pass.run::<WORDS>(part);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi2,popcnt")]
pub(super) fn sort<const WORDS: usize>(
    layout: &Layout,
    bucket: Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    leaves: &mut Vec<Leaf>,
) {
    sort_bucket::<WORDS>(layout, bucket, runs, scratch, leaves);
}

/// The four sides of sixteen boxes.
#[derive(Clone, Copy)]
struct Sides {
    min_x: __m512,
    max_x: __m512,
    min_y: __m512,
    max_y: __m512,
}

/// Loads the sides of a group of boxes. A macro, because a function of this size is not inlined, and a
/// call for every group costs more than the comparison.
macro_rules! sides {
    ($run:expr, $at:expr) => {
        Sides {
            min_x: load($run.min_x, $at),
            max_x: load($run.max_x, $at),
            min_y: load($run.min_y, $at),
            max_y: load($run.max_y, $at),
        }
    };
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(values: &[f32], at: usize) -> __m512 {
    let values: &[f32; LANES] = values[at..at + LANES].first_chunk().expect("a whole group");
    // SAFETY: `values` is sixteen floats, all of which are read; the load needs no alignment.
    unsafe { _mm512_loadu_ps(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_words(values: &[u32], at: usize) -> __m512i {
    let values: &[u32; LANES] = values[at..at + LANES].first_chunk().expect("a whole group");
    // SAFETY: `values` is sixteen words, all of which are read; the load needs no alignment.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(values: &mut [f32], at: usize, vector: __m512) {
    let values: &mut [f32; LANES] = values[at..at + LANES]
        .first_chunk_mut()
        .expect("a whole group");
    // SAFETY: `values` is sixteen floats, all of which are written; the store needs no alignment.
    unsafe { _mm512_storeu_ps(values.as_mut_ptr(), vector) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_words(values: &mut [u32], at: usize, vector: __m512i) {
    let values: &mut [u32; LANES] = values[at..at + LANES]
        .first_chunk_mut()
        .expect("a whole group");
    // SAFETY: `values` is sixteen words, all of which are written; the store needs no alignment.
    unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), vector) }
}

/// The lanes of `among` in which the boxes overlap.
#[inline]
#[target_feature(enable = "avx512f")]
fn overlapping(among: __mmask16, a: &Sides, b: &Sides) -> __mmask16 {
    let hit = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(among, a.min_x, b.max_x);
    let hit = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(hit, b.min_x, a.max_x);
    let hit = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(hit, a.min_y, b.max_y);
    _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(hit, b.min_y, a.max_y)
}

/// The lanes of `among` whose masks agree.
#[inline]
#[target_feature(enable = "avx512f")]
fn agreeing(among: __mmask16, a: [__m512i; 2], b: [__m512i; 2]) -> __mmask16 {
    let hit = _mm512_mask_test_epi32_mask(among, a[0], b[1]);
    _mm512_mask_test_epi32_mask(hit, b[0], a[1])
}

/// Writes the pairs of the lanes in `hit`, in lane order, without asking how many there are.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn emit(out: &mut PairBuffer<'_>, hit: __mmask16, first: __m512i, second: __m512i) {
    let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    let first = _mm512_maskz_compress_epi32(hit, first);
    let second = _mm512_maskz_compress_epi32(hit, second);
    let room = out.room().as_flattened_mut();
    store_words(room, 0, _mm512_permutex2var_epi32(first, low, second));
    store_words(room, LANES, _mm512_permutex2var_epi32(first, high, second));
    out.keep(hit.count_ones() as usize);
}

/// The first `lanes` of a group at the end of an array.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_last(values: &[f32], at: usize) -> __m512 {
    let values = &values[at..];
    // SAFETY: the mask admits as many lanes as there are floats, sixteen at most; others are not read.
    unsafe { _mm512_maskz_loadu_ps(lanes_below(values.len()), values.as_ptr()) }
}

/// A group of an array: whole, or what is left of it at its end.
macro_rules! load_group {
    ($values:expr, $at:expr, $lanes:expr) => {
        if $lanes == !0 {
            load($values, $at)
        } else {
            load_last($values, $at)
        }
    };
}

#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(super) fn fill<const EXACT: bool>(run: &mut Run<'_>, centers: &Centers<'_>) {
    let count = centers.rows.len();
    let bound = [
        _mm512_set1_ps(centers.bound[0]),
        _mm512_set1_ps(centers.bound[1]),
    ];
    let rows: &[f32] = bytemuck::cast_slice(centers.rows);
    let out = run.room(count);
    for at in (0..count).step_by(LANES) {
        let lanes = lanes_below(count - at);
        let x = load_group!(centers.xs, at, lanes);
        let y = load_group!(centers.ys, at, lanes);
        let mut half = bound;
        if EXACT {
            half = [
                load_group!(centers.own[0], at, lanes),
                load_group!(centers.own[1], at, lanes),
            ];
            store(out.order, at, _mm512_sub_ps(x, bound[0]));
        }
        store(out.min_x, at, _mm512_sub_ps(x, half[0]));
        store(out.max_x, at, _mm512_add_ps(x, half[0]));
        store(out.min_y, at, _mm512_sub_ps(y, half[1]));
        store(out.max_y, at, _mm512_add_ps(y, half[1]));
        store_words(
            out.rows,
            at,
            _mm512_castps_si512(load_group!(rows, at, lanes)),
        );
    }
    run.len += count;
}

#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(super) fn pick<const EXACT: bool>(
    centers: &Centers<'_>,
    window: [f32; 2],
    picked: &mut Picked<'_>,
) {
    let count = centers.rows.len();
    let half_height = _mm512_set1_ps(centers.bound[1]);
    let window = [_mm512_set1_ps(window[0]), _mm512_set1_ps(window[1])];
    let rows: &[f32] = bytemuck::cast_slice(centers.rows);
    let mut kept = 0;
    for at in (0..count).step_by(LANES) {
        let lanes = lanes_below(count - at);
        let y = load_group!(centers.ys, at, lanes);
        let (low, high) = (_mm512_sub_ps(y, half_height), _mm512_add_ps(y, half_height));
        let keep = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(lanes, low, window[1]);
        let keep = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(keep, window[0], high);
        let x = load_group!(centers.xs, at, lanes);
        let row = load_group!(rows, at, lanes);
        store(picked.xs, kept, _mm512_maskz_compress_ps(keep, x));
        store(picked.ys, kept, _mm512_maskz_compress_ps(keep, y));
        store_words(
            picked.rows,
            kept,
            _mm512_castps_si512(_mm512_maskz_compress_ps(keep, row)),
        );
        if EXACT {
            let own = [
                load_group!(centers.own[0], at, lanes),
                load_group!(centers.own[1], at, lanes),
            ];
            store(picked.own[0], kept, _mm512_maskz_compress_ps(keep, own[0]));
            store(picked.own[1], kept, _mm512_maskz_compress_ps(keep, own[1]));
        }
        kept += keep.count_ones() as usize;
    }
    picked.len = kept;
}

#[target_feature(enable = "avx512f,popcnt")]
pub(super) fn sweep<const MASKED: bool>(
    run: &Run<'_>,
    own: usize,
    slack: f32,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let (run_len, run) = (run.len, &run.view());
    let mut compared = 0;
    for block in (0..own).step_by(LANES) {
        let lanes = lanes_below(own - block);
        let a = sides!(run, block);
        let rows = load_words(run.rows, block);
        let masks = if MASKED { masks(run, block) } else { [rows; 2] };
        let reach = _mm512_add_ps(a.max_x, _mm512_set1_ps(slack));
        for at in block + 1..run_len {
            let near = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(lanes, load(run.order, at), reach);
            if near == 0 {
                break;
            }
            compared += LANES as u64;
            let mut hit = overlapping(near, &a, &sides!(run, at));
            if MASKED {
                hit = agreeing(hit, masks, self::masks(run, at));
            }
            let others = load_words(run.rows, at);
            emit(
                out,
                hit,
                _mm512_min_epu32(rows, others),
                _mm512_max_epu32(rows, others),
            );
        }
    }
    compared
}

#[target_feature(enable = "avx512f,popcnt")]
pub(super) fn join<const MASKED: bool>(
    left: &Run<'_>,
    right: &Run<'_>,
    slack: [f32; 2],
    pair_order: PairOrder,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let (left_len, left) = (left.len, &left.view());
    let (right_len, right) = (right.len, &right.view());
    let mut compared = 0;
    let mut first = 0;
    for block in (0..left_len).step_by(LANES) {
        let lanes = lanes_below(left_len - block);
        let a = sides!(left, block);
        let rows = load_words(left.rows, block);
        let masks = if MASKED {
            masks(left, block)
        } else {
            [rows; 2]
        };
        let reach = left.order[block] - slack[0];
        while first < right_len && right.max_x[first] < reach {
            first += 1;
        }
        let furthest = _mm512_mask_reduce_max_ps(lanes, a.max_x) + slack[1];
        for at in first..right_len {
            if right.order[at] > furthest {
                break;
            }
            compared += LANES as u64;
            let b = Sides {
                min_x: _mm512_set1_ps(right.min_x[at]),
                max_x: _mm512_set1_ps(right.max_x[at]),
                min_y: _mm512_set1_ps(right.min_y[at]),
                max_y: _mm512_set1_ps(right.max_y[at]),
            };
            let mut hit = overlapping(lanes, &a, &b);
            if MASKED {
                let [memberships, filters] = [right.memberships[at], right.filters[at]];
                let other = [
                    _mm512_set1_epi32(memberships as i32),
                    _mm512_set1_epi32(filters as i32),
                ];
                hit = agreeing(hit, masks, other);
            }
            let other = _mm512_set1_epi32(right.rows[at] as i32);
            let (first, second) = match pair_order {
                PairOrder::LowerRow => {
                    (_mm512_min_epu32(rows, other), _mm512_max_epu32(rows, other))
                }
                PairOrder::Left => (rows, other),
                PairOrder::Right => (other, rows),
            };
            emit(out, hit, first, second);
        }
    }
    compared
}

#[inline]
#[target_feature(enable = "avx512f")]
fn masks(run: &RunView<'_>, at: usize) -> [__m512i; 2] {
    [load_words(run.memberships, at), load_words(run.filters, at)]
}

#[inline]
fn lanes_below(count: usize) -> __mmask16 {
    if count >= LANES { !0 } else { (1 << count) - 1 }
}
