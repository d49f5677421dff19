//! A set of pairs as one number.

use throng::{CategoryId, ChunkOutput, Narrowphase, PairBatch};
use throng_scenes::{BoxScene, overlapping_pairs_sweep};

use crate::{BoxColumns, Population, row_of_key};

/// A sum of hashes over pairs: equal for equal sets, whatever their order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// How many pairs.
    pub pairs: u64,
    sum: u64,
}

impl Fingerprint {
    /// What the oracle finds: all pairs, but of two rows of scenery.
    pub fn of(population: &Population) -> Self {
        let columns = BoxColumns::of(population);
        let boxes = columns.boxes();
        let boxes = (0..boxes.len()).map(|row| boxes.get(row).expect("scenes are sound"));
        let pairs = overlapping_pairs_sweep(&BoxScene::new("together", boxes));
        let mut all = Self::default();
        let movers = population.movers() as u32;
        let counted = pairs.iter().filter(|[a, b]| *a.min(b) < movers);
        counted.for_each(|&[a, b]| all.add(a, b));
        all
    }

    /// Adds a pair of rows, whichever way round.
    pub fn add(&mut self, a: u32, b: u32) {
        self.pairs += 1;
        let pair = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        self.sum = self.sum.wrapping_add(mixed(pair));
    }

    /// Adds all pairs of another.
    pub fn merge(&mut self, other: Fingerprint) {
        self.pairs += other.pairs;
        self.sum = self.sum.wrapping_add(other.sum);
    }
}

/// The finaliser of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
pub fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

impl ChunkOutput for Fingerprint {
    fn clear(&mut self) {
        *self = Fingerprint::default();
    }
}

/// A narrowphase that takes the fingerprint of each chunk. Rows go by the keys that they have in a [`world_of`](crate::world_of), so
/// that it does not matter in which order they are.
pub(super) struct TakeFingerprint {
    /// The number of each category's first row, where rows are counted through all of them.
    pub(super) first_rows: Vec<u32>,
}

impl TakeFingerprint {
    /// The row of a key, counted through all categories.
    pub(super) fn row(&self, category: CategoryId, key: u64) -> u32 {
        self.first_rows[category.index()] + row_of_key(key)
    }
}

impl Narrowphase for TakeFingerprint {
    type Scratch = ();
    type Output = Fingerprint;

    fn collide(&self, batch: PairBatch<'_>, _scratch: &mut (), output: &mut Fingerprint) {
        let categories = batch.categories();
        for &pair in batch.pairs() {
            let [a, b] = batch.keys(pair);
            output.add(self.row(categories[0], a), self.row(categories[1], b));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    fn of(pairs: &[[u32; 2]]) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        pairs.iter().for_each(|&[a, b]| fingerprint.add(a, b));
        fingerprint
    }

    #[test]
    fn order_does_not_count_and_everything_else_does() {
        assert_eq!(of(&[[0, 1], [5, 2]]), of(&[[2, 5], [1, 0]]));
        assert_ne!(of(&[[0, 1], [2, 5]]), of(&[[0, 2], [1, 5]]));
        assert_ne!(of(&[[0, 1], [0, 1]]), of(&[[0, 1]]));
        let mut merged = of(&[[0, 1]]);
        merged.merge(of(&[[2, 5]]));
        assert_eq!(merged, of(&[[2, 5], [0, 1]]));
    }
}
