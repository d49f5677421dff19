//! The boxes of a category, recorded for the next step.

use throng_core::{Executor, Serial};

use crate::frame::events::rows_then::{Occupant, RowsThen};
use crate::world::category::Category;

impl Category {
    /// What is remembered of the rows of a category whose pairs are listed.
    pub(crate) fn rows_then(&self) -> &RowsThen {
        self.then.as_deref().expect("its pairs are listed")
    }

    /// Whether any row of such categories has changed, or there are others than then.
    pub(crate) fn have_rows_changed(sides: [&Self; 2]) -> bool {
        let has_changes = |side: &&Self| side.rows_then().has_changes(side.len());
        sides.iter().any(has_changes)
    }

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

    /// Records the boxes as of the step that ends. Those of scenery are those of then, as far as they have not changed.
    pub(crate) fn look_at_boxes(&mut self, executor: &dyn Executor) {
        let alike = self.all_compared_alike();
        let Some((then, now)) = self.then_and_now() else {
            return;
        };
        if !now.are_scenery {
            then.next_boxes.record(now, alike, executor);
            let RowsThen {
                next_boxes,
                changed,
                ..
            } = then;
            changed
                .keys()
                .for_each(|&row| next_boxes.forget(row as usize));
        }
    }

    /// Makes the boxes of this step those of the last one. O(rows that have changed), or O(rows) if scenery has been sorted. On the
    /// calling thread, since nothing may go wrong here.
    pub(crate) fn keep_boxes(&mut self) {
        let Some((then, now)) = self.then_and_now() else {
            return;
        };
        if now.are_scenery {
            if then.are_reordered {
                then.boxes.record(now, None, &Serial);
            } else if then.has_changes(now.len()) {
                then.record_changed(now);
            }
        } else {
            let changed = then.changed.keys().map(|&row| row as usize);
            for row in changed.filter(|&row| now.has(row)) {
                then.next_boxes
                    .set(row, now.corners(row), now.columns.center(row));
            }
            std::mem::swap(&mut then.boxes, &mut then.next_boxes);
        }
        then.restart(now.len());
    }
}
