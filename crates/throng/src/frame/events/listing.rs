//! The pairs of a chunk as they are found: listed, and matched with those of the last step.

use std::ops::Range;
use std::time::Duration;

use parking_lot::MutexGuard;

use crate::broadphase::Broadphase;
use crate::frame::events::listed::ListedPairs;
use crate::frame::events::pair_slots::NO_SLOT;
use crate::frame::events::rows_then::RowsThen;
use crate::frame::events::slots_then::SlotsThen;
use crate::frame::events::unmatched_slots::UnmatchedSlots;
use crate::frame::events::unseen::{MOST_UNSEEN, MaybeInBoth};
use crate::world::category::Category;
use crate::world::ids::Row;

/// Lists the pairs of a chunk, and matches them with those of the last step.
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
    /// The same, if no pair of either list is in another chunk in either step.
    alone: Option<&'w ListedPairs>,
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
        let then = sides.map(Category::rows_then);
        let has_changes = Category::have_rows_changed(sides);
        let slots = world.slots_then();
        // Chunks are numbered anew in each step: this number may have been one of another meeting. Rows tell who is in a pair as long as
        // each holds the proxy that it held, or the last step's pairs name no others. After a sort, lists have little in common.
        let is_known = world.events.are_changes_marked() || !has_changes;
        let are_reordered = then.iter().any(|then| then.are_reordered);
        let is_like = |before: &&ListedPairs| before.categories == list.categories;
        let before = before.filter(|before| is_known && !are_reordered && is_like(before));
        let are_alone = |then: &&ListedPairs| {
            !has_changes && list.is_of_chunk(then) && sides[0].structure.has_places_as_noted()
        };
        Self {
            sides,
            then,
            has_changes,
            slots,
            before,
            alone: before.filter(are_alone),
            list,
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
    ///
    /// Tells which have begun if pairs have slots, if none can be in another chunk, or if more than a quarter were not walked: here they
    /// are still in the caches. Otherwise that waits until all pairs of the step are known.
    pub(crate) fn finish(mut self) -> Duration {
        let started = self.world.clock.now();
        self.match_pairs();
        let (list, world) = (&mut *self.list, self.world);
        let is_lost = list.pairs.len() - list.walked > list.pairs.len() / MOST_UNSEEN;
        if self.slots.is_some() {
            list.doubt_began(self.sides);
        } else if let Some(then) = self.alone {
            world.arenas.with(|arena| list.tell_both(then, arena));
            if cfg!(debug_assertions) {
                let boxes = self.then.map(|then| then.boxes.by_row());
                list.assert_began(boxes, world.simd());
            }
        } else if is_lost {
            list.tell_began(MaybeInBoth::All, self.sides, world.simd());
        }
        list.is_told = self.slots.is_some() || self.alone.is_some() || is_lost;
        self.spent.saturating_add(world.clock.since(started))
    }

    /// Matches the pairs listed since the last time with those of the last step. If pairs have slots, finds which of them have begun, and
    /// the slots of all.
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
        list.walked = self.matched + walked[0];
        let walked_then = list.walked_then..list.walked_then + walked[1];
        list.walked_then = walked_then.end;
        self.before = before.filter(|_| list.walked == list.pairs.len());
        if let Some(slots_then) = self.slots {
            let walked = before.map(|before| (before, walked_then));
            self.tell_batch(slots_then, walked);
        }
        self.matched = self.list.pairs.len();
    }

    /// Finds which pairs of a batch have begun, and the slots of those that were not matched.
    fn tell_batch(
        &mut self,
        slots_then: SlotsThen<'w>,
        walked: Option<(&'w ListedPairs, Range<usize>)>,
    ) {
        let list = &mut *self.list;
        let others = &list.pairs[list.walked..];
        let boxes = self.then.map(|then| then.boxes.by_row());
        let (simd, told) = (self.world.simd(), &mut list.told.rows);
        let first_told = told.len();
        simd.pairs_apart(&list.unmatched, boxes, told);
        let all_began = told.len() - first_told == list.unmatched.len();
        simd.pairs_apart(others, boxes, told);
        let mut unmatched_slots = UnmatchedSlots {
            slots: slots_then,
            categories: list.categories,
            sides: self.sides,
            then: self.then,
            walked,
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
        for (&pair, &slot) in list.pairs[self.matched..]
            .iter()
            .zip(&slots[self.matched..])
        {
            let looked_up = slots_then.asserted(list.categories, pair);
            assert_eq!(
                looked_up.unwrap_or(NO_SLOT),
                slot,
                "a look-up says the same"
            );
        }
    }
}
