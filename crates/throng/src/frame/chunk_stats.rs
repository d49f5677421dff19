//! What the search of one chunk came to: counts and times.

use std::time::Duration;

/// What the search of one chunk came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkStats {
    /// Pairs handed to the narrowphase.
    pub pairs: u64,
    /// Comparisons made for them.
    pub candidates: u64,
    /// Time spent in the narrowphase.
    pub narrowphase: Duration,
    /// Time spent searching, without the narrowphase.
    pub search: Duration,
}

impl std::ops::AddAssign for ChunkStats {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.candidates += other.candidates;
        self.narrowphase += other.narrowphase;
        self.search += other.search;
    }
}
