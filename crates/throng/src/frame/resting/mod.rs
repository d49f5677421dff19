//! What rests: who has not moved for long enough, and the pairs of two that rest, which are kept and not found again.
//!
//! Those rows of a uniform category that rest have an index of their own, which stands from step to step
//! ([`standing`](crate::world::standing)). A step builds an index of the others, finds the pairs among them, and those of the two
//! indices, as of two categories that meet; what rests does not meet what rests. An oversized category has one index. Where few of its
//! rows are awake, those ask it for their pairs ([`asking`]); where many are, all is searched, and pairs of two that rest are dropped
//! before the narrowphase sees them.
//!
//! What was considered instead for uniform categories is told in `docs/architecture.md`: one index for all rows, mended as they
//! move; and a few of growing size for those that rest.
//!
//! Rows come to rest at the end of a step. Those that are due in a step still ask, and of their pairs those with others that
//! are due or rest are written down; when the step has found all pairs, they are added to those that rest
//! ([`pairs`]). Whoever wakes takes all its pairs out of there again.

pub(crate) mod asking;
mod moved_rows;
pub(crate) mod pairs;
pub(crate) mod part;
pub(crate) mod stillness;

use std::collections::HashSet;
use std::ops::ControlFlow;

use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};
use throng_core::{Aabb, for_both};

use crate::broadphase::Broadphase;
use crate::error::ProxyError;
use crate::frame::events::pair_slots::{PairKey, key};
use crate::frame::resting::pairs::{RestingPair, RestingPairs};
use crate::frame::resting::stillness::{DUE, MOVED, RESTING, Stillness, TOLD};
use crate::world::category::Category;
use crate::world::columns::ProxyColumns;
use crate::world::ids::{CategoryId, ProxyId, ProxyPool, Row};

/// If scenery has changed in more places than this, those are woken who are in the box around all, rather than in one of them.
const MOST_PLACES: usize = 4096;

/// The slots of both proxies of a pair are prefetched this many pairs ahead.
const PAIRS_AHEAD: usize = 12;

/// What is kept of those that rest, of all categories.
#[derive(Default)]
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
    /// The pairs of each chunk with somebody who is about to rest or to wake, while a step runs.
    lists: Vec<CachePadded<Mutex<RestList>>>,
    /// How many of them belong to the step; the others keep their memory.
    used: usize,
    /// The bytes that they are counted with, together.
    list_bytes: usize,
    /// Memory for those that wake: who they are, and their rows or slots.
    woken: Vec<ProxyId>,
    waking: Vec<u32>,
    /// Memory for places where scenery has changed.
    places: Vec<Aabb>,
}

/// How the pairs of a chunk change who rests.
#[derive(Default)]
pub(crate) struct RestList {
    categories: [CategoryId; 2],
    /// Pairs that are about to settle, if any may be.
    pub(crate) settling: Vec<[Row; 2]>,
    /// Rows that are about to wake: on the first side, and on the second.
    pub(crate) touched: [Vec<Row>; 2],
    /// Bytes of both when they were last counted.
    counted: usize,
}

impl RestList {
    fn clear(&mut self) {
        self.settling.clear();
        self.touched.iter_mut().for_each(Vec::clear);
    }

    fn memory_bytes(&self) -> usize {
        let touched = self
            .touched
            .iter()
            .map(|rows| rows.capacity() * size_of::<Row>());
        self.settling.capacity() * size_of::<[Row; 2]>() + touched.sum::<usize>()
    }
}

/// Whether a row counts as resting, in one category.
#[derive(Clone, Copy)]
pub(crate) enum RestOf<'w> {
    /// All do: it is scenery.
    All,
    /// Those that have not moved for long.
    Rows(&'w [u8]),
}

/// Who rests on the two sides of a meeting, and what is listed as its pairs are found.
#[derive(Clone, Copy)]
pub(crate) struct RestOfSides<'w> {
    rest: [Option<RestOf<'w>>; 2],
    /// Which of them wake when they are touched.
    wakes: [bool; 2],
}

