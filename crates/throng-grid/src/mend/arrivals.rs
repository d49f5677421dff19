//! The second pass of a mend: who leaves which leaf, and who comes into which.

use super::movers::{GROUP, Mover, Now};
use super::scratch::Arrival;
use super::splice::departure;
use super::{Mend, MovedRow};
use crate::layout::{COLUMN_BITS, Place};
use crate::partition::EXACT_WORDS;

impl<const WORDS: usize> Mend<'_, WORDS> {
    /// Lists departures and arrivals. `None` if a mover is not where it is said to come from.
    #[inline(always)]
    pub(super) fn notice_all(&mut self, moved: &[MovedRow]) -> Option<()> {
        for first in (0..self.scratch.crossing.len()).step_by(GROUP) {
            let crossing = &self.scratch.crossing[first..];
            let group = &crossing[..GROUP.min(crossing.len())];
            let mut movers = [MovedRow { row: 0, from: None }; GROUP];
            for (mover, &index) in movers.iter_mut().zip(group) {
                *mover = moved[index as usize];
            }
            let count = group.len();
            // Their columns were read a moment ago.
            for mover in &self.look_up(&movers[..count], &[])?[..count] {
                self.notice(mover)?;
            }
        }
        Some(())
    }

    #[inline(always)]
    fn notice(&mut self, mover: &Mover) -> Option<()> {
        if let Some(from) = &mover.from {
            let leaf = self.leaves[from.leaf as usize];
            let at = self.find(&leaf, from, mover.row)?;
            self.scratch.departures.push(departure(from.leaf, at));
            self.note_gone(from);
        }
        if let Now::Present { place, record } = mover.now {
            self.scratch.arrivals.push(Arrival::new(place, record));
        }
        Some(())
    }
}

impl Arrival {
    pub(super) fn new(place: Place, record: [u32; EXACT_WORDS]) -> Self {
        let ascending = |cell: i32| u64::from(cell as u32 ^ 1 << 31);
        Self {
            key: ascending(place.strip) << 32 | ascending(place.column),
            at: 0,
            record,
        }
    }

    /// The order of records.
    pub(super) fn order(&self) -> (u64, u32) {
        (self.key, self.word())
    }

    pub(super) fn word(&self) -> u32 {
        self.record[2]
    }

    pub(super) fn center(&self) -> [f32; 2] {
        [self.record[0], self.record[1]].map(f32::from_bits)
    }

    pub(super) fn place(&self) -> Place {
        let cell = |half: u64| half as u32 as i32 ^ i32::MIN;
        Place {
            strip: cell(self.key >> 32),
            column: cell(self.key),
        }
    }

    /// Whether two belong into one leaf.
    pub(super) fn shares_leaf(&self, other: &Self) -> bool {
        self.key >> COLUMN_BITS == other.key >> COLUMN_BITS
    }
}
