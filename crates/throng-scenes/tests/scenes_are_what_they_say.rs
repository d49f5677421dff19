//! Each scene has the property that it is there for; if a scene lost it, every other test would still pass.

use std::collections::HashSet;

use throng_scenes::{
    Line, Scene, adversarial, blobs, coincident_groups, denormals, extremes, far_from_origin,
    four_categories, gaussian_clusters, half_outside, lattice, marching_columns, masked,
    mixed_sizes, on_a_line, one_dense_cell, overlapping_pairs, overlapping_pairs_between,
    step_motion, towns_in_a_wide_world, two_categories, uniform, wavy_front, zero_extents,
};

fn pairs_per_agent(scene: &Scene) -> f64 {
    overlapping_pairs(scene).len() as f64 / scene.len() as f64
}

fn assert_near(scene: &Scene, expected: f64, tolerance: f64) {
    let found = pairs_per_agent(scene);
    let near = (found - expected).abs() <= tolerance * expected;
    assert!(
        near,
        "{}: {found} pairs per agent, not {expected}",
        scene.name
    );
}

#[test]
fn densities_are_as_asked() {
    for pairs in [0.1, 1.0, 4.0] {
        assert_near(&uniform(5000, pairs, 1), f64::from(pairs), 0.15);
    }
    for line in [Line::Row, Line::Column, Line::Diagonal] {
        assert_near(&on_a_line(3000, line, 1), 1.0, 0.15);
    }
    assert_near(&towns_in_a_wide_world(4000, 1e6, 1), 1.0, 0.3);
    assert_near(&wavy_front(4000, 1), 1.0, 0.15);
    // Where columns cross, there are a few more.
    assert_near(&marching_columns(8000, 1), 1.0, 0.2);
    assert_near(&denormals(3000, 1), 1.0, 0.15);
    assert_near(&zero_extents(3000, 1), 1.0, 0.15);
    assert_near(&coincident_groups(2500, 25, 1), 12.0, 0.3);
    // Half at 1 pair each, and half at 11, where a blob and the rest overlap.
    assert_near(&blobs(6000, 1.0, 1), 6.0, 0.4);
    assert!(pairs_per_agent(&gaussian_clusters(4000, 7, 1)) > 0.5);
}

#[test]
fn dense_scenes_are_complete() {
    for scene in [one_dense_cell(200, 1), coincident_groups(200, 200, 1)] {
        assert_eq!(
            overlapping_pairs(&scene).len(),
            200 * 199 / 2,
            "{}",
            scene.name
        );
    }
}

#[test]
fn lines_are_long_thin_and_lie_at_any_angle() {
    for (scene, most) in [(wavy_front(8000, 1), 0.2), (marching_columns(8000, 1), 0.1)] {
        // Squares of side 8 in which somebody is.
        let squares = scene.xs.iter().zip(&scene.ys);
        let squares: HashSet<_> = squares
            .map(|(x, y)| [x, y].map(|v| (v / 8.0).floor() as i32))
            .collect();
        let bounds = scene.bounds().unwrap();
        let [width, height] = [0, 1].map(|axis| bounds.max()[axis] - bounds.min()[axis]);
        let held = squares.len() as f32 * 64.0 / (width * height);
        assert!(held < most, "{}: {held} of the world", scene.name);
        // No axis has them all in a few rows or columns, and none leaves wide gaps in the middle.
        for axis in 0..2 {
            let on_axis: HashSet<_> = squares.iter().map(|square| square[axis]).collect();
            let all = [width, height][axis] / 8.0;
            let share = on_axis.len() as f32 / all;
            assert!(share > 0.7, "{}, axis {axis}: {share}", scene.name);
        }
    }
}

#[test]
fn half_are_outside() {
    let scene = half_outside(2000, 1);
    let side = 1000_f32.sqrt() * 2_f32.sqrt();
    let inside = |v: f32| (0.0..=side).contains(&v);
    let centers = scene.xs.iter().zip(&scene.ys);
    let outside = centers
        .filter(|&(&x, &y)| !(inside(x) && inside(y)))
        .count();
    assert_eq!(outside, 1000);
    assert!(pairs_per_agent(&scene) > 0.4);
}

