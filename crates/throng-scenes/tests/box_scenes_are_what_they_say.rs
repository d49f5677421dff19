//! Each scene of boxes has the property that it is there for; if a scene lost it, every other test would still pass.

use throng_core::{Aabb, Axis, InfiniteSides};
use throng_scenes::{
    BoxScene, Line, adversarial_boxes, box_towns, boxes_far_from_origin, boxes_on_a_line,
    boxes_on_a_point, crossing_walls, denormal_boxes, equal_boxes, extreme_boxes, flat_boxes,
    giants_alone, hundred_giants, log_uniform_boxes, log_uniform_squares, lord_of_the_rings,
    lord_of_the_rings_with_walls, masked_boxes, no_boxes, one_covers_all, overlapping_pairs,
    overlapping_pairs_between, resize_some, rows_in_box, step_box_motion, touching_boxes,
    unbounded_boxes, walls, walls_and_agents,
};

fn boxes(scene: &BoxScene) -> Vec<Aabb> {
    let boxes = (0..scene.len()).map(|row| scene.aabb(row).expect("every row has a box"));
    boxes.collect()
}

fn half_extents(scene: &BoxScene) -> Vec<[f32; 2]> {
    boxes(scene).iter().map(Aabb::half_extents).collect()
}

fn size(aabb: &Aabb) -> [f32; 2] {
    [0, 1].map(|axis| aabb.max()[axis] - aabb.min()[axis])
}

fn pairs_per_box(scene: &BoxScene) -> f64 {
    overlapping_pairs(scene).len() as f64 / scene.len() as f64
}

fn assert_near(scene: &BoxScene, expected: f64, tolerance: f64) {
    let found = pairs_per_box(scene);
    let near = (found - expected).abs() <= tolerance * expected;
    let name = &scene.name;
    assert!(near, "{name}: {found} pairs per box, not {expected}");
}

#[test]
fn densities_are_as_asked() {
    for pairs in [0.5, 1.0, 4.0] {
        let expected = f64::from(pairs);
        assert_near(
            &log_uniform_boxes(5000, [1.0, 100.0], pairs, 1),
            expected,
            0.2,
        );
        assert_near(
            &log_uniform_squares(5000, [1.0, 1000.0], pairs, 1),
            expected,
            0.2,
        );
    }
    for line in [Line::Row, Line::Column, Line::Diagonal] {
        assert_near(&boxes_on_a_line(3000, line, 1), 1.0, 0.15);
    }
    assert_near(&box_towns(4000, 1e6, 1), 1.0, 0.3);
    assert_near(&denormal_boxes(3000, 1), 1.0, 0.15);
    assert_near(&equal_boxes(2500, 25, 1), 12.0, 0.3);
    assert_near(&boxes_far_from_origin(3000, 1e7, 1), 1.0, 0.2);
    assert_near(&flat_boxes(3000, 1), 2.3, 0.15);
    for axis in Axis::ALL {
        assert_near(&walls(3000, axis, 1), 2.0, 0.2);
    }
}

#[test]
fn sizes_are_spread_evenly_over_their_logarithm() {
    let (smallest, largest) = (1.0, 1000.0);
    let halves = half_extents(&log_uniform_boxes(6000, [smallest, largest], 1.0, 1));
    for axis in 0..2 {
        let sizes = halves.iter().map(|half| half[axis]);
        // Sides are rounded once.
        assert!(sizes.clone().all(|half| (0.99..1001.0).contains(&half)));
        let mut decades = [0; 3];
        sizes.for_each(|half| decades[(half.log10() as usize).min(2)] += 1);
        assert!(
            decades.iter().all(|boxes| (1800..2200).contains(boxes)),
            "{decades:?}"
        );
    }
    assert!(halves.iter().any(|[x, y]| x > &(30.0 * y)));
    let squares = half_extents(&log_uniform_squares(1000, [1.0, 100.0], 1.0, 1));
    assert!(squares.iter().all(|[x, y]| (x - y).abs() < 0.01));
}

#[test]
fn dense_scenes_are_complete() {
    let all = 200 * 199 / 2;
    for scene in [boxes_on_a_point(200, 1), equal_boxes(200, 200, 1)] {
        assert_eq!(overlapping_pairs(&scene).len(), all, "{}", scene.name);
    }
    assert!(overlapping_pairs(&giants_alone(200, 1)).len() > all * 9 / 10);
    // A hundred along each axis, each of which meets the hundred that cross it, and few others.
    let walls = overlapping_pairs(&crossing_walls(200, 1)).len();
    assert!((10_000..10_100).contains(&walls), "{walls}");
}

