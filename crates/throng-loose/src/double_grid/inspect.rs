//! A double grid from outside: its memory and its invariants.

use super::DoubleGrid;
use super::layout::TightRange;
use super::pool::NONE;
use super::rows::Row;
use crate::check::ensure;
use crate::sides::{NOTHING, union};
use std::fmt;

/// How many bytes a double grid holds, and for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DoubleGridMemory {
    /// Boxes in row order, and where each is stored.
    pub rows: usize,
    /// Boxes in their loose cells.
    pub blocks: usize,
    /// Loose cells, their hash table and order, and the chunks of work.
    pub cells: usize,
    /// The lists of the tight grid.
    pub lists: usize,
}

impl DoubleGridMemory {
    /// The sum.
    pub fn total(&self) -> usize {
        self.rows + self.blocks + self.cells + self.lists
    }
}

impl fmt::Display for DoubleGridMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rows,
            blocks,
            cells,
            lists,
        } = self;
        write!(
            f,
            "{} bytes: {rows} in rows, {blocks} in blocks, {cells} in cells, {lists} in lists",
            self.total()
        )
    }
}

impl DoubleGrid {
    /// About how large the smallest loose cell and the smallest tight cell are. For debug drawing and reports.
    pub fn cell_sizes(&self) -> [f32; 2] {
        [self.layout.loose_cell(), self.layout.tight_cell()]
    }

    /// The memory that the grid holds. None of it depends on the area of the world.
    pub fn memory(&self) -> DoubleGridMemory {
        let scratch: usize = self.scratch.iter().map(Vec::capacity).sum();
        DoubleGridMemory {
            rows: self.rows.capacity() * size_of::<Row>() + self.some.bytes(),
            blocks: self.blocks.bytes() + scratch * size_of::<u32>(),
            cells: self.cells.bytes() + self.order.bytes() + self.work.bytes(),
            lists: self.lists.bytes(),
        }
    }

    /// What [`validate`](crate::LooseStructure::validate) does. O(rows).
    pub(super) fn check_invariants(&self) -> Result<(), String> {
        self.validate_rows()?;
        let (mut blocks, mut rows, mut entries, mut used) = (0, 0, 0, 0);
        for (leaf, &id) in self.order.leaves().iter().enumerate() {
            if id == NONE {
                continue;
            }
            used += 1;
            rows += self.cells.get(id).len as usize;
            blocks += self.validate_cell(id, leaf)?;
            entries += self.validate_listing(id)?;
        }
        ensure(rows == self.held, || {
            format!("{rows} rows in cells, {} held", self.held)
        })?;
        ensure(used == self.cells.used(), || {
            format!("{used} cells in order, {} in use", self.cells.used())
        })?;
        ensure(blocks == self.blocks.used(), || {
            format!("{blocks} blocks in cells, {} in use", self.blocks.used())
        })?;
        ensure(
            blocks + self.blocks.count_free() == self.blocks.len(),
            || "blocks neither in a cell nor free".into(),
        )?;
        ensure(entries == self.lists.entries(), || {
            format!(
                "{entries} list entries wanted, {} there",
                self.lists.entries()
            )
        })?;
        ensure(self.lists.nodes_add_up(), || {
            "list nodes neither in a list nor free".into()
        })?;
        let sorted = &self.order.leaves()[..self.order.sorted()];
        let keys = sorted
            .iter()
            .filter(|&&id| id != NONE)
            .map(|&id| self.cells.get(id).key);
        ensure(keys.is_sorted_by(|a, b| a < b), || {
            "cells are not sorted by their keys".into()
        })
    }

    fn validate_rows(&self) -> Result<(), String> {
        let held = self.rows.iter().filter(|row| row.is_held()).count();
        ensure(held == self.held, || {
            format!("{held} rows there, {} counted", self.held)
        })?;
        for (row, held) in (0_u32..).zip(&self.rows).filter(|(_, row)| row.is_held()) {
            let cell = self.cells.get(held.cell);
            let key = self.layout.cell_key(held.sides);
            ensure(key == cell.key && key == held.key, || {
                format!("row {row} is in the cell at {:?}, not in its own", cell.key)
            })?;
            ensure(self.blocks.row_at(held.slot) == row, || {
                format!("row {row} is not in its slot")
            })?;
        }
        Ok(())
    }

    /// Returns how many blocks the cell has.
    fn validate_cell(&self, id: u32, leaf: usize) -> Result<usize, String> {
        let cell = self.cells.get(id);
        ensure(cell.leaf as usize == leaf, || {
            format!("cell {cell:?} is leaf {leaf}")
        })?;
        ensure(self.cells.find(cell.key) == Some(id), || {
            format!("cell {cell:?} is not found by its key")
        })?;
        let blocks: Vec<_> = self.blocks.chain(cell.head).collect();
        ensure(blocks.iter().skip(1).all(|block| block.is_full()), || {
            format!("a block behind the first of {cell:?} is not full")
        })?;
        ensure(blocks.iter().all(|block| block.is_closed()), || {
            format!("a free lane of {cell:?} is not empty")
        })?;
        let rows: Vec<u32> = blocks
            .iter()
            .flat_map(|block| block.box_slice().rows)
            .copied()
            .collect();
        ensure(
            rows.len() == cell.len as usize
                && rows.iter().all(|&row| self.rows[row as usize].cell == id),
            || format!("the rows of {cell:?} are not those in its blocks"),
        )?;
        for block in &blocks {
            let slice = block.box_slice();
            for (k, &row) in slice.rows.iter().enumerate() {
                ensure(
                    slice.sides.map(|side| side[k]) == self.rows[row as usize].sides,
                    || format!("the copy of row {row} is not its box"),
                )?;
            }
        }
        let tight = blocks
            .iter()
            .fold(NOTHING, |tight, block| union(&tight, &block.tight_bounds()));
        let fits = if self.cells.is_dirty(id) {
            union(&tight, &cell.bounds) == cell.bounds
        } else {
            tight == cell.bounds && cell.len > 0
        };
        ensure(fits, || {
            format!("{cell:?} does not fit its boxes, {tight:?}")
        })?;
        Ok(blocks.len())
    }

    /// Returns how many list entries the cell has.
    fn validate_listing(&self, id: u32) -> Result<usize, String> {
        let cell = self.cells.get(id);
        if cell.listing == TightRange::NOWHERE {
            return ensure(cell.len == 0, || format!("{cell:?} is not listed")).map(|()| 0);
        }
        let wanted = self.layout.listing(cell.key.level(), &cell.bounds);
        ensure(cell.listing == wanted && wanted.count() <= 4, || {
            format!("{cell:?} is not listed where it reaches, {wanted:?}")
        })?;
        let (found, buckets) = self.lists.count(id, cell.listing);
        ensure(found == buckets, || {
            format!("{cell:?} stands {found} times in {buckets} lists")
        })?;
        Ok(found)
    }
}
