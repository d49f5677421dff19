//! What a category is searched by, and how two of them meet.

use fixedbitset::FixedBitSet;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxSource, ChunkStats, Executor, PairOrder, RowMasks, SimdLevel,
};
use throng_grid::{GridConfig, PointGrid, Points};

use crate::world::box_index::BoxIndex;
use crate::world::columns::ProxyColumns;
use crate::world::config::{CategoryConfig, CategoryKind};
use crate::world::ids::Row;
use crate::world::scenery_index::SceneryIndex;

/// The index of one category.
pub(crate) enum Structure {
    /// Of a uniform category.
    Points(Box<PointGrid>),
    /// Of an oversized one.
    Boxes(BoxIndex),
    /// Of scenery.
    Scenery(SceneryIndex),
}

/// What an index came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Indexed {
    /// Leaves or cells that hold any row.
    pub(crate) cells: usize,
    /// Rows so far out that their cells cannot be told apart.
    pub(crate) outside: usize,
    /// Rows of scenery that were packed for it.
    pub(crate) packed: usize,
    /// Bounds of everything in it; they may be wider than that.
    pub(crate) bounds: Option<Aabb>,
    /// About how far apart its rows are where most of them are.
    pub(crate) spacing: f32,
}

/// How to visit the pairs of a chunk.
type VisitPairs<'v> = dyn FnMut(&[[Row; 2]]) + 'v;

impl Structure {
    /// An empty index; the config is checked.
    pub(crate) fn new(config: &CategoryConfig, simd: Option<SimdLevel>) -> Self {
        match config.kind {
            CategoryKind::Uniform => {
                let mut grid = GridConfig::new(config.half_extents);
                grid.simd = simd;
                let grid = PointGrid::new(grid).expect("a checked config makes a grid");
                Self::Points(Box::new(grid))
            }
            CategoryKind::Oversized => {
                let boxes = BoxIndex::new(&config.structure, simd);
                Self::Boxes(boxes.expect("a checked config makes a structure"))
            }
            CategoryKind::Scenery => Self::Scenery(SceneryIndex::new(simd)),
        }
    }

    /// Builds the index of a category's columns as they are.
    pub(crate) fn index(
        &mut self,
        columns: &ProxyColumns,
        absent: Option<&FixedBitSet>,
        executor: &dyn Executor,
    ) -> Indexed {
        match self {
            Self::Points(grid) => {
                let points = Points {
                    xs: &columns.xs,
                    ys: &columns.ys,
                    half_extents: columns.half_extents.values(),
                    absent,
                };
                let built = grid.build(points, executor);
                let built = built.expect("the columns of a category are of one length");
                debug_assert_eq!(built.rejected, 0, "every write is checked");
                Indexed {
                    cells: built.leaves,
                    outside: built.outside,
                    ..Indexed::default()
                }
            }
            Self::Boxes(boxes) => {
                boxes.update(columns, absent, executor);
                Indexed {
                    cells: boxes.structure.cells(),
                    ..Indexed::default()
                }
            }
            Self::Scenery(scenery) => {
                let packed = scenery.update(columns, absent, executor);
                Indexed {
                    cells: scenery.tree.leaves(),
                    packed,
                    ..Indexed::default()
                }
            }
        }
    }

    pub(crate) fn is_scenery(&self) -> bool {
        matches!(self, Self::Scenery(_))
    }

    /// To be called whenever a row comes, goes, moves, or is enabled or disabled by something else than a column write:
    /// what is not built anew in every step hears of it here.
    #[inline]
    pub(crate) fn changed(&mut self) {
        if let Self::Scenery(scenery) = self {
            scenery.changed();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.source().is_empty()
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Self::Points(grid) => grid.clear(),
            Self::Boxes(boxes) => boxes.structure.clear(),
            Self::Scenery(scenery) => scenery.clear(),
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Self::Points(grid) => grid.memory().total(),
            Self::Boxes(boxes) => boxes.memory_bytes(),
            Self::Scenery(scenery) => scenery.memory_bytes(),
        }
    }

    /// Checks the structure's invariants. O(rows).
    pub(crate) fn validate(&self) -> Result<(), String> {
        match self {
            Self::Points(grid) => grid.validate(),
            Self::Boxes(boxes) => boxes.structure.validate(),
            Self::Scenery(scenery) => scenery.tree.validate(),
        }
    }

