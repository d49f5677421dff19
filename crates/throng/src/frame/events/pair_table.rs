//! Pairs that are looked up, each at most once.

use throng_core::Arena;

use crate::world::ids::Row;
use crate::world::index_map::pair_somewhere;

/// Ends a chain.
const NONE: u32 = u32::MAX;
/// Stands for a pair that has been taken: no row has this number.
const TAKEN: [Row; 2] = [Row::MAX; 2];

/// A hash table of pairs of rows, for the few of a chunk that have changed places among those of the last step.
///
/// Pairs with one hash are chained (Knuth 1973, 6.4): to add one takes no branch, so none that is guessed wrong, and most that are
/// looked up are the first of their chain. To look up all pairs of a chunk, as where an index is built anew and they are in another
/// order, takes as long as to compare the boxes of all pairs of both steps, 8 ns a pair, and leaves those that have come from
/// another chunk; so that is not done.
pub(crate) struct PairTable<'a> {
    pairs: &'a mut [[Row; 2]],
    /// The place of the last pair of each hash.
    heads: &'a mut [u32],
    /// The place of the pair before each in its chain.
    before: &'a mut [u32],
}

impl<'a> PairTable<'a> {
    /// A table of the pairs in several lists, none of which is there twice. O(pairs).
    pub(crate) fn of(lists: [&[[Row; 2]]; 2], arena: &'a Arena) -> Self {
        let count = lists.iter().map(|list| list.len()).sum();
        let mut next = lists.into_iter().flatten().copied();
        let pairs = arena.alloc_slice_with(count, |_| next.next().expect("so many"));
        let heads = arena.alloc_slice_fill((2 * count).next_power_of_two(), NONE);
        let before = arena.alloc_slice_with(count, |place| {
            let head = &mut heads[pair_somewhere(pairs[place], heads.len())];
            std::mem::replace(head, place as u32)
        });
        Self {
            pairs,
            heads,
            before,
        }
    }

    /// Takes a pair, if it is there. O(1) if hashes are spread.
    #[inline]
    pub(crate) fn take(&mut self, pair: [Row; 2]) -> bool {
        let mut place = self.heads[pair_somewhere(pair, self.heads.len())];
        while let Some(there) = self.pairs.get_mut(place as usize) {
            if *there == pair {
                *there = TAKEN;
                return true;
            }
            place = self.before[place as usize];
        }
        false
    }

    /// The pairs that nobody has taken, in order.
    pub(crate) fn left(&self) -> impl Iterator<Item = [Row; 2]> {
        self.pairs.iter().copied().filter(|pair| *pair != TAKEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of a chain.
    fn longest_chain(table: &PairTable<'_>) -> usize {
        let next = |&place: &u32| table.before.get(place as usize).copied();
        let chain = |&head: &u32| std::iter::successors(Some(head), next).count() - 1;
        table.heads.iter().map(chain).max().unwrap_or_default()
    }

    #[test]
    fn each_pair_is_taken_once() {
        let arena = Arena::new();
        for count in [0, 1, 2, 100, 5000] {
            let pairs: Vec<[Row; 2]> = (0..count).map(|k| [k / 3, k + 1]).collect();
            let (first, second) = pairs.split_at(pairs.len() / 3);
            let mut table = PairTable::of([first, second], &arena);
            assert!(table.left().eq(pairs.iter().copied()));
            let [odd, even] = [1, 0].map(|rest| pairs.iter().skip(rest).step_by(2));
            assert!(odd.clone().all(|&pair| table.take(pair)));
            assert!(!odd.clone().any(|&pair| table.take(pair)), "taken");
            assert!(!odd.clone().any(|&[a, b]| table.take([b, a])), "others");
            assert!(!table.take([count, count + 1]));
            assert!(table.left().eq(even.copied()));
        }
    }

    #[test]
    fn chains_are_short() {
        let arena = Arena::new();
        let near = (0..10_000).flat_map(|a| [1, 2, 700].map(|k| [a, a + k]));
        let crowd = (0..200).flat_map(|b| (0..b).map(move |a| [a, b]));
        let [near, crowd]: [Vec<[Row; 2]>; 2] = [near.collect(), crowd.collect()];
        let grid = (0..20_000).map(|k| [k << 10, k << 12]).collect();
        for pairs in [near, crowd, grid] {
            let longest = longest_chain(&PairTable::of([&pairs, &[]], &arena));
            assert!(longest <= 16, "{longest}");
        }
    }
}
