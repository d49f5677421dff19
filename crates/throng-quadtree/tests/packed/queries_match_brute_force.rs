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
