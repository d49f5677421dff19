//! A step that finds more pairs than it may is cut to its first chunks.

use std::sync::atomic::{AtomicU64, Ordering};

/// Pairs are also summed over blocks of this many chunks.
const BLOCK: usize = 64;

/// How many pairs the chunks of a step have found, as far as they are done.
///
/// A step keeps the longest run of chunks, from the first, whose pairs together do not exceed the limit. That depends on the
/// pairs alone. As soon as those known of the chunks before another are too many, it need not be searched; and once its own are,
/// the narrowphase need not see more of them: either is cut off, whatever else is found.
#[derive(Default)]
pub(crate) struct PairLimit {
    /// `u64::MAX` for any number.
    limit: u64,
    /// Pairs of each chunk; 0 until it is done, and if it was not searched.
    found: Vec<AtomicU64>,
    /// Those of each block of chunks, together.
    of_blocks: Vec<AtomicU64>,
}

impl PairLimit {
    /// To be called before the first of this many chunks. Keeps its memory.
    pub(crate) fn begin(&mut self, limit: Option<u64>, chunks: usize) {
        self.limit = limit.unwrap_or(u64::MAX);
        self.found.clear();
        self.of_blocks.clear();
        if limit.is_some() {
            self.found.resize_with(chunks, AtomicU64::default);
            let blocks = chunks.div_ceil(BLOCK);
            self.of_blocks.resize_with(blocks, AtomicU64::default);
        }
    }

    /// How many pairs a chunk may find before it is certain that it is cut off; `None` if it is already. O(chunks / 64).
    pub(crate) fn allowed(&self, chunk: usize) -> Option<u64> {
        let whole = chunk / BLOCK;
        let blocks = self.of_blocks.get(..whole).unwrap_or_default();
        let rest = self.found.get(whole * BLOCK..chunk).unwrap_or_default();
        let known = blocks.iter().chain(rest).fold(0_u64, |sum, found| {
            sum.saturating_add(found.load(Ordering::Relaxed))
        });
        self.limit.checked_sub(known)
    }

    /// To be called once for each chunk that has been searched.
    pub(crate) fn note(&self, chunk: usize, pairs: u64) {
        if let Some(found) = self.found.get(chunk) {
            found.store(pairs, Ordering::Relaxed);
            self.of_blocks[chunk / BLOCK].fetch_add(pairs, Ordering::Relaxed);
        }
    }

    /// How many chunks are kept, and how many pairs the one after them has; `None` if nothing is cut off.
    pub(crate) fn cut(&self) -> Option<(usize, u64)> {
        let mut sum = 0_u64;
        let found = self.found.iter().map(|found| found.load(Ordering::Relaxed));
        found.enumerate().find(|(_, pairs)| {
            sum = sum.saturating_add(*pairs);
            sum > self.limit
        })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        (self.found.capacity() + self.of_blocks.capacity()) * size_of::<AtomicU64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(limit: u64, found: &[u64]) -> PairLimit {
        let mut pairs = PairLimit::default();
        pairs.begin(Some(limit), found.len());
        for (chunk, &found) in found.iter().enumerate() {
            pairs.note(chunk, found);
        }
        pairs
    }

    #[test]
    fn the_longest_run_within_the_limit_is_kept() {
        assert_eq!(limit(10, &[3, 3, 4]).cut(), None);
        assert_eq!(limit(9, &[3, 3, 4]).cut(), Some((2, 4)));
        assert_eq!(limit(9, &[3, 7, 0, 1]).cut(), Some((1, 7)));
        assert_eq!(limit(2, &[3, 0]).cut(), Some((0, 3)));
        assert_eq!(limit(0, &[0, 0, 1, 0]).cut(), Some((2, 1)));
        assert_eq!(limit(u64::MAX, &[u64::MAX, 1]).cut(), None, "sums saturate");
        let mut any = PairLimit::default();
        any.begin(None, 9);
        any.note(3, 1 << 60);
        assert_eq!((any.cut(), any.allowed(5)), (None, Some(u64::MAX)));
    }

    #[test]
    fn chunks_may_find_what_is_left() {
        let pairs = limit(10, &[3, 0, 9, 0]);
        let allowed = [0, 1, 2, 3].map(|chunk| pairs.allowed(chunk));
        assert_eq!(allowed, [Some(10), Some(7), Some(7), None]);
    }

    #[test]
    fn what_is_left_is_that_of_all_chunks_before_however_many() {
        let found: Vec<u64> = (0..3 * BLOCK as u64 + 7).map(|k| k % 5).collect();
        let pairs = limit(1000, &found);
        for chunk in 0..found.len() {
            let before: u64 = found[..chunk].iter().sum();
            assert_eq!(
                pairs.allowed(chunk),
                1000_u64.checked_sub(before),
                "{chunk}"
            );
        }
    }
}
