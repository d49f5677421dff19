//! The shared scenes as the tree takes them.

use fixedbitset::FixedBitSet;
use throng_core::Boxes;
use throng_scenes::{BoxScene, adversarial, adversarial_boxes, log_uniform_boxes};

/// Every scene there is, boxes of one size, of every size and rows that are no boxes included.
pub fn scenes(n: usize, seed: u64) -> Vec<BoxScene> {
    let mut scenes = adversarial_boxes(n, seed);
    scenes.extend(adversarial(n, seed).iter().map(BoxScene::from));
    scenes.push(log_uniform_boxes(n, [1e-3, 1e6], 1.0, seed));
    scenes.push(spoiled(log_uniform_boxes(n, [1.0, 100.0], 2.0, seed)));
    scenes
}

/// The same with rows that are no boxes, in each of the ways in which that can be.
pub fn spoiled(mut scene: BoxScene) -> BoxScene {
    const INFINITY: f32 = f32::INFINITY;
    scene.name += ", some of them no boxes";
    for row in 0..scene.len() {
        let axis = row / 9 % 2;
        let (min, max) = (scene.min[axis][row], scene.max[axis][row]);
        let [min, max] = match row % 9 {
            0 => [f32::NAN, max],
            1 => [min, f32::NAN],
            2 => [max + 1.0, min],
            3 => [INFINITY, INFINITY],
            4 => [-INFINITY, -INFINITY],
            _ => [min, max],
        };
        (scene.min[axis][row], scene.max[axis][row]) = (min, max);
    }
    scene
}

/// The scene's rows, all of them present.
pub fn boxes(scene: &BoxScene) -> Boxes<'_> {
    Boxes::new(scene.min(), scene.max()).unwrap()
}

/// What is left of the scene without some rows: they have no boxes here.
pub fn without(scene: &BoxScene, absent: &FixedBitSet) -> BoxScene {
    let mut rest = scene.clone();
    for row in absent.ones().filter(|&row| row < scene.len()) {
        rest.min[0][row] = f32::NAN;
    }
    rest
}
