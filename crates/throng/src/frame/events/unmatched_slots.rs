//! The slots of pairs of this step that were not walked beside those of the last one, or not seen among them.

use std::ops::Range;

use crate::broadphase::Broadphase;
use crate::frame::events::listed::ListedPairs;
use crate::frame::events::pair_slots::NO_SLOT;
use crate::frame::events::row_boxes::RowBoxes;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, Row};

/// How many pairs are looked through before and behind those that were walked with a batch.
const NEAR: usize = 64;

/// What tells the slots of such pairs.
pub(super) struct UnmatchedSlots<'m> {
    pub(super) world: &'m Broadphase,
    pub(super) categories: [CategoryId; 2],
    /// If a row may have changed: the boxes of the last step, which those that have changed are without.
    pub(super) changed: Option<[&'m RowBoxes; 2]>,
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
            nearby.or_else(|| self.world.slot_of_rows_then(self.categories, pair))
        };
        slot.unwrap_or(NO_SLOT)
    }

    /// The slot of a pair that has begun, unless one of its rows has changed: then it may go on.
    fn of_changed(&self, [a, b]: [Row; 2]) -> Option<u32> {
        let boxes = self.changed?;
        if boxes[0].has(a as usize) && boxes[1].has(b as usize) {
            return None;
        }
        let sides = (self.categories).map(|id| &self.world.categories[id.index()]);
        let ids = Category::ids_of_pair(sides, [a, b]);
        self.world.slot_of_ids_then(ids)
    }

    /// The same, if the pair has merely changed places with others nearby. Where all are found in this way, no index of all pairs has to
    /// be made; once there is one, it is faster.
    fn nearby(&self, pair: [Row; 2]) -> Option<u32> {
        let has_index = self.world.has_slot_index();
        let (list, walked) = self.walked.as_ref().filter(|_| !has_index)?;
        let first = walked.start.saturating_sub(NEAR);
        let end = (walked.end + NEAR).min(list.pairs.len());
        let mut near = list.pairs[first..end].iter();
        let place = near.position(|other| *other == pair)?;
        Some(list.slots[first + place])
    }
}
