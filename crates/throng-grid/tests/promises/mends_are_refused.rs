//! A mend that cannot be done leaves an empty grid, which says that it has to be built; bad columns leave it as it was.

use throng_core::{Serial, SimdLevel};
use throng_grid::{GridConfig, GridError, MovedRow, PointGrid, Points, RowClasses};
use throng_scenes::{Scene, uniform};

const ROWS: usize = 4000;

fn built(scene: &Scene) -> PointGrid {
    built_by(scene, SimdLevel::detect())
}

fn built_by(scene: &Scene, level: SimdLevel) -> PointGrid {
    let mut grid = PointGrid::new(GridConfig::new(scene.half).simd(level)).unwrap();
    grid.build(Points::new(&scene.xs, &scene.ys), &Serial)
        .unwrap();
    grid
}

fn listed(scene: &Scene, row: usize) -> MovedRow {
    MovedRow {
        row: row as u32,
        from: Some([scene.xs[row], scene.ys[row]]),
    }
}

/// Checks that a mend is refused, that the next one is too, and that a build sets everything right.
fn refused(
    mut grid: PointGrid,
    points: Points<'_>,
    classes: Option<RowClasses<'_>>,
    moved: &[MovedRow],
) {
    for moved in [moved, &[]] {
        assert_eq!(grid.mend(points, classes.clone(), moved), Ok(false));
        assert_eq!((grid.len(), grid.leaves(), grid.chunks()), (0, 0, 0));
        assert_eq!(grid.validate(), Ok(()));
    }
    grid.build(points, &Serial).unwrap();
    assert_eq!(grid.mend(points, None, &[]), Ok(true));
    assert_eq!((grid.len(), grid.validate()), (points.xs.len(), Ok(())));
}

#[test]
fn without_an_index() {
    let scene = uniform(ROWS, 1.0, 1);
    let points = Points::new(&scene.xs, &scene.ys);
    refused(
        PointGrid::new(GridConfig::new(scene.half)).unwrap(),
        points,
        None,
        &[],
    );
    let mut cleared = built(&scene);
    cleared.clear();
    refused(cleared, points, None, &[]);
}

#[test]
fn rows_that_are_not_where_they_are_said_to_be() {
    let scene = uniform(ROWS, 1.0, 1);
    let points = Points::new(&scene.xs, &scene.ys);
    let right = listed(&scene, 7);
    let from = right.from.unwrap();
    let elsewhere = [
        [from[0], from[1].next_up()],
        [from[0].next_up(), from[1]],
        [from[0] + 1.0, from[1] + 1.0],
        [1e30, from[1]],
        [from[0], -1e30],
        [f32::NAN, from[1]],
        [f32::INFINITY; 2],
    ];
    for from in elsewhere {
        refused(
            built(&scene),
            points,
            None,
            &[MovedRow {
                row: 7,
                from: Some(from),
            }],
        );
    }
    for row in [8, ROWS as u32, u32::MAX] {
        refused(built(&scene), points, None, &[MovedRow { row, ..right }]);
    }
}

#[test]
fn rows_that_are_listed_twice() {
    let before = uniform(ROWS, 1.0, 1);
    let mut after = before.clone();
    (after.xs[7], after.ys[7]) = (before.xs[9] + 0.1, before.ys[9]);
    let twice = [listed(&before, 7); 2];
    refused(
        built(&before),
        Points::new(&after.xs, &after.ys),
        None,
        &twice,
    );
}

#[test]
fn too_many_at_once() {
    let before = uniform(ROWS, 1.0, 1);
    let mut after = before.clone();
    after.xs.iter_mut().for_each(|x| *x += 0.01);
    let all: Vec<_> = (0..ROWS).map(|row| listed(&before, row)).collect();
    refused(
        built(&before),
        Points::new(&after.xs, &after.ys),
        None,
        &all,
    );
    // As many as may move a little may not come into other leaves.
    let some = &all[..ROWS / 16];
    let mut half = before.clone();
    half.xs[..some.len()].copy_from_slice(&after.xs[..some.len()]);
    let mut grid = built(&before);
    assert_eq!(
        grid.mend(Points::new(&half.xs, &half.ys), None, some),
        Ok(true)
    );
    for row in 0..some.len() {
        half.ys[row] = -before.ys[row];
    }
    refused(built(&before), Points::new(&half.xs, &half.ys), None, some);
}

/// When half of the rows have come into other leaves, it is time for a build, and memory is a few times what it was at most.
#[test]
fn too_many_one_after_the_other() {
    let mut scene = uniform(ROWS, 1.0, 1);
    let mut grid = built(&scene);
    let before = grid.memory().records;
    let mut crossed = 0;
    for mend in 0.. {
        let rows: Vec<usize> = (0..20).map(|k| (mend * 20 + k) * 7919 % ROWS).collect();
        let moved: Vec<_> = rows.iter().map(|&row| listed(&scene, row)).collect();
        for row in rows {
            (scene.xs[row], scene.ys[row]) = (scene.ys[row], scene.xs[row]);
        }
        if !grid
            .mend(Points::new(&scene.xs, &scene.ys), None, &moved)
            .unwrap()
        {
            break;
        }
        grid.validate().unwrap();
        crossed += 20;
        assert!(crossed <= ROWS, "{crossed}");
        assert!(grid.memory().records < 4 * before);
    }
    assert!(crossed > ROWS / 3, "{crossed}");
}

#[test]
fn other_records_than_the_build_made() {
    let scene = uniform(ROWS, 1.0, 1);
    let own = vec![scene.half; ROWS];
    let points = Points::new(&scene.xs, &scene.ys);
    let exact = points.with_half_extents(&own);
    refused(built(&scene), exact, None, &[]);
    let mut grid = built(&scene);
    grid.build(exact, &Serial).unwrap();
    refused(grid, points, None, &[]);
    let of_rows = vec![5; ROWS];
    let classes = |in_use| RowClasses {
        of_rows: &of_rows,
        in_use,
    };
    // Portable code stores no classes, and refuses what others refuse.
    for &level in SimdLevel::available() {
        refused(built_by(&scene, level), points, Some(classes(5..6)), &[]);
        let classed = || {
            let mut grid = built_by(&scene, level);
            grid.build_with_classes(points, classes(5..6), &Serial)
                .unwrap();
            grid
        };
        refused(classed(), points, None, &[]);
        refused(classed(), points, Some(classes(4..6)), &[]);
        refused(classed(), points, Some(classes(5..99)), &[]);
        assert_eq!(classed().mend(points, Some(classes(5..9)), &[]), Ok(true));
    }
}

#[test]
fn columns_of_different_lengths() {
    let scene = uniform(ROWS, 1.0, 1);
    let mut grid = built(&scene);
    let short = Points::new(&scene.xs, &scene.ys[1..]);
    let error = grid.mend(short, None, &[]).unwrap_err();
    assert!(matches!(error, GridError::Lengths { .. }), "{error}");
    let points = Points::new(&scene.xs, &scene.ys);
    let classes = RowClasses {
        of_rows: &[1],
        in_use: 0..2,
    };
    let error = grid.mend(points, Some(classes), &[]).unwrap_err();
    assert_eq!(
        error,
        GridError::Classes {
            rows: ROWS,
            classes: 1
        }
    );
    assert_eq!(grid.len(), ROWS);
    assert_eq!(grid.mend(points, None, &[]), Ok(true));
}
