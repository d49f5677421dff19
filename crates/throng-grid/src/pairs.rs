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
use crate::search::partition_point_near_front;
use throng_core::{Arena, ChunkStats, PairBuffer, PairOrder, RowMasks, search_chunks};

/// How many centres runs have room for beyond those that are certain to come.
pub(crate) const SPARE_ROOM: usize = 128;

impl PointGrid {
    /// How many chunks the search for pairs comes in. Depends only on the data.
    pub fn chunks(&self) -> usize {
        self.chunks.len().saturating_sub(1)
    }

    /// How much arena memory a chunk's search takes. If the rows are unusually crowded, the arena grows.
    pub fn chunk_scratch_bytes(&self) -> usize {
        let kind = RunKind {
            bound: self.bound,
            exact: self.exact,
            masked: true,
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
        let arena = &*arena;
        let pieces = self.pieces_of(chunk);
        let kind = RunKind {
            bound: self.bound,
            exact: self.exact,
            masked: masks.is_some(),
        };
        let mut search = PairSearch {
            masks,
            arena,
            own: Run::with_capacity(arena, longest(pieces) + SPARE_ROOM, kind),
            low: Run::with_capacity(arena, 2 * SPARE_ROOM, kind),
            high: Run::with_capacity(arena, 2 * SPARE_ROOM, kind),
            out: PairBuffer::new(arena, visit),
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

    /// The centres of a piece, and the window that boxes of the bound around them fill.
    pub(crate) fn centers_of(&self, piece: Piece) -> (Centers<'_>, Bounds) {
        let leaf = &self.leaves[piece.leaf as usize];
        let (first, end) = (piece.first as usize, (piece.first + piece.len) as usize);
        let own = self.centers(leaf).slice(first..end);
        let bounds = if piece.len == leaf.len {
            leaf.bounds
        } else {
            Bounds::of(own.xs, own.ys)
        };
        (own, bounds.widened(self.bound))
    }

    fn pairs_of_piece(&self, piece: Piece, search: &mut PairSearch<'_>) {
        let (own, window) = self.centers_of(piece);
        let slack = self.slack(&window);

        let strip = self.strips.partition_point(|strip| strip.end <= piece.leaf);
        self.fill_ahead(self.strips[strip], piece, own, &window, search);
        search.candidates += kernels::sweep(
            self.simd,
            &search.own,
            own.rows.len(),
            slack,
            &mut search.out,
        );

        let here = self.strips[strip].id;
        for &above in self
            .strips_touching(&window)
            .iter()
            .filter(|strip| strip.id > here)
        {
            self.join_with_strip_above(above, own, &window, slack, search);
        }
    }

    /// Fills a run with the piece's boxes, followed by those that they reach ahead in their own strip.
    fn fill_ahead<'a>(
        &'a self,
        strip: Strip,
        piece: Piece,
        own: Centers<'a>,
        window: &Bounds,
        search: &mut PairSearch<'_>,
    ) {
        let leaf = &self.leaves[piece.leaf as usize];
        search.own.clear();
        search.own.make_room(search.arena, own.rows.len());
        search.own.append(&own);
        let rest = self
            .centers(leaf)
            .slice((piece.first + piece.len) as usize..leaf.len as usize);
        let later = self.leaves[piece.leaf as usize + 1..strip.end as usize].iter();
        for ahead in std::iter::once(rest).chain(later.map(|leaf| self.centers(leaf))) {
            let reached = self.reached_by(window.max[0], ahead.xs);
            search.own.make_room(search.arena, reached);
            search.own.append(&ahead.slice(0..reached));
            if reached < ahead.xs.len() {
                break;
            }
        }
        search.own.finish(search.masks);
    }

    /// How many of a run's first centres have boxes that may begin at or before `x`.
    fn reached_by(&self, x: f32, xs: &[f32]) -> usize {
        let column = |x: f32| self.layout.columns.cell(x);
        let furthest = column(throng_core::cell::reach_above(x, self.bound[0]));
        partition_point_near_front(xs, |&x| column(x) <= furthest)
    }

    /// Joins the upper edge of a piece with the lower edge of a strip above it.
    fn join_with_strip_above(
        &self,
        above: Strip,
        own: Centers<'_>,
        window: &Bounds,
        slack: f32,
        search: &mut PairSearch<'_>,
    ) {
        let leaves = self.leaves_touching(above, window);
        let Some(reach) = leaves
            .iter()
            .map(|leaf| leaf.bounds.widened(self.bound))
            .reduce(Bounds::union)
        else {
            return;
        };
        search.low.clear();
        pick_touching(self, &mut search.low, search.arena, own, &reach);
        if search.low.len == 0 {
            return;
        }
        search.high.clear();
        for leaf in leaves {
            let centers = self.centers_touching(leaf, window);
            pick_touching(self, &mut search.high, search.arena, centers, window);
        }
        search.low.finish(search.masks);
        search.high.finish(search.masks);
        let slack = [slack, self.slack(&reach)];
        search.candidates += kernels::join(
            self.simd,
            &search.low,
            &search.high,
            slack,
            PairOrder::LowerRow,
            &mut search.out,
        );
    }
}

/// The working memory of one chunk's search.
struct PairSearch<'a> {
    masks: Option<RowMasks<'a>>,
    arena: &'a Arena,
    own: Run<'a>,
    low: Run<'a>,
    high: Run<'a>,
    out: PairBuffer<'a>,
    candidates: u64,
}

/// Appends the centres whose boxes can touch the window along y; the join decides which do. Makes room a little at a
/// time, because most cannot.
pub(crate) fn pick_touching<'a>(
    grid: &PointGrid,
    run: &mut Run<'a>,
    arena: &'a Arena,
    centers: Centers<'_>,
    window: &Bounds,
) {
    for first in (0..centers.len()).step_by(SPARE_ROOM) {
        let part = centers.slice(first..centers.len().min(first + SPARE_ROOM));
        run.make_room(arena, part.len());
        kernels::pick(grid.simd, &part, [window.min[1], window.max[1]], run);
    }
}
