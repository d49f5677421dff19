//! The forest as other structures see it, and every overlapping pair with one of them.
//!
//! Chunks are those of the trees, one tree after the other. Where another structure asks, it asks all trees at once, so that
//! it walks its own leaves only once.

use super::{PackedForest, Tree};
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, PairOrder, RowMasks, SearchStats, search_chunks,
};

impl PackedForest {
    /// How many chunks the search for pairs with `other` comes in. Depends only on the data.
    pub fn meet_chunks(&self, other: &dyn BoxSource) -> usize {
        let trees = self.trees.iter();
        trees.map(|tree| tree.packed.meet_chunks(other)).sum()
    }

    /// How much arena memory a chunk of the meeting takes. If leaves touch unusually many boxes, the arena grows.
    pub fn meet_scratch_bytes(&self) -> usize {
        let trees = self.trees.iter();
        let each = trees.map(|tree| tree.packed.meet_scratch_bytes());
        each.max().unwrap_or(0)
    }

    /// As [`PackedQuadtree::meet_in_chunk`](crate::PackedQuadtree::meet_in_chunk).
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are too short for the rows.
    pub fn meet_in_chunk(
        &self,
        other: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        let (tree, chunk) = self.tree_of(chunk);
        let packed = &tree.packed;
        packed.meet_in_chunk(other, chunk, masks, order, arena, visit)
    }

    /// Visits every overlapping pair of the two structures once, on the calling thread, in chunk order, this one's row
    /// first.
    pub fn for_each_meeting(
        &self,
        other: &dyn BoxSource,
        masks: [Option<RowMasks<'_>>; 2],
        visit: impl FnMut(u32, u32),
    ) -> SearchStats {
        let search = |chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])| {
            self.meet_in_chunk(other, chunk, masks, PairOrder::Left, arena, visit)
        };
        let scratch = self.meet_scratch_bytes();
        search_chunks(self.meet_chunks(other), scratch, search, visit)
    }

    /// The tree that a chunk belongs to, and which of that tree's chunks it is.
    fn tree_of(&self, mut chunk: usize) -> (&Tree, usize) {
        for tree in &self.trees {
            let chunks = tree.packed.piece_chunks();
            if chunk < chunks {
                return (tree, chunk);
            }
            chunk -= chunks;
        }
        panic!("there is no such chunk");
    }
}

impl BoxSource for PackedForest {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        for tree in &self.trees {
            if tree.bounds.overlaps(window) {
                tree.packed.gather(window, arena, found);
            }
        }
    }

    fn spacing(&self) -> Option<f32> {
        let largest = self.trees.iter().max_by_key(|tree| tree.packed.len())?;
        largest.packed.spacing()
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn bounds(&self) -> Option<Aabb> {
        self.bounds()
    }
}

impl BoxPieces for PackedForest {
    fn piece_chunks(&self) -> usize {
        let trees = self.trees.iter();
        trees.map(|tree| tree.packed.piece_chunks()).sum()
    }

    fn visit_pieces<'a>(
        &self,
        chunk: usize,
        arena: &'a Arena,
        piece: &mut BoxRun<'a>,
        visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (tree, chunk) = self.tree_of(chunk);
        tree.packed.visit_pieces(chunk, arena, piece, visit)
    }
}
