//! What an uneven crowd costs is known without a clock: leaves with few rows, and comparisons. Bounds are a fifth above what
//! was counted.

use crate::common::build;
use throng_core::{Arena, Serial, SimdLevel};
use throng_scenes::{
    Line, Scene, blobs, coincident_groups, gaussian_clusters, on_a_line, towns_in_a_wide_world,
    uniform,
};

/// Rows in a leaf, and comparisons for each row, on average.
fn rows_and_comparisons(scene: &Scene) -> [f64; 2] {
    let grid = build(scene, SimdLevel::detect(), &Serial);
    let mut arena = Arena::new();
    let compared: u64 = (0..grid.chunks())
        .map(|chunk| {
            let stats = grid.pairs_in_chunk(chunk, None, &mut arena, &mut |_| {});
            stats.candidates
        })
        .sum();
    let rows = grid.len() as f64;
    [rows / grid.leaves() as f64, compared as f64 / rows]
}

/// A scene at 2,000 and at 50,000 rows, each with at least how many rows are in a leaf and at most how many comparisons a
/// row takes.
type Expected = (fn(usize) -> Scene, [[f64; 2]; 2]);

const EXPECTED: [Expected; 8] = [
    (|n| uniform(n, 1.0, 1), [[139.0, 13.8], [434.0, 13.7]]),
    (|n| uniform(n, 4.0, 1), [[139.0, 24.0], [386.0, 26.9]]),
    (
        |n| towns_in_a_wide_world(n, 1e6, 1),
        [[61.0, 23.7], [143.0, 14.9]],
    ),
    (|n| blobs(n, 1.0, 1), [[166.0, 29.2], [232.0, 34.5]]),
    (
        |n| gaussian_clusters(n, 20, 1),
        [[98.0, 21.0], [95.0, 13.7]],
    ),
    (
        |n| coincident_groups(n, 25, 1),
        [[139.0, 33.9], [183.0, 39.6]],
    ),
    (
        |n| on_a_line(n, Line::Diagonal, 1),
        [[416.0, 6.3], [548.0, 6.3]],
    ),
    (
        |n| on_a_line(n, Line::Column, 1),
        [[75.0, 68.1], [77.0, 66.8]],
    ),
];

#[test]
fn leaves_are_full_and_comparisons_few() {
    for (scene, expected) in EXPECTED {
        for (n, [least, most]) in [2_000, 50_000].into_iter().zip(expected) {
            let scene = scene(n);
            let [rows, compared] = rows_and_comparisons(&scene);
            let said = format!(
                "{n}, {}: {rows:.1} rows in a leaf, {compared:.1} comparisons",
                scene.name
            );
            assert!(rows >= least && compared <= most, "{said}");
        }
    }
}

/// Whoever asks about a place looks at the whole height of a strip: at this many rows, if the place is as wide as rows are
/// apart.
#[test]
fn strips_of_sparse_crowds_are_low() {
    for (pairs, most) in [(0.1, 9.0), (0.001, 20.0), (0.000_01, 150.0)] {
        let scene = uniform(50_000, pairs, 1);
        let extent = |of: &[f32]| {
            let ends = |ends: [f32; 2], &v: &f32| [ends[0].min(v), ends[1].max(v)];
            let [low, high] = of.iter().fold([f32::MAX, f32::MIN], ends);
            high - low
        };
        let area_of_a_row = extent(&scene.xs) * extent(&scene.ys) / scene.len() as f32;
        let [_, height] = build(&scene, SimdLevel::detect(), &Serial).cell_size();
        let seen = height / area_of_a_row.sqrt();
        assert!(seen < most, "{pairs}: {seen} rows");
    }
}

/// Points without a size have no width that columns could be measured by.
#[test]
fn columns_of_points_on_a_vertical_line_are_narrow() {
    let mut line = uniform(2_000, 1.0, 1);
    line.half = [0.0; 2];
    line.xs.fill(3.0);
    let grid = build(&line, SimdLevel::detect(), &Serial);
    assert!(grid.cell_size()[0] < 1.0, "{:?}", grid.cell_size());
}
