//! A structure whose rows each sit in exactly one leaf: what its search needs of it, and the search.
//!
//! Each leaf, or piece of a crowded one, looks once for what touches its bounds among the leaves after it,
//! gathers that side by side, and compares. A pair is met from its earlier leaf alone, so nothing has to be
//! remembered and nothing removed. Looking once per leaf, not once per box, is what makes walking a
//! structure cheap: a dozen boxes share the walk.

use crate::sides::{Corners, NOTHING, corners_of, touches, union};
use crate::work::{LONGEST_PIECE, Piece, Work};
use std::ops::{ControlFlow, Range};
use throng_core::{
    Aabb, Arena, BoxRun, BoxSource, ChunkStats, PairBuffer, PairOrder, RowMasks, Simd,
};

/// Boxes of one leaf that lie side by side in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'a> {
    /// min x, min y, max x, max y; each as long as `rows`.
    pub sides: [&'a [f32]; 4],
    pub rows: &'a [u32],
}

/// A structure cut into leaves, each row in one of them.
///
/// Leaves are numbered in the order in which a search walks them, which should follow space: then what one
/// leaf finds around it is still in the cache for the next. A number holds only until the next change.
pub(crate) trait Leaves: Sync {
    /// The instruction set that compares the leaves' boxes.
    fn simd(&self) -> Simd;

    /// How many leaves there are; some may hold no row.
    fn leaf_count(&self) -> usize;

    /// How many rows the leaf holds.
    fn leaf_len(&self, leaf: usize) -> usize;

    /// Corners of a box that holds every box in the leaf; anything if there is none.
    fn leaf_bounds(&self, leaf: usize) -> Corners;

    /// All boxes of the leaf.
    fn stretches(&self, leaf: usize) -> impl Iterator<Item = Stretch<'_>>;

    /// Visits every leaf from number `first` on that holds rows and whose bounds touch the window, once, in
    /// an order that depends on the data alone, until the visitor breaks. Allocates nothing.
    fn leaves_touching<B>(
        &self,
        window: &Corners,
        first: usize,
        visit: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B>;
}

/// Boxes gathered around a piece before they are compared with it, unless a single leaf has more. Bounds
/// the scratch of a crowd, and keeps it in L2.
const MANY: usize = 1024;

/// Arena memory that a chunk's search takes, unless rows are extraordinarily crowded.
pub(crate) fn scratch_bytes(work: &Work) -> usize {
    let around = MANY + work.longest_leaf();
    PairBuffer::BYTES + BoxRun::bytes(LONGEST_PIECE, true) + BoxRun::bytes(around, true)
}

/// As the method of this name of [`LooseStructure`](crate::LooseStructure).
pub(crate) fn pairs_in_chunk(
    leaves: &impl Leaves,
    work: &Work,
    chunk: usize,
    masks: Option<RowMasks<'_>>,
    arena: &mut Arena,
    visit: &mut dyn FnMut(&[[u32; 2]]),
) -> ChunkStats {
    arena.reset();
    let mut search = Search::new(leaves, work, [masks; 2], PairOrder::LowerRow, arena, visit);
    for piece in work.pieces(leaves, chunk) {
        search.pairs_of_piece(leaves, piece);
    }
    search.stats()
}

/// As the method of this name of [`LooseStructure`](crate::LooseStructure).
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
) -> ChunkStats {
    arena.reset();
    let mut search = Search::new(leaves, work, masks, order, arena, visit);
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

/// Visits the boxes of a chunk, a piece at a time, until the visitor breaks.
pub(crate) fn visit_pieces<'a>(
    leaves: &impl Leaves,
    work: &Work,
    chunk: usize,
    arena: &'a Arena,
    piece: &mut BoxRun<'a>,
    visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    work.pieces(leaves, chunk)
        .try_for_each(|Piece { leaf, rows }| {
            piece.clear();
            append_range(leaves, leaf, rows, arena, piece);
            visit(piece)
        })
}

/// Visits every box that touches the window, until the visitor breaks.
pub(crate) fn query_box(
    leaves: &impl Leaves,
    window: &Aabb,
    visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let window = corners_of(window);
    leaves.leaves_touching(&window, 0, |leaf| {
        for Stretch { sides, rows } in leaves.stretches(leaf) {
            for (k, &row) in rows.iter().enumerate() {
                let sides = sides.map(|side| side[k]);
                let own = [[sides[0], sides[1]], [sides[2], sides[3]]];
                if touches(&own, &window)
                    && let Ok(aabb) = Aabb::new(own[0], own[1])
                {
                    visit(row, aabb)?;
                }
            }
        }
        ControlFlow::Continue(())
    })
}

