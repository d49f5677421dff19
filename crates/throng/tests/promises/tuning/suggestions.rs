//! Promise: a config suggested for a sample is valid, takes all of the sample, and is the same every time.

use proptest::prelude::*;
use throng::{Aabb, Advice, Broadphase, BroadphaseConfig, CategoryKind, CountPairs, Proxy};
use throng_scenes::{
    BoxScene, box_towns, log_uniform_boxes, lord_of_the_rings_with_walls, unbounded_boxes, uniform,
};

fn boxes(scene: &BoxScene) -> Vec<Aabb> {
    (0..scene.len()).filter_map(|row| scene.aabb(row)).collect()
}

/// Names and larger half extents.
fn summary(config: &BroadphaseConfig) -> Vec<(&str, f32)> {
    let categories = config.categories.iter();
    let larger = |[x, y]: [f32; 2]| x.max(y);
    categories
        .map(|category| (category.name.as_str(), larger(category.half_extents)))
        .collect()
}

/// A world of the sample under the config suggested for it, after one step.
fn world(moving: &[Aabb], fixed: &[Aabb]) -> Broadphase {
    let config = BroadphaseConfig::suggest_with_scenery(moving, fixed);
    config.validate().unwrap();
    assert_eq!(
        config,
        BroadphaseConfig::suggest_with_scenery(moving, fixed)
    );
    let mut world = Broadphase::new(config).unwrap();
    let moving = moving.iter().map(|aabb| Proxy::moving(*aabb));
    let fixed = fixed.iter().map(|aabb| Proxy::fixed(*aabb));
    assert_eq!(world.insert_batch(moving.chain(fixed)).refused, []);
    world.step(&CountPairs);
    world
}

#[test]
fn an_empty_sample_takes_anything() {
    let config = BroadphaseConfig::suggest(&[]);
    assert_eq!(summary(&config), [("oversized", f32::INFINITY)]);
    let wall = Aabb::new([0.0; 2], [5.0, 1.0]).unwrap();
    let config = BroadphaseConfig::suggest_with_scenery(&[], &[wall]);
    let names: Vec<_> = summary(&config).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["oversized", "scenery"]);
    config.validate().unwrap();
}

#[test]
fn one_size_is_one_category() {
    for pairs in [0.01, 1.0, 10.0] {
        let same = boxes(&BoxScene::from(&uniform(5000, pairs, 1)));
        let config = BroadphaseConfig::suggest(&same);
        assert_eq!(config.categories.len(), 1, "{config:?}");
        assert_eq!(config.categories[0].kind, CategoryKind::Uniform);
        assert_eq!(config.categories[0].name, "units");
        assert_eq!(world(&same, &[]).report().advice(), []);
    }
}

#[test]
fn points_are_a_category_without_size() {
    let at = |k: usize| Aabb::point([k as f32, (k * k % 101) as f32]).unwrap();
    let points: Vec<Aabb> = (0..1000).map(at).collect();
    let config = BroadphaseConfig::suggest(&points);
    assert_eq!(summary(&config), [("units", 0.0)]);
    world(&points, &[]);
    world(&vec![points[7]; 100], &[]);
}

#[test]
fn two_sizes_are_two_categories_where_it_pays() {
    let mixed = |side: f32| -> Vec<Aabb> {
        let at =
            |k: usize| [(k * 31 % 1009) as f32, (k * 17 % 997) as f32].map(|x| x * side / 1000.0);
        let half = |k: usize| if k.is_multiple_of(10) { 2.0 } else { 0.25 };
        (0..10_000)
            .map(|k| Aabb::from_center(at(k), [half(k); 2]).unwrap())
            .collect()
    };
    assert_eq!(
        summary(&BroadphaseConfig::suggest(&mixed(100.0))),
        [("small", 0.25), ("large", 2.0)]
    );
    assert_eq!(
        summary(&BroadphaseConfig::suggest(&mixed(1e5))),
        [("units", 2.0)],
        "a category more costs more than they do"
    );
}

