//! Before a refit: the few rows that are somewhere else altogether, have come or have gone, are carried over.
//!
//! A refit reads each row anew where it is, so a row that holds another thing than before would be far from its leaf. In a game a
//! few come and go in most frames; without this, each of them would cost a build. Nothing tells where in the index such a row is, so
//! all records are compared with the rows sought. For each row sought that takes as long as to build an index of a few hundred rows.
//! (To look each record up in a set took as long as to read all rows anew.)

use super::movers::Now;
use super::scratch::Arrival;
use super::{Columns, Mend};
use crate::PointGrid;
use crate::partition::{COARSE_WORDS, EXACT_WORDS};
use throng_core::Simd;

/// To carry one row over takes as long as to build an index of this many rows.
const ROWS_PER_JUMP: usize = 256;
/// So many may be carried over in any case: even a build of no rows takes as long.
const FEW_JUMPS: usize = 2;

/// How many of so many rows are carried over at most.
fn most_jumps(rows: usize) -> usize {
    PointGrid::MOST_JUMPS.min(rows / ROWS_PER_JUMP + FEW_JUMPS)
}

impl PointGrid {
    /// No more rows than this are carried over in a [refit](Self::refit_with_jumps), however many there are.
    pub const MOST_JUMPS: usize = 64;

    /// Carries over the rows that have `jumped`, those by which the columns are longer or shorter than before, and those that have
    /// become absent or present. All other records, and what is measured of how far rows have drifted, stay as they are, so a refit
    /// must follow. New records are written in the format that the index has now (`self.row_word`).
    ///
    /// If `false`, the index must be built. That is so if too many rows are to be carried over, or if one of them is missing from the
    /// index or cannot be put into it.
    pub(crate) fn carry_over(
        &mut self,
        columns: &Columns<'_>,
        jumped: impl Iterator<Item = u32>,
    ) -> bool {
        match self.list_jumps(columns, jumped) {
            None => return false,
            Some(0) => return true,
            Some(_) => {}
        }
        let (then, now) = (self.rows_given, columns.points.xs.len());
        // Records keep their format until the refit; its row bits may be too few for the highest row.
        if (now as u64) << self.row_word.shift > 1 << u32::BITS {
            return false;
        }
        let Some(mut upkeep) = self.upkeep.take() else {
            return false;
        };
        let mut scratch = std::mem::take(&mut self.mend_scratch);
        scratch.clear();
        scratch.list_sought(|row| row < then && !self.refit_scratch.was_absent(row));
        let simd = self.simd;
        let columns = Columns {
            row_word: self.row_word,
            ..*columns
        };
        let done = if self.exact {
            self.parts::<EXACT_WORDS>(columns, &mut upkeep, &mut scratch)
                .run_jumps(simd)
        } else {
            self.parts::<COARSE_WORDS>(columns, &mut upkeep, &mut scratch)
                .run_jumps(simd)
        };
        let done = done.is_some();
        if done {
            self.finish_mend(&mut upkeep, &mut scratch);
            self.rows_given = now;
            self.refit_scratch.note_absent(columns.points.absent);
            if scratch.have_leaves_moved() {
                self.refit_scratch.restart();
            }
            self.upkeep = Some(upkeep);
        }
        self.mend_scratch = scratch;
        done
    }

    /// Lists the rows that are to be carried over. Returns how many there are; `None` if they are too many.
    fn list_jumps(
        &mut self,
        columns: &Columns<'_>,
        jumped: impl Iterator<Item = u32>,
    ) -> Option<usize> {
        let (then, now) = (self.rows_given, columns.points.xs.len());
        let most = most_jumps(then);
        if then.abs_diff(now) > most {
            return None;
        }
        let jumps = &mut self.mend_scratch.jumps;
        jumps.clear();
        // One more than may be is enough to know that they are too many.
        jumps.extend(jumped.take(most + 1));
        if jumps.len() > most {
            return None;
        }
        jumps.extend(then.min(now) as u32..then.max(now) as u32);
        let changed = self.refit_scratch.changed_presence(columns.points.absent);
        jumps.extend(changed.take(most + 1).map(|row| row as u32));
        jumps.retain(|&row| (row as usize) < then.max(now));
        jumps.sort_unstable();
        jumps.dedup();
        Some(jumps.len()).filter(|&count| count <= most)
    }
}

impl<const WORDS: usize> Mend<'_, WORDS> {
    /// `None` if one of the rows is not in the index, or cannot be, or there is no room.
    fn run_jumps(&mut self, simd: Simd) -> Option<()> {
        let sought = std::mem::take(&mut self.scratch.sought);
        self.list_departures(simd, &sought);
        let all_found = self.scratch.departures.len() == sought.len();
        self.scratch.sought = sought;
        let jumps = std::mem::take(&mut self.scratch.jumps);
        let arrive = jumps.iter().try_for_each(|&row| self.list_arrival(row));
        self.scratch.jumps = jumps;
        arrive?;
        all_found.then_some(())?;
        self.splice_all()
    }

    /// Finds the records of rows among all.
    fn list_departures(&mut self, simd: Simd, sought: &[u32]) {
        let shift = self.columns.row_word.shift;
        let departures = &mut self.scratch.departures;
        for (leaf, at) in (0_u64..).zip(&*self.leaves) {
            if departures.len() == sought.len() {
                return;
            }
            let start = (at.start + 2 * at.stride) as usize;
            let rows = &self.words[start..start + at.len as usize];
            simd.find_words(rows, shift, sought, &mut |place| {
                departures.push(leaf << 32 | place as u64);
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
