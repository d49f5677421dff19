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
    /// Whether the last pass counted more records in a run than there is room for.
    pub(super) has_overflowed: bool,
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
    /// Notes as the end of each run how much room it needs, for what it counted last, or for `for_none` records if that was none. Adds
    /// that to the rooms of the buckets.
    pub(super) fn plan_rooms(&mut self, for_none: u32, rooms: &mut [u32]) {
        let runs = self.starts.iter().zip(&self.cursors).zip(&mut self.ends);
        for (((start, next), end), all) in runs.zip(rooms) {
            let last = next - start;
            // Without a branch.
            let room = room_for(last);
            *end = if last == 0 { for_none } else { room };
            *all += *end;
        }
    }

    /// Puts the part's run of each bucket at its start, with the room that was planned.
    pub(super) fn begin_at(&mut self, starts: &[u32]) {
        self.starts.copy_from_slice(starts);
        self.cursors.copy_from_slice(starts);
        for (end, start) in self.ends.iter_mut().zip(starts) {
            *end += start;
        }
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

    /// Looks at all runs, so that it vectorizes.
    #[inline(always)]
    pub(super) fn overflows(&self) -> bool {
        let mut overflows = false;
        for (next, end) in self.cursors.iter().zip(&self.ends) {
            overflows |= next > end;
        }
        overflows
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let lists = [&self.starts, &self.cursors, &self.ends, &self.rejected];
        let words: usize = lists.iter().map(|list| list.capacity()).sum();
        words * size_of::<u32>()
    }
}

/// Room for `last` records, of which there are fewer than 2^31, and some more, for Poisson noise and motion.
#[inline(always)]
fn room_for(last: u32) -> u32 {
    // Both conversions vectorize: that of a signed number, and that to a whole one by adding 2^23, which rounds.
    const GREATER: f32 = (1 << 23) as f32;
    let noise = 1.5 * (last as i32 as f32).sqrt();
    last + last / 32 + ((noise + GREATER).to_bits() - GREATER.to_bits()) + 8
}

#[cfg(test)]
mod tests {
    use super::room_for;

    #[test]
    fn there_is_room_for_noise() {
        for last in (0..2000).chain([1 << 20, (1 << 28) - 1, i32::MAX as u32]) {
            let noise = 1.5 * f64::from(last).sqrt();
            let expected = f64::from(last) + f64::from(last / 32) + noise + 8.0;
            let off = f64::from(room_for(last)) - expected;
            assert!(off.abs() < 1.0, "{last}: {off}");
        }
    }
}
