//! Coordinates at the limits of `f32`, and of the world.

use crate::crowds::{HALF, side_of_square, uniform};
use crate::random::Random;
use crate::scene::Scene;

/// Half of the rows in a square at the origin, and the other half scattered around it, up to three sides away: things
/// that leave the world that a game planned for.
#[must_use]
pub fn half_outside(n: usize, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let side = side_of_square(n.div_ceil(2), HALF, 1.0);
    let centers = (0..n).map(|row| {
        if row % 2 == 0 {
            return random.in_square(0.0, side);
        }
        // One axis is outside the square; the other is anywhere.
        let beyond = random.between(side, 3.0 * side);
        let beyond = if random.coin() { beyond } else { side - beyond };
        let anywhere = random.between(-2.0 * side, 3.0 * side);
        if random.coin() {
            [beyond, anywhere]
        } else {
            [anywhere, beyond]
        }
    });
    Scene::new("half outside the world", [HALF; 2], centers)
}

/// As [`uniform`] with one pair per agent, moved `distance` away on both axes. At 1e7 floats are one unit apart, so
/// boxes of side 1 round to sides of 0 to 2, and many touch exactly.
#[must_use]
pub fn far_from_origin(n: usize, distance: f32, seed: u64) -> Scene {
    let mut scene = uniform(n, 1.0, seed);
    scene.name = format!("{distance:e} from the origin");
    for (x, y) in scene.xs.iter_mut().zip(&mut scene.ys) {
        *x += distance;
        *y = distance - *y;
    }
    scene
}

/// A crowd of about one pair per agent in which every coordinate and half extent is a denormal, on
/// both sides of zero.
#[must_use]
pub fn denormals(n: usize, seed: u64) -> Scene {
    const HALF_STEPS: u32 = 3;
    let mut random = Random::new(seed);
    let side = denormal_side(n, HALF_STEPS);
    let mut coordinate = || denormal(random.below(side) as i64 - side as i64 / 2);
    let centers = (0..n).map(|_| [coordinate(), coordinate()]);
    Scene::new("denormals", [f32::from_bits(HALF_STEPS); 2], centers)
}

/// The denormal this many steps from zero.
pub(crate) fn denormal(steps: i64) -> f32 {
    let size = f32::from_bits(steps.unsigned_abs() as u32);
    if steps < 0 { -size } else { size }
}

/// The side, in steps, of a square in which `n` boxes with half extents of `half_steps` on average make one pair
/// each.
pub(crate) fn denormal_side(n: usize, half_steps: u32) -> usize {
    // Boxes touch up to twice the half extent away on either side, both ends included.
    let reach = (4 * half_steps + 1) as f32;
    (n as f32 * reach * reach / 2.0).sqrt().ceil() as usize + 1
}

/// Boxes without extent on small whole numbers, with zeros of either sign: they overlap only where they coincide,
/// about once each.
#[must_use]
pub fn zero_extents(n: usize, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    // With n points on n/2 spots, each has about two partners, and each pair has two members.
    let side = ((n as f32 / 2.0).sqrt().ceil() as usize).max(1);
    let mut coordinate = || whole_number(side, &mut random);
    let centers = (0..n).map(|_| [coordinate(), coordinate()]);
    Scene::new("zero extents", [0.0; 2], centers)
}

/// One of `side` whole numbers around zero; zero may have either sign.
pub(crate) fn whole_number(side: usize, random: &mut Random) -> f32 {
    let at = random.below(side) as f32 - (side / 2) as f32;
    if at == 0.0 && random.coin() { -0.0 } else { at }
}

/// Centers of every magnitude from 2^-4 up, of either sign, so that boxes range from exact to far smaller than one
/// float. Every other row is at one of sixteen points whose coordinates are `f32::MAX` or half of it, of either sign;
/// a big `half` puts sides of those boxes at infinity.
#[must_use]
pub fn extremes(n: usize, half: f32, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let mut coordinate = |at_limit| of_any_size(at_limit, &mut random);
    let centers = (0..n).map(|row| {
        let at_limit = row % 2 == 0;
        [coordinate(at_limit), coordinate(at_limit)]
    });
    let mut scene = Scene::new(format!("extremes of half {half:e}"), [half; 2], centers);
    scene.shuffle(seed);
    scene
}

/// A number of any magnitude from 2^-4 up, or one of `f32::MAX` and half of it; of either sign.
pub(crate) fn of_any_size(at_limit: bool, random: &mut Random) -> f32 {
    let size = if at_limit {
        f32::MAX * if random.coin() { 1.0 } else { 0.5 }
    } else {
        // Exponent bits 123 to 254 stand for 2^-4 to 2^127.
        let exponent = (123 + random.below(132)) as u32;
        f32::from_bits(exponent << 23 | random.bits() >> 9)
    };
    if random.coin() { -size } else { size }
}
