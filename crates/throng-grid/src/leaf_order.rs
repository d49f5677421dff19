//! Rows in the order of the leaves that have them.

use crate::PointGrid;
use crate::counting::sort_by_number;
use crate::leaf::leaf_at;
use std::ops::Range;

/// Memory for [`PointGrid::sort_by_leaf`], kept from one time to the next.
#[derive(Debug, Default)]
pub struct LeafOrder {
    /// The leaf of each row, as the rows are given.
    leaves: Vec<u32>,
    /// Where the rows of each leaf begin, and then where its next one is put.
    places: Vec<u32>,
    sorted: Vec<u32>,
}

impl LeafOrder {
    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let words = [&self.leaves, &self.places, &self.sorted];
        words
            .map(|words| words.capacity() * size_of::<u32>())
            .iter()
            .sum()
    }
}

impl LeafOrder {
    /// Which of the rows, as they were sorted, a leaf has; those that are in none come behind the last.
    pub(crate) fn rows_in(&self, leaf: usize) -> Range<usize> {
        // Each place has come to where its last row ends.
        let end = |leaf: usize| self.places[leaf] as usize;
        leaf.checked_sub(1).map_or(0, end)..end(leaf)
    }
}

impl PointGrid {
    /// Sorts some rows by the leaf that has them, or would have them if it is not there; those of one leaf keep their order. `xs`
    /// and `ys` are the columns that the grid was last built from or mended with. O(rows + leaves).
    ///
    /// ```
    /// use throng_core::Serial;
    /// use throng_grid::{GridConfig, LeafOrder, PointGrid, Points};
    ///
    /// // Far apart, so that each has a leaf.
    /// let xs = [7e6, 1.0, 3e6, 9e6, 5e6];
    /// let ys = [0.0; 5];
    /// let mut grid = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
    /// grid.build(Points::new(&xs, &ys), &Serial)?;
    /// let mut rows = vec![0, 2, 3, 4];
    /// grid.sort_by_leaf(&mut rows, [&xs, &ys], &mut LeafOrder::default());
    /// assert_eq!(rows, [2, 4, 0, 3]);
    /// # Ok::<(), throng_grid::GridError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a row is not one of the columns'.
    pub fn sort_by_leaf(&self, rows: &mut Vec<u32>, [xs, ys]: [&[f32]; 2], memory: &mut LeafOrder) {
        let LeafOrder {
            leaves,
            places,
            sorted,
        } = memory;
        leaves.clear();
        leaves.extend(rows.iter().map(|&row| {
            let place = self.layout.place(xs[row as usize], ys[row as usize]);
            // Rows whose leaf is not there come behind all leaves.
            leaf_at(&self.strips, &self.leaves, place).unwrap_or(self.leaves.len()) as u32
        }));
        places.resize(self.leaves.len() + 1, 0);
        sorted.resize(rows.len(), 0);
        let by_leaf = leaves.iter().copied().zip(rows.iter().copied());
        sort_by_number(by_leaf, places, sorted);
        std::mem::swap(rows, sorted);
    }
}
