//! The pairs of a chunk as they are found: listed, and matched with those of the last step.

use std::time::Duration;

use parking_lot::MutexGuard;

use crate::broadphase::Broadphase;
use crate::frame::events::event::PairEvent;
use crate::frame::events::listed::ListedPairs;
use crate::frame::events::pair_slots::NO_SLOT;
use crate::frame::events::rows_then::RowsThen;
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
    is_other: bool,
    has_slots: bool,
    /// What the last step listed for the same chunk, if there is something to match with.
    before: Option<&'w ListedPairs>,
    /// Whether the walk has come to where too little matches for it to go on.
    is_lost: bool,
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
        let is_other = both.any(|(side, then)| then.is_other(side.len()));
        let has_slots = world.events.slots.is_some();
        // Chunks are numbered anew in each step: this number may have been one of another meeting. Rows tell who is in a pair as long as
        // each holds the proxy that it held, or the last step's pairs name no others. After a sort, lists have little in common.
        let is_known = has_slots || !is_other;
        let are_reordered = then.iter().any(|then| then.are_reordered);
        let is_like = |before: &&ListedPairs| before.categories == list.categories;
        let before = before.filter(is_like);
        let before = before.filter(|_| is_known && !are_reordered);
        Self {
            list,
            sides,
            then,
            is_other,
            has_slots,
            before,
            is_lost: false,
            matched: 0,
            spent: Duration::ZERO,
            world,
        }
    }

    /// Lists some more pairs. Returns the slot of each, if pairs have slots; [`NO_SLOT`] for those that have begun.
    pub(crate) fn add(&mut self, pairs: &[[Row; 2]]) -> Option<&[u32]> {
        self.list.pairs.extend_from_slice(pairs);
        if !self.has_slots {
            return None;
        }
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
        if self.is_other {
            self.list.told.doubt(|pair| {
                let [a, b] = pair.map(|row| row as usize);
                let is_sure = then[0].boxes.has(a) && then[1].boxes.has(b);
                (!is_sure).then(|| PairEvent::now(ids, pair, sides))
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
        let before = self.before.filter(|_| !self.is_lost);
        let simd = self.world.simd();
        let walked = match before {
            None => [0, 0],
            Some(before) => {
                let lists = [pairs, &before.pairs[list.walked_then..]];
                if self.has_slots {
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
        self.is_lost = !others.is_empty();
        let told = &mut list.told.rows;
        let first_told = told.len();
        let boxes = self.then.map(|then| then.boxes.by_row());
        simd.pairs_apart(&list.unmatched, boxes, told);
        let all_began = told.len() - first_told == list.unmatched.len();
        simd.pairs_apart(others, boxes, told);
        if self.has_slots {
            let mut unmatched_slots = UnmatchedSlots {
                world: self.world,
                categories: list.categories,
                changed: self.is_other.then(|| self.then.map(|then| &then.boxes)),
                walked: before.map(|before| (before, walked_then)),
                told: &told[first_told..],
            };
            let slots = &mut list.slots;
            if all_began && !self.is_other {
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
                let looked_up = self.world.asserted_slot_then(list.categories, pair);
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
