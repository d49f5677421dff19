//! All rows at once, from columns: only what differs is changed.
//!
//! The pass goes through memory bundle by bundle, sixteen boxes at a time, rather than row by row: what a row is
//! compared with is next to its neighbors', and only its new box is a random read. Most rows stay in their leaf and
//! are written at once, on any number of threads. The few that leave it, or are inserted or removed, follow one after
//! the other.
//!
//! The columns are first copied side by side, in row order. That costs 16 bytes a row and a copy at the speed of
//! memory, and turns four cache misses into one in the pass, which visits rows in no particular order.

use crate::or_empty::or_empty;
use crate::quadtree::LooseQuadtree;
use crate::quadtree::bundles::Slot;
use crate::quadtree::in_place::{Pass, TaskOutput};
use crate::quadtree::nodes::{Bounds, NOTHING, give_back};
use crate::sides::sound_sides;
use crate::{LooseError, UpdateReport, check};
use educe::Educe;
use throng_core::{Boxes, Executor, run_each};

/// If fewer than one number in so many is given, rows are updated one by one.
const SPARSE: usize = 4;

/// The most tasks that a pass is cut into, and the fewest bundles or rows per task.
const TASKS: usize = 64;
const BUNDLES_PER_TASK: usize = 64;
const ROWS_PER_TASK: usize = 4096;

/// Working memory of updates and clean-ups, kept so that they do not allocate.
#[derive(Debug, Default, Educe)]
#[educe(Clone)]
pub(super) struct Scratch {
    outputs: Vec<TaskOutput>,
    /// The box of each row; NaN for rows that are not held.
    staged: Vec<Bounds>,
    /// The new indices of blocks and bundles when they are sorted.
    pub block_to: Vec<u32>,
    pub bundle_to: Vec<u32>,
    /// Centers of a sample of rows along each axis.
    pub sample: [Vec<f32>; 2],
}

impl Scratch {
    pub fn bytes(&self) -> usize {
        let in_outputs: usize = self.outputs.iter().map(TaskOutput::words).sum();
        let sample: usize = self.sample.iter().map(Vec::capacity).sum();
        let words = in_outputs + self.block_to.capacity() + self.bundle_to.capacity() + sample;
        words * size_of::<u32>()
            + self.staged.capacity() * size_of::<Bounds>()
            + self.outputs.capacity() * size_of::<TaskOutput>()
    }
}

impl LooseQuadtree {
    /// What [`update`](crate::LooseStructure::update) does.
    pub(super) fn follow(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        check::row_count(boxes.len())?;
        self.some.forget();
        or_empty(self, |tree| tree.stage(&boxes, executor));
        Ok(self.follow_staged(|row| boxes.is_present(row), executor))
    }

    /// What [`update_rows`](crate::LooseStructure::update_rows) does.
    pub(super) fn follow_rows(
        &mut self,
        boxes: Boxes<'_>,
        rows: &[u32],
        executor: &dyn Executor,
    ) -> UpdateReport {
        let in_use = rows.last().map_or(0, |&last| last as usize + 1);
        if rows.len() < in_use / SPARSE {
            return self.follow_one_by_one(&boxes, rows);
        }
        self.some.forget();
        let (staged, mut rejected) = (&mut self.scratch.staged, 0);
        staged.clear();
        staged.resize(in_use, NOTHING);
        give_back(staged);
        for (place, &row) in rows.iter().enumerate() {
            match sound_sides(&boxes, place) {
                Some(bounds) => staged[row as usize] = bounds,
                None => rejected += usize::from(boxes.is_present(place)),
            }
        }
        let report = self.follow_staged(|_| false, executor);
        UpdateReport { rejected, ..report }
    }

    fn follow_one_by_one(&mut self, boxes: &Boxes<'_>, rows: &[u32]) -> UpdateReport {
        let mut report = UpdateReport::default();
        let mut some = std::mem::take(&mut self.some);
        some.replace(rows, 0..self.slots.len() as u32, |row| {
            report.removed += usize::from(self.remove(row).is_ok());
        });
        for (place, &row) in rows.iter().enumerate() {
            match (self.slot(row), sound_sides(boxes, place)) {
                (Some(slot), Some(bounds)) => {
                    let held = self.bundles.boxes(slot.bundle()).bounds_of(slot.lane());
                    if held != bounds {
                        report.moved += 1;
                        self.set_bounds(row, slot, bounds);
                    }
                }
                (None, Some(bounds)) => {
                    report.inserted += 1;
                    self.insert_bounds(row, bounds);
                }
                (slot, None) => {
                    report.rejected += usize::from(boxes.is_present(place));
                    if slot.is_some() {
                        report.removed += usize::from(self.remove(row).is_ok());
                    }
                }
            }
        }
        some.are_held();
        self.some = some;
        self.finish(report)
    }

