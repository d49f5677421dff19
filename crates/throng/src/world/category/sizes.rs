//! The sizes of rows: how they are written and counted.

use throng_core::{InfiniteSides, for_both};

use super::Category;
use crate::world::ids::Row;
use crate::world::routing::Routed;

impl Category {
    /// Moves and resizes a row.
    pub(crate) fn write_placement(&mut self, row: Row, placement: &Routed) {
        if self.structure.is_scenery() {
            self.note_then(row as usize);
        }
        let size = self.size_and_sides(row as usize);
        self.note_change(row as usize);
        self.uncount_size(row as usize);
        self.store_placement(row, placement);
        self.note_written(row as usize);
        if self.size_and_sides(row as usize) != size {
            self.wake_unless_scenery(row as usize);
        }
    }

    /// The half extents of a row as stored, and which of its sides are at infinity.
    fn size_and_sides(&self, row: usize) -> ([f32; 2], InfiniteSides) {
        let own = self.columns.half_extents.values();
        let half_extents = own.map_or(self.bound, |own| own[row]);
        (half_extents, self.columns.infinite.get(row))
    }

    /// Writes center and size of a row, and counts the size.
    pub(super) fn store_placement(&mut self, row: Row, placement: &Routed) {
        if self.exact && placement.half_extents != self.bound {
            if !self.columns.half_extents.is_allocated() {
                self.columns.store_half_extents(self.bound);
            }
            self.unlike += 1;
        }
        self.columns.write_placement(row, placement);
        self.written = true;
        self.largest = for_both(|axis| self.largest[axis].max(placement.half_extents[axis]));
        let size = self.half_extents(row as usize, placement.half_extents);
        self.sizes.add(size, 1);
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
