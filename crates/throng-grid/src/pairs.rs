//! Every overlapping pair of a grid's own rows, once, chunk by chunk.
//!
//! Each piece of a leaf only looks ahead: at itself, at what follows it in its strip as far as its boxes reach, and
//! at the strips above. A pair is only found from its earlier member, so no set of found pairs is needed and no
//! duplicates have to be removed.
//!
//! ```text
//!    strip 1   ░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░     ▒ rows low enough to touch the piece
//!              ─────────────────────────────────
//!    strip 0   ░░░░░░░░▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒░░░░░░░     ▓ the piece    ▒ what its boxes reach ahead
//! ```

use crate::PointGrid;
use crate::kernels;
use crate::leaf::{Bounds, Strip};
use crate::pieces::{Piece, longest};
use crate::run::{Centers, Run, RunKind};
use crate::sink::{Sink, WithValues};
use crate::view::SPARE_ROOM;
use throng_core::{Arena, ChunkStats, HeldBuffer, PairBuffer, PairOrder, RowMasks, search_chunks};

impl PointGrid {
    /// How many chunks the search for pairs comes in. Depends only on the data.
    pub fn chunks(&self) -> usize {
        self.chunks.len().saturating_sub(1)
    }

    /// How much arena memory a chunk's search takes. If the rows are unusually crowded, the arena grows; also, by a
    /// kilobyte or two, the first time that pairs are to come with values.
    pub fn chunk_scratch_bytes(&self) -> usize {
        let kind = RunKind {
            bound: self.bound,
            exact: self.exact,
            masked: true,
            placed: false,
        };
        let own = longest(&self.pieces) + SPARE_ROOM;
        // The runs at a strip's edges seldom grow beyond twice their first size, and leave the old memory behind if
        // they do.
        let edge = 2 * SPARE_ROOM + 4 * SPARE_ROOM;
        PairBuffer::BYTES + kind.bytes(own) + 2 * kind.bytes(edge)
    }

    /// The pieces of a chunk.
    pub(crate) fn pieces_of(&self, chunk: usize) -> &[Piece] {
        &self.pieces[self.chunks[chunk] as usize..self.chunks[chunk + 1] as usize]
    }

    /// Visits every overlapping pair whose earlier row lies in the chunk, in batches of about a thousand at most:
    /// pairs of rows, the lower row first, in an order that depends only on the data. No batch mixes pairs of two
    /// leaves.
    ///
    /// With `masks` (one per row of the columns built from), pairs whose masks do not agree are left out. Chunks may
    /// be searched in any order, on any thread, each with its own arena.
    ///
    /// O(rows + pairs) where the crowd is not much denser than the one that cell sizes were chosen for.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or `masks` is shorter than the columns were.
    pub fn pairs_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> ChunkStats {
        arena.reset();
        self.search_chunk(chunk, masks, arena, |arena| PairBuffer::new(arena, visit))
    }

    /// The same pairs in the same order, with the values of both members of each, as they were when the grid was built.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or `masks` is shorter than the columns were.
    pub fn pairs_with_values_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        to: &mut HeldBuffer<'_>,
    ) -> ChunkStats {
        arena.reset();
        self.search_chunk(chunk, masks, arena, |arena| WithValues::new(arena, to))
    }

    fn search_chunk<'a, S: Sink>(
        &'a self,
        chunk: usize,
        masks: Option<RowMasks<'a>>,
        arena: &'a Arena,
        sink: impl FnOnce(&'a Arena) -> S,
    ) -> ChunkStats {
        let pieces = self.pieces_of(chunk);
        let kind = RunKind {
            bound: self.bound,
            exact: self.exact,
            masked: masks.is_some(),
            placed: S::PLACED,
        };
        // Its rows come by themselves: see `sweep`.
        let own = RunKind {
            placed: false,
            ..kind
        };
        let mut search = PairSearch {
            masks,
            arena,
            own: Run::with_capacity(arena, longest(pieces) + SPARE_ROOM, own),
            low: Run::with_capacity(arena, 2 * SPARE_ROOM, kind),
            high: Run::with_capacity(arena, 2 * SPARE_ROOM, kind),
            out: sink(arena),
            candidates: 0,
        };
        for &piece in pieces {
            self.pairs_of_piece(piece, &mut search);
            search.out.flush();
        }
        ChunkStats {
            pairs: search.out.total(),
            candidates: search.candidates,
        }
    }

    /// Visits every overlapping pair once, on the calling thread, in the order of the chunks.
    pub fn for_each_pair(
        &self,
        masks: Option<RowMasks<'_>>,
        visit: impl FnMut(u32, u32),
    ) -> ChunkStats {
        let search = |chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])| {
            self.pairs_in_chunk(chunk, masks, arena, visit)
        };
        search_chunks(self.chunks(), self.chunk_scratch_bytes(), search, visit)
    }

    fn pairs_of_piece(&self, piece: Piece, search: &mut PairSearch<'_, impl Sink>) {
        let view = self.view();
        let (own, window) = view.centers_of(piece);
        let slack = view.slack(&window);

        let strip = view.strip_of(piece);
        let around = (own, &window);
        view.fill_ahead((strip, piece), around, &mut search.own, search.arena);
        search.own.finish(search.masks);
        let (run, out) = (&search.own, search.out.groups());
        search.candidates += kernels::sweep(self.simd, run, own.len(), slack, out);

        for above in view.strips_above(strip, &window) {
            self.join_with_strip_above(above, own, &window, slack, search);
        }
    }

    /// Joins the upper edge of a piece with the lower edge of a strip above it.
    fn join_with_strip_above(
        &self,
        above: Strip,
        own: Centers<'_>,
        window: &Bounds,
        slack: f32,
        search: &mut PairSearch<'_, impl Sink>,
    ) {
        let view = self.view();
        let leaves = view.leaves_touching(above, window);
        let Some(reach) = view.reach_of(leaves) else {
            return;
        };
        search.low.clear();
        view.pick_touching(&mut search.low, search.arena, own, &reach);
        if search.low.len == 0 {
            return;
        }
        search.high.clear();
        view.pick_leaves(leaves, &mut search.high, search.arena, window);
        search.low.finish(search.masks);
        search.high.finish(search.masks);
        let slack = [slack, view.slack(&reach)];
        let (low, high) = (&search.low, &search.high);
        let (left, right) = (low.centers(), high.centers());
        let order = PairOrder::LowerRow;
        search.candidates += search.out.find(&left, &right, order, |order, out| {
            kernels::join(self.simd, low, high, slack, order, out)
        });
    }
}

/// The working memory of one chunk's search.
struct PairSearch<'a, S> {
    masks: Option<RowMasks<'a>>,
    arena: &'a Arena,
    own: Run<'a>,
    low: Run<'a>,
    high: Run<'a>,
    out: S,
    candidates: u64,
}
