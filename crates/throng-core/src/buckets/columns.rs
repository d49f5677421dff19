//! A counting sort by column.

use std::array;
use std::mem;
use std::ops::Range;

use crate::LANES;
use crate::lanes::Lanes;
use crate::prefetch::prefetch_ahead;

/// How many columns are in a block, which is cleared and summed as one. Only the blocks from the first to the last with records
/// are; in a small world most blocks have none.
const BLOCK: usize = 128;

/// Groups of columns in a block: so many are summed side by side, each a chain of sums of its own.
const GROUPS: usize = 8;

/// Columns in each group.
const ROWS: usize = BLOCK / GROUPS;

/// How many records are in each of `128 * BLOCKS` columns; or, once summed, the index at which the next record of each
/// column goes.
///
/// In a block, counters are in rows of one for each group, so that their prefix sum is a few sums of whole rows instead of one
/// long chain. A block is one piece of memory, aligned so that no row is in two lines of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct ColumnCounters<const BLOCKS: usize>([[u32; BLOCK]; BLOCKS]);

impl<const BLOCKS: usize> ColumnCounters<BLOCKS> {
    /// How many columns there are, a power of two.
    pub const COLUMNS: usize = {
        let columns = BLOCK * BLOCKS;
        assert!(columns.is_power_of_two() && columns <= 1 << 16);
        columns
    };

    /// Which counter counts a column. Columns wrap around.
    #[inline(always)]
    pub fn counter_of(column: i32) -> u16 {
        let column = column as usize & (Self::COLUMNS - 1);
        let (block, group, row) = (column / BLOCK, column / ROWS % GROUPS, column % ROWS);
        (block * BLOCK + row * GROUPS + group) as u16
    }

    /// Whether records with these `counters` are sorted already, as those of rows in the order of space are until they
    /// move. If they are not, that usually shows at once.
    #[inline(always)]
    pub fn ascend(counters: &[u16]) -> bool {
        const AT_ONCE: usize = 64;
        let later = counters.get(1..).unwrap_or_default();
        for (these, next) in counters.chunks(AT_ONCE).zip(later.chunks(AT_ONCE)) {
            let mut ascend = true;
            for (&one, &other) in these.iter().zip(next) {
                ascend &= Self::column_of(one) <= Self::column_of(other);
            }
            if !ascend {
                return false;
            }
        }
        true
    }

    /// Which of the columns a counter counts.
    #[inline(always)]
    fn column_of(counter: u16) -> u16 {
        let (groups, rows) = (GROUPS as u16, ROWS as u16);
        let (place, group) = (counter / groups, counter % groups);
        let (block, row) = (place / rows, place % rows);
        (block * groups + group) * rows + row
    }

    /// No counts. To be filled in place, and kept from one sort to the next: it is kilobytes, and copying it, or clearing all of
    /// it, would be a noticeable cost of a sort.
    pub const EMPTY: Self = Self([[0; BLOCK]; BLOCKS]);

    /// Sets each counter that is in use, whatever it was, to where its column begins in the sorted order of records, whose counters
    /// are these.
    #[inline(always)]
    pub fn begin<L: Lanes>(&mut self, lanes: L, counters: &[u16]) {
        let used = Self::blocks_of(counters);
        self.0[used.clone()].as_flattened_mut().fill(0);
        let counts = self.0.as_flattened_mut();
        for &counter in counters {
            counts[counter as usize & (Self::COLUMNS - 1)] += 1;
        }
        let mut before = 0;
        for block in &mut self.0[used] {
            before = begin_each_column(lanes, block, before);
        }
    }

    /// Which blocks hold all records with these `counters`.
    #[inline(always)]
    fn blocks_of(counters: &[u16]) -> Range<usize> {
        let (mut first, mut last) = (u16::MAX, 0);
        for &counter in counters {
            first = first.min(counter);
            last = last.max(counter);
        }
        let end = (last as usize / BLOCK + 1).min(BLOCKS);
        // Empty if there are no records.
        (first as usize / BLOCK).min(end)..end
    }

