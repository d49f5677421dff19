//! One worker's part of the rows.

use std::ops::Range;

use educe::Educe;

/// One worker's part of the rows, and its run in each bucket.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub struct Part<N> {
    pub(super) rows: Range<u32>,
    /// Where the part's run of each bucket begins, in records.
    pub(super) starts: Vec<u32>,
    /// Where the next record of each bucket goes.
    pub(super) cursors: Vec<u32>,
    /// Where the room of each bucket ends.
    pub(super) ends: Vec<u32>,
    pub(super) rejected: Vec<u32>,
    /// How many rows have records.
    pub(super) held: u32,
    /// What the placement noted of the rows.
    pub(super) notes: N,
}

impl<N: Default> Part<N> {
    pub(super) fn new(buckets: usize) -> Self {
        Self {
            starts: vec![0; buckets],
            cursors: vec![0; buckets],
            ends: vec![0; buckets],
            ..Self::default()
        }
    }
}

impl<N> Part<N> {
    /// Puts the part's run of a bucket at `start`, with room for what it counted last, or for `for_none` records if
    /// that was none. Returns the end of the run.
    #[inline]
    pub(super) fn make_room(&mut self, bucket: usize, start: u32, for_none: u32) -> u32 {
        let room = match self.count(bucket) {
            0 => for_none,
            last => room_for(last),
        };
        self.starts[bucket] = start;
        self.cursors[bucket] = start;
        self.ends[bucket] = start + room;
        start + room
    }

    /// The part's run of a bucket, in records after `from`.
    #[inline]
    pub(super) fn run_of(&self, bucket: usize, from: u32) -> Range<usize> {
        (self.starts[bucket] - from) as usize..(self.cursors[bucket] - from) as usize
    }

    /// How many records the last pass counted for a bucket, whether or not they fit.
    #[inline]
    pub(super) fn count(&self, bucket: usize) -> u32 {
        self.cursors[bucket] - self.starts[bucket]
    }

    pub(super) fn overflowed(&self) -> bool {
        let mut runs = self.cursors.iter().zip(&self.ends);
        runs.any(|(next, end)| next > end)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let lists = [&self.starts, &self.cursors, &self.ends, &self.rejected];
        let words: usize = lists.iter().map(|list| list.capacity()).sum();
        words * size_of::<u32>()
    }
}

/// Room for `last` records and some more, for Poisson noise and motion.
fn room_for(last: u32) -> u32 {
    last + last / 32 + (1.5 * (last as f32).sqrt()) as u32 + 8
}
