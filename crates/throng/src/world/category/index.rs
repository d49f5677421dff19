//! The index of a category: built from its columns, brought up to date, forgotten.

use throng_core::Executor;

use super::Category;
use crate::frame::prediction::swept::SweptBoxes;
use crate::world::spacing::Spacing;
use crate::world::structure::{Indexed, IndexedRows, Structure};

impl Category {
    /// Empties the index: queries find nothing until the next one is built.
    pub(super) fn forget_index(&mut self) {
        self.structure.clear();
        self.swept = None;
        self.indexed = Indexed::default();
        self.spacing = Spacing::default();
        self.journal.restart(0);
        if let Some(stillness) = &mut self.stillness {
            stillness.note_all_changed();
        }
    }

    /// Makes the next index depend on the rows alone, and on nothing that earlier ones have left.
    pub(crate) fn forget_history(&mut self) {
        self.forget_index();
        self.note_all_changed();
    }

    /// Builds the index from the columns as they are.
    pub(crate) fn index(&mut self, executor: &dyn Executor) {
        self.rebuild(executor);
        let written = std::mem::take(&mut self.written);
        self.activity
            .note(&self.columns, self.indexed.packed, written);
    }

    /// The same, not counted as a frame.
    pub(crate) fn rebuild(&mut self, executor: &dyn Executor) {
        self.rebuild_index(executor);
        self.rebuild_swept(executor);
        self.has_moved = false;
    }

    /// Builds the index of those that look ahead, if any may.
    fn rebuild_swept(&mut self, executor: &dyn Executor) {
        if self.swept.is_none() && !self.has_prediction() {
            return;
        }
        let mut swept = (self.swept.take()).unwrap_or_else(|| Box::new(SweptBoxes::new(self.simd)));
        swept.update(self, executor);
        self.swept = Some(swept);
    }

    fn rebuild_index(&mut self, executor: &dyn Executor) {
        let stillness = self.stillness.as_ref();
        if stillness.is_some_and(|stillness| stillness.changes.are_none()) {
            return;
        }
        let disabled = self.disabled.any();
        let all_alike = self.all_alike();
        let half_extents = self.columns.half_extents.values().filter(|_| !all_alike);
        // Only a grid carries them.
        let carries_classes =
            self.tests_own_masks && matches!(self.structure, Structure::Points(_));
        let masks = &self.columns.masks;
        let classes = carries_classes.then(|| masks.classes_of_rows()).flatten();
        let rows = IndexedRows {
            columns: &self.columns,
            half_extents,
            classes,
            disabled,
        };
        let stillness = self.stillness.as_mut();
        let changes = stillness.and_then(|still| still.changes.list(rows.columns.len(), disabled));
        let is_as_it_was = self.structure.is_up_to_date() && self.columns.len() > 0;
        let changed = match changes {
            _ if is_as_it_was => 0,
            Some(changes) => changes.len(),
            None => usize::MAX,
        };
        self.indexed = self.structure.index(&rows, changes, executor);
        self.indexed.bounds = self.structure.bounds();
        self.journal.restart(self.columns.len());
        if let Some(stillness) = &mut self.stillness {
            stillness.changes.restart();
        }
        // Looks at hundreds of rows, most of which have to be fetched: longer than a step in which ten move.
        if self.spacing.note(changed) {
            self.spacing.look(&self.columns);
            self.scatter
                .look(&self.columns, &self.structure, &self.spacing);
        }
    }
}
