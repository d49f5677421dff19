//! The boxes of a category, taken down for the next step.

use throng_core::{Executor, run_each};

use crate::frame::events::row_boxes::{Corners, RowBoxes};
use crate::frame::events::rows_then::{Occupant, RowsThen};
use crate::world::category::Category;
use crate::world::columns::corners;

/// How many rows one task takes down.
const TASK: usize = 1 << 14;

impl Category {
    /// To be called before a row comes to hold another proxy, or may meet others than before, or none.
    #[inline]
    pub(crate) fn note_then(&mut self, row: usize) {
        if self.then.is_some() {
            let occupant = Occupant::now(self, row);
            self.note_occupant(row, occupant);
        }
    }

    #[cold]
    fn note_occupant(&mut self, row: usize, occupant: Occupant) {
        if let Some(then) = &mut self.then {
            then.note(row, occupant);
        }
    }

    /// Takes down the boxes as of the step that ends.
    pub(crate) fn look_at_boxes(&mut self, executor: &dyn Executor) {
        let Some(mut then) = self.then.take() else {
            return;
        };
        if !self.structure.is_scenery() {
            self.take_down(&mut then.now, executor);
            let RowsThen { now, changed, .. } = &mut *then;
            changed.keys().for_each(|&row| now.forget(row as usize));
        }
        self.then = Some(then);
    }

    /// Makes the boxes of this step those of the last one.
    pub(crate) fn keep_boxes(&mut self, executor: &dyn Executor) {
        let Some(mut then) = self.then.take() else {
            return;
        };
        if !self.structure.is_scenery() {
            let RowsThen { now, changed, .. } = &mut *then;
            let rows = changed.keys().map(|&row| row as usize);
            rows.filter(|&row| row < self.len() && self.is_enabled(row))
                .for_each(|row| now.set(row, self.corners(row), self.columns.center(row)));
            std::mem::swap(&mut then.boxes, &mut then.now);
        } else if then.is_other(self.len()) {
            self.take_down(&mut then.boxes, executor);
        }
        then.restart(self.len());
        self.then = Some(then);
    }

    /// Takes down the boxes of all rows; none for disabled ones.
    fn take_down(&self, to: &mut RowBoxes, executor: &dyn Executor) {
        let rows = self.len();
        if let Some(half_extents) = self.common_half_extents() {
            let centers = to.begin_alike(half_extents, rows);
            let (xs, ys) = self.columns.centers();
            let parts = centers
                .chunks_mut(TASK)
                .zip(xs.chunks(TASK))
                .zip(ys.chunks(TASK));
            run_each(executor, parts, |_, ((centers, xs), ys)| {
                for ((center, &x), &y) in centers.iter_mut().zip(xs).zip(ys) {
                    *center = [x, y];
                }
            });
        } else {
            let parts = to.begin_corners(rows).chunks_mut(TASK);
            run_each(executor, parts, |task, boxes| {
                for (row, corners) in (task * TASK..).zip(boxes) {
                    *corners = self.corners(row);
                }
            });
        }
        self.disabled_rows().for_each(|row| to.forget(row));
    }

    /// The corners of a row's box, as it is compared.
    fn corners(&self, row: usize) -> Corners {
        match self.columns.boxes.values() {
            Some(boxes) => boxes[row],
            None => {
                let own = self.columns.half_extents.values();
                let half = own.map_or(self.bound, |own| own[row]);
                let infinite = self.columns.infinite.get(row);
                corners(self.columns.center(row), half, infinite)
            }
        }
    }
}
