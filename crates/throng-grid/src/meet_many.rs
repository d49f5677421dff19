//! Every overlapping pair of a grid of few rows and a grid of many, once, chunk by chunk.
//!
//! The few are walked piece by piece, and how a piece finds its pairs depends on how many of the many are near it. If these are at
//! most a few times as many as the piece has rows, as around a bunch, both are copied and [joined](crate::meet). If they are more, as
//! around rows that are spread out thinly, the piece's rows [ask](crate::ask) one by one. So those of the many that are near none of
//! the few cost nothing.
//!
//! Measured with 2,000 of 200,000 rows: a row that is joined takes 15 to 30 ns, and one that asks takes 45 in a bunch and 100 where
//! they are spread evenly.
//!
//! Tried for rows that ask: to go through the leaves near a piece, and to pick those of its rows that touch each. With 2,000 of 200,000
//! rows that are spread evenly, that took as long as looking up which leaves each row touches.

use crate::PointGrid;
use crate::leaf::Bounds;
use crate::meet::{Meeting, NearLeaf};
use crate::pieces::longest;
use throng_core::{
    Arena, BoxRun, FewAmongMany, PairBuffer, PairOrder, PairsAtOnce, RowMasks, SearchStats,
};

/// A piece is joined if at most so many times as many rows as it has are near it, counted in whole groups; if more are, its rows ask.
const TIMES_MORE_TO_ASK: usize = 5;
/// About how many of the few there are in a chunk. Pieces are not cut, so a crowd on one spot is in one chunk.
const ROWS_IN_CHUNK: usize = FewAmongMany::BOXES_IN_CHUNK;
/// Room at first for the leaves near a piece.
const LEAVES_NEAR: usize = 16;
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
        let parts = FewAmongMany::parts(few, few.len());
        Self { few, many, parts }
    }

    /// Whether more than `most` of the few ask one by one. O(pieces of the few · log many), and it stops as soon as it has counted so
    /// many.
    #[must_use]
    pub fn do_more_ask_than(&self, most: usize) -> bool {
        if self.few.len() <= most {
            return false;
        }
        let (mut asking, mut pieces) = (0, self.few.pieces.iter());
        pieces.any(|&piece| {
            let (own, window) = self.few.view().centers_of(piece);
            if !self.is_joined(own.len(), &window, |_| ()) {
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

    /// How much arena memory a chunk takes. Where rows are crowded, the arena grows. O(pieces of the few).
    #[must_use]
    pub fn scratch_bytes(&self) -> usize {
        // A run that outgrows its room leaves it behind.
        let asking = 4 * BoxRun::bytes(ROWS_IN_CHUNK + longest(&self.few.pieces), false);
        let near = 2 * LEAVES_NEAR * size_of::<NearLeaf<'_>>();
        let joining = self.few.chunk_scratch_bytes();
        asking + near + joining + self.many.scratch_bytes_for(ROWS_IN_CHUNK)
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
        let ask = |asking: &mut BoxRun<'_>, search: &mut Meeting<'_, PairBuffer<'_>>| {
            let out = &mut search.out;
            search.candidates += many.pairs_with(asking, masks, order, arena, out);
            search.out.flush();
            asking.clear();
        };
        let mut near = arena.vec(LEAVES_NEAR);
        let (chunk, part) = (chunk / parts, chunk % parts);
        let mut passed = 0;
        for &piece in few.pieces_of(chunk) {
            let its_part = (passed / ROWS_IN_CHUNK).min(parts - 1);
            passed += piece.len as usize;
            if its_part != part {
                continue;
            }
            let (own, window) = few.view().centers_of(piece);
            near.clear();
            if self.is_joined(own.len(), &window, |leaf| near.push(leaf)) {
                for in_strip in near.chunk_by(|one, other| one.leaf.strip == other.leaf.strip) {
                    search.meet_near((own, &window), in_strip);
                }
                search.out.flush();
            } else {
                few.append_boxes(own, &window, arena, &mut asking);
                if asking.len() >= ROWS_IN_CHUNK {
                    ask(&mut asking, &mut search);
                }
            }
        }
        if !asking.is_empty() {
            ask(&mut asking, &mut search);
        }
        search.stats()
    }

    /// Whether a piece is to be joined with what is near it, given how many rows it has and the window that their boxes fill. Calls
    /// `visit` with what is near, strip by strip; if the piece is not joined, not with all of it.
    #[inline]
    fn is_joined(&self, rows: usize, window: &Bounds, mut visit: impl FnMut(NearLeaf<'g>)) -> bool {
        let many = self.many.view();
        let mut left = TIMES_MORE_TO_ASK * rows;
        for &strip in many.strips_touching(window) {
            for leaf in many.leaves_touching(strip, window) {
                let centers = many.groups_touching(leaf, window);
                if centers.len() == 0 {
                    continue;
                }
                if centers.len() > left {
                    return false;
                }
                left -= centers.len();
                visit(NearLeaf { leaf, centers });
            }
        }
        true
    }
}
