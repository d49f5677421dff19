//! The swept boxes of a category: of those rows that look ahead.

use educe::Educe;
use throng_core::{BoxesByRow, Corners, Executor, SimdLevel, for_both, run_each};

use crate::frame::resting::stillness::RESTING;
use crate::world::box_index::BoxIndex;
use crate::world::category::Category;
use crate::world::config::OversizedStructure;
use crate::world::ids::Row;
use crate::world::row_boxes::RowBoxes;
use crate::world::rows_now::RowsNow;
use crate::world::structure::{IndexedRows, Structure};

/// For how many rows a task computes boxes.
const TASK: usize = 1 << 12;

/// The swept boxes of rows, in an index of their own: in a grid of points, under the numbers of their rows; or in strips, numbered from 0
/// in the order of rows.
///
/// Where nobody has a velocity, the boxes of a uniform category are still around the centers of their rows, and within a bound: its own and
/// the margin. So they are indexed as the category is, in a grid, which is refitted from step to step as long as nobody rests. Others
/// are of any size. A grid takes down the boxes of all rows; if few look ahead, that is not worth it either.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct SweptBoxes {
    grid: Option<Structure>,
    strips: Structure,
    /// Whether they are in the grid.
    are_points: bool,
    /// The rows that look ahead, ascending; not those in a grid, if all do.
    rows: Vec<Row>,
    /// The boxes as they are, by number.
    boxes: RowBoxes,
    /// The half extents of those in the grid, by row; none if they are of one size.
    half_extents: Vec<[f32; 2]>,
}

impl SweptBoxes {
    /// None of this category yet.
    pub(crate) fn new(of: &Category, simd: Option<SimdLevel>) -> Self {
        let boxes = BoxIndex::new(&OversizedStructure::default(), simd);
        let boxes = boxes.expect("a checked config has an instruction set that is there");
        let is_uniform = matches!(of.structure, Structure::Points(_));
        let bound = of.bound.map(|half| half + of.margin);
        Self {
            grid: (is_uniform && of.margin > 0.0)
                .then(|| Structure::points(bound, simd))
                .flatten(),
            strips: Structure::Boxes(Box::new(boxes)),
            are_points: false,
            rows: Vec::new(),
            boxes: RowBoxes::default(),
            half_extents: Vec::new(),
        }
    }

    /// Brings the index up to date with the rows of a category. To be called before that one's own index is, because the journal
    /// of rows begins anew with it. O(rows).
    pub(crate) fn update(&mut self, of: &Category, executor: &dyn Executor) {
        let ahead = LookAhead::of(of);
        let rows = 0..of.len() as Row;
        let do_some_rest = ahead.do_some_rest();
        let do_all_look = ahead.margin > 0.0 && ahead.now.disabled.is_none() && !do_some_rest;
        self.rows.clear();
        if !do_all_look {
            let look = rows.clone().filter(|&row| ahead.has(row as usize));
            self.rows.extend(look);
        }
        let are_many = do_all_look || {
            let disabled = ahead.now.disabled.map_or(0, |rows| rows.count_ones(..));
            2 * self.rows.len() >= of.len() - disabled
        };
        self.are_points = self.grid.is_some() && are_many && ahead.has_no_velocities();
        if self.are_points {
            self.index_points(of, &ahead, do_some_rest, executor);
        } else {
            if do_all_look {
                self.rows.extend(rows);
            }
            self.index_boxes(&ahead, executor);
        }
    }

    fn index_points(
        &mut self,
        of: &Category,
        ahead: &LookAhead<'_>,
        do_some_rest: bool,
        executor: &dyn Executor,
    ) {
        self.boxes
            .take_down(ahead.now, of.all_compared_alike(), executor);
        self.half_extents.clear();
        let own = of.columns.half_extents.values();
        let own = own.filter(|_| !of.all_alike());
        let grown = |half: &[f32; 2]| half.map(|half| half + ahead.margin);
        self.half_extents
            .extend(own.into_iter().flatten().map(grown));
        let rows = IndexedRows {
            columns: &of.columns,
            half_extents: own.map(|_| &self.half_extents[..]),
            classes: None,
            disabled: ahead.now.disabled,
            journal: &of.journal,
        };
        let grid = self.grid.as_mut().expect("asked before");
        if do_some_rest {
            grid.index_rows(&rows, &self.rows, executor);
        } else {
            grid.index(&rows, executor);
        }
    }

    fn index_boxes(&mut self, ahead: &LookAhead<'_>, executor: &dyn Executor) {
        // The grid is not kept up to date meanwhile: when it is used again, it is built.
        self.note_all_changed();
        let boxes = self.boxes.begin_corners(self.rows.len());
        let parts = boxes.chunks_mut(TASK).zip(self.rows.chunks(TASK));
        run_each(executor, parts, |_, (boxes, rows)| {
            for (corners, &row) in boxes.iter_mut().zip(rows) {
                *corners = ahead.now.corners(row as usize);
            }
        });
        let Structure::Boxes(index) = &mut self.strips else {
            unreachable!("it was made of boxes");
        };
        let rows = &self.rows;
        index.update_from(rows.len(), executor, &|k| ahead.swept(rows[k] as usize));
    }