impl<'w> RestOfSides<'w> {
    /// A sensor wakes nobody, and is woken by nobody.
    pub(crate) fn of(sides: [&'w Category; 2]) -> Self {
        let are_sensors = sides.iter().any(|side| side.is_sensor);
        let wakes = |category: &Category| {
            let stillness = category.stillness.as_deref();
            let wakes = stillness.is_some_and(|still| {
                still.wakes_on_contact && (still.resting > 0 || still.due > 0)
            });
            wakes && !are_sensors
        };
        Self {
            rest: sides.map(RestOf::of),
            wakes: sides.map(wakes),
        }
    }

    /// Lists which of some pairs are about to settle, and which of their rows are about to wake.
    pub(crate) fn list(&self, pairs: &[[Row; 2]], list: &mut RestList) {
        if let [Some(one), Some(other)] = self.rest {
            // Both are always looked at: a branch on the first would be mispredicted too often.
            let settle =
                |pair: &&[Row; 2]| one.is_still(pair[0], DUE) & other.is_still(pair[1], DUE);
            list.settling.extend(pairs.iter().filter(settle));
        }
        for side in [0, 1] {
            if let (true, Some(RestOf::Rows(still))) = (self.wakes[side], self.rest[side]) {
                let other = self.rest[1 - side];
                let is_touched = |pair: &&[Row; 2]| {
                    still[pair[side] as usize] >= DUE
                        && other.is_none_or(|other| other.has_moved(pair[1 - side]))
                };
                let touched = pairs.iter().filter(is_touched);
                list.touched[side].extend(touched.map(|pair| pair[side]));
            }
        }
    }
}

impl<'w> RestOf<'w> {
    /// `None` for a category that never rests.
    pub(crate) fn of(category: &'w Category) -> Option<Self> {
        if category.structure.is_scenery() {
            return Some(Self::All);
        }
        let still = category.columns.still.values().unwrap_or_default();
        category.stillness.is_some().then_some(Self::Rows(still))
    }

    /// `None` for a category that never rests, or of which nobody rests now.
    pub(crate) fn of_any(category: &'w Category) -> Option<Self> {
        let stillness = category.stillness.as_ref();
        Self::of(category).filter(|_| stillness.is_none_or(|stillness| stillness.resting > 0))
    }

    /// Whether a row has moved in this step, or is new.
    fn has_moved(self, row: Row) -> bool {
        match self {
            Self::All => false,
            // While every row moves, new ones are not counted.
            Self::Rows(still) => still[row as usize] <= MOVED,
        }
    }

    /// Whether a row has been still for at least this long, in the numbers of [`stillness`].
    #[inline(always)]
    pub(crate) fn is_still(self, row: Row, least: u8) -> bool {
        match self {
            Self::All => true,
            Self::Rows(still) => still[row as usize] >= least,
        }
    }
}

impl Rest {
    /// To be called before the search of so many chunks.
    pub(crate) fn begin_step(&mut self, chunks: usize, categories: &[Category]) {
        self.is_settled = false;
        let changes =
            |still: &Stillness| still.due > 0 || (still.wakes_on_contact && still.resting > 0);
        let rests = categories.iter().filter_map(|of| of.stillness.as_deref());
        self.used = if rests.into_iter().any(changes) {
            chunks
        } else {
            0
        };
        if self.lists.len() < self.used {
            self.lists.resize_with(self.used, Default::default);
        }
        for list in &mut self.lists[..self.used] {
            list.get_mut().clear();
        }
    }

    /// The list for the pairs of a chunk that change who rests; `None` if none can.
    pub(crate) fn list(
        &self,
        chunk: usize,
        categories: [CategoryId; 2],
    ) -> Option<MutexGuard<'_, RestList>> {
        let mut list = self.lists[..self.used].get(chunk)?.lock();
        list.categories = categories;
        Some(list)
    }

