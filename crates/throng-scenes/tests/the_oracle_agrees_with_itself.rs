//! The oracle that everything is tested against: brute force against cases worked out by hand, and the sweep against
//! brute force.

use throng_core::{Aabb, MaskWords};
use throng_scenes::{
    Scene, adversarial, four_categories, nearest, overlapping_pairs, overlapping_pairs_between,
    overlapping_pairs_between_sweep, overlapping_pairs_sweep, rows_at_point, rows_in_box,
    rows_in_circle, step_motion, two_categories, uniform,
};

/// Four boxes of side 1: 0 and 1 overlap, 1 and 2 touch, 3 is far away.
fn by_hand() -> Scene {
    let centers = [[0.0, 0.0], [0.5, 0.5], [1.5, 0.5], [9.0, 9.0]];
    Scene::new("by hand", [0.5; 2], centers)
}

#[test]
fn brute_force_finds_what_a_person_finds() {
    let mut scene = by_hand();
    assert_eq!(overlapping_pairs(&scene), [[0, 1], [1, 2]]);

    let other = Scene::new("others", [1.0; 2], [[8.0, 7.5], [2.5, 0.5]]);
    assert_eq!(overlapping_pairs_between(&scene, &other), [[2, 1], [3, 0]]);
    assert_eq!(overlapping_pairs_between(&other, &scene), [[0, 3], [1, 2]]);

    scene.half_extents = Some(vec![[0.5; 2], [0.5, 0.4], [0.4, 0.5], [0.0; 2]]);
    assert_eq!(overlapping_pairs(&scene), [[0, 1]]);
    assert_eq!(overlapping_pairs(&scene.coarse()), [[0, 1], [1, 2]]);

    scene = by_hand();
    scene.masks = Some(vec![
        MaskWords::ALL,
        MaskWords::ALL,
        MaskWords::NONE,
        MaskWords::ALL,
    ]);
    assert_eq!(overlapping_pairs(&scene), [[0, 1]]);
}

#[test]
fn rows_without_a_box_are_left_out() {
    let mut scene = by_hand();
    scene.xs[1] = f32::NAN;
    scene.ys[3] = f32::INFINITY;
    assert_eq!(scene.aabb(1), None);
    assert_eq!(overlapping_pairs(&scene), [[0_u32; 2]; 0]);
    assert_eq!(overlapping_pairs_sweep(&scene), [[0_u32; 2]; 0]);
    assert_eq!(rows_in_box(&scene, &Aabb::EVERYWHERE), [0, 2]);
}

#[test]
fn queries_find_what_a_person_finds() {
    let scene = by_hand();
    let corner = Aabb::new([1.0, -1.0], [1.2, 0.0]).unwrap();
    assert_eq!(rows_in_box(&scene, &corner), [1, 2]);
    assert_eq!(rows_at_point(&scene, [0.25, 0.5]), [0, 1]);
    assert_eq!(rows_at_point(&scene, [5.0, 5.0]), [0_u32; 0]);
    // Box 3 begins at (8.5, 8.5): 3 and 4 away from (5.5, 4.5).
    assert_eq!(rows_in_circle(&scene, [5.5, 4.5], 5.0), [2, 3]);
    assert_eq!(rows_in_circle(&scene, [5.5, 4.5], 5.0_f32.next_down()), [2]);
    assert_eq!(
        nearest(&scene, [0.25, 0.25], 3, 9.0),
        [(0, 0.0), (1, 0.0), (2, 0.5625)]
    );
    assert_eq!(nearest(&scene, [0.25, 0.25], 9, 0.5), [(0, 0.0), (1, 0.0)]);
    assert_eq!(nearest(&scene, [9.0, 9.0], 1, 0.0), [(3, 0.0)]);
}

#[test]
fn the_sweep_finds_what_brute_force_finds() {
    for scene in adversarial(600, 11) {
        let pairs = overlapping_pairs(&scene);
        assert_eq!(overlapping_pairs_sweep(&scene), pairs, "{}", scene.name);
        let rises = pairs.iter().all(|[a, b]| a < b) && pairs.is_sorted();
        assert!(rises, "{}: lower row first, in order", scene.name);
    }
}

#[test]
fn the_sweep_between_scenes_finds_what_brute_force_finds() {
    let mut worlds = [two_categories(600, 3), four_categories(1200, 4)];
    // Two frames of one crowd share many coordinates exactly.
    let still = uniform(400, 1.0, 5);
    let mut moved = still.clone();
    step_motion(&mut moved, 0.25, 6);
    moved.xs[..200].copy_from_slice(&still.xs[..200]);
    worlds[0].extend([still, moved]);
    for world in &worlds {
        for a in world {
            for b in world {
                assert_eq!(
                    overlapping_pairs_between_sweep(a, b),
                    overlapping_pairs_between(a, b),
                    "{} against {}",
                    a.name,
                    b.name
                );
            }
        }
    }
}
