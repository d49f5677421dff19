//! The shared scenes, for packed trees.

use throng_scenes::{BoxScene, adversarial, adversarial_boxes, log_uniform_boxes};

/// All scenes, with boxes of one size, of every size, and rows that are not valid boxes.
pub fn scenes(n: usize, seed: u64) -> Vec<BoxScene> {
    let mut scenes = adversarial_boxes(n, seed);
    scenes.extend(adversarial(n, seed).iter().map(BoxScene::from));
    scenes.push(log_uniform_boxes(n, [1e-3, 1e6], 1.0, seed));
    scenes.push(log_uniform_boxes(n, [1.0, 100.0], 2.0, seed).spoiled());
    scenes
}
