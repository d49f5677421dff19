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
use std::{mem, slice};
use throng_core::Arena;
use throng_core::buckets::{ColumnCounters, copy, transpose};
use throng_core::lanes::Lanes;

/// Working memory of one task's sorts, with room for the largest bucket.
pub(crate) struct SortScratch<'a> {
    /// Which counter each of the bucket's records has, in record order.
    counters: &'a mut [u16],
    /// Where the next record of each column goes; kept from one sort to the next.
    next: &'a mut Counters,
    sorted: &'a mut [u32],
    /// Strip, block and position of each record, and where each of the groups that they form ends. Only for buckets that
    /// wrapped.
    places: &'a mut [(i32, i32, u32)],
    ends: &'a mut [u32],
}

impl<'a> SortScratch<'a> {
    /// How many bytes of an arena a scratch takes.
    pub fn bytes(records: usize, words: usize, may_wrap: bool) -> usize {
        const ALIGNMENT: usize = 64 + align_of::<Counters>();
        let wrapped = if may_wrap {
            size_of::<(i32, i32, u32)>() + size_of::<u32>()
        } else {
            0
        };
        let records = records * (size_of::<u16>() + words * size_of::<u32>() + wrapped);
        records + size_of::<Counters>() + ALIGNMENT
    }

    pub fn new(arena: &'a Arena, records: usize, words: usize, may_wrap: bool) -> Self {
        let wrapped = if may_wrap { records } else { 0 };
        Self {
            counters: arena.alloc_slice_fill(records, 0),
            next: arena.alloc(Counters::EMPTY),
            sorted: arena.alloc_slice_fill(records * words, 0),
            places: arena.alloc_slice_fill(wrapped, (0, 0, 0)),
            ends: arena.alloc_slice_fill(wrapped, 0),
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

    /// The leaf of the bucket's records, once they are columns.
    #[inline(always)]
    fn leaf<const WORDS: usize>(&self, records: usize, place: Place) -> Leaf {
        let xs: &[f32] = bytemuck::cast_slice(&self.words[..records]);
        let ys: &[f32] = bytemuck::cast_slice(&self.words[records..2 * records]);
        Leaf {
            strip: place.strip,
            block: place.block(),
            start: self.offset,
            len: records as u32,
            stride: records as u32,
            room: (self.words.len() / WORDS) as u32,
            bounds: Bounds::of(xs, ys),
        }
    }

    /// Takes the memory of the bucket's first records.
    #[inline(always)]
    fn split_off<const WORDS: usize>(&mut self, records: usize) -> Self {
        let (words, rest) = mem::take(&mut self.words).split_at_mut(records * WORDS);
        self.words = rest;
        let offset = self.offset;
        self.offset += words.len() as u32;
        Self {
            words,
            offset,
            ..*self
        }
    }
}

/// Sorts a bucket whose runs of records are `runs` (in records, relative to the bucket) and appends its leaves. Inlined
/// into a function for each instruction set; plain loops, because closures would not be inlined.
#[inline(always)]
pub(crate) fn sort_bucket<const WORDS: usize, L: Lanes>(
    lanes: L,
    layout: &Layout,
    mut bucket: Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    leaves: &mut Vec<Leaf>,
) {
    if !bucket.may_wrap || !is_mixed::<WORDS>(layout, &bucket, runs) {
        sort_leaf::<WORDS, L>(lanes, layout, bucket, runs, scratch, leaves);
        return;
    }
    let groups = bring_together::<WORDS>(layout, &mut bucket, runs, scratch);
    let mut first = 0;
    for group in 0..groups {
        let end = scratch.ends[group] as usize;
        let one = bucket.split_off::<WORDS>(end - first);
        let run = 0..end - first;
        sort_leaf::<WORDS, L>(lanes, layout, one, slice::from_ref(&run), scratch, leaves);
        first = end;
    }
}

/// Sorts records of one strip and block, and appends their leaf if there are any.
#[inline(always)]
fn sort_leaf<const WORDS: usize, L: Lanes>(
    lanes: L,
    layout: &Layout,
    bucket: Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
    leaves: &mut Vec<Leaf>,
) {
    let Some(first) = runs.iter().find(|run| !run.is_empty()) else {
        return;
    };
    let place = place_of(layout, &bucket.records::<WORDS>(first)[0]);
    let count = runs.iter().map(Range::len).sum::<usize>();
    let counters = &mut scratch.counters[..count];
    let sorted = &mut scratch.sorted.as_chunks_mut().0[..count];
    let mut done = 0;
    for run in runs {
        let records = bucket.records::<WORDS>(run);
        for (counter, record) in counters[done..].iter_mut().zip(records) {
            *counter = Counters::counter_of(layout.columns.cell(f32::from_bits(record[0])));
        }
        done += records.len();
    }
    let (counters, next) = (&*counters, &mut *scratch.next);
    shuffle_by_column::<WORDS, L>(lanes, &bucket, runs, (counters, next), sorted);
    transpose(sorted, columns_of::<WORDS>(bucket.words, count));
    leaves.push(bucket.leaf::<WORDS>(count, place));
}

#[inline(always)]
fn place_of<const WORDS: usize>(layout: &Layout, record: &[u32; WORDS]) -> Place {
    layout.place(f32::from_bits(record[0]), f32::from_bits(record[1]))
}

/// Whether records are in different strips or blocks.
#[inline(always)]
fn is_mixed<const WORDS: usize>(
    layout: &Layout,
    bucket: &Bucket<'_>,
    runs: &[Range<usize>],
) -> bool {
    let Some(first) = runs.iter().find(|run| !run.is_empty()) else {
        return false;
    };
    let place = place_of(layout, &bucket.records::<WORDS>(first)[0]);
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
type Counters = ColumnCounters<{ COLUMNS / 128 }>;
const _: () = assert!(Counters::COLUMNS == COLUMNS);

/// Counting sort: histogram, prefix sum, scatter. `counters` says which counter each record has; `next` is overwritten. Records
/// that are sorted already are only copied.
#[inline(always)]
fn shuffle_by_column<const WORDS: usize, L: Lanes>(
    lanes: L,
    bucket: &Bucket<'_>,
    runs: &[Range<usize>],
    (counters, next): (&[u16], &mut Counters),
    sorted: &mut [[u32; WORDS]],
) {
    // Prefetches the same index of the next bucket, which is sorted next.
    let ahead = bucket.words.len();
    let mut done = 0;
    if Counters::ascend(counters) {
        for run in runs {
            let records = bucket.records::<WORDS>(run);
            copy(records, ahead, &mut sorted[done..done + records.len()]);
            done += records.len();
        }
        return;
    }
    next.begin(lanes, counters);
    for run in runs {
        let records = bucket.records::<WORDS>(run);
        next.scatter(records, &counters[done..], ahead, sorted);
        done += records.len();
    }
}

/// The first words of a bucket, as a column of `count` for each word of a record.
#[inline(always)]
fn columns_of<const WORDS: usize>(mut words: &mut [u32], count: usize) -> [&mut [u32]; WORDS] {
    std::array::from_fn(|_| {
        let (column, rest) = mem::take(&mut words).split_at_mut(count);
        words = rest;
        column
    })
}

/// This many groups are picked out of a bucket in a pass each; what is left then is sorted by comparison.
const FEW_PLACES: usize = 8;

/// Brings the records of each strip and block together, without changing their order among themselves, at the beginning of
/// the bucket. Returns how many groups there are.
#[cold]
#[inline(never)]
fn bring_together<const WORDS: usize>(
    layout: &Layout,
    bucket: &mut Bucket<'_>,
    runs: &[Range<usize>],
    scratch: &mut SortScratch<'_>,
) -> usize {
    let (all, _) = bucket.words.as_chunks::<WORDS>();
    let (sorted, _) = scratch.sorted.as_chunks_mut::<WORDS>();
    let mut count = 0;
    for position in runs.iter().flat_map(Range::clone) {
        let place = place_of(layout, &all[position]);
        scratch.places[count] = (place.strip, place.block(), position as u32);
        count += 1;
    }
    let mut rest = &mut scratch.places[..count];
    let (mut groups, mut done) = (0, 0);
    while let Some(&mut (strip, block, _)) = rest.first_mut()
        && groups < FEW_PLACES
    {
        let mut left = 0;
        for index in 0..rest.len() {
            let other = rest[index];
            // Both are written, and one of them counts: a branch here would be mispredicted about every other time.
            sorted[done] = all[other.2 as usize];
            rest[left] = other;
            let is_alike = (other.0, other.1) == (strip, block);
            done += usize::from(is_alike);
            left += usize::from(!is_alike);
        }
        scratch.ends[groups] = done as u32;
        groups += 1;
        rest = &mut rest[..left];
    }
    rest.sort_unstable();
    for group in rest.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for record in group {
            sorted[done] = all[record.2 as usize];
            done += 1;
        }
        scratch.ends[groups] = done as u32;
        groups += 1;
    }
    bucket.words[..count * WORDS].copy_from_slice(sorted[..count].as_flattened());
    groups
}

#[cfg(test)]
mod tests {
    use crate::Points;
    use crate::buckets::{Buckets, Said};
    use crate::layout::{COLUMNS, Layout};
    use crate::leaf::Leaf;
    use throng_core::cell::CellMap;
    use throng_core::{Serial, Simd};

    /// Strip, block, and column and row of each record.
    type Found = (i32, i32, Vec<(i32, u32)>);

    /// What is in each leaf, if `places` side by side share the only bucket.
    fn leaves_of(rows: u32, places: u32) -> Vec<Found> {
        let layout = Layout {
            strips: CellMap::new(0.0, 1.0),
            columns: CellMap::new(0.0, 1.0),
            strip_bits: 0,
            block_bits: 0,
        };
        let scrambled = |row: u32| row.wrapping_mul(2_654_435_769) >> 7;
        let place = |row: u32| scrambled(row) % places;
        let column = |row: u32| (scrambled(row) >> 8) % 11;
        let xs: Vec<f32> = (0..rows)
            .map(|row| (place(row) / 3 * COLUMNS as u32 + column(row)) as f32)
            .collect();
        let ys: Vec<f32> = (0..rows).map(|row| (place(row) % 3) as f32).collect();
        let mut buckets = Buckets::default();
        let simd = Simd::new(None).expect("the best there is");
        let points = Points::new(&xs, &ys);
        buckets.distribute::<3>(points, Said::Numbers, ([0.5; 2], layout), simd, &Serial);
        let mut leaves = Vec::new();
        buckets.sort::<3>(&layout, simd, &Serial, &mut leaves);
        leaves.sort_unstable_by_key(Leaf::place);
        let seen = |leaf: Leaf| {
            let words = |word: usize| {
                let start = leaf.start as usize + word * leaf.len as usize;
                &buckets.words()[start..start + leaf.len as usize]
            };
            let columns = words(0)
                .iter()
                .map(|&x| layout.columns.cell(f32::from_bits(x)));
            let rows = columns.zip(words(2).iter().copied());
            let rows: Vec<_> = rows.collect();
            for &(column, row) in &rows {
                assert_eq!(layout.columns.cell(xs[row as usize]), column);
                assert_eq!(layout.strips.cell(ys[row as usize]), leaf.strip);
                assert_eq!(column.div_euclid(COLUMNS as i32), leaf.block);
            }
            (leaf.strip, leaf.block, rows)
        };
        leaves.into_iter().map(seen).collect()
    }

    /// Few places, as many as are picked out one by one, more, and so many that each has a row.
    #[test]
    fn places_that_share_a_bucket_become_leaves_of_their_own() {
        for places in [1, 2, 3, 7, 8, 9, 10, 30, 500] {
            let rows = 700;
            let leaves = leaves_of(rows, places);
            assert!(
                leaves.is_sorted_by(|a, b| (a.0, a.1) < (b.0, b.1)),
                "{places} places"
            );
            if places <= 30 {
                assert_eq!(leaves.len(), places as usize);
            }
            assert!(
                leaves.iter().all(|leaf| leaf.2.is_sorted()),
                "{places} places"
            );
            let mut all: Vec<_> = leaves
                .iter()
                .flat_map(|leaf| &leaf.2)
                .map(|&(_, row)| row)
                .collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..rows), "{places} places");
        }
    }
}
