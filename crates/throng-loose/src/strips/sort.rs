//! The second pass of an update: each bucket is sorted by left side, into its strip's columns.
//!
//! A counting sort by column comes first, which leaves out of order only what shares a column, and an
//! insertion sort ends it. Order up to a column would do for the sweep, with a slack; exact order saves the
//! sweep a comparison, and everybody an argument about rounding.
//!
//! The columns divide what the bucket's own boxes span. Columns of the whole plan would spare the pass that
//! finds that out, but towns far apart, or a diagonal line, would have a few crowded columns in each bucket.

use super::partition::WORDS;
use std::ops::Range;
use throng_core::buckets::ColumnCounters;
use throng_core::cell::CellMap;
use throng_core::{Arena, LANES, highest, lowest};

/// The 2048 columns of a bucket: about three for each record that it is expected to hold. With half as many
/// more is left to the insertion sort than the smaller counters save, and twice as many are no better.
type Counters = ColumnCounters<128>;
const COLUMNS: usize = Counters::COLUMNS;

/// Working memory of one task's sorts, with room for the largest bucket there is.
pub(crate) struct SortScratch<'a> {
    /// Left side of each record, in record order, and its column.
    lefts: &'a mut [f32],
    columns: &'a mut [u16],
    /// The bucket as it is being sorted. Moved to its place when it is: that place is not in the cache
    /// yet, and waiting for it at every step of the shuffle costs more than moving.
    sorted: [&'a mut [u32]; WORDS],
    /// Sort keys of a crowded bucket.
    keys: &'a mut [u64],
}

impl<'a> SortScratch<'a> {
    /// Bytes that a scratch takes from an arena.
    pub fn bytes(records: usize) -> usize {
        const ALIGNMENT: usize = 64;
        let words = (WORDS + 1) * size_of::<u32>();
        records * (size_of::<u16>() + size_of::<u64>() + words) + ALIGNMENT
    }

    pub fn new(arena: &'a Arena, records: usize) -> Self {
        Self {
            keys: arena.alloc_slice_fill(records, 0),
            sorted: std::array::from_fn(|_| arena.alloc_slice_fill(records, 0)),
            lefts: arena.alloc_slice_fill(records, 0.0),
            columns: arena.alloc_slice_fill(records, 0),
        }
    }
}

/// The columns that a bucket is sorted into: left, lower, right and upper sides, and row words.
pub(crate) type Columns<'a> = [&'a mut [u32]; WORDS];

/// Moves that the insertion sort may make for each record before the bucket counts as crowded.
const MOVES_PER_RECORD: usize = 4;
/// Buckets of so few records are not worth counting columns for.
const FEW: usize = 16;

/// Sorts a bucket whose records lie in `runs` of `records`, into a place as long as they are
/// many. Records of equal left sides keep their order. Returns the largest width.
///
/// Inlined into a function per instruction set; loops are spelled out, because closures would not be.
#[inline(always)]
pub(crate) fn sort_bucket(
    records: &[[u32; WORDS]],
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    place: Columns<'_>,
) -> f32 {
    let count = place[0].len();
    let [x0, y0, x1, y1, rows] = &mut scratch.sorted;
    // Cut to one length, so that an index checked in one is known to be good in all.
    let mut sorted = [
        &mut x0[..count],
        &mut y0[..count],
        &mut x1[..count],
        &mut y1[..count],
        &mut rows[..count],
    ];
    if count <= FEW {
        let mut at = 0;
        for run in runs {
            for record in &records[run.clone()] {
                for word in 0..WORDS {
                    sorted[word][at] = record[word];
                }
                at += 1;
            }
        }
    } else {
        shuffle_by_column(
            records,
            runs,
            &mut scratch.lefts[..count],
            &mut scratch.columns[..count],
            &mut sorted,
        );
    }
    if insertion_sort(&mut sorted) {
        for (place, column) in place.into_iter().zip(&sorted) {
            place.copy_from_slice(column);
        }
    } else {
        sort_crowded(&sorted, &mut scratch.keys[..count], place);
    }
    widest(&sorted)
}

