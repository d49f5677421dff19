//! The pairs of a chunk as they are found: listed, and matched with those of the last step.

use std::time::Duration;

use parking_lot::MutexGuard;
use throng_core::Simd;

use crate::frame::clock::Clock;
use crate::frame::events::event::PairEvent;
use crate::frame::events::listed::ListedPairs;
use crate::frame::events::pair_slots::{NO_SLOT, PairSlots};
use crate::frame::events::rows_then::RowsThen;
use crate::world::category::Category;
use crate::world::ids::{ProxyId, Row};

/// Lists the pairs of a chunk, and finds which of them have begun.
///
/// If pairs have no slots, that is done for all of a chunk at once; otherwise batch by batch, for the narrowphase to be told.
pub(crate) struct Listing<'w> {
    list: MutexGuard<'w, ListedPairs>,
    sides: [&'w Category; 2],
    then: [&'w RowsThen; 2],
    /// Whether any row may hold another proxy than in the last step.
    is_other: bool,
    /// Whether a pair whose boxes did not overlap then was in no list then.
    boxes_tell: bool,
    slots: Option<&'w PairSlots>,
    /// The pairs of the same chunk of the last step, and their slots, from where the walk has come to. None if there is nothing to
    /// be compared with, or too little in common.
    before: (&'w [[Row; 2]], &'w [u32]),
    /// How many pairs of this step have been matched.
    matched: usize,
    simd: Simd,
    /// How long that took, while pairs were still being found.
    spent: Duration,
    clock: Clock,
}

impl<'w> Listing<'w> {
    /// For the empty list of a chunk.
    pub(crate) fn new(
        list: MutexGuard<'w, ListedPairs>,
        categories: &'w [Category],
        simd: Simd,
        clock: Clock,
    ) -> Self {
        let sides = list.categories.map(|id| &categories[id.index()]);
        let then = sides.map(|side| side.then.as_deref().expect("its pairs are listed"));
        let mut both = sides.iter().zip(then);
        let is_other = both.any(|(side, then)| then.is_other(side.len()));
        Self {
            list,
            sides,
            then,
            is_other,
            boxes_tell: !is_other,
            slots: None,
            before: (&[], &[]),
            matched: 0,
            simd,
            spent: Duration::ZERO,
            clock,
        }
    }

    /// The same for pairs that have slots, if there are slots.
    pub(crate) fn with_slots(self, slots: Option<&'w PairSlots>) -> Self {
        Self { slots, ..self }
    }

    /// The same after a step that listed `before` for a chunk of the same number, if it had such a chunk; and that was not cut, if it
    /// `is_whole`.
    pub(crate) fn after(mut self, before: Option<&'w ListedPairs>, is_whole: bool) -> Self {
        self.boxes_tell &= is_whole;
        // Only as long as each row holds the proxy that it held, two pairs of the same rows are the same.
        if let Some(before) = before.filter(|_| !self.is_other)
            && before.categories == self.list.categories
            // Pairs that had no slots may have some now, and those that rested are listed without.
            && (self.slots.is_none() || before.slots.len() == before.pairs.len())
        {
            self.before = (&before.pairs, &before.slots);
        }
        self
    }

    /// Lists some more pairs. Returns the slot of each, if pairs have slots; [`NO_SLOT`] for those that have begun.
    pub(crate) fn add(&mut self, pairs: &[[Row; 2]]) -> Option<&[u32]> {
        self.list.pairs.extend_from_slice(pairs);
        self.slots?;
        let (first, started) = (self.matched, self.clock.now());
        self.match_pairs();
        self.spent = self.spent.saturating_add(self.clock.since(started));
        Some(&self.list.slots[first..])
    }

    /// How long it took to match pairs while they were listed.
    pub(crate) fn spent(&self) -> Duration {
        self.spent
    }

    /// To be called when all pairs are listed. Returns how long it took to match them, all together.
    pub(crate) fn finish(mut self) -> Duration {
        let started = self.clock.now();
        self.match_pairs();
        let (ids, sides, then) = (self.list.categories, self.sides, self.then);
        if self.is_other {
            self.list.told.doubt(|pair| {
                let [a, b] = pair.map(|row| row as usize);
                let is_sure = then[0].boxes.has(a) && then[1].boxes.has(b);
                (!is_sure).then(|| PairEvent::now(ids, pair, sides))
            });
        }
        self.spent.saturating_add(self.clock.since(started))
    }

    /// Finds which of the pairs listed since the last time have begun, and the slots of all.
    fn match_pairs(&mut self) {
        let list = &mut *self.list;
        let pairs = &list.pairs[self.matched..];
        let [unmatched, unmatched_then] = &mut list.unmatched;
        unmatched.clear();
        let (first_then, first_told) = (unmatched_then.len(), list.told.rows.len());
        let (before, before_slots) = self.before;
        let walked = self
            .simd
            .unmatched_pairs([pairs, before], [unmatched, unmatched_then]);
        let (seen, others) = pairs.split_at(walked[0]);
        let boxes = self.then.map(|then| then.boxes.by_row());
        let told = &mut list.told.rows;
        self.simd.pairs_apart(unmatched, boxes, told);
        self.simd.pairs_apart(others, boxes, told);
        if let Some(table) = self.slots {
            let matches = Matches {
                now: [seen, unmatched],
                then: [&before[..walked[1]], &unmatched_then[first_then..]],
                slots: before_slots,
                others,
                began: if self.boxes_tell {
                    &told[first_told..]
                } else {
                    &[]
                },
            };
            let sides = self.sides;
            let look_up = |pair| table.get(ids(sides, pair)).unwrap_or(NO_SLOT);
            matches.append_slots(look_up, &mut list.slots);
        }
        list.walked_then += walked[1];
        self.matched += pairs.len();
        self.before = if others.is_empty() {
            let left = before_slots.get(walked[1]..).unwrap_or(&[]);
            (&before[walked[1]..], left)
        } else {
            (&[], &[])
        };
    }
}

fn ids(sides: [&Category; 2], pair: [Row; 2]) -> [ProxyId; 2] {
    throng_core::for_both(|side| sides[side].id_in_row(pair[side] as usize))
}

/// Pairs of this step, walked beside pairs of the last one, which have slots.
struct Matches<'m> {
    /// Those that were walked, and which of them are unmatched.
    now: [&'m [[Row; 2]]; 2],
    then: [&'m [[Row; 2]]; 2],
    slots: &'m [u32],
    /// Those of now that were not walked.
    others: &'m [[Row; 2]],
    /// Which of now have begun for sure, in order.
    began: &'m [[Row; 2]],
}

impl Matches<'_> {
    /// Appends the slot of each pair of now: that of the pair of then that it matches, or else what `look_up` says.
    ///
    /// Pairs that match are in the same order in both lists, so what is unmatched cuts both into the same runs.
    fn append_slots(mut self, look_up: impl Fn([Row; 2]) -> u32, slots: &mut Vec<u32>) {
        let first = slots.len();
        let [mut now, mut then] =
            [self.now, self.then].map(|[all, unmatched]| Cut::new(all, unmatched));
        while now.at < now.all.len() {
            if now.at == now.next {
                slots.push(self.slot_of_unmatched(now.all[now.at], &look_up));
                now.go_on();
            } else if then.at == then.next {
                then.go_on();
            } else {
                let run = (now.next - now.at).min(then.next - then.at);
                slots.extend_from_slice(&self.slots[then.at..then.at + run]);
                (now.at, then.at) = (now.at + run, then.at + run);
            }
        }
        for &pair in self.others {
            slots.push(self.slot_of_unmatched(pair, &look_up));
        }
        let all = self.now[0].iter().chain(self.others);
        debug_assert!(
            all.map(|&pair| look_up(pair))
                .eq(slots[first..].iter().copied()),
            "a look-up says the same"
        );
    }

    /// The slot of the next pair that is unmatched.
    fn slot_of_unmatched(&mut self, pair: [Row; 2], look_up: &impl Fn([Row; 2]) -> u32) -> u32 {
        let has_begun = self.began.first() == Some(&pair);
        self.began = &self.began[usize::from(has_begun)..];
        if has_begun { NO_SLOT } else { look_up(pair) }
    }
}

/// A list, and those in it that are unmatched, from some place on.
struct Cut<'c> {
    all: &'c [[Row; 2]],
    unmatched: std::slice::Iter<'c, [Row; 2]>,
    at: usize,
    /// Where the next unmatched one is, or the end.
    next: usize,
}

impl<'c> Cut<'c> {
    fn new(all: &'c [[Row; 2]], unmatched: &'c [[Row; 2]]) -> Self {
        let unmatched = unmatched.iter();
        let mut cut = Self {
            all,
            unmatched,
            at: 0,
            next: 0,
        };
        cut.find_next();
        cut
    }

    /// Passes the unmatched one that it has come to.
    fn go_on(&mut self) {
        self.at += 1;
        self.next = self.at;
        self.find_next();
    }

    fn find_next(&mut self) {
        let left = &self.all[self.next..];
        let next = self.unmatched.next();
        let run = next.and_then(|next| left.iter().position(|pair| pair == next));
        self.next += run.unwrap_or(left.len());
    }
}
