//! Adding an element to its nodes, removing it, dividing a leaf.

use crate::dynamic::Quadtree;
use crate::dynamic::cursor::{At, Cursor, Siblings};
use crate::dynamic::sides::{Sides, sides_of};

impl<T> Quadtree<T> {
    /// How deep a box may go.
    #[inline(always)]
    pub(super) fn level_of(&self, sides: &Sides) -> u32 {
        self.region.level_of(self.region.cells(sides))
    }

    /// Adds an element, whose box is already stored, to the nodes that it belongs to, and divides those that are then
    /// too full.
    pub(super) fn link(&mut self, index: u32) {
        let sides = sides_of(&self.boxes[index as usize]);
        let level = self.level_of(&sides);
        self.deepest[index as usize] = 0;
        self.changed = true;
        let mut cursor = Cursor::new(&self.region);
        while let Some(at) = cursor.next() {
            let node = self.nodes.at_mut(at.node);
            if node.is_leaf() || at.depth == level {
                let movable = at.depth < level;
                self.lists.push(&mut node.list, index, movable);
                let deepest = &mut self.deepest[index as usize];
                *deepest = (*deepest).max(at.depth as u8);
                if node.is_leaf() && self.lists.movable(node.list) > self.split_above {
                    self.divide(at);
                }
            } else {
                let split = self.region.split(at.low, at.depth);
                let siblings = Siblings::touched_by(&sides, split);
                cursor.enter(&at, node.children, split, siblings);
            }
        }
    }

    /// Removes an element from all its nodes.
    pub(super) fn unlink(&mut self, index: u32) {
        let sides = sides_of(&self.boxes[index as usize]);
        let level = self.level_of(&sides);
        let mut cursor = Cursor::new(&self.region);
        while let Some(at) = cursor.next() {
            let node = self.nodes.at_mut(at.node);
            if node.is_leaf() || at.depth == level {
                let movable = at.depth < level;
                self.lists.remove(&mut node.list, index, movable);
            } else {
                let split = self.region.split(at.low, at.depth);
                let siblings = Siblings::touched_by(&sides, split);
                cursor.enter(&at, node.children, split, siblings);
            }
        }
        self.changed = true;
    }

    /// Gives a leaf children, and those their own, until no leaf is too full. Elements that may not go deeper stay.
    #[cold]
    fn divide(&mut self, leaf: At) {
        let mut elements = std::mem::take(&mut self.scratch.elements);
        let mut leaves = std::mem::take(&mut self.scratch.places);
        leaves.push(leaf);
        while let Some(at) = leaves.pop() {
            let Some(block) = self.nodes.add_children(at.node) else {
                continue;
            };
            elements.clear();
            let list = &mut self.nodes.at_mut(at.node).list;
            self.lists.take_all(list, &mut elements);
            let split = self.region.split(at.low, at.depth);
            for &index in &elements {
                let sides = sides_of(&self.boxes[index as usize]);
                let level = self.level_of(&sides);
                if level == at.depth {
                    let list = &mut self.nodes.at_mut(at.node).list;
                    self.lists.push(list, index, false);
                    continue;
                }
                let depth = at.depth + 1;
                for sibling in Siblings::touched_by(&sides, split).each() {
                    let child = at.child(split, block, sibling);
                    let list = &mut self.nodes.at_mut(child.node).list;
                    self.lists.push(list, index, depth < level);
                }
                let deepest = &mut self.deepest[index as usize];
                *deepest = (*deepest).max(depth as u8);
            }
            leaves.extend((0..4).filter_map(|sibling| {
                let child = at.child(split, block, sibling);
                let list = self.nodes.at(child.node).list;
                (self.lists.movable(list) > self.split_above).then_some(child)
            }));
        }
        (self.scratch.elements, self.scratch.places) = (elements, leaves);
    }
}
