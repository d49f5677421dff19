//! Every row that a window touches, once, and no other: by query and by gathering. Bounds and nodes contain them.

use crate::common::{build, configs, query};
use crate::scenes::scenes;
use throng_core::{Aabb, Arena, BoxRun, BoxSource, Serial, SimdLevel};
use throng_quadtree::{PackedConfig, PackedQuadtree};
use throng_scenes::{rows_in_box, sorted, windows};

#[test]
fn windows_of_adversarial_scenes() {
    for scene in scenes(500, 10) {
        let all = configs().map(|config| (config, build(&scene, config, &Serial)));
        for window in windows(&scene, 29) {
            let expected = rows_in_box(&scene, &window);
            for (config, tree) in &all {
                let name = format!("{config:?}, {}: {window}", scene.name);
                let found = query(tree, &window, usize::MAX);
                let exact = found
                    .iter()
                    .all(|&(row, aabb)| scene.aabb(row as usize) == Some(aabb));
                assert!(exact, "{name}: boxes as they were given");
                let rows = found.iter().map(|(row, _)| *row).collect();
                assert_eq!(sorted(rows), expected, "{name}");
                // A visitor that breaks is not called again.
                for most in [1, 3].into_iter().filter(|&most| most <= found.len()) {
                    let some = query(tree, &window, most);
                    assert!(some == found[..most], "{name}: {most} rows");
                }
            }
        }
    }
}

/// What gathering appends, as a query would visit it.
fn gathered(tree: &PackedQuadtree, window: &Aabb) -> Vec<(u32, Aabb)> {
    let arena = Arena::new();
    let mut run = BoxRun::with_capacity(&arena, 0, false);
    tree.gather(window, &arena, &mut run);
    let boxes = (0..run.len()).map(|k| {
        let [min, max] = run.corners(k);
        (run.rows()[k], Aabb::new(min, max).unwrap())
    });
    boxes.collect()
}

#[test]
fn every_instruction_set_finds_the_same_in_the_same_order() {
    for scene in scenes(300, 11) {
        let windows = windows(&scene, 29);
        for config in configs() {
            let scalar = build(&scene, config.simd(SimdLevel::Scalar), &Serial);
            for &level in SimdLevel::available() {
                let tree = build(&scene, config.simd(level), &Serial);
                for window in &windows {
                    let name = format!("{}, {config:?}, {level}: {window}", scene.name);
                    let expected = query(&scalar, window, usize::MAX);
                    assert!(query(&tree, window, usize::MAX) == expected, "{name}");
                    assert!(gathered(&tree, window) == expected, "{name}: gathered");
                }
            }
        }
    }
}

#[test]
fn bounds_and_nodes_hold_everything() {
    for scene in scenes(300, 12) {
        let held = (0..scene.len()).filter_map(|row| scene.aabb(row));
        let around = held.reduce(|all, aabb| all.union(&aabb));
        let tree = build(&scene, PackedConfig::new(), &Serial);
        assert_eq!(tree.bounds(), around, "{}", scene.name);
        assert_eq!(tree.is_empty(), around.is_none(), "{}", scene.name);
        let mut rows = 0;
        tree.visit_nodes(|node| {
            rows += node.rows;
            assert!(node.depth <= tree.depth(), "{}", scene.name);
            let inside = around.is_some_and(|all| all.contains(&node.bounds));
            assert!(inside, "{}", scene.name);
        });
        assert_eq!(rows, tree.len(), "{}", scene.name);
    }
}

#[test]
fn parts_hold_every_box_and_are_no_more_than_asked_for() {
    for scene in scenes(700, 13) {
        let tree = build(&scene, PackedConfig::new(), &Serial);
        let mut boxes = Vec::new();
        tree.for_each_box(|_, aabb| boxes.push(aabb));
        for most in [0, 1, 2, 15, 40, 150, 699, 700] {
            let mut parts = Vec::new();
            tree.for_each_part(most, |part| parts.push(part));
            let name = format!("{}, {most}", scene.name);
            assert!(parts.len() <= most.max(1), "{name}");
            if tree.len() <= most {
                assert_eq!(parts, boxes, "{name}");
            }
            let is_held = |aabb| parts.iter().any(|part| part.contains(aabb));
            assert!(boxes.iter().all(is_held), "{name}");
            let around = parts.into_iter().reduce(|all, part| all.union(&part));
            assert_eq!(around, tree.bounds(), "{name}");
        }
        // Sixteen boxes each, so that those that are far apart are in parts of their own.
        let mut parts = 0;
        tree.for_each_part(tree.len().saturating_sub(1), |_| parts += 1);
        assert!(parts >= tree.len().div_ceil(16).min(2), "{}", scene.name);
    }
}
