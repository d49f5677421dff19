//! Boxes that ask find every row that they overlap, once, whether they come to a leaf alone or with others, in any order.

use crate::common::{WAYS, Way, box_masks, row_masks};
use throng_core::{Arena, BoxRun, PairOrder, SimdLevel};
use throng_grid::PointGrid;
use throng_scenes::{
    BoxScene, Scene, Threads, adversarial, adversarial_boxes, overlapping_pairs_between,
    overlapping_pairs_between_sweep, sorted, uniform,
};

#[test]
fn boxes_of_any_size_ask_adversarial_scenes() {
    let boxes = adversarial_boxes(60, 1);
    for scene in adversarial(120, 2) {
        for boxes in &boxes {
            let expected = overlapping_pairs_between(&scene, boxes);
            check(&scene, boxes, &expected);
            if scene.half_extents.is_some() {
                let coarse = scene.coarse();
                let expected = overlapping_pairs_between(&coarse, boxes);
                check(&coarse, boxes, &expected);
            }
        }
    }
}

/// Leaves of all lengths, to which many boxes come at once; those of one spot are compared part by part.
#[test]
fn scenes_ask_themselves() {
    for scene in adversarial(5000, 3) {
        // Where almost everything overlaps, there are too many pairs for a test.
        if !scene.name.contains("dense") {
            let boxes = BoxScene::from(&scene);
            let expected = overlapping_pairs_between_sweep(&scene, &boxes);
            check(&scene, &boxes, &expected);
        }
    }
    let spot = Scene::new(
        "a spot",
        [0.5, 0.5],
        (0..5000).map(|k| [(k % 7) as f32 * 1e-3, 0.0]),
    );
    let few = Scene::new("a few", [0.5, 0.5], [[0.0, 0.9], [0.9, 0.0], [2.0, 0.0]]);
    let boxes = BoxScene::from(&few);
    check(&spot, &boxes, &overlapping_pairs_between(&spot, &boxes));
}

/// From those that come to their leaves alone to those of which many do.
#[test]
fn shares_of_a_crowd_ask_it() {
    let scene = uniform(20_000, 1.0, 4);
    for times in [1, 3, 10, 30, 100, 1000] {
        let asking = Scene::new(
            format!("one in {times}"),
            scene.half,
            (0..scene.len())
                .step_by(times)
                .map(|row| [scene.xs[row], scene.ys[row] + 0.1]),
        );
        let boxes = BoxScene::from(&asking);
        let expected = overlapping_pairs_between_sweep(&scene, &boxes);
        check(&scene, &boxes, &expected);
    }
}

fn check(scene: &Scene, boxes: &BoxScene, expected: &[[u32; 2]]) {
    WAYS.iter()
        .for_each(|&way| check_by(way, scene, boxes, expected));
}

fn check_by(way: Way, scene: &Scene, boxes: &BoxScene, expected: &[[u32; 2]]) {
    let what = format!("{} ({way:?}) asked by {}", scene.name, boxes.name);
    let expected = sorted(expected.to_vec());
    let rows: Vec<u32> = (0..boxes.len() as u32)
        .filter(|&row| boxes.aabb(row as usize).is_some())
        .collect();
    let mut reference = None;
    for &level in SimdLevel::available() {
        let grid = way.grid(scene, level, &Threads(2));
        let found = ask(&grid, scene, boxes, &rows, PairOrder::Left);
        let first = reference.get_or_insert_with(|| found.clone());
        assert!(*first == found, "{what}: {level} differs");
        assert!(sorted(found) == expected, "{what}: {level}");
        let turned = ask(&grid, scene, boxes, &rows, PairOrder::Right);
        let turned: Vec<_> = turned.into_iter().map(|[b, a]| [a, b]).collect();
        assert!(*first == turned, "{what}: the order changes the pairs");
        let backwards: Vec<u32> = rows.iter().rev().copied().collect();
        let again = ask(&grid, scene, boxes, &backwards, PairOrder::Left);
        assert!(sorted(again) == expected, "{what}: {level}, backwards");
        let by_few = rows
            .chunks(7)
            .flat_map(|few| ask(&grid, scene, boxes, few, PairOrder::Left));
        assert!(
            sorted(by_few.collect()) == expected,
            "{what}: {level}, by few"
        );
    }
}

fn ask(
    grid: &PointGrid,
    scene: &Scene,
    boxes: &BoxScene,
    rows: &[u32],
    order: PairOrder,
) -> Vec<[u32; 2]> {
    let (arena, room) = (Arena::new(), Arena::new());
    let mut run = BoxRun::with_capacity(&arena, rows.len(), false);
    for &row in rows {
        let aabb = boxes.aabb(row as usize).unwrap();
        run.push([aabb.min(), aabb.max()], row);
    }
    let masks = [row_masks(scene), box_masks(boxes)];
    let mut found = Vec::new();
    let mut visit = |pairs: &[[u32; 2]]| found.extend_from_slice(pairs);
    let stats = grid.ask_for_each(&run, masks, order, &room, &mut visit);
    assert_eq!(stats.pairs, found.len() as u64);
    assert!(stats.candidates >= stats.pairs);
    found
}
