//! The kernels with AVX2: each group of sixteen lanes is two vectors of eight, done in lane order.

use super::{HeightTest, Probing, admitted, furthest, masks_of, skip_before};
use crate::layout::Layout;
use crate::leaf::{Bounds, Leaf};
use crate::partition::{Part, Pass};
use crate::probe::{Block, Probe, Reached, Visits};
use crate::run::{Centers, RunView};
use crate::sort::{Bucket, SortScratch, sort_bucket};
use std::arch::x86_64::*;
use std::ops::Range;
use throng_core::lanes::avx2::{
    HALF, Sides, agreeing, emit, load, load_words, ordered, overlapping, splat_box, store_kept,
    store_words, to_front,
};
use throng_core::{BoxRun, LANES, Masks, PairBuffer, PairOrder, prefetch_ahead};

#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn partition<const WORDS: usize>(pass: &Pass<'_>, part: &mut Part) {
    pass.run::<WORDS>(part);
}

#[target_feature(enable = "avx2,bmi2,popcnt")]
pub(super) fn sort<const WORDS: usize>(
    layout: &Layout,
    bucket: Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    leaves: &mut Vec<Leaf>,
) {
    sort_bucket::<WORDS>(layout, bucket, runs, scratch, leaves);
}

/// The sides of half a group of boxes, and the left sides of the bound. A macro, because a function of
/// this size is not inlined, and a call for every group costs more than the comparison.
macro_rules! sides {
    ($exact:expr, $run:expr, $at:expr) => {{
        let (x, y) = (load($run.xs, $at), load($run.ys, $at));
        let bound = [_mm256_set1_ps($run.bound[0]), _mm256_set1_ps($run.bound[1])];
        let half = if $exact {
            [load($run.own[0], $at), load($run.own[1], $at)]
        } else {
            bound
        };
        let sides = Sides {
            min_x: _mm256_sub_ps(x, half[0]),
            max_x: _mm256_add_ps(x, half[0]),
            min_y: _mm256_sub_ps(y, half[1]),
            max_y: _mm256_add_ps(y, half[1]),
        };
        (sides, _mm256_sub_ps(x, bound[0]))
    }};
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn pick<const COLUMNS: usize>(
    test: HeightTest,
    ys: &[f32],
    from: [&[u32]; COLUMNS],
    mut kept: usize,
    mut to: [&mut [u32]; COLUMNS],
) -> usize {
    let whole = ys.len() / HALF * HALF;
    let half_height = _mm256_set1_ps(test.half_height);
    let [window_min, window_max] = [
        _mm256_set1_ps(test.window[0]),
        _mm256_set1_ps(test.window[1]),
    ];
    for at in (0..whole).step_by(HALF) {
        let y = load(ys, at);
        let (low, high) = (_mm256_sub_ps(y, half_height), _mm256_add_ps(y, half_height));
        let below = _mm256_cmp_ps::<_CMP_LE_OQ>(low, window_max);
        let above = _mm256_cmp_ps::<_CMP_LE_OQ>(window_min, high);
        let keep = _mm256_movemask_ps(_mm256_and_ps(below, above)) as u32;
        let front = to_front(keep);
        for column in 0..COLUMNS {
            prefetch_ahead(from[column], at + test.ahead);
            let words = load_words(from[column], at);
            store_words(to[column], kept, _mm256_permutevar8x32_epi32(words, front));
        }
        kept += keep.count_ones() as usize;
    }
    super::scalar::pick_from(whole, test, ys, from, kept, &mut to)
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn touching<const EXACT: bool>(
    centers: &Centers<'_>,
    window: &Bounds,
    mut kept: usize,
    mut sides: [&mut [f32]; 4],
    rows: &mut [u32],
) -> usize {
    let touched = splat_box(&[window.min, window.max]);
    let (run, whole) = (centers.view(), centers.len() / HALF * HALF);
    for at in (0..whole).step_by(HALF) {
        let (boxes, _) = sides!(EXACT, run, at);
        let keep = overlapping(&boxes, &touched);
        let own_rows = load_words(run.rows, at);
        store_kept(&mut sides, rows, kept, keep, &boxes, own_rows);
        kept += keep.count_ones() as usize;
    }
    super::scalar::touching_from(whole, centers, window, kept, &mut sides, rows)
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn sweep<const EXACT: bool, const MASKED: bool>(
    run: RunView<'_>,
    own: usize,
    slack: f32,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let slack = _mm256_set1_ps(slack);
    let mut compared = 0;
    for block in (0..own).step_by(LANES) {
        let lanes = lanes_below(own - block);
        let halves = [block, block + HALF];
        let a = [
            sides!(EXACT, run, halves[0]).0,
            sides!(EXACT, run, halves[1]).0,
        ];
        let rows = [
            load_words(run.rows, halves[0]),
            load_words(run.rows, halves[1]),
        ];
        let reach = [
            _mm256_add_ps(a[0].max_x, slack),
            _mm256_add_ps(a[1].max_x, slack),
        ];
        for at in block + 1..run.len {
            let [(b0, order0), (b1, order1)] =
                [sides!(EXACT, run, at), sides!(EXACT, run, at + HALF)];
            let near = [
                lanes[0] & _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(order0, reach[0])) as u32,
                lanes[1] & _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(order1, reach[1])) as u32,
            ];
            if near[0] | near[1] == 0 {
                break;
            }
            compared += LANES as u64;
            for (half, b) in [b0, b1].iter().enumerate() {
                let other = at + half * HALF;
                let mut hit = near[half] & overlapping(&a[half], b);
                if MASKED {
                    hit &= agreeing(masks(&run, halves[half]), masks(&run, other));
                }
                let others = load_words(run.rows, other);
                emit(
                    out,
                    hit,
                    _mm256_min_epu32(rows[half], others),
                    _mm256_max_epu32(rows[half], others),
                );
            }
        }
    }
    compared
}

#[target_feature(enable = "avx2,popcnt")]
pub(super) fn join<const MASKED: bool>(
    left: RunView<'_>,
    right: RunView<'_>,
    slack: [f32; 2],
    pair_order: PairOrder,
    out: &mut PairBuffer<'_>,
) -> u64 {
    let mut compared = 0;
    let mut first = 0;
    for block in (0..left.len).step_by(LANES) {
        let lanes = lanes_below(left.len - block);
        let halves = [block, block + HALF];
        let exact = !left.own[0].is_empty();
        let a = [
            sides!(exact, left, halves[0]).0,
            sides!(exact, left, halves[1]).0,
        ];
        let rows = [
            load_words(left.rows, halves[0]),
            load_words(left.rows, halves[1]),
        ];
        first = skip_before(&right, first, left.order(block) - slack[0]);
        let furthest = furthest(&left, block..left.len.min(block + LANES)) + slack[1];
        for other in first..right.len {
            if right.order(other) > furthest {
                break;
            }
            compared += LANES as u64;
            let b = splat_box(&right.corners(other));
            let row = _mm256_set1_epi32(right.rows[other] as i32);
            for half in 0..2 {
                let mut hit = lanes[half] & overlapping(&a[half], &b);
                if MASKED {
                    let Masks {
                        memberships,
                        filter,
                    } = right.masks(other);
                    let theirs = [
                        _mm256_set1_epi32(memberships as i32),
                        _mm256_set1_epi32(filter as i32),
                    ];
                    hit &= agreeing(masks(&left, halves[half]), theirs);
                }
                let (first, second) = ordered(pair_order, rows[half], row);
                emit(out, hit, first, second);
            }
        }
    }
    compared
}

/// The pairs of a group of rows with a box that is in all lanes.
macro_rules! meet_group {
    ($exact:expr, $masked:expr, $run:expr, $at:expr, ($b:expr, $other:expr, $theirs:expr), $with:expr, $out:expr) => {{
        let run = &$run;
        for half in [$at, $at + HALF] {
            let (a, _) = sides!($exact, run, half);
            let mut hit = overlapping(&a, &$b);
            if $masked {
                hit = admitted(hit, &run.rows[half..half + HALF], $with.masks[0], $theirs);
            }
            let (first, second) = ordered($with.order, load_words(run.rows, half), $other);
            emit($out, hit, first, second);
        }
    }};
}

#[target_feature(enable = "avx2,popcnt,bmi1")]
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
            let other = _mm256_set1_epi32(row as i32);
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
#[target_feature(enable = "avx2")]
fn reached(probe: &Probe<'_>, block: &Block) -> Reached {
    let [left, _, right, _] = &block.sides;
    let slack = _mm256_set1_ps(probe.slack());
    let left = [load(left, 0), load(left, HALF)];
    let furthest = [load(right, 0), load(right, HALF)].map(|right| _mm256_add_ps(right, slack));
    let (mut passed, mut begun) = ([_mm256_setzero_si256(); 2], [_mm256_setzero_si256(); 2]);
    for (begins, ends) in probe.ends() {
        let (begins, ends) = (_mm256_set1_ps(begins), _mm256_set1_ps(ends));
        for half in 0..2 {
            let behind = _mm256_cmp_ps::<_CMP_LT_OQ>(ends, left[half]);
            let before = _mm256_cmp_ps::<_CMP_LE_OQ>(begins, furthest[half]);
            // True is minus one.
            passed[half] = _mm256_sub_epi32(passed[half], _mm256_castps_si256(behind));
            begun[half] = _mm256_sub_epi32(begun[half], _mm256_castps_si256(before));
        }
    }
    let mut reached = Reached::default();
    for half in 0..2 {
        store_words(&mut reached.passed, half * HALF, passed[half]);
        store_words(&mut reached.begun, half * HALF, begun[half]);
    }
    reached
}

#[inline]
#[target_feature(enable = "avx2")]
fn masks(run: &RunView<'_>, at: usize) -> [__m256i; 2] {
    [load_words(run.memberships, at), load_words(run.filters, at)]
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
