//! One row at a time: insert, set, remove.

use crate::quadtree::LooseQuadtree;
use crate::quadtree::bundles::Slot;
use crate::quadtree::nodes::{Bounds, Node};
use crate::quadtree::region::Place;
use crate::sides::sides_of;
use crate::{LooseError, check};
use throng_core::Aabb;

impl LooseQuadtree {
    /// Adds a row. O(depth).
    ///
    /// # Errors
    ///
    /// If the row is there already, or its number is [`MOST_ROWS`](crate::MOST_ROWS) or more. The
    /// tree is then as it was.
    pub fn insert(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
        check::row_number(row)?;
        if self.contains(row) {
            return Err(LooseError::Present { row });
        }
        self.number_rows(row as usize + 1);
        let bounds = sides_of(&aabb);
        let leaf = self.nodes.leaf_of(self.place(bounds));
        self.push(leaf, row, bounds);
        self.nodes.grow(leaf, bounds);
        self.rows += 1;
        Ok(())
    }

    /// Gives a row another box. O(1) if it stays in its leaf and the leaf's box, O(depth) else.
    ///
    /// # Errors
    ///
    /// If the row is not there.
    pub fn set(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
        let slot = self.slot(row).ok_or(LooseError::Absent { row })?;
        let bounds = sides_of(&aabb);
        let mut leaf = self.bundles.link(slot.bundle()).owner;
        let place = self.place(bounds);
        if self.nodes.cell(leaf).holds(place) {
            self.bundles.set(slot, bounds);
        } else {
            leaf = self.relocate(row, bounds, place);
        }
        self.nodes.grow(leaf, bounds);
        Ok(())
    }

    /// Takes a row out. O(1), or O(depth) for the first change to a leaf since the last clean-up.
    ///
    /// # Errors
    ///
    /// If the row is not there.
    pub fn remove(&mut self, row: u32) -> Result<(), LooseError> {
        let slot = self.slot(row).ok_or(LooseError::Absent { row })?;
        self.take(row, slot);
        self.rows -= 1;
        Ok(())
    }

    /// Moves a row to the leaf that `place` belongs to, which is returned, and whose bounds the caller
    /// grows.
    pub(super) fn relocate(&mut self, row: u32, bounds: Bounds, place: Place) -> Node {
        let slot = self.slots[row as usize];
        let from = self.take(row, slot);
        let leaf = self.nodes.leaf_near(from, place);
        self.push(leaf, row, bounds);
        leaf
    }

    /// Makes room for the numbers of rows below `end`.
    pub(super) fn number_rows(&mut self, end: usize) {
        if self.slots.len() < end {
            self.slots.resize(end, Slot::NONE);
        }
    }

    #[inline(always)]
    pub(super) fn place(&self, [x0, y0, x1, y1]: Bounds) -> Place {
        self.region.place([x0, y0], [x1, y1])
    }

    /// Adds a row to a leaf, leaving the bounds of nodes as they are.
    #[inline]
    pub(super) fn push(&mut self, leaf: Node, row: u32, bounds: Bounds) {
        let (block, sibling) = self.nodes.at_mut(leaf);
        let slot = self
            .bundles
            .push(&mut block.bundle[sibling], leaf, row, bounds);
        block.rows[sibling] += 1;
        self.slots[row as usize] = slot;
    }

    /// Takes a row out of its leaf, which is returned.
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
