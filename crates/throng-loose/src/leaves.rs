//! What the search needs of a structure in which every row is in exactly one leaf, and the search.
//!
//! Each leaf, or piece of a crowded one, looks once for the boxes that touch its bounds among the leaves after it,
//! copies those side by side, and compares. A pair is found only from the earlier of its two leaves, so nothing has to
//! be remembered or removed. One walk per leaf, not per box, is what makes this cheap: a dozen boxes share it.

use crate::sides::{NOTHING, corners_of, touches, union};
use crate::work::{LONGEST_PIECE, LeafPiece, Work};
use std::ops::{ControlFlow, Range};
use throng_core::{
    Aabb, Arena, BoxRun, BoxSource, Corners, PairBuffer, PairOrder, RowMasks, SearchStats, Simd,
    spacing_of_parts,
};

/// Boxes of one leaf that are next to each other in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxSlice<'a> {
    /// min x, min y, max x, max y; each as long as `rows`.
    pub sides: [&'a [f32]; 4],
    pub rows: &'a [u32],
}

/// A structure cut into leaves, each row in one of them.
///
/// Leaves are numbered in the order in which a search walks them, which should follow space: then what one leaf finds
/// nearby is still in the cache for the next. Numbers are valid only until the next change.
pub(crate) trait Leaves: Sync {
    /// The instruction set that compares the leaves' boxes.
    fn simd(&self) -> Simd;

    /// How many leaves there are; some may hold no row.
    fn leaf_count(&self) -> usize;

    /// How many rows the leaf holds.
    fn leaf_len(&self, leaf: usize) -> usize;

    /// Bounds of all boxes in the leaf; any value if there are none.
    fn leaf_bounds(&self, leaf: usize) -> Corners;

    /// All boxes of the leaf.
    fn box_slices(&self, leaf: usize) -> impl Iterator<Item = BoxSlice<'_>>;

    /// Visits once every leaf from number `first` on that holds rows and whose bounds touch the window, until the
    /// visitor breaks. The order depends only on the data. Allocates nothing.
    fn leaves_touching<B>(
        &self,
        window: &Corners,
        first: usize,
        visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B>;
}

/// See [`BoxSource::spacing`].
pub(crate) fn spacing(leaves: &impl Leaves) -> Option<f32> {
    spacing_of_parts(leaves.leaf_count(), |leaf| {
        let boxes = leaves.leaf_len(leaf);
        (boxes > 0).then(|| (leaves.leaf_bounds(leaf), boxes))
    })
}

/// How many nearby boxes are collected before they are compared with a piece, unless a single leaf has more. Limits the
/// scratch of a crowd, and keeps it in L2.
const MANY: usize = 1024;

/// How much arena memory the search of a chunk takes, unless rows are extremely crowded.
pub(crate) fn scratch_bytes(work: &Work) -> usize {
    let nearby = MANY + work.longest_leaf();
    PairBuffer::BYTES + BoxRun::bytes(LONGEST_PIECE, true) + BoxRun::bytes(nearby, true)
}

/// See the method of [`LooseStructure`](crate::LooseStructure) with this name.
pub(crate) fn pairs_in_chunk(
    leaves: &impl Leaves,
    work: &Work,
    chunk: usize,
    masks: Option<RowMasks<'_>>,
    arena: &mut Arena,
    visit: &mut dyn FnMut(&[[u32; 2]]),
) -> SearchStats {
    arena.reset();
    let mut search = LeafSearch::new(leaves, work, [masks; 2], PairOrder::LowerRow, arena, visit);
    for piece in work.pieces(leaves, chunk) {
        search.pairs_of_piece(leaves, piece);
    }
    search.stats()
}

/// See the method of [`LooseStructure`](crate::LooseStructure) with this name.
#[expect(clippy::too_many_arguments, reason = "those of the method")]
pub(crate) fn meet_in_chunk(
    leaves: &impl Leaves,
    work: &Work,
    other: &dyn BoxSource,
    chunk: usize,
    masks: [Option<RowMasks<'_>>; 2],
    order: PairOrder,
    arena: &mut Arena,
    visit: &mut dyn FnMut(&[[u32; 2]]),
) -> SearchStats {
    arena.reset();
    let mut search = LeafSearch::new(leaves, work, masks, order, arena, visit);
    for piece in work.pieces(leaves, chunk) {
        search.meetings_of_piece(leaves, piece, other);
    }
    search.stats()
}

/// Appends every box that touches the window.
pub(crate) fn gather<'a>(
    leaves: &impl Leaves,
    window: &Aabb,
    arena: &'a Arena,
    found: &mut BoxRun<'a>,
) {
    let window = corners_of(window);
    let every: ControlFlow<()> = leaves.leaves_touching(&window, 0, |leaf| {
        append_touching(leaves, leaf, &window, arena, found);
        ControlFlow::Continue(())
    });
    debug_assert!(every.is_continue());
}

/// Visits the boxes of a chunk piece by piece, until the visitor breaks.
pub(crate) fn visit_pieces<'a>(
    leaves: &impl Leaves,
    work: &Work,
    chunk: usize,
    arena: &'a Arena,
    piece: &mut BoxRun<'a>,
    visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    work.pieces(leaves, chunk)
        .try_for_each(|LeafPiece { leaf, rows }| {
            piece.clear();
            append_range(leaves, leaf, rows, arena, piece);
            visit(piece)
        })
}