/// Counting sort by column: histogram, prefix sum, scatter.
#[inline(always)]
fn shuffle_by_column(
    records: &[[u32; WORDS]],
    runs: &[Range<usize>],
    lefts: &mut [f32],
    columns: &mut [u16],
    sorted: &mut Columns<'_>,
) {
    let mut done = 0;
    for run in runs {
        let records = &records[run.clone()];
        for (left, record) in lefts[done..].iter_mut().zip(records) {
            *left = f32::from_bits(record[0]);
        }
        done += records.len();
    }
    let (low, high) = (lowest(lefts), highest(lefts));
    // Halves, because the whole may be infinite; so may be the sides, which any map takes.
    let width = (high / 2.0 - low / 2.0) / (COLUMNS / 2) as f32;
    let map = CellMap::new(low, width);
    for (column, &left) in columns.iter_mut().zip(lefts.iter()) {
        *column = Counters::counter_of(map.cell(left).clamp(0, COLUMNS as i32 - 1));
    }
    let mut next = Counters::EMPTY;
    next.begin(columns);
    let mut done = 0;
    for run in runs {
        let records = &records[run.clone()];
        // Asking for the same place in what is likely to be sorted next.
        next.scatter(records, &columns[done..], run.len() * WORDS, sorted);
        done += records.len();
    }
}

/// Sorts by left side what is almost sorted. Gives up, leaving some order of the same records, when that
/// takes more moves than crowded columns are worth.
#[inline(always)]
fn insertion_sort(sorted: &mut Columns<'_>) -> bool {
    let count = sorted[0].len();
    let mut moves_left = count * MOVES_PER_RECORD + FEW * FEW;
    let mut last = f32::NEG_INFINITY;
    for at in 0..count {
        let x = f32::from_bits(sorted[0][at]);
        if x >= last {
            last = x;
            continue;
        }
        let mut to = at - 1;
        while to > 0 && f32::from_bits(sorted[0][to - 1]) > x {
            to -= 1;
        }
        if moves_left < at - to {
            return false;
        }
        moves_left -= at - to;
        for column in sorted.iter_mut() {
            let value = column[at];
            for k in (to..at).rev() {
                column[k + 1] = column[k];
            }
            column[to] = value;
        }
    }
    true
}

/// Sorts by left side whatever the distribution, to another place.
#[cold]
#[inline(never)]
fn sort_crowded(unsorted: &Columns<'_>, keys: &mut [u64], place: Columns<'_>) {
    for ((index, key), &x) in (0_u64..).zip(keys.iter_mut()).zip(unsorted[0].iter()) {
        *key = u64::from(ascending(x)) << 32 | index;
    }
    keys.sort_unstable();
    for (place, column) in place.into_iter().zip(unsorted) {
        for (value, key) in place.iter_mut().zip(keys.iter()) {
            *value = column[*key as u32 as usize];
        }
    }
}

/// Bits that ascend as the number does whose bits are given; the two zeros count as equal.
#[inline(always)]
fn ascending(bits: u32) -> u32 {
    let bits = (f32::from_bits(bits) + 0.0).to_bits();
    let negative = (bits as i32 >> 31) as u32;
    bits ^ (negative | 1 << 31)
}

#[inline(always)]
fn widest(sorted: &Columns<'_>) -> f32 {
    let (lefts, rights): (&[f32], &[f32]) = (
        bytemuck::cast_slice(&*sorted[0]),
        bytemuck::cast_slice(&*sorted[2]),
    );
    let (left_groups, left_rest) = lefts.as_chunks::<LANES>();
    let (right_groups, right_rest) = rights.as_chunks::<LANES>();
    let mut widths = [0.0_f32; LANES];
    for (left, right) in left_groups.iter().zip(right_groups) {
        for lane in 0..LANES {
            let width = right[lane] - left[lane];
            widths[lane] = if width > widths[lane] {
                width
            } else {
                widths[lane]
            };
        }
    }
    let mut widest = 0.0_f32;
    for width in widths {
        widest = widest.max(width);
    }
    for (left, right) in left_rest.iter().zip(right_rest) {
        widest = widest.max(right - left);
    }
    widest
}

#[cfg(test)]
mod tests;
