//! One row at a time: insert, set, remove, and what an update does for each row.

use super::DoubleGrid;
use super::layout::CellKey;
use super::rows::Row;
use crate::sides::{Sides, corners, sides_of, union};
use crate::{LooseError, check};
use throng_core::{Aabb, Corners};

impl DoubleGrid {
    /// Inserts a row. Constant time.
    ///
    /// Memory grows with the highest row number, so rows should be dense.
    ///
    /// # Errors
    ///
    /// If the row is held already, or its number is too high.
    pub fn insert(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
        check::row_number(row)?;
        if self.contains(row) {
            return Err(LooseError::Present { row });
        }
        if row as usize >= self.rows.len() {
            self.rows.resize(row as usize + 1, Row::ABSENT);
        }
        self.some.forget();
        let sides = sides_of(&aabb);
        self.put_in(row, sides, self.layout.cell_key(sides));
        self.show(row);
        Ok(())
    }

    /// Changes the box of a row. Constant time.
    ///
    /// # Errors
    ///
    /// If the row is not held.
    pub fn set(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
        if !self.contains(row) {
            return Err(LooseError::Absent { row });
        }
        self.move_to(row, sides_of(&aabb));
        self.show(row);
        Ok(())
    }

    /// Removes a row. Constant time.
    ///
    /// # Errors
    ///
    /// If the row is not held.
    pub fn remove(&mut self, row: u32) -> Result<(), LooseError> {
        if !self.contains(row) {
            return Err(LooseError::Absent { row });
        }
        self.take_out(row);
        Ok(())
    }

    /// Puts a row that is not held into the cell of its box.
    pub(super) fn put_in(&mut self, row: u32, sides: Sides, key: CellKey) {
        let id = match self.cells.find(key) {
            Some(id) => id,
            None => self.make_cell(key),
        };
        let cell = self.cells.get_mut(id);
        cell.len += 1;
        let slot = self.blocks.push(&mut cell.head, sides, row);
        self.cells.mark(id);
        self.rows[row as usize] = Row {
            sides,
            key,
            cell: id,
            slot,
        };
        self.held += 1;
        self.changes += 1;
        self.shifted = true;
    }

    fn make_cell(&mut self, key: CellKey) -> u32 {
        let id = self.cells.make(key, self.order.next());
        self.order.push(id);
        id
    }

    /// Takes a row that is held out of its cell.
    pub(super) fn take_out(&mut self, row: u32) {
        let Row { cell: id, slot, .. } =
            std::mem::replace(&mut self.rows[row as usize], Row::ABSENT);
        let cell = self.cells.get_mut(id);
        cell.len -= 1;
        if let Some(moved) = self.blocks.swap_remove(&mut cell.head, slot) {
            self.rows[moved as usize].slot = slot;
        }
        self.cells.mark(id);
        self.held -= 1;
        self.shifted = true;
    }

    /// Changes the box of a row that is held. If it stays in its cell, the copy in the cell is written later: by
    /// [`show`](Self::show), or when the cell is cleaned up.
    #[inline(always)]
    pub(super) fn move_to(&mut self, row: u32, sides: Sides) {
        let key = self.layout.cell_key(sides);
        let held = &mut self.rows[row as usize];
        if held.key == key {
            held.sides = sides;
            self.changes += 1;
            self.cells.mark(held.cell);
        } else {
            self.change_cell(row, sides, key);
        }
    }

    #[inline(never)]
    fn change_cell(&mut self, row: u32, sides: Sides, key: CellKey) {
        self.take_out(row);
        self.put_in(row, sides, key);
    }

    /// Makes a row's new box visible to searches before the next clean-up: writes it to its slot, and grows the bounds
    /// of its cell.
    fn show(&mut self, row: u32) {
        let Row {
            sides, cell, slot, ..
        } = self.rows[row as usize];
        self.blocks.write(slot, sides);
        let widened = union(&self.cells.get(cell).bounds, &corners(sides));
        self.bound(cell, widened);
    }

    /// Sets the bounds of a cell, and lists the cell where they reach.
    pub(super) fn bound(&mut self, id: u32, bounds: Corners) {
        let cell = self.cells.get_mut(id);
        cell.bounds = bounds;
        let listing = self.layout.listing(cell.key.level(), &bounds);
        if listing != cell.listing {
            let before = std::mem::replace(&mut cell.listing, listing);
            self.lists.leave(id, before);
            self.lists.enter(id, listing);
        }
    }
}
