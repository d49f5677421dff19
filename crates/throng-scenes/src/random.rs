//! Seeded numbers, the same on every machine.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A seeded source of the few distributions that scenes need.
pub(crate) struct Random(Pcg64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(Pcg64::seed_from_u64(seed))
    }

    /// In `[0, 1)`, a multiple of 2^-24.
    pub(crate) fn unit(&mut self) -> f32 {
        self.0.random()
    }

    /// In `[low, high)`, apart from rounding.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// In `[low, high]`, both above zero, log-uniform.
    pub(crate) fn log_between(&mut self, low: f32, high: f32) -> f32 {
        // The ratio to a random power in [0, 1), one binary digit of the exponent at a time: square roots round the
        // same everywhere, and logarithms do not.
        let (mut size, mut root) = (low, high / low);
        let digits = self.bits();
        for digit in 0..24 {
            root = root.sqrt();
            if digits >> digit & 1 == 1 {
                size *= root;
            }
        }
        size.min(high)
    }

    /// In the square `[low, high)`, apart from rounding.
    pub(crate) fn in_square(&mut self, low: f32, high: f32) -> [f32; 2] {
        [self.between(low, high), self.between(low, high)]
    }

    /// Approximately normal, with mean 0 and deviation 1: the sum of twelve uniform numbers minus six. It needs no
    /// logarithm, so it rounds the same everywhere.
    pub(crate) fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }

    /// In `0..end`; `end` must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end as u64) as usize
    }

    pub(crate) fn bits(&mut self) -> u32 {
        self.0.random()
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.0.random()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn ratios_are_even_and_within_their_ends() {
        let mut random = Random::new(1);
        let mut octaves = [0; 8];
        for _ in 0..80_000 {
            let at = random.log_between(0.5, 128.0);
            assert!((0.5..=128.0).contains(&at), "{at}");
            octaves[((2.0 * at).log2() as usize).min(7)] += 1;
        }
        let even = octaves.iter().all(|count| (9_700..10_300).contains(count));
        assert!(even, "{octaves:?}");
        assert_eq!(random.log_between(3.0, 3.0), 3.0);
    }
}
