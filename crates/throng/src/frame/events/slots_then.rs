//! The slots of the pairs of the last step, by rows or by ids: for those that are not matched with pairs of this one.
//!
//! Most pairs that go on are walked beside the pairs of the last step and take their slots from there ([pair matching]); one that
//! ends is found in the list that it stands in. So only those are left that have changed places: most, if an index of points is
//! built anew, and few, as long as it is refitted. For them an index of all pairs is made when the first is asked for, and thrown
//! away with the step. A table that is kept instead would have to be updated at each begin and each end, at the price of a cache miss
//! each time: with a million pairs, one in fifteen beginning and ending in a step, that took more than half of the step.
//!
//! Pairs of rows that have changed are found by ids. All others are in a hash table by their rows: those that are near each other where
//! rows are in the order of space are near each other in the table as well, but for crowds on one spot ([`Spreading`]).
//!
//! [pair matching]: Simd::unmatched_pairs_and_values

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(doc)]
use throng_core::Simd;
use throng_core::{Executor, Serial, run_each};

use crate::frame::events::listed::ListedPairs;
use crate::frame::events::pair_slots::{NO_SLOT, PairKey, key};
use crate::frame::events::rows_then::{Departed, SidesThen};
use crate::frame::need::Need;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId, ProxyPool, Row, in_order};
use crate::world::index_map::{IndexHashing, clear_table, somewhere, table_bytes};
use crate::world::lazy::Lazy;

/// The pairs of the last step, which have slots, and who is in them.
#[derive(Clone, Copy)]
pub(crate) struct SlotsThen<'w> {
    pub(super) indices: &'w SlotIndices,
    pub(super) lists: &'w [ListedPairs],
    pub(super) categories: &'w [Category],
    pub(super) departed: &'w Departed,
    pub(super) pool: &'w ProxyPool,
}

/// So many pairs of rows are looked for in the lists themselves before an index is made.
const FEW_SCANS: u32 = 8;

impl<'w> SlotsThen<'w> {
    /// The slot that a pair of now had, if it was there.
    pub(crate) fn of_pair(self, categories: [CategoryId; 2], rows: [Row; 2]) -> Option<u32> {
        let sides = self.sides(categories).0;
        let now = self.ids_now(categories, rows);
        let by_rows = if (0..2).all(|side| sides[side].held(rows[side], now[side])) {
            self.of_rows(categories, rows)
        } else {
            None
        };
        by_rows.or_else(|| self.of_ids(now))
    }

    /// The same of two rows, neither of which has changed.
    pub(super) fn of_rows(self, categories: [CategoryId; 2], rows: [Row; 2]) -> Option<u32> {
        let who = RowsOf::new(categories, rows);
        if !self.has_index() {
            let is_like = |list: &&ListedPairs| list.categories == categories;
            let mut like = self.lists.iter().filter(is_like).peekable();
            like.peek()?;
            if self.indices.scans.fetch_add(1, Ordering::Relaxed) < FEW_SCANS {
                return like.find_map(|list| who.slot_in(list));
            }
        }
        let index = self.indices.by_rows.get(|index| index.fill(self, &Serial));
        index.slot(who)
    }

    /// The same of two proxies, if at least one is in a row that has changed, or was.
    pub(super) fn of_ids(self, ids: [ProxyId; 2]) -> Option<u32> {
        let index = self.indices.by_ids.get(|index| index.fill(self));
        index.slots.get(&key(ids)).copied()
    }

    /// What [`of_pair`](Self::of_pair) says in a step, by an index that is made for assertions alone, so that these change nothing of
    /// what is done.
    #[cfg(debug_assertions)]
    pub(super) fn asserted(self, categories: [CategoryId; 2], rows: [Row; 2]) -> Option<u32> {
        let by_ids = self.of_ids(self.ids_now(categories, rows));
        let index = self.indices.asserted.get(|index| index.fill(self, &Serial));
        by_ids.or_else(|| index.slot(RowsOf::new(categories, rows)))
    }

    /// Whether the index by rows has been made.
    pub(super) fn has_index(self) -> bool {
        self.indices.by_rows.made().is_some()
    }

    /// Makes the index by rows now, on all workers. It does no harm if it has been made.
    pub(super) fn make_index(self, executor: &dyn Executor) {
        self.indices.by_rows.get(|index| index.fill(self, executor));
    }