/// The box around all leaves that hold rows. O(leaves).
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
    for Stretch { sides, rows } in leaves.stretches(leaf) {
        run.make_room(arena, rows.len());
        simd.touching(sides, rows, window, run);
    }
}

/// Appends some of a leaf's boxes, by their places in it.
fn append_range<'a>(
    leaves: &impl Leaves,
    leaf: usize,
    range: Range<usize>,
    arena: &'a Arena,
    run: &mut BoxRun<'a>,
) {
    let mut first = 0;
    for Stretch { sides, rows } in leaves.stretches(leaf) {
        let from = range.start.max(first) - first;
        let to = range.end.min(first + rows.len()).saturating_sub(first);
        if from < to {
            run.make_room(arena, to - from);
            run.append(sides.map(|side| &side[from..to]), &rows[from..to]);
        }
        first += rows.len();
    }
}

/// The working memory of one chunk's search.
struct Search<'a> {
    simd: Simd,
    masks: [Option<RowMasks<'a>>; 2],
    order: PairOrder,
    arena: &'a Arena,
    /// The boxes of a piece.
    own: BoxRun<'a>,
    /// What was found around them.
    around: BoxRun<'a>,
    out: PairBuffer<'a>,
    candidates: u64,
}

impl<'a> Search<'a> {
    fn new(
        leaves: &impl Leaves,
        work: &Work,
        masks: [Option<RowMasks<'a>>; 2],
        order: PairOrder,
        arena: &'a Arena,
        visit: &'a mut dyn FnMut(&[[u32; 2]]),
    ) -> Self {
        let masked = masks.iter().any(Option::is_some);
        let around = MANY + work.longest_leaf();
        Self {
            simd: leaves.simd(),
            masks,
            order,
            arena,
            own: BoxRun::with_capacity(arena, LONGEST_PIECE, masked),
            around: BoxRun::with_capacity(arena, around, masked),
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

    /// A piece with itself, with what comes after it in its leaf, and with the leaves after that.
    fn pairs_of_piece(&mut self, leaves: &impl Leaves, Piece { leaf, rows }: Piece) {
        let window = self.take_piece(leaves, leaf, rows.clone());
        self.candidates += self.simd.within(&self.own, &mut self.out);
        let len = leaves.leaf_len(leaf);
        for first in (rows.end..len).step_by(MANY) {
            let rest = first..len.min(first + MANY);
            append_range(leaves, leaf, rest, self.arena, &mut self.around);
            self.compare();
        }
        let every: ControlFlow<()> = leaves.leaves_touching(&window, leaf + 1, |other| {
            append_touching(leaves, other, &window, self.arena, &mut self.around);
            if self.around.len() >= MANY {
                self.compare();
            }
            ControlFlow::Continue(())
        });
        debug_assert!(every.is_continue());
        self.compare();
        self.out.flush();
    }

    /// A piece with another structure.
    fn meetings_of_piece(
        &mut self,
        leaves: &impl Leaves,
        Piece { leaf, rows }: Piece,
        other: &dyn BoxSource,
    ) {
        let [min, max] = self.take_piece(leaves, leaf, rows);
        if let Ok(window) = Aabb::new(min, max) {
            other.gather(&window, self.arena, &mut self.around);
            self.compare();
            self.out.flush();
        }
    }

    /// Copies the piece's boxes. Returns the window they fill.
    fn take_piece(&mut self, leaves: &impl Leaves, leaf: usize, rows: Range<usize>) -> Corners {
        let whole = rows.len() == leaves.leaf_len(leaf);
        self.own.clear();
        self.around.clear();
        append_range(leaves, leaf, rows, self.arena, &mut self.own);
        self.own.finish(self.masks[0]);
        if whole {
            leaves.leaf_bounds(leaf)
        } else {
            self.own.bounds().unwrap_or(NOTHING)
        }
    }

    /// Compares the piece with what was gathered around it, and forgets that.
    fn compare(&mut self) {
        if self.around.is_empty() {
            return;
        }
        self.around.finish(self.masks[1]);
        let (own, around) = (&self.own, &self.around);
        self.candidates += self.simd.cross(own, around, self.order, &mut self.out);
        self.around.clear();
    }
}
