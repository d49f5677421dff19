//! Seeded numbers, the same on every machine.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A seeded source of the few shapes of randomness that scenes are made of.
pub(crate) struct Random(Pcg64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(Pcg64::seed_from_u64(seed))
    }

    /// In `[0, 1)`, a multiple of 2^-24.
    pub(crate) fn unit(&mut self) -> f32 {
        self.0.random()
    }

    /// In `[low, high)` but for rounding.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// In the square `[low, high)` but for rounding.
    pub(crate) fn in_square(&mut self, low: f32, high: f32) -> [f32; 2] {
        [self.between(low, high), self.between(low, high)]
    }

    /// About normal, with mean 0 and deviation 1: the sum of twelve uniform numbers less six, which
    /// needs no logarithm and so rounds alike everywhere.
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
