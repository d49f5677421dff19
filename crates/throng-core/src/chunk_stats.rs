//! What a search through a structure cost, and what came of it.

/// What a chunk's search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkStats {
    /// Pairs handed to the visitor.
    pub pairs: u64,
    /// Comparisons made for them, idle lanes of a vector included.
    pub candidates: u64,
}

impl std::ops::AddAssign for ChunkStats {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.candidates += other.candidates;
    }
}
