//! The rows near each row, row by row.
//!
//! Lists by row have to be written where they belong, and where that is follows from the lengths of all others. So they are found
//! in two passes: the first compares, and keeps a bit for each candidate ([`NeighborMarks`]); the second writes each list to its
//! place. To write lists into a buffer for each chunk, and copy them from there, took 1.4 to 1.6 times as long for rows in the
//! order of space, in twice the memory. Lists without a place, as a visitor gets them, are written from the same marks, piece by
//! piece, which is no slower than one pass.

use crate::PointGrid;
use crate::kernels::{self, Around, Counted, Near, Stretch};
use crate::lists::{Lists, VisitLists};
use crate::marks::{MarkedPiece, NeighborMarks, key_of};
use crate::near_pairs::kind;
use crate::nearness::Nearness;
use crate::pieces::{Piece, longest};
use crate::run::Run;
use crate::view::{SPARE_ROOM, View};
use throng_core::{Arena, ArenaVec, LANES, RowMasks, SearchStats, Share, for_both};

/// About how many times as many rows as a piece has are near it; there is room for that many at first.
const NEARBY: usize = 4;

/// Which of the near rows of one grid a row is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// All others.
    Others,
    /// Those after itself. Between two grids, all.
    Later,
}

impl PointGrid {
    /// How much arena memory a chunk of [`mark_neighbors_in_chunk`](Self::mark_neighbors_in_chunk) or
    /// [`visit_neighbors_in_chunk`](Self::visit_neighbors_in_chunk) takes, and the [lists](Self::write_neighbors) of one, unless
    /// they are unusually long. If the distance is much larger than the bound, the arena grows.
    pub fn neighbors_scratch_bytes(&self) -> usize {
        let kind = kind(&self.view(), true);
        let own = longest(&self.pieces);
        Lists::BYTES + kind.bytes(own) + kind.bytes(NEARBY * own + SPARE_ROOM)
    }

    /// Marks which rows of `among`, which may be this grid itself, are near each row in a chunk of this grid. A row is not near
    /// itself. Replaces the contents of `marks`.
    ///
    /// With `masks`, of this grid's rows and of the other's, rows whose masks do not agree are left out; where one side
    /// has none, its rows have [`MaskWords::ALL`](throng_core::MaskWords::ALL). Otherwise as
    /// [`near_pairs_in_chunk`](Self::near_pairs_in_chunk).
    ///
    /// O(rows + candidates).
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are shorter than their columns were.
    #[expect(clippy::too_many_arguments, reason = "each is another thing")]
    pub fn mark_neighbors_in_chunk(
        &self,
        among: &PointGrid,
        near: Nearness,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        listing: Listing,
        arena: &mut Arena,
        marks: &mut NeighborMarks,
    ) -> SearchStats {
        arena.reset();
        marks.clear();
        let pieces = self.pieces_of(chunk);
        let mut search = Search::new([self, among], near, pieces, masks, listing, arena);
        for &piece in pieces {
            search.mark_piece(piece, marks);
        }
        SearchStats {
            pairs: marks.lens.iter().copied().map(u64::from).sum(),
            candidates: search.candidates,
        }
    }

    /// Writes the list of every marked row, ascending: that of row `k` to slice `k`, where the share has that. It should be as long
    /// as [the marks say](NeighborMarks::lens).
    ///
    /// O(neighbors), with a factor of the square of a list's logarithm unless rows are in the order of space.
    pub fn write_neighbors(
        &self,
        marks: &NeighborMarks,
        arena: &mut Arena,
        lists: &mut Share<'_, u32>,
    ) {
        arena.reset();
        kernels::write_lists(self.simd, marks, arena, lists);
    }

    /// Visits the list of every row in a chunk of this grid: the same rows as
    /// [`mark_neighbors_in_chunk`](Self::mark_neighbors_in_chunk) marks, and how far away they are along each axis. Lists may be
    /// empty; they come in batches, in the order of leaves, and so do the rows in them. `marks` is scratch memory.
    ///
    /// O(rows + candidates).
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are shorter than their columns were.
    #[expect(clippy::too_many_arguments, reason = "each is another thing")]
    pub fn visit_neighbors_in_chunk(
        &self,
        among: &PointGrid,
        near: Nearness,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        arena: &mut Arena,
        marks: &mut NeighborMarks,
        visit: &mut VisitLists<'_>,
    ) -> SearchStats {
        arena.reset();
        let arena = &*arena;
        let pieces = self.pieces_of(chunk);
        let grids = [self, among];
        let mut search = Search::new(grids, near, pieces, masks, Listing::Others, arena);
        let mut lists = Lists::new(arena, visit);
        for &piece in pieces {
            marks.clear();
            search.mark_piece(piece, marks);
            let own = search.own.view();
            kernels::list_offsets(self.simd, &own, &search.nearby.view(), marks, &mut lists);
        }
        lists.flush();
        SearchStats {
            pairs: lists.total(),
            candidates: search.candidates,
        }
    }
}

