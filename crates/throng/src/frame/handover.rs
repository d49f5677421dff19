//! The pairs of one chunk on their way to the narrowphase and to the lists of events and rest, batch by batch.

use std::time::Duration;

use throng_core::{HeldPairs, PairRoom, for_both};

use crate::broadphase::Broadphase;
use crate::frame::clock::Moment;
use crate::frame::events::listing::Listing;
use crate::frame::in_hand::{PairData, fill_unknown};
use crate::frame::narrowphase::{Narrowphase, PairBatch};
use crate::frame::plan::Sought;
use crate::frame::report::ChunkStats;
use crate::frame::resting::lists::RestList;
use crate::frame::resting::rest_of::RestOfSides;
use crate::frame::sieve::Sieve;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, Row};

/// Where the pairs of a chunk are listed besides being handed over.
#[derive(Default)]
pub(crate) struct ListsOfChunk<'l, 'w> {
    /// All of them, if they have events.
    pub(crate) events: Option<&'l mut Listing<'w>>,
    /// What becomes of rest through them, if anything may.
    pub(crate) rest: Option<&'l mut RestList>,
}

/// Where the pairs of a chunk go, and what is counted of them.
pub(super) struct Handover<'c, 'l, 'w, N: Narrowphase> {
    world: &'w Broadphase,
    narrowphase: &'c N,
    scratch: &'c mut N::Scratch,
    output: &'c mut N::Output,
    lists: ListsOfChunk<'c, 'l>,
    categories: [CategoryId; 2],
    sides: [&'w Category; 2],
    rest: RestOfSides<'w>,
    /// What pairs still have to pass, if anything.
    sieve: Option<Sieve<'w>>,
    /// Whether they are of two indices of one category: then the search does not know which row is lower.
    is_between_parts: bool,
    is_predicted: bool,
    /// Whether their narrowphase sees none of them.
    are_sensors: bool,
    /// If there are more pairs than this, the others are only counted, and the output is empty in the end.
    allowed: u64,
    seen: u64,
    /// How long the narrowphase took.
    inside: Duration,
}

impl<'c, 'l, 'w, N: Narrowphase> Handover<'c, 'l, 'w, N> {
    pub(super) fn new(
        world: &'w Broadphase,
        sought: &Sought<'_>,
        allowed: u64,
        (narrowphase, scratch, output): (&'c N, &'c mut N::Scratch, &'c mut N::Output),
        lists: ListsOfChunk<'c, 'l>,
    ) -> Self {
        let categories = sought.categories();
        let sides = for_both(|side| &world.categories[categories[side].index()]);
        let sieve = match sought {
            Sought::Overlapping(meeting, words) => Sieve::of(world, meeting, words.is_coarse()),
            Sought::Predicted(_) => None,
        };
        Self {
            world,
            narrowphase,
            scratch,
            output,
            lists,
            categories,
            sides,
            rest: RestOfSides::of(sides),
            sieve,
            is_between_parts: sought.is_between_parts(),
            is_predicted: matches!(sought, Sought::Predicted(_)),
            are_sensors: sides.iter().any(|side| side.is_sensor),
            allowed,
            seen: 0,
            inside: Duration::ZERO,
        }
    }

    /// Which values the narrowphase wants beside the pairs.
    pub(super) fn data(&self) -> PairData {
        if self.are_sensors {
            PairData::Nothing
        } else {
            N::PAIR_DATA
        }
    }

    /// Whether pairs can be [taken](Self::take) as they are found.
    pub(super) fn takes_all(&self) -> bool {
        self.sieve.is_none() && !self.is_between_parts
    }

    /// Takes those of the next pairs that pass, the lower row first.
    pub(super) fn sift(&mut self, pairs: &[[Row; 2]], room: &mut PairRoom) {
        for pairs in pairs.chunks(room.len()) {
            let kept = match &self.sieve {
                Some(sieve) => sieve.sift(pairs, room),
                None => {
                    room[..pairs.len()].copy_from_slice(pairs);
                    pairs.len()
                }
            };
            if self.is_between_parts {
                // Without branches, so that it takes several pairs at a time.
                for pair in &mut room[..kept] {
                    let [a, b] = *pair;
                    *pair = [a.min(b), a.max(b)];
                }
            }
            if kept > 0 {
                self.take(&room[..kept], None);
            }
        }
    }

    /// The same for pairs with their values.
    pub(super) fn sift_held(&mut self, held: &mut HeldPairs) {
        if let Some(sieve) = &self.sieve {
            sieve.sift_held(held);
        }
        if !held.pairs().is_empty() {
            fill_unknown(held, self.sides);
            if self.is_between_parts {
                held.put_lower_rows_first();
            }
            self.take(held.pairs(), Some(held));
        }
    }

    /// Takes the next pairs, at least one; `held` are the same with their values, if these are wanted.
    #[inline]
    pub(super) fn take(&mut self, pairs: &[[Row; 2]], held: Option<&HeldPairs>) {
        debug_assert!(!pairs.is_empty(), "no batch is empty");
        self.seen += pairs.len() as u64;
        if self.seen > self.allowed {
            return;
        }
        let listed = self.lists.events.as_mut();
        let known_slots = listed.and_then(|listing| listing.add(pairs));
        if let Some(list) = &mut self.lists.rest {
            self.rest.list(pairs, list);
        }
        if self.are_sensors {
            return;
        }
        let clock = self.world.clock;
        let entered = clock.now();
        let batch = PairBatch {
            categories: self.categories,
            pairs,
            sides: self.sides,
            is_predicted: self.is_predicted,
            world: self.world,
            known_slots,
            held,
        };
        self.narrowphase.collide(batch, self.scratch, self.output);
        self.inside = self.inside.saturating_add(clock.since(entered));
    }

    /// To be called when all pairs of the chunk have been taken, whose search began at `started`.
    pub(super) fn finish(self, started: Moment, candidates: u64) -> ChunkStats {
        if self.seen > self.allowed {
            *self.output = N::Output::default();
        }
        let [pairs, sensor_pairs, predicted_pairs] = match (self.are_sensors, self.is_predicted) {
            (true, _) => [0, self.seen, 0],
            (false, true) => [0, 0, self.seen],
            (false, false) => [self.seen, 0, 0],
        };
        // Matching pairs counts as time for events.
        let listing = self.lists.events;
        let matching = listing.map_or(Duration::ZERO, |listing| listing.spent());
        let all = self.world.clock.since(started);
        ChunkStats {
            pairs,
            sensor_pairs,
            predicted_pairs,
            candidates,
            narrowphase: self.inside,
            search: all.saturating_sub(self.inside).saturating_sub(matching),
            events: Duration::ZERO,
        }
    }
}
