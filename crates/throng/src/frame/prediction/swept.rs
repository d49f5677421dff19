//! The boxes of a category that predicted pairs are tested with.

use educe::Educe;
use throng_core::{Aabb, BoxesByRow, Corners, Executor, SimdLevel, run_each};

use crate::broadphase::Broadphase;
use crate::frame::prediction::choice::{Choice, Survey};
use crate::frame::prediction::look_ahead::{LookAhead, higher};
use crate::world::box_index::BoxIndex;
use crate::world::category::Category;
use crate::world::config::OversizedStructure;
use crate::world::ids::{CategoryId, Row};
use crate::world::row_boxes::{NO_CORNERS, RowBoxes};
use crate::world::structure::Structure;

/// For how many rows a task computes boxes.
const TASK: usize = 1 << 12;

/// Boxes of all rows are recorded if at least one for so many of them looks far; otherwise they are looked up one by one.
const ONE_ASKS_FOR: usize = 16;

/// How the rows of a category look ahead; and their swept boxes.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct SweptBoxes {
    choice: Choice,
    /// What tasks have found.
    surveys: Vec<Survey>,
    /// Those of rows that are met by them, which are of any size: in strips, numbered from 0 in the order of rows.
    strips: Structure,
    /// The rows in the strips, ascending.
    rows: Vec<Row>,
    /// Their boxes as they are, by number.
    far_now: RowBoxes,
    /// Whether what follows is there: if any that look ahead are met where they are, in this category or in one that meets it, or many are
    /// met by their swept boxes.
    is_recorded: bool,
    /// The boxes of those in the strips along their way, by number.
    far_swept: Vec<Corners>,
    /// By row: boxes as they are; and along their way, if this category has such. Those in the strips have none.
    now: RowBoxes,
    swept: Vec<Corners>,
    /// The half extents of all swept boxes by row, if they are of one size, and around the centers.
    alike: Option<[f32; 2]>,
}

impl SweptBoxes {
    /// None yet.
    fn new(simd: Option<SimdLevel>) -> Self {
        let boxes = BoxIndex::new(&OversizedStructure::default(), simd);
        let boxes = boxes.expect("a checked config has an instruction set that is there");
        Self {
            choice: Choice::NONE,
            surveys: Vec::new(),
            strips: Structure::Boxes(Box::new(boxes)),
            rows: Vec::new(),
            far_now: RowBoxes::default(),
            far_swept: Vec::new(),
            now: RowBoxes::default(),
            swept: Vec::new(),
            is_recorded: false,
            alike: None,
        }
    }

    /// Looks at all rows of a category, as they are. O(rows).
    fn update(&mut self, of: &Category, executor: &dyn Executor) {
        self.choice = of.choose_how_to_look(&mut self.surveys, executor);
        let mut ahead = LookAhead::of(of);
        ahead.fastest = self.choice.fastest;
        self.rows.clear();
        if self.choice.far > 0 {
            ahead.list_far(&mut self.rows);
        }
        self.index_far(&ahead, executor);
    }

    fn index_far(&mut self, ahead: &LookAhead<'_>, executor: &dyn Executor) {
        let now = self.far_now.begin_corners(self.rows.len());
        let parts = now.chunks_mut(TASK).zip(self.rows.chunks(TASK));
        run_each(executor, parts, |_, (now, rows)| {
            for (now, &row) in now.iter_mut().zip(rows) {
                *now = ahead.now.corners(row as usize);
            }
        });
        let Structure::Boxes(index) = &mut self.strips else {
            unreachable!("it was made of boxes");
        };
        let rows = &self.rows;
        index.update_from(rows.len(), executor, &|k| ahead.swept(rows[k] as usize));
    }

    /// Records the boxes of all rows, and those along their way if any meeting with them is wide. O(rows).
    fn record(&mut self, of: &Category, is_wide: bool, executor: &dyn Executor) {
        self.is_recorded = true;
        let ahead = LookAhead::of(of);
        let alike = of.all_compared_alike();
        self.now.record(ahead.now, alike, executor);
        let by_margin_alone =
            self.choice.speed == 0.0 && self.rows.is_empty() && !ahead.do_some_rest;
        self.alike = alike
            .filter(|_| by_margin_alone)
            .map(|half| half.map(|half| half + ahead.margin));
        if self.choice.reach > 0.0 && self.alike.is_none() {
            self.swept.resize(of.len(), NO_CORNERS);
            let parts = self.swept.chunks_mut(TASK);
            run_each(executor, parts, |task, swept| {
                ahead.write_swept(task * TASK, swept);
            });
        }
        self.far_swept.clear();
        let far = self.rows.iter().filter(|_| is_wide);
        for &row in far {
            self.far_swept.push(ahead.swept(row as usize));
            self.now.forget(row as usize);
            if let Some(swept) = self.swept.get_mut(row as usize) {
                *swept = NO_CORNERS;
            }
        }
    }

