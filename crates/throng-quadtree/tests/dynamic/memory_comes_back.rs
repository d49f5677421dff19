//! Memory per element is bounded, whatever its size and wherever it is, and is freed when elements go.

use crate::common::{build, configs, scenes, validate};
use throng_core::Aabb;
use throng_quadtree::{Quadtree, QuadtreeConfig};
use throng_scenes::{BoxScene, box_towns, log_uniform_boxes, step_box_motion};

fn at(scene: &BoxScene, row: usize) -> Aabb {
    scene.aabb(row).expect("all are boxes")
}

#[test]
fn memory_depends_on_elements_and_not_on_places_or_sizes() {
    for scene in scenes(4000, 40) {
        let (mut tree, _) = build(QuadtreeConfig::new(), &scene);
        tree.clean_up();
        let memory = tree.memory();
        let parts = memory.elements + memory.nodes + memory.lists + memory.scratch;
        assert_eq!(memory.total(), parts);
        let per_element = memory.total() / tree.len().max(100);
        assert!(per_element < 400, "{}: {memory}", scene.name);
    }
}

/// Everything in, everything out, again and again.
#[test]
fn churn_leaves_nothing_behind() {
    const ROWS: usize = 10_000;
    let scene = log_uniform_boxes(ROWS + 5, [1.0, 90.0], 1.0, 41);
    for (name, config) in configs() {
        let mut tree = Quadtree::new(config).unwrap();
        let (mut nodes, mut bytes) = (Vec::new(), Vec::new());
        for round in 0..4 {
            let ids: Vec<_> = (0..ROWS)
                .map(|row| tree.insert(at(&scene, row + round), row).unwrap())
                .collect();
            tree.clean_up();
            nodes.push(tree.nodes());
            bytes.push(tree.memory().nodes + tree.memory().lists);
            for (row, &id) in ids.iter().enumerate().rev() {
                tree.set_aabb(id, at(&scene, row + round + 1)).unwrap();
                tree.remove(id).unwrap();
            }
            tree.clean_up();
            validate(&tree, name);
            assert_eq!((tree.len(), tree.nodes()), (0, 1), "{name}");
            let left = tree.memory();
            let least = left.nodes + left.lists + left.scratch;
            assert!(least < 4096, "{name}: {left}");
        }
        let most = |counts: &[usize]| counts.iter().copied().max().unwrap_or(0);
        assert!(
            most(&nodes) <= nodes[0] + nodes[0] / 8,
            "{name}: {nodes:?} nodes"
        );
        assert!(
            most(&bytes) <= bytes[0] + bytes[0] / 2,
            "{name}: {bytes:?} bytes"
        );
    }
}

/// A crowd that walks around for many frames, gathers in one place and spreads out again.
#[test]
fn a_crowd_that_moves_does_not_grow() {
    let mut scene = box_towns(5000, 2000.0, 42);
    let (mut tree, ids) = build(QuadtreeConfig::new().split_above(8), &scene);
    tree.clean_up();
    let (nodes, bytes) = (tree.nodes(), tree.memory().total());
    for frame in 0..60 {
        step_box_motion(&mut scene, 3.0, frame);
        for (row, id) in ids.iter().enumerate() {
            let aabb = at(&scene, row);
            let gathered = match frame {
                20..40 => Aabb::from_center(aabb.center().map(|v| v / 1e4), [0.1; 2]).unwrap(),
                _ => aabb,
            };
            tree.set_aabb(id.unwrap(), gathered).unwrap();
        }
        tree.clean_up();
        validate(&tree, "crowd");
        let few = tree.nodes() <= 2 * nodes && tree.memory().total() <= 2 * bytes;
        assert!(
            few,
            "frame {frame}: {} nodes, {}",
            tree.nodes(),
            tree.memory()
        );
    }
}

#[test]
fn a_cleared_tree_is_as_good_as_new() {
    let scene = log_uniform_boxes(3000, [1.0, 90.0], 1.0, 43);
    let (mut tree, ids) = build(QuadtreeConfig::new(), &scene);
    let full = tree.memory();
    tree.clear();
    assert_eq!((tree.len(), tree.nodes()), (0, 1));
    assert!(ids.iter().flatten().all(|&id| !tree.contains(id)));
    tree.clean_up();
    validate(&tree, "cleared");
    let left = tree.memory();
    assert!(
        left.nodes + left.lists < (full.nodes + full.lists) / 50,
        "{left}"
    );
    for row in 0..scene.len() {
        tree.insert(at(&scene, row), row as u32).unwrap();
    }
    validate(&tree, "filled again");
    assert_eq!(tree.len(), scene.len());
}
