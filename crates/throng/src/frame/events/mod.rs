//! The end of a frame, where it is asked for: which pairs began, and which ended.
//!
//! A pair began if this step reports it and the last one did not, and ended the other way round. Two ways were considered.
//! A table of all pairs, in which each pair of now is looked up, has an entry to write and one to find for every pair in
//! every step. The other needs no table: searches are exact, so whether a pair was there follows from where its boxes
//! were. The boxes as of the last step are kept ([`RowBoxes`](crate::world::row_boxes::RowBoxes)), and so are its pairs, in the
//! order in which they were found. A pair of now began if its boxes did not overlap then; a pair of then ended if they do not overlap
//! now. Both read what is next to each other where rows are in the order of space, and few pairs need a second look.
//!
//! Most pairs are spared the first look, too. An index that is refitted has its pairs in about the same order as before, so those
//! of a chunk are walked side by side with those that it had in the last step ([`Simd::unmatched_pairs`]), and pairs that are
//! seen in both go on. The others need no look either if no pair can have come from another chunk, or gone to one: that is so among
//! the rows of one index as long as all of them are where they were put ([`ListedPairs::tell_both`]). Otherwise most need none
//! ([`unseen`]). Rows tell pairs apart as long as both lists are of the same two categories, and no row of these has changed since. If
//! pairs have slots, rows may have changed: the last step's lists then name, in place of such a row, an entry of a list of proxies
//! (`departed`). Which lists are compared, and how much is matched, changes only how long it takes. But all pairs of both steps have to
//! be known, those that have come to rest as well.
//!
//! Also tried: columns of centers that a fill swaps for others instead of overwriting them, so that no boxes need be copied. That moves
//! a third fewer bytes, but two columns are looked up instead of one, and overall it took just as long, from 20,000 rows to a
//! million.
//!
//! Boxes say nothing of rows that hold another proxy than then, or one that may meet others than then (new masks, owner or
//! excluded pairs; of scenery, also one that was moved, enabled or disabled). Such rows have no box in the comparison, so that
//! all their pairs of then and of now are found; these are compared as sets of ids ([`by_sets`]), and so are all pairs if a step
//! was cut at its limit. Who was in a row is written down before it changes ([`RowsThen`](rows_then::RowsThen)). Where rows are
//! renumbered as a whole, and before the pairs of now are found if pairs have slots, pairs of then refer to a list of proxies
//! instead (`departed`).

pub(crate) mod by_sets;
pub(crate) mod event;
mod event_pairs;
pub(crate) mod listed;
pub(crate) mod listing;
pub(crate) mod lists;
pub(crate) mod look;
pub(crate) mod meetings;
pub(crate) mod pair_events;
mod pair_filter;
pub(crate) mod pair_slots;
mod pair_table;
pub(crate) mod rows_then;
mod slots_then;
mod unmatched_slots;
mod unseen;

use std::collections::HashSet;
use std::mem;

use educe::Educe;
use throng_core::{Executor, Permutation, Simd, Spare, for_both, run_each};

use crate::broadphase::Broadphase;
use crate::frame::events::by_sets::Doubts;
use crate::frame::events::event::PairEvent;
use crate::frame::events::listed::ListedPairs;
use crate::frame::events::listing::Listing;
use crate::frame::events::lists::Lists;
use crate::frame::events::meetings::EventTable;
use crate::frame::events::pair_events::PairEvents;
use crate::frame::events::pair_slots::PairSlots;
use crate::frame::events::rows_then::{Departed, Occupant, SideThen, SidesThen, key_now};
use crate::frame::events::slots_then::SlotsThen;
use crate::frame::events::unseen::{MaybeInBoth, Unseen};
use crate::frame::narrowphase::ChunkOutput;
use crate::frame::plan::Meeting;
use crate::frame::resting::pairs::RestingPair;
use crate::world::category::Category;
use crate::world::config::BroadphaseConfig;
use crate::world::ids::{CategoryId, ProxyId, ProxyPool, Row};
use crate::world::meets::MeetingTable;

/// What is kept from one step to the next to tell which pairs began and which ended.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct Events {
    table: EventTable,
    /// The pairs of the last step that ended well, and which of them began in it.
    last: Lists,
    /// While a step runs, its pairs; then the two change places. So between steps these are the pairs of the one before the last,
    /// and which of them have ended.
    other: Spare<Lists>,
    /// Whether `last` has all pairs of its step.
    last_is_whole: bool,
    /// During a step: whether rows that have changed are marked in the pairs of the last step.
    are_marked: bool,
    /// Who was in rows of the last step that have no numbers any more.
    departed: Departed,
    unseen: Spare<Unseen>,
    doubts: Spare<Doubts>,
    pub(crate) slots: Option<PairSlots>,
}

