//! The exact pairs of what keeps more of them.

use throng_benches::Sides;

use crate::PairSum;
use crate::hash_grid::overlap;

/// Pairs of boxes that are kept larger than they are, as an engine keeps them until they part, and how many of them overlap
/// in truth. What a frame costs grows with what has moved in it.
///
/// A frame is [`begin`](Self::begin), then pairs are [added](Self::add) and [removed](Self::remove), then
/// [`finish`](Self::finish).
#[derive(Default)]
pub struct ExactPairs {
    /// Of each row, its partners.
    partners: Vec<Vec<u32>>,
    now: Vec<Sides>,
    has_moved: Vec<bool>,
    movers: u32,
    overlapping: i64,
}

impl ExactPairs {
    /// Subtracts all pairs of the boxes that move in this frame. `boxes` are those of the new frame.
    pub fn begin(&mut self, boxes: &[Sides], moved: &[u32], movers: u32) {
        if self.now.len() != boxes.len() || self.movers != movers {
            *self = Self {
                partners: vec![Vec::new(); boxes.len()],
                now: boxes.to_vec(),
                has_moved: vec![false; boxes.len()],
                movers,
                overlapping: 0,
            };
        }
        moved
            .iter()
            .for_each(|&row| self.has_moved[row as usize] = true);
        self.overlapping -= self.overlapping_of(moved);
        moved
            .iter()
            .for_each(|&row| self.now[row as usize] = boxes[row as usize]);
    }

    /// A pair that may overlap from now on. At least one of the two has moved, or both are new.
    pub fn add(&mut self, a: u32, b: u32) {
        if a.min(b) >= self.movers {
            return;
        }
        self.partners[a as usize].push(b);
        self.partners[b as usize].push(a);
        // What has moved is counted when all have been added.
        let is_counted_later = self.has_moved[a as usize] || self.has_moved[b as usize];
        self.overlapping += i64::from(!is_counted_later && self.overlap(a, b));
    }

    /// A pair that has parted.
    pub fn remove(&mut self, a: u32, b: u32) {
        for [row, partner] in [[a, b], [b, a]] {
            let partners = &mut self.partners[row as usize];
            if let Some(place) = partners.iter().position(|&other| other == partner) {
                partners.swap_remove(place);
            }
        }
    }

    /// The partners of a row.
    pub fn partners(&self, row: u32) -> &[u32] {
        &self.partners[row as usize]
    }

    /// Counts all pairs of what has moved, and says how many there are.
    pub fn finish<S: PairSum>(&mut self, moved: &[u32]) -> S {
        self.overlapping += self.overlapping_of(moved);
        moved
            .iter()
            .for_each(|&row| self.has_moved[row as usize] = false);
        S::of_kept(self.overlapping as u64, |sum| self.for_each(sum))
    }

    fn for_each<S: PairSum>(&self, sum: &mut S) {
        for (row, partners) in (0..).zip(&self.partners) {
            let later = partners.iter().filter(|&&partner| partner > row);
            later
                .filter(|&&partner| self.overlap(row, partner))
                .for_each(|&partner| sum.add(row, partner));
        }
    }

    fn overlapping_of(&self, moved: &[u32]) -> i64 {
        let mut overlapping = 0;
        for &row in moved {
            for &partner in &self.partners[row as usize] {
                let is_first = row < partner || !self.has_moved[partner as usize];
                overlapping += i64::from(is_first && self.overlap(row, partner));
            }
        }
        overlapping
    }

    fn overlap(&self, a: u32, b: u32) -> bool {
        overlap(&self.now[a as usize], &self.now[b as usize])
    }
}
