//! The second pass of a build: each bucket is sorted by column, inside L1, and becomes a leaf.
//!
//! A bucket's records come in as triples and go out, in the very same memory, as separate runs of x, y
//! and row (see [`Leaf`]). The sort is a counting sort over the [`COLUMNS`] of a block and stable, so
//! rows of one column stay in row order. A bucket that wrapped (see [`Layout`]) holds several strips or
//! blocks; it is taken apart by comparison and becomes several leaves.

use crate::layout::{COLUMNS, Layout};
use crate::leaf::{Bounds, Leaf};
use std::ops::Range;
use throng_core::Arena;

/// Working memory of one task's sorts, with room for the largest bucket there is.
pub(crate) struct SortScratch<'a> {
    /// Local columns of the bucket's records, in record order.
    columns: &'a mut [u16],
    sorted: &'a mut [u32],
    /// Strip, column and index of each record, and its rank. Only for buckets that wrapped.
    order: &'a mut [(i32, i32, u32)],
    ranks: &'a mut [u32],
}

impl<'a> SortScratch<'a> {
    /// Bytes that a scratch takes from an arena.
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
            columns: arena.alloc_slice_fill(records, 0),
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

/// Sorts a bucket whose runs of records are `runs` (in records, relative to the bucket) and appends its
/// leaves. Inlined into a function per instruction set.
#[inline(always)]
pub(crate) fn sort_bucket<const WORDS: usize>(
    layout: &Layout,
    bucket: Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    leaves: &mut Vec<Leaf>,
) {
    let count = runs.iter().map(Range::len).sum::<usize>();
    if count == 0 {
        return;
    }
    let (columns, sorted) = (
        &mut scratch.columns[..count],
        &mut scratch.sorted[..count * WORDS],
    );

    // Columns of all records, in record order.
    let mut rest = &mut columns[..];
    for run in runs {
        let (now, later) = rest.split_at_mut(run.len());
        let (records, _) = bucket.words[run.start * WORDS..run.end * WORDS].as_chunks::<WORDS>();
        for (column, record) in now.iter_mut().zip(records) {
            *column = layout.columns.cell(f32::from_bits(record[0])) as u16 & (COLUMNS - 1) as u16;
        }
        rest = later;
    }

    let first = runs
        .iter()
        .find(|run| !run.is_empty())
        .map_or(0, |run| run.start * WORDS);
    let place = layout.place(
        f32::from_bits(bucket.words[first]),
        f32::from_bits(bucket.words[first + 1]),
    );
    let (strip, block) = (place.strip, place.block());
    let words = &*bucket.words;
    let records = runs.iter().flat_map(|run| {
        words[run.start * WORDS..run.end * WORDS]
            .as_chunks::<WORDS>()
            .0
    });
    let wrapped = bucket.may_wrap
        && records.clone().any(|record| {
            let other = layout.place(f32::from_bits(record[0]), f32::from_bits(record[1]));
            (other.strip, other.block()) != (strip, block)
        });
    if wrapped {
        let (order, ranks) = (&mut scratch.order[..count], &mut scratch.ranks[..count]);
        for ((index, record), key) in (0_u32..).zip(records.clone()).zip(order.iter_mut()) {
            let place = layout.place(f32::from_bits(record[0]), f32::from_bits(record[1]));
            *key = (place.strip, place.column, index);
        }
        order.sort_unstable();
        for (rank, key) in (0_u32..).zip(order.iter()) {
            ranks[key.2 as usize] = rank;
        }
        shuffle_by_rank::<WORDS>(records, ranks, sorted);
    } else {
        shuffle_by_column::<WORDS>(words, runs, columns, sorted);
    }

    bucket.words[..count * WORDS].copy_from_slice(sorted);
    let mut push = |strip, block, run: Range<usize>| {
        let xs: &[f32] = bytemuck::cast_slice(&sorted[run.clone()]);
        let ys: &[f32] = bytemuck::cast_slice(&sorted[count..][run.clone()]);
        leaves.push(Leaf {
            strip,
            block,
            start: bucket.offset + run.start as u32,
            stride: count as u32,
            len: run.len() as u32,
            bounds: Bounds::of(xs, ys),
        });
    };
    if wrapped {
        let block_of = |column: i32| crate::layout::Place { strip: 0, column }.block();
        let mut start = 0;
        let order = &scratch.order[..count];
        for group in order.chunk_by(|a, b| (a.0, block_of(a.1)) == (b.0, block_of(b.1))) {
            push(group[0].0, block_of(group[0].1), start..start + group.len());
            start += group.len();
        }
    } else {
        push(strip, block, 0..count);
    }
}

/// Counting sort: histogram, prefix sum, scatter into one run per word of the record.
#[inline(always)]
fn shuffle_by_column<const WORDS: usize>(
    words: &[u32],
    runs: &[Range<usize>],
    columns: &[u16],
    sorted: &mut [u32],
) {
    let mut next = [0_u32; COLUMNS];
    for &column in columns {
        next[column as usize & (COLUMNS - 1)] += 1;
    }
    let mut sum = 0;
    for slot in &mut next {
        sum += std::mem::replace(slot, sum);
    }
    let count = columns.len();
    debug_assert_eq!(sum as usize, count);
    let mut columns = columns.iter();
    for run in runs {
        let (records, _) = words[run.start * WORDS..run.end * WORDS].as_chunks::<WORDS>();
        for (record, &column) in records.iter().zip(columns.by_ref()) {
            let slot = &mut next[column as usize & (COLUMNS - 1)];
            let at = *slot as usize;
            *slot += 1;
            for word in 0..WORDS {
                sorted[word * count + at] = record[word];
            }
        }
    }
}

/// The same for a wrapped bucket, where each record's rank has been found by comparison.
#[cold]
fn shuffle_by_rank<'a, const WORDS: usize>(
    records: impl Iterator<Item = &'a [u32; WORDS]>,
    ranks: &[u32],
    sorted: &mut [u32],
) {
    for (record, &at) in records.zip(ranks) {
        for word in 0..WORDS {
            sorted[word * ranks.len() + at as usize] = record[word];
        }
    }
}