    /// Nobody asks for the boxes of all rows.
    fn forget_all(&mut self) {
        self.now.clear();
        self.swept.clear();
        self.is_recorded = false;
    }

    pub(super) fn fastest(&self) -> f32 {
        self.choice.fastest
    }

    /// The index of those that look far.
    pub(crate) fn structure(&self) -> &Structure {
        &self.strips
    }

    /// How many look far.
    fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of the category that a swept box is of.
    #[inline]
    pub(super) fn row(&self, number: u32) -> Row {
        self.rows[number as usize]
    }

    /// The box of one in the strips by its number, as it is.
    #[inline]
    pub(super) fn corners(&self, number: u32) -> Corners {
        self.far_now.corners(number as usize)
    }

    /// The boxes of those in the strips by their numbers, as they are.
    pub(super) fn far_now(&self) -> BoxesByRow<'_> {
        self.far_now.by_row()
    }

    /// The same along their way.
    pub(super) fn far_swept(&self) -> BoxesByRow<'_> {
        BoxesByRow::Corners(&self.far_swept)
    }

    /// Whether boxes of all rows were recorded.
    pub(super) fn are_recorded(&self) -> bool {
        self.is_recorded
    }

    /// The boxes of all rows as they are, where they were recorded. Those in the strips have none.
    pub(super) fn now(&self) -> BoxesByRow<'_> {
        self.now.by_row()
    }

    /// The same along their way.
    pub(super) fn swept(&self) -> BoxesByRow<'_> {
        match (self.now(), self.alike) {
            (BoxesByRow::Alike { centers, .. }, Some(half_extents)) => BoxesByRow::Alike {
                centers,
                half_extents,
            },
            (now, _) if self.choice.reach == 0.0 => now,
            _ => BoxesByRow::Corners(&self.swept),
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let rows = self.rows.capacity() * size_of::<Row>();
        let swept = self.far_swept.capacity() + self.swept.capacity();
        let now = self.far_now.memory_bytes() + self.now.memory_bytes();
        let surveys = self.surveys.capacity() * size_of::<Survey>();
        self.strips.memory_bytes() + rows + now + swept * size_of::<Corners>() + surveys
    }
}

impl Broadphase {
    /// Finds out who looks ahead, once all indices are up to date. O(rows) of the categories in which any may, and of those that meet
    /// these.
    pub(crate) fn look_ahead(&mut self, executor: &dyn Executor) {
        for category in &mut self.categories {
            if category.has_prediction() && !category.is_sensor {
                category.with_swept(|swept, category| swept.update(category, executor));
            } else if let Some(swept) = &mut category.swept {
                swept.choice = Choice::NONE;
                swept.rows.clear();
            }
        }
        for index in 0..self.categories.len() {
            let category = &self.categories[index];
            let met = (0..).zip(&self.categories).filter(|&(place, _)| {
                let [a, b] = [index, place].map(CategoryId::from_index);
                place == index || self.meetings.meets(a, b)
            });
            let (mut is_wide, mut far) = (false, 0);
            for (_, other) in met {
                is_wide |= other.looks_near();
                far = far.max(other.looks_far());
            }
            let are_some_near = category.looks_far() < category.indexed_rows();
            let are_many = far >= category.len().div_ceil(ONE_ASKS_FOR);
            let is_asked_for = is_wide || are_some_near && are_many;
            // Scenery has its own, and pairs with a sensor are never predicted.
            let needs_none = category.structure.is_scenery() || category.is_sensor;
            let category = &mut self.categories[index];
            if is_asked_for && !needs_none {
                category.with_swept(|swept, category| swept.record(category, is_wide, executor));
            } else if let Some(swept) = &mut category.swept {
                swept.forget_all();
            }
        }
    }
}

impl Category {
    fn with_swept(&mut self, change: impl FnOnce(&mut SweptBoxes, &Self)) {
        let swept = self.swept.take();
        let mut swept = swept.unwrap_or_else(|| Box::new(SweptBoxes::new(self.simd)));
        change(&mut swept, self);
        self.swept = Some(swept);
    }

    /// Whether any row may look ahead.
    fn has_prediction(&self) -> bool {
        self.margin > 0.0 || self.columns.velocities.is_allocated()
    }

    /// Whether any does, as of the index.
    pub(crate) fn looks_ahead(&self) -> bool {
        self.looks_near() || self.looks_far() > 0
    }

    /// Whether any does that is met where it is.
    fn looks_near(&self) -> bool {
        let swept = self.swept.as_ref();
        swept.is_some_and(|swept| swept.choice.reach > 0.0)
    }

