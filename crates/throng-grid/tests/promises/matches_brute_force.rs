//! Every overlapping pair exactly once, and always in the same order: every scene, thread count and instruction set
//! against the oracle.

use crate::common::{BoxList, WAYS, Way, box_masks, build, pairs, rebuild, row_masks};
use throng_core::{Arena, BoxRun, BoxSource, PairOrder, Serial, SimdLevel};
use throng_scenes::{
    BoxScene, Scene, THREADS, Threads, adversarial, adversarial_boxes, four_categories, masked,
    overlapping_pairs, overlapping_pairs_between, overlapping_pairs_sweep, sorted, step_motion,
    two_categories, uniform,
};

fn check(scene: &Scene, expected: &[[u32; 2]]) {
    WAYS.iter().for_each(|&way| check_by(way, scene, expected));
}

fn check_by(way: Way, scene: &Scene, expected: &[[u32; 2]]) {
    let grid = way.grid(scene, SimdLevel::Scalar, &Serial);
    let reference = pairs(&grid, scene, &Serial);
    assert!(
        reference.iter().all(|[a, b]| a < b),
        "{}: the lower row comes first",
        scene.name
    );
    assert_eq!(sorted(reference.clone()), expected, "{}", scene.name);
    for &level in SimdLevel::available() {
        for threads in THREADS {
            let executor = Threads(threads);
            let grid = way.grid(scene, level, &executor);
            let found = pairs(&grid, scene, &executor);
            assert!(
                found == reference,
                "{}, {way:?}: {level} on {threads} threads differs",
                scene.name
            );
        }
    }
}

#[test]
fn pairs_of_adversarial_scenes() {
    for scene in adversarial(1500, 1) {
        check(&scene, &overlapping_pairs(&scene));
        if scene.half_extents.is_some() {
            check(&scene.coarse(), &overlapping_pairs(&scene.coarse()));
        }
    }
}

/// Rows outside the range of cells share the outermost column, in no order along x.
#[test]
fn pairs_of_rows_outside_the_cells() {
    let crowd = (0..600_u32).map(|k| [(k % 50) as f32 * 1e-3, (k / 50) as f32 * 2e-3]);
    let army = |x: f32| {
        let places = (0..300_u32).map(move |k| (k * 7919 % 300, k));
        places.map(move |(k, _)| [x + (k % 20) as f32 * 0.9, (k / 20) as f32 * 0.9])
    };
    for far in [1e5, 150_000.0, 1e6, -1e6, 1e7, 1e30] {
        let scene = Scene::new(format!("an army at {far}"), [0.5, 0.5], crowd.clone());
        // The layout is planned for the crowd alone; then the others come.
        let mut grid = build(&scene, SimdLevel::detect(), &Serial);
        let scene = Scene::new(scene.name, [0.5, 0.5], crowd.clone().chain(army(far)));
        let expected = overlapping_pairs_sweep(&scene);
        let expected_between = overlapping_pairs_between(&scene, &scene);
        for _ in 0..3 {
            rebuild(&mut grid, &scene, &Serial);
            let found = sorted(pairs(&grid, &scene, &Serial));
            assert!(found == expected, "{}", scene.name);
            let other = build(&scene, SimdLevel::Scalar, &Serial);
            let mut met = Vec::new();
            grid.for_each_meeting(&other, [None, None], |a, b| met.push([a, b]));
            assert!(sorted(met) == expected_between, "{}", scene.name);
        }
    }
}

#[test]
fn pairs_of_tiny_scenes() {
    for n in 0..40 {
        let scene = uniform(n, 4.0, n as u64);
        check(&scene, &overlapping_pairs(&scene));
    }
}

#[test]
fn pairs_of_larger_scenes() {
    for scene in adversarial(20_000, 2) {
        // Where almost everything overlaps, there are too many pairs for a test.
        if !scene.name.contains("dense") {
            let expected = overlapping_pairs_sweep(&scene);
            let found = pairs(
                &build(&scene, SimdLevel::detect(), &Threads(3)),
                &scene,
                &Threads(2),
            );
            assert!(sorted(found) == expected, "{}", scene.name);
        }
    }
}

#[test]
fn pairs_while_everything_moves() {
    for mut scene in adversarial(1000, 3) {
        let levels = SimdLevel::available();
        let mut grids: Vec<_> = levels
            .iter()
            .map(|&level| build(&scene, level, &Serial))
            .collect();
        for frame in 0..6 {
            step_motion(&mut scene, 0.2, frame);
            let found: Vec<_> = grids
                .iter_mut()
                .zip(THREADS)
                .map(|(grid, threads)| {
                    rebuild(grid, &scene, &Threads(threads));
                    pairs(grid, &scene, &Threads(threads))
                })
                .collect();
            assert!(
                found.iter().all(|pairs| *pairs == found[0]),
                "{}, frame {frame}",
                scene.name
            );
            assert_eq!(
                sorted(found[0].clone()),
                overlapping_pairs(&scene),
                "{}, frame {frame}",
                scene.name
            );
        }
    }
}