#[test]
fn giants_cover_what_they_should() {
    let scene = one_covers_all(500, 1);
    let all = boxes(&scene);
    let covers = |giant: &&Aabb| all.iter().all(|aabb| giant.contains(aabb));
    assert_eq!(all.iter().filter(covers).count(), 1);
    assert!(pairs_per_box(&scene) < 3.0);

    let scene = hundred_giants(3000, 1);
    let [width, height] = size(&scene.bounds().unwrap());
    let giants: Vec<_> = boxes(&scene)
        .into_iter()
        .filter(|aabb| size(aabb)[0] > 3.0)
        .collect();
    assert_eq!(giants.len(), 100);
    for giant in &giants {
        let part = size(giant)[0] * size(giant)[1] / (width * height);
        assert!((0.08..=0.101).contains(&part), "{part}");
        let met = rows_in_box(&scene, giant).len();
        assert!((200..500).contains(&met), "{met}");
    }
}

#[test]
fn walls_are_long_thin_and_along_their_axis() {
    for axis in Axis::ALL {
        let scene = walls(2500, axis, 1);
        let [along, across] = [axis as usize, 1 - axis as usize];
        let long = boxes(&scene)
            .into_iter()
            .filter(|aabb| size(aabb)[along] > 300.0 * size(aabb)[across]);
        assert_eq!(long.count(), 50, "{axis}");
    }
}

#[test]
fn tiles_touch_just_miss_or_just_overlap() {
    // An interior box has eight neighbours.
    let touching = 2 * 20 * 19 + 2 * 19 * 19;
    for origin in [[-300.0, -300.0], [1e5, -2e6]] {
        let pairs = |ulps| overlapping_pairs(&touching_boxes(400, origin, ulps, 1)).len();
        assert_eq!((pairs(0), pairs(-1), pairs(1)), (touching, touching, 0));
    }
    let scene = touching_boxes(400, [-300.0, -300.0], 0, 1);
    assert!(scene.min().iter().all(|column| column.contains(&-300.0)));
    assert!(boxes(&scene).iter().any(|tile| size(tile) == [64.0, 1.0]));
}

#[test]
fn sides_reach_the_limits_they_should() {
    let endless = unbounded_boxes(1200, 1);
    let sides: Vec<_> = boxes(&endless).iter().map(Aabb::infinite_sides).collect();
    assert_eq!(sides.iter().filter(|sides| sides.any()).count(), 75);
    for kind in 0..16 {
        let infinite = |bit: u32| kind >> bit & 1 == 1;
        let kind = InfiniteSides {
            min: [infinite(0), infinite(1)],
            max: [infinite(2), infinite(3)],
        };
        assert!(sides.contains(&kind), "{kind:?}");
    }
    assert!(endless.bounds().unwrap().is_finite());

    let far = boxes_far_from_origin(500, 1e7, 1);
    assert!(far.min[0].iter().all(|x| x.fract() == 0.0 && *x > 9e6));
    assert!(far.max[1].iter().all(|y| y.fract() == 0.0 && *y < -9e6));

    let tiny = denormal_boxes(500, 1);
    let columns = || tiny.min().into_iter().chain(tiny.max());
    assert!(columns().flatten().all(|v| *v == 0.0 || v.is_subnormal()));
    assert!(columns().all(|column| column.iter().any(|v| *v < 0.0)));
    assert!(half_extents(&tiny).contains(&[0.0; 2]));

    let flat = flat_boxes(2000, 1);
    let sizes: Vec<_> = boxes(&flat).iter().map(size).collect();
    assert!(sizes.iter().all(|size| size.contains(&0.0)));
    assert!(sizes.iter().any(|size| size[0] == 3.0) && sizes.contains(&[0.0; 2]));
    let zeros = flat.min[0].iter().filter(|x| **x == 0.0);
    let (minus, plus): (Vec<f32>, Vec<f32>) = zeros.partition(|x| x.is_sign_negative());
    assert!(!minus.is_empty() && !plus.is_empty());

    let huge = extreme_boxes(500, 1);
    assert!(huge.min[0].contains(&f32::MIN) && huge.max[1].contains(&f32::MAX));
    assert!(boxes(&huge).iter().all(Aabb::is_finite));
    let widest = [f32::MIN, f32::MAX];
    let whole = |row: &usize| [huge.min[0][*row], huge.max[0][*row]] == widest;
    assert!((0..500).any(|row| whole(&row)), "as wide as all there is");
    assert!(half_extents(&huge).contains(&[0.0; 2]));
    assert!(pairs_per_box(&huge) > 0.5);
}

