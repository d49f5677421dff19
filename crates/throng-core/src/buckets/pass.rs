//! The inner loop of the partition.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::part::Part;
use crate::prefetch::prefetch_for_writing;

/// How many rows are placed at a time. Enough that the memory of the first bucket has arrived when that of the last is
/// prefetched.
pub const GROUP: usize = 32;
const _: () = assert!(GROUP.is_multiple_of(2), "places are taken in pairs");
/// How far ahead of an append its bucket's memory is prefetched, in words. It is prefetched twice: first from wherever
/// it is, and again shortly before the append, because thousands of appends to other buckets come between, more than
/// the first cache holds. (With 8, 16, 24 and 48 words, an index of a million rows in no order took 8.9, 8.8, 8.3 and
/// 9.4 ns a row at best.)
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
        self.prefetch(self.cursors[bucket as usize] as usize);
    }

    /// Appends a record to a bucket.
    #[inline(always)]
    pub fn append(&mut self, bucket: u32, values: [u32; WORDS]) {
        let cursor = &mut self.cursors[bucket as usize];
        let place = *cursor;
        *cursor += 1;
        self.write(place, values);
    }

    /// Takes a place in its bucket for a record of each row of a group, in row order, and prefetches it. Each must then
    /// be [written](Self::write) once.
    ///
    /// This is faster than to [`append`](Self::append) one record after the other, most of all where rows come in the
    /// order of buckets. There, each would wait until the cursor that the one before it wrote can be read again, so here
    /// two cursors are read before either is written. And a processor that has seen cursors read back so soon waits for
    /// the addresses of all earlier writes before it reads another; the addresses of records are themselves cursors, so
    /// here they are written later.
    #[inline(always)]
    pub fn take_places(&mut self, buckets: &[u32; GROUP]) -> [u32; GROUP] {
        let mut places = [0; GROUP];
        for lane in (0..GROUP).step_by(2) {
            let [one, other] = [buckets[lane], buckets[lane + 1]];
            let place = self.cursors[one as usize];
            let next = self.cursors[other as usize] + u32::from(one == other);
            // In this order: if they are the same bucket, the second write counts both.
            self.cursors[one as usize] = place + 1;
            self.cursors[other as usize] = next + 1;
            self.prefetch(place as usize);
            self.prefetch(next as usize);
            places[lane] = place;
            places[lane + 1] = next;
        }
        places
    }

    /// Writes a record to a place that was taken for it, and prefetches what follows.
    #[inline(always)]
    pub fn write(&mut self, place: u32, values: [u32; WORDS]) {
        let (records, _) = self.words.as_chunks::<WORDS>();
        let place = place as usize;
        if let Some(record) = records.get(place) {
            for word in 0..WORDS {
                record[word].store(values[word], Relaxed);
            }
            self.prefetch(place + const { PREFETCH_AHEAD.div_ceil(WORDS) });
        }
    }

    #[inline(always)]
    fn prefetch(&self, place: usize) {
        prefetch_for_writing(self.words, place * WORDS);
    }
}

/// What all parts of a pass read.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a, P> {
    pub(super) placement: P,
    /// The buckets' memory. Parts write ranges of their own, until one overflows into a neighbor's. Atomics make that
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
        part.has_overflowed = part.overflows();
        part.notes = notes;
    }
}

/// The elements of a group of rows; there must be that many.
#[inline(always)]
pub fn group_at<T>(column: &[T], first: u32) -> &[T; GROUP] {
    let group = column[first as usize..].first_chunk();
    group.expect("a column is as long as the rows")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::as_atomics;
    use proptest::prelude::*;

    const WORDS: usize = 2;

    /// Cursors and memory after `append` was called for groups of rows in these buckets, each of which has `room`.
    fn filled(
        groups: &[[u32; GROUP]],
        room: u32,
        append: impl Fn(&mut Appender<'_, WORDS>, &[u32; GROUP], u32),
    ) -> (Vec<u32>, Vec<u32>) {
        let buckets = groups
            .as_flattened()
            .iter()
            .max()
            .map_or(0, |&last| last + 1);
        let mut cursors: Vec<u32> = (0..buckets).map(|bucket| bucket * room).collect();
        let mut words = vec![0; (buckets * room) as usize * WORDS];
        let mut to = Appender {
            cursors: &mut cursors,
            words: as_atomics(&mut words),
        };
        for (index, group) in (0..).zip(groups) {
            append(&mut to, group, index * GROUP as u32);
        }
        (cursors, words)
    }

    /// Places are those that one append after the other would take, and records too many are counted all the same.
    fn places_are_taken_in_row_order(groups: &[[u32; GROUP]], room: u32) {
        let record = |bucket: u32, row: u32| [bucket + 1, row + 1];
        let one_by_one = filled(groups, room, |to, group, first| {
            for (row, &bucket) in (first..).zip(group) {
                to.append(bucket, record(bucket, row));
            }
        });
        let at_once = filled(groups, room, |to, group, first| {
            let places = to.take_places(group);
            for ((row, &bucket), place) in (first..).zip(group).zip(places) {
                to.write(place, record(bucket, row));
            }
        });
        if groups.len() * GROUP <= room as usize {
            assert_eq!(at_once, one_by_one);
        } else {
            assert_eq!(at_once.0, one_by_one.0, "cursors");
        }
    }

    #[test]
    fn a_group_may_share_one_bucket_or_alternate() {
        let lanes = |bucket: fn(usize) -> usize| [std::array::from_fn(|lane| bucket(lane) as u32)];
        for groups in [
            lanes(|_| 3),
            lanes(|lane| lane),
            lanes(|lane| lane % 2),
            lanes(|lane| lane.div_ceil(2)),
            lanes(|lane| lane / 2),
            lanes(|lane| usize::from(lane == GROUP - 1)),
        ] {
            places_are_taken_in_row_order(&groups, GROUP as u32);
            places_are_taken_in_row_order(&groups, 3);
        }
    }

    proptest! {
        #[test]
        fn groups_may_share_any_buckets(
            groups in (1..8_u32).prop_flat_map(|buckets| {
                prop::collection::vec(prop::array::uniform32(0..buckets), 0..4)
            }),
            room in prop::sample::select(vec![0, 5, 3 * GROUP as u32]),
        ) {
            places_are_taken_in_row_order(&groups, room);
        }
    }
}
