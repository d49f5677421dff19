//! What a search through a structure cost, and how much it found.

/// What the search of one chunk did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Pairs handed to the visitor.
    pub pairs: u64,
    /// Comparisons made to find them, idle vector lanes included.
    pub candidates: u64,
}

impl std::ops::AddAssign for SearchStats {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.candidates += other.candidates;
    }
}

#[cfg(test)]
mod tests {
    use super::SearchStats;

    #[test]
    fn both_counts_add_up() {
        let of = |pairs, candidates| SearchStats { pairs, candidates };
        let mut sum = of(1, 20);
        sum += of(3, 50);
        assert_eq!(sum, of(4, 70));
    }
}
