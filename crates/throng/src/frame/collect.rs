//! Two narrowphases: one returns the pairs themselves, one only their number.

use crate::frame::narrowphase::{ChunkOutput, Narrowphase, PairBatch};
use crate::frame::step::Step;
use crate::world::ids::{CategoryId, Row};
use crate::world::rows::RowRef;

/// Keeps every pair: the narrowphase that [`Broadphase::step_pairs`](crate::Broadphase::step_pairs) runs.
///
/// Writes 8 bytes per pair. If each pair is used once, a [`Narrowphase`] of your own is faster, because it uses pairs
/// while they are in the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectPairs;

impl Narrowphase for CollectPairs {
    type Scratch = ();
    type Output = PairList;

    fn collide(&self, batch: PairBatch<'_>, _scratch: &mut (), output: &mut PairList) {
        output.push(&batch);
    }
}

/// Counts the pairs of each chunk and keeps none. Predicted ones do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountPairs;

impl Narrowphase for CountPairs {
    type Scratch = ();
    type Output = u64;

    fn collide(&self, batch: PairBatch<'_>, _scratch: &mut (), output: &mut u64) {
        if !batch.is_predicted() {
            *output += batch.pairs().len() as u64;
        }
    }
}

/// The pairs of one chunk, all of the same meeting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairList {
    categories: [CategoryId; 2],
    pairs: Vec<[Row; 2]>,
    is_predicted: bool,
}

impl PairList {
    fn push(&mut self, batch: &PairBatch<'_>) {
        self.categories = batch.categories();
        self.is_predicted = batch.is_predicted();
        self.pairs.extend_from_slice(batch.pairs());
    }

    /// The categories that meet, if there are any pairs.
    pub fn categories(&self) -> Option<[CategoryId; 2]> {
        (!self.pairs.is_empty()).then_some(self.categories)
    }

    /// The pairs, as in a [`PairBatch`].
    pub fn pairs(&self) -> &[[Row; 2]] {
        &self.pairs
    }

    /// Whether they are [predicted](PairBatch::is_predicted), and do not overlap yet.
    pub fn is_predicted(&self) -> bool {
        self.is_predicted && !self.pairs.is_empty()
    }

    fn places(&self) -> impl Iterator<Item = [RowRef; 2]> + use<'_> {
        let [a, b] = self.categories;
        let place = |category, row| RowRef { category, row };
        let pairs = self.pairs.iter();
        pairs.map(move |&[i, j]| [place(a, i), place(b, j)])
    }
}

impl<'w> Step<'w, PairList> {
    /// All pairs that overlap, by category and row, in the order of the step: the same on any number of threads.
    pub fn pairs(&self) -> impl Iterator<Item = [RowRef; 2]> + use<'w> {
        let lists = self.outputs().filter(|list| !list.is_predicted());
        lists.flat_map(PairList::places)
    }

    /// All pairs that are [predicted](PairBatch::is_predicted), likewise.
    pub fn predicted_pairs(&self) -> impl Iterator<Item = [RowRef; 2]> + use<'w> {
        let lists = self.outputs().filter(|list| list.is_predicted());
        lists.flat_map(PairList::places)
    }

    /// The keys of all pairs that overlap, in the order of the step; 0 for proxies that were given none.
    pub fn keys(&self) -> impl Iterator<Item = [u64; 2]> + use<'w> {
        let world = self.world();
        let lists = self.outputs().filter(|list| !list.is_predicted());
        lists.flat_map(|list| {
            let [a, b] = list.categories.map(|category| world.keys(category));
            let key = |keys: Option<&[u64]>, row: Row| keys.map_or(0, |keys| keys[row as usize]);
            let pairs = list.pairs.iter();
            pairs.map(move |&[i, j]| [key(a, i), key(b, j)])
        })
    }
}

impl ChunkOutput for PairList {
    fn clear(&mut self) {
        self.pairs.clear();
        // Empty lists are equal, whatever was in them.
        (self.categories, self.is_predicted) = Default::default();
    }

    fn used_bytes(&self) -> usize {
        self.pairs.used_bytes()
    }

    fn held_bytes(&self) -> usize {
        self.pairs.held_bytes()
    }

    fn shrink_to_fit(&mut self) {
        self.pairs.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_says_nothing_of_what_was_in_it() {
        let mut list = PairList {
            categories: [CategoryId::new(1), CategoryId::new(2)],
            pairs: vec![[3, 4]],
            is_predicted: true,
        };
        list.clear();
        assert_eq!(list, PairList::default());
    }
}
