//! One number that stands for a list of pairs in its order.

/// A running 64-bit hash of pairs, in which order counts, within a pair and between pairs.
///
/// Each pair is one word, `b` above `a`: `state = (state ^ word) * MULTIPLIER`, then the upper half of the state is
/// folded into the lower. A step is a bijection of the state and of the word, so lists that differ in a single pair
/// never collide, and others only by chance. Not safe against deliberate collisions.
///
/// ```
/// use throng_scenes::PairHash;
///
/// let forth = PairHash::new().update(1, 2).update(3, 4).finish();
/// let back = PairHash::new().update(3, 4).update(1, 2).finish();
/// assert_ne!(forth, back);
/// assert_eq!(forth, PairHash::of([[1, 2], [3, 4]]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairHash {
    state: u64,
}

impl PairHash {
    /// FNV's 64-bit offset basis.
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    /// 2^64 divided by the golden ratio; odd, so that multiplying loses nothing.
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

    /// The hash of no pairs.
    #[must_use]
    pub const fn new() -> PairHash {
        PairHash { state: Self::START }
    }

    /// Adds the next pair. O(1).
    #[inline]
    pub fn update(&mut self, a: u32, b: u32) -> &mut PairHash {
        let word = u64::from(b) << 32 | u64::from(a);
        let mixed = (self.state ^ word).wrapping_mul(Self::MULTIPLIER);
        self.state = mixed ^ mixed >> 32;
        self
    }

    /// The hash of the pairs so far; more may follow.
    #[must_use]
    pub const fn finish(&self) -> u64 {
        self.state
    }

    /// The hash of a whole list.
    pub fn of(pairs: impl IntoIterator<Item = [u32; 2]>) -> u64 {
        let mut hash = PairHash::new();
        for [a, b] in pairs {
            hash.update(a, b);
        }
        hash.finish()
    }
}

impl Default for PairHash {
    fn default() -> Self {
        PairHash::new()
    }
}

#[cfg(test)]
mod tests {
    use super::PairHash;

    #[test]
    fn every_change_of_a_list_changes_the_hash() {
        let list = [[0, 1], [0, 2], [1, 2]];
        let hash = PairHash::of(list);
        assert_ne!(
            hash,
            PairHash::of([[1, 0], [0, 2], [1, 2]]),
            "order in a pair"
        );
        assert_ne!(
            hash,
            PairHash::of([[0, 2], [0, 1], [1, 2]]),
            "order of pairs"
        );
        assert_ne!(hash, PairHash::of([[0, 1], [0, 2]]), "one fewer");
        assert_ne!(
            hash,
            PairHash::of([[0, 1], [0, 2], [1, 2], [0, 0]]),
            "one more"
        );
        assert_ne!(PairHash::of([]), PairHash::of([[0, 0]]));
    }

    #[test]
    fn the_hash_stays_what_it_was() {
        assert_eq!(PairHash::of([]), 0xcbf2_9ce4_8422_2325);
        let many = (0..1000).map(|i| [i, i * 7]);
        assert_eq!(PairHash::of(many), GOLDEN);
    }

    /// Recorded once: a change here breaks every recorded hash elsewhere.
    const GOLDEN: u64 = 0x2362_c398_7538_405b;
}