#[test]
fn meetings_of_categories() {
    for scenes in [two_categories(3000, 4), four_categories(4000, 5)] {
        for (a, b) in scenes
            .iter()
            .flat_map(|a| scenes.iter().map(move |b| (a, b)))
        {
            check_meeting(a, b);
        }
    }
}

#[test]
fn meetings_of_adversarial_scenes() {
    let scenes = adversarial(200, 6);
    for (place, a) in scenes.iter().enumerate() {
        // Each pair of scenes once: both ways round are checked.
        for b in &scenes[place..] {
            check_meeting(a, b);
        }
    }
}

/// Whichever of two grids is walked, and however much larger it is, each row's own masks are used.
#[test]
fn meetings_of_masked_grids_of_any_sizes() {
    let sizes = [50, 150, 500, 2000];
    let scenes: Vec<_> = (11..).zip(sizes).map(|(seed, n)| masked(n, seed)).collect();
    for (a, b) in scenes
        .iter()
        .flat_map(|a| scenes.iter().map(move |b| (a, b)))
    {
        let without = |scene: &Scene| Scene {
            masks: None,
            ..scene.clone()
        };
        check_meeting(a, b);
        check_meeting(&without(a), b);
        check_meeting(a, &without(b));
    }
}

fn check_meeting(a: &Scene, b: &Scene) {
    WAYS.iter().for_each(|&way| check_meeting_by(way, a, b));
}

fn check_meeting_by(way: Way, a: &Scene, b: &Scene) {
    let expected = sorted(overlapping_pairs_between(a, b));
    let masks = [row_masks(a), row_masks(b)];
    let mut reference = None;
    for &level in SimdLevel::available() {
        let (grid_a, grid_b) = (way.grid(a, level, &Serial), way.grid(b, level, &Threads(2)));
        let mut found = Vec::new();
        grid_a.for_each_meeting(&grid_b, masks, |a, b| found.push([a, b]));
        let mut back = Vec::new();
        let flipped = [masks[1], masks[0]];
        grid_b.for_each_meeting(&grid_a, flipped, |b, a| back.push([a, b]));
        let both = [found, back];
        let first = reference.get_or_insert_with(|| both.clone());
        assert!(
            *first == both,
            "{} with {}: {level} differs",
            a.name,
            b.name
        );
        for found in both {
            assert_eq!(sorted(found), expected, "{} with {}", a.name, b.name);
        }
    }
}

#[test]
fn meetings_with_boxes_of_any_size() {
    let boxes = adversarial_boxes(60, 7);
    for scene in adversarial(120, 8) {
        for boxes in &boxes {
            check_meeting_with_boxes(&scene, boxes);
            if scene.half_extents.is_some() {
                check_meeting_with_boxes(&scene.coarse(), boxes);
            }
        }
    }
}

/// Pieces of more than a few blocks, and more boxes near one than there is scratch memory for.
#[test]
fn meetings_with_crowds_of_boxes() {
    let boxes = BoxScene::from(&uniform(5000, 4.0, 9));
    for pairs in [0.1, 4.0] {
        check_meeting_with_boxes(&uniform(5000, pairs, 10), &boxes);
    }
}

fn check_meeting_with_boxes(scene: &Scene, boxes: &BoxScene) {
    let by = |&way: &Way| check_meeting_with_boxes_by(way, scene, boxes);
    WAYS.iter().for_each(by);
}

fn check_meeting_with_boxes_by(way: Way, scene: &Scene, boxes: &BoxScene) {
    let expected = sorted(overlapping_pairs_between(scene, boxes));
    let masks = [row_masks(scene), box_masks(boxes)];
    let what = format!("{} ({way:?}) with {}", scene.name, boxes.name);
    let mut reference = None;
    for &level in SimdLevel::available() {
        let grid = way.grid(scene, level, &Threads(2));
        let mut found = Vec::new();
        grid.for_each_meeting_with_boxes(&BoxList(boxes), masks, |a, b| found.push([a, b]));
        let first = reference.get_or_insert_with(|| found.clone());
        assert!(*first == found, "{what}: {level} differs");
        let mut turned = Vec::new();
        for chunk in 0..grid.meet_boxes_chunks(&BoxList(boxes)) {
            let mut visit = |batch: &[[u32; 2]]| turned.extend(batch.iter().map(|&[b, a]| [a, b]));
            let (list, order, arena) = (BoxList(boxes), PairOrder::Right, &mut Arena::new());
            grid.meet_boxes_in_chunk(&list, chunk, masks, order, arena, &mut visit);
        }
        assert!(found == turned, "{what}: the order changes the pairs");
        let mut asked = Vec::new();
        for row in (0..boxes.len()).filter(|&row| boxes.aabb(row).is_some()) {
            let arena = Arena::new();
            let mut run = BoxRun::with_capacity(&arena, 0, false);
            grid.gather(&boxes.aabb(row).unwrap(), &arena, &mut run);
            asked.extend(run.rows().iter().map(|&a| [a, row as u32]));
        }
        let admits =
            |&[a, b]: &[u32; 2]| scene.masks_of(a as usize).meets(boxes.masks_of(b as usize));
        asked.retain(admits);
        assert!(sorted(asked) == expected, "{what}: asked box by box");
        assert!(sorted(found) == expected, "{what}");
    }
}