/// Visits every box that touches the window, until the visitor breaks.
pub(crate) fn query_aabb(
    leaves: &impl Leaves,
    window: &Aabb,
    visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let window = corners_of(window);
    leaves.leaves_touching(&window, 0, |leaf| {
        for BoxSlice { sides, rows } in leaves.box_slices(leaf) {
            for (k, &row) in rows.iter().enumerate() {
                let bounds = [[sides[0][k], sides[1][k]], [sides[2][k], sides[3][k]]];
                if touches(&bounds, &window)
                    && let Ok(aabb) = Aabb::new(bounds[0], bounds[1])
                {
                    visit(row, aabb)?;
                }
            }
        }
        ControlFlow::Continue(())
    })
}

/// The bounds of all leaves that hold rows. O(leaves).
pub(crate) fn bounds(leaves: &impl Leaves) -> Option<Aabb> {
    let held = (0..leaves.leaf_count()).filter(|&leaf| leaves.leaf_len(leaf) > 0);
    let [min, max] = held
        .map(|leaf| leaves.leaf_bounds(leaf))
        .reduce(|all, leaf| union(&all, &leaf))?;
    Aabb::new(min, max).ok()
}

/// Appends the boxes of a leaf that touch the window.
fn append_touching<'a>(
    leaves: &impl Leaves,
    leaf: usize,
    window: &Corners,
    arena: &'a Arena,
    run: &mut BoxRun<'a>,
) {
    let simd = leaves.simd();
    for BoxSlice { sides, rows } in leaves.box_slices(leaf) {
        run.make_room(arena, rows.len());
        simd.touching(sides, rows, window, run);
    }
}

/// Appends a range of a leaf's boxes.
fn append_range<'a>(
    leaves: &impl Leaves,
    leaf: usize,
    range: Range<usize>,
    arena: &'a Arena,
    run: &mut BoxRun<'a>,
) {
    let mut first = 0;
    for BoxSlice { sides, rows } in leaves.box_slices(leaf) {
        let from = range.start.max(first) - first;
        let to = range.end.min(first + rows.len()).saturating_sub(first);
        if from < to {
            run.make_room(arena, to - from);
            run.append(sides.map(|side| &side[from..to]), &rows[from..to]);
        }
        first += rows.len();
    }
}

/// The working memory of a chunk's search.
struct LeafSearch<'a> {
    simd: Simd,
    masks: [Option<RowMasks<'a>>; 2],
    order: PairOrder,
    arena: &'a Arena,
    /// The boxes of the piece.
    piece: BoxRun<'a>,
    /// Boxes found nearby that are still to be compared with it.
    nearby: BoxRun<'a>,
    out: PairBuffer<'a>,
    candidates: u64,
}

impl<'a> LeafSearch<'a> {
    fn new(
        leaves: &impl Leaves,
        work: &Work,
        masks: [Option<RowMasks<'a>>; 2],
        order: PairOrder,
        arena: &'a Arena,
        visit: &'a mut dyn FnMut(&[[u32; 2]]),
    ) -> Self {
        let masked = masks.iter().any(Option::is_some);
        let nearby = MANY + work.longest_leaf();
        Self {
            simd: leaves.simd(),
            masks,
            order,
            arena,
            piece: BoxRun::with_capacity(arena, LONGEST_PIECE, masked),
            nearby: BoxRun::with_capacity(arena, nearby, masked),
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

    /// Pairs of a piece with itself, with what follows it in its leaf, and with later leaves.
    fn pairs_of_piece(&mut self, leaves: &impl Leaves, LeafPiece { leaf, rows }: LeafPiece) {
        let window = self.take_piece(leaves, leaf, rows.clone());
        self.candidates += self.simd.within(&self.piece, &mut self.out);
        let len = leaves.leaf_len(leaf);
        for first in (rows.end..len).step_by(MANY) {
            let rest = first..len.min(first + MANY);
            append_range(leaves, leaf, rest, self.arena, &mut self.nearby);
            self.compare();
        }
        let every: ControlFlow<()> = leaves.leaves_touching(&window, leaf + 1, |other| {
            append_touching(leaves, other, &window, self.arena, &mut self.nearby);
            if self.nearby.len() >= MANY {
                self.compare();
            }
            ControlFlow::Continue(())
        });
        debug_assert!(every.is_continue());
        self.compare();
        self.out.flush();
    }

    /// Pairs of a piece with another structure.
    fn meetings_of_piece(
        &mut self,
        leaves: &impl Leaves,
        LeafPiece { leaf, rows }: LeafPiece,
        other: &dyn BoxSource,
    ) {
        let [min, max] = self.take_piece(leaves, leaf, rows);
        if let Ok(window) = Aabb::new(min, max) {
            other.gather(&window, self.arena, &mut self.nearby);
            self.compare();
            self.out.flush();
        }
    }

    /// Copies the piece's boxes. Returns their bounds.
    fn take_piece(&mut self, leaves: &impl Leaves, leaf: usize, rows: Range<usize>) -> Corners {
        let whole = rows.len() == leaves.leaf_len(leaf);
        self.piece.clear();
        self.nearby.clear();
        append_range(leaves, leaf, rows, self.arena, &mut self.piece);
        self.piece.finish(self.masks[0]);
        if whole {
            leaves.leaf_bounds(leaf)
        } else {
            self.piece.bounds().unwrap_or(NOTHING)
        }
    }

    /// Compares the piece with the boxes found nearby, and drops those.
    fn compare(&mut self) {
        if self.nearby.is_empty() {
            return;
        }
        self.nearby.finish(self.masks[1]);
        let (piece, nearby) = (&self.piece, &self.nearby);
        self.candidates += self.simd.cross(piece, nearby, self.order, &mut self.out);
        self.nearby.clear();
    }
}
