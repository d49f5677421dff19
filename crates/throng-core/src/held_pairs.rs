//! A batch of pairs with the values of both members in columns beside them.

use crate::for_both;
use crate::pair_buffer::LANES;

/// One value for each pair of a batch, and room for the group that does not quite fit into it.
type Column = [f32; ROOM];
pub(crate) const ROOM: usize = HeldPairs::BATCH + LANES;

/// A batch of pairs, with the values of both members of each. A [`HeldBuffer`](crate::HeldBuffer) fills it.
#[derive(Clone, Debug)]
pub struct HeldPairs {
    pub(crate) wants_half_extents: bool,
    /// Whether the values on each side are those of the search.
    pub(crate) known: [bool; 2],
    pub(crate) len: usize,
    pub(crate) pairs: [[u32; 2]; ROOM],
    /// By axis, then side.
    pub(crate) centers: [[Column; 2]; 2],
    /// By axis, then side; they mean nothing unless they are wanted.
    pub(crate) half_extents: [[Column; 2]; 2],
}

impl HeldPairs {
    /// The most pairs that are handed over at a time. With their columns they take 10 KiB, so that the search, the columns
    /// and what the visitor writes fit into L1 together.
    pub const BATCH: usize = 256;

    /// An empty batch for centers, and for half extents if they are wanted. Owns no memory besides its own size.
    #[must_use]
    pub fn new(wants_half_extents: bool) -> Self {
        Self {
            wants_half_extents,
            known: [false; 2],
            len: 0,
            pairs: [[0; 2]; ROOM],
            centers: [[[0.0; ROOM]; 2]; 2],
            half_extents: [[[0.0; ROOM]; 2]; 2],
        }
    }

    /// The pairs of rows.
    #[inline]
    #[must_use]
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs[..self.len]
    }

    /// Whether half extents are wanted besides centers.
    #[inline]
    #[must_use]
    pub fn wants_half_extents(&self) -> bool {
        self.wants_half_extents
    }

    /// Whether the search has written the values of the members on a side (0 or 1). Where it has not, they are up to the
    /// visitor: see [`fill`](Self::fill).
    ///
    /// # Panics
    ///
    /// If `side` is neither 0 nor 1.
    #[inline]
    #[must_use]
    pub fn is_known(&self, side: usize) -> bool {
        self.known[side]
    }

    /// The centers of the members on a side (0 or 1), along x and y, in the order of the pairs.
    ///
    /// # Panics
    ///
    /// If `side` is neither 0 nor 1.
    #[inline]
    #[must_use]
    pub fn centers(&self, side: usize) -> [&[f32]; 2] {
        for_both(|axis| &self.centers[axis][side][..self.len])
    }

    /// Their half widths and half heights; they mean nothing unless they are wanted.
    ///
    /// # Panics
    ///
    /// If `side` is neither 0 nor 1.
    #[inline]
    #[must_use]
    pub fn half_extents(&self, side: usize) -> [&[f32]; 2] {
        for_both(|axis| &self.half_extents[axis][side][..self.len])
    }

    /// Keeps the pairs that pass, with their values, in their order.
    ///
    /// Each is moved, and then counted or not: whether one passes is too unpredictable for a branch.
    pub fn retain(&mut self, mut passes: impl FnMut([u32; 2]) -> bool) {
        let mut kept = 0;
        for k in 0..self.len {
            let pair = self.pairs[k];
            self.pairs[kept] = pair;
            for column in self.centers.iter_mut().flatten() {
                column[kept] = column[k];
            }
            if self.wants_half_extents {
                for column in self.half_extents.iter_mut().flatten() {
                    column[kept] = column[k];
                }
            }
            kept += usize::from(passes(pair));
        }
        self.len = kept;
    }

    /// Puts the lower row first in each pair, with its values. To be called when those of both sides are written.
    pub fn put_lower_rows_first(&mut self) {
        for (k, pair) in self.pairs[..self.len].iter_mut().enumerate() {
            if pair[0] < pair[1] {
                continue;
            }
            pair.swap(0, 1);
            for [first, second] in self.centers.iter_mut().chain(&mut self.half_extents) {
                std::mem::swap(&mut first[k], &mut second[k]);
            }
        }
    }

    /// Writes the values of the members on a side (0 or 1): `center(row)`, and `half_extents(row)` if they are wanted.
    ///
    /// # Panics
    ///
    /// If `side` is neither 0 nor 1.
    #[inline]
    pub fn fill(
        &mut self,
        side: usize,
        center: impl Fn(usize) -> [f32; 2],
        half_extents: impl Fn(usize) -> [f32; 2],
    ) {
        for (k, pair) in self.pairs[..self.len].iter().enumerate() {
            let row = pair[side] as usize;
            let center = center(row);
            self.centers[0][side][k] = center[0];
            self.centers[1][side][k] = center[1];
            if self.wants_half_extents {
                let half = half_extents(row);
                self.half_extents[0][side][k] = half[0];
                self.half_extents[1][side][k] = half[1];
            }
        }
    }
}
