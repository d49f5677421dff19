//! The search for pairs within a distance where boxes of any size take part, piece by piece.
//!
//! The category with more rows is walked. For each piece of its index, the other index is asked once for everything
//! within the distance of the piece's bounds. The piece's boxes, widened, are compared with that sixteen at a time.
//! What overlaps is a candidate, which the exact test of nearness then accepts or not.
//!
//! Within one category each piece asks its own index, so a pair is found from both sides and kept from one. Grids of
//! points do better by themselves ([`PointGrid::near_pairs_in_chunk`](throng_grid::PointGrid::near_pairs_in_chunk)).

use throng_core::{
    Aabb, Arena, ArenaVec, BoxRun, MaskWords, PairBuffer, PairOrder, PairRoom, RowMasks, Simd,
    gaps, gaps_within, length_squared,
};

use crate::query::within_search::{Side, VisitNear};
use crate::world::ids::Row;

/// How many boxes of a piece, and then near it, there is room for at first.
const BOXES_IN_PIECE: usize = 512;
const BOXES_NEARBY: usize = 1024;

/// How much arena memory a chunk takes, unless pieces have unusually many boxes near them.
pub(crate) fn scratch_bytes() -> usize {
    let runs = 2 * BoxRun::bytes(BOXES_IN_PIECE, true) + BoxRun::bytes(BOXES_NEARBY, true);
    let near = size_of::<[[Row; 2]; PairBuffer::MOST]>() + size_of::<[f32; PairBuffer::MOST]>();
    runs + BOXES_NEARBY * size_of::<Row>() + PairBuffer::BYTES + near
}

/// The search through two categories, or one.
pub(crate) struct PieceSearch<'w> {
    /// The category that is walked, and the one that is asked.
    sides: [Side<'w>; 2],
    distance: f32,
    from_centers: bool,
    /// Masks, if they have to agree.
    masks: [Option<RowMasks<'w>>; 2],
    simd: Simd,
}

impl<'w> PieceSearch<'w> {
    /// `masks` are those of both sides, if they have to agree.
    pub(crate) fn new(
        mut sides: [Side<'w>; 2],
        distance: f32,
        from_centers: bool,
        mut masks: [Option<RowMasks<'w>>; 2],
        simd: Simd,
    ) -> Self {
        if sides[1].len() > sides[0].len() {
            sides.swap(0, 1);
            masks.swap(0, 1);
        }
        Self {
            sides,
            distance,
            from_centers,
            masks,
            simd,
        }
    }

    /// How many chunks the search comes in. Depends only on the data.
    pub(crate) fn chunks(&self) -> usize {
        let [walked, asked] = self.sides;
        if walked.len() == 0 || asked.len() == 0 {
            return 0;
        }
        walked.category.whole().pieces().piece_chunks()
    }

    /// Visits the pairs of a chunk: rows of the lower category first, or the lower row.
    pub(crate) fn search(&self, chunk: usize, arena: &mut Arena, visit: &mut VisitNear<'_>) {
        arena.reset();
        let arena = &*arena;
        let is_masked = self.masks.iter().any(Option::is_some);
        let mut scratch = Scratch {
            arena,
            wide: BoxRun::with_capacity(arena, BOXES_IN_PIECE, is_masked),
            nearby: BoxRun::with_capacity(arena, BOXES_NEARBY, is_masked),
            rows: arena.vec(BOXES_NEARBY),
            room: PairBuffer::room_for_one(arena),
            pairs: &mut arena.alloc_slice_fill(1, [[0; 2]; PairBuffer::MOST])[0],
            squares: &mut arena.alloc_slice_fill(1, [0.0; PairBuffer::MOST])[0],
        };
        let mut own = BoxRun::with_capacity(arena, BOXES_IN_PIECE, false);
        let pieces = self.sides[0].category.whole().pieces();
        let visit_piece = &mut |own: &mut BoxRun<'_>| {
            self.search_piece(own, &mut scratch, visit);
            std::ops::ControlFlow::Continue(())
        };
        let _ = if self.from_centers {
            pieces.visit_middles(chunk, arena, &mut own, visit_piece)
        } else {
            pieces.visit_pieces(chunk, arena, &mut own, visit_piece)
        };
    }

    fn search_piece(
        &self,
        own: &mut BoxRun<'_>,
        scratch: &mut Scratch<'_>,
        visit: &mut VisitNear<'_>,
    ) {
        if !self.gather_nearby(own, scratch) {
            return;
        }
        let (nearby, rows) = (&scratch.nearby, &scratch.rows[..]);
        let (pairs, squares) = (&mut *scratch.pairs, &mut *scratch.squares);
        let mut visit_near = |candidates: &[[u32; 2]]| {
            let kept = self.sift(candidates, [own, nearby], rows, (pairs, squares));
            if kept > 0 {
                visit(&pairs[..kept], &squares[..kept]);
            }
        };
        let mut out = PairBuffer::in_room(scratch.room, &mut visit_near);
        self.simd
            .cross(&scratch.wide, nearby, PairOrder::Left, &mut out);
        out.flush();
    }

    /// Keeps the candidates, pairs of positions in the two runs, that are near each other. Returns how many.
    ///
    /// Each is written, and then counted or not: whether it is near is too unpredictable for a branch.
    fn sift(
        &self,
        candidates: &[[u32; 2]],
        runs: [&BoxRun<'_>; 2],
        rows: &[Row],
        (pairs, squares): (&mut PairRoom, &mut [f32; PairBuffer::MOST]),
    ) -> usize {
        // Within one category every pair is found from both sides.
        let from_both = self.sides[0].id == self.sides[1].id;
        let (own_rows, sides) = (runs[0].rows(), runs.map(BoxRun::sides));
        let corners = |[min_x, min_y, max_x, max_y]: [&[f32]; 4], k: usize| {
            [[min_x[k], min_y[k]], [max_x[k], max_y[k]]]
        };
        let flipped = self.sides[0].id > self.sides[1].id;
        let mut kept = 0;
        for &[a, b] in candidates {
            let [a, b] = [a as usize, b as usize];
            let gaps = gaps(corners(sides[0], a), corners(sides[1], b));
            let rows = [own_rows[a], rows[b]];
            pairs[kept] = if flipped { [rows[1], rows[0]] } else { rows };
            squares[kept] = length_squared(gaps);
            let counts = !from_both | (rows[0] < rows[1]);
            kept += usize::from(counts & gaps_within(gaps, self.distance));
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
        let distance = self.distance;
        let window = Aabb::of_corners(min, max).widened(distance);
        nearby.clear();
        let asked = self.sides[1].category.whole().source();
        if self.from_centers {
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
        nearby.finish_with(|place| self.masks_of(1, rows[place as usize]));

        wide.clear();
        wide.make_room(arena, own.len());
        wide.append(own.sides(), own.rows());
        wide.replace_each(|aabb| aabb.widened(distance));
        wide.number_by_place();
        wide.finish_with(|place| self.masks_of(0, own.rows()[place as usize]));
        true
    }

    /// The masks of a row of an index that is up to date.
    fn masks_of(&self, side: usize, row: Row) -> MaskWords {
        self.masks[side].map_or(MaskWords::ALL, |masks| masks.get(row as usize))
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
    /// The candidates of a batch that are near each other, and the squares of their distances.
    pairs: &'a mut PairRoom,
    squares: &'a mut [f32; PairBuffer::MOST],
}
