//! Who wakes before a step or refresh, and who comes to rest with it.

use std::collections::HashSet;
use std::ops::ControlFlow;

use throng_core::Aabb;

use crate::broadphase::Broadphase;
use crate::frame::events::pair_slots::{PairKey, key};
use crate::frame::resting::Rest;
use crate::frame::resting::pairs::RestingPair;
use crate::frame::resting::stillness::{DUE, MOVED, RESTING};
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId, Row};

/// If scenery has changed in more places than this, those are woken who are in the box around all, rather than in one of them.
const MOST_PLACES: usize = 4096;

/// When rest is brought up to date.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RestUpdate {
    /// At the beginning of a step, which counts.
    Step,
    /// In between: who has moved is woken, and nobody comes to rest.
    Refresh,
}

impl Broadphase {
    /// Finds out who has moved, and who rests. To be called after queued commands have run, and before indices are built. O(rows)
    /// of categories that rest, a byte each; and again if whole columns of theirs were written.
    pub(crate) fn update_rest(&mut self, update: RestUpdate) {
        if self
            .categories
            .iter()
            .all(|category| category.stillness.is_none())
        {
            return;
        }
        self.take_back_unfinished();
        let moved = match update {
            RestUpdate::Step => MOVED,
            RestUpdate::Refresh => 0,
        };
        let changed_anywhere = self.find_those_near_new_scenery();
        self.begin_to_wake();
        // Before the count, in which those that were told to rest are not told from others any more.
        for scenery in changed_anywhere {
            for beside in self.those_beside(scenery) {
                self.wake_rows(beside, Category::wake_all);
            }
        }
        if update == RestUpdate::Step {
            let is_settled = self.rest.is_settled;
            for category in &mut self.categories {
                category.count_still_step(is_settled, &mut |id| self.rest.changes.note_at_rest(id));
            }
        }
        self.wake_those_woken();
        self.wake_those_moved(moved);
        if update == RestUpdate::Step {
            self.rest.settle(&self.categories, &self.pool);
            self.events
                .pairs_settled(&self.rest.settling, &self.categories, &self.pool);
        }
        for index in 0..self.categories.len() {
            self.categories[index].count_resting();
        }
    }

    /// If the last step panicked, the pairs that it added to those that rest are taken out again, and both proxies of each are due again,
    /// also one that rested before. The last step that finished reported these pairs itself, so they are not noted as having woken.
    /// Other resting pairs of these proxies are taken out and noted.
    fn take_back_unfinished(&mut self) {
        if !std::mem::take(&mut self.rest.is_unfinished) {
            return;
        }
        for category in &mut self.categories {
            if let Some(stillness) = &category.stillness {
                stillness.untick(&mut category.columns);
            }
        }
        let settled = std::mem::take(&mut self.rest.settling);
        let settled_pairs: HashSet<PairKey> = settled.iter().map(|pair| key(pair.ids)).collect();
        let mut slots = Vec::new();
        let sides = |pair: &RestingPair| pair.ids.into_iter().zip(pair.categories);
        for (id, settled_in) in settled.iter().flat_map(sides) {
            // Scenery always rests, and keeps its pairs with others that still rest. One that has become scenery since then does
            // not keep them.
            if self.categories[settled_in.index()].structure.is_scenery() {
                continue;
            }
            if let Some(slot) = self.pool.get(id.0) {
                let category = &mut self.categories[slot.category_index()];
                if category.columns.still.get(slot.row_index()) == RESTING {
                    category.set_awake(slot.row_index(), DUE);
                    self.rest.changes.note_awake(id);
                }
            }
            slots.push(id.index());
        }
        let (events, categories, pool) = (&mut self.events, &self.categories, &self.pool);
        self.rest.pairs.take_out_of_each(&slots, |pair| {
            if settled_pairs.contains(&key(pair.ids)) {
                events.pair_unsettled(&pair);
            } else {
                events.pair_woke(&pair, categories, pool);
            }
        });
    }

    /// Takes all pairs of two that rest out of their list. They are found again in the next step, in which nobody rests. Whoever
    /// was told to rest since the last one still comes to rest with it.
    pub(crate) fn wake_everybody(&mut self) {
        self.take_back_unfinished();
        let (events, categories, pool) = (&mut self.events, &self.categories, &self.pool);
        self.rest
            .pairs
            .take_out_all(|pair| events.pair_woke(&pair, categories, pool));
        self.rest.settling.clear();
        let rests = self.categories.iter();
        let rests = rests.filter_map(|of| of.stillness.as_deref());
        // Some may be in another category by now.
        let woken = rests.flat_map(|stillness| &stillness.woken);
        self.rest.changes.note_all_awake(woken, &self.pool);
        for index in 0..self.categories.len() {
            self.wake_rows(index, Category::wake_all);
            self.categories[index].count_resting();
        }
    }

