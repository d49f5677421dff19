//! Every overlapping pair of two grids, once, chunk by chunk.
//!
//! The grid with more rows is walked piece by piece. For each piece, the rows of the other grid that can touch it are
//! looked up once, strip by strip, and the two sorted runs are joined. So a few large things cost a few lookups per
//! thousand small ones, not one per small one. Where one grid has far fewer rows, [that one is walked](crate::meet_many), and joined in
//! the same way.

use crate::PointGrid;
use crate::kernels;
use crate::leaf::{Bounds, Leaf};
use crate::pieces::Piece;
use crate::run::{Centers, MaskTest, Run, RunKind};
use crate::sink::{Sink, WithValues};
use crate::view::SPARE_ROOM;
use throng_core::lanes::HitRoom;
use throng_core::{Arena, HeldBuffer, PairBuffer, PairOrder, RowMasks, SearchStats, search_chunks};

/// A grid with this many times more rows than another is compared in place, with each of the few rows found in the
/// other. If the numbers of rows are closer, it is faster to copy those that can touch and join the copies.
const TIMES_MORE_TO_PROBE: usize = 4;

impl PointGrid {
    /// How many chunks the search for pairs with `other` comes in. Depends only on the data.
    pub fn meet_chunks(&self, other: &PointGrid) -> usize {
        if self.is_empty() || other.is_empty() {
            0
        } else {
            self.walked(other).0.chunks()
        }
    }

    /// How much arena memory a chunk of the meeting takes; see
    /// [`chunk_scratch_bytes`](Self::chunk_scratch_bytes).
    pub fn meet_scratch_bytes(&self, other: &PointGrid) -> usize {
        self.chunk_scratch_bytes().max(other.chunk_scratch_bytes())
    }

    /// Visits every pair of a row of this grid and a row of `other` whose boxes overlap, in batches: the row of this
    /// grid first. Otherwise as [`pairs_in_chunk`](Self::pairs_in_chunk). `masks` are those of this grid's rows and
    /// of the other's; where one side has none, its rows have [`MaskWords::ALL`](throng_core::MaskWords::ALL).
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are shorter than their columns were.
    pub fn meet_in_chunk(
        &self,
        other: &PointGrid,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        arena.reset();
        self.search_meeting(other, chunk, masks, arena, |arena| {
            PairBuffer::new(arena, visit)
        })
    }

    /// The same pairs in the same order, with the values of their members, as they were when the grids were built. Where
    /// one grid has many times more rows than the other, those of the other's rows are left to the visitor.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are shorter than their columns were.
    pub fn meet_with_values_in_chunk(
        &self,
        other: &PointGrid,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        arena: &mut Arena,
        to: &mut HeldBuffer<'_>,
    ) -> SearchStats {
        arena.reset();
        self.search_meeting(other, chunk, masks, arena, |arena| {
            WithValues::new(arena, to)
        })
    }

    fn search_meeting<'a, S: Sink>(
        &'a self,
        other: &'a PointGrid,
        chunk: usize,
        masks: [Option<RowMasks<'a>>; 2],
        arena: &'a Arena,
        sink: impl FnOnce(&'a Arena) -> S,
    ) -> SearchStats {
        let (walked, found, order) = self.walked(other);
        let masks = order.walked_first(masks);
        if walked.rows >= TIMES_MORE_TO_PROBE * found.rows {
            return walked.search_boxes(found, chunk, masks, order, arena, sink);
        }
        let mut search = Meeting::new([walked, found], order, masks, arena, sink(arena));
        for &piece in walked.pieces_of(chunk) {
            search.meet_piece(piece);
            search.out.flush();
        }
        search.stats()
    }

    /// Visits every overlapping pair of the two grids once, on the calling thread, in chunk order.
    pub fn for_each_meeting(
        &self,
        other: &PointGrid,
        masks: [Option<RowMasks<'_>>; 2],
        visit: impl FnMut(u32, u32),
    ) -> SearchStats {
        let search = |chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])| {
            self.meet_in_chunk(other, chunk, masks, arena, visit)
        };
        search_chunks(
            self.meet_chunks(other),
            self.meet_scratch_bytes(other),
            search,
            visit,
        )
    }

