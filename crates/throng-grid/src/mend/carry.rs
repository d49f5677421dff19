//! Few rows that are not where they belong are carried over, so that the others can stay.
//!
//! A refit reads each row anew where it is. In a game a few come and go in most frames; without this, each of them would cost a
//! build. They are carried over before a refit. Nothing tells where in the index a row is that has gone, so all records are
//! compared with the rows sought. For each of these that takes as long as to build an index of a few hundred rows. (To look each
//! record up in a set took as long as to read all rows anew.) In a small grid so are rows that are known to hold something else.
//! Who is far from where it was put is noticed in the refit, and carried over after it: see `refit/strays.rs`.

use super::movers::Now;
use super::scratch::Arrival;
use super::splice::{departure, leaf_of, place_of};
use super::{Columns, Mend, MendScratch};
use crate::PointGrid;
use crate::partition::{COARSE_WORDS, EXACT_WORDS};
use std::mem;
use throng_core::Simd;

/// That a row comes or goes takes as long as to build an index of this many rows.
const ROWS_PER_CHANGE: usize = 256;
/// So many may come or go in any case: even a build of no rows takes as long. And never more than so many.
const FEW_CHANGES: usize = 2;
const MOST_CHANGES: usize = 64;
/// Where there are more rows, those that are said to hold something else are brought home after the refit, as all that go far are:
/// for so many rows it takes as long to look for one of them.
const MOST_SEARCHED: usize = 32_768;

/// How many may come or go where there are so many rows.
fn most_changes(rows: usize) -> usize {
    MOST_CHANGES.min(rows / ROWS_PER_CHANGE + FEW_CHANGES)
}

/// Whose records are carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carried {
    /// Rows that are listed as changes: they come, go or hold something else.
    Changed,
    /// Those of records that are listed as departures.
    Strays,
}

impl PointGrid {
    /// Lets those rows in or go by which the columns are longer or shorter than before, and those that have become present or
    /// absent; and takes those that hold something else to where they are, if they can be found quickly. All other records, and
    /// what is measured of how far rows have drifted, stay as they are, so a refit must follow. New records are written in the
    /// format that the index has now (`self.row_word`).
    ///
    /// If `false`, the index must be built. That is so if too many rows come or go, or if one of them is missing from the index or
    /// cannot be put into it.
    pub(crate) fn carry_over(
        &mut self,
        columns: &Columns<'_>,
        changed: impl Iterator<Item = u32>,
    ) -> bool {
        match self.list_changes(columns, changed) {
            None => return false,
            Some(0) => return true,
            Some(_) => {}
        }
        let (then, now) = (self.rows_given, columns.points.xs.len());
        // Records keep their format until the refit; its row bits may be too few for the highest row.
        if !self.row_word.has_room_for(now) {
            return false;
        }
        let mut scratch = mem::take(&mut self.mend_scratch);
        scratch.clear();
        scratch.list_sought(|row| row < then && !self.refit_scratch.was_absent(row));
        let columns = Columns {
            row_word: self.row_word,
            ..*columns
        };
        let done = self.carry(Carried::Changed, columns, &mut scratch);
        if done {
            self.rows_given = now;
            self.refit_scratch.note_absent(columns.points.absent);
        }
        self.mend_scratch = scratch;
        done
    }

    /// Carries over who is listed. New records are written in the format of `columns`. If `false`, the index is not whole, and must
    /// be built: one of the rows is missing from it or cannot be indexed, or there is no room.
    pub(crate) fn carry(
        &mut self,
        who: Carried,
        columns: Columns<'_>,
        scratch: &mut MendScratch,
    ) -> bool {
        let Some(mut upkeep) = self.upkeep.take() else {
            return false;
        };
        let simd = self.simd;
        let done = if self.exact {
            self.parts::<EXACT_WORDS>(columns, &mut upkeep, scratch)
                .carry(who, simd)
        } else {
            self.parts::<COARSE_WORDS>(columns, &mut upkeep, scratch)
                .carry(who, simd)
        };
        if done.is_none() {
            return false;
        }
        self.finish_mend(&mut upkeep, scratch);
        if scratch.have_leaves_moved() {
            self.refit_scratch.restart();
        }
        self.upkeep = Some(upkeep);
        true
    }

