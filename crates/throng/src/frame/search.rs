//! Fourth pass of a frame: searches one chunk, of one index or of two that meet, and calls the narrowphase with the
//! pairs.

use std::time::Duration;

use throng_core::{
    Arena, BoxSource, ChunkStats, HeldBuffer, HeldPairs, PairBuffer, PairOrder, RowMasks, for_both,
};

use crate::frame::events::listing::Listing;
use crate::frame::in_hand::{PairData, fill_unknown};
use crate::frame::narrowphase::{ChunkOutput, Narrowphase, PairBatch};
use crate::frame::plan::{Meeting, Plan, Sought, few_and_many};
use crate::frame::report;
use crate::frame::resting::RestList;
use crate::frame::resting::rest_of::RestOfSides;
use crate::frame::sieve::Sieve;
use crate::world::ids::Row;
use crate::world::meeting_words::MeetingWords;
use crate::world::structure::Structure;

/// A closure that is called with the pairs of a chunk.
type VisitPairs<'v> = dyn FnMut(&[[Row; 2]]) + 'v;

/// Where the pairs of a chunk go.
pub(crate) enum PairsTo<'t, 'v> {
    /// Rows alone, in batches, to a closure.
    Visitor(&'t mut VisitPairs<'v>),
    /// Rows with their values.
    Held(&'t mut HeldBuffer<'v>),
}

impl PairsTo<'_, '_> {
    /// For a structure that knows of no values: they are all looked up later.
    pub(crate) fn rows_alone(
        self,
        search: impl FnOnce(&mut VisitPairs<'_>) -> ChunkStats,
    ) -> ChunkStats {
        match self {
            Self::Visitor(visit) => search(visit),
            Self::Held(held) => {
                let stats = search(&mut |pairs| held.append_rows(pairs));
                held.flush();
                stats
            }
        }
    }
}

/// Where the pairs of a chunk are listed besides being handed over.
#[derive(Default)]
pub(crate) struct ListsOfChunk<'l, 'w> {
    /// All of them, if they have events.
    pub(crate) events: Option<&'l mut Listing<'w>>,
    /// What becomes of rest through them, if anything may.
    pub(crate) rest: Option<&'l mut RestList>,
}

impl Plan<'_> {
    /// Searches one chunk and calls the narrowphase with each batch of pairs found in it. Clears `output` first. May be
    /// called from many threads at once, each with its own scratch and output. A chunk that does not exist has no pairs.
    pub fn collide<N: Narrowphase>(
        &self,
        chunk: usize,
        narrowphase: &N,
        scratch: &mut N::Scratch,
        output: &mut N::Output,
    ) -> report::ChunkStats {
        let lists = ListsOfChunk::default();
        self.collide_up_to(u64::MAX, chunk, narrowphase, scratch, output, lists)
    }

