//! Crowds in long thin lines at any angle: fronts, and columns on the march.

use crate::crowds::HALF;
use crate::random::Random;
use crate::scene::Scene;

/// How many columns there are in [`marching_columns`].
const COLUMNS: usize = 36;

/// The length of a straight strip of this width in which `n` boxes of side 1 make about one pair each.
///
/// A box meets every box whose center is less than a side away on each axis, so half a box on each unit of area makes
/// one pair each, as in [`uniform`](crate::uniform). Those at the edge lack partners beyond it, on average a share of
/// `edge` sides by the width.
fn length_of_strip(n: usize, width: f32, edge: f32) -> f32 {
    const SIDE: f32 = 2.0 * HALF;
    let density = 0.5 / (SIDE * SIDE * (1.0 - edge * SIDE / width));
    n as f32 / (density * width)
}

/// A long thin front across the world, in four shallow waves: eight boxes deep, with about one pair for each, in random
/// storage order.
#[must_use]
pub fn wavy_front(n: usize, seed: u64) -> Scene {
    const DEPTH: f32 = 8.0;
    const HALF_WAVES: f32 = 8.0;
    // Its depth is along an axis, and its slope up to 1.
    const EDGE: f32 = 0.56;
    let mut random = Random::new(seed);
    let length = length_of_strip(n, DEPTH, EDGE);
    let centers = (0..n).map(|_| {
        let along = random.unit();
        // Arcs of parabolas, up and down in turns, as steep as the diagonal where they meet: sines round differently
        // on different machines.
        let arc = (along * HALF_WAVES) as u32;
        let within = along * HALF_WAVES - arc as f32;
        let height = length / HALF_WAVES * within * (1.0 - within);
        let wave = if arc.is_multiple_of(2) {
            height
        } else {
            -height
        };
        [
            along * length,
            wave + random.between(-0.5 * DEPTH, 0.5 * DEPTH),
        ]
    });
    Scene::new("a wavy front", [HALF; 2], centers)
}

/// Thirty-six columns on the march, each four boxes wide, long and straight, from anywhere to anywhere in a square, some
/// across others: about one pair for each, in random storage order.
#[must_use]
pub fn marching_columns(n: usize, seed: u64) -> Scene {
    const WIDTH: f32 = 4.0;
    // On average over all angles.
    const EDGE: f32 = 0.49;
    let mut random = Random::new(seed);
    let length = length_of_strip(n.div_ceil(COLUMNS), WIDTH, EDGE);
    let columns: Vec<_> = (0..COLUMNS)
        .map(|_| (random.in_square(0.0, 8.0 * length), direction(&mut random)))
        .collect();
    let centers = (0..n).map(|_| {
        let ([x, y], [dx, dy]) = columns[random.below(COLUMNS)];
        let along = random.between(0.0, length);
        let aside = random.between(-0.5 * WIDTH, 0.5 * WIDTH);
        [x + along * dx - aside * dy, y + along * dy + aside * dx]
    });
    Scene::new("marching columns", [HALF; 2], centers)
}

/// A vector of length 1, of which every angle is as likely: a random point of a disk, moved out to its border.
fn direction(random: &mut Random) -> [f32; 2] {
    loop {
        let [x, y] = random.in_square(-1.0, 1.0);
        let squared = x * x + y * y;
        if (0.01..=1.0).contains(&squared) {
            let length = squared.sqrt();
            return [x / length, y / length];
        }
    }
}
