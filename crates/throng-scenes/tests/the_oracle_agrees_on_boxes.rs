//! The oracle for boxes of any size: against cases worked out by hand, the sweep against brute force, and one kind of
//! scene against the other.

use throng_core::{Aabb, MaskWords};
use throng_scenes::{
    BoxScene, Rows, adversarial, adversarial_boxes, lord_of_the_rings, mixed_sizes, nearest,
    overlapping_pairs, overlapping_pairs_between, overlapping_pairs_between_sweep,
    overlapping_pairs_sweep, rows_at_point, rows_in_box, rows_in_circle, step_box_motion,
};

const INF: f32 = f32::INFINITY;

/// 0: a unit box at the origin; 1: a bar that touches its right side; 2: everything below y = -1, a half plane; 3: a
/// band along x, far up.
fn by_hand() -> BoxScene {
    let sides = [
        [[0.0, 0.0], [1.0, 1.0]],
        [[1.0, -5.0], [2.0, 5.0]],
        [[-INF, -INF], [INF, -1.0]],
        [[-INF, 100.0], [INF, 101.0]],
    ];
    BoxScene::from_sides("by hand", sides)
}

#[test]
fn brute_force_finds_what_a_person_finds() {
    let mut scene = by_hand();
    assert_eq!(overlapping_pairs(&scene), [[0, 1], [1, 2]]);
    let plane = BoxScene::new("plane", [Aabb::EVERYWHERE]);
    let all = [[0, 0], [1, 0], [2, 0], [3, 0]];
    assert_eq!(overlapping_pairs_between(&scene, &plane), all);

    scene.masks = Some(vec![
        MaskWords::ALL,
        MaskWords::ALL,
        MaskWords::NONE,
        MaskWords::ALL,
    ]);
    assert_eq!(overlapping_pairs(&scene), [[0, 1]]);
    assert_eq!(overlapping_pairs_between(&plane, &scene).len(), 3);
}

#[test]
fn queries_find_what_a_person_finds() {
    let scene = by_hand();
    let window = Aabb::new([1.0, 0.5], [9.0, 100.0]).unwrap();
    assert_eq!(rows_in_box(&scene, &window), [0, 1, 3]);
    let below = Aabb::new([-INF, -INF], [0.5, -1.0]).unwrap();
    assert_eq!(rows_in_box(&scene, &below), [2]);
    assert_eq!(rows_at_point(&scene, [1.0, -3.0]), [1, 2]);
    assert_eq!(rows_in_circle(&scene, [0.5, 2.0], 1.0), [0, 1]);
    let found = [(0, 0.0), (1, 0.25), (2, 2.25), (3, 9900.25)];
    assert_eq!(nearest(&scene, [0.5, 0.5], 9, INF), found);
    assert_eq!(nearest(&scene, [0.5, 0.5], 9, 1.5), found[..3]);
    assert_eq!(nearest(&scene, [0.5, 0.5], 2, INF), found[..2]);
}

#[test]
fn rows_without_a_box_are_left_out() {
    let mut scene = by_hand();
    scene.min[0][1] = f32::NAN;
    scene.max[1][2] = -INF;
    assert_eq!(overlapping_pairs(&scene), [[0_u32; 2]; 0]);
    assert_eq!(overlapping_pairs_sweep(&scene), [[0_u32; 2]; 0]);
    assert_eq!(rows_in_box(&scene, &Aabb::EVERYWHERE), [0, 3]);
}

#[test]
fn the_sweep_finds_what_brute_force_finds() {
    for scene in adversarial_boxes(600, 11) {
        let pairs = overlapping_pairs(&scene);
        assert_eq!(overlapping_pairs_sweep(&scene), pairs, "{}", scene.name);
        let rises = pairs.iter().all(|[a, b]| a < b) && pairs.is_sorted();
        assert!(rises, "{}: lower row first, in order", scene.name);
    }
}

fn check_between(a: &impl Rows, b: &impl Rows, what: &str) {
    let pairs = overlapping_pairs_between(a, b);
    assert_eq!(overlapping_pairs_between_sweep(a, b), pairs, "{what}");
    let mut turned = overlapping_pairs_between(b, a);
    turned.iter_mut().for_each(|pair| pair.reverse());
    turned.sort_unstable();
    assert_eq!(turned, pairs, "{what}, turned round");
}

#[test]
fn the_sweep_between_scenes_finds_what_brute_force_finds() {
    let scenes = adversarial_boxes(150, 3);
    for a in &scenes {
        for b in &scenes {
            check_between(a, b, &format!("{} against {}", a.name, b.name));
        }
        // Two frames share many coordinates exactly.
        let mut moved = a.clone();
        step_box_motion(&mut moved, 0.25, 6);
        for row in 0..a.len() / 2 {
            moved.min[0][row] = a.min[0][row];
            moved.max[1][row] = a.max[1][row];
        }
        check_between(a, &moved, &format!("{}, two frames", a.name));
    }
    for points in adversarial(150, 4) {
        for a in &scenes {
            check_between(&points, a, &format!("{} against {}", points.name, a.name));
        }
    }
}

#[test]
fn a_scene_and_its_boxes_give_the_same_answers() {
    for points in adversarial(300, 5) {
        let boxes = BoxScene::from(&points);
        let pairs = overlapping_pairs(&points);
        assert_eq!(overlapping_pairs(&boxes), pairs, "{}", points.name);
        let twice = pairs.len() * 2;
        let met = overlapping_pairs_between(&points, &boxes);
        let met = met.iter().filter(|[a, b]| a != b).count();
        assert_eq!(met, twice, "{}", points.name);
    }

    let mut points = mixed_sizes(300, 6);
    points.xs[7] = f32::NAN;
    assert_eq!(BoxScene::from(&points).aabb(7), None);
}

#[test]
fn a_coarse_scene_gives_the_coarse_answer() {
    let world = lord_of_the_rings(4000, 7);
    let own = overlapping_pairs_between(&world.units, &world.dragons);
    let coarse = overlapping_pairs_between(&world.units.coarse(), &world.dragons);
    assert!(own.len() < coarse.len());
    assert!(own.iter().all(|pair| coarse.binary_search(pair).is_ok()));
}
