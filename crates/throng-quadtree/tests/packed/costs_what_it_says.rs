//! Bytes are bounded, depth is bounded, and a few giants do not slow everyone down.

use crate::common::build;
use crate::scenes::scenes;
use std::ops::ControlFlow;
use throng_core::{Aabb, Serial};
use throng_quadtree::{PackedConfig, PackedQuadtree};
use throng_scenes::{BoxScene, log_uniform_boxes};

#[test]
fn bytes_per_box() {
    let scene = log_uniform_boxes(20_000, [1.0, 100.0], 1.0, 70);
    let tree = build(&scene, PackedConfig::new(), &Serial);
    assert!(
        tree.memory_bytes() < 22 * 20_000,
        "{} bytes",
        tree.memory_bytes()
    );
    assert_eq!(tree.memory_bytes(), tree.as_bytes().len());
}

#[test]
fn every_leaf_but_one_is_full() {
    for scene in scenes(700, 71) {
        for leaf_size in [1, 7, 16] {
            let tree = build(&scene, PackedConfig::new().leaf_size(leaf_size), &Serial);
            assert_eq!(
                tree.leaves(),
                tree.len().div_ceil(leaf_size),
                "{}",
                scene.name
            );
            let flat = build(
                &scene,
                PackedConfig::new().leaf_size(leaf_size).max_depth(1),
                &Serial,
            );
            assert!(flat.depth() <= 1 && tree.depth() <= 3, "{}", scene.name);
        }
    }
}

/// How many nodes' and leaves' bounds contain a point, on average over a lattice of points.
fn blocks_at_points(tree: &PackedQuadtree, width: f32) -> f64 {
    let mut blocks = Vec::new();
    tree.visit_nodes(|node| blocks.push(node.bounds));
    let mut held = 0;
    for k in 0..400 {
        let point = [(k % 20) as f32, (k / 20) as f32].map(|v| (v + 0.5) * width / 20.0);
        held += blocks
            .iter()
            .filter(|bounds| bounds.contains_point(point))
            .count();
    }
    held as f64 / 400.0
}

/// Some giants among many small boxes: castles that cover a quarter of the world, walls through half of it.
#[test]
fn giants_widen_few_blocks() {
    const WIDTH: f32 = 2000.0;
    let small = (0..20_000).map(|k| {
        let [x, y] = [k % 200, k / 200].map(|v| v as f32);
        Aabb::from_center([10.0 * x, 20.0 * y], [2.0, 3.0]).unwrap()
    });
    let half = WIDTH / 4.0;
    let castles = (0..64).map(|k| (k, [half, half]));
    let walls = (0..600).map(|k| (k, if k % 2 == 0 { [half, 0.5] } else { [0.5, half] }));
    let put = |(k, half_extents): (i32, [f32; 2])| {
        let place = [k * 377 % 1999, k * 911 % 1997].map(|v| v as f32);
        Aabb::from_center(place, half_extents).unwrap()
    };
    let built = |boxes: Vec<Aabb>| {
        let tree = build(
            &BoxScene::new("giants", boxes),
            PackedConfig::new(),
            &Serial,
        );
        blocks_at_points(&tree, WIDTH)
    };
    let without = built(small.clone().collect());
    let with_castles = built(small.clone().chain(castles.map(put)).collect());
    let with_walls = built(small.chain(walls.map(put)).collect());
    // Sorted by position alone, they would add 23 and 19.
    assert!(
        with_castles < without + 10.0,
        "{without} without, {with_castles} with castles"
    );
    assert!(
        with_walls < without + 13.0,
        "{without} without, {with_walls} with walls"
    );
}

#[test]
fn any_number_of_coincident_boxes() {
    let unit = Aabb::new([1.0; 2], [2.0; 2]).unwrap();
    let scene = BoxScene::new("coincident", std::iter::repeat_n(unit, 5000));
    let tree = build(&scene, PackedConfig::new(), &Serial);
    let mut found = 0;
    let every: ControlFlow<()> = tree.query_aabb(&unit, |_, aabb| {
        found += usize::from(aabb == unit);
        ControlFlow::Continue(())
    });
    assert!(every.is_continue() && found == 5000);
}

/// Boxes within boxes, each a fraction of the size of the one around it, so that at every scale a few are giants. A
/// build may halve them, but its recursion must not be as deep as there are boxes.
#[test]
fn boxes_within_boxes_need_no_deep_stack() {
    for shrink in [0.5_f32, 0.99, 0.9999] {
        let nested = (0..30_000).map(move |k| {
            let scale = (1e9 * shrink.powi(k)).max(1e-9);
            let place = [k * 377 % 1999, k * 911 % 1997].map(|v| scale * (v as f32 / 1000.0 - 1.0));
            Aabb::from_center(place, [0.3 * scale, 0.01 * scale]).unwrap()
        });
        let scene = BoxScene::new("boxes within boxes", nested);
        let run = move || {
            for max_depth in [0, 7] {
                let config = PackedConfig::new().max_depth(max_depth);
                assert_eq!(build(&scene, config, &Serial).len(), 30_000);
            }
        };
        let thread = std::thread::Builder::new().stack_size(128 << 10);
        thread.spawn(run).unwrap().join().unwrap();
    }
}