    /// The index.
    pub(crate) fn structure(&self) -> &Structure {
        match &self.grid {
            Some(grid) if self.are_points => grid,
            _ => &self.strips,
        }
    }

    /// To be called when any rows may be other than when the index was built.
    pub(crate) fn note_all_changed(&mut self) {
        if let Some(grid) = &mut self.grid {
            grid.note_all_changed();
        }
    }

    /// How many rows look ahead.
    pub(crate) fn len(&self) -> usize {
        self.structure().len()
    }

    /// The row of the category that a swept box is of.
    #[inline]
    pub(crate) fn row(&self, number: u32) -> Row {
        if self.are_points {
            number
        } else {
            self.rows[number as usize]
        }
    }

    /// The box of a row as it is, by the number of the swept one.
    #[inline]
    pub(crate) fn corners(&self, number: u32) -> Corners {
        self.boxes.corners(number as usize)
    }

    /// All of them.
    pub(crate) fn boxes(&self) -> BoxesByRow<'_> {
        self.boxes.by_row()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let rows = self.rows.capacity() * size_of::<Row>();
        let half_extents = self.half_extents.capacity() * size_of::<[f32; 2]>();
        let grid = self.grid.as_ref().map_or(0, Structure::memory_bytes);
        self.strips.memory_bytes() + grid + rows + half_extents + self.boxes.memory_bytes()
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

    fn do_some_rest(&self) -> bool {
        self.still.is_some_and(|still| still.contains(&RESTING))
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

    fn has_no_velocities(&self) -> bool {
        let mut velocities = self.velocities.into_iter().flatten();
        velocities.all(|velocity| *velocity == [0.0; 2])
    }

    /// A row's box along its way, with its margin: one that is larger by the margin, and then swept.
    #[inline]
    fn swept(&self, row: usize) -> Corners {
        let velocity = self.velocity_of(row);
        let [min, max] = self.now.corners_with(row, self.margin_of(row));
        [
            for_both(|axis| min[axis] + velocity[axis].min(0.0)),
            for_both(|axis| max[axis] + velocity[axis].max(0.0)),
        ]
    }
}

impl Category {
    /// Whether any row may look ahead.
    pub(crate) fn has_prediction(&self) -> bool {
        self.margin > 0.0 || self.columns.velocities.is_allocated()
    }
}

#[cfg(test)]
mod tests {
    use super::SweptBoxes;
    use crate::world::structure::Structure;
    use crate::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, ProxyId};

    fn proxy(k: usize) -> Proxy {
        let place = [(k % 20) as f32 * 2.5, (k / 20) as f32 * 2.5];
        Proxy::centered(place, [1.0; 2]).unwrap()
    }

    fn world(units: CategoryConfig) -> (Broadphase, Vec<ProxyId>) {
        let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
        let ids = (0..300).map(|k| world.insert(proxy(k)).unwrap()).collect();
        world.refresh();
        world.refresh();
        (world, ids)
    }

    fn swept(world: &Broadphase) -> &SweptBoxes {
        world.categories[0].swept.as_ref().unwrap()
    }

    fn are_points(world: &Broadphase) -> bool {
        matches!(swept(world).structure(), Structure::Points(_))
    }

    fn is_refitted(world: &Broadphase) -> bool {
        swept(world).structure().indexed().refitted
    }

    #[test]
    fn they_are_points_while_nobody_has_a_velocity_and_refitted_when_one_is_replaced() {
        let (mut world, ids) = world(CategoryConfig::uniform("units", 1.0).margin(0.25));
        assert!(are_points(&world) && is_refitted(&world));
        world.remove(ids[150]).unwrap();
        world.insert(proxy(17)).unwrap();
        world.refresh();
        assert!(are_points(&world) && is_refitted(&world));
        world.set_velocity(ids[0], [1.0, 0.0]).unwrap();
        world.refresh();
        assert!(!are_points(&world));
        world.set_velocity(ids[0], [0.0; 2]).unwrap();
        world.refresh();
        assert!(are_points(&world) && !is_refitted(&world));
        assert_eq!(swept(&world).len(), 300);
    }

    #[test]
    fn they_are_boxes_where_few_look_ahead_or_are_of_any_size() {
        let (mut world, ids) = world(CategoryConfig::uniform("units", 1.0).margin(0.25));
        // Who is disabled is not asked, but who rests is.
        (ids[..200].iter()).for_each(|&id| world.set_enabled(id, false).unwrap());
        world.refresh();
        assert!(are_points(&world));
        assert_eq!(swept(&world).len(), 100);

        let resting = CategoryConfig::uniform("units", 1.0).margin(0.25);
        let (mut world, ids) = self::world(resting.rests_when_told());
        for (rest, points) in [(150, true), (151, false)] {
            ids[..rest]
                .iter()
                .for_each(|&id| world.set_resting(id, true).unwrap());
            for _ in 0..3 {
                world.step_pairs();
            }
            assert_eq!(
                (swept(&world).len(), are_points(&world)),
                (300 - rest, points)
            );
        }

        let (world, _) = self::world(CategoryConfig::oversized("units").margin(0.25));
        assert!(!are_points(&world));
        assert_eq!(swept(&world).len(), 300);
    }
}
