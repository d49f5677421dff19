//! Every pair of rows within a distance, once, chunk by chunk: of one grid, or of two.
//!
//! The same search as a step's, by the same index, with wider boxes around the centers ([`View`]) and another test at
//! the end. Taking each piece's whole neighborhood out of the index and comparing all of it, which any structure can do,
//! took twenty times as long at twenty neighbors a row.
//!
//! Those whose boxes overlap can be left out ([`PointGrid::pairs_apart_in_chunk`]): what is found then is what a step's search leaves.

use crate::PointGrid;
use crate::kernels::{self, Near};
use crate::leaf::{Bounds, Strip};
use crate::near_buffer::{NearBuffer, VisitNear};
use crate::nearness::Nearness;
use crate::pieces::{Piece, longest};
use crate::run::{Centers, MaskTest, Run, RunKind};
use crate::view::{SPARE_ROOM, View};
use throng_core::{Arena, PairOrder, RowMasks, SearchStats};

impl PointGrid {
    /// How many chunks the search for near pairs with `other` comes in, which may be this grid itself. Depends only on
    /// the data.
    pub fn near_chunks(&self, other: &PointGrid) -> usize {
        self.meet_chunks(other)
    }

    /// How much arena memory a chunk of such a search takes. If the distance is much larger than the bound, the arena
    /// grows.
    pub fn near_scratch_bytes(&self, other: &PointGrid) -> usize {
        NearBuffer::BYTES + self.meet_scratch_bytes(other)
    }

    /// Visits every pair of rows that are near each other and whose earlier row lies in the chunk, in batches of about a
    /// thousand at most: pairs of rows, the lower one first, and the squares of their distances.
    ///
    /// The order depends only on the index and on `near`. Otherwise as [`pairs_in_chunk`](Self::pairs_in_chunk).
    ///
    /// O(rows + candidates).
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or `masks` is shorter than the columns were.
    pub fn near_pairs_in_chunk(
        &self,
        near: Nearness,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut VisitNear<'_>,
    ) -> SearchStats {
        Search::new([self; 2], near, [masks; 2], arena, visit).all_within(chunk)
    }

    /// Visits every pair of rows whose boxes do not overlap but are no farther apart than `distance` along either axis; the
    /// squares of distances are all 0. Otherwise as [`near_pairs_in_chunk`](Self::near_pairs_in_chunk).
    ///
    /// # Panics
    ///
    /// If the distance is NaN or negative, there is no such chunk, or `masks` is shorter than the columns were.
    pub fn pairs_apart_in_chunk(
        &self,
        distance: f32,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut VisitNear<'_>,
    ) -> SearchStats {
        self.near_pairs_in_chunk(Nearness::only_apart(distance), chunk, masks, arena, visit)
    }

    /// Visits every pair of a row of this grid and a row of `other` that are near each other, in batches: the row of this
    /// grid first. Otherwise as [`near_pairs_in_chunk`](Self::near_pairs_in_chunk). `masks` are those of this grid's rows
    /// and of the other's; where one side has none, its rows have [`MaskWords::ALL`](throng_core::MaskWords::ALL).
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are shorter than their columns were.
    pub fn meet_near_in_chunk(
        &self,
        other: &PointGrid,
        near: Nearness,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        arena: &mut Arena,
        visit: &mut VisitNear<'_>,
    ) -> SearchStats {
        let (walked, found, order) = self.walked(other);
        let masks = order.walked_first(masks);
        Search::new([walked, found], near, masks, arena, visit).all_between(chunk, order)
    }

    /// Visits every pair of a row of this grid and a row of `other` whose boxes do not overlap but are no farther apart than
    /// `distance` along either axis. Otherwise as [`meet_near_in_chunk`](Self::meet_near_in_chunk).
    ///
    /// # Panics
    ///
    /// If the distance is NaN or negative, there is no such chunk, or masks are shorter than their columns were.
    pub fn meet_apart_in_chunk(
        &self,
        other: &PointGrid,
        distance: f32,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        arena: &mut Arena,
        visit: &mut VisitNear<'_>,
    ) -> SearchStats {
        let near = Nearness::only_apart(distance);
        self.meet_near_in_chunk(other, near, chunk, masks, arena, visit)
    }
}

