//! Every overlapping pair of a grid of few rows and a grid of many, once, chunk by chunk.
//!
//! The few are walked piece by piece, and how a piece finds its pairs depends on how many of the many are near it. Where they are
//! not many more than the piece has rows, as around a bunch, both are copied and [joined](crate::meet). Where they are, as
//! around rows that are spread out thinly, the piece's rows [ask](crate::ask) one by one. So those of the many that are near none of
//! the few cost nothing.
//!
//! Measured with 2,000 of 200,000 rows: a row that is joined takes 15 to 30 ns, and one that asks takes 45 in a bunch and 100 where
//! they are even.
//!
//! Tried for rows that ask: to go through the leaves near a piece, and to pick those of its rows that touch each. That took as long, with
//! 2,000 of 200,000 rows that are even, as to look up which leaves each row touches.

use crate::PointGrid;
use crate::leaf::Bounds;
use crate::meet::{Meeting, Near};
use throng_core::{
    Arena, ArenaVec, BoxRun, PairBuffer, PairOrder, PairsAtOnce, RowMasks, SearchStats,
};

/// A piece is joined if no more than so many times its rows are near it. From there on its rows had better ask.
const TIMES_MORE_TO_ASK: usize = 5;
/// How many rows there are in a chunk, about.
const ROWS_IN_CHUNK: usize = 512;
/// Room at first for the leaves near a piece.
const NEAR_ONE: usize = 16;
/// Room at first for boxes that ask. Little, because room is filled when it is made.
const BOXES_ASKING: usize = 64;

/// A search for the pairs of few points and many.
///
/// ```
/// use throng_core::{Arena, PairOrder, Serial};
/// use throng_grid::{GridConfig, PointGrid, Points, PointsAmongMany};
///
/// let (xs, ys) = ([0.0, 0.9, 5.0], [0.0, 0.9, 5.0]);
/// let mut few = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
/// let mut many = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
/// few.build(Points::new(&xs[..1], &ys[..1]), &Serial)?;
/// many.build(Points::new(&xs, &ys), &Serial)?;
///
/// let meeting = PointsAmongMany::new(&few, &many);
/// let (mut arena, mut found) = (Arena::new(), Vec::new());
/// for chunk in 0..meeting.chunks() {
///     meeting.meet_in_chunk(chunk, [None; 2], PairOrder::Left, &mut arena, &mut |pairs| found.extend_from_slice(pairs));
/// }
/// assert_eq!(found, [[0, 0], [0, 1]]);
/// # Ok::<(), throng_grid::GridError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PointsAmongMany<'g> {
    few: &'g PointGrid,
    many: &'g PointGrid,
    /// How many chunks each chunk of the few's pieces is split into.
    parts: usize,
}

impl<'g> PointsAmongMany<'g> {
    /// A search for the pairs of these. It is right whichever has more rows. O(1).
    #[must_use]
    pub fn new(few: &'g PointGrid, many: &'g PointGrid) -> Self {
        let rows = few.len().div_ceil(few.chunks().max(1));
        let parts = rows.div_ceil(ROWS_IN_CHUNK);
        Self { few, many, parts }
    }

    /// Whether more than `most` of the few ask one by one. O(pieces · log n) for n rows that are many, and no longer than it takes to
    /// find so many.
    #[must_use]
    pub fn do_more_ask_than(&self, most: usize, arena: &mut Arena) -> bool {
        if self.few.len() <= most {
            return false;
        }
        arena.reset();
        let mut near = arena.vec(NEAR_ONE);
        let (mut asking, mut pieces) = (0, self.few.pieces.iter());
        pieces.any(|&piece| {
            let (own, window) = self.few.view().centers_of(piece);
            if !self.list_near(own.len(), &window, &mut near) {
                asking += own.len();
            }
            asking > most
        })
    }

    /// How many chunks the search comes in. Depends only on the data.
    #[must_use]
    pub fn chunks(&self) -> usize {
        if self.many.is_empty() {
            0
        } else {
            self.parts * self.few.chunks()
        }
    }

    /// How much arena memory a chunk takes. Where rows are crowded, the arena grows.
    #[must_use]
    pub fn scratch_bytes(&self) -> usize {
        let asking = BoxRun::bytes(BOXES_ASKING, false) + 2 * BoxRun::bytes(ROWS_IN_CHUNK, false);
        let joining = self.few.meet_scratch_bytes(self.many);
        asking + joining + self.many.scratch_bytes_for(ROWS_IN_CHUNK)
    }

    /// Visits every overlapping pair of the chunk, in batches, in an order that depends only on the data: the few's row first for
    /// [`PairOrder::Left`], second for [`PairOrder::Right`]. `masks` are those of the few's rows and of the others.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are too few for the rows.
    pub fn meet_in_chunk(
        &self,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        let Self { few, many, parts } = *self;
        arena.reset();
        let arena = &*arena;
        let out = PairBuffer::new(arena, visit);
        let mut search = Meeting::new([few, many], order, masks, arena, out);
        let mut asking = BoxRun::with_capacity(arena, BOXES_ASKING, false);
        let mut near = arena.vec(NEAR_ONE);
        let (chunk, part) = (chunk / parts, chunk % parts);
        let mut passed = 0;
        for &piece in few.pieces_of(chunk) {
            let its_part = (passed / ROWS_IN_CHUNK).min(parts - 1);
            passed += piece.len as usize;
            if its_part != part {
                continue;
            }
            let (own, window) = few.view().centers_of(piece);
            if self.list_near(own.len(), &window, &mut near) {
                for in_strip in near.chunk_by(|one, other| one.strip == other.strip) {
                    search.meet_near((own, &window), in_strip);
                }
                search.out.flush();
            } else {
                few.append_boxes(own, &window, arena, &mut asking);
            }
        }
        if !asking.is_empty() {
            let out = &mut search.out;
            search.candidates += many.pairs_with(&asking, masks, order, arena, out);
            search.out.flush();
        }
        search.stats()
    }

    /// Lists what is near a piece of so many rows with a window, strip by strip. Returns whether it is to be joined with that;
    /// if not, the list is not complete.
    fn list_near(&self, rows: usize, window: &Bounds, near: &mut ArenaVec<'_, Near<'g>>) -> bool {
        let many = self.many.view();
        let mut left = TIMES_MORE_TO_ASK * rows;
        near.clear();
        for &strip in many.strips_touching(window) {
            for leaf in many.leaves_touching(strip, window) {
                let centers = many.groups_touching(leaf, window);
                if centers.len() > left {
                    return false;
                }
                left -= centers.len();
                near.push(Near {
                    strip: strip.id,
                    centers,
                    reach: leaf.bounds.widened(many.half),
                });
            }
        }
        true
    }
}
