//! The shared scenes as the structures take them.

use throng_core::{MaskWords, RowMasks};
use throng_scenes::{BoxScene, adversarial, adversarial_boxes, log_uniform_boxes};

/// Every scene there is, boxes of one size, of every size and rows that are no boxes included.
pub fn scenes(n: usize, seed: u64) -> Vec<BoxScene> {
    let mut scenes = adversarial_boxes(n, seed);
    scenes.extend(adversarial(n, seed).iter().map(BoxScene::from));
    scenes.push(log_uniform_boxes(n, [1e-3, 1e6], 1.0, seed));
    scenes.push(log_uniform_boxes(n, [1.0, 100.0], 2.0, seed).spoiled());
    scenes.push(walls_among_boxes(n, seed));
    scenes
}

/// Walls of all lengths and thicknesses lying and standing among as many boxes, and the world's borders.
fn walls_among_boxes(n: usize, seed: u64) -> BoxScene {
    const LENGTHS: [f32; 5] = [3e2, 3e3, 1e6, 1e30, f32::INFINITY];
    let common = log_uniform_boxes(n, [1.0, 20.0], 1.0, seed);
    let rows = (0..n).filter_map(|row| common.aabb(row));
    let sides = rows.enumerate().map(|(row, aabb)| {
        let (min, max) = (aabb.min(), aabb.max());
        let length = LENGTHS[row / 4 % LENGTHS.len()];
        let along = |axis: usize| [min[axis] - length, max[axis] + length];
        let across = |axis: usize| [min[axis], min[axis] + (max[axis] - min[axis]) / 8.0];
        let [[x0, x1], [y0, y1]] = match row % 4 {
            0 => [along(0), across(1)],
            1 => [across(0), along(1)],
            _ => [[min[0], max[0]], [min[1], max[1]]],
        };
        [[x0, y0], [x1, y1]]
    });
    const INFINITY: f32 = f32::INFINITY;
    let borders = [
        [[-INFINITY, -INFINITY], [INFINITY, -50.0]],
        [[-INFINITY, -INFINITY], [-50.0, INFINITY]],
        [[-1e30, -1e29], [1e30, -50.0]],
    ];
    BoxScene::from_sides("walls among boxes", sides.chain(borders))
}

/// The scene's masks, if it has any.
pub fn row_masks(scene: &BoxScene) -> Option<RowMasks<'_>> {
    scene.masks.as_deref().map(RowMasks::Each)
}

/// How many kinds of rows [`with_kinds`] makes.
pub const KINDS: usize = 7;

/// Each kind ignores another one, and the last meets nobody.
pub fn masks_of_kind(kind: usize) -> MaskWords {
    MaskWords {
        memberships: 1 << kind,
        filter: if kind + 1 < KINDS { !(2 << kind) } else { 0 },
    }
}

/// The same scene with rows of several kinds in turn.
pub fn with_kinds(scene: &BoxScene) -> BoxScene {
    let mut masked = scene.clone();
    let masks = (0..scene.len()).map(|row| masks_of_kind(row % KINDS));
    masked.masks = Some(masks.collect());
    masked.name += ", in kinds";
    masked
}
