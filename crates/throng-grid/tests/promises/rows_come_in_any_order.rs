//! Rows that are in the order of leaves already take another way through a build, to the same index.

use crate::common::{build, pairs, rebuild};
use throng_core::{Serial, SimdLevel};
use throng_scenes::{Scene, Threads, overlapping_pairs_sweep, sorted, step_motion, uniform};

/// Rows on a line, from left to right, each of which overlaps the next; coarse, or with sizes of their own.
fn line(rows: usize, exact: bool) -> Scene {
    let centers = (0..rows).map(|row| [row as f32 * 0.7, 0.0]);
    let mut scene = Scene::new(
        format!("a line of {rows}, exact: {exact}"),
        [0.5; 2],
        centers,
    );
    scene.half_extents = exact.then(|| vec![[0.4, 0.3]; rows]);
    scene
}

fn check(scene: &Scene) {
    let expected = overlapping_pairs_sweep(scene);
    let reference = pairs(&build(scene, SimdLevel::Scalar, &Serial), scene, &Serial);
    for &level in SimdLevel::available() {
        for threads in [1, 2, 3] {
            let grid = build(scene, level, &Threads(threads));
            let found = pairs(&grid, scene, &Serial);
            assert!(found == reference, "{}: {level}, {threads}", scene.name);
        }
    }
    assert!(sorted(reference) == expected, "{}", scene.name);
}

#[test]
fn a_line_from_either_end_or_with_rows_out_of_order() {
    // Three parts of rows, and a bucket that two of them share, in the last.
    for rows in [
        0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 1000, 40_000,
    ] {
        for exact in [false, true] {
            let ascending = line(rows, exact);
            check(&ascending);
            let order: Vec<u32> = (0..rows as u32).collect();
            let reordered = |change: fn(&mut Vec<u32>), how: &str| {
                let mut order = order.clone();
                change(&mut order);
                let mut scene = ascending.clone();
                scene.name = format!("{}, {how}", scene.name);
                scene.reorder(&order);
                check(&scene);
            };
            reordered(|order| order.reverse(), "reversed");
            if rows >= 2 {
                reordered(|order| order.swap(0, 1), "an inversion at the beginning");
                let at_end: fn(&mut Vec<u32>) = |order| {
                    let last = order.len() - 1;
                    order.swap(last - 1, last);
                };
                reordered(at_end, "an inversion at the end");
            }
        }
    }
}

#[test]
fn all_in_one_column() {
    for rows in [1, 16, 17, 100, 300] {
        check(&Scene::new(
            format!("{rows} on a spot"),
            [0.5; 2],
            vec![[3.0, 4.0]; rows],
        ));
    }
}

/// As after a sort, and while it wears off.
#[test]
fn rows_sorted_by_leaf_that_begin_to_move() {
    let mut scene = uniform(40_000, 1.0, 5);
    let executor = Threads(2);
    let mut grid = build(&scene, SimdLevel::detect(), &executor);
    let mut order: Vec<u32> = (0..scene.len() as u32).collect();
    let [xs, ys] = [&scene.xs, &scene.ys];
    order.sort_by(|&a, &b| {
        let [a, b] = [a as usize, b as usize];
        let by_strip = grid.strip_of(ys[a]).cmp(&grid.strip_of(ys[b]));
        by_strip.then(xs[a].total_cmp(&xs[b]))
    });
    scene.reorder(&order);
    for frame in 0..4 {
        rebuild(&mut grid, &scene, &executor);
        let found = pairs(&grid, &scene, &executor);
        assert!(
            sorted(found) == overlapping_pairs_sweep(&scene),
            "frame {frame}"
        );
        step_motion(&mut scene, 0.1, frame);
    }
}
