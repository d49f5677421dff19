//! The second pass of an update: each bucket is sorted by left side, into its strip's columns.
//!
//! First comes a counting sort by column, after which only boxes that share a column are out of order; an insertion
//! sort then finishes. Order by column alone would be enough for the sweep if it allowed for the slack. Exact order
//! saves the sweep a comparison, and readers an argument about rounding.
//!
//! The columns divide the range of the bucket's own boxes. Columns of the plan would save the pass that finds that
//! range, but with towns far apart, or a diagonal line, a few columns of each bucket would be crowded.

use super::partition::WORDS;
use std::ops::Range;
use throng_core::buckets::{ColumnCounters, transpose};
use throng_core::cell::CellMap;
use throng_core::lanes::Lanes;
use throng_core::{Arena, LANES, float_key, highest, lowest};

/// At most this many columns: 2048.
type Counters = ColumnCounters<16>;
/// Columns for each record. With half as many, the insertion sort takes more time than is saved by having fewer counters; with twice
/// as many, nothing is gained.
const COLUMNS_EACH: usize = 3;

/// Working memory of one task's sorts, with room for the largest bucket.
pub(crate) struct SortScratch<'a> {
    /// Left side of each record, in record order, and its column.
    lefts: &'a mut [f32],
    columns: &'a mut [u16],
    /// Where the next record of each column goes; kept from one sort to the next.
    next: &'a mut Counters,
    /// The bucket while it is being sorted, record by record, which is one place to write for each; then it becomes columns in its
    /// final memory. That is not in the cache yet, and waiting for it at every step of the shuffle costs more than the copy.
    sorted: &'a mut [[u32; WORDS]],
    /// Sort keys, for crowded buckets.
    keys: &'a mut [u64],
}

impl<'a> SortScratch<'a> {
    /// How many bytes of an arena a scratch takes.
    pub fn bytes(records: usize) -> usize {
        const ALIGNMENT: usize = 64 + align_of::<Counters>();
        let words = (WORDS + 1) * size_of::<u32>();
        let records = records * (size_of::<u16>() + size_of::<u64>() + words);
        records + size_of::<Counters>() + ALIGNMENT
    }

    pub fn new(arena: &'a Arena, records: usize) -> Self {
        Self {
            keys: arena.alloc_slice_fill(records, 0),
            sorted: arena.alloc_slice_fill(records, [0; WORDS]),
            lefts: arena.alloc_slice_fill(records, 0.0),
            columns: arena.alloc_slice_fill(records, 0),
            next: arena.alloc(Counters::EMPTY),
        }
    }
}

/// The columns that a bucket is sorted into: left, lower, right and upper sides, and row words.
pub(crate) type Columns<'a> = [&'a mut [u32]; WORDS];

/// How many moves per record the insertion sort may make before the bucket counts as crowded.
const MOVES_PER_RECORD: usize = 4;
/// For buckets with so few records, counting columns does not pay.
const FEW: usize = 16;

/// Sorts a bucket whose records are in `runs` of `records` into `to`, which has the same length. Records with equal
/// left sides keep their order. Returns the largest width.
///
/// Inlined into a function for each instruction set; plain loops, because closures would not be inlined.
#[inline(always)]
pub(crate) fn sort_bucket<L: Lanes>(
    lanes: L,
    records: &[[u32; WORDS]],
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    mut to: Columns<'_>,
) -> f32 {
    let count = to[0].len();
    let sorted = &mut scratch.sorted[..count];
    if count <= FEW {
        let mut at = 0;
        for run in runs {
            for record in &records[run.clone()] {
                sorted[at] = *record;
                at += 1;
            }
        }
    } else {
        shuffle_by_column(
            lanes,
            records,
            runs,
            &mut scratch.lefts[..count],
            (&mut scratch.columns[..count], scratch.next),
            sorted,
        );
    }
    if insertion_sort(sorted) {
        transpose(sorted, to.each_mut().map(|column| &mut **column));
    } else {
        sort_crowded(sorted, &mut scratch.keys[..count], &mut to);
    }
    widest(&to)
}

/// Counting sort by column: histogram, prefix sum, scatter.
#[inline(always)]
fn shuffle_by_column<L: Lanes>(
    lanes: L,
    records: &[[u32; WORDS]],
    runs: &[Range<usize>],
    lefts: &mut [f32],
    (columns, next): (&mut [u16], &mut Counters),
    sorted: &mut [[u32; WORDS]],
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
    let all = Counters::COLUMNS.min(COLUMNS_EACH * columns.len());
    // Halves, because the whole may be infinite. Sides may be infinite as well, which every map accepts.
    let width = (high / 2.0 - low / 2.0) / (all as f32 / 2.0);
    let map = CellMap::new(low, width);
    for (column, &left) in columns.iter_mut().zip(lefts.iter()) {
        *column = Counters::counter_of(map.cell(left).clamp(0, all as i32 - 1));
    }
    next.begin(lanes, columns);
    let mut done = 0;
    for run in runs {
        let records = &records[run.clone()];
        // Prefetches the same index of what is probably sorted next.
        next.scatter(records, &columns[done..], run.len() * WORDS, sorted);
        done += records.len();
    }
}

/// Sorts by left side what is almost sorted. Gives up, leaving the same records in some order, when that takes more
/// moves than are worth it.
#[inline(always)]
fn insertion_sort(sorted: &mut [[u32; WORDS]]) -> bool {
    let count = sorted.len();
    let mut moves_left = count * MOVES_PER_RECORD + FEW * FEW;
    let mut last = f32::NEG_INFINITY;
    for at in 0..count {
        let x = f32::from_bits(sorted[at][0]);
        if x >= last {
            last = x;
            continue;
        }
        let mut to = at - 1;
        while to > 0 && f32::from_bits(sorted[to - 1][0]) > x {
            to -= 1;
        }
        if moves_left < at - to {
            return false;
        }
        moves_left -= at - to;
        let record = sorted[at];
        for k in (to..at).rev() {
            sorted[k + 1] = sorted[k];
        }
        sorted[to] = record;
    }
    true
}

/// Sorts by left side, whatever the distribution, into `to`.
#[cold]
#[inline(never)]
fn sort_crowded(unsorted: &[[u32; WORDS]], keys: &mut [u64], to: &mut Columns<'_>) {
    for ((index, key), record) in (0_u64..).zip(keys.iter_mut()).zip(unsorted) {
        // Both zeros become equal.
        let left = f32::from_bits(record[0]) + 0.0;
        *key = u64::from(float_key(left)) << 32 | index;
    }
    keys.sort_unstable();
    for (place, key) in keys.iter().enumerate() {
        let record = &unsorted[*key as u32 as usize];
        for (column, &word) in to.iter_mut().zip(record) {
            column[place] = word;
        }
    }
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
