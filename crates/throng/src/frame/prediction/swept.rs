//! The swept boxes of a category: of those rows that look ahead.

use educe::Educe;
use throng_core::{BoxesByRow, Corners, Executor, SimdLevel, for_both, run_each};

use crate::frame::resting::stillness::RESTING;
use crate::world::box_index::BoxIndex;
use crate::world::category::Category;
use crate::world::config::OversizedStructure;
use crate::world::ids::Row;
use crate::world::rows_now::RowsNow;
use crate::world::structure::Structure;

/// For how many rows a task computes boxes.
const TASK: usize = 1 << 12;

/// The swept boxes of rows, in an index of their own. They are numbered from 0, in the order of rows.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct SweptBoxes {
    pub(crate) structure: Structure,
    rows: Vec<Row>,
    /// The boxes of these rows as they are.
    boxes: Vec<Corners>,
}

impl SweptBoxes {
    pub(crate) fn new(simd: Option<SimdLevel>) -> Self {
        let boxes = BoxIndex::new(&OversizedStructure::default(), simd);
        let boxes = boxes.expect("a checked config has an instruction set that is there");
        Self {
            structure: Structure::Boxes(Box::new(boxes)),
            rows: Vec::new(),
            boxes: Vec::new(),
        }
    }

    /// Brings the index up to date with the rows of a category. O(rows).
    pub(crate) fn update(&mut self, of: &Category, executor: &dyn Executor) {
        let ahead = LookAhead::of(of);
        self.rows.clear();
        let rows = 0..of.len() as Row;
        if ahead.is_everybody() {
            self.rows.extend(rows);
        } else {
            self.rows
                .extend(rows.filter(|&row| ahead.has(row as usize)));
        }
        self.boxes.resize(self.rows.len(), Corners::default());
        let parts = self.boxes.chunks_mut(TASK).zip(self.rows.chunks(TASK));
        run_each(executor, parts, |_, (boxes, rows)| {
            for (corners, &row) in boxes.iter_mut().zip(rows) {
                *corners = ahead.now.corners(row as usize);
            }
        });
        let Structure::Boxes(index) = &mut self.structure else {
            unreachable!("it was made of boxes");
        };
        let (rows, boxes) = (&self.rows, &self.boxes);
        index.update_from(rows.len(), executor, &|k| {
            ahead.swept(rows[k] as usize, boxes[k])
        });
    }

    /// How many rows look ahead.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of the category that a swept box is of.
    #[inline]
    pub(crate) fn row(&self, number: u32) -> Row {
        self.rows[number as usize]
    }

    /// The box of a row as it is, by the number of the swept one.
    #[inline]
    pub(crate) fn corners(&self, number: u32) -> Corners {
        self.boxes[number as usize]
    }

    /// All of them.
    pub(crate) fn boxes(&self) -> BoxesByRow<'_> {
        BoxesByRow::Corners(&self.boxes)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let rows = self.rows.capacity() * size_of::<Row>();
        self.structure.memory_bytes() + rows + self.boxes.capacity() * size_of::<Corners>()
    }
}

/// Who looks ahead in a category, and how far.
#[derive(Clone, Copy)]
pub(crate) struct LookAhead<'w> {
    pub(crate) now: RowsNow<'w>,
    margin: f32,
    velocities: Option<&'w [[f32; 2]]>,
    still: Option<&'w [u8]>,
}

impl<'w> LookAhead<'w> {
    pub(crate) fn of(category: &'w Category) -> Self {
        Self {
            now: category.rows_now(),
            margin: category.margin,
            velocities: category.columns.velocities.values(),
            still: category.columns.still.values(),
        }
    }

    /// Whether all rows do.
    fn is_everybody(&self) -> bool {
        self.margin > 0.0 && self.still.is_none() && self.now.disabled.is_none()
    }

    /// Whether a row's swept box is more than its box.
    #[inline]
    pub(crate) fn has(&self, row: usize) -> bool {
        let is_disabled = || self.now.disabled.is_some_and(|rows| rows.contains(row));
        (self.margin_of(row) > 0.0 || self.velocity_of(row) != [0.0; 2]) && !is_disabled()
    }

    #[inline]
    fn velocity_of(&self, row: usize) -> [f32; 2] {
        self.velocities
            .map_or([0.0; 2], |velocities| velocities[row])
    }

    /// Whoever rests has none.
    #[inline]
    fn margin_of(&self, row: usize) -> f32 {
        let rests = self.still.is_some_and(|still| still[row] == RESTING);
        if rests { 0.0 } else { self.margin }
    }

    /// A row's box along its way, with its margin.
    #[inline]
    fn swept(&self, row: usize, [min, max]: Corners) -> Corners {
        let (velocity, margin) = (self.velocity_of(row), self.margin_of(row));
        [
            for_both(|axis| min[axis] + velocity[axis].min(0.0) - margin),
            for_both(|axis| max[axis] + velocity[axis].max(0.0) + margin),
        ]
    }
}

impl Category {
    /// Whether any row may look ahead.
    pub(crate) fn has_prediction(&self) -> bool {
        self.margin > 0.0 || self.columns.velocities.is_allocated()
    }
}
