//! The second pass of a build: each bucket is sorted by column, inside L1, and becomes a leaf.
//!
//! A bucket's records come in as triples and go out, in the same memory, as separate runs of x, y and row (see
//! [`Leaf`]). The sort is a counting sort over the [`COLUMNS`] of a block. It is stable, so rows of one column stay in
//! row order. Records that come in the order of columns, because rows are in the order of space and rest, are only taken
//! apart. A bucket that wrapped (see [`Layout`]) holds several strips or blocks; it is split by comparison and
//! becomes several leaves.

use crate::layout::{COLUMNS, Layout, Place};
use crate::leaf::{Bounds, Leaf};
use std::ops::Range;
use throng_core::Arena;
use throng_core::buckets::{ColumnCounters, transpose};

/// Working memory of one task's sorts, with room for the largest bucket.
pub(crate) struct SortScratch<'a> {
    /// Which counter each of the bucket's records has, in record order.
    counters: &'a mut [u16],
    sorted: &'a mut [u32],
    /// Strip, column and index of each record, and its rank. Only for buckets that wrapped.
    order: &'a mut [(i32, i32, u32)],
    ranks: &'a mut [u32],
}

impl<'a> SortScratch<'a> {
    /// How many bytes of an arena a scratch takes.
    pub fn bytes(records: usize, words: usize, may_wrap: bool) -> usize {
        const ALIGNMENT: usize = 64;
        let wrapped = if may_wrap {
            size_of::<(i32, i32, u32)>() + size_of::<u32>()
        } else {
            0
        };
        records * (size_of::<u16>() + words * size_of::<u32>() + wrapped) + ALIGNMENT
    }

    pub fn new(arena: &'a Arena, records: usize, words: usize, may_wrap: bool) -> Self {
        let wrapped = if may_wrap { records } else { 0 };
        Self {
            counters: arena.alloc_slice_fill(records, 0),
            sorted: arena.alloc_slice_fill(records * words, 0),
            order: arena.alloc_slice_fill(wrapped, (0, 0, 0)),
            ranks: arena.alloc_slice_fill(wrapped, 0),
        }
    }
}

/// One bucket's memory and the runs of records in it.
pub(crate) struct Bucket<'a> {
    /// All words of the bucket.
    pub words: &'a mut [u32],
    /// Where `words` begins in the grid's memory.
    pub offset: u32,
    /// Whether it can hold more than one strip or block.
    pub may_wrap: bool,
}

impl Bucket<'_> {
    /// The records of one of the bucket's runs.
    #[inline(always)]
    fn records<const WORDS: usize>(&self, run: &Range<usize>) -> &[[u32; WORDS]] {
        self.words[run.start * WORDS..run.end * WORDS].as_chunks().0
    }

    /// The leaf of a run of the bucket's `sorted` records.
    #[inline(always)]
    fn leaf(&self, sorted: &[u32], records: usize, run: Range<usize>, place: Place) -> Leaf {
        let xs: &[f32] = bytemuck::cast_slice(&sorted[run.clone()]);
        let ys: &[f32] = bytemuck::cast_slice(&sorted[records..][run.clone()]);
        Leaf {
            strip: place.strip,
            block: place.block(),
            start: self.offset + run.start as u32,
            stride: records as u32,
            len: run.len() as u32,
            bounds: Bounds::of(xs, ys),
        }
    }
}

/// Sorts a bucket whose runs of records are `runs` (in records, relative to the bucket) and appends its leaves. Inlined
/// into a function for each instruction set; plain loops, because closures would not be inlined.
#[inline(always)]
pub(crate) fn sort_bucket<const WORDS: usize>(
    layout: &Layout,
    bucket: Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    leaves: &mut Vec<Leaf>,
) {
    let count = runs.iter().map(Range::len).sum::<usize>();
    let Some(first) = runs.iter().find(|run| !run.is_empty()) else {
        return;
    };
    let place = place_of(layout, &bucket.records::<WORDS>(first)[0]);
    if bucket.may_wrap && is_mixed::<WORDS>(layout, &bucket, runs, place) {
        sort_mixed::<WORDS>(layout, bucket, runs, scratch, leaves);
        return;
    }
    let counters = &mut scratch.counters[..count];
    let sorted = &mut scratch.sorted[..count * WORDS];
    let mut done = 0;
    for run in runs {
        let records = bucket.records::<WORDS>(run);
        for (counter, record) in counters[done..].iter_mut().zip(records) {
            *counter = Counters::counter_of(layout.columns.cell(f32::from_bits(record[0])));
        }
        done += records.len();
    }
    shuffle_by_column::<WORDS>(&bucket, runs, counters, sorted);
    bucket.words[..count * WORDS].copy_from_slice(sorted);
    leaves.push(bucket.leaf(sorted, count, 0..count, place));
}