/// The search of one chunk.
struct Search<'a, 'v> {
    /// The grid that is walked, and the one that is searched.
    views: [View<'a>; 2],
    near: Near,
    masks: [Option<RowMasks<'a>>; 2],
    order: PairOrder,
    arena: &'a Arena,
    ahead: Run<'a>,
    /// Parts of the two grids that may be near each other.
    runs: [Run<'a>; 2],
    out: NearBuffer<'a, 'v>,
    candidates: u64,
}

impl<'a, 'v> Search<'a, 'v> {
    fn new(
        grids: [&'a PointGrid; 2],
        nearness: Nearness,
        masks: [Option<RowMasks<'a>>; 2],
        arena: &'a mut Arena,
        visit: &'a mut VisitNear<'v>,
    ) -> Self {
        arena.reset();
        let arena = &*arena;
        let views = grids.map(|grid| nearness.view(grid));
        let masked = masks.iter().any(Option::is_some);
        let run =
            |view: &View<'_>, capacity| Run::with_capacity(arena, capacity, kind(view, masked));
        Self {
            near: nearness.of(grids),
            masks,
            order: PairOrder::Left,
            arena,
            ahead: run(&views[0], 0),
            runs: views.each_ref().map(|view| run(view, 2 * SPARE_ROOM)),
            views,
            out: NearBuffer::new(arena, visit),
            candidates: 0,
        }
    }

    /// The pairs of a chunk of one grid.
    fn all_within(mut self, chunk: usize) -> SearchStats {
        self.order = PairOrder::LowerRow;
        self.make_room(chunk);
        for &piece in self.views[0].grid.pieces_of(chunk) {
            self.pairs_of_piece(piece);
            self.out.flush();
        }
        self.stats()
    }

    /// The pairs of a chunk of the grid that is walked with the other one.
    fn all_between(mut self, chunk: usize, order: PairOrder) -> SearchStats {
        self.order = order;
        for &piece in self.views[0].grid.pieces_of(chunk) {
            self.meet_piece(piece);
            self.out.flush();
        }
        self.stats()
    }

    /// Makes room for the longest piece of a chunk.
    fn make_room(&mut self, chunk: usize) {
        let longest = longest(self.views[0].grid.pieces_of(chunk));
        self.ahead.make_room(self.arena, longest + SPARE_ROOM);
    }

    fn stats(&self) -> SearchStats {
        SearchStats {
            pairs: self.out.total(),
            candidates: self.candidates,
        }
    }

    /// The pairs of a piece with itself and with what is ahead of it.
    fn pairs_of_piece(&mut self, piece: Piece) {
        let view = self.views[0];
        let (own, window) = view.centers_of(piece);
        let strip = view.strip_of(piece);
        let around = (own, &window);
        view.fill_ahead((strip, piece), around, &mut self.ahead, self.arena);
        self.ahead.finish(self.masks[0]);
        let slack = view.slack(&window);
        self.candidates += kernels::sweep_near(
            view.grid.simd,
            self.near,
            &self.ahead,
            (own.len(), slack),
            &mut self.out,
        );
        for above in view.strips_above(strip, &window) {
            self.join((own, &window, slack), above);
        }
    }

    /// The pairs of a piece with the other grid.
    fn meet_piece(&mut self, piece: Piece) {
        let [walked, found] = self.views;
        let (own, window) = walked.centers_of(piece);
        let slack = walked.slack(&window);
        for &strip in found.strips_touching(&window) {
            self.join((own, &window, slack), strip);
        }
    }

    /// The pairs of a piece, with its window and its slack, and a strip of the grid that is searched.
    fn join(&mut self, (own, window, slack): (Centers<'a>, &Bounds, f32), strip: Strip) {
        let ([walked, found], arena) = (self.views, self.arena);
        let leaves = found.leaves_touching(strip, window);
        let Some(reach) = found.reach_of(leaves) else {
            return;
        };
        let [left, right] = &mut self.runs;
        left.clear();
        walked.pick_touching(left, arena, own, &reach);
        if left.len == 0 {
            return;
        }
        right.clear();
        found.pick_leaves(leaves, right, arena, window);
        left.finish(self.masks[0]);
        right.finish(self.masks[1]);
        let slack = [slack, found.slack(&reach)];
        self.candidates += kernels::join_near(
            walked.grid.simd,
            self.near,
            [&*left, &*right],
            slack,
            self.order,
            &mut self.out,
        );
    }
}

/// What runs of a view's centers have to hold.
pub(crate) fn kind(view: &View<'_>, masked: bool) -> RunKind {
    RunKind {
        bound: view.half,
        exact: view.is_exact(),
        mask_test: MaskTest::words_if(masked),
        placed: false,
    }
}
