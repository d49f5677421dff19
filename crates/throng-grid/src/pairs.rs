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
use crate::pair_search::{PairSearch, Runs};
use crate::pieces::{Piece, longest};
use crate::run::{Centers, MaskTest, RunKind};
use crate::sink::{Sink, WithValues};
use crate::view::SPARE_ROOM;
use throng_core::lanes::HitRoom;
use throng_core::{
    Arena, HeldBuffer, MetClasses, PairBuffer, PairOrder, RowMasks, SearchStats, overlaps_1d,
    search_chunks,
};

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
            mask_test: MaskTest::Words,
            placed: false,
        };
        let own = longest(&self.pieces) + SPARE_ROOM;
        // The runs at a strip's edges seldom grow beyond twice their first size, and leave the old memory behind if
        // they do.
        let edge = 2 * SPARE_ROOM + 4 * SPARE_ROOM;
        PairBuffer::BYTES + size_of::<HitRoom>() + kind.bytes(own) + 2 * kind.bytes(edge)
    }

    /// The pieces of a chunk.
    pub(crate) fn pieces_of(&self, chunk: usize) -> &[Piece] {
        let [first, end] = [chunk, chunk + 1].map(|chunk| self.chunks[chunk] as usize);
        &self.pieces[first..end]
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
    ) -> SearchStats {
        self.search_chunk(chunk, masks, arena, |arena| PairBuffer::new(arena, visit))
    }

    /// The same pairs in the same order, with the values of both members of each, as of the last build, mend or refit.
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
    ) -> SearchStats {
        self.search_chunk(chunk, masks, arena, |arena| WithValues::new(arena, to))
    }

    fn search_chunk<'a, S: Sink>(
        &'a self,
        chunk: usize,
        masks: Option<RowMasks<'a>>,
        arena: &'a mut Arena,
        sink: impl FnOnce(&'a Arena) -> S,
    ) -> SearchStats {
        arena.reset();
        let arena = &*arena;
        let met = masks.and_then(|masks| self.met_classes(masks));
        let kind = RunKind {
            bound: self.bound,
            exact: self.exact,
            mask_test: match (masks, &met) {
                (None, _) => MaskTest::None,
                (Some(_), None) => MaskTest::Words,
                (Some(_), Some(_)) => MaskTest::Classes,
            },
            placed: S::PLACED,
        };
        let pieces = self.pieces_of(chunk);
        let mut search = PairSearch {
            masks,
            met,
            arena,
            runs: Runs::new(arena, kind, [longest(pieces), self.rows]),
            of_crowds: None,
            out: sink(arena),
            candidates: 0,
        };
        for &piece in pieces {
            self.pairs_of_piece(piece, &mut search);
            search.out.flush();
        }
        SearchStats {
            pairs: search.out.total(),
            candidates: search.candidates,
        }
    }

    /// Which classes meet, if the index carries classes and masks are given by class.
    fn met_classes(&self, masks: RowMasks<'_>) -> Option<MetClasses> {
        match masks {
            RowMasks::Classes { palette, .. } if !self.row_word.is_plain() => {
                let stored = palette.get(self.row_word.first()..).unwrap_or_default();
                let stored = &stored[..stored.len().min(MetClasses::MOST)];
                MetClasses::of([stored, stored])
            }
            _ => None,
        }
    }

    /// Visits every overlapping pair once, on the calling thread, in the order of the chunks.
    pub fn for_each_pair(
        &self,
        masks: Option<RowMasks<'_>>,
        visit: impl FnMut(u32, u32),
    ) -> SearchStats {
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
        let (masks, met, arena) = (search.masks, search.met.as_ref(), search.arena);
        let mut runs = &mut search.runs;
        view.fill_ahead((strip, piece), around, &mut runs.own, arena);
        if met.is_some() && runs.are_crowded(self.simd, own.len(), &window) {
            let by_words = || runs.by_words(arena);
            runs = search.of_crowds.get_or_insert_with(by_words);
            view.fill_ahead((strip, piece), around, &mut runs.own, arena);
        }
        runs.own.finish(masks);
        let (run, hits, out) = (&runs.own, &mut *runs.hits, search.out.groups());
        search.candidates += kernels::sweep(self.simd, run, met, (own.len(), slack), hits, out);

        let with = (masks, met, arena);
        for above in view.strips_above(strip, &window) {
            let at = (own, &window, slack);
            let out = &mut search.out;
            search.candidates += self.join_with_strip_above(above, at, with, runs, out);
        }
    }

    /// Joins the upper edge of a piece with the lower edge of a strip above it. Returns the number of comparisons.
    fn join_with_strip_above<'a>(
        &self,
        above: Strip,
        (own, window, slack): (Centers<'_>, &Bounds, f32),
        (masks, met, arena): (Option<RowMasks<'_>>, Option<&MetClasses>, &'a Arena),
        runs: &mut Runs<'a>,
        out: &mut impl Sink,
    ) -> u64 {
        let view = self.view();
        let leaves = view.leaves_touching(above, window);
        let Some(reach) = view.reach_of(leaves) else {
            return 0;
        };
        // Because of drift, strips are looked at that are out of reach.
        if !overlaps_1d(reach.min[1], reach.max[1], window.min[1], window.max[1]) {
            return 0;
        }
        let Runs {
            low, high, hits, ..
        } = runs;
        low.clear();
        view.pick_touching(low, arena, own, &reach);
        if low.len == 0 {
            return 0;
        }
        high.clear();
        view.pick_leaves(leaves, high, arena, window);
        low.finish(masks);
        high.finish(masks);
        let slack = [slack, view.slack(&reach)];
        let (low, high) = (&*low, &*high);
        let (left, right) = (low.centers(), high.centers());
        out.find(&left, &right, PairOrder::LowerRow, |order, out| {
            kernels::join(self.simd, [low, high], met, slack, order, hits, out)
        })
    }
}
