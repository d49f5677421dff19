//! Clean-up once a frame: repairs what changes leave behind, and distributes everything again where that pays.

use super::DoubleGrid;
use super::blocks::Blocks;
use super::loose::LooseCells;
use super::order::Order;
use super::plan::plan_layout;
use super::rows::Row;
use super::tight::TightLists;
use crate::sides::Sides;
use crate::some_rows::SomeRows;
use throng_core::{Executor, Serial};

impl DoubleGrid {
    /// Shrinks the bounds of cells that have changed, drops empty cells, puts cells back in order, and evens out the
    /// chunks. Call it once a frame. O(what has changed), plus a few nanoseconds per cell if any row changed its cell.
    ///
    /// If the sizes of the boxes have changed a lot, it chooses new cell sizes and distributes all boxes again. Returns
    /// whether it did.
    pub fn clean_up(&mut self) -> bool {
        self.clean_up_with(&Serial)
    }

    pub(super) fn clean_up_with(&mut self, executor: &dyn Executor) -> bool {
        self.tidy(executor);
        let plans = self.held > 0 && !self.has_fitting_plan();
        if !self.shifted && !plans {
            return false;
        }
        if plans || self.is_wasteful() {
            self.distribute(plans, executor);
        }
        if self.blocks.is_scattered() {
            self.put_blocks_in_order();
        }
        let mut work = std::mem::take(&mut self.work);
        work.cut(self, self.held);
        self.work = work;
        self.shifted = false;
        plans
    }

    /// Whether the layout still fits the boxes. Looks at sizes only once so many rows have changed that it could
    /// matter.
    fn has_fitting_plan(&mut self) -> bool {
        let crowding = self.shifted.then(|| self.crowding());
        let Some(plan) = &mut self.planned_for else {
            return false;
        };
        let mut fits = crowding.is_none_or(|crowding| plan.fits_crowd(self.held, crowding));
        if self.changes > self.held / 4 {
            self.changes = 0;
            let held = Held::of(&self.rows, &self.some);
            fits &= plan.fits_sizes(held.len(), |place| held.sides(place));
        }
        fits
    }

    /// A clean-up without planning: cells, lists and order.
    fn tidy(&mut self, executor: &dyn Executor) {
        let refreshes_all = self.cells.are_mostly_dirty();
        if refreshes_all {
            self.blocks.refresh_all(&self.rows, executor);
            self.cells.sort_dirty(self.order.leaves());
        }
        while let Some(id) = self.cells.next_dirty() {
            let cell = *self.cells.get(id);
            if cell.len > 0 {
                if !refreshes_all {
                    self.blocks.refresh_chain(cell.head, &self.rows);
                }
                self.bound(id, self.blocks.bounds(cell.head));
            } else {
                self.lists.leave(id, cell.listing);
                self.order.forget(cell.leaf);
                self.cells.drop_cell(id);
            }
        }
        if !self.order.is_sorted() {
            self.order.sort(&mut self.cells);
        }
        self.cells.shrink_table();
        if self.lists.is_unfit_for(self.cells.used()) {
            self.list_all();
        }
    }

    /// Puts blocks in the order in which searches walk them: walking in memory order costs half as much as jumping
    /// around.
    fn put_blocks_in_order(&mut self) {
        // After a clean-up there are no gaps, and no cell is empty.
        let leaves = self.order.leaves();
        let [heads, moved_to] = &mut self.scratch;
        heads.clear();
        heads.extend(leaves.iter().map(|&id| self.cells.get(id).head));
        self.blocks.put_in_order(heads, moved_to);
        for (&id, &head) in leaves.iter().zip(heads.iter()) {
            self.cells.get_mut(id).head = head;
        }
        self.blocks.tell_slots(&mut self.rows);
    }

    /// Rebuilds all lists, with a fitting number of buckets.
    fn list_all(&mut self) {
        self.lists.clear(self.cells.used());
        for &id in self.order.leaves() {
            self.lists.enter(id, self.cells.get(id).listing);
        }
    }

    /// Distributes all rows again, in a new layout if `plans`, and gives back memory that is not needed.
    fn distribute(&mut self, plans: bool, executor: &dyn Executor) {
        let end = self
            .rows
            .iter()
            .rposition(Row::is_held)
            .map_or(0, |last| last + 1);
        self.rows.truncate(end);
        self.rows.shrink_to_fit();
        self.blocks = Blocks::default();
        self.cells = LooseCells::new();
        self.lists = TightLists::new();
        self.order = Order::default();
        if plans {
            let held = Held::of(&self.rows, &self.some);
            let (layout, plan) = plan_layout(held.len(), |place| held.sides(place), &self.config);
            (self.layout, self.planned_for) = (layout, Some(plan));
        }
        self.held = 0;
        for row in 0..self.rows.len() {
            if self.rows[row].is_held() {
                let sides = self.rows[row].sides;
                self.put_in(row as u32, sides, self.layout.cell_key(sides));
            }
        }
        self.tidy(executor);
        let crowding = self.crowding();
        if let Some(plan) = &mut self.planned_for {
            plan.fits_crowd(self.held, crowding);
        }
        self.changes = 0;
    }

    /// Whether most of the memory of blocks and cells is for rows that are gone. Memory that is kept for each row number is not counted;
    /// it stays until all rows are distributed again.
    fn is_wasteful(&self) -> bool {
        const NOT_WORTH_IT: usize = 64;
        let idle = |used: usize, room: usize| room > NOT_WORTH_IT && used * 4 < room;
        idle(self.blocks.used(), self.blocks.most()) || idle(self.cells.used(), self.cells.len())
    }

    /// How many boxes are in a box's cell, on average over boxes.
    fn crowding(&self) -> f64 {
        let lens = self
            .order
            .leaves()
            .iter()
            .map(|&id| f64::from(self.cells.get(id).len));
        lens.map(|len| len * len).sum::<f64>() / self.held.max(1) as f64
    }
}

/// The rows that may be held, one after the other: only those, where they are known to be some of many numbers.
struct Held<'a> {
    rows: &'a [Row],
    some: Option<&'a [u32]>,
}

impl<'a> Held<'a> {
    fn of(rows: &'a [Row], some: &'a SomeRows) -> Self {
        let some = some.known();
        Self { rows, some }
    }

    fn len(&self) -> usize {
        self.some.map_or(self.rows.len(), <[u32]>::len)
    }

    /// The sides of one, if it is held.
    fn sides(&self, place: usize) -> Option<Sides> {
        let row = self.some.map_or(place, |some| some[place] as usize);
        let row = self.rows.get(row)?;
        row.is_held().then_some(row.sides)
    }
}