    fn sides(self, ids: [CategoryId; 2]) -> SidesThen<'w> {
        SidesThen::new(ids, self.categories, self.departed, self.pool)
    }

    fn ids_now(self, categories: [CategoryId; 2], rows: [Row; 2]) -> [ProxyId; 2] {
        Category::ids_of_pair(categories.map(|id| &self.categories[id.index()]), rows)
    }
}

/// The indices of one step, each once it is made.
#[derive(Default)]
pub(super) struct SlotIndices {
    by_rows: Lazy<SlotsByRows>,
    by_ids: Lazy<SlotsByIds>,
    /// How many pairs of rows have been looked for in the lists themselves.
    scans: AtomicU32,
    /// The most bytes of both that have been used since memory was last given back.
    used: usize,
    need: Need,
    #[cfg(debug_assertions)]
    asserted: Lazy<SlotsByRows>,
}

/// They are made anew when somebody asks; only the memory is kept.
impl Clone for SlotIndices {
    fn clone(&self) -> Self {
        Self::default()
    }

    fn clone_from(&mut self, _: &Self) {
        self.forget();
    }
}

impl SlotIndices {
    /// To be called when the pairs of the last step, or their rows, are not what they were.
    pub(super) fn forget(&mut self) {
        let by_rows = self.by_rows.made().map_or(0, SlotsByRows::used_bytes);
        let by_ids = self.by_ids.made().map_or(0, SlotsByIds::used_bytes);
        self.used = self.used.max(by_rows + by_ids);
        self.by_rows.forget();
        self.by_ids.forget();
        *self.scans.get_mut() = 0;
        #[cfg(debug_assertions)]
        self.asserted.forget();
    }

    /// Forgets the indices, and gives back memory that has not been needed for long. To be called at the end of each step.
    pub(super) fn let_go(&mut self) {
        self.forget();
        let used = std::mem::take(&mut self.used);
        if self.need.holds_too_much(used, self.memory_bytes()) {
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

/// The slots of pairs with a row that has changed.
#[derive(Default)]
struct SlotsByIds {
    slots: HashMap<PairKey, u32, IndexHashing>,
}

impl SlotsByIds {
    /// O(pairs) if any row has changed.
    fn fill(&mut self, then: SlotsThen<'_>) {
        clear_table(&mut self.slots);
        for list in then.lists {
            let sides = then.sides(list.categories);
            if !sides.any_changed() {
                continue;
            }
            for (&rows, &slot) in list.pairs.iter().zip(&list.slots) {
                if sides.have_changed(rows) {
                    let ids = sides.who(rows).map(|who| who.id);
                    self.slots.insert(key(ids), slot);
                }
            }
        }
    }

    fn used_bytes(&self) -> usize {
        table_bytes::<(PairKey, u32)>(self.slots.len())
    }

    fn memory_bytes(&self) -> usize {
        table_bytes::<(PairKey, u32)>(self.slots.capacity())
    }
}

/// The slots of all other pairs: a hash table.
#[derive(Default)]
struct SlotsByRows {
    /// All pairs, list after list.
    pairs: Vec<IndexedPair>,
    /// For each bucket the place of a pair in it. No place if it is empty.
    heads: Vec<AtomicU32>,
    spreading: Spreading,
}

/// How many pairs are looked up to judge the buckets.
const LOOKED_UP: usize = 256;
/// Buckets are too full if more pairs than this are passed on the way to one, on average.
const TOO_MANY: usize = 8;
/// A look-up of the sample passes no more than this.
const GIVEN_UP: usize = 128;

/// A pair, in the linked list of its bucket.
#[derive(Clone, Copy, Default)]
struct IndexedPair {
    who: RowsOf,
    /// [`NO_SLOT`] if it is in no list, because a row has changed.
    slot: u32,
    /// The place of the next in the list.
    next: u32,
}

/// Two rows, and their categories.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct RowsOf {
    categories: [CategoryId; 2],
    rows: [Row; 2],
}

/// No place: there are fewer pairs, because each has a slot.
const NONE: u32 = u32::MAX;

impl RowsOf {
    fn new(categories: [CategoryId; 2], rows: [Row; 2]) -> Self {
        // Since the last step, rows may have been put into another order.
        let rows = in_order(categories[0] == categories[1], rows);
        Self { categories, rows }
    }

    /// The slot of the pair of these rows in a list of pairs of the same categories.
    fn slot_in(self, list: &ListedPairs) -> Option<u32> {
        let mut pairs = list.pairs.iter();
        let place = pairs.position(|&rows| Self::new(list.categories, rows) == self)?;
        list.slots.get(place).copied()
    }

    /// If they are spread [near](Spreading::Near) each other: where rows are in the order of space, pairs that are near each other have
    /// buckets that are. And of one row, no more than two pairs share a bucket, however many there are.
    #[inline]
    fn bucket(self, buckets: usize, spreading: Spreading) -> usize {
        let [a, b] = self.rows.map(|row| row as usize);
        let [c, d] = self.categories.map(CategoryId::index);
        let of_categories = (c << 16 | d).wrapping_mul(0x9e37_79b1);
        // Twice one of them, since mere sums are all the same where rows mirror each other.
        let place = a.wrapping_add(b.wrapping_mul(2));
        let from = match spreading {
            Spreading::Near => 0,
            Spreading::Apart => somewhere(b as u64 / 8, buckets),
        };
        place.wrapping_add(from).wrapping_add(of_categories) & (buckets - 1)
    }
}

/// How pairs are spread over buckets.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Spreading {
    /// Pairs of rows that are near each other have buckets that are.
    #[default]
    Near,
    /// For crowds in which everybody overlaps with everybody: they have far more pairs than there are sums of two rows. Each eight rows on
    /// the right have their buckets somewhere else, so that no more than eight of their pairs share one, and others seldom come on top. In
    /// worlds without such crowds that takes up to twice as long, since it reads memory in no order.
    Apart,
}

impl SlotsByRows {
    /// O(pairs), on all workers.
    fn fill(&mut self, then: SlotsThen<'_>, executor: &dyn Executor) {
        self.fill_as(Spreading::Near, then, executor);
        if self.buckets_are_too_full() {
            self.fill_as(Spreading::Apart, then, executor);
        }
    }