impl Events {
    pub(crate) fn new(config: &BroadphaseConfig, meetings: &MeetingTable) -> Self {
        Self {
            table: EventTable::new(config, meetings),
            last: Lists::default(),
            other: Spare::default(),
            last_is_whole: true,
            are_marked: false,
            departed: Departed::default(),
            unseen: Spare::default(),
            doubts: Spare::default(),
            slots: config.pair_slots.then(PairSlots::default),
        }
    }

    /// Whether nobody asks for events, and none are left to be told.
    pub(crate) fn are_idle(&self) -> bool {
        self.table.is_empty() && self.last.used().is_empty()
    }

    /// Makes those categories remember their rows that may be in pairs with events.
    pub(crate) fn follow(&self, categories: &mut [Category]) {
        for (index, category) in categories.iter_mut().enumerate() {
            category.then = self.table.concerns(index).then(Box::default);
        }
    }

    /// To be called before a search if nobody asks for events.
    pub(crate) fn begin_idle_step(&mut self) {
        self.other.open(0);
    }

    /// To be called before the search of this many chunks, if somebody asks for events.
    pub(crate) fn begin_step(
        &mut self,
        chunks: usize,
        categories: &mut [Category],
        pool: &ProxyPool,
        executor: &dyn Executor,
        simd: Simd,
    ) {
        self.other.open(chunks);
        // If many rows have changed and pairs have no slots, marking them takes as long as comparing the boxes of all pairs.
        let are_few = |of: &Category| of.then.as_ref().is_none_or(|then| then.are_changes_few());
        self.are_marked = self.slots.is_some() || categories.iter().all(are_few);
        if self.are_marked {
            self.departed
                .mark_changed(&mut self.last, categories, executor, simd);
        }
        if let Some(slots) = self.slots_then(categories, pool)
            && executor.threads() > 1
            && self.are_many_looked_up(categories)
        {
            // Else the first to look one up makes the index, and the other workers wait.
            slots.make_index(executor);
        }
    }

    /// Whether more than a few pairs of the last step are going to be looked up to tell their slots, because those of now are in
    /// another order.
    fn are_many_looked_up(&self, categories: &[Category]) -> bool {
        let keeps_order = |id: &CategoryId| {
            let category = categories.get(id.index());
            category.is_some_and(|of| of.indexed.refitted || of.structure.is_scenery())
        };
        let [mut all, mut others] = [0; 2];
        for list in self.last.used() {
            all += list.pairs.len();
            if !list.categories.iter().all(keeps_order) {
                others += list.pairs.len();
            }
        }
        others > all / 8
    }

    /// To be called when pairs of the last step change, when what is known of their rows changes and a plan is still good, and when
    /// rows have changed for the last time before a step.
    pub(crate) fn forget_index(&mut self) {
        if let Some(slots) = &mut self.slots {
            slots.indices.forget();
        }
    }

