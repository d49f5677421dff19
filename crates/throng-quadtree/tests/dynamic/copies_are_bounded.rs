//! However large a box is and wherever it lies, it is in no more nodes than the config allows; and boxes on one spot
//! end up at the deepest level.

use crate::common::{build, configs, pairs, scenes, validate};
use throng_core::Aabb;
use throng_quadtree::{Quadtree, QuadtreeConfig};
use throng_scenes::equal_boxes;

/// How many entries nodes have in all, counting each element once per node.
fn copies(tree: &Quadtree<u32>) -> usize {
    let mut copies = 0;
    tree.visit_nodes(|node| copies += node.elements);
    copies
}

#[test]
fn an_element_is_in_few_nodes() {
    for scene in scenes(1500, 30) {
        for (config_name, config) in configs() {
            let (mut tree, _) = build(config, &scene);
            for _ in 0..2 {
                let within = tree.len()..=tree.len() * config.max_copies;
                let copies = copies(&tree);
                assert!(
                    within.contains(&copies),
                    "{}, {config_name}: {copies}",
                    scene.name
                );
                tree.clean_up();
            }
        }
    }
}

/// Single giants in a deep tree of small boxes are in no more nodes than allowed.
#[test]
fn giants_among_dwarfs() {
    let config = QuadtreeConfig::new().split_above(1).max_copies(9);
    let mut tree = Quadtree::new(config).unwrap();
    for k in 0..4096_u32 {
        let place = [(k % 64) as f32, (k / 64) as f32];
        tree.insert(Aabb::point(place).unwrap(), k).unwrap();
    }
    let dwarfs = copies(&tree);
    let everywhere = [f32::NEG_INFINITY, -5.0, 0.3, 31.9, 40.0];
    for (k, min) in everywhere.into_iter().enumerate() {
        for max in [41.0, 64.5, 1e9, f32::INFINITY] {
            for flat in [[min, 7.01], [min, min]] {
                let corner = [max, flat[1].max(7.02)];
                let giant = Aabb::new(flat, corner).unwrap();
                let id = tree.insert(giant, 0).unwrap();
                let more = copies(&tree) - dwarfs;
                assert!((1..=9).contains(&more), "{giant} in {more} nodes, {k}");
                tree.remove(id).unwrap();
                assert_eq!(copies(&tree), dwarfs);
            }
        }
    }
    validate(&tree, "giants");
}

#[test]
fn ten_thousand_boxes_on_one_spot() {
    let scene = equal_boxes(10_000, 10_000, 31);
    for size in [0.0, 1.0, 1e-30] {
        for (name, config) in configs() {
            let mut tree = Quadtree::new(config).unwrap();
            let spot = scene.aabb(0).unwrap().center();
            let aabb = Aabb::from_center(spot, [size; 2]).unwrap();
            let ids: Vec<_> = (0..10_000)
                .map(|row| tree.insert(aabb, row).unwrap())
                .collect();
            tree.clean_up();
            validate(&tree, name);
            // Spots in all 64 nodes of a level each have a path of four nodes a level.
            assert!(
                tree.nodes() <= 1 + 4 * 20 * config.max_copies,
                "{name}: {}",
                tree.nodes()
            );
            assert_eq!(tree.find_at_point(spot).unwrap().len(), 10_000, "{name}");
            for id in &ids[3..] {
                tree.remove(*id).unwrap();
            }
            assert_eq!(pairs(&tree), [[0, 1], [0, 2], [1, 2]], "{name}");
        }
    }
}
