//! Which rows differ from what the index says, so that it can be mended rather than built anew.

use fixedbitset::FixedBitSet;
use throng_grid::{MovedRow, PointGrid};

use crate::world::ids::Row;
use crate::world::index_map::IndexMap;

/// The rows of a category that have changed since its last index.
#[derive(Default)]
pub(crate) struct RowChanges {
    /// Rows that have moved, and where the index has them.
    moved: Vec<MovedRow>,
    /// Rows that have changed in another way, or hold another proxy, and where the index has them, if it does.
    others: IndexMap<Option<[f32; 2]>>,
    /// Whether there is an index, and these are all the changes since.
    are_all: bool,
}

impl RowChanges {
    /// Notes that a row has moved in its category.
    #[inline]
    pub(crate) fn note_move(&mut self, row: Row, from: [f32; 2], rows: usize) {
        if !self.are_all {
            return;
        }
        if Self::are_too_many(self.moved.len(), rows) {
            self.are_all = false;
        } else if self.others.is_empty() || !self.others.contains_key(&row) {
            let from = Some(from);
            self.moved.push(MovedRow { row, from });
        }
    }

    /// Whether so many moves of so many rows are too many to be noted: no index is mended then.
    pub(crate) fn are_too_many(moved: usize, rows: usize) -> bool {
        moved > PointGrid::most_moved(rows)
    }

    /// Notes that a row is about to change in another way, or to hold another proxy. `from` is where the index has it, unless
    /// that was noted before.
    pub(crate) fn note(&mut self, row: Row, from: Option<[f32; 2]>) {
        if self.are_all {
            self.others.entry(row).or_insert(from);
        }
    }

    /// Notes that any rows may have changed.
    pub(crate) fn note_all(&mut self) {
        self.are_all = false;
    }

    /// Whether there is an index, and all changes since are known.
    pub(crate) fn are_all(&self) -> bool {
        self.are_all
    }

    /// Whether there is an index, and nothing has changed since.
    pub(crate) fn are_none(&self) -> bool {
        self.are_all && self.moved.is_empty() && self.others.is_empty()
    }

    /// All changes, if they are known. Rows that are not in the index and do not come into it are left out.
    pub(crate) fn list(
        &mut self,
        rows: usize,
        disabled: Option<&FixedBitSet>,
    ) -> Option<&[MovedRow]> {
        if !self.are_all {
            return None;
        }
        let is_present = |row: Row| {
            let row = row as usize;
            row < rows && disabled.is_none_or(|disabled| !disabled.contains(row))
        };
        if disabled.is_some() {
            // One that is disabled and was so in the index has only moved.
            self.moved.retain(|moved| is_present(moved.row));
        }
        let others = self
            .others
            .iter()
            .map(|(&row, &from)| MovedRow { row, from });
        let others = others.filter(|other| other.from.is_some() || is_present(other.row));
        self.moved.extend(others);
        Some(&self.moved)
    }

    /// To be called when the index is up to date.
    pub(crate) fn restart(&mut self) {
        self.moved.clear();
        // Clearing takes as long as the table has capacity, which may be large.
        if !self.others.is_empty() {
            self.others.clear();
        }
        self.are_all = true;
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        // The table uses one more byte per entry.
        let others = self.others.capacity() * (size_of::<(Row, Option<[f32; 2]>)>() + 1);
        self.moved.capacity() * size_of::<MovedRow>() + others
    }
}
