//! Changing one element at a time.

use crate::dynamic::sides::sides_of;
use crate::dynamic::{ElementId, Quadtree, QuadtreeError};
use throng_core::Aabb;

impl<T> Quadtree<T> {
    /// Adds an element. O(depth · its nodes), averaged over many inserts: now and then a leaf is divided, and each time there are twice
    /// as many elements as at the last look, the tree may choose another region and divide all of them anew.
    ///
    /// # Errors
    ///
    /// If the tree is full.
    pub fn insert(&mut self, aabb: Aabb, value: T) -> Result<ElementId, QuadtreeError> {
        let handle = self
            .values
            .try_insert(value)
            .map_err(|_| QuadtreeError::Full)?;
        let index = handle.index() as usize;
        if index == self.boxes.len() {
            self.boxes.push(aabb);
            self.generations.push(handle.generation());
            self.deepest.push(0);
        } else {
            self.boxes[index] = aabb;
            self.generations[index] = handle.generation();
        }
        if self.region_is_chosen && self.len() > self.next_look {
            self.next_look = 2 * self.len();
            if self.choose_region() {
                return Ok(ElementId(handle));
            }
        }
        self.link(handle.index());
        Ok(ElementId(handle))
    }

    /// Gives an element another box. O(1) if it stays in the same nodes, as it mostly does in a small step; else
    /// O(depth · its nodes + elements of those nodes).
    ///
    /// # Errors
    ///
    /// If the element is no longer there.
    pub fn set_aabb(&mut self, id: ElementId, aabb: Aabb) -> Result<(), QuadtreeError> {
        if !self.contains(id) {
            return Err(QuadtreeError::Stale { id });
        }
        let index = id.index() as usize;
        let cells = [self.boxes[index], aabb].map(|aabb| self.region.cells(&sides_of(&aabb)));
        let deepest = u32::from(self.deepest[index]);
        if self.region.same_nodes(cells[0], cells[1], deepest) {
            self.boxes[index] = aabb;
        } else {
            self.unlink(id.index());
            self.boxes[index] = aabb;
            self.link(id.index());
        }
        Ok(())
    }

    /// Removes an element. O(depth · its nodes + elements of those nodes).
    ///
    /// # Errors
    ///
    /// If it is no longer there.
    pub fn remove(&mut self, id: ElementId) -> Result<T, QuadtreeError> {
        if !self.contains(id) {
            return Err(QuadtreeError::Stale { id });
        }
        self.unlink(id.index());
        self.values.remove(id.0).ok_or(QuadtreeError::Stale { id })
    }

    /// Removes all elements. Every id is stale afterwards. The next clean-up frees the memory of nodes and lists.
    /// O(elements).
    pub fn clear(&mut self) {
        self.values.clear();
        self.nodes.clear();
        self.lists.clear();
        self.changed = true;
        self.next_look = self.split_above as usize;
    }
}
