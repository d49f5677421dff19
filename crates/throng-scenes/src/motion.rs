//! Movement for everything between frames.

use throng_core::Aabb;

use crate::box_scene::BoxScene;
use crate::random::Random;
use crate::scene::Scene;

/// Moves every row by up to `speed` on each axis, in either direction; give each frame its own seed.
///
/// Finite centers stay finite. Far from the origin a step may be smaller than the gap between floats, and then
/// nothing moves.
pub fn step_motion(scene: &mut Scene, speed: f32, seed: u64) {
    let mut random = Random::new(seed);
    for (x, y) in scene.xs.iter_mut().zip(&mut scene.ys) {
        let [dx, dy] = random.in_square(-speed, speed);
        *x = (*x + dx).clamp(f32::MIN, f32::MAX);
        *y = (*y + dy).clamp(f32::MIN, f32::MAX);
    }
}

/// As [`step_motion`], for boxes: they keep their sizes, apart from rounding.
///
/// Finite sides stay finite, and infinite ones stay where they are.
pub fn step_box_motion(scene: &mut BoxScene, speed: f32, seed: u64) {
    let mut random = Random::new(seed);
    for row in 0..scene.len() {
        scene.shift(row, random.in_square(-speed, speed));
    }
}

/// About one row in `one_in` swaps its size with another, each around its own center; give each frame its own seed.
///
/// However long this goes on, the scene keeps its set of sizes, and so about the same number of pairs. A row without
/// a box, or with an infinite side before or after, takes no part; boxes that are all equal stay so.
///
/// # Panics
///
/// If `one_in` is 0 and there are rows.
pub fn resize_some(scene: &mut BoxScene, one_in: usize, seed: u64) {
    let mut random = Random::new(seed);
    for row in 0..scene.len() {
        if random.below(one_in) > 0 {
            continue;
        }
        let other = random.below(scene.len());
        if let (Some(a), Some(b)) = (scene.aabb(row), scene.aabb(other)) {
            let resized = [
                Aabb::from_center(a.center(), b.half_extents()),
                Aabb::from_center(b.center(), a.half_extents()),
            ];
            if let [Ok(a), Ok(b)] = resized
                && a.is_finite()
                && b.is_finite()
            {
                scene.set(row, a);
                scene.set(other, b);
            }
        }
    }
}
