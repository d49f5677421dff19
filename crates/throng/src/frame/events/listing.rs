//! The pairs of a chunk as they are found: listed, and matched with those of the last step.

use std::time::Duration;

use parking_lot::MutexGuard;

use crate::broadphase::Broadphase;
use crate::frame::events::event::PairEvent;
use crate::frame::events::listed::ListedPairs;
use crate::frame::events::pair_slots::NO_SLOT;
use crate::frame::events::rows_then::{RowsThen, are_unchanged};
use crate::frame::events::slots_then::SlotsThen;
use crate::frame::events::unmatched_slots::UnmatchedSlots;
use crate::world::category::Category;
use crate::world::ids::Row;

/// Lists the pairs of a chunk, and finds which of them have begun.
///
/// If pairs have no slots, that is done for all of a chunk at once; otherwise batch by batch, for the narrowphase to be told.
pub(crate) struct Listing<'w> {
    list: MutexGuard<'w, ListedPairs>,
    sides: [&'w Category; 2],
    then: [&'w RowsThen; 2],
    /// Whether any row may hold another proxy than in the last step.
    has_changes: bool,
    /// The slots of the last step's pairs, if pairs have slots.
    slots: Option<SlotsThen<'w>>,
    /// What the last step listed for the same chunk, if there is something to match with, and as long as enough has matched.
    before: Option<&'w ListedPairs>,
    /// How many pairs of this step have been matched.
    matched: usize,
    /// How long that took, while pairs were still being found.
    spent: Duration,
    world: &'w Broadphase,
}

impl<'w> Listing<'w> {
    /// For the empty list of a chunk. `before` is what the last step listed for a chunk of the same number, if it had so many.
    pub(crate) fn new(
        list: MutexGuard<'w, ListedPairs>,
        before: Option<&'w ListedPairs>,
        world: &'w Broadphase,
    ) -> Self {
        let sides = list.categories.map(|id| &world.categories[id.index()]);
        let then = sides.map(|side| side.then.as_deref().expect("its pairs are listed"));
        let mut both = sides.iter().zip(then);
        let has_changes = both.any(|(side, then)| then.has_changes(side.len()));
        let slots = world.slots_then();
        // Chunks are numbered anew in each step: this number may have been one of another meeting. Rows tell who is in a pair as long as
        // each holds the proxy that it held, or the last step's pairs name no others. After a sort, lists have little in common.
        let is_known = world.events.are_changes_marked() || !has_changes;
        let are_reordered = then.iter().any(|then| then.are_reordered);
        let is_like = |before: &&ListedPairs| before.categories == list.categories;
        let before = before.filter(is_like);
        Self {
            list,
            sides,
            then,
            has_changes,
            slots,
            before: before.filter(|_| is_known && !are_reordered),
            matched: 0,
            spent: Duration::ZERO,
            world,
        }
    }

    /// Lists some more pairs. Returns the slot of each, if pairs have slots; [`NO_SLOT`] for those that have begun.
    pub(crate) fn add(&mut self, pairs: &[[Row; 2]]) -> Option<&[u32]> {
        self.list.pairs.extend_from_slice(pairs);
        self.slots?;
        let (first, started) = (self.matched, self.world.clock.now());
        self.match_pairs();
        self.spent = self.spent.saturating_add(self.world.clock.since(started));
        Some(&self.list.slots[first..])
    }

    /// How long it took to match pairs while they were listed.
    pub(crate) fn spent(&self) -> Duration {
        self.spent
    }

    /// To be called when all pairs are listed. Returns how long it took to match them, all together.
    pub(crate) fn finish(mut self) -> Duration {
        let started = self.world.clock.now();
        self.match_pairs();
        let (ids, sides, then) = (self.list.categories, self.sides, self.then);
        if self.has_changes {
            self.list.told.doubt(|pair| {
                let has_changed = !are_unchanged(then, pair);
                has_changed.then(|| PairEvent::now(ids, pair, sides))
            });
        }
        self.spent.saturating_add(self.world.clock.since(started))
    }

    /// Finds which of the pairs listed since the last time have begun, and the slots of all.
    fn match_pairs(&mut self) {
        let list = &mut *self.list;
        let pairs = &list.pairs[self.matched..];
        let unmatched = [&mut list.unmatched, &mut list.unmatched_then];
        unmatched[0].clear();
        let before = self.before;
        let simd = self.world.simd();
        let walked = match before {
            None => [0, 0],
            Some(before) => {
                let lists = [pairs, &before.pairs[list.walked_then..]];
                if self.slots.is_some() {
                    let slots_then = &before.slots[list.walked_then..];
                    let slots = &mut list.slots;
                    simd.unmatched_pairs_and_values(lists, unmatched, slots_then, NO_SLOT, slots)
                } else {
                    simd.unmatched_pairs(lists, unmatched)
                }
            }
        };
        let others = &pairs[walked[0]..];
        let walked_then = list.walked_then..list.walked_then + walked[1];
        list.walked_then = walked_then.end;
        self.before = before.filter(|_| others.is_empty());
        let told = &mut list.told.rows;
        let first_told = told.len();
        let boxes = self.then.map(|then| then.boxes.by_row());
        simd.pairs_apart(&list.unmatched, boxes, told);
        let all_began = told.len() - first_told == list.unmatched.len();
        simd.pairs_apart(others, boxes, told);
        if let Some(slots_then) = self.slots {
            let mut unmatched_slots = UnmatchedSlots {
                slots: slots_then,
                categories: list.categories,
                sides: self.sides,
                then: self.then,
                walked: before.map(|before| (before, walked_then)),
                told: &told[first_told..],
            };
            let slots = &mut list.slots;
            if all_began && !self.has_changes {
                unmatched_slots.told = &unmatched_slots.told[list.unmatched.len()..];
            } else {
                let mut without = slots[self.matched..]
                    .iter_mut()
                    .filter(|slot| **slot == NO_SLOT);
                for (&pair, slot) in list.unmatched.iter().zip(&mut without) {
                    *slot = unmatched_slots.slot_of(pair);
                }
            }
            slots.extend(others.iter().map(|&pair| unmatched_slots.slot_of(pair)));
            #[cfg(debug_assertions)]
            for (&pair, &slot) in pairs.iter().zip(&slots[self.matched..]) {
                let looked_up = slots_then.asserted(list.categories, pair);
                assert_eq!(
                    looked_up.unwrap_or(NO_SLOT),
                    slot,
                    "a look-up says the same"
                );
            }
        }
        self.matched += pairs.len();
    }
}