/// The search of one chunk.
struct Search<'a> {
    /// The grid whose rows have the lists, and the one whose rows are in them.
    views: [View<'a>; 2],
    near: Near,
    masks: [Option<RowMasks<'a>>; 2],
    arena: &'a Arena,
    /// The rows of a piece.
    own: Run<'a>,
    /// What may be near it, strip by strip.
    nearby: Run<'a>,
    stretches: ArenaVec<'a, Stretch>,
    counted: Counted,
    candidates: u64,
}

impl<'a> Search<'a> {
    fn new(
        grids: [&'a PointGrid; 2],
        near: Nearness,
        pieces: &[Piece],
        masks: [Option<RowMasks<'a>>; 2],
        listing: Listing,
        arena: &'a Arena,
    ) -> Self {
        let views = grids.map(|grid| near.view(grid));
        let masked = masks.iter().any(Option::is_some);
        let own = longest(pieces);
        let rooms = [own, NEARBY * own + SPARE_ROOM];
        let [own, nearby] =
            for_both(|side| Run::with_capacity(arena, rooms[side], kind(&views[side], masked)));
        Self {
            views,
            near: near.of(grids),
            masks,
            arena,
            own,
            nearby,
            stretches: arena.vec(8),
            counted: match listing {
                _ if !std::ptr::eq(grids[0], grids[1]) => Counted::All,
                Listing::Later => Counted::Later,
                Listing::Others => Counted::Others,
            },
            candidates: 0,
        }
    }

    /// Adds the marks of a piece.
    fn mark_piece(&mut self, piece: Piece, marks: &mut NeighborMarks) {
        let [walked, found] = self.views;
        let (own, window) = walked.centers_of(piece);
        self.own.clear();
        self.own.append(&own);
        self.own.finish(self.masks[0]);
        self.nearby.clear();
        self.stretches.clear();
        // If only later rows count, those up to this one count for none.
        let own_first = match self.counted {
            Counted::Later => self.own.centers().rows.iter().copied().min(),
            Counted::All | Counted::Others => None,
        };
        let (mut ascends, mut last) = (true, 0);
        for &strip in found.strips_touching(&window) {
            let first = self.nearby.len;
            let leaves = found.leaves_touching(strip, &window);
            found.pick_leaves(leaves, &mut self.nearby, self.arena, &window);
            // Words, which ascend where rows do.
            let rows = &self.nearby.centers().rows[first..];
            // Where rows are in the order of space, these are all of most strips below.
            let row_of = |word: u32| found.grid.row_word.row(word);
            let counts = |&word: &u32| own_first.is_none_or(|first| row_of(word) > first);
            let passed = rows.iter().take_while(|word| !counts(word)).count();
            let rows = &rows[passed..];
            if let [begin, .., end] | [begin @ end] = rows {
                ascends = ascends && last <= *begin && rows.is_sorted();
                last = *end;
                self.stretches.push(Stretch::from(first + passed));
            }
            self.nearby.make_room(self.arena, LANES);
            self.nearby.append_gap();
        }
        self.nearby.finish(self.masks[1]);
        marks.rows.extend_from_slice(self.own.centers().rows);
        marks.pieces.push(MarkedPiece {
            end: marks.rows.len(),
            ascends,
        });
        let first_key = marks.keys.len();
        let nearby = self.nearby.view();
        marks
            .keys
            .extend(nearby.names.iter().map(|&row| key_of(row)));
        let around = Around {
            near: self.near,
            own: self.own.view(),
            nearby,
            slack: [
                walked.wide_slack(&window),
                found.wide_slack(&window.widened(found.half)),
            ],
            counted: self.counted,
        };
        let (simd, stretches) = (walked.grid.simd, &mut self.stretches);
        self.candidates += kernels::around(simd, &around, stretches, first_key, marks);
    }
}
