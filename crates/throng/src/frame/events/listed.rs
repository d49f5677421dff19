//! The pairs of a step, chunk by chunk, and which of them began or ended.

use std::mem;

use educe::Educe;
use throng_core::{Arena, BoxesByRow, Simd};

use crate::frame::events::event::PairEvent;
use crate::frame::events::pair_slots::NO_SLOT;
use crate::frame::events::pair_table::PairTable;
use crate::frame::events::rows_then::are_unchanged;
use crate::frame::events::unseen::{MaybeInBoth, assert_apart};
use crate::frame::narrowphase::ChunkOutput;
use crate::frame::need::Need;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, Row};

/// The pairs of one chunk.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct ListedPairs {
    pub(crate) categories: [CategoryId; 2],
    pub(crate) pairs: Vec<[Row; 2]>,
    /// The slot of each, where pairs have slots: [`NO_SLOT`] for those that begin in this step, until all its pairs are found.
    pub(crate) slots: Vec<u32>,
    pub(crate) told: Told,
    /// How many pairs have been walked beside those of the last step, and which of them were not seen among these. Where pairs have
    /// slots, that says something only of the batch at hand.
    pub(crate) walked: usize,
    pub(crate) unmatched: Vec<[Row; 2]>,
    /// How many pairs of the same chunk of the last step have been walked, and which of them were not seen among these.
    pub(crate) walked_then: usize,
    pub(crate) unmatched_then: Vec<[Row; 2]>,
    /// Whether `told` has those that began, before all pairs of the step are known.
    pub(crate) is_told: bool,
    /// Whether `unmatched_then` has those that ended, and no others, because no pair of this chunk can be in another.
    pub(crate) tells_ended: bool,
    /// Of which chunk these pairs are, of those in which a category's main index is searched for its own pairs, and none of them rests.
    pub(crate) own_chunk: Option<usize>,
    need: Need,
}

/// Those pairs of a chunk that began, or that ended.
///
/// Of most of them only the rows are kept, an eighth of an event, and the rest is looked up by whoever reads them.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct Told {
    /// The rows of each, as they are now; or [`WRITTEN`] and a place in `written`.
    pub(crate) rows: Vec<[Row; 2]>,
    /// Those of which a row has changed.
    written: Vec<PairEvent>,
    /// The slot of each, where pairs have slots.
    pub(crate) slots: Vec<u32>,
}

/// There is always room for this many events of a chunk.
pub(super) const FEW: usize = 64;
/// No row.
const WRITTEN: Row = Row::MAX;

impl ListedPairs {
    /// Whether this is a list of the same chunk as one of the last step, of those in which a category's main index is searched for its
    /// own pairs.
    pub(crate) fn is_of_chunk(&self, then: &Self) -> bool {
        self.own_chunk.is_some() && self.own_chunk == then.own_chunk
    }

    /// How many began or ended.
    pub(crate) fn events(&self) -> usize {
        self.told.rows.len()
    }

    /// The pairs that no walk has seen among those of the last step, if pairs have no slots. None if all is told.
    pub(crate) fn unseen(&self) -> [&[[Row; 2]]; 2] {
        debug_assert!(self.slots.is_empty(), "only the last batch is known");
        if self.tells_ended {
            return [&[]; 2];
        }
        self.missed()
    }

    /// The pairs that the walk has not seen among those of the last step, or has not come to.
    fn missed(&self) -> [&[[Row; 2]]; 2] {
        [&self.unmatched, &self.pairs[self.walked..]]
    }