    /// Lists those for which something other than their center has changed, and lets them count as new, unless they were told
    /// to rest.
    fn begin_to_wake(&mut self) {
        let woken = &mut self.rest.woken;
        for stillness in self
            .categories
            .iter_mut()
            .filter_map(|category| category.stillness.as_mut())
        {
            woken.append(&mut stillness.woken);
        }
        for id in &*woken {
            if let Some(slot) = self.pool.get(id.0) {
                self.categories[slot.category_index()].count_as_new(slot.row_index());
            }
        }
        // These have not moved.
        for id in self.rest.touched.drain(..) {
            if let Some(slot) = self.pool.get(id.0) {
                let category = &mut self.categories[slot.category_index()];
                if category.columns.still.get(slot.row_index()) >= DUE {
                    category.set_awake(slot.row_index(), MOVED);
                    woken.push(id);
                }
            }
        }
    }

    /// Takes out the pairs of those who were listed as woken.
    fn wake_those_woken(&mut self) {
        let mut slots = std::mem::take(&mut self.rest.waking);
        slots.clear();
        let Rest { changes, woken, .. } = &mut self.rest;
        changes.note_all_awake(woken.iter(), &self.pool);
        slots.extend(woken.drain(..).map(|id| id.index()));
        self.take_out_pairs_of(&slots);
        self.rest.waking = slots;
    }

    /// Takes out the pairs of those who have or had these slots; from here on they are looked for again.
    fn take_out_pairs_of(&mut self, slots: &[u32]) {
        let (events, categories, pool) = (&mut self.events, &self.categories, &self.pool);
        let pairs = &mut self.rest.pairs;
        pairs.take_out_of_each(slots, |pair| events.pair_woke(&pair, categories, pool));
    }

    /// Lists as woken whoever is near scenery that has changed. Returns the categories of scenery that have changed in unknown places:
    /// everybody who meets these is to wake.
    fn find_those_near_new_scenery(&mut self) -> Vec<usize> {
        let mut changed_anywhere = Vec::new();
        let mut places = std::mem::take(&mut self.rest.places);
        for scenery in 0..self.categories.len() {
            if !self.categories[scenery].is_changed_scenery() {
                continue;
            }
            let beside = self.those_beside(scenery);
            if beside.is_empty() {
                continue;
            }
            places.clear();
            let mut are_found = self.categories[scenery].take_places_of_scenery(&mut places);
            if places.len() > MOST_PLACES {
                let all = places
                    .iter()
                    .copied()
                    .reduce(|all, place| all.union(&place));
                places.clear();
                places.extend(all);
            }
            for resting in beside {
                are_found = are_found && self.find_those_at(&places, resting);
            }
            if !are_found {
                changed_anywhere.push(scenery);
            }
        }
        self.rest.places = places;
        changed_anywhere
    }

    /// Lists as woken those of a category that are at some places, as of the last index. Returns whether that was possible.
    fn find_those_at(&mut self, places: &[Aabb], resting: usize) -> bool {
        let indexed = &self.categories[resting];
        let stillness = indexed.stillness.as_deref();
        if !stillness.is_some_and(|stillness| stillness.changes.are_all_known()) {
            return false;
        }
        let woken = &mut self.rest.woken;
        for place in places {
            for (_, structure) in indexed.parts() {
                let every: ControlFlow<()> = structure.query_aabb(place, |found| {
                    let noted = indexed.journal.occupant(found.row);
                    woken.push(noted.unwrap_or_else(|| indexed.id_in_row(found.row as usize)));
                    ControlFlow::Continue(())
                });
                debug_assert!(every.is_continue());
            }
        }
        true
    }

    /// The categories with rows that rest that meet a category of scenery.
    fn those_beside(&self, scenery: usize) -> Vec<usize> {
        let meets = |&index: &usize| {
            let ids = [index, scenery].map(CategoryId::from_index);
            self.categories[index].stillness.is_some() && self.meetings.meets(ids[0], ids[1])
        };
        (0..self.categories.len()).filter(meets).collect()
    }

    /// Wakes those rows of a category that `find` passes to the function that it is given.
    fn wake_rows(&mut self, index: usize, find: impl FnOnce(&mut Category, &mut dyn FnMut(Row))) {
        let mut rows = std::mem::take(&mut self.rest.waking_rows);
        rows.clear();
        find(&mut self.categories[index], &mut |row| rows.push(row));
        let mut slots = std::mem::take(&mut self.rest.waking);
        slots.clear();
        let ids = &self.categories[index].columns.ids;
        for row in &rows {
            let id = ProxyId(ids[*row as usize]);
            self.rest.changes.note_awake(id);
            slots.push(id.index());
        }
        self.take_out_pairs_of(&slots);
        (self.rest.waking_rows, self.rest.waking) = (rows, slots);
    }

    fn wake_those_moved(&mut self, moved: u8) {
        for index in 0..self.categories.len() {
            self.wake_rows(index, |category, wake| category.find_moved(moved, wake));
        }
    }
}
