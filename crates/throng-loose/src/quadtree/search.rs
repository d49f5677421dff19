//! Walking the leaves that touch a window, and gathering what is in them.
//!
//! Four siblings are tested at a time, and parents are found by their links. All that is stored on the way down is
//! which siblings are still to be visited, four bits per level, and there are at most [`LEVELS`] levels: no stack, no
//! overflow, no allocation.
//!
//! Where many rest, hardly any of the tree is in the caches, and most of the time of a question is spent waiting for boxes. So
//! whoever gathers goes on walking while the boxes of the leaves that it has found are fetched, some leaves at a time.

use crate::leaves::{BoxSlice, Leaves};
use crate::quadtree::LooseQuadtree;
use crate::quadtree::bundles::Bundles;
use crate::quadtree::nodes::{Block, NONE, Node};
use crate::quadtree::region::LEVELS;
use crate::sides::corners;
use std::ops::ControlFlow;
use throng_core::lanes::{Kernel, Lanes, Sides, keep_touching};
use throng_core::{Arena, BoxRun, Corners, LANES, Simd};

/// The boxes of so many leaves are fetched at the same time.
const LEAVES_AT_ONCE: usize = 8;

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
        self.walk(window, first, |block, sibling| {
            visit(block.last_leaf[sibling] as usize)
        })
    }
}

impl LooseQuadtree {
    /// Visits the leaves from number `first` on that hold rows and touch a window, depth first: the block that each is in, and its
    /// place there.
    #[inline(always)]
    fn walk<B>(
        &self,
        window: &Corners,
        first: usize,
        mut visit: impl FnMut(&Block, usize) -> ControlFlow<B>,
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
                visit(block, sibling)?;
            }
        }
    }

    /// Appends every box that touches the window, in the order of leaves.
    pub(super) fn gather_touching<'a>(
        &self,
        window: &Corners,
        arena: &'a Arena,
        found: &mut BoxRun<'a>,
    ) {
        let (mut waiting, mut count, mut lanes) = ([NONE; LEAVES_AT_ONCE], 0, 0);
        let every: ControlFlow<()> = self.walk(window, 0, |block, sibling| {
            if count == LEAVES_AT_ONCE {
                found.make_room(arena, lanes);
                self.append_touching(&waiting, window, found);
                (count, lanes) = (0, 0);
            }
            self.bundles.prefetch(block.bundle[sibling]);
            waiting[count] = block.bundle[sibling];
            count += 1;
            lanes += (block.rows[sibling] as usize).next_multiple_of(LANES);
            ControlFlow::Continue(())
        });
        debug_assert!(every.is_continue());
        found.make_room(arena, lanes);
        self.append_touching(&waiting[..count], window, found);
    }

    /// Appends the boxes of some leaves that touch the window, for which there must be room. Of each leaf, its first bundle is
    /// given.
    fn append_touching(&self, leaves: &[u32], window: &Corners, found: &mut BoxRun<'_>) {
        let kept = found.len();
        let (mut sides, rows) = found.columns_mut();
        let len = self.simd.run(AppendTouching {
            bundles: &self.bundles,
            leaves,
            window,
            to: (&mut sides, rows),
            kept,
        });
        found.set_len(len);
    }
}

/// Boxes that touch a window, all lanes of a bundle at a time: those without a row are NaN, and touch nothing. With a call of
/// [`Simd::touching`] for each bundle instead, a search of few boxes among many took a fifth longer.
struct AppendTouching<'a, 'r> {
    bundles: &'a Bundles,
    leaves: &'a [u32],
    window: &'a Corners,
    to: (&'a mut [&'r mut [f32]; 4], &'a mut [u32]),
    kept: usize,
}

impl Kernel for AppendTouching<'_, '_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let (to, to_rows) = self.to;
        let (window, mut kept) = (Sides::splat(lanes, *self.window), self.kept);
        for &first in self.leaves {
            for bundle in self.bundles.linked_from(first) {
                let boxes = self.bundles.boxes(bundle);
                let sides = Sides::load(lanes, boxes.sides.each_ref().map(|side| &side[..]), 0);
                let rows = lanes.load_words(&boxes.rows);
                kept += keep_touching(lanes, [&window, &sides], rows, (to, to_rows), kept);
            }
        }
        kept
    }
}
