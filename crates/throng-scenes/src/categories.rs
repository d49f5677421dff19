//! Worlds of several categories, one scene each.

use crate::crowds::{HALF, side_of_square, towns};
use crate::random::Random;
use crate::scene::Scene;

/// Pixies, and infantry ten times as big, in one world: `n` rows in all, two thirds of them pixies, each category
/// dense enough to meet itself and the other. Smallest first.
#[must_use]
pub fn two_categories(n: usize, seed: u64) -> Vec<Scene> {
    let infantry = n / 3;
    together(
        &[
            ("pixies", n - infantry, 0.1 * HALF),
            ("infantry", infantry, HALF),
        ],
        seed,
    )
}

/// Four categories of very different sizes (1 : 10 : 80 : 800) in one world, `n` rows in all, fewer of the bigger
/// ones. Smallest first.
#[must_use]
pub fn four_categories(n: usize, seed: u64) -> Vec<Scene> {
    let (infantry, ogres, dragons) = (n * 3 / 10, n / 12, n / 60);
    together(
        &[
            ("pixies", n - infantry - ogres - dragons, 0.1 * HALF),
            ("infantry", infantry, HALF),
            ("ogres", ogres, 8.0 * HALF),
            ("dragons", dragons, 80.0 * HALF),
        ],
        seed,
    )
}

/// Each category in four towns with one pair per agent, around the same four points, so that small ones stand on big
/// ones.
fn together(categories: &[(&str, usize, f32)], seed: u64) -> Vec<Scene> {
    let mut random = Random::new(seed);
    let width = categories
        .iter()
        .map(|&(_, n, half)| side_of_square(n, half, 0.5))
        .fold(0.0, f32::max);
    let town_centers: Vec<_> = (0..4).map(|_| random.in_square(0.0, width)).collect();
    categories
        .iter()
        .map(|&(name, n, half)| towns(name, n, half, &town_centers, &mut random))
        .collect()
}
