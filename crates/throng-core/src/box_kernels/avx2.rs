//! The kernels with AVX2: each group of sixteen lanes is two vectors of eight, done in lane order.

use super::lanes_below;
use crate::box_run::RunView;
use crate::compress::COMPRESS;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};
use std::arch::x86_64::*;

const HALF: usize = LANES / 2;

/// The four sides of eight boxes.
#[derive(Clone, Copy)]
struct Sides {
    min_x: __m256,
    min_y: __m256,
    max_x: __m256,
    max_y: __m256,
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(values: &[f32], at: usize) -> __m256 {
    let values: &[f32; HALF] = values[at..at + HALF].first_chunk().expect("half a group");
    // SAFETY: `values` is eight floats, all of which are read; the load needs no alignment.
    unsafe { _mm256_loadu_ps(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_words(values: &[u32], at: usize) -> __m256i {
    let values: &[u32; HALF] = values[at..at + HALF].first_chunk().expect("half a group");
    // SAFETY: `values` is eight words, all of which are read; the load needs no alignment.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(values: &mut [f32], at: usize, vector: __m256) {
    let values: &mut [f32; HALF] = values[at..at + HALF]
        .first_chunk_mut()
        .expect("half a group");
    // SAFETY: `values` is eight floats, all of which are written; the store needs no alignment.
    unsafe { _mm256_storeu_ps(values.as_mut_ptr(), vector) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_words(values: &mut [u32], at: usize, vector: __m256i) {
    let values: &mut [u32; HALF] = values[at..at + HALF]
        .first_chunk_mut()
        .expect("half a group");
    // SAFETY: `values` is eight words, all of which are written; the store needs no alignment.
    unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), vector) }
}

#[inline]
#[target_feature(enable = "avx2")]
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
#[target_feature(enable = "avx2")]
fn splat(from: [&[f32]; 4], at: usize) -> Sides {
    Sides {
        min_x: _mm256_set1_ps(from[0][at]),
        min_y: _mm256_set1_ps(from[1][at]),
        max_x: _mm256_set1_ps(from[2][at]),
        max_y: _mm256_set1_ps(from[3][at]),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn masks(run: &RunView<'_>, at: usize) -> [__m256i; 2] {
    [load_words(run.masks[0], at), load_words(run.masks[1], at)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat_masks(run: &RunView<'_>, at: usize) -> [__m256i; 2] {
    [
        _mm256_set1_epi32(run.masks[0][at] as i32),
        _mm256_set1_epi32(run.masks[1][at] as i32),
    ]
}

/// The lanes in which the boxes overlap, as a bit set.
#[inline]
#[target_feature(enable = "avx2")]
fn overlapping(a: &Sides, b: &Sides) -> u32 {
    let along_x = _mm256_and_ps(
        _mm256_cmp_ps::<_CMP_LE_OQ>(a.min_x, b.max_x),
        _mm256_cmp_ps::<_CMP_LE_OQ>(b.min_x, a.max_x),
    );
    let along_y = _mm256_and_ps(
        _mm256_cmp_ps::<_CMP_LE_OQ>(a.min_y, b.max_y),
        _mm256_cmp_ps::<_CMP_LE_OQ>(b.min_y, a.max_y),
    );
    _mm256_movemask_ps(_mm256_and_ps(along_x, along_y)) as u32
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

/// The order that brings the lanes in `hit` to the front.
#[inline]
#[target_feature(enable = "avx2")]
fn to_front(hit: u32) -> __m256i {
    load_words(&COMPRESS[hit as usize & 255], 0)
}

/// Writes the pairs of the lanes in `hit`, in lane order, without asking how many there are.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn emit(out: &mut PairBuffer<'_>, hit: u32, first: __m256i, second: __m256i) {
    let front = to_front(hit);
    let first = _mm256_permutevar8x32_epi32(first, front);
    let second = _mm256_permutevar8x32_epi32(second, front);
    // Interleaving works inside 128-bit halves: 0 1 | 4 5 and 2 3 | 6 7.
    let low = _mm256_unpacklo_epi32(first, second);
    let high = _mm256_unpackhi_epi32(first, second);
    let room = out.room().as_flattened_mut();
    store_words(room, 0, _mm256_permute2x128_si256::<0x20>(low, high));
    store_words(room, HALF, _mm256_permute2x128_si256::<0x31>(low, high));
    out.keep(hit.count_ones() as usize);
}

/// Compares a group of one run with one box of another and writes the pairs. A macro, because a function
/// of this size is not inlined, and a call for every group costs more than the comparison.
macro_rules! compare_group {
    ($masked:expr, $left:expr, $group:expr, $b:expr, $row:expr, $masks:expr, $order:expr, $out:expr) => {
        for at in [$group, $group + HALF] {
            let mut hit = overlapping(&sides($left.sides, at), $b);
            if $masked {
                hit &= agreeing(masks(&$left, at), $masks);
            }
            let rows = load_words($left.rows, at);
            let (first, second) = match $order {
                PairOrder::LowerRow => (_mm256_min_epu32(rows, $row), _mm256_max_epu32(rows, $row)),
                PairOrder::Left => (rows, $row),
                PairOrder::Right => ($row, rows),
            };
            emit($out, hit, first, second);
        }
    };
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn within<const MASKED: bool>(run: RunView<'_>, out: &mut PairBuffer<'_>) -> u64 {
    let mut compared = 0;
    for at in 0..run.len {
        let a = splat(run.sides, at);
        let row = _mm256_set1_epi32(run.rows[at] as i32);
        let own_masks = if MASKED {
            splat_masks(&run, at)
        } else {
            [row; 2]
        };
        for group in (at + 1..run.len).step_by(LANES) {
            compared += LANES as u64;
            compare_group!(
                MASKED,
                run,
                group,
                &a,
                row,
                own_masks,
                PairOrder::LowerRow,
                out
            );
        }
    }
    compared
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn cross<const MASKED: bool>(
    left: RunView<'_>,
    right: RunView<'_>,
    order: PairOrder,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let mut compared = 0;
    let blocks = left.len.div_ceil(LANES);
    let bounded = !left.blocks[0].is_empty();
    for first in (0..blocks).step_by(LANES) {
        let all = u32::from(lanes_below(blocks - first));
        for at in 0..right.len {
            let b = splat(right.sides, at);
            let row = _mm256_set1_epi32(right.rows[at] as i32);
            let other_masks = if MASKED {
                splat_masks(&right, at)
            } else {
                [row; 2]
            };
            let mut touched = all;
            if bounded {
                compared += LANES as u64;
                let low = overlapping(&sides(left.blocks, first), &b);
                let high = overlapping(&sides(left.blocks, first + HALF), &b);
                touched = all & (low | high << HALF);
            }
            while touched != 0 {
                let group = (first + touched.trailing_zeros() as usize) * LANES;
                touched &= touched - 1;
                compared += LANES as u64;
                compare_group!(MASKED, left, group, &b, row, other_masks, order, out);
            }
        }
    }
    compared
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn touching(
    from: [&[f32]; 4],
    rows: &[u32],
    window: &[[f32; 2]; 2],
    mut kept: usize,
    into: [&mut [f32]; 4],
    into_rows: &mut [u32],
) -> usize {
    let [min, max] = *window;
    let sides_of_window = splat([&[min[0]], &[min[1]], &[max[0]], &[max[1]]], 0);
    let whole = rows.len() / HALF * HALF;
    for at in (0..whole).step_by(HALF) {
        let boxes = sides(from, at);
        let keep = overlapping(&boxes, &sides_of_window);
        let front = to_front(keep);
        store(into[0], kept, _mm256_permutevar8x32_ps(boxes.min_x, front));
        store(into[1], kept, _mm256_permutevar8x32_ps(boxes.min_y, front));
        store(into[2], kept, _mm256_permutevar8x32_ps(boxes.max_x, front));
        store(into[3], kept, _mm256_permutevar8x32_ps(boxes.max_y, front));
        let rows = load_words(rows, at);
        store_words(into_rows, kept, _mm256_permutevar8x32_epi32(rows, front));
        kept += keep.count_ones() as usize;
    }
    super::scalar::touching_from(whole, from, rows, window, kept, into, into_rows)
}