    /// The slots of the pairs of the last step, if pairs have slots.
    fn slots_then<'w>(
        &'w self,
        categories: &'w [Category],
        pool: &'w ProxyPool,
    ) -> Option<SlotsThen<'w>> {
        Some(SlotsThen {
            indices: &self.slots.as_ref()?.indices,
            lists: self.last.used(),
            departed: &self.departed,
            categories,
            pool,
        })
    }

    /// Whether pairs of these categories have events.
    pub(crate) fn has_events(&self, categories: [CategoryId; 2]) -> bool {
        self.table.has_events(categories)
    }

    /// Whether equal rows mean equal pairs: whether rows that have changed are marked in the pairs of the last step.
    pub(crate) fn are_changes_marked(&self) -> bool {
        self.are_marked
    }

    /// The pairs of the last step, but for those that rested in it and still do.
    pub(crate) fn lists_of_last_step(&self) -> &[ListedPairs] {
        self.last.used()
    }

    /// Where the pairs of a chunk are to be listed, if its meeting has events.
    pub(crate) fn list<'w>(
        &'w self,
        chunk: usize,
        meeting: &Meeting,
        world: &'w Broadphase,
    ) -> Option<Listing<'w>> {
        if !self.has_events(meeting.categories) {
            return None;
        }
        let mut list = self.other.of_chunk(chunk)?;
        list.categories = meeting.categories;
        list.own_chunk = meeting
            .is_of_main_index()
            .then(|| chunk - meeting.first_chunk);
        Some(Listing::new(list, self.last.used().get(chunk), world))
    }

    /// To be called when all chunks have been searched. Of those, the first so many count; all if `is_whole`. Returns how many
    /// pairs began, and how many ended. `settled` are pairs that the last step had and this one has not, because they rest.
    pub(crate) fn finish_step(
        &mut self,
        categories: &mut [Category],
        pool: &ProxyPool,
        (chunks, is_whole): (usize, bool),
        settled: &[RestingPair],
        executor: &dyn Executor,
        simd: Simd,
    ) -> [usize; 2] {
        self.other.close(chunks);
        for category in &mut *categories {
            category.look_at_boxes(executor);
        }
        if is_whole && self.last_is_whole {
            self.find_changes(categories, pool, settled, executor, simd);
            self.doubts
                .resolve(&mut self.other, &mut self.last, settled);
        } else {
            self.compare_all(categories, pool, settled);
        }
        // From here on nothing runs that an engine gave us, and so this is now the last step.
        if let Some(slots) = &mut self.slots {
            slots.follow(&mut self.other, &self.last);
            slots.indices.let_go();
        }
        mem::swap(&mut self.last, &mut self.other);
        self.last.let_go();
        self.last_is_whole = is_whole;
        self.departed.clear();
        for category in categories {
            category.keep_boxes();
            category.structure.note_places();
        }
        if self.table.is_empty() {
            // All have ended, and none will begin.
            self.last.clear();
        }
        [self.last.told(), self.other.told()]
    }

    /// Finds which pairs of now have begun, as far as that is not known yet, and which of the last step have ended.
    fn find_changes(
        &mut self,
        categories: &[Category],
        pool: &ProxyPool,
        settled: &[RestingPair],
        executor: &dyn Executor,
        simd: Simd,
    ) {
        if self.take_what_is_told() {
            return;
        }
        let lists = [self.last.used(), self.other.used()];
        let row = |id: ProxyId| pool.get(id.0).expect("both are there to rest").row;
        let settled = settled.iter().map(|pair| pair.ids.map(row));
        // With slots, all that has begun is known, and what was not seen batch by batch is forgotten.
        let are_few = self.slots.is_none() && self.unseen.gather(lists, settled, executor);
        let [of_now, of_then] = match &*self.unseen {
            Unseen { now, then } if are_few => [then, now].map(MaybeInBoth::In),
            _ => [MaybeInBoth::All; 2],
        };
        run_each(executor, self.other.used_mut(), |_, list| {
            // Chunks without events have no pairs here, and no categories.
            if !list.is_told && !list.pairs.is_empty() {
                let sides = list.categories.map(|id| &categories[id.index()]);
                list.tell_began(of_now, sides, simd);
            }
        });
        let (departed, now) = (&self.departed, self.other.used());
        run_each(executor, self.last.used_mut(), |chunk, list| {
            let ids = list.categories;
            let sides = SidesThen::new(ids, categories, departed, pool);
            let boxes = sides.0.map(|side| side.boxes_now().by_row());
            let mut ended = mem::take(&mut list.told.rows);
            of_then.tell(list.unseen_by(now.get(chunk)), boxes, simd, &mut ended);
            list.told.rows = ended;
            list.tell_slots();
            if sides.any_changed() {
                list.told.doubt(|pair| {
                    let has_changed = sides.have_changed(pair);
                    has_changed.then(|| PairEvent::then(ids, pair, &sides))
                });
            }
        });
    }

    /// Takes the pairs that ended from lists in which they are told already. Returns whether nothing is left to be found.
    fn take_what_is_told(&mut self) -> bool {
        let mut now = self.other.used_mut().iter_mut();
        let mut are_all_told = true;
        for then in self.last.used_mut() {
            then.told.clear();
            let is_told = now.next().is_some_and(|now| then.take_ended(now));
            are_all_told &= is_told || then.pairs.is_empty();
        }
        // A list of now that has nothing to be matched with tells what began by itself.
        let mut others = self.other.used().iter();
        debug_assert!(!are_all_told || others.all(|list| list.is_told || list.pairs.is_empty()));
        are_all_told
    }

    /// Compares all pairs of then and now as sets.
    #[cold]
    fn compare_all(&mut self, categories: &[Category], pool: &ProxyPool, settled: &[RestingPair]) {
        for list in self.last.used_mut() {
            let (ids, told) = (list.categories, &mut list.told);
            let sides = SidesThen::new(ids, categories, &self.departed, pool);
            told.clear();
            told.rows.extend_from_slice(&list.pairs);
            told.slots.extend_from_slice(&list.slots);
            told.doubt(|pair| Some(PairEvent::then(ids, pair, &sides)));
        }
        for list in self.other.used_mut() {
            let (ids, told) = (list.categories, &mut list.told);
            let sides = ids.map(|id| &categories[id.index()]);
            told.clear();
            told.rows.extend_from_slice(&list.pairs);
            told.doubt(|pair| Some(PairEvent::now(ids, pair, sides)));
        }
        self.doubts
            .resolve(&mut self.other, &mut self.last, settled);
    }

    /// The pairs that began in the last step of a world, in the order in which it found them. Rows must be as they were.
    pub(crate) fn began(world: &Broadphase) -> PairEvents<'_> {
        PairEvents::of(&world.events.last, &world.categories)
    }

    /// The pairs that ended in the last step, in the order in which the step before it found them. Rows must be as they were.
    pub(crate) fn ended(world: &Broadphase) -> PairEvents<'_> {
        PairEvents::of(&world.events.other, &world.categories)
    }

    /// Bytes of lists and slots.
    pub(crate) fn memory_bytes(&self) -> usize {
        let slots = self.slots.as_ref().map_or(0, PairSlots::memory_bytes);
        let lists = self.last.memory_bytes() + self.other.memory_bytes();
        let others = self.unseen.memory_bytes() + self.doubts.memory_bytes();
        lists + self.departed.memory_bytes() + others + slots
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.last.shrink_to_fit();
        self.other.shrink_to_fit();
        self.departed.shrink_to_fit();
        self.unseen = Spare::default();
        self.doubts = Spare::default();
        if let Some(slots) = &mut self.slots {
            slots.shrink_to_fit();
        }
    }
}

