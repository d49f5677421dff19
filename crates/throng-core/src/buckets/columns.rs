//! A counting sort by column.

use std::ops::Range;

use crate::prefetch::prefetch_ahead;

/// Rows of counters.
const ROWS: usize = 16;

/// How many groups, of sixteen columns each, are cleared and summed at once: a vector of counters.
const GROUPS_AT_ONCE: usize = 8;

/// How many records are in each of `16 * GROUPS` columns; or, once summed, the index at which the next record of each
/// column goes.
///
/// Counters are kept in 16 rows of `GROUPS`, column `c` in row `c % 16`, so that their prefix sum is a few sums of whole
/// rows instead of one long chain. They are aligned, so that no vector of them is in two lines of the cache. Only runs of
/// eight groups from the first to the last with records are cleared and summed; other counters are left as they are, which
/// in a small world is most of them.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct ColumnCounters<const GROUPS: usize>([[u32; GROUPS]; ROWS]);

impl<const GROUPS: usize> ColumnCounters<GROUPS> {
    /// How many columns there are, a power of two.
    pub const COLUMNS: usize = {
        let columns = ROWS * GROUPS;
        assert!(columns.is_power_of_two() && columns <= 1 << 16);
        assert!(GROUPS.is_multiple_of(GROUPS_AT_ONCE));
        columns
    };

    /// Which counter counts a column. Columns wrap around.
    #[inline(always)]
    pub fn counter_of(column: i32) -> u16 {
        let column = column as usize & (Self::COLUMNS - 1);
        ((column % ROWS) * GROUPS + column / ROWS) as u16
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
        (counter % GROUPS as u16) * ROWS as u16 + counter / GROUPS as u16
    }

    /// No counts. To be filled in place, and kept from one sort to the next: it is kilobytes, and copying it, or clearing all of
    /// it, would be a noticeable cost of a sort.
    pub const EMPTY: Self = Self([[0; GROUPS]; ROWS]);

    /// Sets each counter that is in use, whatever it was, to where its column begins in the sorted order of records, whose counters
    /// are these.
    #[inline(always)]
    pub fn begin(&mut self, counters: &[u16]) {
        let used = Self::groups_of(counters);
        if used == (0..GROUPS / GROUPS_AT_ONCE) {
            // All at once takes one call, and not one for each row.
            self.0.as_flattened_mut().fill(0);
        } else {
            for row in &mut self.0 {
                row.as_chunks_mut::<GROUPS_AT_ONCE>().0[used.clone()].fill([0; GROUPS_AT_ONCE]);
            }
        }
        let counts = self.0.as_flattened_mut();
        for &counter in counters {
            counts[counter as usize & (Self::COLUMNS - 1)] += 1;
        }
        self.begin_each_column(used);
    }

    /// Which runs of `GROUPS_AT_ONCE` groups hold all records with these `counters`.
    #[inline(always)]
    fn groups_of(counters: &[u16]) -> Range<usize> {
        let (mut first, mut last) = (GROUPS as u16, 0);
        for &counter in counters {
            let group = counter % GROUPS as u16;
            first = first.min(group);
            last = last.max(group);
        }
        let [first, last] = [first as usize, last as usize];
        let end = last / GROUPS_AT_ONCE + 1;
        // Empty if there are no records.
        (first / GROUPS_AT_ONCE).min(end)..end
    }

    /// Turns counts into the index at which each column begins: the prefix sum, in column order.
    #[inline(always)]
    fn begin_each_column(&mut self, used: Range<usize>) {
        let mut before = 0;
        for eight in used {
            // How many are in earlier columns of the same group, and how many in the group.
            let mut sums = [0_u32; GROUPS_AT_ONCE];
            for row in &mut self.0 {
                let counts = &mut row.as_chunks_mut::<GROUPS_AT_ONCE>().0[eight];
                for (sum, count) in sums.iter_mut().zip(counts) {
                    let before = *sum;
                    *sum += *count;
                    *count = before;
                }
            }
            for sum in &mut sums {
                before += std::mem::replace(sum, before);
            }
            for row in &mut self.0 {
                let begins = &mut row.as_chunks_mut::<GROUPS_AT_ONCE>().0[eight];
                for (begin, group) in begins.iter_mut().zip(&sums) {
                    *begin += group;
                }
            }
        }
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

    /// Sorts records of one range of columns after another, with the same [`ColumnCounters`].
    fn columns_begin_where_the_ones_before_them_end<const GROUPS: usize>() {
        let columns = ColumnCounters::<GROUPS>::COLUMNS;
        let count = |column: usize| column * 7 % 5;
        let counter_of = |column: usize| ColumnCounters::<GROUPS>::counter_of(column as i32);
        let mut counters = ColumnCounters::<GROUPS>::EMPTY;
        let ends = [0, 1, 3, 127, 128, 129, 130, columns - 1, columns];
        for first in ends {
            for end in ends
                .into_iter()
                .filter(|&end| end >= first && end <= columns)
            {
                let each = (first..end).flat_map(|column| vec![counter_of(column); count(column)]);
                counters.begin(&each.collect::<Vec<_>>());
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
        columns_begin_where_the_ones_before_them_end::<8>();
        columns_begin_where_the_ones_before_them_end::<16>();
        columns_begin_where_the_ones_before_them_end::<64>();
        columns_begin_where_the_ones_before_them_end::<128>();
    }

    /// Which counter each of some columns has, and whether they ascend.
    fn ascend(columns: &[i32]) -> bool {
        let counters: Vec<_> = columns
            .iter()
            .map(|&column| ColumnCounters::<64>::counter_of(column))
            .collect();
        let ascend = ColumnCounters::<64>::ascend(&counters);
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
            let counter = ColumnCounters::<64>::counter_of(column);
            assert_eq!(i32::from(ColumnCounters::<64>::column_of(counter)), column);
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
        let counter_of = |record: &[u32; 2]| ColumnCounters::<8>::counter_of(record[0] as i32);
        let counters: Vec<_> = records.iter().map(counter_of).collect();
        let mut sorted = vec![[0; 2]; 500];
        let mut next = ColumnCounters::<8>::EMPTY;
        next.begin(&counters);
        // In two runs, as a bucket of two parts has.
        for run in [0..200, 200..500] {
            next.scatter(&records[run.clone()], &counters[run], 0, &mut sorted);
        }
        let mut expected = records.clone();
        expected.sort_by_key(|record| record[0]);
        assert_eq!(sorted, expected);
    }
}