    /// Whether looking up a pair takes long, judged by a sample.
    fn buckets_are_too_full(&self) -> bool {
        let every = self.pairs.len().div_ceil(LOOKED_UP).max(1);
        let sample = self.pairs.iter().step_by(every);
        let (mut looked_up, mut passed) = (0, 0);
        for pair in sample.filter(|pair| pair.slot != NO_SLOT) {
            looked_up += 1;
            passed += self.passed(pair.who);
        }
        passed > TOO_MANY * looked_up
    }

    /// How many pairs are looked at on the way to a pair.
    fn passed(&self, who: RowsOf) -> usize {
        let on_the_way = self.in_bucket_of(who).take(GIVEN_UP);
        on_the_way.take_while(|pair| pair.who != who).count()
    }

    fn fill_as(&mut self, spreading: Spreading, then: SlotsThen<'_>, executor: &dyn Executor) {
        self.spreading = spreading;
        let lists = then.lists;
        let len: usize = lists.iter().map(|list| list.pairs.len()).sum();
        self.pairs.resize(len, IndexedPair::default());
        self.heads.clear();
        let buckets = len.next_power_of_two();
        self.heads.resize_with(buckets, || AtomicU32::new(NONE));
        let heads = &self.heads;
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
            let sides = then.sides(list.categories);
            let any_changed = sides.any_changed();
            let listed = list.pairs.iter().zip(&list.slots);
            for ((place, indexed), (&rows, &slot)) in (place..).zip(part).zip(listed) {
                if any_changed && sides.have_changed(rows) {
                    indexed.slot = NO_SLOT;
                    continue;
                }
                let who = RowsOf::new(list.categories, rows);
                let head = &heads[who.bucket(buckets, spreading)];
                let next = if is_alone {
                    let next = head.load(Ordering::Relaxed);
                    head.store(place, Ordering::Relaxed);
                    next
                } else {
                    head.swap(place, Ordering::Relaxed)
                };
                *indexed = IndexedPair { who, slot, next };
            }
        });
    }

    #[inline]
    fn slot(&self, who: RowsOf) -> Option<u32> {
        let found = self.in_bucket_of(who).find(|pair| pair.who == who);
        found.map(|pair| pair.slot)
    }

    /// The pairs in the bucket of a pair.
    #[inline]
    fn in_bucket_of(&self, who: RowsOf) -> impl Iterator<Item = &IndexedPair> {
        let head = &self.heads[who.bucket(self.heads.len(), self.spreading)];
        let mut place = head.load(Ordering::Relaxed);
        std::iter::from_fn(move || {
            let pair = self.pairs.get(place as usize)?;
            place = pair.next;
            Some(pair)
        })
    }

    fn used_bytes(&self) -> usize {
        Self::bytes(self.pairs.len(), self.heads.len())
    }

    fn memory_bytes(&self) -> usize {
        Self::bytes(self.pairs.capacity(), self.heads.capacity())
    }

    fn bytes(pairs: usize, heads: usize) -> usize {
        pairs * size_of::<IndexedPair>() + heads * size_of::<AtomicU32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many pairs the fullest of as many buckets as there are pairs has.
    fn most_in_a_bucket(pairs: &[RowsOf], spreading: Spreading) -> usize {
        let mut counts = vec![0; pairs.len().next_power_of_two()];
        for pair in pairs {
            counts[pair.bucket(pairs.len().next_power_of_two(), spreading)] += 1;
        }
        counts.into_iter().max().unwrap()
    }

    #[test]
    fn no_bucket_has_many_pairs() {
        let of = |a, b| [a, b].map(CategoryId::new);
        let rows = |rows: &dyn Fn(u32) -> [Row; 2]| {
            let pair = |k| RowsOf::new(of(0, 0), rows(k));
            (0..10_000).map(pair).collect::<Vec<_>>()
        };
        let near = |pairs: &[RowsOf]| most_in_a_bucket(pairs, Spreading::Near);
        // One with all others, below them and above; each with the next, and with the one opposite; many small categories.
        assert!(near(&rows(&|k| [0, k + 1])) <= 2);
        assert!(near(&rows(&|k| [k, 10_000])) <= 2);
        assert!(near(&rows(&|k| [k, k + 1])) <= 2);
        assert!(near(&rows(&|k| [k, 20_000 - k])) <= 8);
        let few = |k: u16| RowsOf::new(of(k / 3, k / 3), [[0, 1], [0, 2], [1, 2]][k as usize % 3]);
        let small: Vec<_> = (0..10_000).map(few).collect();
        assert!(near(&small) <= 16, "{}", near(&small));
    }

    /// An index of pairs whose slots are their places.
    fn index(pairs: &[RowsOf], spreading: Spreading) -> SlotsByRows {
        let buckets = pairs.len().next_power_of_two();
        let heads: Vec<_> = (0..buckets).map(|_| AtomicU32::new(NONE)).collect();
        let link = |(slot, &who): (u32, &RowsOf)| {
            let head = &heads[who.bucket(buckets, spreading)];
            let next = head.swap(slot, Ordering::Relaxed);
            IndexedPair { who, slot, next }
        };
        let pairs = (0..).zip(pairs).map(link).collect();
        SlotsByRows {
            pairs,
            heads,
            spreading,
        }
    }

    #[test]
    fn crowds_on_one_spot_are_noticed_and_spread() {
        let of = [0, 0].map(CategoryId::new);
        let pairs = |rows: u32, most: u32| -> Vec<_> {
            let pairs = (0..rows).flat_map(|b| (b.saturating_sub(most)..b).map(move |a| [a, b]));
            pairs.map(|rows| RowsOf::new(of, rows)).collect()
        };
        for (rows, most, is_crowd) in [(200, 200, true), (10_000, 4, false), (2, 2, false)] {
            let pairs = pairs(rows, most);
            let [near, apart] = [Spreading::Near, Spreading::Apart].map(|how| index(&pairs, how));
            assert_eq!(near.buckets_are_too_full(), is_crowd, "{rows}");
            assert!(!apart.buckets_are_too_full());
            for index in [near, apart] {
                assert!(
                    (0..)
                        .zip(&pairs)
                        .all(|(slot, &who)| index.slot(who) == Some(slot))
                );
                assert_eq!(index.slot(RowsOf::new(of, [rows, rows + 1])), None);
            }
            assert!(most_in_a_bucket(&pairs, Spreading::Apart) <= 16);
        }
    }
}
