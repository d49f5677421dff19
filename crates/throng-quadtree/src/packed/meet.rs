//! Every overlapping pair of the tree with another structure, once, chunk by chunk.
//!
//! Used when the tree has more boxes than the other structure: its leaves are walked in pieces of sixteen, and the
//! other structure is asked once for each piece. If the other has more boxes, it walks its own leaves and asks the
//! tree, which is a [`BoxSource`].

use super::PackedQuadtree;
use super::view::View;
use std::ops::{ControlFlow, Range};
use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, LANES, PairBuffer, PairOrder, RowMasks, SearchStats,
    highest, lowest, search_chunks,
};

/// Leaves in a piece, for which the other structure is asked once; and pieces in a chunk.
const LEAVES_IN_PIECE: usize = LANES;
const PIECES_IN_CHUNK: usize = 4;

/// How many boxes near a piece there is room for at first, but no more than the tree has boxes; the room grows if more come. It is
/// filled before use, so in a small world it should be small.
const BOXES_NEARBY: usize = 1024;

impl<B: AsRef<[u8]> + Sync> PackedQuadtree<B> {
    /// How many chunks the search for pairs with `other` comes in. Depends only on the data.
    pub fn meet_chunks(&self, other: &dyn BoxSource) -> usize {
        if other.is_empty() {
            0
        } else {
            self.piece_chunks()
        }
    }

    /// How much arena memory a chunk of the meeting takes. If leaves touch unusually many boxes, the arena grows.
    pub fn meet_scratch_bytes(&self) -> usize {
        PairBuffer::BYTES
            + BoxRun::bytes(LEAVES_IN_PIECE * LANES, true)
            + BoxRun::bytes(BOXES_NEARBY, true)
    }

    /// Visits every pair of a row of this tree and a row of `other` whose boxes overlap, in batches of about a
    /// thousand at most. This tree's row comes first for [`PairOrder::Left`], second for [`PairOrder::Right`]. The
    /// order depends only on the data.
    ///
    /// With `masks` (of this tree's rows, and of the other's), pairs whose masks do not agree are left out; where one
    /// side has none, its rows have [`MaskWords::ALL`](throng_core::MaskWords::ALL). Chunks may be searched in any order, on
    /// any thread, each with its own arena.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are too short for the rows.
    pub fn meet_in_chunk(
        &self,
        other: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        let pieces = self.leaves().div_ceil(LEAVES_IN_PIECE);
        let first = chunk * PIECES_IN_CHUNK;
        assert!(first < pieces, "there is no chunk {chunk}");
        arena.reset();
        let arena = &*arena;
        let masked = masks.iter().any(Option::is_some);
        let leaves = LEAVES_IN_PIECE.min(self.leaves());
        let mut own = BoxRun::with_capacity(arena, leaves * LANES, masked);
        let mut nearby = BoxRun::with_capacity(arena, BOXES_NEARBY.min(self.len()), masked);
        let mut out = PairBuffer::new(arena, visit);
        let mut candidates = 0;
        let view = self.view();
        for piece in first..pieces.min(first + PIECES_IN_CHUNK) {
            let Some(window) = bounds_of(&view, piece) else {
                continue;
            };
            nearby.clear();
            other.gather(&window, arena, &mut nearby);
            let Some(reached) = nearby.bounds() else {
                continue;
            };
            own.clear();
            self.pick(&view, piece, &reached, &mut own);
            own.finish(masks[0]);
            nearby.finish(masks[1]);
            candidates += self.simd.cross(&own, &nearby, order, &mut out);
            out.flush();
        }
        SearchStats {
            pairs: out.total(),
            candidates,
        }
    }

    /// Appends the boxes of a piece that touch a window.
    fn pick(&self, view: &View<'_>, piece: usize, window: &[[f32; 2]; 2], into: &mut BoxRun<'_>) {
        for leaf in leaves_of(view, piece) {
            let sides = view.sides(0, leaf).each_ref().map(|side| &side[..]);
            self.simd.touching(sides, view.rows(leaf), window, into);
        }
    }

    /// Visits every overlapping pair of the two structures once, on the calling thread, in chunk order, this tree's
    /// row first.
    pub fn for_each_meeting(
        &self,
        other: &dyn BoxSource,
        masks: [Option<RowMasks<'_>>; 2],
        visit: impl FnMut(u32, u32),
    ) -> SearchStats {
        let search = |chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])| {
            self.meet_in_chunk(other, chunk, masks, PairOrder::Left, arena, visit)
        };
        search_chunks(
            self.meet_chunks(other),
            self.meet_scratch_bytes(),
            search,
            visit,
        )
    }
}

impl<B: AsRef<[u8]> + Sync> BoxPieces for PackedQuadtree<B> {
    fn piece_chunks(&self) -> usize {
        self.leaves().div_ceil(LEAVES_IN_PIECE * PIECES_IN_CHUNK)
    }

    fn visit_pieces<'a>(
        &self,
        chunk: usize,
        arena: &'a Arena,
        piece: &mut BoxRun<'a>,
        visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let pieces = self.leaves().div_ceil(LEAVES_IN_PIECE);
        let first = chunk * PIECES_IN_CHUNK;
        assert!(first < pieces, "there is no chunk {chunk}");
        let view = self.view();
        let everything = [[f32::NEG_INFINITY; 2], [f32::INFINITY; 2]];
        (first..pieces.min(first + PIECES_IN_CHUNK)).try_for_each(|place| {
            piece.clear();
            piece.make_room(arena, LEAVES_IN_PIECE * LANES);
            // Slots without a box are NaN, which touch nothing.
            self.pick(&view, place, &everything, piece);
            visit(piece)
        })
    }
}

fn leaves_of(view: &View<'_>, piece: usize) -> Range<usize> {
    piece * LEAVES_IN_PIECE..view.levels.leaves().min((piece + 1) * LEAVES_IN_PIECE)
}

/// The box around sixteen leaves, read from the children of their parent if the tree is deep enough to have one.
fn bounds_of(view: &View<'_>, piece: usize) -> Option<Aabb> {
    let around = |level: usize, block: usize| {
        // Slots without a box are NaN, which a minimum and a maximum ignore.
        let [min_x, min_y, max_x, max_y] = view.sides(level, block);
        Aabb::new(
            [lowest(min_x), lowest(min_y)],
            [highest(max_x), highest(max_y)],
        )
        .ok()
    };
    if view.levels.len() > 1 {
        return around(1, piece);
    }
    let leaves = leaves_of(view, piece).filter_map(|leaf| around(0, leaf));
    leaves.reduce(|all, leaf| all.union(&leaf))
}
