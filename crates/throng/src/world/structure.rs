//! The index of a category, of one kind for each kind of category.

use fixedbitset::FixedBitSet;
use throng_core::{Aabb, BoxPieces, BoxSource, Executor, SimdLevel};
use throng_grid::{GridConfig, MovedRow, PointGrid, Points, RowClasses};

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
    Scenery(Box<SceneryIndex>),
}

/// The result of building an index.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Indexed {
    /// Leaves or cells that hold rows.
    pub(crate) cells: usize,
    /// Rows so far out that they are clamped to the outermost cell.
    pub(crate) outside: usize,
    /// Rows of scenery that were packed.
    pub(crate) packed: usize,
    /// Bounds of everything in it; possibly wider.
    pub(crate) bounds: Option<Aabb>,
}

/// What an index is built from.
pub(crate) struct IndexedRows<'c> {
    pub(crate) columns: &'c ProxyColumns,
    /// Those of points, if they have any of their own.
    pub(crate) half_extents: Option<&'c [[f32; 2]]>,
    /// Those of their masks, if the index is to carry them.
    pub(crate) classes: Option<RowClasses<'c>>,
    pub(crate) disabled: Option<&'c FixedBitSet>,
}

impl<'c> IndexedRows<'c> {
    fn points(&self) -> Points<'c> {
        Points {
            xs: &self.columns.xs,
            ys: &self.columns.ys,
            half_extents: self.half_extents,
            absent: self.disabled,
        }
    }
}

impl Structure {
    /// An empty index; the config must be checked.
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
            CategoryKind::Scenery => Self::Scenery(Box::new(SceneryIndex::new(simd))),
        }
    }

    /// Brings the index up to date with a category's current columns, by mending it if all `changes` since the last one are
    /// known, and few.
    pub(crate) fn index(
        &mut self,
        rows: &IndexedRows<'_>,
        changes: Option<&[MovedRow]>,
        executor: &dyn Executor,
    ) -> Indexed {
        let IndexedRows {
            columns, disabled, ..
        } = *rows;
        match self {
            Self::Points(grid) => {
                let (points, classes) = (rows.points(), rows.classes.clone());
                let is_mended = changes.is_some_and(|changes| {
                    let mended = grid.mend(points, classes.clone(), changes);
                    mended.expect("the columns of a category are of one length")
                });
                if is_mended {
                    return Indexed {
                        cells: grid.leaves(),
                        outside: grid.outside(),
                        ..Indexed::default()
                    };
                }
                let built = match classes {
                    Some(classes) => grid.build_with_classes(points, classes, executor),
                    None => grid.build(points, executor),
                };
                let built = built.expect("the columns of a category are of one length");
                debug_assert_eq!(built.rejected, 0, "every write is checked");
                Indexed {
                    cells: built.leaves,
                    outside: built.outside,
                    ..Indexed::default()
                }
            }
            Self::Boxes(boxes) => {
                boxes.update(columns, disabled, executor);
                Indexed {
                    cells: boxes.structure.cells(),
                    ..Indexed::default()
                }
            }
            Self::Scenery(scenery) => {
                let packed = scenery.update(columns, disabled, executor);
                Indexed {
                    cells: scenery.forest.leaves(),
                    packed,
                    ..Indexed::default()
                }
            }
        }
    }

    pub(crate) fn is_scenery(&self) -> bool {
        matches!(self, Self::Scenery(_))
    }

    /// Whether the next index is known to be the same as the last.
    pub(crate) fn is_up_to_date(&self) -> bool {
        match self {
            Self::Points(_) | Self::Boxes(_) => false,
            Self::Scenery(scenery) => scenery.changes.are_none(),
        }
    }

    /// To be called when any rows may have changed. Indices that are not rebuilt in every step depend on it.
    pub(crate) fn note_all_changed(&mut self) {
        if let Self::Scenery(scenery) = self {
            scenery.changes.note_all();
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
            Self::Scenery(scenery) => scenery.forest.validate(),
        }
    }

    /// Bounds of everything in the index; possibly wider.
    pub(crate) fn bounds(&self) -> Option<Aabb> {
        self.source().bounds()
    }

    /// How many rows are in the index.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Points(grid) => grid.len(),
            Self::Boxes(boxes) => boxes.structure.len(),
            Self::Scenery(scenery) => scenery.forest.len(),
        }
    }

    /// The index as a source that another one gathers from.
    pub(crate) fn source(&self) -> &dyn BoxSource {
        match self {
            Self::Points(grid) => grid.as_ref(),
            Self::Boxes(boxes) => &*boxes.structure,
            Self::Scenery(scenery) => &scenery.forest,
        }
    }

    /// The index as something to walk piece by piece.
    pub(crate) fn pieces(&self) -> &dyn BoxPieces {
        match self {
            Self::Points(grid) => grid.as_ref(),
            Self::Boxes(boxes) => &*boxes.structure,
            Self::Scenery(scenery) => &scenery.forest,
        }
    }
}