    /// The pairs of this list of the last step that no walk has seen among those of this one. `now` is the list of the same chunk.
    pub(crate) fn unseen_by<'l>(&'l self, now: Option<&'l Self>) -> [&'l [[Row; 2]]; 2] {
        match now {
            Some(now) if now.tells_ended => [&[]; 2],
            Some(now) => [&now.unmatched_then, &self.pairs[now.walked_then..]],
            None => [&[], &self.pairs],
        }
    }

    /// One of those that began or ended, by its place among all. Rows must be as they are in the index.
    #[inline]
    pub(crate) fn event(&self, place: usize, categories: &[Category]) -> Option<PairEvent> {
        let ids = self.categories;
        self.told.event(place, |pair| {
            let sides = ids.map(|id| &categories[id.index()]);
            PairEvent::now(ids, pair, sides)
        })
    }

    /// Tells which of the unseen pairs have begun. `sides` are the two categories.
    pub(crate) fn tell_began(
        &mut self,
        maybe_in_both: MaybeInBoth<'_>,
        sides: [&Category; 2],
        simd: Simd,
    ) {
        let then = sides.map(Category::rows_then);
        let boxes = then.map(|then| then.boxes.by_row());
        let mut began = mem::take(&mut self.told.rows);
        maybe_in_both.tell(self.unseen(), boxes, simd, &mut began);
        self.told.rows = began;
        self.doubt_began(sides);
    }

    /// Tells which pairs have begun and which have ended. `then` are the pairs of this chunk in the last step, and no pair of either list
    /// is in another chunk of the other step. Costs a few nanoseconds for each pair that the walk has missed.
    pub(crate) fn tell_both(&mut self, then: &Self, arena: &Arena) {
        let missed_then = [&self.unmatched_then, &then.pairs[self.walked_then..]];
        let mut ended = PairTable::of(missed_then, arena);
        for missed in [&self.unmatched, &self.pairs[self.walked..]] {
            let began = missed.iter().filter(|&&pair| !ended.take(pair));
            self.told.rows.extend(began);
        }
        self.unmatched_then.clear();
        self.unmatched_then.extend(ended.left());
        self.tells_ended = true;
    }

    /// The boxes of the last step say the same of those that began.
    pub(crate) fn assert_began(&self, boxes: [BoxesByRow<'_>; 2], simd: Simd) {
        assert_apart(&self.told.rows, &self.missed().concat(), boxes, simd);
    }

    /// Takes those that ended from the list of the same chunk of this step, if they are told there, and those of now are not needed any
    /// more. Returns whether it did.
    pub(crate) fn take_ended(&mut self, now: &mut Self) -> bool {
        if now.tells_ended {
            mem::swap(&mut self.told.rows, &mut now.unmatched_then);
        }
        now.tells_ended
    }

    /// Writes down those that have begun, or not, because of rows that have changed.
    pub(crate) fn doubt_began(&mut self, sides: [&Category; 2]) {
        if Category::have_rows_changed(sides) {
            let (ids, then) = (self.categories, sides.map(Category::rows_then));
            self.told.doubt(|pair| {
                let has_changed = !are_unchanged(then, pair);
                has_changed.then(|| PairEvent::now(ids, pair, sides))
            });
        }
    }

    /// Gives a slot to each pair that began: those that have none yet, in the same order.
    pub(crate) fn give_slots(&mut self, mut next: impl FnMut() -> u32) {
        let told = &mut self.told.slots;
        told.clear();
        if self.told.rows.is_empty() {
            return;
        }
        for slot in self.slots.iter_mut().filter(|slot| **slot == NO_SLOT) {
            *slot = next();
            told.push(*slot);
        }
        debug_assert_eq!(
            told.len(),
            self.told.rows.len(),
            "a slot for each that began"
        );
    }

    /// Looks up the slots of the pairs that ended, which are in the list, in the same order. None where pairs have no slots.
    pub(crate) fn tell_slots(&mut self) {
        if self.slots.is_empty() {
            return;
        }
        let Told { rows, slots, .. } = &mut self.told;
        let mut listed = self.pairs.iter().zip(&self.slots);
        slots.clear();
        slots.extend(rows.iter().map(|ended| {
            let (_, &slot) = listed
                .find(|(pair, _)| *pair == ended)
                .expect("it is in the list, behind the one before");
            slot
        }));
    }

    /// Gives back memory that has not been needed for long. To be called once when it is known what began, and once when it is
    /// known what ended, before the list is cleared.
    pub(super) fn let_go(&mut self) {
        let [used, held] = [self.used_bytes(), self.held_bytes()];
        if self.need.holds_too_much(used, held) {
            self.shrink_to_fit();
        }
    }
}

