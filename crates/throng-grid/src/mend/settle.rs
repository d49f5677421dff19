//! The first pass of a mend: movers that stay in their leaf.

use super::movers::{GROUP, Mover, Now, Origin};
use super::places::Keys;
use super::{Mend, MovedRow};
use crate::layout::Place;
use crate::leaf::Leaf;
use crate::partition::EXACT_WORDS;

/// A record that overtakes more than this many others departs and arrives, as if it came into another leaf: then all records
/// of the leaf that have to make way are moved at once.
const NEAR: usize = 64;

impl<const WORDS: usize> Mend<'_, WORDS> {
    /// Brings the records of all movers up to date that stay near in their leaf, and lists the others. `None` if one is not
    /// where it is said to come from.
    #[inline(always)]
    pub(super) fn settle_all(&mut self, moved: &[MovedRow]) -> Option<()> {
        for first in (0..moved.len()).step_by(GROUP) {
            let (group, later) = moved[first..].split_at(GROUP.min(moved.len() - first));
            let next = &later[..GROUP.min(later.len())];
            let movers = self.look_up(group, next)?;
            for (index, mover) in (first..).zip(&movers[..group.len()]) {
                if !self.settle(mover)? {
                    self.scratch.crossing.push(index as u32);
                }
            }
        }
        Some(())
    }

    /// Returns whether the mover is where it belongs now.
    #[inline(always)]
    fn settle(&mut self, mover: &Mover) -> Option<bool> {
        let Some(from) = &mover.from else {
            return Some(self.is_still_out(mover));
        };
        match &mover.now {
            Now::Present { place, record } => {
                let leaf = self.leaves[from.leaf as usize];
                if (place.strip, place.block()) != leaf.place() {
                    return Some(false);
                }
                self.move_within(from, mover.row, *place, record)
            }
            Now::Rejected => {
                self.scratch.rejected.push(mover.row);
                Some(false)
            }
            Now::Absent => Some(false),
        }
    }

    /// Whether a mover that was not in the index does not come into it either.
    fn is_still_out(&mut self, mover: &Mover) -> bool {
        self.scratch.readmitted.push(mover.row);
        match mover.now {
            Now::Present { .. } => false,
            Now::Rejected => {
                self.scratch.rejected.push(mover.row);
                true
            }
            Now::Absent => true,
        }
    }

    #[inline(always)]
    fn move_within(
        &mut self,
        from: &Origin,
        row: u32,
        place: Place,
        record: &[u32; EXACT_WORDS],
    ) -> Option<bool> {
        let leaf = self.leaves[from.leaf as usize];
        let at = self.find(&leaf, from, row)?;
        let keys = Keys::new(self.words, &leaf, &self.layout, self.columns.row_word);
        let mut to = at;
        if place.column != from.place.column {
            let rank = keys.rank_around::<{ NEAR / 2 }>((place.column, row), at);
            to = rank - usize::from(rank > at);
            if to.abs_diff(at) > NEAR {
                return Some(false);
            }
        }
        let columns = leaf.columns_mut::<WORDS>(self.words);
        for (column, &value) in columns.into_iter().zip(record) {
            if at < to {
                column.copy_within(at + 1..to + 1, at);
            } else if to < at {
                column.copy_within(to..at, to + 1);
            }
            column[to] = value;
        }
        self.note_gone(from);
        let center = [record[0], record[1]].map(f32::from_bits);
        self.leaves[from.leaf as usize].bounds.include(center);
        self.note_come(place, center);
        Some(true)
    }

    /// Where in its leaf the record of a row is.
    #[inline(always)]
    pub(super) fn find(&self, leaf: &Leaf, from: &Origin, row: u32) -> Option<usize> {
        let keys = Keys::new(self.words, leaf, &self.layout, self.columns.row_word);
        let at = keys.find(row, from.place.column, from.guess)?;
        let y = self.words[(leaf.start + leaf.stride) as usize + at];
        ([keys.xs[at], f32::from_bits(y)] == from.center).then_some(at)
    }

    /// Notes that a center is no longer where it was.
    #[inline(always)]
    pub(super) fn note_gone(&mut self, from: &Origin) {
        let (bounds, [x, y]) = (&self.leaves[from.leaf as usize].bounds, from.center);
        let sides = [
            (x, bounds.min[0]),
            (x, bounds.max[0]),
            (y, bounds.min[1]),
            (y, bounds.max[1]),
        ];
        if sides
            .iter()
            .fold(false, |any, (center, side)| any | (center == side))
        {
            if self.scratch.loose.last() != Some(&from.leaf) {
                self.scratch.loose.push(from.leaf);
            }
            self.scratch.gone.include([x, y]);
        }
        let outside = usize::from(from.place.is_outside());
        // It can only be more than there are if a row was listed twice, which is noticed later.
        self.upkeep.outside = self.upkeep.outside.saturating_sub(outside);
    }

    /// Notes that a center is somewhere now.
    #[inline(always)]
    pub(super) fn note_come(&mut self, place: Place, center: [f32; 2]) {
        self.scratch.come.include(center);
        self.upkeep.outside += usize::from(place.is_outside());
    }
}