    /// To be called after the search. Only its first `chunks` chunks count; `are_all` says whether there were no others.
    pub(crate) fn finish_step(&mut self, categories: &[Category], chunks: usize, are_all: bool) {
        (self.is_settled, self.is_unfinished) = (are_all, false);
        self.settling.clear();
        for list in &mut self.lists[..self.used.min(chunks)] {
            let RestList {
                categories: ids,
                settling,
                touched,
                counted: _,
            } = list.get_mut();
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
        for list in &mut self.lists[..self.used] {
            let list = list.get_mut();
            let bytes = list.memory_bytes();
            self.list_bytes += bytes;
            self.list_bytes -= std::mem::replace(&mut list.counted, bytes);
        }
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
            let later = self.settling.get(place + PAIRS_AHEAD);
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

    pub(crate) fn memory_bytes(&self) -> usize {
        self.pairs.memory_bytes()
            + self.settling.capacity() * size_of::<RestingPair>()
            + (self.woken.capacity() + self.touched.capacity()) * size_of::<ProxyId>()
            + self.waking.capacity() * size_of::<u32>()
            + self.places.capacity() * size_of::<Aabb>()
            + self.lists.capacity() * size_of::<CachePadded<Mutex<RestList>>>()
            + self.list_bytes
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.pairs.shrink_to_fit();
        self.settling.shrink_to_fit();
        (self.woken, self.waking, self.places) = Default::default();
        (self.lists, self.used, self.list_bytes) = (Vec::new(), 0, 0);
    }
}

/// When rest is brought up to date.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RestUpdate {
    /// At the beginning of a step, which counts.
    Step,
    /// In between: who has moved is woken, and nobody comes to rest.
    Refresh,
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

    /// Whether a proxy rests, as of the last step or refresh. Scenery always does, and disabled proxies never. O(1).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn is_resting(&self, id: ProxyId) -> Result<bool, ProxyError> {
        let slot = self.slot(id)?;
        let (category, row) = (&self.categories[slot.category_index()], slot.row_index());
        let rest = RestOf::of(category);
        Ok(category.is_enabled(row) && rest.is_some_and(|rest| rest.is_still(slot.row, RESTING)))
    }

