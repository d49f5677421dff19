//! The search for pairs within a distance, piece by piece.
//!
//! The category with more rows is walked. For each piece of its index, the other index is asked once for everything
//! within the distance of the piece's bounds. The piece's boxes, widened, are compared with that sixteen at a time.
//! What overlaps is a candidate, which the exact test of nearness then accepts or not.
//!
//! Within one category each piece asks its own index, so a pair is found from both sides and kept from one. To look
//! only ahead, as a step does, the index would have to know about distances.

use std::ops::ControlFlow;

use throng_core::{
    Aabb, Arena, ArenaVec, BoxRun, Masks, PairBuffer, PairOrder, PairRoom, Simd, gaps, gaps_within,
    length_squared, whether_broken,
};

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::query::within::{NearPair, Within};
use crate::world::category::Category;
use crate::world::ids::{CategoryId, Row};
use crate::world::rows::RowRef;

/// How many boxes of a piece, and then near it, there is room for at first.
const BOXES_IN_PIECE: usize = 512;
const BOXES_NEARBY: usize = 1024;

/// How much arena memory a chunk takes, unless pieces have unusually many boxes near them.
pub(crate) fn scratch_bytes() -> usize {
    let runs = 2 * BoxRun::bytes(BOXES_IN_PIECE, true) + BoxRun::bytes(BOXES_NEARBY, true);
    runs + BOXES_NEARBY * size_of::<Row>()
        + PairBuffer::BYTES
        + size_of::<[Near; PairBuffer::MOST]>()
}

/// A search whose input has been checked.
pub(crate) struct WithinSearch<'w> {
    world: &'w Broadphase,
    within: Within,
    simd: Simd,
    /// The category that is walked, and the one that is asked.
    sides: [Side<'w>; 2],
    /// Whether masks have to be compared at all.
    masked: bool,
}

/// One of the two categories.
#[derive(Clone, Copy)]
struct Side<'w> {
    id: CategoryId,
    category: &'w Category,
}

impl<'w> WithinSearch<'w> {
    /// # Errors
    ///
    /// If the distance is not valid, or there is no such category.
    pub(crate) fn new(world: &'w Broadphase, within: &Within) -> Result<Self, QueryError> {
        within.check()?;
        let mut ids = within.categories;
        for id in ids {
            world.known(id)?;
        }
        // The same pairs in the same order, whichever category is named first.
        ids.sort_unstable();
        let mut sides = ids.map(|id| Side {
            id,
            category: &world.categories[id.index()],
        });
        if sides[1].len() > sides[0].len() {
            sides.swap(0, 1);
        }
        let has_masks = |side: &Side<'_>| side.category.columns.masks.values().is_some();
        // If the index is out of date, masks are also used to leave out rows that are gone.
        let masked = world.is_index_stale || within.by_masks && sides.iter().any(has_masks);
        Ok(Self {
            world,
            within: *within,
            simd: Simd::new(world.config.simd).expect("the config is checked"),
            sides,
            masked,
        })
    }

    /// How many chunks the search comes in. Depends only on the data.
    pub(crate) fn chunks(&self) -> usize {
        let [walked, asked] = self.sides;
        if walked.len() == 0 || asked.len() == 0 {
            return 0;
        }
        walked.category.structure.pieces().piece_chunks()
    }