#[test]
fn masks_matter() {
    let some = masked_boxes(2000, 1);
    let all = BoxScene {
        masks: None,
        ..some.clone()
    };
    let [some, all] = [some, all].map(|scene| overlapping_pairs(&scene).len());
    assert!(0 < some && some < all);
}

#[test]
fn the_lord_of_the_rings_has_armies_faeries_and_dragons() {
    let world = lord_of_the_rings(10_000, 1);
    let counts = [world.units.len(), world.faeries.len(), world.dragons.len()];
    assert_eq!(counts, [9450, 500, 50]);
    world.units.validate().unwrap();
    world.faeries.validate().unwrap();
    world.dragons.validate().unwrap();

    let within = |[x, y]: [f32; 2], low: f32, high: f32| {
        (low * 0.999..=high * 1.001).contains(&x) && (low * 0.999..=high * 1.001).contains(&y)
    };
    let own = |halves: &Option<Vec<[f32; 2]>>| halves.clone().unwrap().into_iter();
    assert!(own(&world.units.half_extents).all(|half| within(half, 0.6, 1.0)));
    assert!(own(&world.faeries.half_extents).all(|half| within(half, 0.05, 0.2)));
    let dragons = half_extents(&world.dragons);
    assert!(dragons.iter().all(|&half| within(half, 10.0, 20.0)));

    let among_units = overlapping_pairs(&world.units).len();
    assert!((8500..10_000).contains(&among_units), "{among_units}");
    let below_dragons = overlapping_pairs_between(&world.units, &world.dragons).len();
    assert!((6000..12_000).contains(&below_dragons), "{below_dragons}");

    let together = world.together();
    assert_eq!(together.len(), 10_000);
    assert_eq!(together.aabb(9_500), world.faeries.aabb(50));
    assert_eq!(together.aabb(9_999), world.dragons.aabb(49));
}

#[test]
fn the_lord_of_the_rings_is_the_same_with_walls() {
    let (without, with) = (
        lord_of_the_rings(4000, 1),
        lord_of_the_rings_with_walls(4000, 1000, 1),
    );
    assert_eq!((without.walls.len(), with.walls.len()), (0, 1000));
    with.walls.validate().unwrap();
    assert_eq!(with.units, without.units);
    assert_eq!(with.dragons, without.dragons);
    assert_eq!(with.together().aabb(4999), with.walls.aabb(999));
    let touched = overlapping_pairs_between(&with.units, &with.walls).len();
    assert!((8500..11_000).contains(&touched), "{touched} of 3780 units");
}

#[test]
fn agents_touch_as_many_walls_as_asked() {
    for hits in [0.5, 1.0, 4.0] {
        let world = walls_and_agents(4000, 4000, hits, 1);
        assert_eq!((world.agents.len(), world.walls.len()), (4000, 4000));
        world.agents.validate().unwrap();
        world.walls.validate().unwrap();
        let found = overlapping_pairs_between(&world.agents, &world.walls).len() as f32;
        let expected = 4000.0 * hits;
        assert!(
            (found - expected).abs() < 0.15 * expected,
            "{found}, not {expected}"
        );
    }
    let walls = half_extents(&walls_and_agents(0, 5000, 1.0, 1).walls);
    let longest = |[x, y]: &[f32; 2]| x.max(*y);
    let curtains = walls.iter().filter(|half| longest(half) > 24.0);
    assert!((30..70).contains(&curtains.clone().count()));
    assert!(
        curtains
            .clone()
            .all(|half| half[0].min(half[1]) < 0.51 && longest(half) < 100.1)
    );
    let rest = walls.iter().filter(|half| longest(half) <= 24.0);
    let mut sides = rest.flatten();
    assert!(sides.all(|half| (0.24..10.1).contains(half)));
    assert!(walls_and_agents(9, 0, 1.0, 1).walls.is_empty());
}

#[test]
fn every_scene_is_sound_at_every_size_and_named_apart() {
    assert!(no_boxes().is_empty() && no_boxes().bounds().is_none());
    for n in [0, 1, 2, 33, 700, 1500] {
        let scenes = adversarial_boxes(n, 5);
        assert!(scenes[0].is_empty());
        for scene in &scenes {
            scene.validate().unwrap();
        }
        for scene in &scenes[1..] {
            assert!([n, n.min(1000)].contains(&scene.len()), "{}", scene.name);
        }
        let mut names: Vec<_> = scenes.iter().map(|scene| &scene.name).collect();
        names.sort();
        names.dedup();
        assert!(n < 33 || names.len() == scenes.len());

        let world = lord_of_the_rings(n, 5);
        assert_eq!(world.together().len(), n);
        world.units.validate().unwrap();
    }
}

