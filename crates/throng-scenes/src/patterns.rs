//! Arrangements that may coincide with a structure's own cell borders.

use throng_core::MaskWords;

use crate::crowds::{HALF, side_of_square, uniform};
use crate::random::Random;
use crate::scene::Scene;

/// `n` boxes within half a box of each other: every pair overlaps.
#[must_use]
pub fn one_dense_cell(n: usize, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let centers = (0..n).map(|_| random.in_square(3.0, 3.0 + HALF));
    Scene::new("one dense cell", [HALF; 2], centers)
}

/// The direction of a line of boxes; see [`on_a_line`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Line {
    /// Along x, all with the same y.
    Row,
    /// Along y, all with the same x.
    Column,
    /// Along both, `x == y`.
    Diagonal,
}

impl Line {
    /// The point at distance `along` on the line.
    pub(crate) fn point(self, along: f32) -> [f32; 2] {
        const ELSEWHERE: f32 = 12.25;
        match self {
            Line::Row => [along, ELSEWHERE],
            Line::Column => [ELSEWHERE, along],
            Line::Diagonal => [along, along],
        }
    }

    /// The name of a scene on the line.
    pub(crate) fn scene_name(self) -> &'static str {
        match self {
            Line::Row => "on one row",
            Line::Column => "on one column",
            Line::Diagonal => "on the diagonal",
        }
    }
}

/// All on one line, with about one pair per agent, in random storage order.
#[must_use]
pub fn on_a_line(n: usize, line: Line, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let length = n as f32 * 2.0 * HALF;
    let centers = (0..n).map(|_| line.point(random.between(0.0, length)));
    Scene::new(line.scene_name(), [HALF; 2], centers)
}

/// Groups of `group` boxes at exactly the same point, the groups spread thinly.
///
/// # Panics
///
/// If `group` is 0.
#[must_use]
pub fn coincident_groups(n: usize, group: usize, seed: u64) -> Scene {
    assert!(group > 0, "a group needs a member");
    let mut random = Random::new(seed);
    let groups = n.div_ceil(group);
    let side = side_of_square(groups, HALF, 0.05);
    let spots: Vec<_> = (0..groups).map(|_| random.in_square(0.0, side)).collect();
    let centers = (0..n).map(|row| spots[row / group]);
    let mut scene = Scene::new(format!("coincident groups of {group}"), [HALF; 2], centers);
    scene.shuffle(seed);
    scene
}

/// A square lattice whose neighbors are `2 * half` apart on both axes, plus `ulps` floats (or minus, if negative),
/// counted again at each step: boxes that touch, just miss or just overlap, as rounding decides, across every border
/// that a grid may have.
///
/// Coordinates rise from `origin`; in random storage order.
#[must_use]
pub fn lattice(n: usize, origin: [f32; 2], half: [f32; 2], ulps: i32, seed: u64) -> Scene {
    let per_row = (n as f32).sqrt().ceil() as usize;
    let coordinates = |axis: usize| -> Vec<f32> {
        let next = |&at: &f32| Some(nudge(at + 2.0 * half[axis], ulps));
        std::iter::successors(Some(origin[axis]), next)
            .take(per_row)
            .collect()
    };
    let (xs, ys) = (coordinates(0), coordinates(1));
    let centers = (0..n).map(|row| [xs[row % per_row], ys[row / per_row]]);
    let [x, y] = origin;
    let name = format!("lattice of halves {half:?} from ({x}, {y}), {ulps:+} ulps apart");
    let mut scene = Scene::new(name, half, centers);
    scene.shuffle(seed);
    scene
}

/// The float `ulps` floats above `value`, or below it.
pub(crate) fn nudge(value: f32, ulps: i32) -> f32 {
    let step = if ulps < 0 {
        f32::next_down
    } else {
        f32::next_up
    };
    (0..ulps.unsigned_abs()).fold(value, |value, _| step(value))
}

/// As [`uniform`] with two coarse pairs per agent, each row with its own size: from nothing to the bound, some
/// exactly one or the other, the two axes independent.
#[must_use]
pub fn mixed_sizes(n: usize, seed: u64) -> Scene {
    let mut scene = uniform(n, 2.0, seed);
    let mut random = Random::new(seed ^ 0x517e);
    let mut size = || match random.below(8) {
        0 => 0.0,
        1 => HALF,
        _ => random.between(0.0, HALF),
    };
    scene.name = "mixed sizes".into();
    scene.half_extents = Some((0..n).map(|_| [size(), size()]).collect());
    scene
}

/// As [`uniform`] with two pairs per agent before masks, in four groups that meet some of the others; some rows meet
/// nothing.
#[must_use]
pub fn masked(n: usize, seed: u64) -> Scene {
    let mut scene = uniform(n, 2.0, seed);
    scene.name = "masked".into();
    scene.masks = Some(some_masks(n, seed));
    scene
}

/// Masks of four groups that meet some of the others, or nothing.
pub(crate) fn some_masks(n: usize, seed: u64) -> Vec<MaskWords> {
    let mut random = Random::new(seed ^ 0x3a5c);
    let masks = (0..n).map(|_| MaskWords {
        memberships: 1 << random.below(4),
        filter: random.bits() & 0xf,
    });
    masks.collect()
}