    /// Which grid is walked, which is searched, and how that orders the pairs.
    pub(crate) fn walked<'a>(
        &'a self,
        other: &'a PointGrid,
    ) -> (&'a PointGrid, &'a PointGrid, PairOrder) {
        if self.rows >= other.rows {
            (self, other, PairOrder::Left)
        } else {
            (other, self, PairOrder::Right)
        }
    }
}

/// A leaf of the other grid, and those of its centers that are near a piece, for whoever has looked that up already.
#[derive(Clone, Copy)]
pub(crate) struct NearLeaf<'g> {
    pub leaf: &'g Leaf,
    pub centers: Centers<'g>,
}

/// The search of one chunk against another grid.
pub(crate) struct Meeting<'a, S> {
    walked: &'a PointGrid,
    found: &'a PointGrid,
    order: PairOrder,
    /// Those of the walked grid's rows, and of the other's.
    masks: [Option<RowMasks<'a>>; 2],
    arena: &'a Arena,
    left: Run<'a>,
    right: Run<'a>,
    /// Made only when a piece has anything near it, because to empty it takes longer than to find out that a few rows have nothing.
    hits: Option<&'a mut HitRoom>,
    pub out: S,
    pub candidates: u64,
}

impl<'a, S: Sink> Meeting<'a, S> {
    /// A search that walks one grid and looks the rows of another up; `masks` are theirs, in this order.
    pub fn new(
        [walked, found]: [&'a PointGrid; 2],
        order: PairOrder,
        masks: [Option<RowMasks<'a>>; 2],
        arena: &'a Arena,
        out: S,
    ) -> Self {
        let masked = masks.iter().any(Option::is_some);
        let kind = |grid: &PointGrid| RunKind {
            bound: grid.bound,
            exact: grid.exact,
            mask_test: MaskTest::words_if(masked),
            placed: S::PLACED,
        };
        // Room is filled when it is made, so in small grids there is no more of it than they can need.
        let run = |grid: &PointGrid| {
            let capacity = (2 * SPARE_ROOM).min(grid.rows);
            Run::with_capacity(arena, capacity, kind(grid))
        };
        Self {
            walked,
            found,
            order,
            masks,
            arena,
            left: run(walked),
            right: run(found),
            hits: None,
            out,
            candidates: 0,
        }
    }

    /// What has been found so far.
    pub fn stats(&self) -> SearchStats {
        SearchStats {
            pairs: self.out.total(),
            candidates: self.candidates,
        }
    }

    /// The pairs of a piece of the grid that is walked.
    pub fn meet_piece(&mut self, piece: Piece) {
        let (walked, found) = (self.walked.view(), self.found.view());
        let (own, window) = walked.centers_of(piece);
        for &strip in found.strips_touching(&window) {
            self.right.clear();
            let leaves = found.leaves_touching(strip, &window);
            found.pick_leaves(leaves, &mut self.right, self.arena, &window);
            self.join((own, &window), leaves.iter());
        }
    }

    /// The pairs of a piece with what is near it in one strip.
    pub fn meet_near(&mut self, (own, window): (Centers<'_>, &Bounds), near: &[NearLeaf<'_>]) {
        let found = self.found.view();
        self.right.clear();
        for near in near {
            found.pick_touching(&mut self.right, self.arena, near.centers, window);
        }
        self.join((own, window), near.iter().map(|near| near.leaf));
    }

    /// The pairs of a piece, with its window, and the rows that were picked from some leaves.
    fn join<'l>(
        &mut self,
        (own, window): (Centers<'_>, &Bounds),
        picked_from: impl Iterator<Item = &'l Leaf>,
    ) {
        if self.right.len == 0 {
            return;
        }
        let (walked, found) = (self.walked.view(), self.found.view());
        let reach = found.reach_of(picked_from);
        let reach = reach.expect("what was picked is in a leaf");
        self.left.clear();
        walked.pick_touching(&mut self.left, self.arena, own, &reach);
        self.left.finish(self.masks[0]);
        self.right.finish(self.masks[1]);
        let slack = [walked.slack(window), found.slack(&reach)];
        let (simd, left, right) = (self.walked.simd, &self.left, &self.right);
        let members = (left.centers(), right.centers());
        let arena = self.arena;
        let hits = &mut **self.hits.get_or_insert_with(|| HitRoom::in_arena(arena));
        self.candidates += self
            .out
            .find(&members.0, &members.1, self.order, |order, out| {
                kernels::join(simd, [left, right], None, slack, order, hits, out)
            });
    }
}
