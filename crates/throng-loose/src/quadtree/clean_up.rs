//! Repairs what changes leave behind, in one pass from the leaves up.
//!
//! The pass goes down only where something changed, and needs no stack: a node that is done loses its mark. So the next
//! node is the first marked sibling, or the parent if there is none.

use crate::quadtree::LooseQuadtree;
use crate::quadtree::bundles::Slot;
use crate::quadtree::nodes::{NONE, Node, give_back};
use crate::quadtree::region::{LEVELS, Region};
use crate::sides::center;

/// About how many rows a region is chosen from.
const SAMPLE: usize = 2048;

/// With so few rows outside the region, or in leaves that cannot be divided, another region is not considered.
pub(super) const FEW_MISFITS: usize = 64;

impl LooseQuadtree {
    /// Splits leaves that have too many rows, merges those that have few, and shrinks the bounds of nodes to what is
    /// below them. O(nodes), and O(rows in leaves that changed); nothing if nothing changed.
    ///
    /// Now and then the pass also sorts nodes and rows in the order of space again, after as many splits and merges as
    /// there are nodes, or chooses another region. Both are O(rows).
    pub fn clean_up(&mut self) {
        self.tidy_up();
    }

    /// Returns whether another region was chosen.
    pub(super) fn tidy_up(&mut self) -> bool {
        if self.nodes.block(0).dirty == 0 {
            return false;
        }
        let before = self.disorder;
        let mut planned = !self.has_region;
        if planned {
            let region = self.region_for_rows();
            self.divide_anew(region);
        }
        self.tidy();
        // Rows on one spot cannot be divided in any region, so their number alone is no reason.
        if !planned && self.has_many_misfits() {
            let region = self.region_for_rows();
            if !self.region.suits(&region) {
                self.divide_anew(region);
                self.tidy();
                planned = true;
            }
        }
        // The next rows of an empty tree may be somewhere else.
        self.has_region = self.rows > 0;
        self.forget_last_rows();
        if self.disorder != before {
            self.pack_if_needed();
            self.list_leaves();
        }
        let mut work = std::mem::take(&mut self.work);
        work.cut(self, self.rows);
        self.work = work;
        planned
    }

    /// Splits, merges and shrinks from the leaves up, wherever there is a mark.
    fn tidy(&mut self) {
        let mut node = Node::ROOT;
        loop {
            self.split_if_crowded(node);
            let (block, sibling) = self.nodes.at(node);
            if !block.is_leaf(sibling) {
                let children = block.children[sibling];
                let first = self.nodes.block(children).dirty.trailing_zeros();
                debug_assert!(first < 4, "a change in a node is in one of its children");
                node = Node::of(children, first as usize);
                continue;
            }
            self.shrink_leaf(node);
            loop {
                let block = self.nodes.block_mut(node.block());
                block.dirty &= !(1 << node.sibling());
                let (dirty, parent) = (block.dirty, block.parent);
                if dirty != 0 {
                    node = Node::of(node.block(), dirty.trailing_zeros() as usize);
                    break;
                }
                if parent == Node::NONE {
                    return;
                }
                node = parent;
                self.shrink_inner(node);
            }
        }
    }

    fn shrink_leaf(&mut self, leaf: Node) {
        let (block, sibling) = self.nodes.at_mut(leaf);
        self.most_misfits += block.rows[sibling] as usize;
        let bounds = self.bundles.leaf_bounds(block.bundle[sibling]);
        block.set_bounds(sibling, bounds);
    }

    /// Shrinks the bounds of a node to its children, or turns it back into a leaf if these hold few rows together.
    fn shrink_inner(&mut self, node: Node) {
        let (block, sibling) = self.nodes.at(node);
        let children = self.nodes.block(block.children[sibling]);
        let bounds = children.all_bounds();
        // Half the limit of a split, so that a row that goes back and forth does not cause both each time.
        let few = children.rows.iter().sum::<u32>() <= self.split_above / 2;
        let merge = few && (0..4).all(|child| children.is_leaf(child));
        let (block, sibling) = self.nodes.at_mut(node);
        block.set_bounds(sibling, bounds);
        if merge {
            self.merge(node);
        }
    }

    fn split_if_crowded(&mut self, node: Node) {
        let (block, sibling) = self.nodes.at(node);
        let crowded = block.rows[sibling] > self.split_above;
        if crowded && block.depth < self.max_depth && self.can_be_divided(node) {
            self.split(node);
        }
    }

    /// Whether a split, here or further down, would separate any two rows of a leaf.
    fn can_be_divided(&self, leaf: Node) -> bool {
        let (block, sibling) = self.nodes.at(leaf);
        let mut fine_cells = self
            .bundles
            .linked_from(block.bundle[sibling])
            .flat_map(|bundle| {
                let boxes = self.bundles.boxes(bundle);
                let lanes = 0..self.bundles.link(bundle).len as usize;
                lanes.map(|lane| {
                    let fine_cell = self.fine_cell(boxes.bounds_of(lane));
                    fine_cell.map(|cell| cell >> (LEVELS - u32::from(self.max_depth)))
                })
            });
        let first = fine_cells.next();
        fine_cells.any(|fine_cell| Some(fine_cell) != first)
    }

    /// Distributes a leaf's rows to four new children, and marks those that got any.
    fn split(&mut self, node: Node) {
        let first = self.emptied(node);
        let children = self.nodes.split(node);
        self.pour(first, |tree, fine_cell| {
            Node::of(children, tree.nodes.block(children).sibling_of(fine_cell))
        });
        let block = self.nodes.block_mut(children);
        let filled = (0..4).filter(|&child| block.rows[child] > 0);
        block.dirty = filled.fold(0, |bits, child| bits | 1 << child);
        self.disorder += 1;
    }

