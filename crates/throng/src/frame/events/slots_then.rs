//! The slots of the pairs of the last step, by rows or by ids: for those that are not matched with pairs of this one.
//!
//! Most pairs that go on are walked beside the pairs of the last step and take their slots from there ([pair matching]); one that
//! ends is found in the list that it stands in. So only those are left that have changed places: most, if an index of points is
//! built anew, and few, as long as it is refitted. For them an index of all pairs is made when the first is asked for, and thrown
//! away with the step. A table that is kept instead has to be told of each begin and each end, where memory is waited for each time: with a
//! million pairs, one in fifteen beginning and ending in a step, that took more than half of the step.
//!
//! Pairs of rows that have changed are found by ids. All others are in linked lists by their first row, of which an engine that
//! keeps its rows in the order of space has the next one in the cache.
//!
//! [pair matching]: Simd::unmatched_pairs_and_values

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
#[cfg(doc)]
use throng_core::Simd;
use throng_core::{Executor, Serial, for_both, run_each};

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

/// The indices of one step, each once it is made.
#[derive(Default)]
pub(super) struct SlotsThen {
    by_rows: Lazy<SlotsByRows>,
    by_ids: Lazy<SlotsByIds>,
    need: Need,
}

impl SlotsThen {
    /// Makes the index by rows now, on all workers. It does no harm if it has been made.
    pub(super) fn make(&self, pairs: PairsThen<'_>, executor: &dyn Executor) {
        self.by_rows.get(|index| index.fill(pairs, executor));
    }

    pub(super) fn has_rows(&self) -> bool {
        self.by_rows.made.get().is_some()
    }

    /// The slot of two rows, neither of which has changed.
    pub(super) fn of_rows(
        &self,
        pairs: PairsThen<'_>,
        categories: [CategoryId; 2],
        rows: [Row; 2],
    ) -> Option<u32> {
        let index = self.by_rows.get(|index| index.fill(pairs, &Serial));
        index.slot(categories, rows)
    }

    /// The slot of two proxies, of which at least one is in a row that has changed, or was.
    pub(super) fn of_ids(&self, pairs: PairsThen<'_>, ids: [ProxyId; 2]) -> Option<u32> {
        let index = self.by_ids.get(|index| index.fill(pairs));
        index.slots.get(&key(ids)).copied()
    }

    /// To be called when the pairs of the last step, or their rows, are not what they were.
    pub(super) fn forget(&mut self) {
        self.by_rows.forget();
        self.by_ids.forget();
    }

    /// Gives back memory that has not been needed for long. To be called once in each step, when it is done with the indices.
    pub(super) fn let_go(&mut self) {
        let by_rows = self.by_rows.made.get().map_or(0, SlotsByRows::used_bytes);
        let by_ids = self.by_ids.made.get().map_or(0, SlotsByIds::used_bytes);
        if (self.need).holds_too_much(by_rows + by_ids, self.memory_bytes()) {
            self.shrink_to_fit();
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.by_rows.bytes(SlotsByRows::memory_bytes) + self.by_ids.bytes(SlotsByIds::memory_bytes)
    }

    pub(super) fn shrink_to_fit(&mut self) {
        (self.by_rows, self.by_ids) = Default::default();
    }
}

/// Something that is made when it is first asked for, from the memory of the last one.
#[derive(Default)]
struct Lazy<T> {
    made: OnceLock<T>,
    spare: Mutex<T>,
}

impl<T: Default> Lazy<T> {
    fn get(&self, fill: impl FnOnce(&mut T)) -> &T {
        self.made.get_or_init(|| {
            let mut made = std::mem::take(&mut *self.spare.lock());
            fill(&mut made);
            made
        })
    }

    fn forget(&mut self) {
        if let Some(made) = self.made.take() {
            *self.spare.get_mut() = made;
        }
    }

    fn bytes(&self, bytes: impl Fn(&T) -> usize) -> usize {
        (self.made.get()).map_or_else(|| bytes(&self.spare.lock()), &bytes)
    }
}

/// The slots of pairs with a row that has changed.
#[derive(Default)]
struct SlotsByIds {
    slots: HashMap<PairKey, u32, IndexHashing>,
}

impl SlotsByIds {
    /// O(pairs) if any row has changed.
    fn fill(&mut self, pairs: PairsThen<'_>) {
        // Clearing takes as long as the table has capacity, which may be large.
        if !self.slots.is_empty() {
            self.slots.clear();
        }
        for list in pairs.lists.used() {
            let sides = pairs.sides(list.categories);
            if !sides.iter().any(SideThen::is_other) {
                continue;
            }
            for (&rows, &slot) in list.pairs.iter().zip(&list.slots) {
                if sides[0].has_changed(rows[0]) || sides[1].has_changed(rows[1]) {
                    let ids = for_both(|side| sides[side].who(rows[side]).id);
                    self.slots.insert(key(ids), slot);
                }
            }
        }
    }

    fn used_bytes(&self) -> usize {
        Self::bytes(self.slots.len())
    }

    fn memory_bytes(&self) -> usize {
        Self::bytes(self.slots.capacity())
    }

    fn bytes(pairs: usize) -> usize {
        // The table uses one more byte per entry.
        pairs * (size_of::<(PairKey, u32)>() + 1)
    }
}

/// The slots of all other pairs.
#[derive(Default)]
struct SlotsByRows {
    /// All pairs, list after list.
    pairs: Vec<IndexedPair>,
    /// By category and row: the place of the last pair whose first row it is. No place if there is none.
    last: Vec<Vec<AtomicU32>>,
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

impl SlotsByRows {
    /// O(pairs + rows), on all workers but for the rows.
    fn fill(&mut self, pairs: PairsThen<'_>, executor: &dyn Executor) {
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
        let last = &self.last;
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

    fn slot(&self, categories: [CategoryId; 2], rows: [Row; 2]) -> Option<u32> {
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
        Self::bytes(self.pairs.len(), last)
    }

    fn memory_bytes(&self) -> usize {
        let last = self.last.iter().map(Vec::capacity).sum();
        Self::bytes(self.pairs.capacity(), last)
    }

    fn bytes(pairs: usize, last: usize) -> usize {
        pairs * size_of::<IndexedPair>() + last * size_of::<AtomicU32>()
    }
}
