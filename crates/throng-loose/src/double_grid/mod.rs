//! The loose/tight double grid.
//!
//! The idea is Dragon Energy's, from the answers to "Efficient (and well explained) implementation of a
//! Quadtree for 2D collision detection". What is new here: sizes in levels, so that boxes of very different
//! size and a cell's reach stay bounded by constants; a rule in place of a set to report a cell once; and blocks
//! that are compared sixteen at a time.

mod blocks;
mod config;
mod inspect;
mod layout;
mod loose;
mod order;
mod plan;
mod pool;
mod rows;
mod tight;

pub use config::DoubleGridConfig;
pub use inspect::{CellView, DoubleGridMemory};

use crate::leaves::{Corners, Leaves, Stretch, touches, union};
use crate::verbs::search_verbs;
use crate::work::Work;
use crate::{LooseError, MOST_ROWS, UpdateReport};
use blocks::Blocks;
use layout::{Layout, Place, TOP};
use loose::LooseCells;
use order::Order;
use plan::{Plan, plan_layout};
use pool::NONE;
use rows::{Row, corners};
use std::ops::ControlFlow;
use throng_core::{Aabb, BoxKernels, Boxes, Executor, Serial, SimdLevel};
use tight::TightLists;

/// A loose/tight double grid: boxes of any size that move, changed in place.
///
/// Each box sits in one **loose cell**, by its centre, and a loose cell keeps a box around what is in it,
/// however far that reaches out of the cell. A coarser **tight grid** lists, for each of its cells, the loose
/// cells whose boxes reach into it. A search goes the other way: tight cells, loose cells, boxes.
///
/// ```text
///   tight cells ┌───────────────────────┬───────────────────────┐
///               │ lists A, B            │ lists B               │
///               │     ┌───────────┐     │                       │
///               │  ┌──┼────────┐ A│   ┌─┼──────────┐            │     A, B: boxes of two loose cells;
///               │  │  │ · ·  · │  │   │ │  ·   · B │            │     each holds a couple of dozen
///               │  └──┼────────┘  │   └─┼──────────┘            │
///               │     └───────────┘     │                       │
///               └───────────────────────┴───────────────────────┘
/// ```
///
/// So what a box costs does not depend on its size: insert, set and remove take constant time, and are at
/// once seen by all searches. What they leave behind is for [`clean_up`](Self::clean_up), once a frame.
///
/// - Cells come in levels, each four times coarser. A box goes to the lowest level whose cells are no smaller
///   than it; infinite boxes, and those tens of thousands of times larger than the common ones, go to a last
///   level that is a single place. They are compared with everything that touches their common bounds, sixteen
///   at a time.
/// - A loose cell is listed in at most four tight cells, and reported only in the one that holds the lower
///   corner of what its box and the window share. Nothing has to remember what was reported.
/// - A row takes 32 bytes for its box in row order, and 24 and some slack for the copy in its cell, whatever its
///   size; with its share of cells and lists, about 80 bytes. A box alone in its cell, as only strays are, takes
///   about 600.
///
/// # Invariants
///
/// Checked by [`validate`](Self::validate): every row is in one slot of the loose cell of its box; a cell's
/// box holds its boxes, and tightly so once cleaned up; a cell stands once in each list of its tight cells
/// and in no other; every cell in use has a number, and in the order of places once cleaned up; counts and
/// free lists add up.
///
/// ```
/// use throng_core::{Boxes, Serial};
/// use throng_loose::{DoubleGrid, DoubleGridConfig};
///
/// let (min, max) = ([0.0, 0.5, 9.0], [1.0, 50.0, 9.5]);
/// let mut grid = DoubleGrid::new(DoubleGridConfig::new())?;
/// grid.update(Boxes::new([&min, &min], [&max, &max])?, &Serial)?;
///
/// let mut pairs = Vec::new();
/// grid.for_each_pair(None, |a, b| pairs.push((a, b)));
/// pairs.sort_unstable();
/// assert_eq!(pairs, [(0, 1), (1, 2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DoubleGrid {
    config: DoubleGridConfig,
    kernels: BoxKernels,
    rows: Vec<Row>,
    /// Rows that are there.
    held: usize,
    layout: Layout,
    /// What the layout was planned for; `None` if it has to be planned.
    plan: Option<Plan>,
    blocks: Blocks,
    cells: LooseCells,
    lists: TightLists,
    order: Order,
    work: Work,
    /// Whether cells hold other rows than when the work was cut.
    shifted: bool,
    /// Room for [`put_blocks_in_order`](Self::put_blocks_in_order): a head for each leaf, a place for each
    /// block.
    scratch: [Vec<u32>; 2],
}

search_verbs!(DoubleGrid);

