//! Something for everything to do between frames.

use crate::random::Random;
use crate::scene::Scene;

/// Moves every row by up to `speed` on each axis, either way; give each frame its own seed.
///
/// Finite centres stay finite. Far from the origin a step may be less than a float, and then nothing
/// moves.
pub fn step_motion(scene: &mut Scene, speed: f32, seed: u64) {
    let mut random = Random::new(seed);
    for (x, y) in scene.xs.iter_mut().zip(&mut scene.ys) {
        let [dx, dy] = random.in_square(-speed, speed);
        *x = (*x + dx).clamp(f32::MIN, f32::MAX);
        *y = (*y + dy).clamp(f32::MIN, f32::MAX);
    }
}
