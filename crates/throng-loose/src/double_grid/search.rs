//! Walking the leaves that touch a window: tight cells, the loose cells listed there, their boxes.

use super::DoubleGrid;
use super::blocks::Block;
use super::layout::TOP;
use super::pool::NONE;
use crate::leaves::{BoxSlice, Leaves};
use crate::sides::touches;
use std::ops::ControlFlow;
use throng_core::{Corners, Simd, for_both};

impl Leaves for DoubleGrid {
    fn simd(&self) -> Simd {
        self.simd
    }

    fn leaf_count(&self) -> usize {
        self.order.leaves().len()
    }

    fn leaf_len(&self, leaf: usize) -> usize {
        self.cells.get(self.order.leaves()[leaf]).len as usize
    }

    fn leaf_bounds(&self, leaf: usize) -> Corners {
        self.cells.get(self.order.leaves()[leaf]).bounds
    }

    fn box_slices(&self, leaf: usize) -> impl Iterator<Item = BoxSlice<'_>> {
        let head = self.cells.get(self.order.leaves()[leaf]).head;
        self.blocks.chain(head).map(Block::box_slice)
    }

    fn leaves_touching<B>(
        &self,
        window: &Corners,
        first: usize,
        mut visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let levels = self.order.lowest_level(first, &self.cells)..=TOP;
        let used = levels.filter(|&level| self.lists.on_level[level as usize] > 0);
        let ranges = used.map(|level| self.layout.window(level, window));
        let tight_cells = ranges
            .clone()
            .fold(0, |sum: u64, range| sum.saturating_add(range.count()));
        if tight_cells >= self.leaf_count() as u64 {
            return self.leaves_touching_one_by_one(window, first, visit);
        }
        for range in ranges {
            for at in range.cells() {
                for id in self.lists.list(range.level, at) {
                    let cell = self.cells.get(id);
                    let corner = for_both(|axis| cell.listing.min[axis].max(range.min[axis]));
                    // Cells are monotone in coordinates, so the tight cell of the intersection's lower corner is the
                    // later one of the two lower corners.
                    if (cell.leaf as usize >= first)
                        & (cell.listing.level == range.level)
                        & (corner == at)
                        & touches(&cell.bounds, window)
                        & (cell.len > 0)
                    {
                        visit(cell.leaf as usize)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl DoubleGrid {
    /// For a window that covers more tight cells than there are loose cells.
    fn leaves_touching_one_by_one<B>(
        &self,
        window: &Corners,
        first: usize,
        mut visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for (leaf, &id) in self.order.leaves().iter().enumerate().skip(first) {
            if id != NONE {
                let cell = self.cells.get(id);
                if cell.len > 0 && touches(&cell.bounds, window) {
                    visit(leaf)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