    /// Moves each record to the next index of its column. `counters` says which counter each record has. Prefetches what is `ahead`
    /// words after a record, which is sorted next.
    #[inline(always)]
    pub fn scatter<const WORDS: usize>(
        &mut self,
        records: &[[u32; WORDS]],
        counters: &[u16],
        ahead: usize,
        sorted: &mut [[u32; WORDS]],
    ) {
        let next = self.0.as_flattened_mut();
        for (record, &counter) in records.iter().zip(counters) {
            prefetch_ahead(record, ahead);
            let slot = &mut next[counter as usize & (Self::COLUMNS - 1)];
            let at = *slot as usize;
            // Before the record is written, so that the next of its column need not wait for that.
            *slot += 1;
            sorted[at] = *record;
        }
    }
}

/// Turns the counts of a block into the index at which each column begins, in column order, where `before` records precede the
/// block. Returns how many records there are up to the end of the block.
#[inline(always)]
fn begin_each_column<L: Lanes>(lanes: L, block: &mut [u32; BLOCK], mut before: u32) -> u32 {
    // How many are in earlier columns of the same group, and how many in the group.
    let mut sums = [0; GROUPS];
    for row in block.as_chunks_mut::<GROUPS>().0 {
        for (sum, count) in sums.iter_mut().zip(row) {
            let before = *sum;
            *sum += *count;
            *count = before;
        }
    }
    for sum in &mut sums {
        before += mem::replace(sum, before);
    }
    // Two rows at a time, in lanes: of a plain loop over rows and groups, the compiler made gathers and scatters.
    let sums = lanes.load_words(&array::from_fn(|lane| sums[lane % GROUPS]));
    for rows in block.as_chunks_mut::<LANES>().0 {
        lanes.store_words(rows, lanes.add_words(lanes.load_words(rows), sums));
    }
    before
}

/// Copies records, and prefetches as [`ColumnCounters::scatter`] does: all that is left of a sort if they are sorted already.
///
/// # Panics
///
/// If there are not as many `sorted` as `records`.
#[inline(always)]
pub fn copy<const WORDS: usize>(
    records: &[[u32; WORDS]],
    ahead: usize,
    sorted: &mut [[u32; WORDS]],
) {
    const WORDS_IN_LINE: usize = 16;
    for line in records.as_flattened().chunks(WORDS_IN_LINE) {
        prefetch_ahead(line, ahead);
    }
    sorted.copy_from_slice(records);
}

