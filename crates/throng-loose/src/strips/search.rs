//! Every overlapping pair of the strips' own boxes, or with those of another structure, chunk by chunk.
//!
//! A piece of a strip is swept together with what follows it in the strip. Then it looks for boxes of higher layers
//! nearby, once for all of its boxes. A meeting looks for another structure's boxes in the same way. In both, only the
//! copy that begins in its strip takes part, so each pair is found from one piece only.

use super::BoxStrips;
use super::buckets::{Copies, Slot};
use super::gather::bounds;
use super::gather_buffer::GatherBuffer;
use super::kernels::{self, Sweep};
use super::partition::{BEGINS_HERE, ROW};
use super::pieces::{LONGEST, StripPiece};
use crate::LooseStructure;
use std::ops::ControlFlow;
use throng_core::lanes::HitRoom;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, Corners, LANES, PairBuffer, PairOrder, RowMasks,
    SearchStats, highest,
};

/// How many masks there is room for at first: of a piece's copies and of those after it.
const REACHED: usize = 2 * LONGEST as usize;
/// How many boxes found near a piece a run has room for at first.
const FOUND: usize = 256;

impl BoxStrips {
    /// How much arena memory the search of a chunk takes.
    pub(super) fn scratch_bytes() -> usize {
        let masks = 2 * (REACHED + LANES) * size_of::<u32>();
        let runs = BoxRun::bytes(LONGEST as usize, true) + BoxRun::bytes(2 * FOUND, true);
        PairBuffer::BYTES + size_of::<HitRoom>() + masks + runs
    }

    /// What [`pairs_in_chunk`](crate::LooseStructure::pairs_in_chunk) does.
    pub(super) fn find_pairs(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        arena.reset();
        let mut search = StripSearch::new(self, [masks; 2], PairOrder::LowerRow, arena, visit);
        for &piece in self.pieces_of(chunk) {
            search.sweep_piece(piece);
            let layer = search.slot(piece).layer as usize;
            if self.is_anything_above(layer) {
                search.meet_piece(piece, |window, arena, found| {
                    self.gather_from(layer + 1, window, arena, found);
                });
            }
            search.out.flush();
        }
        search.stats()
    }

    /// What [`meet_in_chunk`](crate::LooseStructure::meet_in_chunk) does.
    pub(super) fn find_meetings(
        &self,
        other: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        arena.reset();
        let mut search = StripSearch::new(self, masks, order, arena, visit);
        for &piece in self.pieces_of(chunk) {
            search.meet_piece(piece, |&[min, max], arena, found| {
                if let Ok(window) = Aabb::new(min, max) {
                    other.gather(&window, arena, found);
                }
            });
            search.out.flush();
        }
        search.stats()
    }

    fn pieces_of(&self, chunk: usize) -> &[StripPiece] {
        &self.pieces[self.chunks[chunk] as usize..self.chunks[chunk + 1] as usize]
    }

    fn is_anything_above(&self, layer: usize) -> bool {
        let above = layer + 1..self.layers.as_slice().len();
        above
            .into_iter()
            .any(|layer| self.buckets.copies_in_layer(layer) > 0)
    }
}

impl BoxPieces for BoxStrips {
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
        self.pieces_of(chunk).iter().try_for_each(|at| {
            let slot = &self.buckets.slots()[at.slot as usize];
            let (first, len) = (at.first as usize, at.len as usize);
            let copies = self.buckets.copies(slot).slice(first..first + len);
            piece.clear();
            take_beginning(&copies.untransposed(slot.transposed), arena, piece);
            visit(piece)
        })
    }
}

