//! All rows at once, from columns: only what differs is changed.

use super::DoubleGrid;
use super::plan::plan_layout;
use super::rows::Row;
use crate::or_empty::or_empty;
use crate::sides::sound_sides;
use crate::{LooseError, LooseStructure, UpdateReport, check};
use throng_core::{Boxes, Executor};

impl DoubleGrid {
    /// What [`update`](crate::LooseStructure::update) does.
    pub(super) fn follow(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        check::row_count(boxes.len())?;
        let mut report = UpdateReport::default();
        self.plan_if_empty(&boxes, &mut report);
        self.some.forget();
        for row in boxes.len()..self.rows.len() {
            if self.rows[row].is_held() {
                report.removed += 1;
                self.take_out(row as u32);
            }
        }
        self.rows.resize(boxes.len(), Row::ABSENT);
        for row in 0..boxes.len() {
            self.follow_row(row as u32, &boxes, row, &mut report);
        }
        Ok(self.finish(report, executor))
    }

    /// What [`update_rows`](crate::LooseStructure::update_rows) does.
    pub(super) fn follow_rows(
        &mut self,
        boxes: Boxes<'_>,
        rows: &[u32],
        executor: &dyn Executor,
    ) -> UpdateReport {
        let mut report = UpdateReport::default();
        self.plan_if_empty(&boxes, &mut report);
        let mut some = std::mem::take(&mut self.some);
        some.replace(rows, 0..self.rows.len() as u32, |row| {
            if self.contains(row) {
                report.removed += 1;
                self.take_out(row);
            }
        });
        let in_use = rows.last().map_or(0, |&last| last as usize + 1);
        if self.rows.len() < in_use {
            self.rows.resize(in_use, Row::ABSENT);
        }
        for (place, &row) in rows.iter().enumerate() {
            self.follow_row(row, &boxes, place, &mut report);
        }
        some.are_held();
        self.some = some;
        self.finish(report, executor)
    }

    fn plan_if_empty(&mut self, boxes: &Boxes<'_>, report: &mut UpdateReport) {
        if self.held == 0 {
            self.clear();
            let sides = |row| sound_sides(boxes, row);
            let (layout, plan) = plan_layout(boxes.len(), sides, &self.config);
            (self.layout, self.planned_for) = (layout, Some(plan));
            report.planned = true;
        }
    }

    /// Brings a row up to date with the box at a place of the columns.
    #[inline]
    fn follow_row(&mut self, row: u32, boxes: &Boxes<'_>, place: usize, report: &mut UpdateReport) {
        let held = &self.rows[row as usize];
        match (held.is_held(), sound_sides(boxes, place)) {
            (true, Some(sides)) => {
                if held.sides != sides {
                    report.moved += 1;
                    self.move_to(row, sides);
                }
            }
            (false, Some(sides)) => {
                report.inserted += 1;
                self.put_in(row, sides, self.layout.cell_key(sides));
            }
            (is_held, None) => {
                report.rejected += usize::from(boxes.is_present(place));
                if is_held {
                    report.removed += 1;
                    self.take_out(row);
                }
            }
        }
    }

    fn finish(&mut self, mut report: UpdateReport, executor: &dyn Executor) -> UpdateReport {
        report.planned |= or_empty(self, |grid| grid.clean_up_with(executor));
        report.rows = self.held;
        report
    }
}
