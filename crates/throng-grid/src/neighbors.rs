//! The rows near each row, row by row.

use crate::PointGrid;
use crate::kernels::{self, Around, Counted, Found, Group, Near, Stretch};
use crate::leaf::{Bounds, Strip};
use crate::lists::{Listing, Lists, VisitLists};
use crate::near_pairs::kind;
use crate::nearness::Nearness;
use crate::pieces::{Piece, longest};
use crate::run::Run;
use crate::view::{SPARE_ROOM, View};
use throng_core::{Arena, ArenaVec, ChunkStats, LANES, RowMasks};

/// How many groups near a piece there is room for at first.
const NEARBY: usize = 256;

impl PointGrid {
    /// How much arena memory a chunk of [`neighbors_in_chunk`](Self::neighbors_in_chunk) takes. If the distance is much
    /// larger than the bound, the arena grows.
    pub fn neighbors_scratch_bytes(&self) -> usize {
        let kind = kind(&self.view(), true);
        let own = longest(&self.pieces);
        Lists::BYTES + Found::BYTES + 2 * kind.bytes(own + SPARE_ROOM) + NEARBY * size_of::<Group>()
    }

    /// Visits the list of every row in a chunk of this grid: the rows of `among`, which may be this grid itself, that
    /// are near it. A row is not near itself. Lists may be empty; they come in batches, in the order of leaves.
    ///
    /// With `masks`, of this grid's rows and of the other's, rows whose masks do not agree are left out; where one side
    /// has none, its rows have [`Masks::ALL`](throng_core::Masks::ALL). Otherwise as
    /// [`near_pairs_in_chunk`](Self::near_pairs_in_chunk).
    ///
    /// O(rows + candidates).
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are shorter than their columns were.
    #[expect(clippy::too_many_arguments, reason = "each is another thing")]
    pub fn neighbors_in_chunk(
        &self,
        among: &PointGrid,
        near: Nearness,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        arena: &mut Arena,
        listing: Listing,
        visit: &mut VisitLists<'_>,
    ) -> ChunkStats {
        arena.reset();
        let arena = &*arena;
        let pieces = self.pieces_of(chunk);
        let views = [self, among].map(|grid| near.view(grid));
        let masked = masks.iter().any(Option::is_some);
        let with_offsets = listing == Listing::WithOffsets;
        let [own, strip] = views.each_ref().map(|view| {
            let room = longest(pieces) + SPARE_ROOM;
            Run::with_capacity(arena, room, kind(view, masked))
        });
        let mut search = Search {
            views,
            near: near.of([self, among]),
            masks,
            arena,
            own,
            strip,
            nearby: arena.vec(NEARBY),
            stretches: arena.vec(8),
            counted: match listing {
                _ if !std::ptr::eq(self, among) => Counted::All,
                Listing::AscendingLater => Counted::Later,
                Listing::Ascending | Listing::WithOffsets => Counted::Others,
            },
            found: Found::new(arena, with_offsets),
            lists: Lists::new(with_offsets, arena, visit),
            candidates: 0,
        };
        for &piece in pieces {
            search.list_piece(piece);
        }
        search.lists.flush();
        ChunkStats {
            pairs: search.lists.total(),
            candidates: search.candidates,
        }
    }
}

/// The search of one chunk.
struct Search<'a, 'v> {
    /// The grid whose rows have the lists, and the one whose rows are in them.
    views: [View<'a>; 2],
    near: Near,
    masks: [Option<RowMasks<'a>>; 2],
    arena: &'a Arena,
    /// The rows of a piece.
    own: Run<'a>,
    /// What may be near it in one strip; then all of it, strip by strip.
    strip: Run<'a>,
    nearby: ArenaVec<'a, Group>,
    stretches: ArenaVec<'a, Stretch>,
    counted: Counted,
    found: Found<'a>,
    lists: Lists<'a, 'v>,
    candidates: u64,
}

impl Search<'_, '_> {
    fn list_piece(&mut self, piece: Piece) {
        let [walked, found] = self.views;
        let (own, window) = walked.centers_of(piece);
        self.own.clear();
        self.own.make_room(self.arena, own.len());
        self.own.append(&own);
        self.own.finish(self.masks[0]);
        self.nearby.clear();
        self.stretches.clear();
        for &strip in found.strips_touching(&window) {
            self.collect(strip, &window);
        }
        // Twice, for what rounding adds.
        let slack = 2.0 * (walked.slack(&window) + found.slack(&window.widened(found.half)));
        let around = Around {
            near: self.near,
            own: self.own.view(),
            nearby: &self.nearby,
            reach: found.half[0],
            slack,
            counted: self.counted,
        };
        let (simd, stretches) = (walked.grid.simd, &mut self.stretches);
        self.candidates +=
            kernels::around(simd, &around, stretches, &mut self.found, &mut self.lists);
    }

    /// Collects what may be near a piece in one strip.
    fn collect(&mut self, strip: Strip, window: &Bounds) {
        let found = self.views[1];
        self.strip.clear();
        let leaves = found.leaves_touching(strip, window);
        found.pick_leaves(leaves, &mut self.strip, self.arena, window);
        self.strip.finish(self.masks[1]);
        let (first, run) = (self.nearby.len(), self.strip.view());
        let groups = run.len.div_ceil(LANES);
        self.nearby.resize(first + groups, Group::EMPTY);
        for (at, group) in self.nearby[first..].iter_mut().enumerate() {
            group.copy(&run, self.near.boxes[1], at * LANES);
        }
        self.stretches.push(Stretch::new(first..first + groups));
    }
}
