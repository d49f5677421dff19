//! Crowds of boxes of many sizes, evenly spread or far apart.

use crate::box_scene::BoxScene;
use crate::crowds::{in_a_town, town_centers};
use crate::patterns::some_masks;
use crate::random::Random;

/// The side of a square in which boxes of these half extents, placed at random, make
/// `pairs_per_box` pairs for each of them.
///
/// Two of them overlap with a probability of `2 (xi + xj) / side * 2 (yi + yj) / side`, and over all pairs
/// `(xi + xj)(yi + yj)` adds up to `(n - 2) sum(x y) + sum(x) sum(y)`.
pub(crate) fn side_for_pairs(half_extents: &[[f32; 2]], pairs_per_box: f32) -> f32 {
    assert!(pairs_per_box > 0.0, "{pairs_per_box} pairs per box");
    let n = half_extents.len() as f64;
    let (mut x, mut y, mut xy) = (0.0, 0.0, 0.0);
    for half in half_extents {
        let [half_x, half_y] = half.map(f64::from);
        x += half_x;
        y += half_y;
        xy += half_x * half_y;
    }
    let area = 4.0 * ((n - 2.0) * xy + x * y) / (n.max(1.0) * f64::from(pairs_per_box));
    area.max(0.0).sqrt() as f32
}

/// `n` boxes spread evenly over a square at the origin, in random storage order, dense enough for about
/// `pairs_per_box` pairs each (a little fewer if the largest are no longer small beside the square). On each axis a
/// box has its own half extent between `smallest` and `largest`, log-uniform.
///
/// # Panics
///
/// If `pairs_per_box` is not above zero.
#[must_use]
pub fn log_uniform_boxes(
    n: usize,
    [smallest, largest]: [f32; 2],
    pairs_per_box: f32,
    seed: u64,
) -> BoxScene {
    let mut random = Random::new(seed);
    let mut half = || random.log_between(smallest, largest);
    let half_extents: Vec<_> = (0..n).map(|_| [half(), half()]).collect();
    let name = format!("boxes of {smallest} to {largest}, {pairs_per_box} pairs each");
    spread(name, &half_extents, pairs_per_box, &mut random)
}

/// As [`log_uniform_boxes`], but each box is as wide as it is high.
///
/// # Panics
///
/// If `pairs_per_box` is not above zero.
#[must_use]
pub fn log_uniform_squares(
    n: usize,
    [smallest, largest]: [f32; 2],
    pairs_per_box: f32,
    seed: u64,
) -> BoxScene {
    let mut random = Random::new(seed);
    let mut half = || random.log_between(smallest, largest);
    let half_extents: Vec<_> = (0..n).map(|_| [half(); 2]).collect();
    let name = format!("squares of {smallest} to {largest}, {pairs_per_box} pairs each");
    spread(name, &half_extents, pairs_per_box, &mut random)
}

fn spread(
    name: String,
    half_extents: &[[f32; 2]],
    pairs_per_box: f32,
    random: &mut Random,
) -> BoxScene {
    let side = side_for_pairs(half_extents, pairs_per_box);
    BoxScene::around(name, half_extents, || random.in_square(0.0, side))
}

/// Twenty square towns with one pair per box, of half extents from 0.5 to 50, somewhere in a world of `width` by
/// `width`: nearly all of the world is empty.
#[must_use]
pub fn box_towns(n: usize, width: f32, seed: u64) -> BoxScene {
    let mut random = Random::new(seed);
    let town_centers = town_centers(width, &mut random);
    let mut half = || random.log_between(0.5, 50.0);
    let half_extents: Vec<_> = (0..n).map(|_| [half(), half()]).collect();
    // As dense as all of them would be in one square.
    let side = side_for_pairs(&half_extents, 1.0) / (town_centers.len() as f32).sqrt();
    let name = format!("towns of boxes in a world {width} wide");
    BoxScene::around(name, &half_extents, || {
        in_a_town(&town_centers, side, &mut random)
    })
}

/// As [`log_uniform_boxes`] of 1 to 100 with two pairs per box before masks, in four groups that meet some of the
/// others; some rows meet nothing.
#[must_use]
pub fn masked_boxes(n: usize, seed: u64) -> BoxScene {
    BoxScene {
        name: "masked boxes".into(),
        masks: Some(some_masks(n, seed)),
        ..log_uniform_boxes(n, [1.0, 100.0], 2.0, seed)
    }
}

/// A scene with no boxes.
#[must_use]
pub fn no_boxes() -> BoxScene {
    BoxScene::new("nothing", [])
}
