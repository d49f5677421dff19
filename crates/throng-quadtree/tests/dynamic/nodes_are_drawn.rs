//! A walk over the nodes shows squares within squares, and counts everything in them.

use crate::common::{build, configs, scenes};
use throng_core::Aabb;
use throng_quadtree::{Quadtree, QuadtreeConfig};
use throng_scenes::log_uniform_boxes;

#[test]
fn squares_lie_within_squares() {
    for scene in scenes(500, 50) {
        for (config_name, config) in configs() {
            let name = format!("{}, {config_name}", scene.name);
            let (mut tree, _) = build(config, &scene);
            tree.clean_up();
            let mut parents: Vec<Aabb> = Vec::new();
            let (mut nodes, mut leaves, mut elements) = (0, 0, 0);
            tree.visit_nodes(|node| {
                assert!(node.depth <= config.max_depth, "{name}");
                parents.truncate(node.depth as usize);
                assert_eq!(
                    parents.len(),
                    node.depth as usize,
                    "{name}: parents come first"
                );
                if let Some(parent) = parents.last() {
                    let width = |aabb: &Aabb| aabb.max()[0] - aabb.min()[0];
                    assert!(parent.contains(&node.bounds), "{name}");
                    assert_eq!(width(parent), 2.0 * width(&node.bounds), "{name}");
                    assert!(width(&node.bounds) >= config.min_node_size, "{name}");
                }
                parents.push(node.bounds);
                nodes += 1;
                leaves += usize::from(node.is_leaf);
                elements += node.elements;
            });
            assert_eq!(
                (nodes, leaves),
                (tree.nodes(), (3 * nodes + 1) / 4),
                "{name}"
            );
            assert!(elements >= tree.len(), "{name}");
        }
    }
}

#[test]
fn leaves_are_where_the_elements_are() {
    let scene = log_uniform_boxes(5000, [1.0, 2.0], 1.0, 51);
    let (tree, _) = build(QuadtreeConfig::new().split_above(16), &scene);
    let mut held = 0;
    tree.visit_nodes(|node| {
        // Small boxes are only in leaves, and each box that touches a leaf's square is listed there.
        if node.is_leaf {
            let upper = node.bounds.max().map(f32::next_down);
            let inside = Aabb::new(node.bounds.min(), upper).unwrap();
            assert_eq!(tree.find_in_aabb(&inside).len(), node.elements);
            held += node.elements;
        }
    });
    assert!((5000..10_000).contains(&held), "{held}");
}

#[test]
fn an_empty_tree_is_one_leaf() {
    let tree: Quadtree<()> = Quadtree::new(QuadtreeConfig::new()).unwrap();
    let mut nodes = Vec::new();
    tree.visit_nodes(|node| nodes.push((node.depth, node.elements, node.is_leaf)));
    assert_eq!(nodes, [(0, 0, true)]);
    assert!(tree.find_pairs().is_empty());
    assert!(tree.find_in_aabb(&Aabb::EVERYWHERE).is_empty());
}
