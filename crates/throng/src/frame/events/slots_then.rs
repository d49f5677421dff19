//! The slots of the pairs of the last step, by rows or by ids: for those that are not matched with pairs of this one.
//!
//! Most pairs that go on are walked beside the pairs of the last step and take their slots from there ([`carried_slots`]); one that
//! ends is found in the list that it stands in. So only those are left that have changed places: all, if an index is built
//! anew, and few, as long as it is refitted. For them an index is made when the first asks, of all pairs, and thrown away with the
//! step. A table that is kept instead has to be told of each begin and each end, where memory is waited for each time: with a
//! million pairs, one in fifteen beginning and ending in a step, that took more than half of the step.
//!
//! Pairs of rows that have changed are found by ids. All others are in linked lists by their first row, of which an engine that
//! keeps its rows in the order of space has the next one in the cache.
//!
//! [`carried_slots`]: super::carried_slots

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use throng_core::{Executor, Serial, run_each};

use crate::frame::events::listed::{ListedPairs, Lists};
use crate::frame::events::pair_slots::{PairKey, key};
use crate::frame::events::rows_then::{Departed, SideThen};
use crate::frame::outputs::Need;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId, ProxyPool, Row};
use crate::world::index_map::IndexHashing;

/// The pairs of the last step, which have slots, and who is in them.
#[derive(Clone, Copy)]
pub(super) struct PairsThen<'w> {
    pub(super) lists: &'w Lists,
    pub(super) categories: &'w [Category],
    pub(super) departed: &'w Departed,
    pub(super) pool: &'w ProxyPool,
}

impl<'w> PairsThen<'w> {
    pub(super) fn sides(&self, ids: [CategoryId; 2]) -> [SideThen<'w>; 2] {
        ids.map(|id| SideThen::new(id, self.categories, self.departed, self.pool))
    }
}

/// The index of one step, once it is made.
#[derive(Default)]
pub(super) struct SlotsThen {
    made: OnceLock<SlotIndex>,
    /// Memory for the next one.
    spare: Mutex<SlotIndex>,
    need: Need,
}

impl SlotsThen {
    /// Makes the index now, on all workers. It does no harm if it has been made.
    pub(super) fn make(&self, pairs: PairsThen<'_>, executor: &dyn Executor) {
        self.made(pairs, executor);
    }

    pub(super) fn is_made(&self) -> bool {
        self.made.get().is_some()
    }

    /// The slot of two rows, which must hold who they held then.
    pub(super) fn of_rows(
        &self,
        pairs: PairsThen<'_>,
        categories: [CategoryId; 2],
        rows: [Row; 2],
    ) -> Option<u32> {
        self.made(pairs, &Serial).of_rows(categories, rows)
    }

    /// The slot of two proxies, of which at least one is in a row that has changed, or was.
    pub(super) fn of_ids(&self, pairs: PairsThen<'_>, ids: [ProxyId; 2]) -> Option<u32> {
        let index = self.made(pairs, &Serial);
        index.by_ids.get(&key(ids)).copied()
    }

    fn made(&self, pairs: PairsThen<'_>, executor: &dyn Executor) -> &SlotIndex {
        self.made.get_or_init(|| {
            let mut index = std::mem::take(&mut *self.spare.lock());
            index.fill(pairs, executor);
            index
        })
    }

    /// To be called when the pairs of the last step, or their rows, are not what they were.
    pub(super) fn forget(&mut self) {
        if let Some(index) = self.made.take() {
            *self.spare.get_mut() = index;
        }
    }

