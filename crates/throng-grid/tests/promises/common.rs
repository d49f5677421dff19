//! Grids over the shared scenes, with any number of threads and instruction set.

use throng_core::{Aabb, Arena, BoxRun, BoxSource, Executor, RowMasks, SimdLevel, run_each};
use throng_grid::{GridConfig, PointGrid, Points, RowClasses};
use throng_scenes::{BoxScene, Scene};

/// A grid of the scene's rows.
pub fn build(scene: &Scene, level: SimdLevel, executor: &dyn Executor) -> PointGrid {
    let mut grid = PointGrid::new(GridConfig::new(scene.half).simd(level)).unwrap();
    rebuild(&mut grid, scene, executor);
    grid
}

/// On an odd number of threads, rows carry some class, which must show nowhere.
pub fn rebuild(grid: &mut PointGrid, scene: &Scene, executor: &dyn Executor) {
    let classes: Vec<u16> = (0..scene.len())
        .map(|row| 40 + (row * 7 % 30) as u16)
        .collect();
    let classes = RowClasses {
        of_rows: &classes,
        in_use: 39..70,
    };
    let points = points_of(scene);
    let report = if executor.threads() % 2 == 1 {
        grid.build_with_classes(points, classes, executor)
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
