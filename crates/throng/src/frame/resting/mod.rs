//! What rests: who has not moved for long enough, and the pairs of two that rest, which are kept and not found again.
//!
//! While few rows of a category are awake, those that rest have an index of their own, which stands from step to step
//! ([`standing`](crate::world::standing)). A step builds an index of the others, finds the pairs among them, and those of the two
//! indices, as of two categories that meet; what rests does not meet what rests. Otherwise all are in one index, and the
//! [sieve](crate::frame::sieve) drops pairs of two that rest.
//!
//! What was considered instead is told in `docs/architecture.md`: one index for all rows, mended as they move; one in which those that
//! are awake ask, or of which pairs of two that rest are dropped; and a few of growing size for those that rest.
//!
//! Rows come to rest at the end of a step. Those that are due in a step still ask, and of their pairs those with others that
//! are due or rest are written down; when the step has found all pairs, they are added to those that rest
//! ([`pairs`]). Whoever wakes takes all its pairs out of there again.

mod changes;
pub(crate) mod lists;
mod moved_rows;
pub(crate) mod pairs;
pub(crate) mod rest_of;
pub(crate) mod stillness;
pub(crate) mod waking;

use educe::Educe;
use parking_lot::MutexGuard;
use throng_core::{Aabb, Spare, for_both};

use crate::broadphase::Broadphase;
use crate::error::ProxyError;
use crate::frame::need::Need;
use crate::frame::resting::changes::RestChanges;
use crate::frame::resting::lists::{RestList, RestLists};
use crate::frame::resting::pairs::{RestingPair, RestingPairs};
use crate::frame::resting::rest_of::RestOf;
use crate::frame::resting::stillness::{RESTING, Stillness, TOLD};
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId, ProxyPool, Row};

/// Slots of proxies are prefetched this many proxies, or pairs, ahead.
const SLOTS_AHEAD: usize = 12;

/// What is kept of those that rest, of all categories.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct Rest {
    pub(crate) pairs: RestingPairs,
    /// Pairs of which both will rest from the next step on, unless one wakes before; while that step runs, those of which
    /// both do.
    pub(crate) settling: Vec<RestingPair>,
    /// Whether the last step found all its pairs, so that those who were due in it may rest.
    is_settled: bool,
    /// Whether a step in which the pairs of `settling` rest has begun and not finished. If this is still set when the next begins, that step
    /// panicked, and nobody has seen its results.
    is_unfinished: bool,
    /// Those that rested in the last step, or were due, and were touched by something that moves, where that wakes them.
    touched: Vec<ProxyId>,
    /// Who came to rest with the last step, and who woke.
    pub(crate) changes: RestChanges,
    /// The pairs of each chunk with somebody who is about to rest or to wake, while a step runs.
    lists: Spare<RestLists>,
    /// Memory for those that wake: who they are, their rows, and their slots.
    woken: Vec<ProxyId>,
    waking_rows: Vec<Row>,
    waking: Vec<u32>,
    /// Memory for places where scenery has changed.
    places: Vec<Aabb>,
    /// How much memory pairs are expected to need.
    need: Need,
}

impl Rest {
    /// To be called before the search of so many chunks.
    pub(crate) fn begin_step(&mut self, chunks: usize, categories: &[Category]) {
        self.is_settled = false;
        let changes =
            |still: &Stillness| still.due > 0 || (still.wakes_on_contact && still.resting > 0);
        let rests = categories.iter().filter_map(|of| of.stillness.as_deref());
        let any = rests.into_iter().any(changes);
        self.lists.begin_step(if any { chunks } else { 0 });
    }

