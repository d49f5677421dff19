//! The plain twin of the vector kernels: the same lanes, the same order, one comparison at a time.

use crate::aabb::overlaps_1d;
use crate::box_run::RunView;
use crate::lanes::lanes_below;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};

pub(super) fn within<const MASKED: bool>(run: RunView<'_>, out: &mut PairBuffer<'_>) -> u64 {
    let mut compared = 0;
    for a in 0..run.len {
        for group in (a + 1..run.len).step_by(LANES) {
            compared += LANES as u64;
            compare_group::<MASKED>(run, group, run, a, PairOrder::LowerRow, out);
        }
    }
    compared
}

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
        for b in 0..right.len {
            let mut touched = lanes_below(blocks - first);
            if bounded {
                compared += LANES as u64;
                touched = (0..LANES)
                    .filter(|lane| overlap(left.blocks, first + lane, right.sides, b))
                    .fold(0, |touched, lane| touched | 1 << lane);
            }
            while touched != 0 {
                let block = first + touched.trailing_zeros() as usize;
                touched &= touched - 1;
                compared += LANES as u64;
                compare_group::<MASKED>(left, block * LANES, right, b, order, out);
            }
        }
    }
    compared
}

/// A group of `left` with one box of `right`.
#[inline(always)]
fn compare_group<const MASKED: bool>(
    left: RunView<'_>,
    group: usize,
    right: RunView<'_>,
    b: usize,
    order: PairOrder,
    out: &mut PairBuffer<'_>,
) {
    let room = out.room();
    let mut found = 0;
    for a in group..group + LANES {
        let hit = overlap(left.sides, a, right.sides, b)
            && (!MASKED || left.masks_of(a).meets(right.masks_of(b)));
        if hit {
            let (left, right) = (left.rows[a], right.rows[b]);
            room[found] = match order {
                PairOrder::LowerRow => [left.min(right), left.max(right)],
                PairOrder::Left => [left, right],
                PairOrder::Right => [right, left],
            };
            found += 1;
        }
    }
    out.keep(found);
}

pub(super) fn touching(
    from: [&[f32]; 4],
    rows: &[u32],
    window: &[[f32; 2]; 2],
    kept: usize,
    sides: [&mut [f32]; 4],
    into_rows: &mut [u32],
) -> usize {
    touching_from(0, from, rows, window, kept, sides, into_rows)
}

/// The same for the boxes from `first` on: the end of a vector kernel's pick.
pub(super) fn touching_from(
    first: usize,
    from: [&[f32]; 4],
    rows: &[u32],
    window: &[[f32; 2]; 2],
    mut kept: usize,
    mut sides: [&mut [f32]; 4],
    into_rows: &mut [u32],
) -> usize {
    let [min, max] = window;
    let window = [&[min[0]][..], &[min[1]], &[max[0]], &[max[1]]];
    for k in first..rows.len() {
        for (to, from) in sides.iter_mut().zip(from) {
            to[kept] = from[k];
        }
        into_rows[kept] = rows[k];
        kept += usize::from(overlap(from, k, window, 0));
    }
    kept
}

/// Whether box `a` of some columns overlaps box `b` of others.
#[inline(always)]
fn overlap(left: [&[f32]; 4], a: usize, right: [&[f32]; 4], b: usize) -> bool {
    overlaps_1d(left[0][a], left[2][a], right[0][b], right[2][b])
        & overlaps_1d(left[1][a], left[3][a], right[1][b], right[3][b])
}
