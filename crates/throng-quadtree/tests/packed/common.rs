//! Trees of the shared scenes, built by any number of threads.

use std::ops::ControlFlow;
use throng_core::{Aabb, Executor};
use throng_quadtree::{PackedConfig, PackedQuadtree};
use throng_scenes::{BoxScene, sorted};

/// All configs worth testing. Small leaves make small scenes deep.
pub fn configs() -> [PackedConfig; 4] {
    let config = PackedConfig::new();
    [
        config,
        config.leaf_size(1),
        config.leaf_size(5).max_depth(2),
        config.max_depth(0),
    ]
}

/// A tree of the scene's rows.
pub fn build(scene: &BoxScene, config: PackedConfig, executor: &dyn Executor) -> PackedQuadtree {
    let tree = PackedQuadtree::build(scene.boxes(), config, executor).unwrap();
    if let Err(broken) = tree.validate() {
        panic!("{}: {broken}", scene.name);
    }
    let sound = (0..scene.len())
        .filter(|&row| scene.aabb(row).is_some())
        .count();
    let counts = (tree.len(), tree.rejected(), tree.rows());
    assert_eq!(
        counts,
        (sound, scene.len() - sound, scene.len()),
        "{}",
        scene.name
    );
    tree
}

/// What a query visits, in its order. The visitor breaks at `most` rows.
pub fn query(tree: &PackedQuadtree, window: &Aabb, most: usize) -> Vec<(u32, Aabb)> {
    let mut found = Vec::new();
    let flow = tree.query_aabb(window, |row, aabb| {
        found.push((row, aabb));
        if found.len() == most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(flow.is_break(), found.len() == most);
    found
}

/// Every row that a query visits, ascending.
pub fn rows_of(
    query: impl FnOnce(&mut dyn FnMut(u32, Aabb) -> ControlFlow<()>) -> ControlFlow<()>,
) -> Vec<u32> {
    let mut rows = Vec::new();
    let every = query(&mut |row, _| {
        rows.push(row);
        ControlFlow::Continue(())
    });
    assert!(every.is_continue());
    sorted(rows)
}