    /// The list for the pairs of a chunk that change who rests; `None` if none can.
    pub(crate) fn list(
        &self,
        chunk: usize,
        categories: [CategoryId; 2],
    ) -> Option<MutexGuard<'_, RestList>> {
        self.lists.of_chunk(chunk, categories)
    }

    /// To be called after the search. Only its first `chunks` chunks count; `are_all` says whether there were no others.
    pub(crate) fn finish_step(
        &mut self,
        categories: &[Category],
        pool: &ProxyPool,
        chunks: usize,
        are_all: bool,
    ) {
        (self.is_settled, self.is_unfinished) = (are_all, false);
        self.changes.finish_step(categories, pool);
        self.settling.clear();
        for list in self.lists.used_mut().take(chunks) {
            let RestList {
                categories: ids,
                settling,
                touched,
                counted: _,
            } = list;
            let sides = ids.map(|id| &categories[id.index()]);
            let id = |side: usize, row: Row| sides[side].id_in_row(row as usize);
            for (side, rows) in touched.iter().enumerate() {
                self.touched.extend(rows.iter().map(|&row| id(side, row)));
            }
            if are_all {
                self.settling
                    .extend(settling.iter().map(|rows| RestingPair {
                        ids: for_both(|side| id(side, rows[side])),
                        categories: *ids,
                    }));
            }
        }
        self.lists.count_bytes();
        self.let_go();
    }

    /// Frees memory for far more pairs than there are, such as that of a crowd which rested on one spot.
    fn let_go(&mut self) {
        let listed = self.lists.used_bytes();
        let waiting = size_of_val(&*self.settling) + size_of_val(&*self.touched);
        let used = self.pairs.used_bytes() + waiting + listed;
        let held = self.pairs.memory_bytes() + self.waiting_bytes() + self.lists.held_bytes();
        if self.need.holds_too_much(used, held) {
            self.touched.shrink_to_fit();
            self.free_pairs();
        }
    }

    /// Frees memory for pairs that there are not. To be called while no chunk is searched.
    fn free_pairs(&mut self) {
        self.pairs.shrink_to_fit();
        self.settling.shrink_to_fit();
        self.lists = Spare::default();
    }

    /// Bytes held for the pairs that settle, and for those that were touched.
    fn waiting_bytes(&self) -> usize {
        self.settling.capacity() * size_of::<RestingPair>()
            + self.touched.capacity() * size_of::<ProxyId>()
    }

    /// Keeps the pairs that have settled, if both proxies still rest. To be called when all who have moved are awake.
    fn settle(&mut self, categories: &[Category], pool: &ProxyPool) {
        if !self.is_settled {
            self.settling.clear();
        }
        let rests = |pair: &RestingPair, side: usize| {
            pool.get(pair.ids[side].0).is_some_and(|slot| {
                slot.category() == pair.categories[side]
                    && RestOf::of(&categories[slot.category_index()])
                        .is_some_and(|rest| rest.is_still(slot.row, RESTING))
            })
        };
        let mut kept = 0;
        for place in 0..self.settling.len() {
            let later = self.settling.get(place + SLOTS_AHEAD);
            for id in later.iter().flat_map(|pair| pair.ids) {
                pool.prefetch(id.0);
            }
            let pair = self.settling[place];
            self.settling[kept] = pair;
            kept += usize::from(rests(&pair, 0) && rests(&pair, 1));
        }
        self.settling.truncate(kept);
        self.pairs.add_all(&self.settling);
        // Whatever becomes of this step, they are not to be added again.
        (self.is_settled, self.is_unfinished) = (false, true);
    }

    /// The pairs that rest, without those that a step which panicked has added.
    pub(crate) fn last_pairs(&self) -> &[RestingPair] {
        let all = self.pairs.as_slice();
        let unseen = if self.is_unfinished {
            self.settling.len()
        } else {
            0
        };
        &all[..all.len() - unseen]
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.pairs.memory_bytes()
            + self.changes.memory_bytes()
            + self.waiting_bytes()
            + self.woken.capacity() * size_of::<ProxyId>()
            + (self.waking_rows.capacity() + self.waking.capacity()) * size_of::<u32>()
            + self.places.capacity() * size_of::<Aabb>()
            + self.lists.memory_bytes()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.free_pairs();
        self.changes.shrink_to_fit();
        (self.woken, self.touched) = Default::default();
        (self.waking_rows, self.waking, self.places) = Default::default();
    }
}

impl Broadphase {
    /// The pairs of two proxies that rest, as of the last step or refresh: those that were left out there. In no particular order,
    /// but the same on any number of threads. Together with the pairs of the step they are all that there are, but for those with a
    /// [sensor](crate::CategoryConfig::sensor) that is awake, or with somebody in it who is.
    ///
    /// Where both rest, pairs with a sensor are among them: a solver that takes these pairs for contacts leaves those out by their
    /// [categories](RestingPair::categories).
    pub fn resting_pairs(&self) -> &[RestingPair] {
        self.rest.pairs.as_slice()
    }