impl DoubleGrid {
    /// An empty grid.
    ///
    /// # Errors
    ///
    /// If a size is not a finite number above zero, or this machine lacks the instruction set asked for.
    pub fn new(config: DoubleGridConfig) -> Result<Self, LooseError> {
        let sizes = [
            ("the size of loose cells", config.loose_cell),
            ("the size of tight cells", config.tight_cell),
        ];
        for (what, size) in sizes {
            if let Some(given) = size.filter(|size| !(size.is_finite() && *size > 0.0)) {
                return Err(LooseError::Size { what, given });
            }
        }
        let Some(kernels) = BoxKernels::new(config.simd) else {
            let given = config.simd.unwrap_or(SimdLevel::Scalar);
            return Err(LooseError::Simd {
                given,
                best: SimdLevel::detect(),
            });
        };
        Ok(Self {
            config,
            kernels,
            rows: Vec::new(),
            held: 0,
            layout: plan_layout(0, |_| None, &config),
            plan: None,
            blocks: Blocks::default(),
            cells: LooseCells::new(),
            lists: TightLists::new(),
            order: Order::default(),
            work: Work::default(),
            shifted: false,
            scratch: [Vec::new(), Vec::new()],
        })
    }

    /// Makes the grid hold exactly the rows of some columns that are present and sound, at their boxes there,
    /// and cleans up.
    ///
    /// Applies only the differences: a row whose box is as it was costs a comparison, in row order. O(rows)
    /// and, once counts are steady, without allocating. Where most cells have changed the executor copies
    /// boxes to their cells; the rest is done by the calling thread.
    ///
    /// # Errors
    ///
    /// If there are too many rows; then nothing has changed. A row that is no box is not an error: it is
    /// left out and counted.
    pub fn update(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        if boxes.len() > MOST_ROWS {
            return Err(LooseError::TooManyRows { given: boxes.len() });
        }
        let mut report = UpdateReport::default();
        if self.is_empty() {
            self.clear();
            self.layout = plan_layout(boxes.len(), |row| sound_sides(&boxes, row), &self.config);
            self.plan = Some(Plan::new(boxes.len()));
            report.planned = true;
        }
        for row in boxes.len()..self.rows.len() {
            if self.rows[row].is_held() {
                report.removed += 1;
                self.take_out(row as u32);
            }
        }
        self.rows.resize(boxes.len(), Row::ABSENT);
        for row in 0..boxes.len() {
            let sides = sound_sides(&boxes, row);
            match (self.rows[row].is_held(), sides) {
                (true, Some(sides)) => {
                    if self.rows[row].sides != sides {
                        report.moved += 1;
                        self.move_to(row as u32, sides);
                    }
                }
                (false, Some(sides)) => {
                    report.inserted += 1;
                    self.put_in(row as u32, sides, self.layout.place(sides));
                }
                (is_held, None) => {
                    report.rejected += usize::from(boxes.is_present(row));
                    if is_held {
                        report.removed += 1;
                        self.take_out(row as u32);
                    }
                }
            }
        }
        report.planned |= self.clean_up_with(executor);
        report.rows = self.held;
        Ok(report)
    }

