//! The index of a category, of one kind for each kind of category.

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_core::{Aabb, BoxPieces, BoxSource, Corners, Executor, SimdLevel};
use throng_grid::{GridConfig, PointGrid, Points, RowClasses};
use throng_loose::LooseQuadtreeConfig;

use crate::world::box_index::BoxIndex;
use crate::world::columns::ProxyColumns;
use crate::world::config::{CategoryConfig, CategoryKind};
use crate::world::ids::Row;
use crate::world::journal::RowJournal;
use crate::world::scenery_index::SceneryIndex;

/// The index of one category.
#[derive(Educe)]
#[educe(Clone)]
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
    /// Whether its rows are where an earlier index put them.
    pub(crate) refitted: bool,
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
    /// Which rows hold another proxy than when the index was built.
    pub(crate) journal: &'c RowJournal,
}

impl Indexed {
    /// What is in this index and another one of the same category.
    pub(crate) fn with(self, other: Self) -> Self {
        let bounds = [self.bounds, other.bounds].into_iter().flatten();
        Self {
            cells: self.cells + other.cells,
            outside: self.outside + other.outside,
            refitted: self.refitted | other.refitted,
            packed: self.packed + other.packed,
            bounds: bounds.reduce(|a, b| a.union(&b)),
        }
    }
}

impl<'c> IndexedRows<'c> {
    /// The lower and the upper corner of a row's box, in a category that keeps sizes.
    #[inline]
    pub(crate) fn corners(&self, row: usize) -> Corners {
        self.columns.corners(row, [0.0; 2])
    }

    pub(crate) fn points(&self) -> Points<'c> {
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
                let points = Self::points(config.half_extents, simd);
                points.expect("a checked config makes a grid")
            }
            CategoryKind::Oversized => {
                let boxes = BoxIndex::new(&config.structure, simd);
                let boxes = boxes.expect("a checked config makes a structure");
                Self::Boxes(Box::new(boxes))
            }
            CategoryKind::Scenery => Self::Scenery(Box::new(SceneryIndex::new(simd))),
        }
    }

    /// An empty index for what rests in a category; the config must be checked.
    pub(crate) fn new_standing(config: &CategoryConfig, simd: Option<SimdLevel>) -> Self {
        match config.kind {
            CategoryKind::Uniform | CategoryKind::Scenery => Self::new(config, simd),
            CategoryKind::Oversized => {
                // Whatever those that are awake have. Strips are built anew by each update; a double grid takes half as long again to
                // be asked as a quadtree.
                let tree = BoxIndex::new(&LooseQuadtreeConfig::new().into(), simd);
                Self::Boxes(Box::new(
                    tree.expect("a checked config has an instruction set that is there"),
                ))
            }
        }
    }

    /// An empty grid of points, if the bound is one that a grid can have.
    pub(crate) fn points(half_extents: [f32; 2], simd: Option<SimdLevel>) -> Option<Self> {
        let mut grid = GridConfig::new(half_extents);
        grid.simd = simd;
        let grid = PointGrid::new(grid).ok()?;
        Some(Self::Points(Box::new(grid)))
    }

    /// Brings the index up to date with a category's current columns. Returns how many rows of scenery were packed.
    pub(crate) fn index(&mut self, rows: &IndexedRows<'_>, executor: &dyn Executor) -> usize {
        let IndexedRows {
            columns, disabled, ..
        } = *rows;
        match self {
            Self::Points(grid) => {
                let (points, classes) = (rows.points(), rows.classes.clone());
                const ALIKE: &str = "the columns of a category are of one length";
                let changed = rows.journal.changed_rows();
                let refitted = grid.refit_changed(points, classes.clone(), changed, executor);
                if !refitted.expect(ALIKE) {
                    let built = match classes {
                        Some(classes) => grid.build_with_classes(points, classes, executor),
                        None => grid.build(points, executor),
                    };
                    let built = built.expect(ALIKE);
                    debug_assert_eq!(built.rejected, 0, "every write is checked");
                }
                0
            }
            Self::Boxes(boxes) => {
                boxes.update(columns, disabled, executor);
                0
            }
            Self::Scenery(scenery) => scenery.update(columns, disabled, executor),
        }
    }

    /// Builds the index from some of the rows: their numbers, ascending, none of them disabled.
    pub(crate) fn index_rows(
        &mut self,
        rows: &IndexedRows<'_>,
        some: &[Row],
        executor: &dyn Executor,
    ) {
        match self {
            Self::Points(grid) => {
                let mut points = rows.points();
                points.absent = None;
                let built = grid.build_rows(points, rows.classes.clone(), some, executor);
                let built =
                    built.expect("they ascend, and the columns of a category are of one length");
                debug_assert_eq!(built.rejected, 0, "every write is checked");
            }
            Self::Boxes(boxes) => boxes.update_rows(rows, some, executor),
            Self::Scenery(_) => unreachable!("scenery is one with all its rows"),
        }
    }

    /// Builds the index from the rows of two others, none of which is in both.
    pub(crate) fn join(&mut self, others: [&Self; 2], executor: &dyn Executor) {
        match (self, others) {
            (Self::Points(grid), [Self::Points(a), Self::Points(b)]) => {
                let built = grid.build_from_grids([a, b], executor);
                built.expect("no row is in both");
            }
            (Self::Boxes(boxes), _) => boxes.join(others.map(Self::source), executor),
            _ => unreachable!("points are joined with points, and scenery is one"),
        }
    }

    /// An empty index to [join](Self::join) this one in, and that of those that rest.
    pub(crate) fn empty_like(&self) -> Self {
        match self {
            Self::Points(grid) => {
                let points = Self::points(grid.half_extents(), Some(grid.simd()));
                points.expect("as another grid has them")
            }
            Self::Boxes(boxes) => Self::Boxes(Box::new(boxes.empty_strips())),
            Self::Scenery(_) => unreachable!("scenery is one with all its rows"),
        }
    }

    /// Whether this could be one that another index [makes](Self::empty_like).
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Points(a), Self::Points(b)) => {
                a.half_extents() == b.half_extents() && a.simd() == b.simd()
            }
            (Self::Boxes(a), Self::Boxes(b)) => a.structure.simd() == b.structure.simd(),
            _ => false,
        }
    }

    /// What is in the index.
    pub(crate) fn indexed(&self) -> Indexed {
        let (cells, outside) = match self {
            Self::Points(grid) => (grid.leaves(), grid.outside()),
            Self::Boxes(boxes) => (boxes.structure.cells(), 0),
            Self::Scenery(scenery) => (scenery.forest.leaves(), 0),
        };
        Indexed {
            cells,
            outside,
            refitted: matches!(self, Self::Points(grid) if grid.is_refitted()),
            packed: 0,
            bounds: self.bounds(),
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

    /// To be called when any rows may have changed. Indices that are not rebuilt in every step depend on it; a grid is built by the
    /// next one, so that its order does not depend on rows that were elsewhere.
    pub(crate) fn note_all_changed(&mut self) {
        match self {
            Self::Points(grid) => grid.refuse_refit(),
            Self::Boxes(_) => {}
            Self::Scenery(scenery) => scenery.changes.note_all(),
        }
    }

    /// Remembers where rows are in an index of points, until one of them is put elsewhere.
    pub(crate) fn note_places(&mut self) {
        if let Self::Points(grid) = self {
            grid.note_places();
        }
    }

    /// Whether this is an index of points that has had the same rows in the same places since these were noted. Pairs are then found
    /// in the same chunks as before.
    pub(crate) fn has_places_as_noted(&self) -> bool {
        matches!(self, Self::Points(grid) if grid.has_places_as_noted())
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
