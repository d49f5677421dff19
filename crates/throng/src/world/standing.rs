//! The index of those rows of a category that rest: a grid of points, or a quadtree of boxes.
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

/// Boxes that rest get an index of their own once so many times more rest than do not, and lose it when fewer do.
const TIMES_MORE_TO_PART: usize = 8;
const TIMES_MORE_TO_STAY_APART: usize = 5;

/// The index of those that rest, and what is made of it.
pub(crate) struct Standing {
    pub(crate) structure: Structure,
    /// Memory for a mend: which of the rows that have changed are not to be in it. What it says of others means nothing.
    absent: FixedBitSet,
    /// Memory for a list of those that rest.
    rows: Vec<Row>,
    /// Whether there are others that rest, which are not in it.
    lacks_some: bool,
    /// Both indices of the category in one, since somebody asked; and the memory of earlier ones.
    whole: OnceLock<Box<Structure>>,
    spare: Mutex<Option<Box<Structure>>>,
}

impl Standing {
    /// An empty one; `structure` is a grid of points, or a quadtree.
    pub(crate) fn new(structure: Structure) -> Self {
        Self {
            structure,
            absent: FixedBitSet::new(),
            rows: Vec::new(),
            lacks_some: false,
            whole: OnceLock::new(),
            spare: Mutex::new(None),
        }
    }

    /// Whether those that rest are to have it, where so many do and so many do not. Points always. Boxes only while few are awake:
    /// these ask a tree, in which others come and go one by one, while strips of all rows are built and searched in the time that a tenth
    /// of them take for that. Then pairs of two that rest are found, and dropped.
    pub(crate) fn is_worth_it(&self, awake: usize, resting: usize) -> bool {
        let times_more = match self.structure {
            Structure::Points(_) => 0,
            _ if self.structure.is_empty() => TIMES_MORE_TO_PART,
            _ => TIMES_MORE_TO_STAY_APART,
        };
        resting >= awake * times_more
    }

    /// Brings it up to date with those that rest, if anybody does, and has it; `changes` has the rows that came to rest, woke, or changed while
    /// they rested.
    pub(crate) fn update(
        &mut self,
        rows: &IndexedRows<'_>,
        resting: Option<RestingRows<'_>>,
        are_elsewhere: bool,
        changes: &mut RowChanges,
        executor: &dyn Executor,
    ) {
        self.forget_whole();
        match resting {
            Some(resting) if !self.lacks_some && self.mend(rows, &resting, changes) => {}
            Some(resting) => {
                // Until it is built: an executor that panics must not leave an empty index to be mended.
                changes.note_all();
                resting.list(&mut self.rows);
                match &mut self.structure {
                    Structure::Boxes(tree) => {
                        self.absent.grow(rows.columns.len());
                        self.absent.insert_range(..);
                        let present = self.rows.iter();
                        present.for_each(|&row| self.absent.set(row as usize, false));
                        tree.update(rows.columns, Some(&self.absent), executor);
                    }
                    points => points.index_rows(rows, &self.rows, executor),
                }
                changes.built(&self.rows, rows.columns.len());
            }
            None if self.structure.is_empty() => {}
            None => self.clear(changes),
        }
        self.lacks_some = are_elsewhere;
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
        let mended = listed.is_empty()
            || match &mut self.structure {
                Structure::Points(grid) => grid
                    .mend(
                        rows.points().without(&self.absent),
                        rows.classes.clone(),
                        listed,
                    )
                    .expect("the columns of a category are of one length"),
                Structure::Boxes(tree) => {
                    tree.mend(rows, &self.absent, listed);
                    true
                }
                Structure::Scenery(_) => unreachable!("scenery is one with all its rows"),
            };
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