    /// Moves the rows of four leaves back into their parent.
    fn merge(&mut self, node: Node) {
        let (block, sibling) = self.nodes.at(node);
        let children = block.children[sibling];
        let firsts = [0, 1, 2, 3].map(|child| self.emptied(Node::of(children, child)));
        self.nodes.merge(node);
        for first in firsts {
            self.pour(first, |_, _| node);
        }
        self.disorder += 1;
    }

    /// Takes a leaf's bundles from it. Returns the first one.
    fn emptied(&mut self, leaf: Node) -> u32 {
        let (block, sibling) = self.nodes.at_mut(leaf);
        block.rows[sibling] = 0;
        std::mem::replace(&mut block.bundle[sibling], NONE)
    }

    /// Frees bundles, and moves their rows to the leaves that `leaf_of` returns.
    fn pour(&mut self, first: u32, leaf_of: impl Fn(&Self, [u32; 2]) -> Node) {
        let mut bundle = first;
        while bundle != NONE {
            let (next, len) = (
                self.bundles.link(bundle).next,
                self.bundles.link(bundle).len,
            );
            let boxes = self.bundles.boxes(bundle).clone();
            // Freed first, so that it is the next one to be filled, while it is still in the cache.
            self.bundles.release(bundle);
            for lane in 0..len as usize {
                let bounds = boxes.bounds_of(lane);
                let leaf = leaf_of(self, self.fine_cell(bounds));
                self.push(leaf, boxes.rows[lane], bounds);
            }
            bundle = next;
        }
    }

    /// A region for the current rows.
    fn region_for_rows(&mut self) -> Region {
        let mut sample = std::mem::take(&mut self.scratch.sample);
        sample.iter_mut().for_each(Vec::clear);
        let every = self.rows / SAMPLE + 1;
        let held = self.slots.iter().filter(|&&slot| slot != Slot::NONE);
        for slot in held.step_by(every) {
            let [x0, y0, x1, y1] = self.bundles.boxes(slot.bundle()).bounds_of(slot.lane());
            sample[0].push(center(x0, x1));
            sample[1].push(center(y0, y1));
        }
        let region = Region::around(&mut sample);
        self.scratch.sample = sample;
        region
    }

    /// Moves all rows into one leaf, to be split again in another region.
    fn divide_anew(&mut self, region: Region) {
        self.region = region;
        let mut leaf = Some(Node::ROOT);
        let mut firsts = Vec::with_capacity(self.leaves.len());
        while let Some(node) = leaf {
            let (block, sibling) = self.nodes.at(node);
            firsts.push(block.bundle[sibling]);
            leaf = self.nodes.next(node);
        }
        self.nodes.clear();
        for first in firsts {
            self.pour(first, |_, _| Node::ROOT);
        }
        self.nodes.block_mut(0).dirty = 1;
        self.disorder += 1;
    }

    /// Whether so many rows are outside the region, or in leaves that cannot be divided, that another region may be better. O(nodes)
    /// if as many rows have changed since they were counted; O(1) otherwise.
    fn has_many_misfits(&mut self) -> bool {
        let few = self.rows / 16 + FEW_MISFITS;
        if self.most_misfits > few {
            self.most_misfits = self.count_misfits();
        }
        self.most_misfits > few
    }

    /// How many rows are outside the region, or in leaves that cannot be divided. O(nodes).
    pub(super) fn count_misfits(&self) -> usize {
        let mut misfits = 0;
        let mut next = Some(Node::ROOT);
        while let Some(node) = next {
            next = self.nodes.next(node);
            let (block, sibling) = self.nodes.at(node);
            let rows = block.rows[sibling];
            if rows > self.split_above {
                misfits += rows as usize;
            } else if rows > 0 && block.cell(sibling).is_at_border() {
                misfits += self.count_outside(block.bundle[sibling]);
            }
        }
        misfits
    }

    fn count_outside(&self, first: u32) -> usize {
        let outside = |bundle: u32| {
            let boxes = self.bundles.boxes(bundle);
            let lanes = 0..self.bundles.link(bundle).len as usize;
            let outside = lanes.filter(|&lane| {
                let [x0, y0, x1, y1] = boxes.bounds_of(lane);
                self.region.is_outside([x0, y0], [x1, y1])
            });
            outside.count()
        };
        self.bundles.linked_from(first).map(outside).sum()
    }

    /// Row numbers cost 4 bytes each, up to the highest in use.
    fn forget_last_rows(&mut self) {
        while self.slots.last() == Some(&Slot::NONE) {
            self.slots.pop();
        }
        give_back(&mut self.slots);
    }

    /// Numbers the leaves in depth-first order.
    pub(super) fn list_leaves(&mut self) {
        self.leaves.clear();
        let mut node = Node::ROOT;
        loop {
            let (block, sibling) = self.nodes.at_mut(node);
            if block.is_leaf(sibling) {
                block.last_leaf[sibling] = self.leaves.len() as u32;
                self.leaves.push(node);
                // Every ancestor that ends with this leaf has it as its last one.
                let mut ended = node;
                while ended.sibling() == 3 {
                    ended = self.nodes.block(ended.block()).parent;
                    let (block, sibling) = self.nodes.at_mut(ended);
                    block.last_leaf[sibling] = self.leaves.len() as u32 - 1;
                }
            }
            match self.nodes.next(node) {
                Some(next) => node = next,
                None => break,
            }
        }
        give_back(&mut self.leaves);
    }
}
