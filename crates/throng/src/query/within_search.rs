//! The search for pairs within a distance: which index searches each pair of categories, and which of the pairs found still
//! count.

use throng_core::{Arena, RowMasks, Simd, for_both};
use throng_grid::{Nearness, PointGrid};

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::query::within::{Proximity, ProximityBatch};
use crate::query::within_pieces::{self, PieceSearch};
use crate::world::category::Category;
use crate::world::ids::{CategoryId, Row};
use crate::world::masks::Masks;
use crate::world::rows::RowRef;
use crate::world::structure::Structure;

/// Called with pairs of rows of two indices, and the squares of their distances.
pub(crate) type VisitNear<'v> = dyn FnMut(&[[Row; 2]], &[f32]) + 'v;
/// Called with what is reported.
pub(crate) type VisitBatch<'v> = dyn FnMut(ProximityBatch<'_>) + 'v;

/// One of the two categories of a meeting.
#[derive(Clone, Copy)]
pub(crate) struct Side<'w> {
    pub(crate) id: CategoryId,
    pub(crate) category: &'w Category,
}

impl<'w> Side<'w> {
    pub(crate) fn of(world: &'w Broadphase, id: CategoryId) -> Self {
        Self {
            id,
            category: &world.categories[id.index()],
        }
    }

    /// How many rows the index has.
    pub(crate) fn len(&self) -> usize {
        self.category.indexed_rows()
    }
}

/// The masks of the rows of two categories as a search compares them.
#[derive(Clone, Copy)]
pub(crate) struct NearMasks<'w> {
    pub(crate) of_rows: [Option<RowMasks<'w>>; 2],
    /// Whether pairs that pass have to be tested again.
    pub(crate) is_coarse: bool,
}

impl<'w> NearMasks<'w> {
    /// Masks as two categories that meet in a step compare them; otherwise folded. None if they do not count.
    pub(crate) fn of(world: &'w Broadphase, ids: [CategoryId; 2], by_masks: bool) -> Self {
        if !by_masks {
            return Self {
                of_rows: [None; 2],
                is_coarse: false,
            };
        }
        let is_flipped = ids[0] > ids[1];
        let columns = ids.map(|id| &world.categories[id.index()].columns.masks);
        let lower_first = if is_flipped { [ids[1], ids[0]] } else { ids };
        match world.planned.words_between(lower_first) {
            Some(words) => {
                let sides = if is_flipped {
                    [1, 0]
                } else {
                    [0, usize::from(ids[0] != ids[1])]
                };
                Self {
                    of_rows: for_both(|k| words.of_rows(sides[k], columns[k])),
                    is_coarse: words.is_coarse(),
                }
            }
            None => Self {
                of_rows: columns.map(|column| column.words(None)),
                is_coarse: !columns.iter().all(|column| column.folds_exactly()),
            },
        }
    }
}

impl Broadphase {
    /// Refuses a distance that is not valid, a category that does not exist, and a world that was never indexed.
    pub(crate) fn check_within(&self, within: &Proximity) -> Result<(), QueryError> {
        within.check()?;
        for &id in within.meetings.iter().flatten() {
            self.known(id)?;
        }
        Ok(self.check_indexed()?)
    }
}

/// A search whose input has been checked.
pub(crate) struct WithinSearch<'w> {
    world: &'w Broadphase,
    within: &'w Proximity,
    simd: Simd,
}

impl<'w> WithinSearch<'w> {
    /// # Errors
    ///
    /// If the distance is not valid, or there is no such category.
    pub(crate) fn new(world: &'w Broadphase, within: &'w Proximity) -> Result<Self, QueryError> {
        world.check_within(within)?;
        Ok(Self {
            world,
            within,
            simd: world.simd(),
        })
    }

    /// In how many chunks each meeting is searched. Depends only on the data.
    pub(crate) fn chunks_of_meetings(&self) -> impl Iterator<Item = usize> {
        let meetings = self.within.meetings.iter();
        meetings.map(|&ids| self.meeting(ids).chunks())
    }

    /// How much arena memory a chunk takes, unless far more than usual is near.
    pub(crate) fn scratch_bytes(&self) -> usize {
        let meetings = self.within.meetings.iter();
        let bytes = meetings.map(|&ids| match self.meeting(ids) {
            Meeting::Grids(sides, _) => sides[0].near_scratch_bytes(sides[1]),
            Meeting::Pieces(_) => within_pieces::scratch_bytes(),
        });
        bytes.max().unwrap_or(0)
    }

