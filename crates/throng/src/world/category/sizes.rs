//! The sizes of rows: how they are written and counted.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use parking_lot::Mutex;
use throng_core::lanes::Simd;
use throng_core::{Executor, InfiniteSides, Serial, for_both, run_each};

use super::Category;
use crate::world::category::box_writer::{BoxChanges, OfAllRows, WriteBoxes};
use crate::world::given_boxes::GivenBoxes;
use crate::world::ids::Row;
use crate::world::routing::{Fitted, Routed, Staying};

/// How many rows one task writes.
const TASK: usize = 1 << 14;
/// Fewer rows are written on the calling thread: in as short a time others would hardly have been woken.
const FEW_ROWS: usize = 4 * TASK;

impl Category {
    /// Moves and resizes a row.
    pub(crate) fn write_placement(&mut self, row: Row, placement: &Routed) {
        if self.structure.is_scenery() {
            self.note_then(row as usize);
        }
        let size = self.size_and_sides(row as usize);
        self.note_change(row as usize);
        self.uncount_size(row as usize);
        self.store_placement(row, placement);
        self.note_written(row as usize);
        if self.size_and_sides(row as usize) != size {
            self.wake_unless_scenery(row as usize);
        }
    }

    /// Moves and resizes a row that is no scenery.
    #[inline]
    pub(crate) fn write_box(&mut self, row: usize, fitted: Fitted) {
        if self.exact && fitted.half_extents != self.bound {
            self.store_sizes();
        }
        let knows_sizes = self.knows_sizes();
        let is_resized = knows_sizes && self.half_extents(row, self.bound) != fitted.half_extents;
        let may_rest = self.stillness.is_some();
        if is_resized && may_rest {
            self.note_change(row);
        }
        let before = self.columns.boxes_mut().write(row, fitted);
        self.largest = for_both(|axis| self.largest[axis].max(fitted.half_extents[axis]));
        self.written = true;
        if !knows_sizes {
            self.sizes.forget_one(self.len() - 1);
            self.sizes.add(fitted.half_extents, 1);
        }
        if is_resized {
            let before = before.unwrap_or(self.bound);
            self.sizes.replace(before, fitted.half_extents);
            if self.exact {
                self.unlike += usize::from(fitted.half_extents != self.bound);
                self.unlike -= usize::from(before != self.bound);
            }
            if may_rest {
                self.wake(row);
            }
        }
    }

    /// Moves and resizes every row. Those whose box may not stay in this category keep what they have, and are listed in order. O(rows).
    ///
    /// If `boxes` panics, some rows are written already.
    pub(crate) fn write_boxes(
        &mut self,
        boxes: &impl GivenBoxes,
        staying: Staying<'_>,
        executor: &dyn Executor,
        left: &mut Vec<Row>,
    ) {
        let (rows, bound) = (self.len(), self.bound);
        let simd = Simd::new(self.simd).expect("the config was checked");
        let fit = |row| staying.fit(&boxes.extent(row).ok()?);
        let is_unlike = |fitted: Fitted| fitted.half_extents != bound;
        self.note_all_written();
        if self.exact
            && !self.columns.half_extents.is_allocated()
            && (0..rows).any(|row| fit(row).is_some_and(is_unlike))
        {
            self.store_sizes();
        }
        let knows_sizes = self.knows_sizes();
        if !knows_sizes {
            // For once, all are known.
            self.sizes.clear();
        }
        let are_few = rows < FEW_ROWS;
        let executor = if are_few { &Serial } else { executor };
        let mut resized = std::mem::take(&mut self.resized);
        let of_all = Mutex::new(OfAllRows {
            sizes: &mut self.sizes,
            largest: &mut self.largest,
            unlike: self.exact.then_some(&mut self.unlike),
            written: &mut self.written,
            left,
            resized: self.stillness.is_some().then_some(&mut *resized),
        });
        let mut columns = self.columns.boxes_mut();
        let tasks = (0..rows.div_ceil(TASK)).map(|_| columns.split_off_first(TASK));
        let write = || {
            run_each(executor, tasks, |task, columns| {
                simd.run(WriteBoxes {
                    boxes,
                    staying,
                    first: task * TASK,
                    columns,
                    knows_sizes,
                    changes: BoxChanges::new(&of_all, bound),
                });
            });
        };
        let written = catch_unwind(AssertUnwindSafe(write));
        left.sort_unstable();
        for row in resized.drain(..) {
            self.note_change(row as usize);
            self.wake(row as usize);
        }
        self.resized = resized;
        written.unwrap_or_else(|panic| resume_unwind(panic));
    }

    /// Begins to store half extents in an exact category, if they are not stored.
    fn store_sizes(&mut self) {
        if !self.columns.half_extents.is_allocated() {
            self.columns.store_half_extents(self.bound);
        }
    }

    /// The half extents of a row as stored, and which of its sides are at infinity.
    fn size_and_sides(&self, row: usize) -> ([f32; 2], InfiniteSides) {
        let own = self.columns.half_extents.values();
        let half_extents = own.map_or(self.bound, |own| own[row]);
        (half_extents, self.columns.infinite.get(row))
    }

    /// Writes center and size of a row, and counts the size.
    pub(super) fn store_placement(&mut self, row: Row, placement: &Routed) {
        if self.exact && placement.half_extents != self.bound {
            self.store_sizes();
            self.unlike += 1;
        }
        self.columns.write_placement(row, placement);
        self.written = true;
        self.largest = for_both(|axis| self.largest[axis].max(placement.half_extents[axis]));
        let size = self.half_extents(row as usize, placement.half_extents);
        self.sizes.add(size, 1);
    }

    /// Stops counting the size of a row.
    pub(super) fn uncount_size(&mut self, row: usize) {
        if self.knows_sizes() {
            let size = self.half_extents(row, self.bound);
            self.sizes.take_off(size, 1);
            self.unlike -= usize::from(self.exact && size != self.bound);
        } else {
            self.sizes.forget_one(self.len() - 1);
        }
    }

    /// Takes over what another category knew about sizes, when neither stores them and all rows of the other moved
    /// here, counted as its largest.
    pub(crate) fn learn_sizes(&mut self, other: &Self) {
        if !self.knows_sizes() && !other.knows_sizes() {
            self.sizes.take_off(other.largest, other.len() as u64);
            self.sizes.merge(&other.sizes);
        }
    }

    /// Whether the size of every row is known.
    pub(crate) fn knows_sizes(&self) -> bool {
        self.exact || self.columns.half_extents.is_allocated() || self.columns.boxes.is_allocated()
    }

    /// Whether the bound says the size of every row.
    pub(crate) fn all_alike(&self) -> bool {
        self.exact && self.unlike == 0
    }
}
