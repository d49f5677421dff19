//! The kernels with AVX-512: sixteen boxes to a vector, matches compressed without a branch.

use crate::box_run::RunView;
use crate::lanes::avx512::{
    Sides, agreeing, emit, load_last, load_last_words, load_sides, load_words, ordered,
    overlapping, splat, splat_box, store_kept,
};
use crate::lanes::lanes_below;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};
use std::arch::x86_64::*;

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
            let mut hit = overlapping(!0, &load_sides(run.sides, group), &a);
            if MASKED {
                hit = agreeing(hit, masks(&run, group), own_masks);
            }
            let rows = load_words(run.rows, group);
            let (first, second) = ordered(PairOrder::LowerRow, rows, row);
            emit(out, hit, first, second);
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
                touched = overlapping(all, &load_sides(left.blocks, first), &b);
            }
            while touched != 0 {
                let group = (first + touched.trailing_zeros() as usize) * LANES;
                touched &= touched - 1;
                compared += LANES as u64;
                let mut hit = overlapping(!0, &load_sides(left.sides, group), &b);
                if MASKED {
                    hit = agreeing(hit, masks(&left, group), other_masks);
                }
                let rows = load_words(left.rows, group);
                let (first, second) = ordered(order, rows, row);
                emit(out, hit, first, second);
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
    let a = load_sides(left.sides, 0);
    let rows = load_words(left.rows, 0);
    let own_masks = if MASKED { masks(&left, 0) } else { [rows; 2] };
    for at in 0..right.len {
        let mut hit = overlapping(!0, &a, &splat(right.sides, at));
        if MASKED {
            hit = agreeing(hit, own_masks, splat_masks(&right, at));
        }
        let row = _mm512_set1_epi32(right.rows[at] as i32);
        let (first, second) = ordered(order, rows, row);
        emit(out, hit, first, second);
    }
    (right.len * LANES) as u64
}

#[target_feature(enable = "avx512f,popcnt")]
pub(super) fn touching(
    from: [&[f32]; 4],
    rows: &[u32],
    window: &[[f32; 2]; 2],
    mut kept: usize,
    mut into: [&mut [f32]; 4],
    into_rows: &mut [u32],
) -> usize {
    let window = splat_box(window);
    for at in (0..rows.len()).step_by(LANES) {
        let lanes = lanes_below(rows.len() - at);
        let (boxes, rows) = if lanes == !0 {
            (load_sides(from, at), load_words(rows, at))
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
        store_kept(&mut into, into_rows, kept, keep, &boxes, rows);
        kept += keep.count_ones() as usize;
    }
    kept
}
