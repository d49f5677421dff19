//! A counting sort by column.

use crate::prefetch::prefetch_ahead;

/// Rows of counters.
const ROWS: usize = 16;

/// How many records are in each of `16 * GROUPS` columns; or, once summed, the index at which the next record of each
/// column goes.
///
/// Counters are kept in 16 rows of `GROUPS`, column `c` in row `c % 16`, so that their prefix sum is a few sums of whole
/// rows instead of one long chain.
#[derive(Debug)]
pub struct ColumnCounters<const GROUPS: usize>([[u32; GROUPS]; ROWS]);

impl<const GROUPS: usize> ColumnCounters<GROUPS> {
    /// How many columns there are, a power of two.
    pub const COLUMNS: usize = {
        let columns = ROWS * GROUPS;
        assert!(columns.is_power_of_two() && columns <= 1 << 16);
        columns
    };

    /// Which counter counts a column. Columns wrap around.
    #[inline(always)]
    pub fn counter_of(column: i32) -> u16 {
        let column = column as usize & (Self::COLUMNS - 1);
        ((column % ROWS) * GROUPS + column / ROWS) as u16
    }

    /// No counts yet. To be filled in place: it is kilobytes, and copying it would be a noticeable cost of a sort.
    pub const EMPTY: Self = Self([[0; GROUPS]; ROWS]);

    /// Sets empty counters to where each column begins in the sorted order of records with these `counters`.
    #[inline(always)]
    pub fn begin(&mut self, counters: &[u16]) {
        let counts = self.0.as_flattened_mut();
        for &counter in counters {
            counts[counter as usize & (Self::COLUMNS - 1)] += 1;
        }
        self.begin_each_column();
    }

    /// Turns counts into the index at which each column begins: the prefix sum, in column order.
    #[inline(always)]
    fn begin_each_column(&mut self) {
        // How many are in earlier columns of the same group, and how many in the group.
        let mut sums = [0_u32; GROUPS];
        for row in self.0.iter_mut() {
            for (sum, count) in sums.iter_mut().zip(row) {
                let before = *sum;
                *sum += *count;
                *count = before;
            }
        }
        let mut before = 0;
        for sum in &mut sums {
            before += std::mem::replace(sum, before);
        }
        for row in &mut self.0 {
            for (begin, group) in row.iter_mut().zip(&sums) {
                *begin += group;
            }
        }
    }

    /// Moves each record to the next index of its column, and each of its words to an array of its own. `counters` says
    /// which counter each record has. Prefetches what is `ahead` words after a record, which is sorted next.
    #[inline(always)]
    pub fn scatter<const WORDS: usize>(
        &mut self,
        records: &[[u32; WORDS]],
        counters: &[u16],
        ahead: usize,
        sorted: &mut [&mut [u32]; WORDS],
    ) {
        let next = self.0.as_flattened_mut();
        for (record, &counter) in records.iter().zip(counters) {
            prefetch_ahead(record, ahead);
            let slot = &mut next[counter as usize & (Self::COLUMNS - 1)];
            let at = *slot as usize;
            *slot += 1;
            for word in 0..WORDS {
                sorted[word][at] = record[word];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_begin_where_the_ones_before_them_end<const GROUPS: usize>() {
        let columns = ColumnCounters::<GROUPS>::COLUMNS;
        let count = |column: usize| column * 7 % 5;
        let counter_of = |column: usize| ColumnCounters::<GROUPS>::counter_of(column as i32);
        let each = (0..columns).flat_map(|column| vec![counter_of(column); count(column)]);
        let mut counters = ColumnCounters::<GROUPS>::EMPTY;
        counters.begin(&each.collect::<Vec<_>>());
        let mut expected = 0;
        for column in 0..columns {
            let begin = counters.0.as_flattened()[counter_of(column) as usize];
            assert_eq!(begin as usize, expected, "column {column} of {columns}");
            expected += count(column);
        }
    }

    #[test]
    fn any_number_of_columns_begin_where_the_ones_before_them_end() {
        columns_begin_where_the_ones_before_them_end::<1>();
        columns_begin_where_the_ones_before_them_end::<2>();
        columns_begin_where_the_ones_before_them_end::<64>();
        columns_begin_where_the_ones_before_them_end::<128>();
    }

    #[test]
    fn records_are_scattered_by_column_and_keep_their_order_in_it() {
        let column_of = |k: u32| k * 37 % 61;
        let records: Vec<[u32; 2]> = (0..500).map(|k| [column_of(k), k]).collect();
        let counter_of = |record: &[u32; 2]| ColumnCounters::<4>::counter_of(record[0] as i32);
        let counters: Vec<_> = records.iter().map(counter_of).collect();
        let mut sorted = [vec![0; 500], vec![0; 500]];
        let mut next = ColumnCounters::<4>::EMPTY;
        next.begin(&counters);
        // In two runs, as a bucket of two parts has.
        for run in [0..200, 200..500] {
            let mut sorted = sorted.each_mut().map(|word| &mut word[..]);
            next.scatter(&records[run.clone()], &counters[run], 0, &mut sorted);
        }
        let mut expected = records.clone();
        expected.sort_by_key(|record| record[0]);
        let found: Vec<_> = sorted[0].iter().zip(&sorted[1]).collect();
        assert!(found.into_iter().eq(expected.iter().map(|[a, b]| (a, b))));
    }
}
