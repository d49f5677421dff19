//! The inner loop of the partition.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::part::Part;
use crate::prefetch::prefetch_for_writing;

/// How many rows are placed at a time. Enough that the memory of the first bucket has arrived when that of the last is
/// prefetched.
pub const GROUP: usize = 32;
/// How far ahead of an append its bucket's memory is prefetched, in words. It is prefetched twice: first from wherever
/// it is, and again shortly before the append, because thousands of appends to other buckets come between, more than
/// the first cache holds.
const PREFETCH_AHEAD: usize = 24;

/// Which buckets rows go to, and as what records of `WORDS` words.
pub trait Placement<const WORDS: usize>: Copy + Sync {
    /// What is noted about a part's rows as they are placed.
    type Notes: Default + Send;

    /// Room for a bucket that held nothing last time, in records.
    const ROOM_FOR_NONE: u32;

    /// Whether a row is enabled.
    fn is_present(&self, row: usize) -> bool;

    /// Whether a row can be held. An enabled row that cannot is rejected.
    fn is_sound(&self, row: usize) -> bool;

    /// Appends the records of [`GROUP`] rows, from `first` on, a multiple of it. If not all of them are enabled and
    /// sound, it does nothing and returns `false`, and they are placed row by row. It may do so for other reasons too,
    /// if these depend only on the rows.
    fn append_group(
        &self,
        first: u32,
        to: &mut Appender<'_, WORDS>,
        notes: &mut Self::Notes,
    ) -> bool;

    /// Appends the records of a row that is enabled and sound.
    fn append_row(&self, row: u32, to: &mut Appender<'_, WORDS>, notes: &mut Self::Notes);

    /// Called when all rows of a part are placed.
    #[inline(always)]
    fn finish(&self, _rows: Range<usize>, _notes: &mut Self::Notes) {}
}

/// Where the records of one part go.
#[derive(Debug)]
pub struct Appender<'a, const WORDS: usize> {
    cursors: &'a mut [u32],
    words: &'a [AtomicU32],
}

impl<const WORDS: usize> Appender<'_, WORDS> {
    /// Prefetches the memory of the next record of a bucket.
    #[inline(always)]
    pub fn ask_for(&self, bucket: u32) {
        prefetch_for_writing(self.words, self.cursors[bucket as usize] as usize * WORDS);
    }

    /// Appends a record to a bucket.
    #[inline(always)]
    pub fn append(&mut self, bucket: u32, values: [u32; WORDS]) {
        let cursor = &mut self.cursors[bucket as usize];
        let at = *cursor as usize;
        *cursor += 1;
        let (records, _) = self.words.as_chunks::<WORDS>();
        if let Some(record) = records.get(at) {
            for word in 0..WORDS {
                record[word].store(values[word], Relaxed);
            }
            let ahead = at + const { PREFETCH_AHEAD.div_ceil(WORDS) };
            prefetch_for_writing(self.words, ahead * WORDS);
        }
    }
}

/// What all parts of a pass read.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a, P> {
    pub(super) placement: P,
    /// The buckets' memory. Parts write ranges of their own, until one overflows into a neighbour's. Atomics make that
    /// harmless, in safe code, and a relaxed store is an ordinary store to the machine.
    pub(super) words: &'a [AtomicU32],
}

impl<P> Pass<'_, P> {
    /// Appends the rows of the part to their buckets. Inlined into a function for each instruction set.
    #[inline(always)]
    pub fn run<const WORDS: usize>(&self, part: &mut Part<P::Notes>)
    where
        P: Placement<WORDS>,
    {
        // A copy, so that the compiler need not reload it after each write to memory.
        let placement = self.placement;
        let mut to = Appender::<WORDS> {
            cursors: &mut part.cursors,
            words: self.words,
        };
        let mut notes = P::Notes::default();
        let mut left_out = 0;
        part.rejected.clear();
        let Range { start, end } = part.rows;
        let mut row = start;
        while row < end {
            let after = end.min(row + GROUP as u32);
            if after - row < GROUP as u32 || !placement.append_group(row, &mut to, &mut notes) {
                for row in row..after {
                    if !placement.is_present(row as usize) {
                        left_out += 1;
                    } else if placement.is_sound(row as usize) {
                        placement.append_row(row, &mut to, &mut notes);
                    } else {
                        left_out += 1;
                        part.rejected.push(row);
                    }
                }
            }
            row = after;
        }
        placement.finish(start as usize..end as usize, &mut notes);
        part.held = end - start - left_out;
        part.notes = notes;
    }
}

/// The elements of a group of rows; there must be that many.
#[inline(always)]
pub fn group_at<T>(column: &[T], first: u32) -> &[T; GROUP] {
    let group = column[first as usize..].first_chunk();
    group.expect("a column is as long as the rows")
}
