//! Crowds as games have them: evenly spread, in clusters, or far apart.

use crate::random::Random;
use crate::scene::Scene;

/// The half extents of scenes where the size does not matter.
pub(crate) const HALF: f32 = 0.5;

/// The side of a square in which `n` boxes of half extent `half` make `pairs_per_agent` pairs each.
///
/// A box meets every box whose center lies in the square of side `4 * half` around its own center, and each pair has
/// two members: `pairs_per_agent = density * (4 * half)^2 / 2`.
pub(crate) fn side_of_square(n: usize, half: f32, pairs_per_agent: f32) -> f32 {
    assert!(pairs_per_agent > 0.0, "{pairs_per_agent} pairs per agent");
    let density = 2.0 * pairs_per_agent / (4.0 * half * 4.0 * half);
    (n as f32 / density).sqrt()
}

/// `n` boxes of side 1 spread evenly over a square at the origin, in random storage order, dense enough for about
/// `pairs_per_agent` pairs each (a little fewer in small scenes, because of the border).
///
/// # Panics
///
/// If `pairs_per_agent` is not above zero.
#[must_use]
pub fn uniform(n: usize, pairs_per_agent: f32, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let side = side_of_square(n, HALF, pairs_per_agent);
    let centers = (0..n).map(|_| random.in_square(0.0, side));
    let name = format!("uniform, {pairs_per_agent} pairs per agent");
    Scene::new(name, [HALF; 2], centers)
}

/// As [`uniform`], but every other row is in one of sixteen square blobs ten times as dense, which overlap the rest.
///
/// # Panics
///
/// If `pairs_per_agent` is not above zero.
#[must_use]
pub fn blobs(n: usize, pairs_per_agent: f32, seed: u64) -> Scene {
    const BLOBS: usize = 16;
    let mut random = Random::new(seed);
    let side = side_of_square(n.div_ceil(2), HALF, pairs_per_agent);
    let blob_side = side_of_square(n / 2 / BLOBS, HALF, 10.0 * pairs_per_agent);
    let corners: Vec<_> = (0..BLOBS)
        .map(|_| random.in_square(0.0, side - blob_side))
        .collect();
    let centers = (0..n).map(|row| {
        if row % 2 == 0 {
            return random.in_square(0.0, side);
        }
        let [x, y] = corners[random.below(BLOBS)];
        let [dx, dy] = random.in_square(0.0, blob_side);
        [x + dx, y + dy]
    });
    let mut scene = Scene::new("blobs of ten times the density", [HALF; 2], centers);
    scene.shuffle(seed);
    scene
}

/// `clusters` round clusters, dense in the middle (about two pairs per agent there) and thin outside, around points
/// in a square.
///
/// # Panics
///
/// If `clusters` is 0.
#[must_use]
pub fn gaussian_clusters(n: usize, clusters: usize, seed: u64) -> Scene {
    assert!(clusters > 0, "at least one cluster is needed");
    let mut random = Random::new(seed);
    let side = side_of_square(n, HALF, 0.1);
    let deviation = side_of_square(n.div_ceil(clusters), HALF, 2.0) * 0.4;
    let cluster_centers: Vec<_> = (0..clusters).map(|_| random.in_square(0.0, side)).collect();
    let centers = (0..n).map(|_| {
        let [x, y] = cluster_centers[random.below(clusters)];
        [
            x + deviation * random.normal(),
            y + deviation * random.normal(),
        ]
    });
    Scene::new(format!("{clusters} gaussian clusters"), [HALF; 2], centers)
}

/// Twenty square towns with one pair per agent, somewhere in a world of `width` by `width`: nearly all of the world
/// is empty.
#[must_use]
pub fn towns_in_a_wide_world(n: usize, width: f32, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let town_centers = town_centers(width, &mut random);
    let name = format!("towns in a world {width} wide");
    towns(&name, n, HALF, &town_centers, &mut random)
}

/// The centers of twenty towns in a world of `width` by `width`.
pub(crate) fn town_centers(width: f32, random: &mut Random) -> Vec<[f32; 2]> {
    (0..20).map(|_| random.in_square(0.0, width)).collect()
}

/// Square towns with one pair per agent around the given points.
pub(crate) fn towns(
    name: &str,
    n: usize,
    half: f32,
    town_centers: &[[f32; 2]],
    random: &mut Random,
) -> Scene {
    let side = side_of_square(n.div_ceil(town_centers.len()), half, 1.0);
    let centers = (0..n).map(|_| in_a_town(town_centers, side, random));
    Scene::new(name, [half; 2], centers)
}

/// A point in one of the square towns of the given side around these centers.
pub(crate) fn in_a_town(town_centers: &[[f32; 2]], side: f32, random: &mut Random) -> [f32; 2] {
    let [x, y] = town_centers[random.below(town_centers.len())];
    let [dx, dy] = random.in_square(-0.5 * side, 0.5 * side);
    [x + dx, y + dy]
}
