//! The slots of pairs of this step that were not walked beside those of the last one, or not seen among them.

use std::ops::Range;

use crate::frame::events::listed::ListedPairs;
use crate::frame::events::pair_slots::NO_SLOT;
use crate::frame::events::rows_then::{RowsThen, are_unchanged};
use crate::frame::events::slots_then::SlotsThen;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, Row};

/// How many pairs are looked through before and behind those that were walked with a batch.
const NEAR: usize = 64;

/// What tells the slots of such pairs.
pub(super) struct UnmatchedSlots<'m> {
    pub(super) slots: SlotsThen<'m>,
    pub(super) categories: [CategoryId; 2],
    pub(super) sides: [&'m Category; 2],
    pub(super) then: [&'m RowsThen; 2],
    /// The list of the last step, and which part of it was walked beside a batch of pairs of this one.
    pub(super) walked: Option<(&'m ListedPairs, Range<usize>)>,
    /// Those of the pairs that have begun, or have a row that has changed; in order.
    pub(super) told: &'m [[Row; 2]],
}

impl UnmatchedSlots<'_> {
    /// The slot that a pair had in the last step; [`NO_SLOT`] if it has begun. To be asked in the order of pairs.
    pub(super) fn slot_of(&mut self, pair: [Row; 2]) -> u32 {
        let is_told = self.told.first() == Some(&pair);
        self.told = &self.told[usize::from(is_told)..];
        let slot = if is_told {
            self.of_changed(pair)
        } else {
            let nearby = self.nearby(pair);
            nearby.or_else(|| self.slots.of_rows(self.categories, pair))
        };
        slot.unwrap_or(NO_SLOT)
    }

    /// The slot of a pair that has begun, unless one of its rows has changed: then it may go on.
    fn of_changed(&self, pair: [Row; 2]) -> Option<u32> {
        if are_unchanged(self.then, pair) {
            return None;
        }
        self.slots.of_ids(Category::ids_of_pair(self.sides, pair))
    }

    /// The same, if the pair has merely changed places with others nearby. Where all are found in this way, no index of all pairs has to
    /// be made; once there is one, it is faster.
    fn nearby(&self, pair: [Row; 2]) -> Option<u32> {
        let (list, walked) = self.walked.as_ref().filter(|_| !self.slots.has_index())?;
        let first = walked.start.saturating_sub(NEAR);
        let end = (walked.end + NEAR).min(list.pairs.len());
        let mut near = list.pairs[first..end].iter();
        let place = near.position(|other| *other == pair)?;
        Some(list.slots[first + place])
    }
}
