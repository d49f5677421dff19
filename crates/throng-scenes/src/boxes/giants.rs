//! A few boxes far larger than the rest, which is what a structure for boxes must handle.

use throng_core::Aabb;

use super::crowds::log_uniform_boxes;
use crate::box_scene::BoxScene;
use crate::random::Random;

/// Boxes of half extents from 0.2 to 1, one pair each, and among them one that covers all others and some space
/// around them.
#[must_use]
pub fn one_covers_all(n: usize, seed: u64) -> BoxScene {
    let mut scene = small(n, seed);
    scene.name = "one covers all".into();
    if let Some(bounds) = scene.bounds() {
        let cover = [bounds.min().map(|v| v - 1.0), bounds.max().map(|v| v + 1.0)];
        put(&mut scene, Random::new(seed).below(n), cover);
    }
    scene
}

/// Boxes of half extents from 0.2 to 1, one pair each, but a hundred of them (half of a smaller scene) are squares
/// that cover a tenth of the world each.
#[must_use]
pub fn hundred_giants(n: usize, seed: u64) -> BoxScene {
    let mut scene = small(n, seed);
    scene.name = "a hundred giants".into();
    let Some(bounds) = scene.bounds() else {
        return scene;
    };
    let mut random = Random::new(seed ^ 0x61a7);
    let (low, high) = (bounds.min(), bounds.max());
    // Of the shorter side, so that every giant fits inside.
    let world = (high[0] - low[0]).min(high[1] - low[1]);
    let side = world * 0.1_f32.sqrt();
    for giant in 0..(n / 2).min(100) {
        let [x, y] = random.in_square(0.0, world - side);
        let min = [low[0] + x, low[1] + y];
        put(&mut scene, giant, [min, min.map(|v| v + side)]);
    }
    scene.shuffle(seed);
    scene
}

/// Boxes of half extents from 20 to 500 in a world of 100 by 100: each meets nearly every other.
#[must_use]
pub fn giants_alone(n: usize, seed: u64) -> BoxScene {
    let mut random = Random::new(seed);
    let mut half = || random.log_between(20.0, 500.0);
    let half_extents: Vec<_> = (0..n).map(|_| [half(), half()]).collect();
    BoxScene::around("nothing but giants", &half_extents, || {
        random.in_square(0.0, 100.0)
    })
}

fn small(n: usize, seed: u64) -> BoxScene {
    log_uniform_boxes(n, [0.2, 1.0], 1.0, seed)
}

fn put(scene: &mut BoxScene, row: usize, [min, max]: [[f32; 2]; 2]) {
    let giant = Aabb::new(min, max).expect("a giant's sides are finite and in order");
    scene.set(row, giant);
}