impl Broadphase {
    /// The slots of the pairs of the last step, if pairs have slots.
    pub(crate) fn slots_then(&self) -> Option<SlotsThen<'_>> {
        self.events.slots_then(&self.categories, &self.pool)
    }

    /// Who was in the pairs of two categories in the last step.
    pub(crate) fn sides_then(&self, categories: [CategoryId; 2]) -> SidesThen<'_> {
        SidesThen::new(
            categories,
            &self.categories,
            &self.events.departed,
            &self.pool,
        )
    }
}

/// How rows that are renumbered, and proxies that are removed, are followed.
impl Events {
    /// To be called before a proxy is removed, with all pairs that rest.
    pub(crate) fn note_removal(
        &mut self,
        who: Occupant,
        resting: &[RestingPair],
        categories: &[Category],
        pool: &ProxyPool,
    ) {
        if self.are_idle() {
            return;
        }
        self.departed.note_removal(who);
        if self.departed.are_keys_many() {
            self.forget_keys_of_strangers(resting, categories, pool);
        }
    }

    /// Forgets the keys of those who were removed and were in no pair of the last step. O(pairs).
    #[cold]
    fn forget_keys_of_strangers(
        &mut self,
        resting: &[RestingPair],
        categories: &[Category],
        pool: &ProxyPool,
    ) {
        let in_resting = resting.iter().flat_map(|pair| pair.ids);
        let mut ids: HashSet<_, _> = in_resting.map(ProxyId::to_bits).collect();
        let mut pairs = resting.len();
        for list in self.last.used() {
            let sides = SidesThen::new(list.categories, categories, &self.departed, pool);
            let in_pairs = list.pairs.iter().flat_map(|&pair| sides.who(pair));
            ids.extend(in_pairs.map(|who| who.id.to_bits()));
            pairs += list.pairs.len();
        }
        self.departed.keep_keys_of(&ids, pairs);
    }

