//! Packs boxes that have come, together with those of trees that are not much larger than their number.
//!
//! A tree of more than [`TIMES`] times as many boxes stays as it is. So there are about as many trees as the logarithm of
//! the number of boxes to the base [`TIMES`], and a box is packed up to [`TIMES`] times before its tree is that much larger.
//! With 4 rather than 8, there were up to twice as many trees for searches to look into; with 16, twice as much was packed.

use super::PackedForest;
use super::Tree;
use super::bytes::ForestBytes;
use crate::packed::{PackedError, PackedQuadtree};
use std::cmp::Reverse;
use throng_core::{Aabb, Executor};

/// A tree is left alone if it has more than this many times as many boxes as there are to be packed.
const TIMES: usize = 8;

/// A tree of no more boxes than this is packed again whenever other boxes are: to search it beside them would cost more.
const FEW: usize = 256;

/// There are at most this many trees, because every search looks at the bounds of each.
const MOST_TREES: usize = 128;

impl PackedForest {
    /// Packs boxes, with their rows, and those of trees that are small, half empty or too many. Returns how many were packed.
    pub(super) fn merge(
        &mut self,
        mut fresh: Vec<(u32, Aabb)>,
        executor: &dyn Executor,
    ) -> Result<usize, PackedError> {
        let is_half_empty = |tree: &Tree| tree.packed.len() * 2 < tree.packed_with;
        let mut merged: Vec<_> = self.trees.iter().map(is_half_empty).collect();
        for (tree, _) in self
            .trees
            .iter()
            .zip(&merged)
            .filter(|(_, merged)| **merged)
        {
            tree.add_to(&mut fresh);
        }
        // The smallest first, and of several the last.
        let mut others: Vec<_> = (0..merged.len()).filter(|&index| !merged[index]).collect();
        others.sort_by_key(|&index| (self.trees[index].packed.len(), Reverse(index)));
        let mut left = others.len();
        for index in others {
            let boxes = self.trees[index].packed.len();
            let is_small = !fresh.is_empty() && boxes <= FEW.max(fresh.len() * TIMES);
            let trees = left + usize::from(!fresh.is_empty());
            if !is_small && trees <= MOST_TREES {
                break;
            }
            self.trees[index].add_to(&mut fresh);
            merged[index] = true;
            left -= 1;
        }
        // So that the result does not depend on the order in which they came.
        fresh.sort_unstable_by_key(|&(row, _)| row);
        let packed = (!fresh.is_empty()).then(|| self.pack(&fresh, executor));
        let packed = packed.transpose()?;
        let mut merged = merged.into_iter();
        self.trees.retain(|_| !merged.next().unwrap_or_default());
        self.trees.extend(packed);
        Ok(fresh.len())
    }

    /// A tree of some boxes, at least one.
    fn pack(&self, boxes: &[(u32, Aabb)], executor: &dyn Executor) -> Result<Tree, PackedError> {
        let all = boxes.iter().map(|&(_, aabb)| aabb);
        let packed = PackedQuadtree::build_of(all, self.config, executor)?;
        let mut packed = packed.map_bytes(ForestBytes::from);
        let is_as_packed = boxes.iter().zip(0..).all(|(&(row, _), k)| row == k);
        if !is_as_packed {
            packed.rename_rows(|row| boxes[row as usize].0);
            let last = boxes.iter().map(|&(row, _)| row).max();
            packed.header.rows = last.map_or(0, |last| last as usize + 1);
        }
        Ok(Tree {
            bounds: packed.bounds().expect("at least one box"),
            packed_with: packed.len(),
            is_as_packed,
            packed,
        })
    }
}

impl Tree {
    /// Appends its rows and boxes.
    fn add_to(&self, boxes: &mut Vec<(u32, Aabb)>) {
        boxes.reserve(self.packed.len());
        self.packed
            .for_each_box(|row, aabb| boxes.push((row, aabb)));
    }
}
