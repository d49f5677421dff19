//! The slots of pairs of this step that were not walked beside those of the last one, or not seen among them.

use std::ops::Range;

use crate::broadphase::Broadphase;
use crate::frame::events::listed::ListedPairs;
use crate::frame::events::pair_slots::NO_SLOT;
use crate::world::ids::{CategoryId, Row};

/// How many pairs are looked through before and behind those that were walked with a batch.
const NEAR: usize = 64;

/// What tells the slots of such pairs.
pub(super) struct UnmatchedSlots<'m> {
    pub(super) world: &'m Broadphase,
    pub(super) categories: [CategoryId; 2],
    /// Whether any row may hold another proxy than in the last step.
    pub(super) is_other: bool,
    /// The list of the last step, and which part of it was walked beside a batch of pairs of this one.
    pub(super) walked: Option<(&'m ListedPairs, Range<usize>)>,
    /// Those of the pairs that have begun, in order, as far as that is known.
    pub(super) began: &'m [[Row; 2]],
}

impl UnmatchedSlots<'_> {
    /// The slot that a pair had in the last step; [`NO_SLOT`] if it has begun. To be asked in the order of pairs.
    pub(super) fn next(&mut self, pair: [Row; 2]) -> u32 {
        if self.began.first() == Some(&pair) {
            self.began = &self.began[1..];
            return NO_SLOT;
        }
        let slot = if self.is_other {
            self.world.slot_then(self.categories, pair)
        } else {
            let nearby = self.nearby(pair);
            nearby.or_else(|| self.world.slot_of_same_rows(self.categories, pair))
        };
        slot.unwrap_or(NO_SLOT)
    }

    /// The same, if the pair has merely changed places with others, and no index of all pairs has been made. Where few are asked
    /// for, none need be.
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
