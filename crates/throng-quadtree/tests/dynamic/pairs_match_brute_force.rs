//! Every overlapping pair, exactly once, for every scene and config, while everything moves.

use crate::common::{build, configs, pairs, scenes, validate};
use throng_core::{Arena, SimdLevel};
use throng_quadtree::QuadtreeConfig;
use throng_scenes::{overlapping_pairs, resize_some, step_box_motion};

#[test]
fn pairs_of_every_scene() {
    for scene in scenes(400, 1) {
        let expected = overlapping_pairs(&scene.unmasked());
        for (config_name, config) in configs() {
            let name = format!("{}, {config_name}", scene.name);
            let (mut tree, _) = build(config, &scene);
            validate(&tree, &name);
            assert!(pairs(&tree) == expected, "{name}, as inserted");
            tree.clean_up();
            validate(&tree, &name);
            assert!(pairs(&tree) == expected, "{name}, cleaned up");
        }
    }
}

#[test]
fn pairs_while_everything_moves() {
    for scene in scenes(200, 2) {
        for (config_name, config) in configs() {
            let mut scene = scene.unmasked();
            let name = format!("{}, {config_name}", scene.name);
            let (mut tree, ids) = build(config, &scene);
            for frame in 0..4 {
                // Small steps, then leaps.
                step_box_motion(&mut scene, 0.5 * 20_f32.powi(frame), 3 + frame as u64);
                resize_some(&mut scene, 9, 7 + frame as u64);
                for (row, id) in ids.iter().enumerate() {
                    if let (Some(id), Some(aabb)) = (*id, scene.aabb(row)) {
                        tree.set_aabb(id, aabb).unwrap();
                    }
                }
                validate(&tree, &name);
                let expected = overlapping_pairs(&scene);
                assert!(pairs(&tree) == expected, "{name}, frame {frame}");
                tree.clean_up();
                validate(&tree, &name);
                assert!(
                    pairs(&tree) == expected,
                    "{name}, frame {frame}, cleaned up"
                );
            }
        }
    }
}

#[test]
fn pairs_are_the_same_with_every_kernel_and_in_the_same_order() {
    for scene in scenes(400, 4) {
        let mut orders = Vec::new();
        let mut arena = Arena::new();
        for &level in SimdLevel::available() {
            let (tree, _) = build(QuadtreeConfig::new().split_above(5).simd(level), &scene);
            assert_eq!(tree.simd(), level);
            let mut order = Vec::new();
            tree.for_each_pair_in(&mut arena, |a, b| order.push([a.id, b.id]));
            assert_eq!(order, tree.find_pairs(), "{}", scene.name);
            orders.push(order);
        }
        assert!(
            orders.iter().all(|order| *order == orders[0]),
            "{}",
            scene.name
        );
        let expected = overlapping_pairs(&scene.unmasked()).len();
        assert_eq!(orders[0].len(), expected);
    }
}
