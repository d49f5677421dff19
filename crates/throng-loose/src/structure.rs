//! What every structure of boxes does, and a type for one of the three chosen at run time.

use std::ops::{ControlFlow, Deref, DerefMut};

use educe::Educe;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxSource, Boxes, Executor, PairOrder, RowMasks, SearchStats,
    SimdLevel, search_chunks,
};

use crate::{BoxStrips, DoubleGrid, LooseError, LooseQuadtree, UpdateReport};

/// A part of a structure, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LooseCell {
    /// The bounds of the boxes in it.
    pub bounds: Aabb,
    /// How many rows it holds itself: none in an inner node. In strips a row counts in each that it touches.
    pub rows: usize,
    /// Its depth: in a tree, 0 is the root; in strips and cells, 0 is the finest layer.
    pub level: usize,
}

/// A structure for boxes of any size: filled from columns, searched for pairs in chunks.
///
/// As a [`BoxSource`] and [`BoxPieces`] it also meets any other structure.
pub trait LooseStructure: BoxPieces + Send {
    /// From now on holds exactly the rows of `boxes` that are enabled and sound. O(rows). Allocates nothing once the
    /// counts are steady.
    ///
    /// The number of workers and the instruction set do not change the result.
    ///
    /// # Errors
    ///
    /// If there are more than [`MOST_ROWS`](crate::MOST_ROWS) rows; the structure then keeps what it held. A row that
    /// is not a box is not an error: it is left out and counted.
    ///
    /// # Panics
    ///
    /// If the executor does. The structure is then empty.
    fn update(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError>;

    /// As [`update`](Self::update), but box `k` is that of row `rows[k]`; `rows` ascends, each given once. For an index of some of many
    /// rows: O(these + those held before) if the last change was an `update_rows` too; otherwise, in a double grid or a quadtree,
    /// O(highest number), with which their memory grows. Strips never depend on how high numbers are.
    ///
    /// ```
    /// use throng_core::{Boxes, Serial};
    /// use throng_loose::{BoxStrips, LooseStructure, StripsConfig};
    ///
    /// let lower = [0.0, 0.5, 7.0];
    /// let upper = lower.map(|side| side + 1.0);
    /// let boxes = Boxes::new([&lower, &lower], [&upper, &upper])?;
    /// let mut strips = BoxStrips::new(StripsConfig::new())?;
    /// strips.update_rows(boxes, &[3, 80, 4_000_000], &Serial)?;
    ///
    /// let mut pairs = Vec::new();
    /// strips.for_each_pair(None, |a, b| pairs.push((a, b)));
    /// assert_eq!(pairs, [(3, 80)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`update`](Self::update), and if there are not as many rows as boxes, or they do not ascend, or one has too high a
    /// number. The structure then keeps what it held.
    ///
    /// # Panics
    ///
    /// If the executor does. The structure is then empty.
    fn update_rows(
        &mut self,
        boxes: Boxes<'_>,
        rows: &[u32],
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError>;

    /// Removes all rows and keeps the memory.
    fn clear(&mut self);

    /// How many rows are held.
    fn len(&self) -> usize;

    /// How many chunks the search for pairs has. Depends only on the data.
    fn chunks(&self) -> usize;

    /// How much arena memory the search of a chunk takes, for pairs or for a meeting, unless boxes are extremely
    /// crowded, which makes the arena grow.
    fn chunk_scratch_bytes(&self) -> usize;

    /// Visits every overlapping pair of the chunk, in batches of at most about a thousand: pairs of rows, the lower row
    /// first, in an order that depends only on the data and on earlier changes. No batch holds pairs of two leaves, or
    /// of two pieces of strips.
    ///
    /// With `masks` (one per row), pairs whose masks do not match are left out. Chunks may be searched in any order, on
    /// any thread, each with its own arena.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or `masks` are too few for the rows.
    fn pairs_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats;

    /// Visits every pair of a row of this structure and a row of `other` whose boxes overlap, in batches: this one's
    /// row first for [`PairOrder::Left`], second for [`PairOrder::Right`]. Otherwise as
    /// [`pairs_in_chunk`](Self::pairs_in_chunk). `masks` are for this structure's rows and for the other's; rows
    /// without masks meet everything whose masks allow it.
    ///
    /// This structure is walked, and `other` is searched once for each piece of it: walk the one with more rows.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or there are too few masks for the rows.
    fn meet_in_chunk(
        &self,
        other: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats;

    /// Visits once every row whose box touches `window`, borders included, until the visitor breaks. The order depends
    /// only on the data and on earlier changes. Allocates nothing.
    fn query_aabb(
        &self,
        window: &Aabb,
        visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the strips, cells or nodes that hold rows; in a tree, parents before children. For debug drawing.
    fn visit_cells(&self, visit: &mut dyn FnMut(LooseCell));

    /// How many strips or cells hold rows, or how many leaves there are.
    fn cells(&self) -> usize;

    /// Bytes of memory that the structure holds. None of it depends on the area of the world.
    fn memory_bytes(&self) -> usize;

    /// Checks the structure's documented invariants. For tests.
    ///
    /// # Errors
    ///
    /// The first invariant found broken, in words.
    fn validate(&self) -> Result<(), String>;

    /// How many chunks the search for pairs with `other` has. Depends only on the data.
    fn meet_chunks(&self, other: &dyn BoxSource) -> usize {
        if other.is_empty() { 0 } else { self.chunks() }
    }

    /// Visits every overlapping pair once, on the calling thread, in chunk order.
    fn for_each_pair(&self, masks: Option<RowMasks<'_>>, visit: impl FnMut(u32, u32)) -> SearchStats
    where
        Self: Sized,
    {
        let search = |chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])| {
            self.pairs_in_chunk(chunk, masks, arena, visit)
        };
        search_chunks(self.chunks(), self.chunk_scratch_bytes(), search, visit)
    }

    /// Visits every overlapping pair of the two structures once, on the calling thread, in chunk order; this one's row
    /// comes first.
    fn for_each_meeting(
        &self,
        other: &dyn BoxSource,
        masks: [Option<RowMasks<'_>>; 2],
        visit: impl FnMut(u32, u32),
    ) -> SearchStats
    where
        Self: Sized,
    {
        let search = |chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])| {
            self.meet_in_chunk(other, chunk, masks, PairOrder::Left, arena, visit)
        };
        search_chunks(
            self.meet_chunks(other),
            self.chunk_scratch_bytes(),
            search,
            visit,
        )
    }
}

/// One of the three structures, chosen at run time. Use it as the [`LooseStructure`] inside.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a world has a few of them, and they stay where they are"
)]
#[derive(Educe)]
#[educe(Clone)]
pub enum AnyStructure {
    /// Sorted strips.
    Strips(BoxStrips),
    /// A loose/tight double grid.
    DoubleGrid(DoubleGrid),
    /// A loose quadtree.
    Quadtree(LooseQuadtree),
}

impl AnyStructure {
    /// The instruction set in use.
    pub fn simd(&self) -> SimdLevel {
        match self {
            Self::Strips(strips) => strips.simd(),
            Self::DoubleGrid(grid) => grid.simd(),
            Self::Quadtree(tree) => tree.simd(),
        }
    }
}

impl Deref for AnyStructure {
    type Target = dyn LooseStructure;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Strips(strips) => strips,
            Self::DoubleGrid(grid) => grid,
            Self::Quadtree(tree) => tree,
        }
    }
}

impl DerefMut for AnyStructure {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Strips(strips) => strips,
            Self::DoubleGrid(grid) => grid,
            Self::Quadtree(tree) => tree,
        }
    }
}
