//! An index of boxes of an oversized category: of all its rows, or of those that are awake, in the structure that the config chose; of
//! those that rest, in a quadtree; or of both of these, in strips.

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_core::{
    Aabb, Arena, BoxRun, BoxSource, Boxes, Corners, Executor, InfiniteSides, SimdLevel, Spare,
    run_each,
};
use throng_grid::MovedRow;
use throng_loose::{AnyStructure, BoxStrips, DoubleGrid, LooseError, LooseQuadtree, StripsConfig};

use crate::world::columns::{ProxyColumns, corners};
use crate::world::config::OversizedStructure;
use crate::world::ids::Row;
use crate::world::structure::IndexedRows;

/// The fewest rows per task, and the most tasks, for computing sides.
const FEWEST_ROWS_PER_TASK: usize = 16384;
const MOST_TASKS: usize = 32;

/// Boxes as of the last index, and the structure that holds them.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct BoxIndex {
    pub(crate) structure: AnyStructure,
    /// min x, min y, max x, max y of every box given last, from which the structure is updated. Kept for the memory.
    sides: Spare<[Vec<f32>; 4]>,
}

impl BoxIndex {
    /// An empty index.
    ///
    /// # Errors
    ///
    /// If the structure cannot be created as configured.
    pub(crate) fn new(
        structure: &OversizedStructure,
        simd: Option<SimdLevel>,
    ) -> Result<Self, LooseError> {
        Ok(Self {
            structure: new_structure(structure, simd)?,
            sides: Spare::default(),
        })
    }

    /// Brings the structure up to date with the columns.
    pub(crate) fn update(
        &mut self,
        columns: &ProxyColumns,
        disabled: Option<&FixedBitSet>,
        executor: &dyn Executor,
    ) {
        self.compute_sides(columns.len(), executor, |first, sides| {
            write_sides(columns, first, sides);
        });
        self.index(disabled, executor);
    }

    /// Brings the structure up to date with some of the rows alone: their numbers, ascending, none of them disabled. O(these, and
    /// those it held).
    pub(crate) fn update_rows(
        &mut self,
        rows: &IndexedRows<'_>,
        some: &[Row],
        executor: &dyn Executor,
    ) {
        self.take_corners(some.len(), executor, &|k| rows.corners(some[k] as usize));
        self.index_rows(some, executor);
    }

    /// Mends a quadtree of some of the rows; `absent` are those of the changed rows that it is not to have. O(changes), and O(rows)
    /// now and then.
    pub(crate) fn mend(
        &mut self,
        rows: &IndexedRows<'_>,
        absent: &FixedBitSet,
        changes: &[MovedRow],
    ) {
        let AnyStructure::Quadtree(tree) = &mut self.structure else {
            unreachable!("what rests in an oversized category is in a quadtree");
        };
        for &MovedRow { row, from } in changes {
            let at = row as usize;
            let stays = at < rows.columns.len() && !absent.contains(at);
            let now = || {
                let [min, max] = rows.corners(at);
                Aabb::new(min, max).expect("centers are finite, and half extents not negative")
            };
            let mended = match (from.is_some(), stays) {
                (true, true) => tree.set(row, now()),
                (true, false) => tree.remove(row),
                (false, true) => tree.insert(row, now()),
                (false, false) => Ok(()),
            };
            mended.expect("it is known which rows are in the index");
        }
        tree.clean_up();
    }

    /// Builds strips from all boxes of two other indices.
    pub(crate) fn join(&mut self, others: [&dyn BoxSource; 2], executor: &dyn Executor) {
        let arena = Arena::new();
        let mut all = BoxRun::with_capacity(&arena, 0, false);
        for other in others {
            other.gather(&Aabb::EVERYWHERE, &arena, &mut all);
        }
        let rows = all.rows();
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_unstable_by_key(|&at| rows[at as usize]);
        for (side, of_all) in self.sides.iter_mut().zip(all.sides()) {
            side.clear();
            side.extend(order.iter().map(|&at| of_all[at as usize]));
        }
        let rows: Vec<Row> = order.iter().map(|&at| rows[at as usize]).collect();
        // Planned anew: whoever asks may not change the order of later answers.
        self.structure.clear();
        self.index_rows(&rows, executor);
    }

    /// Strips without boxes.
    pub(crate) fn empty_strips(&self) -> Self {
        let strips = Self::new(&StripsConfig::new().into(), Some(self.structure.simd()));
        strips.expect("this instruction set is in use")
    }

    /// Brings the structure up to date with so many boxes, each given by its lower and its upper corner.
    pub(crate) fn update_from(
        &mut self,
        boxes: usize,
        executor: &dyn Executor,
        corners_of: &(impl Fn(usize) -> Corners + Sync),
    ) {
        self.take_corners(boxes, executor, corners_of);
        self.index(None, executor);
    }