    /// To be called when a pair is found again that was resting in the last step, before it is looked for.
    pub(crate) fn pair_woke(
        &mut self,
        pair: &RestingPair,
        categories: &[Category],
        pool: &ProxyPool,
    ) {
        if !self.has_events(pair.categories) {
            return;
        }
        self.forget_index();
        let rows = for_both(|side| {
            let (id, category) = (pair.ids[side], pair.categories[side]);
            let then = SideThen::new(category, categories, &self.departed, pool);
            let slot = pool.get(id.0);
            let place = slot.filter(|slot| slot.category() == category);
            let row = place.map(|slot| slot.row).filter(|&row| then.had(row));
            row.unwrap_or_else(|| self.departed.push(Occupant { id, key: 0 }))
        });
        let list = self.last.extra(pair.categories);
        list.pairs.push(rows);
        if let Some(slots) = &mut self.slots {
            let kept = slots.take_back(pair.ids);
            list.slots
                .push(kept.expect("it was kept when the pair came to rest"));
        }
    }

    /// To be called when pairs of the last step have come to rest, and are not to be found in this one.
    pub(crate) fn pairs_settled(
        &mut self,
        settled: &[RestingPair],
        categories: &[Category],
        pool: &ProxyPool,
    ) {
        if self.slots.is_none() {
            return;
        }
        for pair in settled {
            if !self.has_events(pair.categories) {
                continue;
            }
            let places = pair.ids.map(|id| pool.get(id.0));
            let rows = places.map(|place| place.expect("both are there to rest").row);
            let then = self.slots_then(categories, pool);
            let slot = then.and_then(|then| then.of_pair(pair.categories, rows));
            if let (Some(slots), Some(slot)) = (&mut self.slots, slot) {
                slots.keep(pair.ids, slot);
            }
        }
    }

    /// To be called when such a pair does not rest after all.
    pub(crate) fn pair_unsettled(&mut self, pair: &RestingPair) {
        if let Some(slots) = &mut self.slots {
            slots.take_back(pair.ids);
        }
    }

    /// To be called before the rows of a category are put into another order.
    pub(crate) fn rows_sorted(
        &mut self,
        category: CategoryId,
        order: &Permutation,
        categories: &[Category],
        pool: &ProxyPool,
    ) {
        if self.last.used().is_empty() {
            return;
        }
        let new_rows = order.new_rows();
        self.renumber(category, categories, pool, |row| {
            new_rows.get(row as usize).copied()
        });
    }

    /// To be called before all rows of a category lose their numbers.
    pub(crate) fn rows_lost(
        &mut self,
        category: CategoryId,
        categories: &[Category],
        pool: &ProxyPool,
    ) {
        self.renumber(category, categories, pool, |_| None);
    }

    /// To be called before all rows of all categories lose their numbers.
    pub(crate) fn all_rows_lost(&mut self, categories: &[Category], pool: &ProxyPool) {
        // Those who have departed already may be removed next, and then nobody knows their keys.
        for who in self.departed.iter_mut() {
            who.key = key_now(*who, categories, pool).unwrap_or(who.key);
        }
        for index in 0..categories.len() {
            self.rows_lost(CategoryId::from_index(index), categories, pool);
        }
    }

    /// Gives the rows of then new numbers. Those that have none, or hold another proxy now, are written down as departed.
    fn renumber(
        &mut self,
        category: CategoryId,
        categories: &[Category],
        pool: &ProxyPool,
        new_row: impl Fn(Row) -> Option<Row>,
    ) {
        self.forget_index();
        for list in self.last.used_mut() {
            for side in [0, 1] {
                if list.categories[side] != category {
                    continue;
                }
                for pair in &mut list.pairs {
                    let row = pair[side];
                    if self.departed.get(row).is_some() {
                        continue;
                    }
                    let then = SideThen::new(category, categories, &self.departed, pool);
                    pair[side] = match new_row(row) {
                        Some(kept) if !then.has_changed(row) => kept,
                        _ => {
                            let who = then.who(row);
                            self.departed.push(who)
                        }
                    };
                }
            }
        }
    }

    /// To be called before a world takes over another config: pairs of then are followed by id from here on.
    pub(crate) fn reconfigure(
        &mut self,
        config: &BroadphaseConfig,
        meetings: &MeetingTable,
        categories: &[Category],
        pool: &ProxyPool,
    ) {
        self.all_rows_lost(categories, pool);
        self.table = EventTable::new(config, meetings);
        if !config.pair_slots {
            self.slots = None;
            let lists = self.last.used_mut().iter_mut();
            lists.for_each(|list| list.slots.clear());
        } else if self.slots.is_none() {
            let mut slots = PairSlots::default();
            for list in self.last.used_mut() {
                list.slots.clear();
                list.slots.extend(list.pairs.iter().map(|_| slots.take()));
            }
            self.slots = Some(slots);
        }
    }
}
