//! Every overlapping pair of the strips' own boxes, and with those of another structure, chunk by chunk.
//!
//! A piece of a strip is swept together with what follows it in the strip. Then it looks for boxes of
//! higher layers around it, once for all of its own; and a meeting looks, in the same way, for another
//! structure's. There every box takes part in the one copy that begins in its strip, so that a pair is
//! found from one piece alone.

use super::BoxStrips;
use super::buckets::{Copies, Slot};
use super::gather::bounds;
use super::kernels::{self, Sweep};
use super::partition::{BEGINS_HERE, ROW};
use super::pieces::{LONGEST, Piece};
use super::staged::Staged;
use crate::LooseStructure;
use crate::sides::Corners;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, ChunkStats, LANES, PairBuffer, PairOrder, RowMasks,
    highest,
};

/// Copies of a piece and behind it that there is room for masks of at first.
const REACHED: usize = 2 * LONGEST as usize;
/// Boxes found around a piece that a run has room for at first.
const FOUND: usize = 256;

impl BoxStrips {
    /// What a chunk's search takes of an arena.
    pub(super) fn scratch_bytes() -> usize {
        let masks = 2 * (REACHED + LANES) * size_of::<u32>();
        let runs = BoxRun::bytes(LONGEST as usize, true) + BoxRun::bytes(2 * FOUND, true);
        PairBuffer::BYTES + masks + runs
    }

    /// What [`pairs_in_chunk`](crate::LooseStructure::pairs_in_chunk) does.
    pub(super) fn find_pairs(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> ChunkStats {
        arena.reset();
        let mut search = Search::new(self, [masks; 2], PairOrder::LowerRow, arena, visit);
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
    ) -> ChunkStats {
        arena.reset();
        let mut search = Search::new(self, masks, order, arena, visit);
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

    fn pieces_of(&self, chunk: usize) -> &[Piece] {
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
        self.pieces_of(chunk).iter().try_for_each(|place| {
            let slot = &self.buckets.slots()[place.slot as usize];
            let (first, len) = (place.first as usize, place.len as usize);
            let copies = self.buckets.copies(slot).slice(first..first + len);
            piece.clear();
            take_beginning(&copies.upright(slot.lies_across), arena, piece);
            visit(piece)
        })
    }
}

/// The working memory of one chunk's search.
struct Search<'a> {
    strips: &'a BoxStrips,
    /// Of the own rows, and of those that are found.
    masks: [Option<RowMasks<'a>>; 2],
    order: PairOrder,
    arena: &'a Arena,
    /// The masks of a piece's copies and of those that it reaches.
    reached_masks: [&'a mut [u32]; 2],
    /// A piece's boxes that begin in its strip.
    own: BoxRun<'a>,
    found: BoxRun<'a>,
    out: PairBuffer<'a>,
    candidates: u64,
}

impl<'a> Search<'a> {
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
            own: BoxRun::with_capacity(arena, 0, masked),
            found: BoxRun::with_capacity(arena, 0, masked),
            out: PairBuffer::new(arena, visit),
            candidates: 0,
        }
    }

    fn stats(self) -> ChunkStats {
        ChunkStats {
            pairs: self.out.total(),
            candidates: self.candidates,
        }
    }

    fn slot(&self, piece: Piece) -> &'a Slot {
        &self.strips.buckets.slots()[piece.slot as usize]
    }

    /// The piece's copies and all that follow them in their slot, as stored.
    fn copies_from(&self, piece: Piece) -> Copies<'a> {
        let copies = self.strips.buckets.copies(self.slot(piece));
        copies.slice(piece.first as usize..copies.len)
    }

    /// Pairs of a piece's copies with each other and with what follows.
    fn sweep_piece(&mut self, piece: Piece) {
        let copies = self.copies_from(piece);
        let own = piece.len as usize;
        let masks = self.masks[0].map(|masks| self.masks_of_reached(&copies, own, masks));
        let sweep = Sweep {
            copies,
            own,
            masks: masks.map_or([&[], &[]], |reached| {
                self.reached_masks.each_ref().map(|masks| &masks[..reached])
            }),
        };
        self.candidates += kernels::sweep(self.strips.simd, sweep, &mut self.out);
    }

    /// Fetches the masks of the first `own` copies and of all that begin before one of those ends. Returns
    /// how many words of masks that makes, idle ones behind the last included.
    fn masks_of_reached(&mut self, copies: &Copies<'_>, own: usize, masks: RowMasks<'_>) -> usize {
        let furthest = highest(&copies.max_x[..own]);
        let reached = own + copies.min_x[own..copies.len].partition_point(|&x| x <= furthest);
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

    /// Pairs of a piece's boxes with whatever `gather` finds in the window they fill.
    fn meet_piece(
        &mut self,
        piece: Piece,
        gather: impl FnOnce(&Corners, &'a Arena, &mut BoxRun<'a>),
    ) {
        let lies_across = self.slot(piece).lies_across;
        let copies = self.copies_from(piece).slice(0..piece.len as usize);
        self.found.clear();
        self.found.make_room(self.arena, FOUND);
        gather(&bounds(&copies, lies_across), self.arena, &mut self.found);
        if self.found.is_empty() {
            return;
        }
        self.own.clear();
        self.own.make_room(self.arena, LONGEST as usize);
        take_beginning(&copies.upright(lies_across), self.arena, &mut self.own);
        self.own.finish(self.masks[0]);
        self.found.finish(self.masks[1]);
        let simd = self.strips.simd;
        self.candidates += simd.cross(&self.own, &self.found, self.order, &mut self.out);
    }
}

/// Appends the copies that begin in their strip to a run.
fn take_beginning<'a>(copies: &Copies<'_>, arena: &'a Arena, own: &mut BoxRun<'a>) {
    let mut staged = Staged::default();
    for first in (0..copies.len).step_by(LANES) {
        for k in first..copies.len.min(first + LANES) {
            let [min, max] = copies.corners(k);
            let begins = copies.rows[k] & BEGINS_HERE != 0;
            staged.push_if(begins, [min, max], copies.rows[k] & ROW);
        }
        staged.append_if_full(arena, own);
    }
    staged.append_to(arena, own);
}