    /// Lists the rows that come or go. Returns how many there are; `None` if they are too many.
    fn list_changes(
        &mut self,
        columns: &Columns<'_>,
        changed: impl Iterator<Item = u32>,
    ) -> Option<usize> {
        let (then, now) = (self.rows_given, columns.points.xs.len());
        let most = most_changes(then);
        if then.abs_diff(now) > most {
            return None;
        }
        let changes = &mut self.mend_scratch.changes;
        changes.clear();
        // One more than may be is enough to know that they are too many.
        if then <= MOST_SEARCHED {
            changes.extend(changed.take(most + 1));
        }
        changes.extend(then.min(now) as u32..then.max(now) as u32);
        let changed = self.refit_scratch.changed_presence(columns.points.absent);
        changes.extend(changed.take(most + 1).map(|row| row as u32));
        changes.retain(|&row| (row as usize) < then.max(now));
        changes.sort_unstable();
        changes.dedup();
        Some(changes.len()).filter(|&count| count <= most)
    }
}

impl<const WORDS: usize> Mend<'_, WORDS> {
    /// `None` if one of the rows is not in the index, or cannot be, or there is no room.
    fn carry(&mut self, who: Carried, simd: Simd) -> Option<()> {
        match who {
            Carried::Changed => self.let_in_and_go(simd),
            Carried::Strays => self.carry_strays(),
        }
    }

    fn carry_strays(&mut self) -> Option<()> {
        for at in 0..self.scratch.departures.len() {
            let departure = self.scratch.departures[at];
            let leaf = &self.leaves[leaf_of(departure)];
            let rows = (leaf.start + 2 * leaf.stride) as usize;
            let row = self
                .columns
                .row_word
                .row(self.words[rows + place_of(departure) as usize]);
            let Now::Present { place, record } = self.now(row) else {
                return None;
            };
            let changed = [leaf.place(), (place.strip, place.block())];
            self.scratch.changed.extend(changed);
            self.scratch.arrivals.push(Arrival::new(place, record));
        }
        self.scratch.changed.sort_unstable();
        self.scratch.changed.dedup();
        // One after the other: beside rows that are out of order there is no telling where others belong.
        let arrivals = mem::take(&mut self.scratch.arrivals);
        let departed = self.splice_all();
        let departures = mem::take(&mut self.scratch.departures);
        self.scratch.arrivals = arrivals;
        let arrived = departed.and_then(|()| self.splice_all());
        self.scratch.departures = departures;
        arrived
    }

    fn let_in_and_go(&mut self, simd: Simd) -> Option<()> {
        let sought = mem::take(&mut self.scratch.sought);
        self.list_departures(simd, &sought);
        let all_found = self.scratch.departures.len() == sought.len();
        self.scratch.sought = sought;
        let changes = mem::take(&mut self.scratch.changes);
        let arrive = changes.iter().try_for_each(|&row| self.list_arrival(row));
        self.scratch.changes = changes;
        arrive?;
        all_found.then_some(())?;
        self.splice_all()
    }

    /// Finds the records of rows among all.
    fn list_departures(&mut self, simd: Simd, sought: &[u32]) {
        let shift = self.columns.row_word.shift;
        let departures = &mut self.scratch.departures;
        for (leaf, at) in (0..).zip(&*self.leaves) {
            if departures.len() == sought.len() {
                return;
            }
            let start = (at.start + 2 * at.stride) as usize;
            let rows = &self.words[start..start + at.len as usize];
            simd.find_words(rows, shift, sought, &mut |place| {
                departures.push(departure(leaf, place));
            });
        }
    }

    /// Lists a row where it is now, if it is anywhere. `None` if it cannot be indexed.
    fn list_arrival(&mut self, row: u32) -> Option<()> {
        // Its class is looked up when it is read with all others.
        match self.now_in_class(row, 0) {
            Now::Present { place, record } => {
                self.scratch.arrivals.push(Arrival::new(place, record));
            }
            Now::Absent => {}
            Now::Rejected => return None,
        }
        Some(())
    }
}
