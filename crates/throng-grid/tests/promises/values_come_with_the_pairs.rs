//! Pairs with values are the pairs without, in the same order, and the values those that the grid was built from; where a
//! search leaves some to the visitor, it says so.

use crate::common::{BoxList, WAYS, Way, build, pairs, row_masks};
use throng_core::{Arena, HeldBuffer, HeldPairs, PairOrder, SearchStats, Serial, SimdLevel};
use throng_grid::PointGrid;
use throng_scenes::{
    BoxScene, Scene, adversarial, adversarial_boxes, masked, mixed_sizes, uniform,
};

/// Pairs in the order in which they come, and on which sides values were known: those of the scenes, if there is one.
fn found(
    sides: [Option<&Scene>; 2],
    chunks: usize,
    search: impl Fn(usize, &mut Arena, &mut HeldBuffer<'_>) -> SearchStats,
) -> Vec<[u32; 2]> {
    let (mut all, mut arena, mut total) = (Vec::new(), Arena::new(), 0);
    for chunk in 0..chunks {
        let mut batch = HeldPairs::new(true);
        let mut visit = |batch: &mut HeldPairs| {
            for (side, scene) in sides.into_iter().enumerate() {
                assert_eq!(batch.is_known(side), scene.is_some());
                let Some(scene) = scene else { continue };
                let ([xs, ys], [widths, heights]) = (batch.centers(side), batch.half_extents(side));
                for (k, pair) in batch.pairs().iter().enumerate() {
                    let row = pair[side] as usize;
                    let half = scene.half_extents_of(row);
                    let expected = [scene.xs[row], scene.ys[row], half[0], half[1]];
                    let held = [xs[k], ys[k], widths[k], heights[k]];
                    for (held, expected) in held.into_iter().zip(expected) {
                        assert_eq!(held.to_bits(), expected.to_bits());
                    }
                }
            }
            all.extend_from_slice(batch.pairs());
        };
        total += search(
            chunk,
            &mut arena,
            &mut HeldBuffer::new(&mut batch, &mut visit),
        )
        .pairs;
    }
    assert_eq!(total, all.len() as u64);
    all
}

fn check_own(scene: &Scene, level: SimdLevel, way: Way) {
    let grid = way.grid(scene, level, &Serial);
    let masks = row_masks(scene);
    let with_values = found([Some(scene); 2], grid.chunks(), |chunk, arena, held| {
        grid.pairs_with_values_in_chunk(chunk, masks, arena, held)
    });
    assert!(
        with_values == pairs(&grid, scene, &Serial),
        "{}, {level}",
        scene.name
    );
}

#[test]
fn of_a_grids_own_pairs() {
    for scene in adversarial(1200, 1).into_iter().chain([masked(1200, 2)]) {
        for &level in SimdLevel::available() {
            for way in WAYS {
                check_own(&scene, level, way);
                check_own(&scene.coarse(), level, way);
            }
        }
    }
}

/// Visits the pairs of two grids chunk by chunk, without values.
fn met(a: &PointGrid, b: &PointGrid, scenes: [&Scene; 2]) -> Vec<[u32; 2]> {
    let (mut pairs, mut arena) = (Vec::new(), Arena::new());
    let masks = scenes.map(row_masks);
    for chunk in 0..a.meet_chunks(b) {
        let mut visit = |batch: &[[u32; 2]]| pairs.extend_from_slice(batch);
        a.meet_in_chunk(b, chunk, masks, &mut arena, &mut visit);
    }
    pairs
}

#[test]
fn of_two_grids() {
    let scenes = [
        uniform(1000, 1.0, 3),
        masked(900, 4),
        mixed_sizes(1200, 5),
        uniform(150, 1.0, 6),
    ];
    let mut few_met_many = false;
    for first in &scenes {
        for second in &scenes {
            for &level in SimdLevel::available() {
                let a = Way::Refitted.grid(first, level, &Serial);
                let b = build(second, level, &Serial);
                let masks = [first, second].map(row_masks);
                // Of few rows among many, only the values of the many are known.
                let many = [(first, second), (second, first)];
                let is_known = many.map(|(one, other)| 4 * one.len() > other.len());
                few_met_many |= is_known != [true; 2];
                let known = [is_known[0].then_some(first), is_known[1].then_some(second)];
                let with_values = found(known, a.meet_chunks(&b), |chunk, arena, held| {
                    a.meet_with_values_in_chunk(&b, chunk, masks, arena, held)
                });
                let what = format!("{} and {}, {level}", first.name, second.name);
                assert!(with_values == met(&a, &b, [first, second]), "{what}");
                assert!(!with_values.is_empty(), "{what}");
            }
        }
    }
    assert!(few_met_many);
}

#[test]
fn of_a_grid_with_boxes() {
    let soldiers = [uniform(700, 1.0, 7), masked(800, 8), mixed_sizes(600, 9)];
    let boxes: Vec<BoxScene> = adversarial_boxes(80, 10);
    for scene in &soldiers {
        for &level in SimdLevel::available() {
            let grid = build(scene, level, &Serial);
            for boxes in &boxes {
                let list = BoxList(boxes);
                let masks = [row_masks(scene), None];
                for order in [PairOrder::Left, PairOrder::Right] {
                    let chunks = grid.meet_boxes_chunks(&list);
                    let (mut expected, mut arena) = (Vec::new(), Arena::new());
                    for chunk in 0..chunks {
                        let mut visit = |batch: &[[u32; 2]]| expected.extend_from_slice(batch);
                        grid.meet_boxes_in_chunk(
                            &list, chunk, masks, order, &mut arena, &mut visit,
                        );
                    }
                    let known = match order {
                        PairOrder::Right => [None, Some(scene)],
                        _ => [Some(scene), None],
                    };
                    let with_values = found(known, chunks, |chunk, arena, held| {
                        grid.meet_boxes_with_values_in_chunk(
                            &list, chunk, masks, order, arena, held,
                        )
                    });
                    assert!(with_values == expected, "{} and {}", scene.name, boxes.name);
                }
            }
        }
    }
}