    /// The rows of a category that do not rest, ascending, as of the last step or refresh: those that an engine goes on moving. Disabled
    /// ones are left out. All rows of a category that never rests, and none of scenery, or if this world does not have the category.
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
        let category = self.columns_of(category);
        let category = category.filter(|category| !category.structure.is_scenery());
        category.into_iter().flat_map(Category::awake_rows)
    }

    /// Puts a proxy to rest, or wakes it. One that is told to rest takes part in one more step, in which its pairs are found, and
    /// rests afterwards, unless its center changes in between, or it is told otherwise; until that step, a level that is loaded,
    /// or another config, does not keep it from that. One that rests already goes on resting, unless it has been disturbed since
    /// the last step: then it wakes all the same, and is to be told again. One that is woken counts as if it had moved. One that is
    /// new and told to rest counts as if it had not, and so wakes nobody on whom it lands: a saved game is loaded at rest. O(1).
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
        let Some(stillness) = &mut category.stillness else {
            let category = &self.config.categories[slot.category_index()];
            let category = category.name.clone();
            return Err(ProxyError::NeverRests { id, category });
        };
        if resting {
            category.tell_to_rest(row);
        } else {
            stillness.wake(id);
            if category.columns.still.get(row) == TOLD {
                category.columns.still.set(row, 0);
            }
        }
        Ok(())
    }

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
        self.find_those_near_new_scenery();
        self.begin_to_wake();
        // Before the count, in which those that were told to rest are not told from others any more.
        self.wake_those_beside_other_scenery();
        if update == RestUpdate::Step {
            let is_settled = self.rest.is_settled;
            for category in &mut self.categories {
                if let Some(stillness) = &mut category.stillness {
                    stillness.tick(&mut category.columns, is_settled);
                }
            }
        }
        self.wake_those_woken();
        self.wake_those_moved(moved);
        if update == RestUpdate::Step {
            self.rest.settle(&self.categories, &self.pool);
        }
        for index in 0..self.categories.len() {
            self.count_resting(index);
        }
    }

    /// If the last step panicked, the pairs that it added to those that rest are taken out again, and both proxies of each are due again,
    /// also one that rested before. The last step that finished reported these pairs itself, so they are not noted as having woken.
    /// Other resting pairs of these proxies are taken out and noted.
    fn take_back_unfinished(&mut self) {
        if !std::mem::take(&mut self.rest.is_unfinished) {
            return;
        }
        let settled = std::mem::take(&mut self.rest.settling);
        let settled_pairs: HashSet<PairKey> = settled.iter().map(|pair| key(pair.ids)).collect();
        let mut slots = Vec::new();
        let sides = |pair: &RestingPair| pair.ids.into_iter().zip(pair.categories);
        for (id, settled_in) in settled.iter().flat_map(sides) {
            // Scenery always rests, and keeps its pairs with others that still rest. Who has become scenery since does not.
            if self.categories[settled_in.index()].structure.is_scenery() {
                continue;
            }
            if let Some(slot) = self.pool.get(id.0) {
                let category = &mut self.categories[slot.category_index()];
                if category.columns.still.get(slot.row_index()) == RESTING {
                    category.set_awake(slot.row_index(), DUE);
                }
            }
            slots.push(id.index());
        }
        let (events, categories, pool) = (&mut self.events, &self.categories, &self.pool);
        self.rest.pairs.take_out_of_each(&slots, |pair| {
            if !settled_pairs.contains(&key(pair.ids)) {
                events.pair_woke(&pair, categories, pool);
            }
        });
    }

    /// Counts who rests in a category.
    pub(crate) fn count_resting(&mut self, index: usize) {
        let categories = self.categories.iter().enumerate();
        let others = categories.filter(|(other, _)| *other != index);
        let most = others.map(|(_, category)| category.len()).max();
        self.categories[index].count_resting(most.unwrap_or(0));
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
        for index in 0..self.categories.len() {
            let category = &mut self.categories[index];
            if let Some(stillness) = &mut category.stillness {
                stillness.wake_all(&mut category.columns, &mut |_| {});
                self.count_resting(index);
            }
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
        slots.extend(self.rest.woken.drain(..).map(|id| id.0.index()));
        self.take_out_pairs_of(&slots);
        self.rest.waking = slots;
    }

    /// Takes out the pairs of those who have or had these slots; from here on they are looked for again.
    fn take_out_pairs_of(&mut self, slots: &[u32]) {
        let (events, categories, pool) = (&mut self.events, &self.categories, &self.pool);
        let pairs = &mut self.rest.pairs;
        pairs.take_out_of_each(slots, |pair| events.pair_woke(&pair, categories, pool));
    }

    /// Lists as woken whoever is near scenery that has changed. If it is not known where, everybody who meets it will be woken.
    fn find_those_near_new_scenery(&mut self) {
        let mut places = std::mem::take(&mut self.rest.places);
        for scenery in 0..self.categories.len() {
            places.clear();
            let changed = self.categories[scenery].take_places_of_scenery(&mut places);
            let Some(mut are_found) = changed else {
                continue;
            };
            if places.len() > MOST_PLACES {
                let all = places
                    .iter()
                    .copied()
                    .reduce(|all, place| all.union(&place));
                places.clear();
                places.extend(all);
            }
            for resting in self.those_beside(scenery) {
                are_found = are_found && self.find_those_at(&places, resting);
            }
            self.categories[scenery].meets_others |= !are_found;
        }
        self.rest.places = places;
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

    /// Wakes everybody in the categories that meet scenery of which it is not known where it has changed. To be called
    /// before a step is counted.
    fn wake_those_beside_other_scenery(&mut self) {
        for scenery in 0..self.categories.len() {
            let category = &mut self.categories[scenery];
            if std::mem::take(&mut category.meets_others) {
                for index in self.those_beside(scenery) {
                    self.wake_rows(index, Stillness::wake_all);
                }
            }
        }
    }

    /// Wakes those rows of a category that `find` passes to the function that it is given.
    fn wake_rows(
        &mut self,
        index: usize,
        find: impl FnOnce(&mut Stillness, &mut ProxyColumns, &mut dyn FnMut(Row)),
    ) {
        let mut rows = std::mem::take(&mut self.rest.waking);
        rows.clear();
        let category = &mut self.categories[index];
        if let Some(stillness) = &mut category.stillness {
            find(stillness, &mut category.columns, &mut |row| rows.push(row));
        }
        // From here on they are slots.
        let ids = &self.categories[index].columns.ids;
        rows.iter_mut()
            .for_each(|row| *row = ids[*row as usize].index());
        self.take_out_pairs_of(&rows);
        self.rest.waking = rows;
    }

    fn wake_those_moved(&mut self, moved: u8) {
        for index in 0..self.categories.len() {
            self.wake_rows(index, |stillness, columns, wake| {
                stillness.find_moved(columns, moved, wake);
            });
        }
    }
}