    /// How many rows are met by their swept boxes.
    pub(super) fn looks_far(&self) -> usize {
        self.swept.as_ref().map_or(0, |swept| swept.len())
    }

    /// How much farther than its box any swept box reaches whose row is met in the main index, with what rounding may add.
    ///
    /// The sides of boxes, and those of swept boxes, have been rounded: each by up to `2^-24` of its magnitude in each of four operations.
    pub(super) fn reach(&self) -> f32 {
        const PER_MAGNITUDE: f32 = 1.0 / (1 << 21) as f32;
        let reach = (self.swept.as_ref()).map_or(0.0, |swept| swept.choice.reach);
        if reach == 0.0 {
            return 0.0;
        }
        let furthest = self.indexed.bounds.as_ref().map_or(0.0, furthest);
        (reach + (furthest + reach) * PER_MAGNITUDE).next_up()
    }
}

/// How far from the origin the sides of a box are at most.
fn furthest(aabb: &Aabb) -> f32 {
    let sides = [aabb.min(), aabb.max()];
    let sides = sides.as_flattened().iter();
    sides.fold(0.0, |most, side| higher(side.abs(), most))
}

#[cfg(test)]
mod tests {
    use throng_core::BoxesByRow;

    use super::SweptBoxes;
    use crate::{Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Proxy, ProxyId};

    fn proxy(k: usize) -> Proxy {
        let place = [(k % 20) as f32 * 2.5, (k / 20) as f32 * 2.5];
        Proxy::centered(place, [1.0; 2]).unwrap()
    }

    /// Three hundred of the first category, and two of the second.
    fn world(categories: [CategoryConfig; 2]) -> (Broadphase, Vec<ProxyId>) {
        let config = categories
            .into_iter()
            .fold(BroadphaseConfig::new(), BroadphaseConfig::category);
        let mut world = Broadphase::new(config).unwrap();
        let into = |k: usize| proxy(k).in_category(CategoryId::from_index(usize::from(k >= 300)));
        let ids = (0..302).map(|k| world.insert(into(k)).unwrap()).collect();
        world.refresh();
        (world, ids)
    }

    fn swept(world: &Broadphase, category: usize) -> &SweptBoxes {
        world.categories[category].swept.as_ref().unwrap()
    }

    fn units(name: &str) -> CategoryConfig {
        CategoryConfig::uniform(name, 1.0)
    }

    #[test]
    fn boxes_are_recorded_where_anybody_asks_for_them() {
        let (mut world, ids) = world([units("units").margin(0.25), units("rocks")]);
        assert!(swept(&world, 0).are_recorded() && swept(&world, 1).are_recorded());
        // Those of one size need no corners.
        assert!(matches!(swept(&world, 0).swept(), BoxesByRow::Alike { .. }));
        assert!(matches!(swept(&world, 1).swept(), BoxesByRow::Alike { .. }));
        world.set_velocity(ids[0], [0.0, 0.25]).unwrap();
        world.refresh();
        let BoxesByRow::Corners(boxes) = swept(&world, 0).swept() else {
            panic!("they are not alike");
        };
        assert_eq!(boxes[0], [[-1.25; 2], [1.25, 1.5]]);

        // One that is fast is in the strips, and has no box among all.
        world.set_velocity(ids[1], [500.0, 0.0]).unwrap();
        world.refresh();
        let BoxesByRow::Corners(boxes) = swept(&world, 0).swept() else {
            panic!("they are not alike");
        };
        assert_eq!((swept(&world, 0).row(0), swept(&world, 0).len()), (1, 1));
        assert!(boxes[1][0][0].is_nan() && !boxes[2][0][0].is_nan());
        assert_eq!(swept(&world, 0).corners(0), [[1.5, -1.0], [3.5, 1.0]]);
    }

    #[test]
    fn boxes_of_many_are_not_recorded_for_one_that_is_fast() {
        let (mut world, ids) = world([units("units"), units("bullets").meets(["units"])]);
        world.set_velocity(ids[300], [500.0, 0.0]).unwrap();
        world.refresh();
        assert_eq!(
            (swept(&world, 1).len(), swept(&world, 1).fastest() < 0.0),
            (1, true)
        );
        assert!(world.categories[0].swept.is_none());
        for &id in &ids[..30] {
            world.set_velocity(id, [500.0, 0.0]).unwrap();
        }
        world.refresh();
        assert!(swept(&world, 0).are_recorded(), "for its own");
        assert!(swept(&world, 1).are_recorded());
        for &id in &ids[..30] {
            world.set_velocity(id, [0.0; 2]).unwrap();
        }
        world.refresh();
        assert!(!swept(&world, 0).are_recorded());
    }
}
