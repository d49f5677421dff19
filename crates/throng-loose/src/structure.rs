//! The three structures behind one face, for whoever chooses among them at run time.

use std::ops::ControlFlow;

use throng_core::{
    Aabb, Arena, BoxPieces, BoxSource, Boxes, ChunkStats, Executor, PairOrder, RowMasks,
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

/// What every structure for boxes of any size can do. Each method does what the structure's own of the same
/// name does.
pub trait LooseStructure: BoxPieces + Send {
    /// Brings the structure up to date: afterwards it holds exactly the present and sound rows.
    ///
    /// # Errors
    ///
    /// If there are too many rows. The structure still holds what it held.
    fn update(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError>;

    /// How many rows it holds.
    fn len(&self) -> usize;

    /// Empties the structure and keeps its memory.
    fn clear(&mut self);

    /// In how many chunks the search for pairs comes.
    fn chunks(&self) -> usize;

    /// How much arena memory a chunk's search takes, of pairs or of a meeting.
    fn chunk_scratch_bytes(&self) -> usize;

    /// Visits every overlapping pair of a chunk, the lower row first.
    fn pairs_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> ChunkStats;

    /// In how many chunks the search for pairs with another structure comes.
    fn meet_chunks(&self, other: &dyn BoxSource) -> usize;

    /// Visits every overlapping pair of a chunk with another structure, this one's row first for
    /// [`PairOrder::Left`].
    fn meet_in_chunk(
        &self,
        other: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> ChunkStats;

    /// Visits every row whose box touches the window, once: `query_box`, for a visitor behind a reference.
    fn visit_box(
        &self,
        window: &Aabb,
        visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the parts that hold rows.
    fn visit_cells(&self, visit: &mut dyn FnMut(LooseCell));

    /// How many parts hold rows.
    fn cells(&self) -> usize;

    /// Bytes that the structure holds.
    fn memory_bytes(&self) -> usize;

    /// Checks every invariant. For tests.
    ///
    /// # Errors
    ///
    /// The first invariant found broken, in words.
    fn validate(&self) -> Result<(), String>;

    /// The structure as another one asks it.
    fn as_source(&self) -> &dyn BoxSource;

    /// The structure as whoever walks it piece by piece sees it.
    fn as_pieces(&self) -> &dyn BoxPieces;
}

macro_rules! loose_structure {
    ($structure:ty, $visit:ident, $cells:ident, |$cell:ident| $rows_and_level:expr) => {
        impl LooseStructure for $structure {
            fn update(
                &mut self,
                boxes: Boxes<'_>,
                executor: &dyn Executor,
            ) -> Result<UpdateReport, LooseError> {
                self.update(boxes, executor)
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn clear(&mut self) {
                self.clear();
            }

            fn chunks(&self) -> usize {
                self.chunks()
            }

            fn chunk_scratch_bytes(&self) -> usize {
                self.chunk_scratch_bytes()
            }

            fn pairs_in_chunk(
                &self,
                chunk: usize,
                masks: Option<RowMasks<'_>>,
                arena: &mut Arena,
                visit: &mut dyn FnMut(&[[u32; 2]]),
            ) -> ChunkStats {
                self.pairs_in_chunk(chunk, masks, arena, visit)
            }

            fn meet_chunks(&self, other: &dyn BoxSource) -> usize {
                self.meet_chunks(other)
            }

            fn meet_in_chunk(
                &self,
                other: &dyn BoxSource,
                chunk: usize,
                masks: [Option<RowMasks<'_>>; 2],
                order: PairOrder,
                arena: &mut Arena,
                visit: &mut dyn FnMut(&[[u32; 2]]),
            ) -> ChunkStats {
                self.meet_in_chunk(other, chunk, masks, order, arena, visit)
            }

            fn visit_box(
                &self,
                window: &Aabb,
                visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
            ) -> ControlFlow<()> {
                self.query_box(window, visit)
            }

            fn visit_cells(&self, visit: &mut dyn FnMut(LooseCell)) {
                self.$visit(|$cell| {
                    let bounds = $cell.bounds;
                    let (rows, level) = $rows_and_level;
                    visit(LooseCell {
                        bounds,
                        rows,
                        level,
                    });
                });
            }

            fn cells(&self) -> usize {
                self.$cells()
            }

            fn memory_bytes(&self) -> usize {
                self.memory().total()
            }

            fn validate(&self) -> Result<(), String> {
                self.validate()
            }

            fn as_source(&self) -> &dyn BoxSource {
                self
            }

            fn as_pieces(&self) -> &dyn BoxPieces {
                self
            }
        }
    };
}

loose_structure!(BoxStrips, visit_strips, strips, |strip| (
    strip.copies,
    strip.layer
));
loose_structure!(DoubleGrid, visit_cells, cells, |cell| (
    cell.rows, cell.level
));
loose_structure!(LooseQuadtree, visit_nodes, leaves, |node| (
    node.rows.unwrap_or(0),
    node.depth
));