    /// Brings all rows up to date with the boxes that are staged. `is_rejected` tells which rows count as such if they have none.
    fn follow_staged(
        &mut self,
        is_rejected: impl Fn(usize) -> bool,
        executor: &dyn Executor,
    ) -> UpdateReport {
        let mut report = UpdateReport::default();
        or_empty(self, |tree| tree.write_in_place(executor));
        self.settle(&mut report);
        self.insert_missing(is_rejected, &mut report);
        self.finish(report)
    }

    fn finish(&mut self, mut report: UpdateReport) -> UpdateReport {
        report.planned = self.tidy_up();
        report.rows = self.rows;
        report
    }

    /// Copies the columns, side by side.
    fn stage(&mut self, boxes: &Boxes<'_>, executor: &dyn Executor) {
        let staged = &mut self.scratch.staged;
        staged.resize(boxes.len(), NOTHING);
        give_back(staged);
        let per_task = boxes.len().div_ceil(TASKS).max(ROWS_PER_TASK);
        run_each(executor, staged.chunks_mut(per_task), |task, staged| {
            for (row, bounds) in (task * per_task..).zip(staged) {
                *bounds = sound_sides(boxes, row).unwrap_or(NOTHING);
            }
        });
    }

    /// Writes the boxes of rows that stay in their leaf, and lists the bundles of the others.
    fn write_in_place(&mut self, executor: &dyn Executor) {
        // Sized by capacity, so that these lists need not grow before the pool does.
        let capacity = self.bundles.capacity();
        let per_task = capacity.div_ceil(TASKS).max(BUNDLES_PER_TASK);
        let mut outputs = std::mem::take(&mut self.scratch.outputs);
        outputs.resize_with(capacity.div_ceil(per_task), TaskOutput::default);
        for output in &mut outputs {
            output.make_room(per_task);
        }

        let pass = Pass {
            staged: &self.scratch.staged,
            nodes: &self.nodes,
            region: self.region,
        };
        let simd = self.simd;
        let (all, links) = self.bundles.all_mut();
        let runs = all
            .chunks_mut(per_task)
            .zip(links.chunks_mut(per_task))
            .zip(&mut outputs);
        run_each(executor, runs, |task, ((bundles, links), output)| {
            let first = (task * per_task) as u32;
            pass.write(simd, first, bundles, links, output);
        });
        self.scratch.outputs = outputs;
    }

    /// Moves or removes the rows that the pass left.
    fn settle(&mut self, report: &mut UpdateReport) {
        let mut outputs = std::mem::take(&mut self.scratch.outputs);
        for output in &mut outputs {
            report.moved += std::mem::take(&mut output.moved);
            for bundle in output.changed.drain(..) {
                self.nodes.mark(self.bundles.link(bundle).owner);
            }
        }
        for output in &mut outputs {
            for bundle in output.unsettled.drain(..) {
                report.removed += self.settle_bundle(bundle);
            }
        }
        self.scratch.outputs = outputs;
    }

    /// Moves the rows of a bundle to the leaves they belong to now. Returns how many are gone.
    ///
    /// A row that leaves is replaced by the last row of the leaf, which may have to move as well and is looked at next,
    /// in the same lane. So none is missed, and a row that has just moved here is found to be right.
    fn settle_bundle(&mut self, bundle: u32) -> usize {
        let (mut lane, mut removed) = (0, 0);
        while lane < self.bundles.link(bundle).len {
            let row = self.bundles.boxes(bundle).rows[lane as usize];
            let staged = self.scratch.staged.get(row as usize);
            let bounds = staged.copied().unwrap_or(NOTHING);
            if bounds[0].is_nan() {
                self.take(row, Slot::of(bundle, lane));
                self.rows -= 1;
                removed += 1;
                continue;
            }
            let fine_cell = self.fine_cell(bounds);
            let cell = self.nodes.cell(self.bundles.link(bundle).owner);
            if cell.holds(fine_cell) {
                lane += 1;
            } else {
                let leaf = self.relocate(row, bounds, fine_cell);
                self.nodes.mark(leaf);
            }
        }
        removed
    }

    fn insert_missing(&mut self, is_rejected: impl Fn(usize) -> bool, report: &mut UpdateReport) {
        if self.rows == self.scratch.staged.len() {
            return;
        }
        for row in 0..self.scratch.staged.len() {
            if self.contains(row as u32) {
                continue;
            }
            let bounds = self.scratch.staged[row];
            if bounds[0].is_nan() {
                report.rejected += usize::from(is_rejected(row));
                continue;
            }
            self.number_rows(row + 1);
            let leaf = self.nodes.leaf_of(self.fine_cell(bounds));
            self.push(leaf, row as u32, bounds);
            self.nodes.mark(leaf);
            self.rows += 1;
            report.inserted += 1;
        }
    }
}
