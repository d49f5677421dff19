//! The search for pairs within a distance, piece by piece.
//!
//! The category with more rows is walked. Each piece of its index asks the other index once for whatever lies within the
//! distance of the piece's bounds. Its boxes, widened, are compared with that sixteen at a time, and what overlaps is a
//! candidate, which the exact test of nearness then lets pass or not.
//!
//! Inside one category each piece asks its own index, so that a pair is found from both sides and kept from one. To look
//! only ahead, as a step does, an index would have to know of distances.

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

/// Boxes of a piece, and around one, that there is room for at first.
const OWN: usize = 512;
const AROUND: usize = 1024;

/// Arena memory that a chunk takes, unless pieces have extraordinarily many boxes around them.
pub(crate) fn scratch_bytes() -> usize {
    let runs = 2 * BoxRun::bytes(OWN, true) + BoxRun::bytes(AROUND, true);
    runs + AROUND * size_of::<Row>() + PairBuffer::BYTES + size_of::<[Near; PairBuffer::MOST]>()
}

/// A search that can be done.
pub(crate) struct WithinSearch<'w> {
    world: &'w Broadphase,
    within: Within,
    simd: Simd,
    /// The one that is walked, and the one that is asked.
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
    /// If there is no such distance, or no such category.
    pub(crate) fn new(world: &'w Broadphase, within: &Within) -> Result<Self, QueryError> {
        within.check()?;
        let mut ids = within.categories;
        for id in ids {
            world.known(id)?;
        }
        // Whichever way round it is asked, the same is found in the same order.
        ids.sort_unstable();
        let mut sides = ids.map(|id| Side {
            id,
            category: &world.categories[id.index()],
        });
        if sides[1].len() > sides[0].len() {
            sides.swap(0, 1);
        }
        let has_masks = |side: &Side<'_>| side.category.columns.masks.values().is_some();
        // In an index that is out of date some rows have to be left out, which masks do.
        let masked = world.is_index_stale || within.by_masks && sides.iter().any(has_masks);
        Ok(Self {
            world,
            within: *within,
            simd: Simd::new(world.config.simd).expect("the config is checked"),
            sides,
            masked,
        })
    }

    /// In how many chunks the search comes. A function of the data alone.
    pub(crate) fn chunks(&self) -> usize {
        let [walked, asked] = self.sides;
        if walked.len() == 0 || asked.len() == 0 {
            return 0;
        }
        walked.category.structure.pieces().piece_chunks()
    }

    /// [`search`](Self::search), into a list.
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
            wide: BoxRun::with_capacity(arena, OWN, self.masked),
            around: BoxRun::with_capacity(arena, AROUND, self.masked),
            rows: arena.vec(AROUND),
            room: PairBuffer::room_for_one(arena),
            near: &mut arena.alloc_slice_fill(1, [Near::default(); PairBuffer::MOST])[0],
        };
        let mut own = BoxRun::with_capacity(arena, OWN, false);
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
        if !self.look_around(own, scratch) {
            return ControlFlow::Continue(());
        }
        let (around, rows, near) = (&scratch.around, &scratch.rows[..], &mut *scratch.near);
        let mut outcome = ControlFlow::Continue(());
        let mut visit_near = |candidates: &[[u32; 2]]| {
            if outcome.is_continue() {
                let kept = self.sift(candidates, [own, around], rows, near);
                outcome = near[..kept]
                    .iter()
                    .try_for_each(|near| visit(self.pair(near)));
            }
        };
        let mut out = PairBuffer::in_room(scratch.room, &mut visit_near);
        self.simd
            .cross(&scratch.wide, around, PairOrder::Left, &mut out);
        out.flush();
        outcome
    }

    /// Keeps those candidates, pairs of places in the two runs, that are near each other. Returns how many.
    ///
    /// Each is written and counts or not: a candidate is too much of a toss for a branch.
    fn sift(
        &self,
        candidates: &[[u32; 2]],
        runs: [&BoxRun<'_>; 2],
        rows: &[Row],
        near: &mut [Near; PairBuffer::MOST],
    ) -> usize {
        // Inside one category every pair is found from both sides.
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

    /// Gathers what can be near a piece and makes both ready to be compared, numbered by their places. Whether there is
    /// anything.
    fn look_around(&self, own: &mut BoxRun<'_>, scratch: &mut Scratch<'_>) -> bool {
        let Scratch {
            arena,
            wide,
            around,
            rows,
            ..
        } = scratch;
        let Some([min, max]) = own.bounds() else {
            return false;
        };
        let distance = self.within.distance;
        let window = Aabb::of_corners(min, max).widened(distance);
        around.clear();
        let asked = self.sides[1].category.structure.source();
        if self.within.from_centers {
            asked.gather_middles(&window, arena, around);
        } else {
            asked.gather(&window, arena, around);
        }
        if around.is_empty() {
            return false;
        }
        rows.clear();
        rows.extend_from_slice(around.rows());
        around.number_by_place();
        around.finish_with(|place| self.masks(1, rows[place as usize]));

        wide.clear();
        wide.make_room(arena, own.len());
        wide.append(own.sides(), own.rows());
        wide.replace_each(|aabb| aabb.widened(distance));
        wide.number_by_place();
        wide.finish_with(|place| self.masks(0, own.rows()[place as usize]));
        true
    }

    /// The masks that a row of an index is compared by: none of a proxy that is there no more, which then is in no pair.
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
    /// What was found around them, and its rows.
    around: BoxRun<'a>,
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
