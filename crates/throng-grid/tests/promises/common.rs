//! Grids over the shared scenes, with any number of threads and instruction set.

use throng_core::{Aabb, Arena, BoxRun, BoxSource, Executor, RowMasks, SimdLevel, run_each};
use throng_grid::{GridConfig, Hit, NearestQuery, PointGrid, Points, Ranked, RowClasses};
use throng_scenes::{BoxScene, Scene};

/// How a grid comes to have a scene's rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Way {
    /// It is built from them.
    Built,
    /// It was built while they were elsewhere, as far as they could be, and is refitted.
    Refitted,
    /// Like `Refitted`, but when it was built some rows were far away or missing, or there were rows that are gone now.
    Jumped,
}

pub const WAYS: [Way; 3] = [Way::Built, Way::Refitted, Way::Jumped];

/// How far rows may have been, in half extents; the first from where a refit brings them is taken.
const DISTANCES: [f32; 6] = [4.0, 1.0, 0.3, 0.1, 0.01, 0.0];

impl Way {
    /// A grid of the scene's rows. Where no refit is possible, because some rows cannot be indexed or are outside the range of cells,
    /// it is built all the same.
    pub fn grid(self, scene: &Scene, level: SimdLevel, executor: &dyn Executor) -> PointGrid {
        let refitted = |far: &f32| refitted(scene, *far, level, executor);
        let jumped = |far: &f32| jumped(scene, *far, level, executor);
        let found = match self {
            Self::Built => None,
            Self::Refitted => DISTANCES.iter().find_map(refitted),
            Self::Jumped => DISTANCES.iter().find_map(jumped),
        };
        found.unwrap_or_else(|| build(scene, level, executor))
    }
}

/// The scene with its rows up to `far` half extents away on each axis.
fn moved(scene: &Scene, far: f32) -> Scene {
    let mut then = scene.clone();
    for (row, (x, y)) in (0_u32..).zip(then.xs.iter_mut().zip(&mut then.ys)) {
        let [dx, dy] = [7, 15].map(|bit| (row.wrapping_mul(2_654_435_769) >> bit) % 201);
        *x += far * scene.half[0] * (dx as f32 / 100.0 - 1.0);
        *y += far * scene.half[1] * (dy as f32 / 100.0 - 1.0);
    }
    then
}

/// A grid that was built while the scene's rows were up to `far` half extents away on each axis; `None` if it cannot be refitted.
pub fn refitted(
    scene: &Scene,
    far: f32,
    level: SimdLevel,
    executor: &dyn Executor,
) -> Option<PointGrid> {
    let grid = build(&moved(scene, far), level, executor);
    brought(grid, scene, executor)
}

/// The same, and some rows were where others are, and the last one was not there, or two more were.
fn jumped(scene: &Scene, far: f32, level: SimdLevel, executor: &dyn Executor) -> Option<PointGrid> {
    let mut then = moved(scene, far);
    let rows = then.len();
    if rows < 20 {
        return None;
    }
    let jumps = [3, rows / 2];
    for row in jumps {
        let other = rows - 1 - row / 3;
        (then.xs[row], then.ys[row]) = (scene.xs[other], scene.ys[other]);
    }
    if far < 1.0 {
        truncate(&mut then, rows - 1);
    } else {
        for other in [rows / 3, rows / 5] {
            push_as(&mut then, other);
        }
    }
    let grid = build(&then, level, executor);
    brought(grid, scene, executor)
}

/// Brings a grid to where the scene's rows are, if it can be.
fn brought(mut grid: PointGrid, scene: &Scene, executor: &dyn Executor) -> Option<PointGrid> {
    let classes = classes_of(scene);
    let classes = carries_classes(executor).then(|| in_use(&classes));
    let refitted = grid.refit(points_of(scene), classes, executor);
    assert_eq!(grid.validate(), Ok(()), "{}", scene.name);
    refitted.unwrap().then_some(grid)
}

/// Takes the last rows from a scene.
pub fn truncate(scene: &mut Scene, rows: usize) {
    scene.xs.truncate(rows);
    scene.ys.truncate(rows);
    if let Some(own) = &mut scene.half_extents {
        own.truncate(rows);
    }
    if let Some(masks) = &mut scene.masks {
        masks.truncate(rows);
    }
}

