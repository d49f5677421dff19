//! Cell sizes are chosen for the rows, kept while they fit, and chosen again when the rows have changed too much.

use crate::common::build;
use throng_core::{Serial, SimdLevel};
use throng_grid::{BuildReport, PointGrid, Points};
use throng_scenes::{Scene, uniform};

const ROWS: usize = 4000;

fn rebuild(grid: &mut PointGrid, scene: &Scene) -> BuildReport {
    let points = Points::new(&scene.xs, &scene.ys);
    grid.build(points, &Serial).unwrap()
}

/// Whether each of four builds made a new plan, after a grid was built from one scene and then from another.
fn planned_after(before: &Scene, after: &Scene) -> [bool; 4] {
    let mut grid = build(before, SimdLevel::detect(), &Serial);
    [(); 4].map(|()| rebuild(&mut grid, after).planned)
}

/// A change is noticed at the end of one build, and planned for in the next.
const ONCE: [bool; 4] = [false, true, false, false];
const NEVER: [bool; 4] = [false; 4];

/// The crowd, followed by this many rows outside the range of cells, no two of them at the same height.
fn with_rows_outside(crowd: &Scene, outside: usize) -> Scene {
    let mut scene = crowd.clone();
    scene.xs.extend((0..outside).map(|_| 1e30));
    scene.ys.extend((0..outside).map(|k| k as f32));
    scene
}

#[test]
fn rows_that_are_much_the_same_keep_the_plan() {
    let crowd = uniform(ROWS, 4.0, 1);
    assert_eq!(planned_after(&crowd, &crowd), NEVER);
    assert_eq!(planned_after(&crowd, &uniform(ROWS, 4.0, 2)), NEVER);
    assert_eq!(planned_after(&crowd, &uniform(ROWS * 5 / 4, 4.0, 3)), NEVER);
}

#[test]
fn many_more_rows_or_fewer_are_planned_for() {
    let crowd = uniform(ROWS, 4.0, 1);
    // Not so many fewer that the leaves count as less crowded.
    let mut fewer = crowd.clone();
    fewer.xs.truncate(ROWS * 3 / 5);
    fewer.ys.truncate(ROWS * 3 / 5);
    assert_eq!(planned_after(&crowd, &fewer), ONCE);
    assert_eq!(planned_after(&fewer, &crowd), ONCE);
}

#[test]
fn crowds_that_gather_or_spread_are_planned_for() {
    let crowd = uniform(ROWS, 4.0, 1);
    let mut gathered = crowd.clone();
    let columns = gathered.xs.iter_mut().chain(&mut gathered.ys);
    columns.for_each(|value| *value /= 4.0);
    assert_eq!(planned_after(&crowd, &gathered), ONCE);
    assert_eq!(planned_after(&gathered, &crowd), ONCE);
}

/// One that spreads soon has many small leaves; one that gathers is found as fast by its old plan for longer.
#[test]
fn crowds_that_spread_are_planned_for_sooner_than_those_that_gather() {
    let crowd = uniform(ROWS, 4.0, 1);
    let spread = |by: f32| {
        let mut spread = crowd.clone();
        let columns = spread.xs.iter_mut().chain(&mut spread.ys);
        columns.for_each(|value| *value *= by);
        spread
    };
    assert_eq!(planned_after(&crowd, &spread(1.1)), NEVER);
    assert_eq!(planned_after(&crowd, &spread(1.6)), ONCE);
    assert_eq!(planned_after(&crowd, &spread(1.0 / 1.6)), NEVER);
}

/// Each row outside the range of cells is compared with every other at its height, so only a few are tolerated.
#[test]
fn many_rows_outside_are_planned_for() {
    let crowd = uniform(ROWS, 4.0, 1);
    assert_eq!(planned_after(&crowd, &with_rows_outside(&crowd, 60)), NEVER);
    let army = with_rows_outside(&crowd, 70);
    let mut grid = build(&crowd, SimdLevel::detect(), &Serial);
    assert_eq!(rebuild(&mut grid, &army).outside, 70);
    assert_eq!(planned_after(&crowd, &army)[..2], [false, true]);
}