    /// In how many chunks the search for the category's own pairs comes, and the arena bytes of each.
    pub(crate) fn chunks(&self) -> (usize, usize) {
        match self {
            Self::Points(grid) => (grid.chunks(), grid.chunk_scratch_bytes()),
            Self::Boxes(boxes) => (
                boxes.structure.chunks(),
                boxes.structure.chunk_scratch_bytes(),
            ),
            // It never meets itself.
            Self::Scenery(_) => (0, 0),
        }
    }

    pub(crate) fn pairs_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut VisitPairs<'_>,
    ) -> ChunkStats {
        match self {
            Self::Points(grid) => grid.pairs_in_chunk(chunk, masks, arena, visit),
            Self::Boxes(boxes) => boxes.structure.pairs_in_chunk(chunk, masks, arena, visit),
            Self::Scenery(_) => ChunkStats::default(),
        }
    }

    /// In how many chunks the meeting with another category comes, and the arena bytes of each.
    pub(crate) fn meet_chunks(&self, other: &Structure) -> (usize, usize) {
        if self.is_empty() || other.is_empty() {
            return (0, 0);
        }
        if let (Self::Points(a), Self::Points(b)) = (self, other) {
            return (a.meet_chunks(b), a.meet_scratch_bytes(b));
        }
        let (walked, asked, _) = self.walked(other);
        match walked {
            Self::Points(grid) => (
                grid.meet_boxes_chunks(asked.source()),
                grid.meet_boxes_scratch_bytes(),
            ),
            Self::Boxes(boxes) => (
                boxes.structure.meet_chunks(asked.source()),
                boxes.structure.chunk_scratch_bytes(),
            ),
            Self::Scenery(scenery) => (
                scenery.tree.meet_chunks(asked.source()),
                scenery.tree.meet_scratch_bytes(),
            ),
        }
    }

    /// Searches a chunk of the meeting with another category; this one's rows come first in the pairs.
    pub(crate) fn meet_in_chunk(
        &self,
        other: &Structure,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        arena: &mut Arena,
        visit: &mut VisitPairs<'_>,
    ) -> ChunkStats {
        if let (Self::Points(a), Self::Points(b)) = (self, other) {
            return a.meet_in_chunk(b, chunk, masks, arena, visit);
        }
        let (walked, asked, order) = self.walked(other);
        let masks = match order {
            PairOrder::Right => [masks[1], masks[0]],
            PairOrder::Left | PairOrder::LowerRow => masks,
        };
        match walked {
            Self::Points(grid) => {
                grid.meet_boxes_in_chunk(asked.source(), chunk, masks, order, arena, visit)
            }
            Self::Boxes(boxes) => {
                let structure = &boxes.structure;
                structure.meet_in_chunk(asked.source(), chunk, masks, order, arena, visit)
            }
            Self::Scenery(scenery) => {
                let tree = &scenery.tree;
                tree.meet_in_chunk(asked.source(), chunk, masks, order, arena, visit)
            }
        }
    }

    /// Of two indices, which is walked and which is asked, and how that orders the pairs. The one with more
    /// rows is walked, so that the work of a giant that covers many of them is cut where they are cut.
    fn walked<'a>(&'a self, other: &'a Structure) -> (&'a Structure, &'a Structure, PairOrder) {
        if self.len() >= other.len() {
            (self, other, PairOrder::Left)
        } else {
            (other, self, PairOrder::Right)
        }
    }

    /// Bounds of everything in the index; they may be wider than that.
    pub(crate) fn bounds(&self) -> Option<Aabb> {
        self.source().bounds()
    }

    /// How many rows are in the index.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Points(grid) => grid.len(),
            Self::Boxes(boxes) => boxes.structure.len(),
            Self::Scenery(scenery) => scenery.tree.len(),
        }
    }

    /// The index as another one asks it.
    pub(crate) fn source(&self) -> &dyn BoxSource {
        match self {
            Self::Points(grid) => grid.as_ref(),
            Self::Boxes(boxes) => boxes.structure.as_source(),
            Self::Scenery(scenery) => &scenery.tree,
        }
    }

    /// The index as whoever walks it piece by piece sees it.
    pub(crate) fn pieces(&self) -> &dyn BoxPieces {
        match self {
            Self::Points(grid) => grid.as_ref(),
            Self::Boxes(boxes) => boxes.structure.as_pieces(),
            Self::Scenery(scenery) => &scenery.tree,
        }
    }
}
