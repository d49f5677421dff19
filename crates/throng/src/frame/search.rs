//! The search of a frame: of one chunk, of one index or of two that meet. Hands the pairs over.

use throng_core::{
    Arena, BoxSource, HeldBuffer, HeldPairs, PairBuffer, PairOrder, RowMasks, SearchStats, Widened,
    for_both,
};

use crate::frame::handover::{Handover, ListsOfChunk};
use crate::frame::in_hand::PairData;
use crate::frame::narrowphase::{ChunkOutput, Narrowphase};
use crate::frame::plan::{Chunks, Meeting, Plan, Sought, few_and_many};
use crate::frame::report::ChunkStats;
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
        search: impl FnOnce(&mut VisitPairs<'_>) -> SearchStats,
    ) -> SearchStats {
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

impl Plan<'_> {
    /// Searches one chunk and calls the narrowphase with each batch of pairs found in it. Clears `output` first. May be
    /// called from many threads at once, each with its own scratch and output. A chunk that does not exist has no pairs.
    pub fn collide<N: Narrowphase>(
        &self,
        chunk: usize,
        narrowphase: &N,
        scratch: &mut N::Scratch,
        output: &mut N::Output,
    ) -> ChunkStats {
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
        lists: ListsOfChunk<'_, '_>,
    ) -> ChunkStats {
        output.clear();
        let Some(sought) = self.sought_in(chunk) else {
            return ChunkStats::default();
        };
        let started = self.world.clock.now();
        let part = chunk - sought.first_chunk();
        let to = (narrowphase, scratch, output);
        let mut handover = Handover::new(self.world, &sought, allowed, to, lists);
        let search = |to: PairsTo<'_, '_>| self.search_sought(part, &sought, to);
        let found = match handover.data() {
            PairData::Nothing if handover.takes_all() => {
                search(PairsTo::Visitor(&mut |pairs| handover.take(pairs, None)))
            }
            PairData::Nothing => {
                let mut room = [[0; 2]; PairBuffer::MOST];
                search(PairsTo::Visitor(&mut |pairs| {
                    handover.sift(pairs, &mut room)
                }))
            }
            PairData::Centers | PairData::Boxes => {
                let mut batch = HeldPairs::new(N::PAIR_DATA == PairData::Boxes);
                let mut visit = |held: &mut HeldPairs| handover.sift_held(held);
                let mut held = HeldBuffer::new(&mut batch, &mut visit);
                search(PairsTo::Held(&mut held))
            }
        };
        handover.finish(started, found.candidates)
    }

    /// Searches one chunk of a meeting.
    fn search_sought(&self, chunk: usize, sought: &Sought<'_>, to: PairsTo<'_, '_>) -> SearchStats {
        match sought {
            Sought::Overlapping(meeting, words) => self.search(chunk, meeting, words, to),
            Sought::Predicted(meeting) => {
                let few = self.world.planned.few_rows(meeting.few_rows);
                let arenas = &self.world.arenas;
                to.rows_alone(|visit| {
                    arenas.with(|arena| meeting.search(self.world, few, chunk, arena, visit))
                })
            }
        }
    }

    /// Searches one chunk of one meeting, with an arena that no other worker is using.
    fn search(
        &self,
        chunk: usize,
        meeting: &Meeting,
        words: &MeetingWords,
        to: PairsTo<'_, '_>,
    ) -> SearchStats {
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
            if is_of_one && meeting.parts[0] == meeting.parts[1] {
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
    /// The chunks of the search for the category's own pairs.
    pub(crate) fn chunks(&self) -> Chunks {
        let (count, scratch_bytes) = match self {
            Self::Points(grid) => (grid.chunks(), grid.chunk_scratch_bytes()),
            Self::Boxes(boxes) => (
                boxes.structure.chunks(),
                boxes.structure.chunk_scratch_bytes(),
            ),
            // Scenery never meets itself.
            Self::Scenery(_) => (0, 0),
        };
        Chunks {
            count,
            scratch_bytes,
        }
    }

    pub(crate) fn pairs_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        to: PairsTo<'_, '_>,
    ) -> SearchStats {
        match self {
            Self::Points(grid) => match to {
                PairsTo::Visitor(visit) => grid.pairs_in_chunk(chunk, masks, arena, visit),
                PairsTo::Held(held) => grid.pairs_with_values_in_chunk(chunk, masks, arena, held),
            },
            Self::Boxes(boxes) => {
                to.rows_alone(|visit| boxes.structure.pairs_in_chunk(chunk, masks, arena, visit))
            }
            Self::Scenery(_) => SearchStats::default(),
        }
    }

    /// The chunks of the meeting with another category.
    pub(crate) fn meet_chunks(&self, other: &Structure) -> Chunks {
        if self.is_empty() || other.is_empty() {
            return Chunks::default();
        }
        if let (Self::Points(a), Self::Points(b)) = (self, other) {
            return Chunks {
                count: a.meet_chunks(b),
                scratch_bytes: a.meet_scratch_bytes(b),
            };
        }
        self.meet_wider_chunks(other, 0.0)
    }

    /// The chunks of the meeting with another index as if the boxes of one of the two were larger by `reach`; not for two of points.
    pub(crate) fn meet_wider_chunks(&self, other: &Structure, reach: f32) -> Chunks {
        let (walked, asked, _) = self.walked(other);
        walked.walk_chunks(&Widened::new(asked.source(), reach))
    }

    /// The chunks of the meeting with a source in which this index is walked.
    pub(crate) fn walk_chunks(&self, asked: &dyn BoxSource) -> Chunks {
        let (count, scratch_bytes) = match self {
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
        };
        Chunks {
            count,
            scratch_bytes,
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
    ) -> SearchStats {
        if let (Self::Points(a), Self::Points(b)) = (self, other) {
            return match to {
                PairsTo::Visitor(visit) => a.meet_in_chunk(b, chunk, masks, arena, visit),
                PairsTo::Held(held) => a.meet_with_values_in_chunk(b, chunk, masks, arena, held),
            };
        }
        self.meet_wider_in_chunk(other, 0.0, chunk, masks, arena, to)
    }

    /// Searches a chunk of the meeting with another index as if the boxes of one of the two were larger by `reach`; not for two of points.
    pub(crate) fn meet_wider_in_chunk(
        &self,
        other: &Structure,
        reach: f32,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        arena: &mut Arena,
        to: PairsTo<'_, '_>,
    ) -> SearchStats {
        let (walked, asked, order) = self.walked(other);
        let masks = order.walked_first(masks);
        let asked = Widened::new(asked.source(), reach);
        walked.walk_in_chunk(&asked, chunk, masks, order, arena, to)
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
    ) -> SearchStats {
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