    /// As [`search`](Self::search), into a list.
    pub(crate) fn collect(&self, chunk: usize, arena: &mut Arena, pairs: &mut Vec<NearPair>) {
        let every = self.search(chunk, arena, &mut |pair| -> ControlFlow<()> {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        debug_assert!(every.is_continue());
    }

    /// Visits the pairs of a chunk until the visitor breaks.
    pub(crate) fn search<B>(
        &self,
        chunk: usize,
        arena: &mut Arena,
        visit: &mut impl FnMut(NearPair) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        arena.reset();
        let arena = &*arena;
        let mut scratch = Scratch {
            arena,
            wide: BoxRun::with_capacity(arena, BOXES_IN_PIECE, self.masked),
            nearby: BoxRun::with_capacity(arena, BOXES_NEARBY, self.masked),
            rows: arena.vec(BOXES_NEARBY),
            room: PairBuffer::room_for_one(arena),
            near: &mut arena.alloc_slice_fill(1, [Near::default(); PairBuffer::MOST])[0],
        };
        let mut own = BoxRun::with_capacity(arena, BOXES_IN_PIECE, false);
        let mut outcome = ControlFlow::Continue(());
        let pieces = self.sides[0].category.structure.pieces();
        let visit_piece = &mut |own: &mut BoxRun<'_>| {
            outcome = self.search_piece(own, &mut scratch, visit);
            whether_broken(&outcome)
        };
        let _ = if self.within.from_centers {
            pieces.visit_middles(chunk, arena, &mut own, visit_piece)
        } else {
            pieces.visit_pieces(chunk, arena, &mut own, visit_piece)
        };
        outcome
    }

    fn search_piece<B>(
        &self,
        own: &mut BoxRun<'_>,
        scratch: &mut Scratch<'_>,
        visit: &mut impl FnMut(NearPair) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if !self.gather_nearby(own, scratch) {
            return ControlFlow::Continue(());
        }
        let (nearby, rows, near) = (&scratch.nearby, &scratch.rows[..], &mut *scratch.near);
        let mut outcome = ControlFlow::Continue(());
        let mut visit_near = |candidates: &[[u32; 2]]| {
            if outcome.is_continue() {
                let kept = self.sift(candidates, [own, nearby], rows, near);
                outcome = near[..kept]
                    .iter()
                    .try_for_each(|near| visit(self.pair(near)));
            }
        };
        let mut out = PairBuffer::in_room(scratch.room, &mut visit_near);
        self.simd
            .cross(&scratch.wide, nearby, PairOrder::Left, &mut out);
        out.flush();
        outcome
    }

    /// Keeps the candidates, pairs of positions in the two runs, that are near each other. Returns how many.
    ///
    /// Each is written, and then counted or not: whether it is near is too unpredictable for a branch.
    fn sift(
        &self,
        candidates: &[[u32; 2]],
        runs: [&BoxRun<'_>; 2],
        rows: &[Row],
        near: &mut [Near; PairBuffer::MOST],
    ) -> usize {
        // Within one category every pair is found from both sides.
        let from_both = self.sides[0].id == self.sides[1].id;
        let (own_rows, sides) = (runs[0].rows(), runs.map(BoxRun::sides));
        let corners = |[min_x, min_y, max_x, max_y]: [&[f32]; 4], k: usize| {
            [[min_x[k], min_y[k]], [max_x[k], max_y[k]]]
        };
        let mut kept = 0;
        for &[a, b] in candidates {
            let [a, b] = [a as usize, b as usize];
            let gaps = gaps(corners(sides[0], a), corners(sides[1], b));
            let rows = [own_rows[a], rows[b]];
            near[kept] = Near {
                rows,
                distance_squared: length_squared(gaps),
            };
            let counts = !from_both | (rows[0] < rows[1]);
            kept += usize::from(counts & gaps_within(gaps, self.within.distance));
        }
        kept
    }

    /// Gathers what can be near a piece, and makes both runs ready to be compared, numbered by position. Returns
    /// whether there is anything.
    fn gather_nearby(&self, own: &mut BoxRun<'_>, scratch: &mut Scratch<'_>) -> bool {
        let Scratch {
            arena,
            wide,
            nearby,
            rows,
            ..
        } = scratch;
        let Some([min, max]) = own.bounds() else {
            return false;
        };
        let distance = self.within.distance;
        let window = Aabb::of_corners(min, max).widened(distance);
        nearby.clear();
        let asked = self.sides[1].category.structure.source();
        if self.within.from_centers {
            asked.gather_middles(&window, arena, nearby);
        } else {
            asked.gather(&window, arena, nearby);
        }
        if nearby.is_empty() {
            return false;
        }
        rows.clear();
        rows.extend_from_slice(nearby.rows());
        nearby.number_by_place();
        nearby.finish_with(|place| self.masks(1, rows[place as usize]));

        wide.clear();
        wide.make_room(arena, own.len());
        wide.append(own.sides(), own.rows());
        wide.replace_each(|aabb| aabb.widened(distance));
        wide.number_by_place();
        wide.finish_with(|place| self.masks(0, own.rows()[place as usize]));
        true
    }

    /// The masks to use for a row of an index: none if its proxy is gone or disabled, so that it is in no pair.
    fn masks(&self, side: usize, row: Row) -> Masks {
        let indexed = self.sides[side].category;
        let (category, row) = if self.world.is_index_stale {
            let occupant = self.world.occupant(indexed, row);
            let Some(slot) = occupant.map(|(_, slot)| slot) else {
                return Masks::NONE;
            };
            let category = &self.world.categories[slot.category_index()];
            if !category.is_enabled(slot.row_index()) {
                return Masks::NONE;
            }
            (category, slot.row_index())
        } else {
            (indexed, row as usize)
        };
        if self.within.by_masks {
            category.columns.masks(row)
        } else {
            Masks::ALL
        }
    }

    /// A pair as it is reported.
    #[inline]
    fn pair(&self, near: &Near) -> NearPair {
        let mut rows = [0, 1].map(|side| self.row_now(self.sides[side], near.rows[side]));
        rows.sort_unstable();
        NearPair {
            rows,
            distance_squared: near.distance_squared,
        }
    }

    /// Where the proxy is now that a row of an index stands for.
    fn row_now(&self, side: Side<'_>, row: Row) -> RowRef {
        let moved = if self.world.is_index_stale {
            self.world.occupant(side.category, row)
        } else {
            None
        };
        match moved {
            Some((_, slot)) => RowRef {
                category: slot.category(),
                row: slot.row,
            },
            None => RowRef {
                category: side.id,
                row,
            },
        }
    }
}

impl Side<'_> {
    /// How many rows the index has.
    fn len(&self) -> usize {
        self.category.structure.len()
    }
}

/// The working memory of one chunk's search.
struct Scratch<'a> {
    arena: &'a Arena,
    /// A piece's boxes, widened by the distance.
    wide: BoxRun<'a>,
    /// The boxes found near them, and the rows of those.
    nearby: BoxRun<'a>,
    rows: ArenaVec<'a, Row>,
    room: &'a mut PairRoom,
    /// The candidates of a batch that are near each other.
    near: &'a mut [Near; PairBuffer::MOST],
}

/// Two rows of the indices, near each other.
#[derive(Clone, Copy, Debug, Default)]
struct Near {
    rows: [Row; 2],
    distance_squared: f32,
}
