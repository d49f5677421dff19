//! The kernels with AVX-512: sixteen boxes to a vector, matches compressed without a branch.

use super::{HeightTest, Probing, admitted, masks_of, skip_before};
use crate::layout::Layout;
use crate::leaf::{Bounds, Leaf};
use crate::partition::{Part, Pass};
use crate::probe::{Block, Probe, Reached, Visits};
use crate::run::{Centers, RunView};
use crate::sort::{Bucket, SortScratch, sort_bucket};
use std::arch::x86_64::*;
use std::ops::Range;
use throng_core::lanes::avx512::{
    Sides, agreeing, emit, emit_with_one, load, load_last, load_words, ordered, overlapping,
    splat_box, store_kept, store_words,
};
use throng_core::lanes::lanes_below;
use throng_core::{BoxRun, LANES, Masks, PairBuffer, PairOrder, prefetch_ahead};

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

/// The sides of a group of boxes, and the left sides of the bound. A macro, because a function of this
/// size is not inlined, and a call for every group costs more than the comparison.
macro_rules! sides {
    ($exact:expr, $run:expr, $at:expr) => {{
        let (x, y) = (load($run.xs, $at), load($run.ys, $at));
        let bound = [_mm512_set1_ps($run.bound[0]), _mm512_set1_ps($run.bound[1])];
        let half = if $exact {
            [load($run.own[0], $at), load($run.own[1], $at)]
        } else {
            bound
        };
        let sides = Sides {
            min_x: _mm512_sub_ps(x, half[0]),
            max_x: _mm512_add_ps(x, half[0]),
            min_y: _mm512_sub_ps(y, half[1]),
            max_y: _mm512_add_ps(y, half[1]),
        };
        (sides, _mm512_sub_ps(x, bound[0]))
    }};
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
pub(super) fn pick<const COLUMNS: usize>(
    test: HeightTest,
    ys: &[f32],
    from: [&[u32]; COLUMNS],
    mut kept: usize,
    to: [&mut [u32]; COLUMNS],
) -> usize {
    let half_height = _mm512_set1_ps(test.half_height);
    let window = test.window.map(|side| _mm512_set1_ps(side));
    for at in (0..ys.len()).step_by(LANES) {
        let lanes = lanes_below(ys.len() - at);
        let y = load_group!(ys, at, lanes);
        let (low, high) = (_mm512_sub_ps(y, half_height), _mm512_add_ps(y, half_height));
        let keep = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(lanes, low, window[1]);
        let keep = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(keep, window[0], high);
        for column in 0..COLUMNS {
            prefetch_ahead(from[column], at + test.ahead);
            let words =
                _mm512_castps_si512(load_group!(bytemuck::cast_slice(from[column]), at, lanes));
            store_words(to[column], kept, _mm512_maskz_compress_epi32(keep, words));
        }
        kept += keep.count_ones() as usize;
    }
    kept
}

#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(super) fn touching<const EXACT: bool>(
    centers: &Centers<'_>,
    window: &Bounds,
    mut kept: usize,
    mut sides: [&mut [f32]; 4],
    rows: &mut [u32],
) -> usize {
    let touched = splat_box(&[window.min, window.max]);
    let (run, whole) = (centers.view(), centers.len() / LANES * LANES);
    for at in (0..whole).step_by(LANES) {
        let (boxes, _) = sides!(EXACT, run, at);
        let keep = overlapping(!0, &boxes, &touched);
        let own_rows = load_words(run.rows, at);
        store_kept(&mut sides, rows, kept, keep, &boxes, own_rows);
        kept += keep.count_ones() as usize;
    }
    super::scalar::touching_from(whole, centers, window, kept, &mut sides, rows)
}

