//! The search for the neighbors of each row, in two grids of points or in one.

use throng_core::{Arena, Share};
use throng_grid::{ListBatch, Listing, Nearness, NeighborMarks, PointGrid};

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::query::within::Proximity;
use crate::query::within_search::{NearMasks, Side};
use crate::world::ids::{CategoryId, Row};
use crate::world::masks::Masks;
use crate::world::structure::Structure;

/// A search whose input has been checked.
pub(crate) struct GridSearch<'w> {
    sides: [Side<'w>; 2],
    grids: [&'w PointGrid; 2],
    near: Nearness,
    masks: NearMasks<'w>,
    only: Option<fn(Masks, Masks) -> bool>,
}

impl<'w> GridSearch<'w> {
    /// A search for what is near rows of the first category in the second, if both are uniform.
    pub(crate) fn of(
        world: &'w Broadphase,
        within: &Proximity,
        categories: [CategoryId; 2],
    ) -> Option<Self> {
        let sides = categories.map(|id| Side::of(world, id));
        let [Structure::Points(a), Structure::Points(b)] = sides.map(|side| side.category.whole())
        else {
            return None;
        };
        Some(Self {
            sides,
            grids: [a, b],
            near: within.nearness(),
            masks: NearMasks::of(world, categories, within.by_masks),
            only: within.only,
        })
    }

    /// How many chunks the search comes in. Depends only on the data.
    pub(crate) fn chunks(&self) -> usize {
        self.grids[0].chunks()
    }

    /// How much arena memory a chunk takes, unless far more than usual is near.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.grids[0].neighbors_scratch_bytes()
    }

    /// Marks what is near each row of a chunk and passes the test, if there is one.
    pub(crate) fn mark(
        &self,
        chunk: usize,
        listing: Listing,
        arena: &mut Arena,
        marks: &mut NeighborMarks,
    ) {
        let [of, among] = self.grids;
        let masks = self.masks.of_rows;
        of.mark_neighbors_in_chunk(among, self.near, chunk, masks, listing, arena, marks);
        if self.has_test() {
            marks.retain(|row, other| self.passes(row, other));
        }
    }

    /// Writes the lists of a chunk to the places of their rows.
    pub(crate) fn write(
        &self,
        marks: &NeighborMarks,
        arena: &mut Arena,
        lists: &mut Share<'_, Row>,
    ) {
        self.grids[0].write_neighbors(marks, arena, lists);
    }

    /// Visits the lists of a chunk, with how far away each neighbor is. The neighbors have not been tested.
    pub(crate) fn visit(
        &self,
        chunk: usize,
        arena: &mut Arena,
        marks: &mut NeighborMarks,
        visit: &mut dyn FnMut(ListBatch<'_>),
    ) {
        let [of, among] = self.grids;
        let masks = self.masks.of_rows;
        of.visit_neighbors_in_chunk(among, self.near, chunk, masks, arena, marks, visit);
    }

    /// Whether there is a test for pairs that are near enough: one that was asked for, or of masks.
    pub(crate) fn has_test(&self) -> bool {
        self.only.is_some() || self.masks.is_coarse
    }

    /// Whether a pair passes all such tests.
    pub(crate) fn passes(&self, row: Row, other: Row) -> bool {
        // The same way round for either list, and for pairs.
        let mut pair = [(0, row), (1, other)];
        if (self.sides[1].id, other) < (self.sides[0].id, row) {
            pair.swap(0, 1);
        }
        let [a, b] = pair.map(|(side, row)| {
            let columns = &self.sides[side].category.columns;
            columns.masks(row as usize)
        });
        (!self.masks.is_coarse || a.meets(b)) && self.only.is_none_or(|only| only(a, b))
    }
}

impl Broadphase {
    /// Refuses a question about neighbors that cannot be answered: lists are by row, and so the rows of the categories that are asked
    /// about must be those of the index.
    pub(crate) fn check_neighbors(&self, within: &Proximity) -> Result<(), QueryError> {
        self.check_within(within)?;
        Ok(self.check_rows_of(within.meetings.iter().flatten().copied())?)
    }
}