#[inline(always)]
fn place_of<const WORDS: usize>(layout: &Layout, record: &[u32; WORDS]) -> Place {
    layout.place(f32::from_bits(record[0]), f32::from_bits(record[1]))
}

/// Whether a record is in another strip or block than `place`.
#[inline(always)]
fn is_mixed<const WORDS: usize>(
    layout: &Layout,
    bucket: &Bucket<'_>,
    runs: &[Range<usize>],
    place: Place,
) -> bool {
    let mut mixed = false;
    for run in runs {
        for record in bucket.records::<WORDS>(run) {
            let other = place_of(layout, record);
            mixed |= (other.strip != place.strip) | (other.block() != place.block());
        }
    }
    mixed
}

/// One for each column of a block.
type Counters = ColumnCounters<{ COLUMNS / 16 }>;
const _: () = assert!(Counters::COLUMNS == COLUMNS);

/// Counting sort: histogram, prefix sum, scatter into one run for each word of the record. `counters` says which
/// counter each record has. Records that are sorted already are only copied.
#[inline(always)]
fn shuffle_by_column<const WORDS: usize>(
    bucket: &Bucket<'_>,
    runs: &[Range<usize>],
    counters: &[u16],
    sorted: &mut [u32],
) {
    // Prefetches the same index of the next bucket, which is sorted next.
    let ahead = bucket.words.len();
    let count = counters.len();
    let mut rest = sorted;
    let mut words: [&mut [u32]; WORDS] = std::array::from_fn(|_| {
        let (word, later) = std::mem::take(&mut rest).split_at_mut(count);
        rest = later;
        word
    });
    let mut done = 0;
    if Counters::ascend(counters) {
        for run in runs {
            let records = bucket.records::<WORDS>(run);
            let mut words = words.each_mut().map(|word| &mut word[done..]);
            transpose(records, ahead, &mut words);
            done += records.len();
        }
        return;
    }
    let mut next = Counters::EMPTY;
    next.begin(counters);
    for run in runs {
        let records = bucket.records::<WORDS>(run);
        next.scatter(records, &counters[done..], ahead, &mut words);
        done += records.len();
    }
}

/// Splits a bucket by comparison: one leaf for each strip and block in it.
#[cold]
#[inline(never)]
fn sort_mixed<const WORDS: usize>(
    layout: &Layout,
    bucket: Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    leaves: &mut Vec<Leaf>,
) {
    let count = runs.iter().map(Range::len).sum::<usize>();
    let order = &mut scratch.order[..count];
    let ranks = &mut scratch.ranks[..count];
    let sorted = &mut scratch.sorted[..count * WORDS];
    let records = || runs.iter().flat_map(|run| bucket.records::<WORDS>(run));

    for ((index, record), key) in (0_u32..).zip(records()).zip(order.iter_mut()) {
        let place = place_of(layout, record);
        *key = (place.strip, place.column, index);
    }
    order.sort_unstable();
    for (rank, key) in (0_u32..).zip(order.iter()) {
        ranks[key.2 as usize] = rank;
    }
    for (record, &at) in records().zip(ranks.iter()) {
        for word in 0..WORDS {
            sorted[word * count + at as usize] = record[word];
        }
    }
    bucket.words[..count * WORDS].copy_from_slice(sorted);

    let place = |&(strip, column, _): &(i32, i32, u32)| Place { strip, column };
    let together = |a: &_, b: &_| {
        let (a, b) = (place(a), place(b));
        (a.strip, a.block()) == (b.strip, b.block())
    };
    let mut start = 0;
    for group in order.chunk_by(together) {
        let run = start..start + group.len();
        start = run.end;
        leaves.push(bucket.leaf(sorted, count, run, place(&group[0])));
    }
}