/// The working memory of one chunk's search.
struct StripSearch<'a> {
    strips: &'a BoxStrips,
    /// Of the rows of this structure, and of those that are found.
    masks: [Option<RowMasks<'a>>; 2],
    order: PairOrder,
    arena: &'a Arena,
    /// The masks of a piece's copies and of those that it reaches.
    reached_masks: [&'a mut [u32]; 2],
    /// The boxes of a piece that begin in its strip.
    boxes: BoxRun<'a>,
    found: BoxRun<'a>,
    /// Made when first needed: only a sweep needs it.
    hits: Option<&'a mut HitRoom>,
    out: PairBuffer<'a>,
    candidates: u64,
}

impl<'a> StripSearch<'a> {
    fn new(
        strips: &'a BoxStrips,
        masks: [Option<RowMasks<'a>>; 2],
        order: PairOrder,
        arena: &'a Arena,
        visit: &'a mut dyn FnMut(&[[u32; 2]]),
    ) -> Self {
        let masked = masks.iter().any(Option::is_some);
        Self {
            strips,
            masks,
            order,
            arena,
            reached_masks: [&mut [], &mut []],
            boxes: BoxRun::with_capacity(arena, 0, masked),
            found: BoxRun::with_capacity(arena, 0, masked),
            hits: None,
            out: PairBuffer::new(arena, visit),
            candidates: 0,
        }
    }

    fn stats(self) -> SearchStats {
        SearchStats {
            pairs: self.out.total(),
            candidates: self.candidates,
        }
    }

    fn slot(&self, piece: StripPiece) -> &'a Slot {
        &self.strips.buckets.slots()[piece.slot as usize]
    }

    /// The copies of the piece and all after it in its slot, as stored.
    fn copies_from(&self, piece: StripPiece) -> Copies<'a> {
        let copies = self.strips.buckets.copies(self.slot(piece));
        copies.slice(piece.first as usize..copies.len)
    }

    /// Pairs of a piece's copies with each other and with what follows.
    fn sweep_piece(&mut self, piece: StripPiece) {
        let copies = self.copies_from(piece);
        let piece_len = piece.len as usize;
        let masks = self.masks[0].map(|masks| self.masks_of_reached(&copies, piece_len, masks));
        let sweep = Sweep {
            copies,
            piece_len,
            masks: masks.map_or([&[], &[]], |reached| {
                self.reached_masks.each_ref().map(|masks| &masks[..reached])
            }),
        };
        let (simd, arena) = (self.strips.simd, self.arena);
        let hits = self.hits.get_or_insert_with(|| HitRoom::in_arena(arena));
        self.candidates += kernels::sweep(simd, sweep, hits, &mut self.out);
    }

    /// Fetches the masks of the first `piece_len` copies and of all that begin before one of those ends. Returns how
    /// many words of masks that is, including unused ones after the last.
    fn masks_of_reached(
        &mut self,
        copies: &Copies<'_>,
        piece_len: usize,
        masks: RowMasks<'_>,
    ) -> usize {
        let furthest = highest(&copies.max_x[..piece_len]);
        let reached =
            piece_len + copies.min_x[piece_len..copies.len].partition_point(|&x| x <= furthest);
        let words = reached + LANES;
        if self.reached_masks[0].len() < words {
            let room = words.next_power_of_two().max(REACHED + LANES);
            self.reached_masks = std::array::from_fn(|_| self.arena.alloc_slice_fill(room, 0));
        }
        let [memberships, filters] = &mut self.reached_masks;
        let columns = memberships.iter_mut().zip(filters.iter_mut());
        for (&row, (memberships, filter)) in copies.rows[..reached].iter().zip(columns) {
            let masks = masks.get((row & ROW) as usize);
            (*memberships, *filter) = (masks.memberships, masks.filter);
        }
        words
    }

    /// Pairs of a piece's boxes with what `gather` finds in the window of their bounds.
    fn meet_piece(
        &mut self,
        piece: StripPiece,
        gather: impl FnOnce(&Corners, &'a Arena, &mut BoxRun<'a>),
    ) {
        let transposed = self.slot(piece).transposed;
        let copies = self.copies_from(piece).slice(0..piece.len as usize);
        self.found.clear();
        self.found.make_room(self.arena, FOUND);
        gather(&bounds(&copies, transposed), self.arena, &mut self.found);
        if self.found.is_empty() {
            return;
        }
        self.boxes.clear();
        self.boxes.make_room(self.arena, LONGEST as usize);
        take_beginning(
            &copies.untransposed(transposed),
            self.arena,
            &mut self.boxes,
        );
        self.boxes.finish(self.masks[0]);
        self.found.finish(self.masks[1]);
        let simd = self.strips.simd;
        self.candidates += simd.cross(&self.boxes, &self.found, self.order, &mut self.out);
    }
}

/// Appends the copies that begin in their strip to a run.
fn take_beginning<'a>(copies: &Copies<'_>, arena: &'a Arena, boxes: &mut BoxRun<'a>) {
    let mut buffer = GatherBuffer::default();
    for first in (0..copies.len).step_by(LANES) {
        for k in first..copies.len.min(first + LANES) {
            let [min, max] = copies.corners(k);
            let begins = copies.rows[k] & BEGINS_HERE != 0;
            buffer.push_if(begins, [min, max], copies.rows[k] & ROW);
        }
        buffer.append_if_full(arena, boxes);
    }
    buffer.append_to(arena, boxes);
}
