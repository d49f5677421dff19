//! Two narrowphases: one returns the pairs themselves, one only their number.

use crate::frame::narrowphase::{ChunkOutput, Narrowphase, PairBatch};
use crate::world::ids::{CategoryId, Row};

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
        output.push(batch.categories(), batch.pairs());
    }
}

/// Counts the pairs of each chunk and keeps none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountPairs;

impl Narrowphase for CountPairs {
    type Scratch = ();
    type Output = u64;

    fn collide(&self, batch: PairBatch<'_>, _scratch: &mut (), output: &mut u64) {
        *output += batch.pairs().len() as u64;
    }
}

/// The pairs of one chunk, all of the same meeting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairList {
    categories: [CategoryId; 2],
    pairs: Vec<[Row; 2]>,
}

impl PairList {
    fn push(&mut self, categories: [CategoryId; 2], pairs: &[[Row; 2]]) {
        self.categories = categories;
        self.pairs.extend_from_slice(pairs);
    }

    /// The categories that meet, if there are any pairs.
    pub fn categories(&self) -> Option<[CategoryId; 2]> {
        (!self.pairs.is_empty()).then_some(self.categories)
    }

    /// The pairs, as in a [`PairBatch`].
    pub fn pairs(&self) -> &[[Row; 2]] {
        &self.pairs
    }
}

impl ChunkOutput for PairList {
    fn clear(&mut self) {
        self.pairs.clear();
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
