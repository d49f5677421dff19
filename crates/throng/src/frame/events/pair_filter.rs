//! A set of pairs in a few bits each, which may take one for another.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::world::ids::{Row, in_order};
use crate::world::index_map::pair_somewhere;

/// Bits for each pair: about one in so many that are not in the set is taken for one that is.
const BITS: usize = 16;
/// The bits of a word.
const WORD: usize = u64::BITS as usize;

/// A Bloom filter (Bloom 1970) with one hash, to which many threads may add.
///
/// It knows pairs by their rows, whichever comes first, and not by their categories. Its memory, at most a byte for each pair of a
/// step, stays for the next.
#[derive(Default)]
pub(crate) struct PairFilter {
    words: Vec<AtomicU64>,
}

impl PairFilter {
    /// Forgets all pairs, and makes room for so many.
    pub(crate) fn restart(&mut self, pairs: usize) {
        let bits = (pairs * BITS).max(WORD).next_power_of_two();
        self.words.truncate(bits / WORD);
        self.words.iter_mut().for_each(|word| *word.get_mut() = 0);
        self.words.resize_with(bits / WORD, AtomicU64::default);
    }

    /// Adds pairs; `alone` if no other thread does at the same time.
    pub(crate) fn add(&self, pairs: &[[Row; 2]], alone: bool) {
        for &pair in pairs {
            let (word, bit) = self.place(pair);
            if alone {
                // Faster than where others have to be kept out.
                word.store(word.load(Ordering::Relaxed) | bit, Ordering::Relaxed);
            } else {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
    }

    /// Whether a pair is in the set, or is taken for one that is.
    #[inline]
    pub(crate) fn may_have(&self, pair: [Row; 2]) -> bool {
        let (word, bit) = self.place(pair);
        word.load(Ordering::Relaxed) & bit != 0
    }

    #[inline]
    fn place(&self, pair: [Row; 2]) -> (&AtomicU64, u64) {
        let (word, bit) = place(pair, self.words.len());
        (&self.words[word], bit)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.words.capacity() * size_of::<AtomicU64>()
    }
}

/// Where the bit of a pair is among so many words.
#[inline]
fn place(pair: [Row; 2], words: usize) -> (usize, u64) {
    let bit = pair_somewhere(in_order(true, pair), words * WORD);
    (bit / WORD, 1 << (bit % WORD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_that_was_added_is_missed_and_few_others_are_taken_for_one() {
        let mut filter = PairFilter::default();
        for (round, &count) in [1000, 40_000, 0, 1, 7].iter().enumerate() {
            let pair = |k: usize| [k, k + 1 + k * 7 % 300].map(|row| row as Row);
            let pairs: Vec<_> = (0..count).map(pair).collect();
            filter.restart(count);
            let (first, second) = pairs.split_at(count / 3);
            filter.add(first, true);
            filter.add(second, false);
            assert!(pairs.iter().all(|&[a, b]| filter.may_have([a, b])));
            assert!(pairs.iter().all(|&[a, b]| filter.may_have([b, a])));
            let others = (count..count + 10_000).map(pair);
            let taken = others.filter(|&other| filter.may_have(other)).count();
            assert!(taken <= 10_000 / (BITS / 2), "round {round}: {taken}");
        }
    }
}
