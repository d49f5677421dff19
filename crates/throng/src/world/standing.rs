//! The index of those rows of a uniform category that rest.
//!
//! It stands from step to step, and is mended when rows come to rest or wake, so that a step builds an index of the others alone.
//! Queries look into both. Searches that take one index for all rows, such as that for neighbors, take one in which both are
//! joined, made when it is first asked for.

use std::sync::OnceLock;

use fixedbitset::FixedBitSet;
use parking_lot::Mutex;
use throng_core::{Executor, Serial};

use crate::frame::resting::stillness::RestingRows;
use crate::world::ids::Row;
use crate::world::row_changes::RowChanges;
use crate::world::structure::{IndexedRows, Structure};

/// The index of those that rest, and what is made of it.
pub(crate) struct Standing {
    pub(crate) structure: Structure,
    /// Memory for a mend: which of the rows that have changed are not to be in it. What it says of others means nothing.
    absent: FixedBitSet,
    /// Memory for a list of those that rest.
    rows: Vec<Row>,
    /// Both indices of the category in one, since somebody asked; and the memory of earlier ones.
    whole: OnceLock<Box<Structure>>,
    spare: Mutex<Option<Box<Structure>>>,
}

impl Standing {
    /// An empty one; `structure` is a grid of points.
    pub(crate) fn new(structure: Structure) -> Self {
        Self {
            structure,
            absent: FixedBitSet::new(),
            rows: Vec::new(),
            whole: OnceLock::new(),
            spare: Mutex::new(None),
        }
    }

    /// Brings it up to date with those that rest, if anybody does; `changes` has the rows that came to rest, woke, or changed while
    /// they rested.
    pub(crate) fn update(
        &mut self,
        rows: &IndexedRows<'_>,
        resting: Option<RestingRows<'_>>,
        changes: &mut RowChanges,
        executor: &dyn Executor,
    ) {
        self.forget_whole();
        match resting {
            Some(resting) if self.mend(rows, &resting, changes) => {}
            Some(resting) => {
                // Until it is built: an executor that panics must not leave an empty index to be mended.
                changes.note_all();
                resting.list(&mut self.rows);
                self.structure.index_rows(rows, &self.rows, executor);
                changes.built(&self.rows, rows.columns.len());
            }
            None if self.structure.is_empty() => {}
            None => self.clear(changes),
        }
    }

    /// Mends it, if all changes are known and they are few. Returns whether it did.
    fn mend(
        &mut self,
        rows: &IndexedRows<'_>,
        resting: &RestingRows<'_>,
        changes: &mut RowChanges,
    ) -> bool {
        let Some(listed) = changes.list(|row| resting.has(row)) else {
            return false;
        };
        let all = rows.columns.len();
        let noted = listed.iter().map(|noted| noted.row as usize);
        self.absent.grow(all);
        for row in noted.filter(|&row| row < all) {
            self.absent.set(row, !resting.has(row as Row));
        }
        let mended = listed.is_empty() || self.structure.mend(rows, &self.absent, listed);
        if mended {
            changes.mended(|row| resting.has(row));
        }
        mended
    }

    /// Empties it, and forgets what it was planned for.
    pub(crate) fn clear(&mut self, changes: &mut RowChanges) {
        self.forget_whole();
        self.structure.clear();
        changes.built(&[], 0);
    }

    /// To be called when either index of the category changes, before anybody can ask again.
    fn forget_whole(&mut self) {
        if let Some(whole) = self.whole.take() {
            *self.spare.get_mut() = Some(whole);
        }
    }

    /// Both this index and that of all other rows, in one. O(rows) for the first to ask after a step or refresh.
    pub(crate) fn whole(&self, others: &Structure) -> &Structure {
        self.whole.get_or_init(|| {
            let spare = self.spare.lock().take();
            let mut whole = spare.unwrap_or_else(|| Box::new(others.empty_like()));
            // On this thread alone: others may be waiting here for the same index, and the executor could hand a task of it to one
            // of them, which would wait for ever.
            whole.join([others, &self.structure], &Serial);
            whole
        })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let spare = self.spare.lock();
        let wholes = [self.whole.get(), spare.as_ref()].into_iter().flatten();
        let wholes = wholes.map(|whole| whole.memory_bytes());
        self.structure.memory_bytes()
            + size_of_val(self.absent.as_slice())
            + self.rows.capacity() * size_of::<Row>()
            + wholes.sum::<usize>()
    }
}
