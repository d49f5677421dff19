//! The index of a category: built from its columns, brought up to date, forgotten.

use throng_core::Executor;

use super::Category;
use crate::frame::resting::stillness::RestingRows;
use crate::world::ids::Row;
use crate::world::spacing::Spacing;
use crate::world::structure::{Indexed, IndexedRows, Structure};

impl Category {
    /// Empties the index: queries find nothing until the next one is built.
    pub(super) fn forget_index(&mut self) {
        self.structure.clear();
        self.swept = None;
        if let (Some(standing), Some(stillness)) = (&mut self.standing, &mut self.stillness) {
            standing.clear(&mut stillness.changes);
        }
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
        if std::mem::take(&mut self.forgets) {
            self.forget_history();
        }
        self.rebuild_index(executor);
        self.has_moved = false;
    }

    fn rebuild_index(&mut self, executor: &dyn Executor) {
        let stillness = self.stillness.as_ref();
        let has_changed = stillness.is_none_or(|stillness| !stillness.changes.are_none());
        let changed = if has_changed {
            self.rebuild_parts(executor)
        } else {
            0
        };
        self.look(changed);
    }

    /// Builds the index, or the two of a category in which some rest. Returns how many rows have changed, as far as known.
    fn rebuild_parts(&mut self, executor: &dyn Executor) -> usize {
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
            journal: &self.journal,
        };
        let is_as_it_was = self.structure.is_up_to_date() && self.columns.len() > 0;
        if let Some(stillness) = &mut self.stillness {
            stillness.changes.begin_index();
        }
        let changed = match (&mut self.stillness, &mut self.standing) {
            (Some(stillness), Some(standing)) => {
                let awake = stillness.awake();
                let awake =
                    awake.filter(|awake| standing.is_worth_it(awake.len(), stillness.resting));
                let changed = awake.map_or(usize::MAX, <[Row]>::len);
                match awake {
                    Some(awake) => self.structure.index_rows(&rows, awake, executor),
                    None => {
                        let packed = self.structure.index(&rows, executor);
                        debug_assert_eq!(packed, 0, "scenery does not rest");
                    }
                }
                let is_apart = awake.is_some();
                let resting = is_apart.then(|| RestingRows::of(&rows));
                let are_elsewhere = !is_apart && stillness.resting > 0;
                let changes = &mut stillness.changes;
                standing.update(&rows, resting, are_elsewhere, changes, executor);
                let apart = if is_apart { stillness.resting } else { 0 };
                debug_assert_eq!(standing.structure.len(), apart);
                let at_rest = standing.structure.indexed();
                self.indexed = self.structure.indexed().with(at_rest);
                changed
            }
            _ => {
                let packed = self.structure.index(&rows, executor);
                self.indexed = Indexed {
                    packed,
                    ..self.structure.indexed()
                };
                if is_as_it_was { 0 } else { usize::MAX }
            }
        };
        self.journal.restart(self.columns.len());
        if let Some(stillness) = &mut self.stillness {
            stillness.changes.restart(self.columns.len());
        }
        changed
    }

    /// Looks at how rows lie, if so many changes make it worthwhile.
    fn look(&mut self, changed: usize) {
        // Looks at hundreds of rows, most of which have to be fetched: longer than a step in which ten move.
        let have_changed = self.spacing.note(changed);
        if have_changed {
            self.spacing.look(&self.columns);
        }
        if self.scatter.is_to_be_seen(have_changed, self.columns.len()) {
            let standing = self.standing.as_ref().map(|standing| &standing.structure);
            let largest = match standing {
                Some(standing) if standing.len() > self.structure.len() => standing,
                _ => &self.structure,
            };
            self.scatter.look(&self.columns, largest, &self.spacing);
        }
    }
}

/// One of the indices of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexPart {
    /// That of all rows, or of all that do not rest, while the others have one of their own.
    Main,
    /// That of the rows that rest.
    Standing,
}

impl Category {
    /// All indices, of which some may be empty.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (IndexPart, &Structure)> {
        let standing = self.standing.as_ref();
        let standing = standing.map(|standing| (IndexPart::Standing, &standing.structure));
        std::iter::once((IndexPart::Main, &self.structure)).chain(standing)
    }

    /// One of its indices, which must exist.
    pub(crate) fn part(&self, part: IndexPart) -> &Structure {
        match part {
            IndexPart::Main => &self.structure,
            IndexPart::Standing => {
                let standing = self.standing.as_ref();
                &standing.expect("it is one of its indices").structure
            }
        }
    }

    /// Whether rows that rest may be in the main index, among those that do not.
    pub(crate) fn rests_in_main_index(&self) -> bool {
        let resting = self
            .stillness
            .as_ref()
            .map_or(0, |stillness| stillness.resting);
        let standing = self.standing.as_ref();
        resting > standing.map_or(0, |standing| standing.structure.len())
    }

    /// All rows in one index. O(1), or O(rows) the first time after each step or refresh if there are two.
    pub(crate) fn whole(&self) -> &Structure {
        match &self.standing {
            Some(standing) if !standing.structure.is_empty() => standing.whole(&self.structure),
            _ => &self.structure,
        }
    }

    /// How many rows are in its indices together.
    pub(crate) fn indexed_rows(&self) -> usize {
        self.parts().map(|(_, structure)| structure.len()).sum()
    }
}
