//! Who is told when rows change: those who keep records of what has moved and what rests, and the index of scenery.

use throng_core::Aabb;

use super::Category;
#[cfg(doc)]
use crate::frame::resting::stillness::Stillness;
use crate::frame::resting::stillness::{DUE, RESTING, TOLD};
use crate::world::ids::{ProxyId, Row};
use crate::world::scenery_changes::IndexedBox;
use crate::world::structure::Structure;

impl Category {
    /// To be called when a row changes in another way than by a write of its center, or comes to hold another proxy. If it does, or is
    /// scenery, before that.
    pub(crate) fn note_change(&mut self, row: usize) {
        let is_enabled = self.is_enabled(row);
        if let Some(stillness) = &mut self.stillness {
            stillness.note_change(row, self.columns.last_center(row));
        }
        if let (Structure::Scenery(index), Some(aabb)) =
            (&mut self.structure, self.columns.fixed_box(row))
        {
            let id = self.columns.ids[row];
            let indexed = is_enabled.then_some(IndexedBox { aabb, id });
            index.changes.note(row as Row, indexed, self.columns.len());
        }
    }

    /// To be called when any rows may be other than the index says.
    pub(crate) fn note_all_changed(&mut self) {
        self.structure.note_all_changed();
        if let Some(stillness) = &mut self.stillness {
            stillness.note_all_changed();
        }
    }

    /// From here on, a row counts as if it had not moved.
    pub(crate) fn keep_center(&mut self, row: usize) {
        self.note_change(row);
        self.columns.keep_center(row);
    }

    /// To be called when a row is written, or comes to hold another proxy.
    #[inline]
    pub(crate) fn note_written(&mut self, row: usize) {
        self.note_rows_written(&[row as Row]);
    }

    /// To be called when some rows are written, each by its number; there may be no such rows.
    #[inline]
    pub(crate) fn note_rows_written(&mut self, rows: &[Row]) {
        self.has_moved = true;
        if let Some(stillness) = &mut self.stillness {
            stillness.note_rows_written(rows, self.columns.len());
        }
    }

    /// To be called when any rows may be written.
    #[inline]
    pub(crate) fn note_all_written(&mut self) {
        self.has_moved = true;
        if let Some(stillness) = &mut self.stillness {
            stillness.note_all_written();
        }
    }

    /// To be called when something other than its center changes for a row.
    #[inline]
    pub(crate) fn wake(&mut self, row: usize) {
        if let Some(stillness) = &mut self.stillness
            && self.columns.still.get(row) == RESTING
        {
            stillness.wake(ProxyId(self.columns.ids[row]));
        } else {
            self.count_as_new(row);
        }
        if let (Structure::Scenery(index), Some(aabb)) =
            (&mut self.structure, self.columns.fixed_box(row))
        {
            index.changes.note_touched(aabb);
        }
    }

    /// As [`wake`](Self::wake), but does nothing for scenery: for changes after which those beside it are found in another way, by
    /// the place that is noted or because the other proxy of the pair wakes.
    pub(crate) fn wake_unless_scenery(&mut self, row: usize) {
        if !self.structure.is_scenery() {
            self.wake(row);
        }
    }

    /// Whether this is scenery, and anything has changed in any place.
    pub(crate) fn is_changed_scenery(&self) -> bool {
        matches!(&self.structure, Structure::Scenery(index) if index.changes.has_places())
    }

    /// Lists where scenery has changed, as [`take_places`](crate::world::scenery_changes::SceneryChanges::take_places) does.
    /// Returns whether these are all the places.
    pub(crate) fn take_places_of_scenery(&mut self, places: &mut Vec<Aabb>) -> bool {
        let Structure::Scenery(index) = &mut self.structure else {
            return true;
        };
        let changes = &mut index.changes;
        changes.take_places(&self.columns, self.disabled.any(), places)
    }

    /// Lets a row count as new, if rows ever rest here and it was not told to.
    pub(crate) fn count_as_new(&mut self, row: usize) {
        if self.stillness.is_some() && self.columns.still.get(row) != TOLD {
            self.set_awake(row, 0);
        }
    }

    /// Sets how long a row that is awake from here on has not moved.
    pub(crate) fn set_awake(&mut self, row: usize, still: u8) {
        if let Some(stillness) = &mut self.stillness
            && self.columns.still.get(row) == RESTING
        {
            stillness.note_awake(row, self.columns.last_center(row));
        }
        self.columns.still.set(row, still);
    }

    /// Tells a row to rest, if rows ever rest here and it does not, nor is about to. One that is disabled does neither, though it may
    /// have when it was.
    pub(crate) fn tell_to_rest(&mut self, row: usize) {
        let Some(stillness) = &mut self.stillness else {
            return;
        };
        if self.columns.still.get(row) < TOLD || self.disabled.contains(row) {
            stillness.note_told();
            self.set_awake(row, TOLD);
            self.keep_center(row);
        }
    }

    /// Whether a row was told to rest and has not moved since, nor taken part in a step.
    pub(crate) fn is_told_to_rest(&self, row: usize) -> bool {
        let last = self.columns.last_center(row);
        self.columns.still.get(row) == TOLD && self.columns.center(row) == last
    }

    /// Whether a row rests; scenery is not said to.
    pub(crate) fn rests(&self, row: Row) -> bool {
        let row = row as usize;
        self.stillness.is_some() && self.columns.still.get(row) == RESTING && self.is_enabled(row)
    }

    /// Whether a row was told to rest, or is due in the step that has just been, and does not rest yet.
    pub(crate) fn is_settling(&self, row: usize) -> bool {
        let still = self.columns.still.get(row);
        self.stillness.is_some() && (still == TOLD || still == DUE && self.is_enabled(row))
    }

    /// Counts a step for every row, as [`Stillness::tick`] does.
    pub(crate) fn count_still_step(&mut self, is_settled: bool, rests: &mut dyn FnMut(ProxyId)) {
        if let Some(stillness) = &mut self.stillness {
            let disabled = self.disabled.any();
            stillness.tick(&mut self.columns, disabled, is_settled, rests);
        }
    }

    /// Finds out who has moved, as [`Stillness::find_moved`] does.
    pub(crate) fn find_moved(&mut self, moved: u8, wake: &mut dyn FnMut(Row)) {
        if let Some(stillness) = &mut self.stillness {
            stillness.find_moved(&mut self.columns, self.disabled.any(), moved, wake);
        }
    }

    /// Lets every row count as new, as [`Stillness::wake_all`] does.
    pub(crate) fn wake_all(&mut self, wake: &mut dyn FnMut(Row)) {
        if let Some(stillness) = &mut self.stillness {
            stillness.wake_all(&mut self.columns, wake);
        }
    }

    /// Counts who rests.
    pub(crate) fn count_resting(&mut self) {
        if let Some(stillness) = &mut self.stillness {
            let standing = self.standing.as_deref();
            let are_to_part = |awake, resting| {
                standing.is_some_and(|standing| standing.is_worth_it(awake, resting))
            };
            stillness.count(&self.columns, self.disabled.any(), are_to_part);
        }
    }
}