    /// The same, but with no more calls of the narrowphase, and an empty output, once there are more pairs than allowed. The
    /// pairs are added to the lists that there are.
    pub(crate) fn collide_up_to<N: Narrowphase>(
        &self,
        allowed: u64,
        chunk: usize,
        narrowphase: &N,
        scratch: &mut N::Scratch,
        output: &mut N::Output,
        mut lists: ListsOfChunk<'_, '_>,
    ) -> report::ChunkStats {
        output.clear();
        let Some(sought) = self.sought_in(chunk) else {
            return report::ChunkStats::default();
        };
        let (categories, is_predicted) =
            (sought.categories(), matches!(sought, Sought::Predicted(_)));
        let clock = self.world.clock;
        let started = clock.now();
        let mut inside = Duration::ZERO;
        let sides = categories.map(|category| &self.world.categories[category.index()]);
        let rest = RestOfSides::of(sides);
        let are_sensors = sides.iter().any(|side| side.is_sensor);
        let mut seen = 0;
        let mut collide = |pairs: &[[Row; 2]], held: Option<&HeldPairs>| {
            debug_assert!(!pairs.is_empty(), "no batch is empty");
            seen += pairs.len() as u64;
            if seen > allowed {
                return;
            }
            let listed = lists.events.as_mut();
            let known_slots = listed.and_then(|listing| listing.add(pairs));
            if let Some(list) = &mut lists.rest {
                rest.list(pairs, list);
            }
            if are_sensors {
                return;
            }
            let entered = clock.now();
            let batch = PairBatch {
                categories,
                pairs,
                sides,
                is_predicted,
                world: self.world,
                known_slots,
                held,
            };
            narrowphase.collide(batch, scratch, output);
            inside = inside.saturating_add(clock.since(entered));
        };
        let part = chunk - sought.first_chunk();
        let (sieve, is_between_parts) = match sought {
            Sought::Overlapping(meeting, words) => (
                Sieve::of(self.world, meeting, words.is_coarse()),
                meeting.is_between_parts(),
            ),
            Sought::Predicted(_) => (None, false),
        };
        let search = |to: PairsTo<'_, '_>| match sought {
            Sought::Overlapping(meeting, words) => self.search(part, meeting, words, to),
            Sought::Predicted(meeting) => {
                let few = self.world.planned.few_rows(meeting.few_rows);
                let arenas = &self.world.arenas;
                to.rows_alone(|visit| {
                    arenas.with(|arena| meeting.search(self.world, few, part, arena, visit))
                })
            }
        };
        let data = if are_sensors {
            PairData::Nothing
        } else {
            N::PAIR_DATA
        };
        let found = match (data, sieve) {
            (PairData::Nothing, None) if !is_between_parts => {
                search(PairsTo::Visitor(&mut |pairs| collide(pairs, None)))
            }
            (PairData::Nothing, sieve) => {
                let mut room = [[0; 2]; PairBuffer::MOST];
                let mut visit = |pairs: &[[Row; 2]]| {
                    for pairs in pairs.chunks(room.len()) {
                        let kept = match &sieve {
                            Some(sieve) => sieve.sift(pairs, &mut room),
                            None => {
                                room[..pairs.len()].copy_from_slice(pairs);
                                pairs.len()
                            }
                        };
                        if is_between_parts {
                            // Without branches, so that it takes several pairs at a time.
                            for pair in &mut room[..kept] {
                                let [a, b] = *pair;
                                *pair = [a.min(b), a.max(b)];
                            }
                        }
                        if kept > 0 {
                            collide(&room[..kept], None);
                        }
                    }
                };
                search(PairsTo::Visitor(&mut visit))
            }
            (PairData::Centers | PairData::Boxes, sieve) => {
                let mut batch = HeldPairs::new(N::PAIR_DATA == PairData::Boxes);
                let mut visit = |held: &mut HeldPairs| {
                    if let Some(sieve) = &sieve {
                        sieve.sift_held(held);
                    }
                    if !held.pairs().is_empty() {
                        fill_unknown(held, sides);
                        if is_between_parts {
                            held.put_lower_rows_first();
                        }
                        collide(held.pairs(), Some(held));
                    }
                };
                let mut held = HeldBuffer::new(&mut batch, &mut visit);
                search(PairsTo::Held(&mut held))
            }
        };
        if seen > allowed {
            *output = N::Output::default();
        }
        // Matching pairs counts as time for events.
        let matching = lists
            .events
            .map_or(Duration::ZERO, |listing| listing.spent());
        let [pairs, sensor_pairs, predicted_pairs] = if are_sensors {
            [0, seen, 0]
        } else if is_predicted {
            [0, 0, seen]
        } else {
            [seen, 0, 0]
        };
        report::ChunkStats {
            pairs,
            sensor_pairs,
            predicted_pairs,
            candidates: found.candidates,
            narrowphase: inside,
            search: clock
                .since(started)
                .saturating_sub(inside)
                .saturating_sub(matching),
            events: Duration::ZERO,
        }
    }

    /// Searches one chunk of one meeting, with an arena that no other worker is using.
    fn search(
        &self,
        chunk: usize,
        meeting: &Meeting,
        words: &MeetingWords,
        to: PairsTo<'_, '_>,
    ) -> ChunkStats {
        let sides = for_both(|side| {
            let category = &self.world.categories[meeting.categories[side].index()];
            (category, meeting.parts[side])
        });
        let is_of_one = meeting.is_of_one_category();
        let masks = for_both(|side| {
            let masks = &sides[side].0.columns.masks;
            words.of_rows(if is_of_one { 0 } else { side }, masks)
        });
        let structures = sides.map(|(side, part)| side.part(part));
        let few = self.world.planned.few_rows(meeting.few_rows);
        self.world.arenas.with(|arena| {
            if let Some(asking) = &meeting.asking {
                asking.search(sides, chunk, masks, self.world.simd(), arena, to)
            } else if is_of_one && meeting.parts[0] == meeting.parts[1] {
                structures[0].pairs_in_chunk(chunk, masks[0], arena, to)
            } else if let Some(few) = few {
                let sides = few_and_many(sides).expect("planned as few among many");
                few.search(&sides, chunk, masks, self.world.simd(), arena, to)
            } else {
                structures[0].meet_in_chunk(structures[1], chunk, masks, arena, to)
            }
        })
    }
}

