//! What a category is searched by: its index, one kind for each kind of category.

use fixedbitset::FixedBitSet;
use throng_core::{Aabb, BoxPieces, BoxSource, Executor, SimdLevel};
use throng_grid::{GridConfig, PointGrid, Points};

use crate::world::box_index::BoxIndex;
use crate::world::columns::ProxyColumns;
use crate::world::config::{CategoryConfig, CategoryKind};
use crate::world::scenery_index::SceneryIndex;

/// The index of one category.
pub(crate) enum Structure {
    /// Of a uniform category.
    Points(Box<PointGrid>),
    /// Of an oversized one.
    Boxes(Box<BoxIndex>),
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
                let boxes = boxes.expect("a checked config makes a structure");
                Self::Boxes(Box::new(boxes))
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
            Self::Boxes(boxes) => &*boxes.structure,
            Self::Scenery(scenery) => &scenery.tree,
        }
    }

    /// The index as whoever walks it piece by piece sees it.
    pub(crate) fn pieces(&self) -> &dyn BoxPieces {
        match self {
            Self::Points(grid) => grid.as_ref(),
            Self::Boxes(boxes) => &*boxes.structure,
            Self::Scenery(scenery) => &scenery.tree,
        }
    }
}
