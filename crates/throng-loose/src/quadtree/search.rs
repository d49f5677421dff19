//! Walking the leaves that touch a window.
//!
//! Four siblings are tested at a time, and parents are found by their links. All that is stored on the way down is
//! which siblings are still to be visited, four bits per level, and there are at most [`LEVELS`] levels: no stack, no
//! overflow, no allocation.

use crate::leaves::{BoxSlice, Leaves};
use crate::quadtree::LooseQuadtree;
use crate::quadtree::nodes::{NONE, Node};
use crate::quadtree::region::LEVELS;
use crate::sides::corners;
use std::ops::ControlFlow;
use throng_core::{Corners, Simd};

impl Leaves for LooseQuadtree {
    fn simd(&self) -> Simd {
        self.simd
    }

    fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    fn leaf_len(&self, leaf: usize) -> usize {
        let (block, sibling) = self.nodes.at(self.leaves[leaf]);
        block.rows[sibling] as usize
    }

    fn leaf_bounds(&self, leaf: usize) -> Corners {
        let (block, sibling) = self.nodes.at(self.leaves[leaf]);
        corners(block.bounds_of(sibling))
    }

    fn box_slices(&self, leaf: usize) -> impl Iterator<Item = BoxSlice<'_>> {
        let (block, sibling) = self.nodes.at(self.leaves[leaf]);
        let bundles = self.bundles.linked_from(block.bundle[sibling]);
        bundles.map(|bundle| {
            let len = self.bundles.link(bundle).len as usize;
            let boxes = self.bundles.boxes(bundle);
            BoxSlice {
                sides: boxes.sides.each_ref().map(|side| &side[..len]),
                rows: &boxes.rows[..len],
            }
        })
    }

    /// In depth-first order, which is the order of leaf numbers.
    fn leaves_touching<B>(
        &self,
        window: &Corners,
        first: usize,
        mut visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        let mut pending = [0_u32; LEVELS as usize + 1];
        let mut block = self.nodes.block(0);
        let mut siblings = block.touching(window, first);
        loop {
            while siblings == 0 {
                if block.parent == Node::NONE {
                    return ControlFlow::Continue(());
                }
                block = self.nodes.block(block.parent.block());
                siblings = pending[usize::from(block.depth)];
            }
            let sibling = siblings.trailing_zeros() as usize;
            siblings &= siblings - 1;
            let children = block.children[sibling];
            if children != NONE {
                pending[usize::from(block.depth)] = siblings;
                block = self.nodes.block(children);
                siblings = block.touching(window, first);
            } else if block.rows[sibling] > 0 {
                visit(block.last_leaf[sibling] as usize)?;
            }
        }
    }
}
