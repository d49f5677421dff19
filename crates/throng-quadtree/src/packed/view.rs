//! The bytes of a tree, seen as nodes and leaves.

use super::header::{HEADER, Header, LEAF, NODE};
use super::levels::Levels;
use throng_core::{Aabb, LANES, prefetch_for_reading};

/// One side of sixteen boxes, or their rows.
pub(crate) type Column = [f32; LANES];

/// Row number of a slot without a box.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// The contents of a leaf that does not exist: no box and no row.
static NO_LEAF: [Column; LEAF] = [[f32::from_bits(NO_ROW); LANES]; LEAF];

/// All blocks, in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub levels: &'a Levels,
    /// Of all blocks, the top level first.
    columns: &'a [Column],
    pub leaves: &'a [[Column; LEAF]],
}

impl<'a> View<'a> {
    /// # Panics
    ///
    /// If the bytes are not the ones that the header was read from.
    #[inline]
    pub fn new(header: &'a Header, bytes: &'a [u8]) -> Self {
        let levels = &header.levels;
        let columns: &[Column] = bytemuck::cast_slice(&bytes[HEADER..]);
        let leaves = &columns[levels.start(0)..][..levels.leaves() * LEAF];
        Self {
            levels,
            columns,
            leaves: leaves.as_chunks().0,
        }
    }

    /// A block above the leaves.
    #[inline(always)]
    fn node(&self, level: usize, block: usize) -> &'a [Column; NODE] {
        let at = self.levels.start(level) + block * NODE;
        let node = self.columns[at..at + NODE].first_chunk();
        node.expect("as many columns as a node has")
    }

    /// The row and the box in a slot; `None` if it is empty.
    #[inline(always)]
    pub fn slot(&self, slot: u32) -> Option<(u32, Aabb)> {
        let (row, [min, max]) = self.corners_in(slot);
        Some((row, Aabb::new(min, max).ok()?))
    }

    /// The row and the box in a slot that a search has found. Does not branch, and does not panic if there is no such
    /// slot.
    #[inline(always)]
    pub fn found(&self, slot: u32) -> (u32, Aabb) {
        let (row, [min, max]) = self.corners_in(slot);
        (row, Aabb::of_corners(min, max))
    }

    /// Whether a slot holds neither a box nor a row.
    pub fn is_struck(&self, slot: u32) -> bool {
        let (row, [min, max]) = self.corners_in(slot);
        row == NO_ROW && [min, max].concat().iter().all(|side| side.is_nan())
    }

    #[inline(always)]
    fn corners_in(&self, slot: u32) -> (u32, [[f32; 2]; 2]) {
        let (leaf, lane) = (slot as usize / LANES, slot as usize % LANES);
        let [min_x, min_y, max_x, max_y, rows] = self.leaves.get(leaf).unwrap_or(&NO_LEAF);
        let corners = [[min_x[lane], min_y[lane]], [max_x[lane], max_y[lane]]];
        (rows[lane].to_bits(), corners)
    }

    /// The sides of a block's boxes.
    #[inline(always)]
    pub fn sides(&self, level: usize, block: usize) -> &'a [Column; NODE] {
        if level == 0 {
            let [sides @ .., _] = &self.leaves[block];
            sides
        } else {
            self.node(level, block)
        }
    }

    /// Prefetches blocks that are about to be searched.
    #[inline(always)]
    pub fn prefetch(&self, level: usize, blocks: &[u32]) {
        for &block in blocks {
            if level == 0 {
                prefetch_for_reading(&self.leaves[block as usize]);
            } else {
                prefetch_for_reading(self.node(level, block as usize));
            }
        }
    }

    /// The lower and the upper corner of a leaf, as stored in the node above it; of the whole plane if there is none.
    #[inline(always)]
    pub fn leaf_corners(&self, leaf: usize) -> [[f32; 2]; 2] {
        if self.levels.len() < 2 {
            return [[f32::NEG_INFINITY; 2], [f32::INFINITY; 2]];
        }
        let [min_x, min_y, max_x, max_y] = self.sides(1, leaf / LANES);
        let lane = leaf % LANES;
        [[min_x[lane], min_y[lane]], [max_x[lane], max_y[lane]]]
    }

    /// The rows of a leaf's boxes.
    #[inline(always)]
    pub fn rows(&self, leaf: usize) -> &'a [u32; LANES] {
        bytemuck::cast_ref(&self.leaves[leaf][NODE])
    }
}
