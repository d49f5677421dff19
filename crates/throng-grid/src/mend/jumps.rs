//! Before a refit: the few rows that are somewhere else altogether, have come or have gone, are carried over.
//!
//! A refit reads each row anew where it is, so a row that holds another thing than before would be far from its leaf. In a game a
//! few come and go in most frames; without this, each of them would cost a build. Nothing tells where in the index such a row is, so
//! all records are compared with the rows sought. For each row sought that takes as long as to build an index of a few hundred rows.
//! (To look each record up in a set took as long as to read all rows anew.)

use super::scratch::Arrival;
use super::{Columns, Mend};
use crate::PointGrid;
use crate::partition::{COARSE_WORDS, EXACT_WORDS};
use throng_core::Simd;

/// No more rows than this are carried over.
const MOST_JUMPS: usize = 64;
/// To carry one row over takes as long as to build an index of this many rows.
const ROWS_PER_JUMP: usize = 256;
/// So many may be carried over in any case: even a build of no rows takes as long.
const FEW_JUMPS: usize = 2;

/// How many of so many rows are carried over at most.
pub(crate) fn most_jumps(rows: usize) -> usize {
    MOST_JUMPS.min(rows / ROWS_PER_JUMP + FEW_JUMPS)
}

impl PointGrid {
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
        let (then, now) = (self.rows_given, columns.points.xs.len());
        let absent = columns.points.absent;
        let most = most_jumps(then);
        let changed = self.refit_scratch.changed_presence(absent);
        let changed = changed.take(most + 1);
        // Records keep their format until the refit; its row bits may be too few for the highest row.
        let is_named = (now as u64) << self.row_word.shift <= 1 << u32::BITS;
        if then.abs_diff(now) > most || !is_named {
            return false;
        }
        let mut jumps = std::mem::take(&mut self.mend_scratch.jumps);
        jumps.clear();
        // One more than may be is enough to know that they are too many.
        jumps.extend(jumped.take(most + 1));
        let are_said_many = jumps.len() > most;
        jumps.extend(then.min(now) as u32..then.max(now) as u32);
        jumps.extend(changed.map(|row| row as u32));
        jumps.retain(|&row| (row as usize) < then.max(now));
        jumps.sort_unstable();
        jumps.dedup();
        let count = jumps.len();
        self.mend_scratch.jumps = jumps;
        if are_said_many || count == 0 || count > most {
            return count == 0 && !are_said_many;
        }
        let Some(mut upkeep) = self.upkeep.take() else {
            return false;
        };
        let mut scratch = std::mem::take(&mut self.mend_scratch);
        scratch.clear();
        scratch.list_sought(|row| row < then && !self.refit_scratch.was_absent(row));
        let said = self.row_word;
        let columns = Columns {
            row_word: said,
            ..*columns
        };
        let done = if self.exact {
            self.jump::<EXACT_WORDS>(columns, &mut upkeep, &mut scratch)
        } else {
            self.jump::<COARSE_WORDS>(columns, &mut upkeep, &mut scratch)
        };
        if done {
            self.finish_mend(&mut upkeep, &mut scratch);
            self.rows_given = now;
            self.refit_scratch.note_absent(absent);
            if scratch.have_leaves_moved() {
                self.refit_scratch.restart();
            }
            self.upkeep = Some(upkeep);
        }
        self.mend_scratch = scratch;
        done
    }

    fn jump<const WORDS: usize>(
        &mut self,
        columns: Columns<'_>,
        upkeep: &mut super::Upkeep,
        scratch: &mut super::MendScratch,
    ) -> bool {
        let simd = self.simd;
        let mut mend = Mend::<WORDS> {
            columns,
            layout: self.layout,
            strips: &self.strips,
            leaves: &mut self.leaves,
            pieces: &mut self.pieces,
            words: self.buckets.words_mut(),
            upkeep,
            scratch,
        };
        mend.run_jumps(simd).is_some()
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
        self.scratch.departures.sort_unstable();
        self.scratch.arrivals.sort_unstable_by_key(Arrival::order);
        let is_room = self.scratch.arrivals.len() <= self.upkeep.arrivals_left;
        (all_found && is_room).then_some(())?;
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
        let (at, points) = (row as usize, &self.columns.points);
        if at >= points.xs.len() || !points.is_present(at) {
            return Some(());
        }
        points.is_sound(at, self.columns.bound).then_some(())?;
        let [x, y] = [points.xs[at], points.ys[at]];
        let place = self.layout.place(x, y);
        let own = points.half_extents.map_or([0.0; 2], |own| own[at]);
        let [x, y, width, height] = [x, y, own[0], own[1]].map(f32::to_bits);
        // Its class is looked up when it is read with all others.
        let word = self.columns.row_word.word(row, 0);
        let arrival = Arrival::new(place, [x, y, word, width, height]);
        self.scratch.arrivals.push(arrival);
        Some(())
    }
}