/// Moves the words of each record to an array of their own, without changing the order.
///
/// # Panics
///
/// If an array of `columns` is shorter than `records`.
#[inline(always)]
pub fn transpose<const WORDS: usize>(records: &[[u32; WORDS]], columns: [&mut [u32]; WORDS]) {
    // All of one length and record by record, so that it becomes shuffles of vectors, and no walk for each word.
    let columns = columns.map(|column| &mut column[..records.len()]);
    for (index, record) in records.iter().enumerate() {
        for word in 0..WORDS {
            columns[word][index] = record[word];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simd;
    use crate::lanes::Kernel;
    use crate::simd::SimdLevel;

    struct Begin<'a, const BLOCKS: usize>(&'a mut ColumnCounters<BLOCKS>, &'a [u16]);

    impl<const BLOCKS: usize> Kernel for Begin<'_, BLOCKS> {
        type Output = ();

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) {
            self.0.begin(lanes, self.1);
        }
    }

    fn instruction_sets() -> impl Iterator<Item = Simd> {
        let sets = SimdLevel::available().iter();
        sets.map(|&level| Simd::new(Some(level)).expect("it is available"))
    }

    /// Sorts records of one range of columns after another, with the same [`ColumnCounters`].
    fn columns_begin_where_the_ones_before_them_end<const BLOCKS: usize>(simd: Simd) {
        let columns = ColumnCounters::<BLOCKS>::COLUMNS;
        let count = |column: usize| column * 7 % 5;
        let counter_of = |column: usize| ColumnCounters::<BLOCKS>::counter_of(column as i32);
        let mut counters = ColumnCounters::<BLOCKS>::EMPTY;
        let ends = [0, 1, 3, 127, 128, 129, 130, columns - 1, columns];
        for first in ends {
            for end in ends
                .into_iter()
                .filter(|&end| end >= first && end <= columns)
            {
                let each = (first..end).flat_map(|column| vec![counter_of(column); count(column)]);
                simd.run(Begin(&mut counters, &each.collect::<Vec<_>>()));
                let mut expected = 0;
                for column in first..end {
                    let begin = counters.0.as_flattened()[counter_of(column) as usize];
                    if count(column) > 0 {
                        let which = format!("column {column} of {first}..{end}");
                        assert_eq!(begin as usize, expected, "{which} of {columns}");
                    }
                    expected += count(column);
                }
            }
        }
    }

    #[test]
    fn any_number_of_columns_begin_where_the_ones_before_them_end() {
        for simd in instruction_sets() {
            columns_begin_where_the_ones_before_them_end::<1>(simd);
            columns_begin_where_the_ones_before_them_end::<2>(simd);
            columns_begin_where_the_ones_before_them_end::<8>(simd);
            columns_begin_where_the_ones_before_them_end::<16>(simd);
        }
    }

    /// Which counter each of some columns has, and whether they ascend.
    fn ascend(columns: &[i32]) -> bool {
        let counters: Vec<_> = columns
            .iter()
            .map(|&column| ColumnCounters::<8>::counter_of(column))
            .collect();
        let ascend = ColumnCounters::<8>::ascend(&counters);
        assert_eq!(ascend, columns.is_sorted(), "{columns:?}");
        ascend
    }

    #[test]
    fn one_inversion_anywhere_is_noticed() {
        for len in [0, 1, 2, 15, 16, 17, 63, 64, 65, 66, 127, 128, 129, 1000] {
            let mut columns: Vec<i32> = (0..len).collect();
            assert!(ascend(&columns));
            assert!(ascend(&vec![1023; columns.len()]), "all in one column");
            for at in 1..columns.len() {
                columns.swap(at - 1, at);
                assert!(!ascend(&columns), "an inversion at {at} of {len}");
                columns.swap(at - 1, at);
            }
            columns.reverse();
            assert_eq!(ascend(&columns), len < 2);
        }
    }

    #[test]
    fn columns_of_counters_are_those_that_they_count() {
        for column in 0..1024 {
            let counter = ColumnCounters::<8>::counter_of(column);
            assert_eq!(i32::from(ColumnCounters::<8>::column_of(counter)), column);
        }
    }

    #[test]
    fn copied_and_transposed_records_keep_their_order() {
        for len in [0, 1, 15, 16, 17, 33, 100] {
            let records: Vec<[u32; 3]> = (0..len).map(|k| [k, k + 1000, k + 2000]).collect();
            let mut copied = vec![[0; 3]; records.len()];
            copy(&records, 0, &mut copied);
            assert_eq!(copied, records);
            // One array is longer, and keeps what it has there.
            let mut columns = [0, 0, 1].map(|more| vec![7; len as usize + more]);
            transpose(&copied, columns.each_mut().map(|column| &mut column[..]));
            for (word, column) in (0..).zip(&columns) {
                let expected = (0..len).map(|k| k + word * 1000);
                assert!(
                    column
                        .iter()
                        .copied()
                        .eq(expected.chain((word == 2).then_some(7)))
                );
            }
        }
    }

    #[test]
    fn records_are_scattered_by_column_and_keep_their_order_in_it() {
        let column_of = |k: u32| k * 37 % 61;
        let records: Vec<[u32; 2]> = (0..500).map(|k| [column_of(k), k]).collect();
        let counter_of = |record: &[u32; 2]| ColumnCounters::<1>::counter_of(record[0] as i32);
        let counters: Vec<_> = records.iter().map(counter_of).collect();
        let mut expected = records.clone();
        expected.sort_by_key(|record| record[0]);
        for simd in instruction_sets() {
            let mut sorted = vec![[0; 2]; 500];
            let mut next = ColumnCounters::<1>::EMPTY;
            simd.run(Begin(&mut next, &counters));
            // In two runs, as a bucket of two parts has.
            for run in [0..200, 200..500] {
                next.scatter(&records[run.clone()], &counters[run], 0, &mut sorted);
            }
            assert_eq!(sorted, expected);
        }
    }
}