    /// Puts a row in. Constant time.
    ///
    /// Memory follows the highest row number, so rows should be dense.
    ///
    /// # Errors
    ///
    /// If the row is there already, or its number is too high.
    pub fn insert(&mut self, row: u32, aabb: Aabb) -> Result<(), LooseError> {
        if row as usize >= MOST_ROWS {
            return Err(LooseError::RowTooHigh { given: row });
        }
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

    /// Shrinks the boxes of the cells that have changed, forgets empty cells, brings cells back into order,
    /// and evens out the chunks. Once a frame is right. O(what has changed), and a few nanoseconds a cell if
    /// any row went from cell to cell.
    ///
    /// If the boxes have become something else, chooses sizes anew and distributes them all again; returns
    /// whether it did.
    pub fn clean_up(&mut self) -> bool {
        self.clean_up_with(&Serial)
    }

    fn clean_up_with(&mut self, executor: &dyn Executor) -> bool {
        self.tidy(executor);
        if !self.shifted {
            return false;
        }
        let crowding = self.crowding();
        let fits = self
            .plan
            .as_mut()
            .is_some_and(|plan| plan.still_fits(self.held, crowding));
        let plans = !fits && self.held > 0;
        if plans || self.is_wasteful() {
            self.distribute(plans, executor);
        }
        if self.blocks.is_scattered() {
            self.put_blocks_in_order();
        }
        let mut work = std::mem::take(&mut self.work);
        work.cut(self);
        self.work = work;
        self.shifted = false;
        plans
    }

    /// Empties the grid and keeps its memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.held = 0;
        self.plan = None;
        self.blocks.clear();
        self.cells.clear();
        self.lists.clear(0);
        self.order.clear();
        self.work.clear();
        self.shifted = false;
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.held
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// Whether the row is there.
    pub fn contains(&self, row: u32) -> bool {
        self.rows.get(row as usize).is_some_and(Row::is_held)
    }

    /// The row's box, if it is there.
    pub fn get(&self, row: u32) -> Option<Aabb> {
        let held = self.rows.get(row as usize).filter(|row| row.is_held())?;
        let [min, max] = held.corners();
        Aabb::new(min, max).ok()
    }

    /// The instruction set in use.
    pub fn simd(&self) -> SimdLevel {
        self.kernels.level()
    }

    /// Puts an absent row into the cell of its box.
    fn put_in(&mut self, row: u32, sides: [f32; 4], place: Place) {
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
        self.shifted = true;
    }

    fn make_cell(&mut self, place: Place) -> u32 {
        let id = self.cells.make(place, self.order.next());
        self.order.push(id);
        id
    }

    /// Takes a row that is there out of its cell.
    fn take_out(&mut self, row: u32) {
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
    fn move_to(&mut self, row: u32, sides: [f32; 4]) {
        let place = self.layout.place(sides);
        let held = &mut self.rows[row as usize];
        if held.place == place {
            held.sides = sides;
            self.cells.mark(held.cell);
        } else {
            self.change_cell(row, sides, place);
        }
    }

    #[inline(never)]
    fn change_cell(&mut self, row: u32, sides: [f32; 4], place: Place) {
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
    fn bound(&mut self, id: u32, bounds: Corners) {
        let cell = self.cells.get_mut(id);
        cell.bounds = bounds;
        let listing = self.layout.listing(cell.place.level(), &bounds);
        if listing != cell.listing {
            let before = std::mem::replace(&mut cell.listing, listing);
            self.lists.leave(id, before);
            self.lists.enter(id, listing);
        }
    }

    /// Everything that a clean-up does but planning: cells, lists and order.
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

    /// Brings blocks into the order in which searches walk them: what is walked in the order of memory comes
    /// at half the cost of what lies anywhere in it.
    fn put_blocks_in_order(&mut self) {
        // After a clean-up there are no gaps, and no cell is empty.
        let leaves = self.order.leaves();
        let [heads, places] = &mut self.scratch;
        heads.clear();
        heads.extend(leaves.iter().map(|&id| self.cells.get(id).head));
        self.blocks.put_in_order(heads, places);
        for (&id, &head) in leaves.iter().zip(heads.iter()) {
            self.cells.get_mut(id).head = head;
        }
        self.blocks.tell_slots(&mut self.rows);
    }

    /// Lists all cells anew, in buckets as many as they need.
    fn list_all(&mut self) {
        self.lists.clear(self.cells.used());
        for &id in self.order.leaves() {
            self.lists.enter(id, self.cells.get(id).listing);
        }
    }

    /// Distributes all rows anew, in a new layout if it is to be planned, and in no more memory than that
    /// takes.
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
            let held = |row: usize| self.rows[row].is_held().then_some(self.rows[row].sides);
            self.layout = plan_layout(self.rows.len(), held, &self.config);
            self.plan = Some(Plan::new(self.held));
        }
        self.held = 0;
        for row in 0..self.rows.len() {
            if self.rows[row].is_held() {
                let sides = self.rows[row].sides;
                self.put_in(row as u32, sides, self.layout.place(sides));
            }
        }
        self.tidy(executor);
        let crowding = self.crowding();
        if let Some(plan) = &mut self.plan {
            plan.still_fits(self.held, crowding);
        }
    }

    /// Whether most of the memory is for rows that have gone.
    fn is_wasteful(&self) -> bool {
        const NOT_WORTH_IT: usize = 64;
        let idle = |used: usize, room: usize| room > NOT_WORTH_IT && used * 4 < room;
        idle(self.blocks.used(), self.blocks.capacity())
            || idle(self.cells.used(), self.cells.len())
    }

    /// How many boxes share a box's cell, on average over boxes.
    fn crowding(&self) -> f64 {
        let lens = self
            .order
            .leaves()
            .iter()
            .map(|&id| f64::from(self.cells.get(id).len));
        lens.map(|len| len * len).sum::<f64>() / self.held.max(1) as f64
    }
}

/// The sides of a row that is to be held.
#[inline(always)]
fn sound_sides(boxes: &Boxes<'_>, row: usize) -> Option<[f32; 4]> {
    let [[min_x, min_y], [max_x, max_y]] = boxes.corners(row);
    (boxes.is_present(row) & boxes.is_sound(row)).then_some([min_x, min_y, max_x, max_y])
}

fn sides_of(aabb: &Aabb) -> [f32; 4] {
    let ([min_x, min_y], [max_x, max_y]) = (aabb.min(), aabb.max());
    [min_x, min_y, max_x, max_y]
}

impl Leaves for DoubleGrid {
    fn kernels(&self) -> BoxKernels {
        self.kernels
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

    fn stretches(&self, leaf: usize) -> impl Iterator<Item = Stretch<'_>> {
        let head = self.cells.get(self.order.leaves()[leaf]).head;
        self.blocks.chain(head).map(blocks::Block::stretch)
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
                    let corner = [0, 1].map(|axis| cell.listing.min[axis].max(range.min[axis]));
                    // Cells are monotone in coordinates, so the cell of the lower corner of what is shared is
                    // the later of the two lower corners' cells.
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
    /// For a window that covers more tight cells than there are loose ones.
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
