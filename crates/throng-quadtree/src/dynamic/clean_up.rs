//! What changes leave to do once a frame: merge leaves, choose a new region, free memory.

use crate::dynamic::Quadtree;
use crate::dynamic::cursor::{At, Cursor, Siblings};
use crate::dynamic::lists::Lists;
use crate::dynamic::nodes::{Node, NodeId, Nodes};
use crate::dynamic::region::{Region, extent_of, widened};
use crate::dynamic::sides::sides_of;
use crate::dynamic::slots::NONE;

/// How many elements are sampled to choose a region.
const SAMPLE: u32 = 512;

/// Working memory of changes, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub elements: Vec<u32>,
    pub places: Vec<At>,
    middles: [Vec<f32>; 2],
}

impl Scratch {
    pub fn bytes(&self) -> usize {
        let [x, y] = &self.middles;
        self.elements.capacity() * size_of::<u32>()
            + self.places.capacity() * size_of::<At>()
            + (x.capacity() + y.capacity()) * size_of::<f32>()
    }
}

impl<T> Quadtree<T> {
    /// Tidies up after changes: merges leaves that have become nearly empty, chooses another region if most elements
    /// have left this one, and frees memory if most of it is unused.
    ///
    /// Call it once a frame, before searching. Answers are right without it; it only keeps them fast. O(nodes), or
    /// O(1) if every element stayed in its nodes; O(elements · depth) when a new region is chosen.
    pub fn clean_up(&mut self) {
        if !self.changed {
            return;
        }
        if self.region_is_chosen {
            self.choose_region();
        }
        self.merge_leaves();
        if self.nodes.slots().is_sparse() || self.lists.is_sparse() {
            self.pack();
        }
        self.changed = false;
    }

    /// Chooses another region if this one no longer suits the elements, and rebuilds the nodes. Returns whether it
    /// did.
    pub(super) fn choose_region(&mut self) -> bool {
        if self.len() <= self.split_above as usize {
            return false;
        }
        let extent = extent_of(self.sample());
        let candidate = Region::around(widened(extent), self.limits);
        if candidate == self.region || self.region.suits(extent, &candidate) {
            return false;
        }
        self.region = candidate;
        self.nodes.clear();
        self.lists.clear();
        for index in 0..self.values.slots_len() {
            if self.values.get_at(index).is_some() {
                self.link(index);
            }
        }
        true
    }

    /// The centers of some elements' boxes, along each axis. Those of half-planes are at infinity.
    fn sample(&mut self) -> &mut [Vec<f32>; 2] {
        /// The golden ratio's fraction as an odd number, so that multiples of it scatter.
        const SCATTER: u64 = 0x9e37_79b1;
        let slots = self.values.slots_len();
        let middles = &mut self.scratch.middles;
        middles.iter_mut().for_each(Vec::clear);
        for k in 0..slots.min(SAMPLE) {
            let index = if slots <= SAMPLE {
                k
            } else {
                (u64::from(k) * SCATTER % u64::from(slots)) as u32
            };
            if self.values.get_at(index).is_some() {
                let sides = sides_of(&self.boxes[index as usize]);
                for axis in 0..2 {
                    middles[axis].push(0.5 * sides[axis] + 0.5 * sides[axis + 2]);
                }
            }
        }
        middles
    }

    /// Merges four leaves wherever together they hold at most half of what one leaf may.
    fn merge_leaves(&mut self) {
        let mut inner = std::mem::take(&mut self.scratch.places);
        let mut cursor = Cursor::new(&self.region);
        while let Some(at) = cursor.next() {
            let node = self.nodes.at(at.node);
            if !node.is_leaf() {
                inner.push(at);
                let split = self.region.split(at.low, at.depth);
                cursor.enter(&at, node.children, split, Siblings::ALL);
            }
        }
        // Parents come before their children in this list, so that whole branches go at once.
        while let Some(at) = inner.pop() {
            self.merge_children(&at);
        }
        self.scratch.places = inner;
    }

    fn merge_children(&mut self, at: &At) {
        let most = self.split_above as usize / 2;
        let children = self.nodes.at(at.node).children;
        let siblings = self.nodes.block(children).0;
        let are_few = |node: &Node| node.is_leaf() && self.lists.len(node.list) <= most;
        if !siblings.iter().all(are_few) {
            return;
        }
        let split = self.region.split(at.low, at.depth);
        let mut elements = std::mem::take(&mut self.scratch.elements);
        elements.clear();
        for (sibling, node) in (0..).zip(&siblings) {
            // An element in several of them counts in the first.
            let is_first = |index: &u32| {
                let touched = Siblings::touched_by(&sides_of(&self.boxes[*index as usize]), split);
                touched.each().next() == Some(sibling)
            };
            for run in self.lists.runs(node.list) {
                elements.extend(run.iter().copied().filter(is_first));
            }
        }
        if elements.len() <= most {
            for mut node in siblings {
                self.lists.empty(&mut node.list);
            }
            self.nodes.remove_children(at.node);
            let list = &mut self.nodes.at_mut(at.node).list;
            for &index in &elements {
                self.lists.push(list, index, true);
            }
        }
        self.scratch.elements = elements;
    }

    /// Copies nodes and lists to memory of exactly the needed size: nodes level by level, lists in the same order.
    fn pack(&mut self) {
        let mut nodes = Nodes::with_capacity(self.nodes.slots().used());
        let mut lists = Lists::with_capacity(self.lists.used());
        *nodes.at_mut(NodeId::ROOT) = self.nodes.at(NodeId::ROOT);
        let mut looked_at = 0;
        // Nodes not yet processed still refer to blocks and lists of the old tree.
        while looked_at < 4 * nodes.slots().len() as u32 {
            let node = NodeId(looked_at);
            looked_at += 1;
            let Node { children, list } = nodes.at(node);
            nodes.at_mut(node).list = lists.copy_from(&self.lists, list);
            if children != NONE {
                nodes.adopt(node, *self.nodes.block(children));
            }
        }
        (self.nodes, self.lists) = (nodes, lists);
        self.scratch = Scratch::default();
    }
}
