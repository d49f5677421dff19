//! What every structure of boxes does, and one of the three for whoever chooses at run time.

use std::ops::{ControlFlow, Deref, DerefMut};

use throng_core::{
    Aabb, Arena, BoxPieces, BoxSource, Boxes, ChunkStats, Executor, PairOrder, RowMasks,
    search_chunks,
};

use crate::{BoxStrips, DoubleGrid, LooseError, LooseQuadtree, UpdateReport};

/// A part of a structure as it looks from outside, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LooseCell {
    /// The bounds of the boxes in it.
    pub bounds: Aabb,
    /// How many rows it holds itself: none in an inner node. In strips a row counts in each that it touches.
    pub rows: usize,
    /// How deep it lies: in a tree, 0 is the root; in strips and cells, 0 is the finest layer.
    pub level: usize,
}

/// A structure for boxes of any size: filled from columns, searched for pairs in chunks.
///
/// As a [`BoxSource`] and [`BoxPieces`] it also meets any other structure.
pub trait LooseStructure: BoxPieces + Send {
    /// Holds from now on exactly the rows of `boxes` that are present and sound. O(rows), and without
    /// allocating once the counts are steady.
    ///
    /// The number of workers and the instruction set do not change the result.
    ///
    /// # Errors
    ///
    /// If there are more than [`MOST_ROWS`](crate::MOST_ROWS) rows; the structure then still holds what it
    /// held. A row that is no box is not an error: it is left out and counted.
    ///
    /// # Panics
    ///
    /// If the executor does. The structure is then empty.
    fn update(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError>;

    /// Removes all rows and keeps the memory.
    fn clear(&mut self);

    /// How many rows there are.
    fn len(&self) -> usize;

    /// In how many chunks the search for pairs comes. A function of the data alone.
    fn chunks(&self) -> usize;

    /// How much arena memory a chunk's search takes, of pairs or of a meeting, unless boxes are
    /// extraordinarily crowded, when it grows the arena.
    fn chunk_scratch_bytes(&self) -> usize;

    /// Visits every overlapping pair found from the chunk, in batches of at most about a thousand: pairs of
    /// rows, the lower row first, in an order that depends on the data and the changes before alone. No batch
    /// holds pairs of two leaves, or of two pieces of strips.
    ///
    /// With `masks` (one per row), pairs whose masks do not agree are not made. Chunks may be searched in any
    /// order, on any thread, each with an arena of its own.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or `masks` is too short for the rows.
    fn pairs_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> ChunkStats;

    /// Visits every pair of a row of this structure and a row of `other` whose boxes overlap, in batches: this
    /// one's row first for [`PairOrder::Left`], second for [`PairOrder::Right`]. Otherwise as
    /// [`pairs_in_chunk`](Self::pairs_in_chunk); `masks` are those of this structure's rows and of the
    /// other's, and rows without any meet everything that admits them.
    ///
    /// This structure is walked, and `other` is asked once for each piece of it: of two, walk the one with more
    /// rows.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or masks are too short for the rows.
    fn meet_in_chunk(
        &self,
        other: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> ChunkStats;

    /// Visits every row whose box touches `window`, borders included, once, until the visitor breaks. In an
    /// order that depends on the data and the changes before alone; allocates nothing.
    fn query_box(
        &self,
        window: &Aabb,
        visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the parts that hold rows; in a tree, parents before children. For debug drawing.
    fn visit_cells(&self, visit: &mut dyn FnMut(LooseCell));

    /// How many strips or cells hold rows, or how many leaves there are.
    fn cells(&self) -> usize;

    /// Bytes that the structure holds. Nothing of it depends on the area of the world.
    fn memory_bytes(&self) -> usize;

    /// Checks the invariants stated at the structure. For tests.
    ///
    /// # Errors
    ///
    /// The first invariant found broken, in words.
    fn validate(&self) -> Result<(), String>;

    /// In how many chunks the search for pairs with `other` comes. A function of the data alone.
    fn meet_chunks(&self, other: &dyn BoxSource) -> usize {
        if other.is_empty() { 0 } else { self.chunks() }
    }

    /// Visits every overlapping pair once, on the calling thread, in the order of the chunks.
    fn for_each_pair(&self, masks: Option<RowMasks<'_>>, visit: impl FnMut(u32, u32)) -> ChunkStats
    where
        Self: Sized,
    {
        let search = |chunk: usize, arena: &mut Arena, visit: &mut dyn FnMut(&[[u32; 2]])| {
            self.pairs_in_chunk(chunk, masks, arena, visit)
        };
        search_chunks(self.chunks(), self.chunk_scratch_bytes(), search, visit)
    }

    /// Visits every overlapping pair of the two structures once, on the calling thread, in chunk order: this
    /// one's row first.
    fn for_each_meeting(
        &self,
        other: &dyn BoxSource,
        masks: [Option<RowMasks<'_>>; 2],
        visit: impl FnMut(u32, u32),
    ) -> ChunkStats
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

/// One of the three structures, chosen at run time. It is used as the [`LooseStructure`] that it holds.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a world has a few of them, and they stay where they are"
)]
pub enum AnyStructure {
    /// Sorted strips.
    Strips(BoxStrips),
    /// A loose/tight double grid.
    DoubleGrid(DoubleGrid),
    /// A loose quadtree.
    Quadtree(LooseQuadtree),
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
