//! Invalid rows are left out and counted; other bad input is refused with a reason.

use crate::common::{build, rows_of};
use crate::scenes::scenes;
use fixedbitset::FixedBitSet;
use std::ops::ControlFlow;
use throng_core::{Aabb, Boxes, NearestQuery, Serial, ShapeError, SimdLevel, SimdUnavailable};
use throng_quadtree::{MOST_PACKED_ROWS, PackedConfig, PackedError, PackedQuadtree};
use throng_scenes::{log_uniform_boxes, sorted};

fn refused(boxes: Boxes<'_>, config: PackedConfig) -> PackedError {
    PackedQuadtree::build(boxes, config, &Serial).unwrap_err()
}

#[test]
fn counts_out_of_range_are_refused() {
    let scene = log_uniform_boxes(10, [1.0, 2.0], 1.0, 1);
    let said = |config| refused(scene.boxes(), config).to_string();
    let config = PackedConfig::new();
    assert!(said(config.leaf_size(0)).contains("1 to 16"));
    assert!(said(config.leaf_size(17)).contains("17"));
    assert!(said(config.max_depth(8)).contains("0 to 7"));
}

#[test]
fn levels_that_are_not_there_are_refused() {
    let scene = log_uniform_boxes(10, [1.0, 2.0], 1.0, 1);
    for level in SimdLevel::ALL
        .into_iter()
        .filter(|level| !level.is_available())
    {
        let expected = PackedError::Simd(SimdUnavailable {
            given: level,
            best: SimdLevel::detect(),
        });
        assert_eq!(
            refused(scene.boxes(), PackedConfig::new().simd(level)),
            expected
        );
        let tree = build(&scene, PackedConfig::new(), &Serial);
        assert_eq!(tree.simd(level).unwrap_err(), expected);
    }
}

/// One column serves as all four, in memory that is never touched: rows are counted before they are read.
#[test]
fn too_many_rows_are_refused() {
    let column = vec![0.0_f32; MOST_PACKED_ROWS + 1];
    let too_many = Boxes::new([&column; 2], [&column; 2]).unwrap();
    let given = MOST_PACKED_ROWS + 1;
    assert_eq!(
        refused(too_many, PackedConfig::new()),
        PackedError::TooManyRows { given }
    );
}

#[test]
fn absent_rows_are_not_there() {
    for scene in scenes(300, 60) {
        let rows = scene.len().saturating_sub(30);
        let mut absent = FixedBitSet::with_capacity(rows);
        absent.extend((0..rows).filter(|row| row % 3 == 0 || (100..160).contains(row)));
        let rest = scene.without(absent.ones());
        let held = (0..scene.len() as u32).filter(|&row| rest.aabb(row as usize).is_some());
        let held: Vec<u32> = held.collect();
        let present = scene.boxes().without(&absent);
        let tree = PackedQuadtree::build(present, PackedConfig::new(), &Serial).unwrap();
        tree.validate().unwrap();
        assert_eq!(
            rows_of(|visit| tree.query_aabb(&Aabb::EVERYWHERE, visit)),
            held,
            "{}",
            scene.name
        );
        let unsound =
            (0..scene.len()).filter(|&row| !absent.contains(row) && scene.aabb(row).is_none());
        assert_eq!(tree.rejected(), unsound.count(), "{}", scene.name);
    }
}

#[test]
fn rows_that_are_no_boxes_are_counted() {
    let scene = log_uniform_boxes(300, [1.0, 20.0], 2.0, 61).spoiled();
    let tree = build(&scene, PackedConfig::new(), &Serial);
    let mut held = Vec::new();
    tree.for_each_box(|row, aabb| {
        assert_eq!(scene.aabb(row as usize), Some(aabb));
        held.push(row);
    });
    let boxes: Vec<u32> = (0..300).filter(|row| row % 9 >= 5).collect();
    assert_eq!(sorted(held), boxes);
    assert_eq!(tree.rejected(), 300 - boxes.len());
}

#[test]
fn searches_that_make_no_sense_are_refused() {
    let tree = build(
        &log_uniform_boxes(50, [1.0, 20.0], 2.0, 62),
        PackedConfig::new(),
        &Serial,
    );
    let nowhere = [0.0, f32::NAN];
    let go_on = |_: u32, _: Aabb| ControlFlow::<()>::Continue(());
    let not_a_number = |error| matches!(error, ShapeError::NotANumber { .. });
    assert!(not_a_number(tree.query_point(nowhere, go_on).unwrap_err()));
    assert!(not_a_number(
        tree.query_circle(nowhere, 1.0, go_on).unwrap_err()
    ));
    for radius in [-1.0, f32::NAN] {
        let error = tree.query_circle([0.0; 2], radius, go_on).unwrap_err();
        assert!(matches!(error, ShapeError::Reach { .. }), "{error}");
    }
    let mut nearest = Vec::new();
    let query = |point, max_distance| NearestQuery {
        point,
        k: 1,
        max_distance,
    };
    tree.find_nearest(query([0.0; 2], f32::INFINITY), &mut nearest)
        .unwrap();
    let before = nearest.clone();
    assert!(not_a_number(
        tree.find_nearest(query(nowhere, 1.0), &mut nearest)
            .unwrap_err()
    ));
    let error = tree
        .find_nearest(query([0.0; 2], -1.0), &mut nearest)
        .unwrap_err();
    assert!(matches!(error, ShapeError::Reach { .. }), "{error}");
    assert_eq!(nearest, before);
}