#[test]
fn coordinates_reach_the_limits_they_should() {
    let far = far_from_origin(500, 1e7, 1);
    let mut xs = far.xs.clone();
    xs.sort_by(f32::total_cmp);
    xs.dedup();
    assert!(xs[0] >= 1e7 && xs.len() < 100, "rounded onto whole numbers");
    assert!(pairs_per_agent(&far) > 0.5);

    let tiny = denormals(500, 1);
    assert!(tiny.xs.iter().all(|x| *x == 0.0 || x.is_subnormal()));
    assert!(tiny.xs.iter().any(|x| *x < 0.0));

    let signs = zero_extents(2000, 1);
    let zeros = signs.xs.iter().filter(|x| **x == 0.0);
    let (minus, plus): (Vec<f32>, Vec<f32>) = zeros.partition(|x| x.is_sign_negative());
    assert!(!minus.is_empty() && !plus.is_empty());

    for half in [0.5, 1e30, 1e38] {
        let huge = extremes(500, half, 1);
        assert!(huge.xs.contains(&f32::MAX) && huge.ys.contains(&f32::MIN));
        assert!(huge.xs.iter().any(|x| x.abs() < 1e3));
        assert!(pairs_per_agent(&huge) > 0.5);
        let bounds = huge.bounds().unwrap();
        assert_eq!(bounds.is_finite(), half < 1e38, "{bounds}");
    }
}

#[test]
fn lattices_touch_just_miss_or_just_overlap() {
    // An interior box has eight neighbours, and half extents that are powers of two are exact.
    let pairs = |ulps| {
        let scene = lattice(400, [64.0, 64.0], [0.5, 0.5], ulps, 1);
        overlapping_pairs(&scene).len()
    };
    let touching = 2 * 20 * 19 + 2 * 19 * 19;
    assert_eq!((pairs(0), pairs(-1), pairs(1)), (touching, touching, 0));

    // With half extents that are not exact in binary, rounding decides which of them touch.
    let rounded = lattice(400, [-3.0, 5.0], [0.1, 0.3], 0, 1);
    let some = overlapping_pairs(&rounded).len();
    assert!(0 < some && some <= touching, "{some}");
}

#[test]
fn sizes_and_masks_matter() {
    let sizes = mixed_sizes(2000, 1);
    let own = overlapping_pairs(&sizes).len();
    assert!(0 < own && own < overlapping_pairs(&sizes.coarse()).len());
    let half_extents = sizes.half_extents.as_ref().unwrap();
    assert!(half_extents.contains(&[0.0, 0.0]) && half_extents.contains(&sizes.half));

    let some = masked(2000, 1);
    let all = Scene {
        masks: None,
        ..some.clone()
    };
    let (some, all) = (
        overlapping_pairs(&some).len(),
        overlapping_pairs(&all).len(),
    );
    assert!(0 < some && some < all);
}

#[test]
fn categories_differ_in_size_and_all_meet() {
    for (world, n) in [
        (two_categories(3000, 1), 3000),
        (four_categories(6000, 1), 6000),
    ] {
        assert_eq!(world.iter().map(Scene::len).sum::<usize>(), n);
        assert!(world.is_sorted_by(|a, b| a.half[0] * 4.0 < b.half[0]));
        for (i, a) in world.iter().enumerate() {
            assert!(!overlapping_pairs(a).is_empty(), "{} alone", a.name);
            for b in &world[i + 1..] {
                let pairs = overlapping_pairs_between(a, b);
                assert!(!pairs.is_empty(), "{} and {}", a.name, b.name);
            }
        }
    }
}

#[test]
fn every_scene_is_sound_at_every_size_and_named_apart() {
    for n in [0, 1, 2, 33, 700] {
        let mut scenes = adversarial(n, 5);
        scenes.extend([wavy_front(n, 5), marching_columns(n, 5)]);
        for scene in &scenes {
            scene.validate().unwrap();
            assert_eq!(scene.len(), n, "{}", scene.name);
            assert!(scene.xs.iter().chain(&scene.ys).all(|v| v.is_finite()));
        }
        let mut names: Vec<_> = scenes.iter().map(|scene| &scene.name).collect();
        names.sort();
        names.dedup();
        assert!(n < 33 || names.len() == scenes.len());
    }
}

#[test]
fn seeds_decide_everything() {
    assert_eq!(adversarial(300, 8), adversarial(300, 8));
    assert_ne!(uniform(300, 1.0, 8), uniform(300, 1.0, 9));
    let (mut once, mut twice) = (uniform(300, 1.0, 8), uniform(300, 1.0, 8));
    let before = once.clone();
    step_motion(&mut once, 0.5, 1);
    step_motion(&mut twice, 0.5, 1);
    assert_eq!(once, twice);
    let steps = once
        .xs
        .iter()
        .zip(&before.xs)
        .map(|(now, was)| (now - was).abs());
    let longest = steps.fold(0.0, f32::max);
    assert!((0.4..=0.51).contains(&longest), "{longest}");
}

#[test]
fn reordering_moves_rows_whole() {
    let mut scene = masked(500, 2);
    scene.half_extents = mixed_sizes(500, 2).half_extents;
    let pairs = overlapping_pairs(&scene).len();
    scene.sort_by_space(4.0);
    assert_eq!(overlapping_pairs(&scene).len(), pairs);
    let sorted = scene.clone();
    scene.shuffle(9);
    assert_ne!(scene, sorted);
    assert_eq!(overlapping_pairs(&scene).len(), pairs);
}