#[test]
fn boxes_without_end_are_oversized() {
    let endless = Aabb::new([f32::NEG_INFINITY, 0.0], [f32::INFINITY, 1.0]).unwrap();
    let mut moving = boxes(&BoxScene::from(&uniform(5000, 1.0, 1)));
    moving.push(endless);
    let config = BroadphaseConfig::suggest(&moving);
    let names: Vec<_> = summary(&config).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["units", "oversized"]);
    world(&[endless, Aabb::EVERYWHERE], &[]);
    world(&boxes(&unbounded_boxes(1000, 1)), &[]);
}

#[test]
fn worlds_of_many_sizes_are_well_tuned() {
    let rings = lord_of_the_rings_with_walls(10_000, 1000, 1);
    let parts = [
        BoxScene::from(&rings.units),
        BoxScene::from(&rings.faeries),
        rings.dragons,
    ];
    let moving: Vec<Aabb> = parts.iter().flat_map(boxes).collect();
    let rings = world(&moving, &boxes(&rings.walls));
    let names: Vec<_> = summary(rings.config())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names.last(), Some(&"scenery"), "{names:?}");
    assert!(names.len() > 2, "{names:?}");
    assert_eq!(rings.report().advice(), []);

    let towns = boxes(&box_towns(10_000, 1e5, 1));
    let advice = world(&towns, &[]).report().advice();
    let of_bounds = |advice: &&Advice| matches!(advice, Advice::LowerBound { .. });
    assert_eq!(advice.iter().find(of_bounds), None);
}

/// What the config of any other choice than the suggested would cost in comparisons and pairs.
#[test]
fn it_costs_less_than_one_bound_for_all() {
    let mixed = boxes(&log_uniform_boxes(10_000, [0.25, 8.0], 1.0, 1));
    let suggested = world(&mixed, &[]);
    let one =
        BroadphaseConfig::new().category(throng::CategoryConfig::uniform("all", 8.01).coarse());
    let mut one = Broadphase::new(one).unwrap();
    let refused = one
        .insert_batch(mixed.iter().map(|aabb| Proxy::moving(*aabb)))
        .refused;
    assert_eq!(refused, []);
    one.step(&CountPairs);
    let [few, many] = [&suggested, &one].map(|world| world.report().pairs);
    assert!(few * 3 < many, "{few} pairs, and {many} with one bound");
}

#[cfg(feature = "serde")]
#[test]
fn a_suggestion_is_a_file() {
    let scene = log_uniform_boxes(3000, [0.3, 70.0], 1.0, 1);
    let mut moving = boxes(&scene);
    moving.push(Aabb::EVERYWHERE);
    let config = BroadphaseConfig::suggest_with_scenery(&moving, &moving[..10]);
    let file = toml::to_string(&config).unwrap();
    assert_eq!(
        toml::from_str::<BroadphaseConfig>(&file).unwrap(),
        config,
        "{file}"
    );
}

fn any_side() -> BoxedStrategy<f32> {
    prop_oneof![
        4 => -100.0f32..100.0,
        1 => any::<f32>().prop_filter("a number", |side| !side.is_nan()),
        1 => Just(0.0),
        1 => Just(f32::INFINITY),
        1 => Just(f32::NEG_INFINITY),
        1 => Just(f32::MAX),
    ]
    .boxed()
}

fn any_box() -> BoxedStrategy<Aabb> {
    let sides = [any_side(), any_side(), any_side(), any_side()];
    sides
        .prop_filter_map("a box", |[a, b, c, d]| {
            Aabb::new([a.min(b), c.min(d)], [a.max(b), c.max(d)]).ok()
        })
        .boxed()
}

proptest! {
    #[test]
    fn any_sample_gets_a_config_that_takes_it(
        moving in prop::collection::vec(any_box(), 0..80),
        fixed in prop::collection::vec(any_box(), 0..4),
    ) {
        world(&moving, &fixed);
    }
}