    /// Gives back memory that has not been needed for long. To be called once in each step, when it is done with the index.
    pub(super) fn let_go(&mut self) {
        let used = self.made.get().map_or(0, SlotIndex::used_bytes);
        if self.need.holds_too_much(used, self.memory_bytes()) {
            self.shrink_to_fit();
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let spare = self.spare.lock().memory_bytes();
        self.made.get().map_or(spare, SlotIndex::memory_bytes)
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.made.take();
        *self.spare.get_mut() = SlotIndex::default();
    }
}

#[derive(Default)]
struct SlotIndex {
    /// All pairs, list after list.
    pairs: Vec<IndexedPair>,
    /// By category and row: the place of the last pair whose first row it is. No place if there is none.
    last: Vec<Vec<AtomicU32>>,
    /// The slots of pairs with a row that has changed; these are in no list.
    by_ids: HashMap<PairKey, u32, IndexHashing>,
}

/// A pair, in the list of its first row.
#[derive(Clone, Copy, Default)]
struct IndexedPair {
    second: Row,
    second_category: CategoryId,
    slot: u32,
    /// The place of the next in the list.
    next: u32,
}

/// No place: there are fewer pairs, because each has a slot.
const NONE: u32 = u32::MAX;

/// Two rows, of one category the lower first: since then, rows may have been put into another order.
fn in_order(categories: [CategoryId; 2], [a, b]: [Row; 2]) -> [Row; 2] {
    if categories[0] == categories[1] {
        [a.min(b), a.max(b)]
    } else {
        [a, b]
    }
}

impl SlotIndex {
    /// O(pairs + rows), on all workers but for the rows.
    fn fill(&mut self, pairs: PairsThen<'_>, executor: &dyn Executor) {
        // Clearing takes as long as the table has capacity, which may be large.
        if !self.by_ids.is_empty() {
            self.by_ids.clear();
        }
        let lists = pairs.lists.used();
        self.last
            .resize_with(pairs.categories.len(), Default::default);
        for (index, (last, category)) in self.last.iter_mut().zip(pairs.categories).enumerate() {
            let is_first = |list: &ListedPairs| list.categories[0].index() == index;
            let rows = category.then.as_ref().map_or(0, |then| then.rows);
            last.clear();
            if lists.iter().any(is_first) {
                last.resize_with(rows, || AtomicU32::new(NONE));
            }
        }
        let len = lists.iter().map(|list| list.pairs.len()).sum();
        self.pairs.resize(len, IndexedPair::default());
        let (last, by_ids) = (&self.last, Mutex::new(&mut self.by_ids));
        let (mut left, mut first) = (&mut self.pairs[..], 0);
        let parts = lists.iter().map(|list| {
            let all = std::mem::take(&mut left);
            let (part, others) = all.split_at_mut(list.pairs.len());
            let place = first;
            (left, first) = (others, first + part.len() as u32);
            (place, list, part)
        });
        let is_alone = executor.threads() == 1;
        run_each(executor, parts, |_, (place, list, part)| {
            let sides = pairs.sides(list.categories);
            let is_other = sides.iter().any(SideThen::is_other);
            let last = last.get(list.categories[0].index());
            let listed = list.pairs.iter().zip(&list.slots);
            for ((place, indexed), (&rows, &slot)) in (place..).zip(part).zip(listed) {
                if is_other && (sides[0].has_changed(rows[0]) || sides[1].has_changed(rows[1])) {
                    let ids = [0, 1].map(|side: usize| sides[side].who(rows[side]).id);
                    by_ids.lock().insert(key(ids), slot);
                    continue;
                }
                let [first, second] = in_order(list.categories, rows);
                let last = &last.expect("it has rows")[first as usize];
                let next = if is_alone {
                    let next = last.load(Ordering::Relaxed);
                    last.store(place, Ordering::Relaxed);
                    next
                } else {
                    last.swap(place, Ordering::Relaxed)
                };
                *indexed = IndexedPair {
                    second,
                    second_category: list.categories[1],
                    slot,
                    next,
                };
            }
        });
    }

    fn of_rows(&self, categories: [CategoryId; 2], rows: [Row; 2]) -> Option<u32> {
        let [first, second] = in_order(categories, rows);
        let last = self.last.get(categories[0].index())?;
        let mut place = last.get(first as usize)?.load(Ordering::Relaxed);
        while let Some(pair) = self.pairs.get(place as usize) {
            if (pair.second, pair.second_category) == (second, categories[1]) {
                return Some(pair.slot);
            }
            place = pair.next;
        }
        None
    }

    fn used_bytes(&self) -> usize {
        let last = self.last.iter().map(Vec::len).sum();
        Self::bytes(self.pairs.len(), last, self.by_ids.len())
    }

    fn memory_bytes(&self) -> usize {
        let last = self.last.iter().map(Vec::capacity).sum();
        Self::bytes(self.pairs.capacity(), last, self.by_ids.capacity())
    }

    fn bytes(pairs: usize, last: usize, by_ids: usize) -> usize {
        // The table uses one more byte per entry.
        let by_ids = by_ids * (size_of::<(PairKey, u32)>() + 1);
        pairs * size_of::<IndexedPair>() + last * size_of::<AtomicU32>() + by_ids
    }
}