impl Structure {
    /// How many chunks the search for the category's own pairs has, and the arena bytes of each.
    pub(crate) fn chunks(&self) -> (usize, usize) {
        match self {
            Self::Points(grid) => (grid.chunks(), grid.chunk_scratch_bytes()),
            Self::Boxes(boxes) => (
                boxes.structure.chunks(),
                boxes.structure.chunk_scratch_bytes(),
            ),
            // Scenery never meets itself.
            Self::Scenery(_) => (0, 0),
        }
    }

    pub(crate) fn pairs_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        to: PairsTo<'_, '_>,
    ) -> ChunkStats {
        match self {
            Self::Points(grid) => match to {
                PairsTo::Visitor(visit) => grid.pairs_in_chunk(chunk, masks, arena, visit),
                PairsTo::Held(held) => grid.pairs_with_values_in_chunk(chunk, masks, arena, held),
            },
            Self::Boxes(boxes) => {
                to.rows_alone(|visit| boxes.structure.pairs_in_chunk(chunk, masks, arena, visit))
            }
            Self::Scenery(_) => ChunkStats::default(),
        }
    }

    /// How many chunks the meeting with another category has, and the arena bytes of each.
    pub(crate) fn meet_chunks(&self, other: &Structure) -> (usize, usize) {
        if self.is_empty() || other.is_empty() {
            return (0, 0);
        }
        if let (Self::Points(a), Self::Points(b)) = (self, other) {
            return (a.meet_chunks(b), a.meet_scratch_bytes(b));
        }
        let (walked, asked, _) = self.walked(other);
        walked.walk_chunks(asked.source())
    }

    /// How many chunks the meeting with a source has in which this index is walked, and the arena bytes of each.
    pub(crate) fn walk_chunks(&self, asked: &dyn BoxSource) -> (usize, usize) {
        match self {
            Self::Points(grid) => (
                grid.meet_boxes_chunks(asked),
                grid.meet_boxes_scratch_bytes(),
            ),
            Self::Boxes(boxes) => (
                boxes.structure.meet_chunks(asked),
                boxes.structure.chunk_scratch_bytes(),
            ),
            Self::Scenery(scenery) => (
                scenery.forest.meet_chunks(asked),
                scenery.forest.meet_scratch_bytes(),
            ),
        }
    }

    /// Searches a chunk of the meeting with another category; this category's row comes first in each pair.
    pub(crate) fn meet_in_chunk(
        &self,
        other: &Structure,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        arena: &mut Arena,
        to: PairsTo<'_, '_>,
    ) -> ChunkStats {
        if let (Self::Points(a), Self::Points(b)) = (self, other) {
            return match to {
                PairsTo::Visitor(visit) => a.meet_in_chunk(b, chunk, masks, arena, visit),
                PairsTo::Held(held) => a.meet_with_values_in_chunk(b, chunk, masks, arena, held),
            };
        }
        let (walked, asked, order) = self.walked(other);
        let masks = order.walked_first(masks);
        walked.walk_in_chunk(asked.source(), chunk, masks, order, arena, to)
    }

    /// Walks a chunk of this index and asks a source for what is near each piece. This index's masks come first,
    /// and for [`PairOrder::Left`] its rows.
    pub(crate) fn walk_in_chunk(
        &self,
        asked: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        to: PairsTo<'_, '_>,
    ) -> ChunkStats {
        match self {
            Self::Points(grid) => match to {
                PairsTo::Visitor(visit) => {
                    grid.meet_boxes_in_chunk(asked, chunk, masks, order, arena, visit)
                }
                PairsTo::Held(held) => {
                    grid.meet_boxes_with_values_in_chunk(asked, chunk, masks, order, arena, held)
                }
            },
            Self::Boxes(boxes) => to.rows_alone(|visit| {
                let structure = &boxes.structure;
                structure.meet_in_chunk(asked, chunk, masks, order, arena, visit)
            }),
            Self::Scenery(scenery) => to.rows_alone(|visit| {
                let forest = &scenery.forest;
                forest.meet_in_chunk(asked, chunk, masks, order, arena, visit)
            }),
        }
    }

    /// Which of two indices is walked and which is searched, and how that orders the pairs. The one with more rows is
    /// walked, so that a huge box that overlaps many of them is split over many chunks.
    fn walked<'a>(&'a self, other: &'a Structure) -> (&'a Structure, &'a Structure, PairOrder) {
        if self.len() >= other.len() {
            (self, other, PairOrder::Left)
        } else {
            (other, self, PairOrder::Right)
        }
    }
}
