//! One row at a time: insert, set, remove, and what an update does to each row.

use super::DoubleGrid;
use super::layout::Place;
use super::rows::Row;
use crate::sides::{Corners, Sides, corners, sides_of, union};
use crate::{LooseError, check};
use throng_core::Aabb;

impl DoubleGrid {
    /// Puts a row in. Constant time.
    ///
    /// Memory follows the highest row number, so rows should be dense.
    ///
    /// # Errors
    ///
    /// If the row is there already, or its number is too high.
    pub fn insert(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
        check::row_number(row)?;
        if self.contains(row) {
            return Err(LooseError::Present { row });
        }
        if row as usize >= self.rows.len() {
            self.rows.resize(row as usize + 1, Row::ABSENT);
        }
        let sides = sides_of(&aabb);
        self.put_in(row, sides, self.layout.place(sides));
        self.show(row);
        Ok(())
    }

    /// Gives a row another box. Constant time.
    ///
    /// # Errors
    ///
    /// If the row is not there.
    pub fn set(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
        if !self.contains(row) {
            return Err(LooseError::Absent { row });
        }
        self.move_to(row, sides_of(&aabb));
        self.show(row);
        Ok(())
    }

    /// Takes a row out. Constant time.
    ///
    /// # Errors
    ///
    /// If the row is not there.
    pub fn remove(&mut self, row: u32) -> Result<(), LooseError> {
        if !self.contains(row) {
            return Err(LooseError::Absent { row });
        }
        self.take_out(row);
        Ok(())
    }

    /// Puts an absent row into the cell of its box.
    pub(super) fn put_in(&mut self, row: u32, sides: Sides, place: Place) {
        let id = match self.cells.find(place) {
            Some(id) => id,
            None => self.make_cell(place),
        };
        let cell = self.cells.get_mut(id);
        cell.len += 1;
        let slot = self.blocks.push(&mut cell.head, sides, row);
        self.cells.mark(id);
        self.rows[row as usize] = Row {
            sides,
            place,
            cell: id,
            slot,
        };
        self.held += 1;
        self.changes += 1;
        self.shifted = true;
    }

    fn make_cell(&mut self, place: Place) -> u32 {
        let id = self.cells.make(place, self.order.next());
        self.order.push(id);
        id
    }

    /// Takes a row that is there out of its cell.
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

    /// Gives a row that is there another box. If it stays in its cell, the cell's copy of it is written by
    /// [`show`](Self::show), or when the cell is cleaned up.
    #[inline(always)]
    pub(super) fn move_to(&mut self, row: u32, sides: Sides) {
        let place = self.layout.place(sides);
        let held = &mut self.rows[row as usize];
        if held.place == place {
            held.sides = sides;
            self.changes += 1;
            self.cells.mark(held.cell);
        } else {
            self.change_cell(row, sides, place);
        }
    }

    #[inline(never)]
    fn change_cell(&mut self, row: u32, sides: Sides, place: Place) {
        self.take_out(row);
        self.put_in(row, sides, place);
    }

    /// Lets searches see a row's box before the next clean-up: writes it to its slot, and widens its cell's
    /// box.
    fn show(&mut self, row: u32) {
        let Row {
            sides, cell, slot, ..
        } = self.rows[row as usize];
        self.blocks.write(slot, sides);
        let widened = union(&self.cells.get(cell).bounds, &corners(sides));
        self.bound(cell, widened);
    }

    /// Gives a cell its box, and lists it where that reaches.
    pub(super) fn bound(&mut self, id: u32, bounds: Corners) {
        let cell = self.cells.get_mut(id);
        cell.bounds = bounds;
        let listing = self.layout.listing(cell.place.level(), &bounds);
        if listing != cell.listing {
            let before = std::mem::replace(&mut cell.listing, listing);
            self.lists.leave(id, before);
            self.lists.enter(id, listing);
        }
    }
}