    /// The [slot](crate::PairBatch::slot) of a pair of two that rest, given either way round: for whoever saves what is kept by slot,
    /// or reads it, as the narrowphase is not called for such a pair. `None` for all other pairs, for pairs without events, and where
    /// [`pair_slots`](crate::BroadphaseConfig::pair_slots) are off. As of the last step or refresh. O(1).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let crates = CategoryConfig::uniform("crates", 1.0).rests_after(1).events();
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(crates).pair_slots(true))?;
    /// world.insert_batch([0.0, 1.5, 3.0].map(|x| Proxy::centered([x, 0.0], [1.0, 1.0]).unwrap()));
    /// let mut impulses = vec![0.0; 2];
    /// for event in world.step_pairs().began() {
    ///     impulses[event.slot.expect("they are on") as usize] = 7.0;
    /// }
    /// (0..3).for_each(|_| drop(world.step_pairs()));
    /// for pair in world.resting_pairs() {
    ///     let slot = world.resting_pair_slot(pair.ids).expect("it has events");
    ///     assert_eq!(impulses[slot as usize], 7.0);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resting_pair_slot(&self, ids: [ProxyId; 2]) -> Option<u32> {
        self.events.slots.as_ref()?.of_resting(ids)
    }

    /// Those that woke with the last step, for whatever reason: they rested as of the step before, are still in the world, and
    /// rest no more. In the order of categories and rows, and so the same on any number of threads. Who was told to rest is not
    /// among them before it [came to rest](Self::came_to_rest); each that did wakes once, unless it is removed or becomes scenery
    /// before. O(1), and O(1) for each.
    ///
    /// A refresh wakes as a step does, and changes nothing here: the next step tells. What wakes by contact is told by the step
    /// after that in which it was touched, as it rests until then.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let crates = CategoryConfig::uniform("crates", 1.0).rests_after(1);
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(crates))?;
    /// let id = world.insert(Proxy::centered([0.0, 0.0], [1.0, 1.0])?)?;
    /// let mut slept = Vec::new();
    /// for frame in 0..6 {
    ///     if frame == 4 {
    ///         world.set_center(id, [3.0, 0.0])?;
    ///     }
    ///     let step = world.step_pairs();
    ///     slept.extend(step.came_to_rest().map(|_| (frame, "asleep")));
    ///     slept.extend(step.woken().map(|_| (frame, "awake")));
    /// }
    /// assert_eq!(slept, [(2, "asleep"), (4, "awake")]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("activated", "on_wake"))]
    pub fn woken(&self) -> impl ExactSizeIterator<Item = ProxyId> + use<'_> {
        self.rest.changes.woken()
    }

    /// Those that came to rest with the last step: they rest, and did not as of the step before. In the order of categories and
    /// rows. What becomes scenery is not among them. O(1), and O(1) for each. See [`woken`](Self::woken).
    #[doc(alias("deactivated", "fell_asleep", "on_sleep"))]
    pub fn came_to_rest(&self) -> impl ExactSizeIterator<Item = ProxyId> + use<'_> {
        self.rest.changes.came_to_rest()
    }

    /// Whether a proxy rests, as of the last step or refresh. Scenery always does, and disabled proxies never. O(1).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn is_resting(&self, id: ProxyId) -> Result<bool, ProxyError> {
        let slot = self.slot(id)?;
        let category = &self.categories[slot.category_index()];
        let is_scenery = category.structure.is_scenery() && category.is_enabled(slot.row_index());
        Ok(is_scenery || category.rests(slot.row))
    }

    /// Whether a proxy comes to rest with the next step, if nothing disturbs it before: it was told to, or has not moved for long
    /// enough. It is not [resting](Self::is_resting) yet. One that is disabled takes part in no step: if it was told to rest, it
    /// goes on settling until it has been enabled and taken part in one. Who saves a world writes down who is either, and tells those
    /// to [rest](Self::set_resting) when it is loaded. O(1).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let crates = CategoryConfig::uniform("crates", 1.0).rests_when_told();
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(crates))?;
    /// let id = world.insert(Proxy::centered([0.0, 0.0], [1.0, 1.0])?)?;
    /// world.set_resting(id, true)?;
    /// let mut states = Vec::new();
    /// for _ in 0..3 {
    ///     states.push((world.is_settling(id)?, world.is_resting(id)?));
    ///     world.step_pairs();
    /// }
    /// assert_eq!(states, [(true, false), (true, false), (false, true)], "its pairs are found in the first step");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn is_settling(&self, id: ProxyId) -> Result<bool, ProxyError> {
        let slot = self.slot(id)?;
        Ok(self.categories[slot.category_index()].is_settling(slot.row_index()))
    }

    /// The enabled rows of a category that do not rest, ascending: those that an engine goes on moving. Who rests is as of the
    /// last step or refresh, and new rows count as awake. A category that never rests gives all its enabled rows; scenery, or a
    /// category that this world does not have, gives none.
    /// O(rows), at a fraction of a nanosecond for each that rests.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let crates = CategoryConfig::uniform("crates", 1.0).rests_after(1);
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(crates))?;
    /// world.insert_batch((0..9).map(|i| Proxy::centered([i as f32 * 4.0, 0.0], [1.0, 1.0]).unwrap()));
    /// let crates = world.category("crates").expect("as configured");
    /// assert_eq!(world.awake_rows(crates).count(), 9, "they are new");
    /// (0..3).for_each(|_| drop(world.step_pairs()));
    /// assert_eq!(world.awake_rows(crates).count(), 0);
    ///
    /// world.centers_mut(crates)?.set(5, [20.0, 0.5])?;
    /// world.step_pairs();
    /// assert!(world.awake_rows(crates).eq([5]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn awake_rows(&self, category: CategoryId) -> impl Iterator<Item = Row> + use<'_> {
        let category = self.category_of(category);
        let category = category.filter(|category| !category.structure.is_scenery());
        category.into_iter().flat_map(Category::awake_rows)
    }

    /// Puts a proxy to rest, or wakes it. One that is told to rest takes part in one more step, in which its pairs are found,
    /// and rests from the next one on (until then it is [settling](Self::is_settling)), unless its center changes in between, or
    /// it is told otherwise; until the first step, a level that is loaded, or another config, does not keep it from that. One
    /// that rests already goes on resting, unless it has been disturbed since the last step: then it wakes all the same, and is
    /// to be told again. One that is woken counts as if it had moved. One that is new and told to rest counts as if it had not,
    /// and so wakes nobody on whom it lands: a saved game is loaded at rest. O(1).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let crates = CategoryConfig::uniform("crates", 1.0).rests_when_told();
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(crates))?;
    /// let island = [0.0, 1.5].map(|y| Proxy::centered([0.0, y], [1.0, 1.0]).unwrap());
    /// let island = island.map(|proxy| world.insert(proxy).unwrap());
    /// assert_eq!([0; 9].map(|_| world.step_pairs().report().pairs), [1; 9]);
    ///
    /// island.iter().try_for_each(|&id| world.set_resting(id, true))?;
    /// assert_eq!([0; 3].map(|_| world.step_pairs().report().pairs), [1, 0, 0]);
    /// assert_eq!(world.resting_pairs()[0].ids, island);
    ///
    /// world.set_resting(island[1], false)?;
    /// assert_eq!(world.step_pairs().report().pairs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`]; or [`ProxyError::NeverRests`] if the proxy's category never rests,
    /// or is scenery and always does.
    #[doc(alias("sleep", "wake", "put_to_sleep", "is_awake"))]
    pub fn set_resting(&mut self, id: ProxyId, resting: bool) -> Result<(), ProxyError> {
        let slot = self.slot(id)?;
        let row = slot.row_index();
        let category = &mut self.categories[slot.category_index()];
        if category.stillness.is_none() {
            let category = &self.config.categories[slot.category_index()];
            let category = category.name.clone();
            return Err(ProxyError::NeverRests { id, category });
        }
        if resting {
            category.tell_to_rest(row);
        } else {
            if category.columns.still.get(row) == TOLD {
                category.columns.still.set(row, 0);
            }
            category.wake(row);
        }
        Ok(())
    }
}
