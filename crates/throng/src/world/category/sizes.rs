//! The sizes of rows: whether they are known, and how many there are of each.

use throng_core::InfiniteSides;

use super::Category;

impl Category {
    /// Begins to store half extents in an exact category, if they are not stored.
    pub(super) fn store_sizes(&mut self) {
        if !self.columns.half_extents.is_allocated() {
            self.columns.store_half_extents(self.bound);
        }
    }

    /// The half extents of a row as stored, and which of its sides are at infinity.
    pub(super) fn size_and_sides(&self, row: usize) -> ([f32; 2], InfiniteSides) {
        let half_extents = self.columns.half_extents_or(self.bound, row);
        (half_extents, self.columns.infinite.get(row))
    }

    /// Stops counting the size of a row.
    pub(super) fn uncount_size(&mut self, row: usize) {
        if self.knows_sizes() {
            let size = self.half_extents(row, self.bound);
            self.sizes.take_off(size, 1);
            self.unlike -= usize::from(self.exact && size != self.bound);
        } else {
            self.sizes.forget_one(self.len() - 1);
        }
    }

    /// Takes over what another category knew about sizes, when neither stores them and all rows of the other moved
    /// here, counted as its largest.
    pub(crate) fn learn_sizes(&mut self, other: &Self) {
        if !self.knows_sizes() && !other.knows_sizes() {
            self.sizes.take_off(other.largest, other.len() as u64);
            self.sizes.merge(&other.sizes);
        }
    }

    /// Whether the size of every row is known.
    pub(crate) fn knows_sizes(&self) -> bool {
        self.exact || self.columns.half_extents.is_allocated() || self.columns.boxes.is_allocated()
    }

    /// Whether the bound says the size of every row.
    pub(crate) fn all_alike(&self) -> bool {
        self.exact && self.unlike == 0
    }
}
