//! Arrangements of boxes that may coincide with a structure's own cell borders.

use throng_core::Axis;

use super::crowds::side_for_pairs;
use crate::box_scene::BoxScene;
use crate::patterns::{Line, nudge};
use crate::random::Random;

/// `n` boxes of sides from 0.01 to 2000 that all contain one point: every pair overlaps.
#[must_use]
pub fn boxes_on_a_point(n: usize, seed: u64) -> BoxScene {
    const POINT: f32 = 3.25;
    let mut random = Random::new(seed);
    let mut away = |sign: f32| POINT + sign * random.log_between(0.005, 1000.0);
    let sides = (0..n).map(|_| [[away(-1.0), away(-1.0)], [away(1.0), away(1.0)]]);
    BoxScene::from_sides("boxes on one point", sides)
}

/// Groups of `group` equal boxes at exactly the same position, each group with its own size from 1 to 100, the groups
/// spread thinly; in random storage order.
///
/// # Panics
///
/// If `group` is 0.
#[must_use]
pub fn equal_boxes(n: usize, group: usize, seed: u64) -> BoxScene {
    assert!(group > 0, "a group needs a member");
    let mut random = Random::new(seed);
    let mut half = || random.log_between(1.0, 100.0);
    let half_extents: Vec<_> = (0..n.div_ceil(group)).map(|_| [half(), half()]).collect();
    let side = side_for_pairs(&half_extents, 0.05);
    let groups = BoxScene::around("", &half_extents, || random.in_square(0.0, side));
    let members = (0..n).filter_map(|row| groups.aabb(row / group));
    let mut scene = BoxScene::new(format!("equal boxes in groups of {group}"), members);
    scene.shuffle(seed);
    scene
}

/// Squares of half extents from 0.5 to 50, all centerd on one line, with about one pair each, in
/// random storage order.
#[must_use]
pub fn boxes_on_a_line(n: usize, line: Line, seed: u64) -> BoxScene {
    let mut random = Random::new(seed);
    let half_extents: Vec<_> = (0..n).map(|_| [random.log_between(0.5, 50.0); 2]).collect();
    // Two overlap with a probability of `2 (a + b) / length`.
    let length = 2.0 * half_extents.iter().map(|half| half[0]).sum::<f32>();
    let name = format!("boxes {}", line.scene_name());
    BoxScene::around(name, &half_extents, || {
        line.point(random.between(0.0, length))
    })
}

/// Unit boxes with one pair each, and among them walls along `axis`, 0.1 thick and as long as the world is wide; as
/// many as the square root of the number of boxes. Each wall meets about as many boxes as there are walls, so the
/// walls double the pairs.
#[must_use]
pub fn walls(n: usize, axis: Axis, seed: u64) -> BoxScene {
    let mut random = Random::new(seed);
    let mut half_extents = vec![[0.5; 2]; n];
    let side = side_for_pairs(&half_extents, 1.0);
    let count = (n as f32).sqrt() as usize;
    half_extents[..count].fill(wall(axis, 0.5 * side));
    let mut row = 0;
    let mut scene = BoxScene::around(format!("walls along {axis}"), &half_extents, || {
        let mut center = random.in_square(0.0, side);
        if row < count {
            center[axis as usize] = 0.5 * side;
        }
        row += 1;
        center
    });
    scene.shuffle(seed);
    scene
}

/// Only walls 0.1 thick, alternately along x and y, each as long as the world is wide: each meets all that cross it.
#[must_use]
pub fn crossing_walls(n: usize, seed: u64) -> BoxScene {
    const SIDE: f32 = 1000.0;
    let mut random = Random::new(seed);
    let axes = Axis::ALL.into_iter().cycle().take(n);
    let half_extents: Vec<_> = axes.clone().map(|axis| wall(axis, 0.5 * SIDE)).collect();
    let mut axes = axes.map(|axis| axis as usize);
    BoxScene::around("crossing walls", &half_extents, || {
        let mut center = random.in_square(0.0, SIDE);
        if let Some(along) = axes.next() {
            center[along] = 0.5 * SIDE;
        }
        center
    })
}

fn wall(axis: Axis, half_length: f32) -> [f32; 2] {
    let mut half = [0.05; 2];
    half[axis as usize] = half_length;
    half
}

/// A tiling of rows and columns whose widths are random powers of two from 1 to 64, so that borders lie on whole
/// numbers, where a structure may have its own. Each box ends `ulps` floats short of where the next begins (or beyond
/// that, if negative): boxes that touch, just miss or just overlap.
///
/// Coordinates rise from `origin`; in random storage order.
#[must_use]
pub fn touching_boxes(n: usize, origin: [f32; 2], ulps: i32, seed: u64) -> BoxScene {
    let mut random = Random::new(seed);
    let per_row = (n as f32).sqrt().ceil() as usize;
    let mut intervals = |mut begin: f32| -> Vec<[f32; 2]> {
        let mut interval = || {
            let (from, to) = (begin, begin + (1 << random.below(7)) as f32);
            begin = to;
            [from, nudge(to, -ulps)]
        };
        (0..per_row).map(|_| interval()).collect()
    };
    let (columns, rows) = (intervals(origin[0]), intervals(origin[1]));
    let sides = (0..n).map(|row| {
        let ([left, right], [low, high]) = (columns[row % per_row], rows[row / per_row]);
        [[left, low], [right, high]]
    });
    let [x, y] = origin;
    let name = format!("tiles from ({x}, {y}), {ulps:+} ulps apart");
    let mut scene = BoxScene::from_sides(name, sides);
    scene.shuffle(seed);
    scene
}