#[target_feature(enable = "avx512f,popcnt")]
pub(super) fn sweep<const EXACT: bool, const MASKED: bool>(
    run: RunView<'_>,
    own: usize,
    slack: f32,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let mut compared = 0;
    for block in (0..own).step_by(LANES) {
        let lanes = lanes_below(own - block);
        let (a, _) = sides!(EXACT, run, block);
        let rows = load_words(run.rows, block);
        let own_masks = if MASKED {
            masks(&run, block)
        } else {
            [rows; 2]
        };
        let reach = _mm512_add_ps(a.max_x, _mm512_set1_ps(slack));
        for at in block + 1..run.len {
            let (b, order) = sides!(EXACT, run, at);
            let near = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(lanes, order, reach);
            if near == 0 {
                break;
            }
            compared += LANES as u64;
            let mut hit = overlapping(near, &a, &b);
            if MASKED {
                hit = agreeing(hit, own_masks, masks(&run, at));
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
    left: RunView<'_>,
    right: RunView<'_>,
    slack: [f32; 2],
    pair_order: PairOrder,
    out: &mut PairBuffer<'_>,
) -> u64 {
    // Cut to length, so that an index below the length needs no check.
    let (xs, ys) = (&right.xs[..right.len], &right.ys[..right.len]);
    let right_rows = &right.rows[..right.len];
    let right_exact = !right.own[0].is_empty();
    let mut half = [
        _mm512_set1_ps(right.bound[0]),
        _mm512_set1_ps(right.bound[1]),
    ];
    let mut compared = 0;
    let mut first = 0;
    for block in (0..left.len).step_by(LANES) {
        let lanes = lanes_below(left.len - block);
        let exact = !left.own[0].is_empty();
        let (a, _) = sides!(exact, left, block);
        let rows = load_words(left.rows, block);
        let own_masks = if MASKED {
            masks(&left, block)
        } else {
            [rows; 2]
        };
        first = skip_before(&right, first, left.order(block) - slack[0]);
        let furthest = _mm512_mask_reduce_max_ps(lanes, a.max_x) + slack[1];
        for at in first..right.len {
            if xs[at] - right.bound[0] > furthest {
                break;
            }
            compared += LANES as u64;
            let (x, y) = (_mm512_set1_ps(xs[at]), _mm512_set1_ps(ys[at]));
            if right_exact {
                half = [
                    _mm512_set1_ps(right.own[0][at]),
                    _mm512_set1_ps(right.own[1][at]),
                ];
            }
            let b = Sides {
                min_x: _mm512_sub_ps(x, half[0]),
                max_x: _mm512_add_ps(x, half[0]),
                min_y: _mm512_sub_ps(y, half[1]),
                max_y: _mm512_add_ps(y, half[1]),
            };
            let mut hit = overlapping(lanes, &a, &b);
            if MASKED {
                let Masks {
                    memberships,
                    filter,
                } = right.masks(at);
                let other = [
                    _mm512_set1_epi32(memberships as i32),
                    _mm512_set1_epi32(filter as i32),
                ];
                hit = agreeing(hit, own_masks, other);
            }
            let other = _mm512_set1_epi32(right_rows[at] as i32);
            let (first, second) = ordered(pair_order, rows, other);
            emit(out, hit, first, second);
        }
    }
    compared
}

/// The pairs of a group of rows with a box that is in all lanes.
macro_rules! meet_group {
    ($exact:expr, $masked:expr, $run:expr, $at:expr, ($b:expr, $other:expr, $theirs:expr), $with:expr, $out:expr) => {{
        let (run, at) = (&$run, $at);
        let (a, _) = sides!($exact, run, at);
        let mut hit = overlapping(!0, &a, &$b);
        if $masked {
            let rows = &run.rows[at..at + LANES];
            hit = admitted(u32::from(hit), rows, $with.masks[0], $theirs) as u16;
        }
        emit_with_one($out, hit, $with.order, load_words(run.rows, at), $other);
    }};
}

#[target_feature(enable = "avx512f,avx512bw,popcnt,bmi1")]
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
            let row = block.rows[visit.lane()];
            let b = splat_box(&block.corners(visit.lane()));
            let other = _mm512_set1_epi32(row as i32);
            let theirs = if MASKED {
                masks_of(with.masks[1], row)
            } else {
                Masks::ALL
            };
            let at = visit.group() * LANES;
            if at + LANES <= whole.len {
                meet_group!(EXACT, MASKED, whole, at, (b, other, theirs), with, out);
            } else {
                meet_group!(EXACT, MASKED, last, 0, (b, other, theirs), with, out);
            }
        }
    }
    compared
}

/// Which groups each box of a block reaches.
#[inline]
#[target_feature(enable = "avx512f")]
fn reached(probe: &Probe<'_>, block: &Block) -> Reached {
    let [left, _, right, _] = block.sides.each_ref().map(|side| load(side, 0));
    let furthest = _mm512_add_ps(right, _mm512_set1_ps(probe.slack()));
    let one = _mm512_set1_epi32(1);
    let (mut passed, mut begun) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for (begins, ends) in probe.ends() {
        let behind = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_set1_ps(ends), left);
        let before = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(_mm512_set1_ps(begins), furthest);
        passed = _mm512_mask_add_epi32(passed, behind, passed, one);
        begun = _mm512_mask_add_epi32(begun, before, begun, one);
    }
    let mut reached = Reached::default();
    store_words(&mut reached.passed, 0, passed);
    store_words(&mut reached.begun, 0, begun);
    reached
}

#[inline]
#[target_feature(enable = "avx512f")]
fn masks(run: &RunView<'_>, at: usize) -> [__m512i; 2] {
    [load_words(run.memberships, at), load_words(run.filters, at)]
}