#[test]
fn what_is_no_scene_is_refused() {
    let mut scene = log_uniform_boxes(10, [1.0, 2.0], 1.0, 1);
    scene.min[0][7] = f32::NAN;
    assert_eq!(scene.aabb(7), None);
    assert!(scene.validate().unwrap_err().contains("row 7"));
    scene.max[1].pop();
    assert!(scene.validate().unwrap_err().contains("10 and of 9 rows"));
}

#[test]
fn seeds_decide_everything() {
    assert_eq!(adversarial_boxes(300, 8), adversarial_boxes(300, 8));
    assert_eq!(lord_of_the_rings(300, 8), lord_of_the_rings(300, 8));
    let scene = |seed| log_uniform_boxes(300, [1.0, 100.0], 1.0, seed);
    assert_ne!(scene(8), scene(9));

    type Step = fn(&mut BoxScene, u64);
    let steps: [Step; 2] = [
        |scene, seed| step_box_motion(scene, 0.5, seed),
        |scene, seed| resize_some(scene, 4, seed),
    ];
    for step in steps {
        let [mut once, mut twice, mut otherwise] = [scene(8), scene(8), scene(8)];
        step(&mut once, 1);
        step(&mut twice, 1);
        step(&mut otherwise, 2);
        assert_eq!(once, twice);
        assert!(once != scene(8) && once != otherwise);
    }
}

#[test]
fn boxes_move_a_little_and_keep_their_sizes() {
    let before = unbounded_boxes(1000, 1);
    let mut after = before.clone();
    step_box_motion(&mut after, 0.5, 1);
    after.validate().unwrap();
    let mut longest: f32 = 0.0;
    for (was, is) in boxes(&before).into_iter().zip(boxes(&after)) {
        assert_eq!(was.infinite_sides(), is.infinite_sides());
        if was.is_finite() {
            longest = longest.max((is.min()[0] - was.min()[0]).abs());
            assert!((size(&is)[0] - size(&was)[0]).abs() < 0.001);
        }
    }
    assert!((0.4..=0.51).contains(&longest), "{longest}");

    for mut scene in adversarial_boxes(300, 2) {
        let bounded = |scene: &BoxScene| boxes(scene).iter().filter(|b| b.is_finite()).count();
        let before = bounded(&scene);
        step_box_motion(&mut scene, 1e38, 3);
        resize_some(&mut scene, 2, 4);
        scene.validate().unwrap();
        assert_eq!(bounded(&scene), before, "{}", scene.name);
    }
}

#[test]
fn boxes_change_size_for_ever_and_stay_as_many_of_each() {
    let mut scene = log_uniform_boxes(2000, [1.0, 100.0], 1.0, 1);
    let mean = |scene: &BoxScene| {
        let halves = half_extents(scene);
        halves.iter().map(|half| half[0]).sum::<f32>() / halves.len() as f32
    };
    let (mean_before, pairs_before) = (mean(&scene), pairs_per_box(&scene));

    let before = half_extents(&scene);
    resize_some(&mut scene, 10, 0);
    let changed = |(was, is): &(&[f32; 2], &[f32; 2])| (was[0] - is[0]).abs() > 0.01;
    let resized = before
        .iter()
        .zip(&half_extents(&scene))
        .filter(changed)
        .count();
    assert!((300..500).contains(&resized), "{resized}");

    for frame in 1..200 {
        resize_some(&mut scene, 10, frame);
    }
    assert!((mean(&scene) - mean_before).abs() < 0.01 * mean_before);
    assert_near(&scene, pairs_before, 0.2);
}

#[test]
fn reordering_moves_rows_whole() {
    let mut scene = masked_boxes(500, 2);
    let pairs = overlapping_pairs(&scene).len();
    scene.sort_by_space(50.0);
    assert_eq!(overlapping_pairs(&scene).len(), pairs);
    let sorted = scene.clone();
    scene.shuffle(9);
    assert_ne!(scene, sorted);
    assert_eq!(overlapping_pairs(&scene).len(), pairs);
    scene.sort_by_space(50.0);
    assert_eq!(scene, sorted);
}
