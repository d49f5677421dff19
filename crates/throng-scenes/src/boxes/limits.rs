//! Boxes with sides at the limits of `f32`, and beyond.

use super::crowds::log_uniform_boxes;
use crate::box_scene::BoxScene;
use crate::limits::{denormal, denormal_side, of_any_size, whole_number};
use crate::random::Random;

/// As [`log_uniform_boxes`] of 1 to 100 with one pair each, but an eighth of them, at most 75, are unbounded: rays,
/// bands, quarter planes and half planes in every direction, and the whole plane, in turn.
#[must_use]
pub fn unbounded_boxes(n: usize, seed: u64) -> BoxScene {
    let mut scene = log_uniform_boxes(n, [1.0, 100.0], 1.0, seed);
    scene.name = "unbounded among others".into();
    for row in 0..(n / 8).min(75) {
        // A bit for each of the four sides; 0 would be an ordinary box.
        let unbounded = row % 15 + 1;
        for axis in 0..2 {
            if unbounded >> axis & 1 == 1 {
                scene.min[axis][row] = f32::NEG_INFINITY;
            }
            if unbounded >> (2 + axis) & 1 == 1 {
                scene.max[axis][row] = f32::INFINITY;
            }
        }
    }
    scene.shuffle(seed);
    scene
}

/// As [`log_uniform_boxes`] of 1 to 100 with one pair each, moved `distance` away in x, and in the opposite direction
/// in y. At 1e7 floats are one unit apart, so many boxes touch exactly.
#[must_use]
pub fn boxes_far_from_origin(n: usize, distance: f32, seed: u64) -> BoxScene {
    let mut scene = log_uniform_boxes(n, [1.0, 100.0], 1.0, seed);
    scene.name = format!("boxes {distance:e} from the origin");
    for row in 0..n {
        scene.shift(row, [distance, -distance]);
    }
    scene
}

/// Boxes between corners of every magnitude from 2^-4 up, of either sign, so that their sizes range from nothing to
/// the whole range of `f32`. Every other row's corners lie at `f32::MAX` or half of it, of either sign, and every
/// fourth box is a point.
#[must_use]
pub fn extreme_boxes(n: usize, seed: u64) -> BoxScene {
    let mut random = Random::new(seed);
    let sides = (0..n).map(|row| {
        let mut corner = || [(); 2].map(|()| of_any_size(row % 2 == 0, &mut random));
        let a = corner();
        let b = if row % 8 < 2 { a } else { corner() };
        [
            [a[0].min(b[0]), a[1].min(b[1])],
            [a[0].max(b[0]), a[1].max(b[1])],
        ]
    });
    let mut scene = BoxScene::from_sides("extreme boxes", sides);
    scene.shuffle(seed);
    scene
}

/// A crowd of about one pair per box in which every side is a denormal or zero, on both sides of zero, and each box
/// has its own size, which may be nothing.
#[must_use]
pub fn denormal_boxes(n: usize, seed: u64) -> BoxScene {
    const MEAN_HALF_STEPS: u32 = 3;
    let mut random = Random::new(seed);
    let side = denormal_side(n, MEAN_HALF_STEPS);
    let mut interval = || {
        let center = random.below(side) as i64 - side as i64 / 2;
        let half = random.below(2 * MEAN_HALF_STEPS as usize + 1) as i64;
        [denormal(center - half), denormal(center + half)]
    };
    let sides = (0..n).map(|_| {
        let ([left, right], [low, high]) = (interval(), interval());
        [[left, low], [right, high]]
    });
    BoxScene::from_sides("denormal boxes", sides)
}

/// Points, and lines along x and along y of length 1 to 3, on small whole numbers, with zeros of either sign: boxes
/// without area that touch or cross, with about two pairs each.
#[must_use]
pub fn flat_boxes(n: usize, seed: u64) -> BoxScene {
    let mut random = Random::new(seed);
    let side = ((n as f32).sqrt().ceil() as usize).max(1);
    let sides = (0..n).map(|_| {
        let min = [(); 2].map(|()| whole_number(side, &mut random));
        let mut max = min;
        // One in three stays a point.
        if let Some(along) = max.get_mut(random.below(3)) {
            *along += 1.0 + random.below(3) as f32;
        }
        [min, max]
    });
    BoxScene::from_sides("flat boxes", sides)
}
