//! Sorts both pools in the order of space.
//!
//! Splits and merges take blocks and bundles from wherever one is free, so over time neighbors in space are spread
//! over memory. Once there were half as many as there are blocks, everything is put in depth-first order in place, and
//! the free ones at the end are cut off.

use crate::quadtree::LooseQuadtree;
use crate::quadtree::bundles::Slot;
use crate::quadtree::nodes::{NONE, Node};

impl LooseQuadtree {
    pub(super) fn pack_if_needed(&mut self) {
        let disordered = self.disorder > self.nodes.used() / 2 + 16;
        let hollow = |slots: usize, used: usize| slots > 4 * used + 64;
        if disordered
            || hollow(self.nodes.slots(), self.nodes.used())
            || hollow(self.bundles.slots(), self.bundles.used())
        {
            self.pack();
        }
    }

    fn pack(&mut self) {
        let (used_blocks, used_bundles) = (self.nodes.used(), self.bundles.used());
        let mut block_to = std::mem::take(&mut self.scratch.block_to);
        let mut bundle_to = std::mem::take(&mut self.scratch.bundle_to);
        self.number_in_order(&mut block_to, &mut bundle_to);
        self.renumber(&block_to, &bundle_to);
        self.nodes.arrange(&mut block_to, used_blocks);
        self.bundles.arrange(&mut bundle_to, used_bundles);
        for bundle in 0..used_bundles as u32 {
            let len = self.bundles.link(bundle).len;
            for (lane, &row) in (0..len).zip(&self.bundles.boxes(bundle).rows) {
                self.slots[row as usize] = Slot::of(bundle, lane);
            }
        }
        for to in [&mut block_to, &mut bundle_to] {
            to.clear();
            to.shrink_to(2 * used_bundles.max(used_blocks) + 64);
        }
        self.scratch.block_to = block_to;
        self.scratch.bundle_to = bundle_to;
        self.disorder = 0;
    }

    /// The new indices of blocks and bundles in depth-first order; free ones come last.
    fn number_in_order(&self, block_to: &mut Vec<u32>, bundle_to: &mut Vec<u32>) {
        for (to, len) in [
            (&mut *block_to, self.nodes.slots()),
            (&mut *bundle_to, self.bundles.slots()),
        ] {
            to.clear();
            to.resize(len, NONE);
        }
        let (mut blocks, mut bundles) = (0_u32.., 0_u32..);
        let number = |to: &mut u32, numbers: &mut std::ops::RangeFrom<u32>| {
            *to = numbers.next().unwrap_or(NONE);
        };
        let mut next = Some(Node::ROOT);
        while let Some(node) = next {
            next = self.nodes.next(node);
            let (block, sibling) = self.nodes.at(node);
            if sibling == 0 {
                number(&mut block_to[node.block() as usize], &mut blocks);
            }
            for bundle in self.bundles.linked_from(block.bundle[sibling]) {
                number(&mut bundle_to[bundle as usize], &mut bundles);
            }
        }
        for block in self.nodes.free_blocks() {
            number(&mut block_to[block as usize], &mut blocks);
        }
        for bundle in self.bundles.free_bundles() {
            number(&mut bundle_to[bundle as usize], &mut bundles);
        }
    }

    /// Makes everything in use refer to the new indices.
    fn renumber(&mut self, block_to: &[u32], bundle_to: &[u32]) {
        let moved = |to: &[u32], old: u32| if old == NONE { NONE } else { to[old as usize] };
        let moved_node = |node: Node| {
            let block = moved(block_to, node.block());
            Node::of(block, node.sibling())
        };
        let mut next = Some(Node::ROOT);
        while let Some(node) = next {
            next = self.nodes.next(node);
            let (block, sibling) = self.nodes.at(node);
            let mut bundle = block.bundle[sibling];
            while bundle != NONE {
                let link = self.bundles.link_mut(bundle);
                let after = link.next;
                link.next = moved(bundle_to, after);
                link.owner = moved_node(node);
                bundle = after;
            }
        }
        // Only now, because the walk above follows the old numbers.
        self.nodes.renumber(|block| {
            if block.parent != Node::NONE {
                block.parent = moved_node(block.parent);
            }
            block.children = block.children.map(|old| moved(block_to, old));
            block.bundle = block.bundle.map(|old| moved(bundle_to, old));
        });
    }
}
