//! Rows that cannot be indexed are left out and listed; other bad input is refused with a reason.

use fixedbitset::FixedBitSet;
use throng_core::Serial;
use throng_grid::{GridConfig, GridError, PointGrid, Points, RowClasses};
use throng_scenes::uniform;

fn grid() -> PointGrid {
    PointGrid::new(GridConfig::new([0.5, 0.5])).unwrap()
}

fn pairs(grid: &PointGrid) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    grid.for_each_pair(None, |a, b| pairs.push([a, b]));
    pairs.sort_unstable();
    pairs
}

#[test]
fn rows_that_are_not_finite_are_left_out_and_listed() {
    let mut scene = uniform(500, 4.0, 1);
    let bad = [
        (3, f32::NAN),
        (100, f32::INFINITY),
        (101, f32::NEG_INFINITY),
        (499, f32::NAN),
    ];
    let mut expected = throng_scenes::overlapping_pairs(&scene);
    expected.retain(|pair| bad.iter().all(|(row, _)| !pair.contains(row)));
    for (k, (row, value)) in bad.into_iter().enumerate() {
        let column = if k % 2 == 0 {
            &mut scene.xs
        } else {
            &mut scene.ys
        };
        column[row as usize] = value;
    }
    let mut grid = grid();
    let report = grid
        .build(Points::new(&scene.xs, &scene.ys), &Serial)
        .unwrap();
    assert_eq!((report.rows, report.rejected), (496, 4));
    assert_eq!(grid.rejected_rows(), bad.map(|(row, _)| row));
    assert_eq!(pairs(&grid), expected);
}

#[test]
fn own_extents_beyond_the_bound_are_left_out_and_listed() {
    let (xs, ys) = ([0.0, 0.1, 0.2, 0.3], [0.0; 4]);
    let own = [[0.5, 0.5], [0.6, 0.1], [-0.1, 0.1], [f32::NAN, 0.1]];
    let mut grid = grid();
    let report = grid
        .build(Points::new(&xs, &ys).with_half_extents(&own), &Serial)
        .unwrap();
    assert_eq!((report.rows, grid.rejected_rows()), (1, &[1, 2, 3][..]));
}

#[test]
fn absent_rows_are_left_out() {
    let scene = uniform(300, 4.0, 2);
    let absent: FixedBitSet = (0..300).step_by(3).collect();
    let mut expected = throng_scenes::overlapping_pairs(&scene);
    expected.retain(|pair| pair.iter().all(|row| row % 3 != 0));
    let mut grid = grid();
    let report = grid
        .build(Points::new(&scene.xs, &scene.ys).without(&absent), &Serial)
        .unwrap();
    assert_eq!((report.rows, report.rejected), (200, 0));
    assert_eq!(pairs(&grid), expected);
}

#[test]
fn a_refused_build_leaves_the_last_one() {
    let mut grid = grid();
    grid.build(Points::new(&[0.0, 0.5], &[0.0, 0.5]), &Serial)
        .unwrap();
    let error = grid
        .build(Points::new(&[0.0], &[0.0, 1.0]), &Serial)
        .unwrap_err();
    assert_eq!(
        error,
        GridError::Lengths {
            xs: 1,
            ys: 2,
            half_extents: None,
        }
    );
    assert!(error.to_string().contains("1 xs, 2 ys"), "{error}");
    let classes = RowClasses {
        of_rows: &[7],
        in_use: 7..8,
    };
    let error = grid
        .build_with_classes(Points::new(&[0.0; 2], &[0.0; 2]), classes, &Serial)
        .unwrap_err();
    assert!(error.to_string().contains("1 for 2 rows"), "{error}");
    assert_eq!(pairs(&grid), [[0, 1]]);
}

#[test]
fn bounds_that_make_no_sense_are_refused() {
    for bound in [[f32::NAN, 1.0], [1.0, f32::INFINITY], [-1.0, 1.0]] {
        let error = PointGrid::new(GridConfig::new(bound)).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("must be finite and not negative"),
            "{error}"
        );
    }
}

#[test]
fn memory_follows_the_rows_and_not_the_area() {
    let mut grid = grid();
    for width in [1e3, 1e6, 1e12] {
        let scene = throng_scenes::towns_in_a_wide_world(20_000, width, 3);
        grid.build(Points::new(&scene.xs, &scene.ys), &Serial)
            .unwrap();
        grid.build(Points::new(&scene.xs, &scene.ys), &Serial)
            .unwrap();
        let per_row = grid.memory().total() as f64 / 20_000.0;
        assert!(
            per_row < 64.0,
            "{per_row} bytes per row in a world {width} wide"
        );
    }
}