impl ChunkOutput for ListedPairs {
    fn clear(&mut self) {
        // Those that were here may be of another config.
        self.categories = Default::default();
        self.pairs.clear();
        self.slots.clear();
        self.told.clear();
        self.unmatched.clear();
        self.unmatched_then.clear();
        (self.walked, self.walked_then) = (0, 0);
        (self.is_told, self.tells_ended, self.own_chunk) = (false, false, None);
        // A few more or fewer are no reason for an allocation.
        self.told.rows.reserve(FEW);
        self.told.written.reserve(FEW);
        self.unmatched.reserve(FEW);
        self.unmatched_then.reserve(FEW);
    }

    fn used_bytes(&self) -> usize {
        let unmatched = self.unmatched.used_bytes() + self.unmatched_then.used_bytes();
        self.pairs.used_bytes() + self.slots.used_bytes() + self.told.used_bytes() + unmatched
    }

    fn held_bytes(&self) -> usize {
        let unmatched = self.unmatched.held_bytes() + self.unmatched_then.held_bytes();
        self.pairs.held_bytes() + self.slots.held_bytes() + self.told.held_bytes() + unmatched
    }

    fn shrink_to_fit(&mut self) {
        self.pairs.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.told.shrink_to_fit();
        self.unmatched.shrink_to_fit();
        self.unmatched_then.shrink_to_fit();
    }
}

impl ChunkOutput for Told {
    fn clear(&mut self) {
        self.rows.clear();
        self.written.clear();
        self.slots.clear();
    }

    fn used_bytes(&self) -> usize {
        self.rows.used_bytes() + self.written.used_bytes() + self.slots.used_bytes()
    }

    fn held_bytes(&self) -> usize {
        self.rows.held_bytes() + self.written.held_bytes() + self.slots.held_bytes()
    }

    fn shrink_to_fit(&mut self) {
        self.rows.shrink_to_fit();
        self.written.shrink_to_fit();
        self.slots.shrink_to_fit();
    }
}

impl Told {
    /// Writes down those that are doubtful, which `write` tells: they may be neither.
    pub(crate) fn doubt(&mut self, write: impl Fn([Row; 2]) -> Option<PairEvent>) {
        for rows in &mut self.rows {
            if let Some(event) = write(*rows) {
                *rows = [WRITTEN, self.written.len() as Row];
                self.written.push(event);
            }
        }
    }

    /// Those that are doubtful.
    pub(crate) fn doubtful(&self) -> &[PairEvent] {
        &self.written
    }

    /// Keeps, of those that are doubtful, the ones that pass.
    pub(crate) fn keep_doubtful(&mut self, passes: impl Fn(&PairEvent) -> bool) {
        if self.written.is_empty() {
            return;
        }
        let written = &self.written;
        let mut kept = 0;
        for place in 0..self.rows.len() {
            let [row, event] = self.rows[place];
            if row != WRITTEN || passes(&written[event as usize]) {
                self.rows.swap(kept, place);
                if place < self.slots.len() {
                    self.slots.swap(kept, place);
                }
                kept += 1;
            }
        }
        self.rows.truncate(kept);
        self.slots.truncate(kept);
    }

