//! What is known of an index between two builds.

use crate::leaf::Leaf;

/// What a build leaves for the mends after it, so that they need not look at all leaves.
#[derive(Clone, Debug)]
pub(crate) struct Upkeep {
    /// Where memory begins that is no leaf's, in words.
    pub free: usize,
    /// How many more rows may come into leaves. When half as many as there were have come, it is time for a build: it fits
    /// rooms to leaves and chunks to rows, and takes a small part of the time that so many mends took. So memory that grown
    /// leaves left behind is bounded.
    pub arrivals_left: usize,
    /// The sum of the squares of leaves' lengths.
    pub squares: u64,
    /// Rows clamped to an outermost cell.
    pub outside: usize,
    /// How many rows came or went since chunks were cut.
    pub shifted: usize,
}

impl Upkeep {
    /// Of an index with these leaves, whose memory is free from `free` on.
    pub fn new(leaves: &[Leaf], free: usize, outside: usize) -> Self {
        let rows: u64 = leaves.iter().map(|leaf| u64::from(leaf.len)).sum();
        Self {
            free,
            arrivals_left: rows as usize / 2,
            squares: leaves.iter().map(|leaf| square(leaf.len)).sum(),
            outside,
            shifted: 0,
        }
    }

    /// How many rows share a row's leaf, on average over rows.
    pub fn crowding(&self, rows: usize) -> f64 {
        self.squares as f64 / rows.max(1) as f64
    }

    /// Notes that a leaf has another number of rows.
    pub fn resized(&mut self, before: u32, after: u32) {
        self.squares = self.squares - square(before) + square(after);
    }
}

fn square(len: u32) -> u64 {
    u64::from(len) * u64::from(len)
}
