//! One row at a time: insert, set, remove.

use crate::quadtree::LooseQuadtree;
use crate::quadtree::bundles::Slot;
use crate::quadtree::nodes::{Bounds, Node};
use crate::quadtree::region::FineCell;
use crate::sides::sides_of;
use crate::{LooseError, check};
use throng_core::Aabb;

impl LooseQuadtree {
    /// Inserts a row. O(depth).
    ///
    /// # Errors
    ///
    /// If the row is held already, or its number is [`MOST_ROWS`](crate::MOST_ROWS) or more. The tree is then
    /// unchanged.
    pub fn insert(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
        check::row_number(row)?;
        if self.contains(row) {
            return Err(LooseError::Present { row });
        }
        self.some.forget();
        self.insert_bounds(row, sides_of(&aabb));
        Ok(())
    }

    pub(super) fn insert_bounds(&mut self, row: u32, bounds: Bounds) {
        self.number_rows(row as usize + 1);
        let leaf = self.nodes.leaf_of(self.fine_cell(bounds));
        self.push(leaf, row, bounds);
        self.nodes.grow(leaf, bounds);
        self.rows += 1;
    }

    /// Changes the box of a row. O(1) if it stays in its leaf and within the leaf's bounds, otherwise O(depth).
    ///
    /// # Errors
    ///
    /// If the row is not held.
    pub fn set(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
        let slot = self.slot(row).ok_or(LooseError::Absent { row })?;
        self.set_bounds(row, slot, sides_of(&aabb));
        Ok(())
    }

    pub(super) fn set_bounds(&mut self, row: u32, slot: Slot, bounds: Bounds) {
        let mut leaf = self.bundles.link(slot.bundle()).owner;
        let fine_cell = self.fine_cell(bounds);
        if self.nodes.cell(leaf).holds(fine_cell) {
            self.bundles.set(slot, bounds);
        } else {
            leaf = self.relocate(row, bounds, fine_cell);
        }
        self.nodes.grow(leaf, bounds);
    }

    /// Removes a row. O(1), or O(depth) for the first change to a leaf since the last clean-up.
    ///
    /// # Errors
    ///
    /// If the row is not held.
    pub fn remove(&mut self, row: u32) -> Result<(), LooseError> {
        let slot = self.slot(row).ok_or(LooseError::Absent { row })?;
        self.take(row, slot);
        self.rows -= 1;
        Ok(())
    }

    /// Moves a row to the leaf that `fine_cell` belongs to. Returns that leaf; its bounds are for the caller to grow.
    pub(super) fn relocate(&mut self, row: u32, bounds: Bounds, fine_cell: FineCell) -> Node {
        let slot = self.slots[row as usize];
        let from = self.take(row, slot);
        let leaf = self.nodes.leaf_near(from, fine_cell);
        self.push(leaf, row, bounds);
        leaf
    }

    /// Makes room for row numbers below `end`.
    pub(super) fn number_rows(&mut self, end: usize) {
        if self.slots.len() < end {
            self.slots.resize(end, Slot::NONE);
        }
    }

    #[inline(always)]
    pub(super) fn fine_cell(&self, [x0, y0, x1, y1]: Bounds) -> FineCell {
        self.region.fine_cell([x0, y0], [x1, y1])
    }

    /// Adds a row to a leaf, but does not grow the bounds of nodes.
    #[inline]
    pub(super) fn push(&mut self, leaf: Node, row: u32, bounds: Bounds) {
        let (block, sibling) = self.nodes.at_mut(leaf);
        let slot = self
            .bundles
            .push(&mut block.bundle[sibling], leaf, row, bounds);
        block.rows[sibling] += 1;
        self.slots[row as usize] = slot;
    }

    /// Takes a row out of its leaf. Returns the leaf.
    #[inline]
    pub(super) fn take(&mut self, row: u32, slot: Slot) -> Node {
        let leaf = self.bundles.link(slot.bundle()).owner;
        let (block, sibling) = self.nodes.at_mut(leaf);
        block.rows[sibling] -= 1;
        let moved = self.bundles.swap_remove(&mut block.bundle[sibling], slot);
        if let Some(moved) = moved {
            self.slots[moved as usize] = slot;
        }
        self.slots[row as usize] = Slot::NONE;
        self.nodes.mark(leaf);
        leaf
    }
}
