//! Scenes whose rows follow those of a world into another order.

use throng::Permutation;
use throng_scenes::Scene;

/// Puts the centers of a scene into the order into which its rows were sorted.
pub fn sort_centers(scene: &mut Scene, order: &Permutation) {
    let mut spare = Vec::new();
    for column in [&mut scene.xs, &mut scene.ys] {
        let sorted = order.apply(column, &mut spare);
        sorted.expect("a coordinate for each row");
    }
}