    /// Brings the structure up to date with the sides.
    fn index(&mut self, disabled: Option<&FixedBitSet>, executor: &dyn Executor) {
        let boxes = boxes(&self.sides);
        let boxes = disabled.map_or(boxes, |disabled| boxes.without(disabled));
        let report = self
            .structure
            .update(boxes, executor)
            .expect("a category has no more rows than a structure can hold");
        debug_assert_eq!(report.rejected, 0, "every write is checked");
    }

    /// Brings the structure up to date with the sides, which are those of these rows.
    fn index_rows(&mut self, rows: &[Row], executor: &dyn Executor) {
        let report = self
            .structure
            .update_rows(boxes(&self.sides), rows, executor)
            .expect("rows ascend, and are no more than a structure can hold");
        debug_assert_eq!(report.rejected, 0, "every write is checked");
    }

    /// How many times more rows than another index this must have to be asked rather than walked: see
    /// `Structure::times_more_to_be_asked_by`.
    pub(crate) fn times_more_to_be_asked(&self) -> usize {
        match self.structure {
            AnyStructure::Strips(_) => 48,
            AnyStructure::DoubleGrid(_) | AnyStructure::Quadtree(_) => 16,
        }
    }

    /// Writes the sides of so many boxes.
    fn take_corners(
        &mut self,
        boxes: usize,
        executor: &dyn Executor,
        corners_of: &(impl Fn(usize) -> Corners + Sync),
    ) {
        self.compute_sides(boxes, executor, |first, sides| {
            let [min_x, min_y, max_x, max_y] = sides;
            for k in 0..min_x.len() {
                [[min_x[k], min_y[k]], [max_x[k], max_y[k]]] = corners_of(first + k);
            }
        });
    }

    /// Makes room for the sides of so many rows, and has them written: of consecutive rows at a time, the first of which is given.
    fn compute_sides(
        &mut self,
        rows: usize,
        executor: &dyn Executor,
        write: impl Fn(usize, [&mut [f32]; 4]) + Sync,
    ) {
        for side in &mut *self.sides {
            side.resize(rows, 0.0);
        }
        let each = rows.div_ceil(MOST_TASKS).max(FEWEST_ROWS_PER_TASK);
        let [min_x, min_y, max_x, max_y] = self.sides.each_mut().map(|side| side.chunks_mut(each));
        let parts = min_x.zip(min_y).zip(max_x.zip(max_y));
        run_each(executor, parts, |task, ((min_x, min_y), (max_x, max_y))| {
            write(task * each, [min_x, min_y, max_x, max_y]);
        });
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let sides: usize = self.sides.iter().map(Vec::capacity).sum();
        self.structure.memory_bytes() + sides * size_of::<f32>()
    }
}

fn boxes([min_x, min_y, max_x, max_y]: &[Vec<f32>; 4]) -> Boxes<'_> {
    Boxes::new([min_x, min_y], [max_x, max_y]).expect("columns of one length")
}

/// Writes the sides of consecutive rows, from `first` on, until the slices are full.
fn write_sides(columns: &ProxyColumns, first: usize, sides: [&mut [f32]; 4]) {
    let [min_x, min_y, max_x, max_y] = sides;
    let rows = first..first + min_x.len();
    let half = columns.half_extents.values();
    let half = &half.expect("an oversized category keeps sizes")[rows.clone()];
    let (xs, ys) = (&columns.xs[rows.clone()], &columns.ys[rows.clone()]);
    let mut write = |k: usize, infinite: InfiniteSides| {
        [[min_x[k], min_y[k]], [max_x[k], max_y[k]]] = corners([xs[k], ys[k]], half[k], infinite);
    };
    match columns.infinite.values() {
        None => (0..rows.len()).for_each(|k| write(k, InfiniteSides::default())),
        Some(infinite) => (0..)
            .zip(&infinite[rows])
            .for_each(|(k, &infinite)| write(k, infinite)),
    }
}

/// An empty structure as configured.
pub(crate) fn new_structure(
    structure: &OversizedStructure,
    simd: Option<SimdLevel>,
) -> Result<AnyStructure, LooseError> {
    Ok(match *structure {
        OversizedStructure::Strips(mut config) => {
            config.simd = simd;
            AnyStructure::Strips(BoxStrips::new(config)?)
        }
        OversizedStructure::DoubleGrid(mut config) => {
            config.simd = simd;
            AnyStructure::DoubleGrid(DoubleGrid::new(config)?)
        }
        OversizedStructure::Quadtree(mut config) => {
            config.simd = simd;
            AnyStructure::Quadtree(LooseQuadtree::new(config)?)
        }
    })
}
