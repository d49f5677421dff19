//! Every overlapping pair of a grid with boxes of any size, once, chunk by chunk.
//!
//! The grid is walked piece by piece, and each piece asks once which boxes touch it. So a giant box costs one lookup
//! for each thousand rows that it reaches, and is compared with contiguous runs of them. However many rows it covers,
//! its work is shared among the workers as the pieces are. Where boxes are many and points few, the boxes' structure
//! asks the grid instead.

use crate::PointGrid;
use crate::kernels::{self, Probing};
use crate::leaf::Bounds;
use crate::probe::{Probe, Visits};
use crate::run::Centers;
use crate::sink::{Sink, WithValues};
use crate::view::SPARE_ROOM;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, HeldBuffer, PairBuffer, PairOrder, PairsAtOnce,
    RowMasks, SearchStats, search_chunks,
};

/// How many boxes near a piece there is room for at first, but no more than the grid has rows; the room grows if more come. It is
/// filled before use, so in a small world it should be small.
const BOXES_NEARBY: usize = 1024;

impl PointGrid {
    /// How many chunks the search for pairs with `boxes` comes in. Depends only on the data.
    pub fn meet_boxes_chunks(&self, boxes: &dyn BoxSource) -> usize {
        if boxes.is_empty() { 0 } else { self.chunks() }
    }

    /// How much arena memory a chunk of the meeting takes. If a piece touches unusually many boxes, the arena grows.
    pub fn meet_boxes_scratch_bytes(&self) -> usize {
        PairBuffer::BYTES + Visits::BYTES + BoxRun::bytes(BOXES_NEARBY, false)
    }

    /// Visits every pair of a row of this grid and a row of `boxes` that overlap, in batches: the grid's row
    /// first for [`PairOrder::Left`], second for [`PairOrder::Right`]. Otherwise as
    /// [`meet_in_chunk`](Self::meet_in_chunk).
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are shorter than their columns were.
    pub fn meet_boxes_in_chunk(
        &self,
        boxes: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        arena.reset();
        self.search_boxes(boxes, chunk, masks, order, arena, |arena| {
            PairBuffer::new(arena, visit)
        })
    }

    /// The same pairs in the same order, with the values of the grid's rows, as they were when it was built. Those of the
    /// boxes are left to the visitor.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are shorter than their columns were.
    pub fn meet_boxes_with_values_in_chunk(
        &self,
        boxes: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        to: &mut HeldBuffer<'_>,
    ) -> SearchStats {
        arena.reset();
        self.search_boxes(boxes, chunk, masks, order, arena, |arena| {
            WithValues::new(arena, to)
        })
    }

    pub(crate) fn search_boxes<'a, S: Sink>(
        &self,
        boxes: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &'a Arena,
        sink: impl FnOnce(&'a Arena) -> S,
    ) -> SearchStats {
        let mut nearby = BoxRun::with_capacity(arena, BOXES_NEARBY.min(self.rows), false);
        let mut visits = Visits::new(arena);
        let mut out = sink(arena);
        let mut candidates = 0;
        for &piece in self.pieces_of(chunk) {
            let (own, bounds) = self.view().centers_of(piece);
            let window = bounds.to_aabb().expect("finite centres fill a box");
            nearby.clear();
            boxes.gather(&window, arena, &mut nearby);
            if nearby.is_empty() {
                continue;
            }
            let probe = Probe::new(own, self.view().slack(&bounds), S::PLACED);
            candidates += out.find_by_left(&own, order, |order, out| {
                let with = Probing { masks, order };
                kernels::probe(self.simd, &probe, &nearby, with, &mut visits, out)
            });
            out.flush();
        }
        SearchStats {
            pairs: out.total(),
            candidates,
        }
    }

    /// Visits every pair of this grid and `boxes` once, on the calling thread, in chunk order: the grid's row
    /// first.
    pub fn for_each_meeting_with_boxes(
        &self,
        boxes: &dyn BoxSource,
        masks: [Option<RowMasks<'_>>; 2],
        visit: impl FnMut(u32, u32),
    ) -> SearchStats {
        let search = |chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])| {
            self.meet_boxes_in_chunk(boxes, chunk, masks, PairOrder::Left, arena, visit)
        };
        search_chunks(
            self.meet_boxes_chunks(boxes),
            self.meet_boxes_scratch_bytes(),
            search,
            visit,
        )
    }
}

impl PointGrid {
    /// Appends what touches a window, from the centers near it. `boxes` says what those are taken as.
    fn gather_as<'a>(
        &self,
        boxes: fn(Centers<'_>) -> Centers<'_>,
        window: &Aabb,
        arena: &'a Arena,
        found: &mut BoxRun<'a>,
    ) {
        let bounds = Bounds {
            min: window.min(),
            max: window.max(),
        };
        let view = self.view();
        for &strip in view.strips_touching(&bounds) {
            for leaf in view.leaves_touching(strip, &bounds) {
                let centers = view.groups_touching(leaf, &bounds);
                for first in (0..centers.len()).step_by(SPARE_ROOM) {
                    let part = centers.slice(first..centers.len().min(first + SPARE_ROOM));
                    found.make_room(arena, part.len());
                    kernels::touching(self.simd, &boxes(part), &bounds, found);
                }
            }
        }
    }

    /// Visits the pieces of a chunk. `boxes` says what their centers are taken as.
    fn visit_pieces_as<'a>(
        &self,
        boxes: fn(Centers<'_>) -> Centers<'_>,
        chunk: usize,
        arena: &'a Arena,
        piece: &mut BoxRun<'a>,
        visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.pieces_of(chunk).iter().try_for_each(|&place| {
            let (own, bounds) = self.view().centers_of(place);
            piece.clear();
            self.append_boxes(boxes(own), &bounds, arena, piece);
            visit(piece)
        })
    }

    /// Appends the boxes around all centers of a piece.
    pub(crate) fn append_boxes<'a>(
        &self,
        own: Centers<'_>,
        bounds: &Bounds,
        arena: &'a Arena,
        to: &mut BoxRun<'a>,
    ) {
        to.make_room(arena, own.len());
        // This keeps all of them: the bounds hold every center and more.
        kernels::touching(self.simd, &own, bounds, to);
    }
}

/// Lets a structure of boxes that has more rows than the grid walk its own, and ask the grid.
impl BoxSource for PointGrid {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        self.gather_as(|centers| centers, window, arena, found);
    }

    fn gather_middles<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        self.gather_as(|centers| centers.as_points(), window, arena, found);
    }

    fn at_once(&self) -> Option<&dyn PairsAtOnce> {
        Some(self)
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn bounds(&self) -> Option<Aabb> {
        self.bounds.widened(self.bound).to_aabb()
    }
}

impl BoxPieces for PointGrid {
    fn piece_chunks(&self) -> usize {
        self.chunks()
    }

    fn visit_pieces<'a>(
        &self,
        chunk: usize,
        arena: &'a Arena,
        piece: &mut BoxRun<'a>,
        visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_pieces_as(|centers| centers, chunk, arena, piece, visit)
    }

    fn visit_middles<'a>(
        &self,
        chunk: usize,
        arena: &'a Arena,
        piece: &mut BoxRun<'a>,
        visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_pieces_as(|centers| centers.as_points(), chunk, arena, piece, visit)
    }
}
