//! The kernels with AVX2: each group of sixteen lanes is two vectors of eight, done in lane order.

use crate::box_run::RunView;
use crate::lanes::avx2::{
    HALF, agreeing, emit, load_sides, load_words, ordered, overlapping, splat, splat_box,
    store_kept,
};
use crate::lanes::lanes_below;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};
use std::arch::x86_64::*;

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

/// Compares a group of one run with one box of another and writes the pairs. A macro, because a function
/// of this size is not inlined, and a call for every group costs more than the comparison.
macro_rules! compare_group {
    ($masked:expr, $left:expr, $group:expr, $b:expr, $row:expr, $masks:expr, $order:expr, $out:expr) => {
        for at in [$group, $group + HALF] {
            let mut hit = overlapping(&load_sides($left.sides, at), $b);
            if $masked {
                hit &= agreeing(masks(&$left, at), $masks);
            }
            let rows = load_words($left.rows, at);
            let (first, second) = ordered($order, rows, $row);
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
                let low = overlapping(&load_sides(left.blocks, first), &b);
                let high = overlapping(&load_sides(left.blocks, first + HALF), &b);
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
    mut into: [&mut [f32]; 4],
    into_rows: &mut [u32],
) -> usize {
    let sides_of_window = splat_box(window);
    let whole = rows.len() / HALF * HALF;
    for at in (0..whole).step_by(HALF) {
        let boxes = load_sides(from, at);
        let keep = overlapping(&boxes, &sides_of_window);
        let rows_here = load_words(rows, at);
        store_kept(&mut into, into_rows, kept, keep, &boxes, rows_here);
        kept += keep.count_ones() as usize;
    }
    super::scalar::touching_from(whole, from, rows, window, kept, into, into_rows)
}
