//! Trees of scenes, and their answers in rows.

use std::ops::ControlFlow;
use throng_core::Aabb;
use throng_quadtree::{Element, ElementId, Quadtree, QuadtreeConfig};
use throng_scenes::{BoxScene, adversarial, adversarial_boxes, log_uniform_boxes, sorted};

/// All scenes, with boxes of one size and of every size.
pub fn scenes(n: usize, seed: u64) -> Vec<BoxScene> {
    let mut scenes = adversarial_boxes(n, seed);
    scenes.extend(adversarial(n, seed).iter().map(BoxScene::from));
    scenes.push(log_uniform_boxes(n, [1e-3, 1e6], 1.0, seed));
    scenes
}

/// Configs that make small scenes deep, or wide, or badly divided.
pub fn configs() -> Vec<(&'static str, QuadtreeConfig)> {
    let config = QuadtreeConfig::new;
    let small = Aabb::new([-3.0, 10.0], [40.0, 20.0]).unwrap();
    let far = Aabb::new([1e6, -2e6], [1e6 + 500.0, -1.9e6]).unwrap();
    vec![
        ("default", config()),
        ("small leaves", config().split_above(2)),
        (
            "smallest leaves, one node each",
            config().split_above(1).max_copies(1),
        ),
        ("one node each", config().max_copies(1)),
        ("many nodes each", config().split_above(3).max_copies(64)),
        ("shallow", config().split_above(4).max_depth(3)),
        ("wide nodes", config().split_above(4).min_node_size(50.0)),
        ("small region", config().split_above(4).region(small)),
        (
            "region far away",
            config().split_above(4).max_copies(4).region(far),
        ),
    ]
}

/// A tree of the scene's boxes, each with its row as its value, and the ids by row. Rows without a box have none.
pub fn build(config: QuadtreeConfig, scene: &BoxScene) -> (Quadtree<u32>, Vec<Option<ElementId>>) {
    let mut tree = Quadtree::new(config).unwrap();
    let ids = (0..scene.len()).map(|row| {
        let aabb = scene.aabb(row)?;
        Some(tree.insert(aabb, row as u32).unwrap())
    });
    let ids = ids.collect();
    (tree, ids)
}

pub fn validate<T>(tree: &Quadtree<T>, name: &str) {
    if let Err(broken) = tree.validate() {
        panic!("{name}: {broken}");
    }
}

/// The rows that a search visits, in its order. The visitor breaks at `most` rows.
pub fn visited(
    most: usize,
    search: impl FnOnce(&mut dyn FnMut(Element<'_, u32>) -> ControlFlow<()>) -> ControlFlow<()>,
) -> Vec<u32> {
    let mut rows = Vec::new();
    let flow = search(&mut |element| {
        rows.push(*element.value());
        if rows.len() == most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(flow.is_break(), rows.len() == most);
    rows
}

/// The rows of all pairs, lower row first, in ascending order.
pub fn pairs(tree: &Quadtree<u32>) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    tree.for_each_pair(|a, b| {
        assert!(a.id.index() < b.id.index() && a.aabb.overlaps(&b.aabb));
        pairs.push([*a.value().min(b.value()), *a.value().max(b.value())]);
    });
    sorted(pairs)
}