    fn meeting(&self, ids: [CategoryId; 2]) -> Meeting<'w> {
        let sides = ids.map(|id| Side::of(self.world, id));
        let [a, b] = sides.map(|side| side.category.whole());
        if let (Structure::Points(a), Structure::Points(b)) = (a, b) {
            return Meeting::Grids([a, b], self.within.nearness());
        }
        let Proximity {
            distance,
            from_centers,
            ..
        } = *self.within;
        let masks = self.masks_of(ids).of_rows;
        Meeting::Pieces(PieceSearch::new(
            sides,
            distance,
            from_centers,
            masks,
            self.simd,
        ))
    }

    /// The masks that the indices look at. If they are out of date, everything that is found is looked up anyway.
    fn masks_of(&self, ids: [CategoryId; 2]) -> NearMasks<'w> {
        let by_masks = self.within.by_masks && !self.world.have_changed(ids);
        NearMasks::of(self.world, ids, by_masks)
    }

    /// Visits the pairs of a chunk of a meeting. No batch is empty.
    pub(crate) fn search(
        &self,
        meeting: usize,
        chunk: usize,
        arena: &mut Arena,
        visit: &mut VisitBatch<'_>,
    ) {
        let ids = self.within.meetings[meeting];
        let masks = self.masks_of(ids);
        let mut report = |pairs: &[[Row; 2]], squares: &[f32]| {
            self.report(ids, (pairs, squares), masks.is_coarse, visit);
        };
        match self.meeting(ids) {
            Meeting::Grids([a, b], near) => {
                let masks = masks.of_rows;
                if ids[0] == ids[1] {
                    a.near_pairs_in_chunk(near, chunk, masks[0], arena, &mut report);
                } else {
                    a.meet_near_in_chunk(b, near, chunk, masks, arena, &mut report);
                }
            }
            Meeting::Pieces(search) => search.search(chunk, arena, &mut report),
        }
    }

    /// Reports those pairs of a meeting that still count, as the rows where they are now.
    fn report(
        &self,
        categories: [CategoryId; 2],
        (pairs, squares): (&[[Row; 2]], &[f32]),
        test_masks: bool,
        visit: &mut VisitBatch<'_>,
    ) {
        if !self.world.have_changed(categories) && self.within.only.is_none() && !test_masks {
            visit(ProximityBatch {
                categories,
                pairs,
                distances_squared: squares,
            });
            return;
        }
        for (&rows, square) in pairs.iter().zip(squares) {
            let now = for_both(|side| self.now(categories[side], rows[side]));
            let [Some(a), Some(b)] = now else {
                continue;
            };
            let masks = [a, b].map(|row| self.masks(row));
            if self.within.by_masks && !masks[0].meets(masks[1])
                || self
                    .within
                    .only
                    .is_some_and(|only| !only(masks[0], masks[1]))
            {
                continue;
            }
            let [a, b] = if a <= b { [a, b] } else { [b, a] };
            visit(ProximityBatch {
                categories: [a.category, b.category],
                pairs: &[[a.row, b.row]],
                distances_squared: std::slice::from_ref(square),
            });
        }
    }

    /// Where the proxy is now that a row of an index stands for; nowhere if it is gone or disabled.
    fn now(&self, category: CategoryId, row: Row) -> Option<RowRef> {
        let indexed = &self.world.categories[category.index()];
        if !indexed.has_changed {
            return Some(RowRef { category, row });
        }
        let (_, category, row) = self.world.occupant(indexed, row)?;
        category.is_enabled(row as usize).then_some(RowRef {
            category: category.id,
            row,
        })
    }

    fn masks(&self, at: RowRef) -> Masks {
        let columns = &self.world.categories[at.category.index()].columns;
        columns.masks(at.row as usize)
    }
}

/// Who searches a meeting.
enum Meeting<'w> {
    /// Two grids of points, or one twice.
    Grids([&'w PointGrid; 2], Nearness),
    /// Structures of boxes, or one of them and a grid.
    Pieces(PieceSearch<'w>),
}

impl Meeting<'_> {
    fn chunks(&self) -> usize {
        match self {
            Self::Grids([a, b], _) => a.near_chunks(b),
            Self::Pieces(search) => search.chunks(),
        }
    }
}
