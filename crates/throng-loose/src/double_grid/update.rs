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
        if self.held == 0 {
            self.clear();
            let sides = |row| sound_sides(&boxes, row);
            let (layout, plan) = plan_layout(boxes.len(), sides, &self.config);
            (self.layout, self.planned_for) = (layout, Some(plan));
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
                    self.put_in(row as u32, sides, self.layout.cell_key(sides));
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
        report.planned |= or_empty(self, |grid| grid.clean_up_with(executor));
        report.rows = self.held;
        Ok(report)
    }
}