    /// One of them, by its place among all. `look_up` tells the rest of rows as they are now.
    #[inline]
    fn event(
        &self,
        place: usize,
        look_up: impl FnOnce([Row; 2]) -> PairEvent,
    ) -> Option<PairEvent> {
        let rows = *self.rows.get(place)?;
        let event = match rows {
            [WRITTEN, written] => self.written[written as usize],
            rows => look_up(rows),
        };
        let slot = self.slots.get(place).copied();
        Some(PairEvent { slot, ..event })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(key: u64) -> PairEvent {
        let id = crate::ProxyId::from_bits(key);
        let who = crate::frame::events::rows_then::Occupant { id, key };
        PairEvent::of([CategoryId::new(0); 2], [who; 2])
    }

    #[test]
    fn only_what_is_doubtful_is_settled() {
        let mut told = Told::default();
        told.rows.extend((0..10).map(|row| [row, row]));
        told.doubt(|[row, _]| (row % 3 == 0).then(|| event(u64::from(row))));
        let doubtful: Vec<_> = told.doubtful().iter().map(|event| event.keys[0]).collect();
        assert_eq!(doubtful, [0, 3, 6, 9]);
        told.keep_doubtful(|event| event.keys[0] == 6);
        let left =
            (0..).map_while(|place| told.event(place, |[row, _]| event(100 + u64::from(row))));
        let left: Vec<_> = left.map(|event| event.keys[0]).collect();
        assert_eq!(left, [101, 102, 104, 105, 6, 107, 108]);
    }

    /// A pair for each number.
    fn numbered(numbers: impl IntoIterator<Item = Row>) -> Vec<[Row; 2]> {
        numbers.into_iter().map(|k| [k, k / 7 + 3]).collect()
    }

    /// Lists of one chunk in two steps, of which a walk has come to the first `walked` pairs, and has not seen those named.
    fn both(
        pairs: [Vec<[Row; 2]>; 2],
        unmatched: [Vec<[Row; 2]>; 2],
        walked: [usize; 2],
    ) -> [ListedPairs; 2] {
        let ([now, then], [unmatched, unmatched_then]) = (pairs, unmatched);
        let mut lists: [ListedPairs; 2] = Default::default();
        (lists[0].pairs, lists[0].unmatched) = (now, unmatched);
        (lists[1].pairs, lists[0].unmatched_then) = (then, unmatched_then);
        [lists[0].walked, lists[0].walked_then] = walked;
        lists
    }

    #[test]
    fn what_began_and_ended_is_told_of_one_chunk_alone() {
        // 5 began and 6 ended; 40 to 43 were passed by the walk, and of the rest 90 and 91 are in one step alone.
        for extra in [0, 1, 300, 5000] {
            let others = 1000..1000 + extra;
            let rest = |alone| numbered((80..90).chain([alone]).chain(others.clone()));
            let [mut rest, rest_then] = [90, 91].map(rest);
            rest.reverse();
            let [walked, walked_then] =
                [5, 6].map(|alone| numbered([1, 2, alone].into_iter().chain(40..44)));
            let counts = [&walked, &walked_then].map(Vec::len);
            let pairs = [[walked, rest].concat(), [walked_then, rest_then].concat()];
            let unmatched = [5, 6].map(|alone| numbered([alone].into_iter().chain(40..44)));
            let [mut now, mut then] = both(pairs, unmatched, counts);
            now.tell_both(&then, &Arena::new());
            assert!(now.tells_ended);
            assert_eq!(now.told.rows, numbered([5, 90]));
            assert!(now.unseen().concat().is_empty());
            assert!(then.unseen_by(Some(&now)).concat().is_empty());
            assert!(then.take_ended(&mut now));
            assert_eq!(then.told.rows, numbered([6, 91]));
        }
    }

    #[test]
    fn lists_are_of_one_chunk_if_both_are_of_a_main_index() {
        let of = |own_chunk| ListedPairs {
            own_chunk,
            ..Default::default()
        };
        assert!(of(Some(3)).is_of_chunk(&of(Some(3))));
        assert!(!of(Some(3)).is_of_chunk(&of(Some(2))));
        assert!(!of(None).is_of_chunk(&of(None)) && !of(Some(0)).is_of_chunk(&of(None)));
    }
}
