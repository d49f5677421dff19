//! The kernels with AVX-512: sixteen boxes to a vector, matches compressed without a branch.

use super::lanes_below;
use crate::box_run::RunView;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};
use std::arch::x86_64::*;

/// The four sides of sixteen boxes.
#[derive(Clone, Copy)]
struct Sides {
    min_x: __m512,
    min_y: __m512,
    max_x: __m512,
    max_y: __m512,
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

/// The first `lanes` of a group at the end of an array.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_last(values: &[f32], at: usize) -> __m512 {
    let values = &values[at..];
    // SAFETY: the mask admits as many lanes as there are floats, sixteen at most; others are not read.
    unsafe { _mm512_maskz_loadu_ps(lanes_below(values.len()), values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_last_words(values: &[u32], at: usize) -> __m512i {
    let values = &values[at..];
    // SAFETY: the mask admits as many lanes as there are words, sixteen at most; others are not read.
    unsafe { _mm512_maskz_loadu_epi32(lanes_below(values.len()), values.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sides(from: [&[f32]; 4], at: usize) -> Sides {
    Sides {
        min_x: load(from[0], at),
        min_y: load(from[1], at),
        max_x: load(from[2], at),
        max_y: load(from[3], at),
    }
}

/// One box in all lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn splat(from: [&[f32]; 4], at: usize) -> Sides {
    Sides {
        min_x: _mm512_set1_ps(from[0][at]),
        min_y: _mm512_set1_ps(from[1][at]),
        max_x: _mm512_set1_ps(from[2][at]),
        max_y: _mm512_set1_ps(from[3][at]),
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn masks(run: &RunView<'_>, at: usize) -> [__m512i; 2] {
    [load_words(run.masks[0], at), load_words(run.masks[1], at)]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat_masks(run: &RunView<'_>, at: usize) -> [__m512i; 2] {
    [
        _mm512_set1_epi32(run.masks[0][at] as i32),
        _mm512_set1_epi32(run.masks[1][at] as i32),
    ]
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
    let count = hit.count_ones() as usize;
    let room = out.room().as_flattened_mut();
    store_words(room, 0, _mm512_permutex2var_epi32(first, low, second));
    store_words(room, LANES, _mm512_permutex2var_epi32(first, high, second));
    out.keep(count);
}

/// Writes pairs in the order asked for. A macro, because a function of this size is not inlined.
macro_rules! emit_ordered {
    ($out:expr, $hit:expr, $left:expr, $right:expr, $order:expr) => {{
        let (first, second) = match $order {
            PairOrder::LowerRow => (
                _mm512_min_epu32($left, $right),
                _mm512_max_epu32($left, $right),
            ),
            PairOrder::Left => ($left, $right),
            PairOrder::Right => ($right, $left),
        };
        emit($out, $hit, first, second);
    }};
}

#[target_feature(enable = "avx512f,popcnt")]
pub(super) fn within<const MASKED: bool>(run: RunView<'_>, out: &mut PairBuffer<'_>) -> u64 {
    let mut compared = 0;
    for at in 0..run.len {
        let a = splat(run.sides, at);
        let row = _mm512_set1_epi32(run.rows[at] as i32);
        let own_masks = if MASKED {
            splat_masks(&run, at)
        } else {
            [row; 2]
        };
        for group in (at + 1..run.len).step_by(LANES) {
            compared += LANES as u64;
            let mut hit = overlapping(!0, &sides(run.sides, group), &a);
            if MASKED {
                hit = agreeing(hit, masks(&run, group), own_masks);
            }
            let rows = load_words(run.rows, group);
            emit_ordered!(out, hit, rows, row, PairOrder::LowerRow);
        }
    }
    compared
}

#[target_feature(enable = "avx512f,popcnt")]
pub(super) fn cross<const MASKED: bool>(
    left: RunView<'_>,
    right: RunView<'_>,
    order: PairOrder,
    out: &mut PairBuffer<'_>,
) -> u64 {
    if left.len <= LANES {
        return cross_one_group::<MASKED>(left, right, order, out);
    }
    let mut compared = 0;
    let blocks = left.len.div_ceil(LANES);
    let bounded = !left.blocks[0].is_empty();
    for first in (0..blocks).step_by(LANES) {
        let all = lanes_below(blocks - first);
        for at in 0..right.len {
            let b = splat(right.sides, at);
            let row = _mm512_set1_epi32(right.rows[at] as i32);
            let other_masks = if MASKED {
                splat_masks(&right, at)
            } else {
                [row; 2]
            };
            let mut touched = all;
            if bounded {
                compared += LANES as u64;
                touched = overlapping(all, &sides(left.blocks, first), &b);
            }
            while touched != 0 {
                let group = (first + touched.trailing_zeros() as usize) * LANES;
                touched &= touched - 1;
                compared += LANES as u64;
                let mut hit = overlapping(!0, &sides(left.sides, group), &b);
                if MASKED {
                    hit = agreeing(hit, masks(&left, group), other_masks);
                }
                let rows = load_words(left.rows, group);
                emit_ordered!(out, hit, rows, row, order);
            }
        }
    }
    compared
}

/// The same with a left run that fits the registers, which is what a small leaf is.
#[target_feature(enable = "avx512f,popcnt")]
fn cross_one_group<const MASKED: bool>(
    left: RunView<'_>,
    right: RunView<'_>,
    order: PairOrder,
    out: &mut PairBuffer<'_>,
) -> u64 {
    if left.len == 0 {
        return 0;
    }
    let a = sides(left.sides, 0);
    let rows = load_words(left.rows, 0);
    let own_masks = if MASKED { masks(&left, 0) } else { [rows; 2] };
    for at in 0..right.len {
        let mut hit = overlapping(!0, &a, &splat(right.sides, at));
        if MASKED {
            hit = agreeing(hit, own_masks, splat_masks(&right, at));
        }
        let row = _mm512_set1_epi32(right.rows[at] as i32);
        emit_ordered!(out, hit, rows, row, order);
    }
    (right.len * LANES) as u64
}

#[target_feature(enable = "avx512f,popcnt")]
pub(super) fn touching(
    from: [&[f32]; 4],
    rows: &[u32],
    window: &[[f32; 2]; 2],
    mut kept: usize,
    into: [&mut [f32]; 4],
    into_rows: &mut [u32],
) -> usize {
    let [min, max] = *window;
    let window = splat([&[min[0]], &[min[1]], &[max[0]], &[max[1]]], 0);
    for at in (0..rows.len()).step_by(LANES) {
        let lanes = lanes_below(rows.len() - at);
        let (boxes, rows) = if lanes == !0 {
            (sides(from, at), load_words(rows, at))
        } else {
            let boxes = Sides {
                min_x: load_last(from[0], at),
                min_y: load_last(from[1], at),
                max_x: load_last(from[2], at),
                max_y: load_last(from[3], at),
            };
            (boxes, load_last_words(rows, at))
        };
        let keep = overlapping(lanes, &boxes, &window);
        store(into[0], kept, _mm512_maskz_compress_ps(keep, boxes.min_x));
        store(into[1], kept, _mm512_maskz_compress_ps(keep, boxes.min_y));
        store(into[2], kept, _mm512_maskz_compress_ps(keep, boxes.max_x));
        store(into[3], kept, _mm512_maskz_compress_ps(keep, boxes.max_y));
        store_words(into_rows, kept, _mm512_maskz_compress_epi32(keep, rows));
        kept += keep.count_ones() as usize;
    }
    kept
}