/// Adds a row that is like another.
pub fn push_as(scene: &mut Scene, other: usize) {
    scene.xs.push(scene.xs[other]);
    scene.ys.push(scene.ys[other]);
    if let Some(own) = &mut scene.half_extents {
        own.push(own[other]);
    }
    if let Some(masks) = &mut scene.masks {
        masks.push(masks[other]);
    }
}

/// A grid that is built from the scene's rows.
pub fn build(scene: &Scene, level: SimdLevel, executor: &dyn Executor) -> PointGrid {
    let mut grid = PointGrid::new(GridConfig::new(scene.half).simd(level)).unwrap();
    rebuild(&mut grid, scene, executor);
    grid
}

/// On an odd number of threads, rows carry some class, which must show nowhere.
fn carries_classes(executor: &dyn Executor) -> bool {
    executor.threads() % 2 == 1
}

fn classes_of(scene: &Scene) -> Vec<u16> {
    (0..scene.len())
        .map(|row| 40 + (row * 7 % 30) as u16)
        .collect()
}

fn in_use(of_rows: &[u16]) -> RowClasses<'_> {
    RowClasses {
        of_rows,
        in_use: 39..70,
    }
}

pub fn rebuild(grid: &mut PointGrid, scene: &Scene, executor: &dyn Executor) {
    let classes = classes_of(scene);
    let points = points_of(scene);
    let report = if carries_classes(executor) {
        grid.build_with_classes(points, in_use(&classes), executor)
    } else {
        grid.build(points, executor)
    };
    let report = report.unwrap();
    assert_eq!(report.rows + report.rejected, scene.len(), "{}", scene.name);
    grid.validate()
        .unwrap_or_else(|broken| panic!("{}: {broken}", scene.name));
}

pub fn points_of(scene: &Scene) -> Points<'_> {
    let points = Points::new(&scene.xs, &scene.ys);
    match &scene.half_extents {
        Some(own) => points.with_half_extents(own),
        None => points,
    }
}

/// All pairs of the grid in chunk order, searched on the executor's threads.
pub fn pairs(grid: &PointGrid, scene: &Scene, executor: &dyn Executor) -> Vec<[u32; 2]> {
    pairs_with(grid, row_masks(scene), executor)
}

/// The same with masks in any form.
pub fn pairs_with(
    grid: &PointGrid,
    masks: Option<RowMasks<'_>>,
    executor: &dyn Executor,
) -> Vec<[u32; 2]> {
    let mut found = vec![Vec::new(); grid.chunks()];
    run_each(executor, &mut found, |chunk, found| {
        let mut visit = |batch: &[[u32; 2]]| found.extend_from_slice(batch);
        grid.pairs_in_chunk(chunk, masks, &mut Arena::new(), &mut visit);
    });
    found.concat()
}

/// The question for so many around a point.
pub fn near(point: [f32; 2], k: usize, max_distance: f32) -> NearestQuery {
    NearestQuery {
        point,
        k,
        max_distance,
    }
}

/// What is nearest, as [`nearest`](throng_scenes::nearest) tells them.
pub fn rows_and_distances(found: &[Ranked<Hit>]) -> Vec<(u32, f32)> {
    let told = found.iter().map(|near| (near.row, near.distance_squared));
    told.collect()
}

/// A list of boxes: the simplest structure that a grid can be searched against.
pub struct BoxList<'a>(pub &'a BoxScene);

impl BoxSource for BoxList<'_> {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        for row in 0..self.0.len() {
            if let Some(aabb) = self.0.aabb(row).filter(|aabb| aabb.overlaps(window)) {
                found.make_room(arena, 1);
                found.push([aabb.min(), aabb.max()], row as u32);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn bounds(&self) -> Option<Aabb> {
        let boxes = (0..self.0.len()).filter_map(|row| self.0.aabb(row));
        boxes.reduce(|all, aabb| all.union(&aabb))
    }
}

/// The scene's masks, if it has any, in the form a grid takes.
pub fn row_masks(scene: &Scene) -> Option<RowMasks<'_>> {
    scene.masks.as_deref().map(RowMasks::Each)
}

pub fn box_masks(scene: &BoxScene) -> Option<RowMasks<'_>> {
    scene.masks.as_deref().map(RowMasks::Each)
}
