//! Awkward boxes, and trees of them.

use crate::common::{build, pairs, validate};
use proptest::prelude::*;
use throng_core::Aabb;
use throng_quadtree::QuadtreeConfig;
use throng_scenes::{
    BoxScene, overlapping_pairs, rows_at_point, rows_in_box, rows_in_circle, sorted,
};

/// Awkward sides: equal ones, neighbours by an ulp, far away, infinite, and any bits at all.
pub fn side() -> BoxedStrategy<f32> {
    prop_oneof![
        5 => -20.0_f32..20.0,
        3 => (-12_i32..12).prop_map(|k| k as f32),
        2 => (-12_i32..12, -2_i32..=2).prop_map(|(k, ulps)| nudged(k as f32 * 4.0, ulps)),
        2 => (-40_i32..40).prop_map(|k| 1e7 + k as f32),
        1 => -1e3_f32..1e3,
        1 => prop::sample::select(vec![
            f32::NEG_INFINITY, f32::MIN, -1e30, -1e-45, -0.0, 1e-45, 1e30, f32::MAX, f32::INFINITY,
        ]),
        1 => any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |v| !v.is_nan()),
    ]
    .boxed()
}

fn nudged(v: f32, ulps: i32) -> f32 {
    (0..ulps.abs()).fold(v, |v, _| if ulps < 0 { v.next_down() } else { v.next_up() })
}

/// An interval between two sides, or a short one, or a point.
fn interval() -> BoxedStrategy<[f32; 2]> {
    prop_oneof![
        4 => (side(), 0.0_f32..4.0).prop_map(|(a, len)| [a, a + len]),
        1 => (side(), 0.0_f32..100.0).prop_map(|(a, len)| [a, a + len]),
        2 => (side(), side()).prop_map(|(a, b)| [a.min(b), a.max(b)]),
        1 => side().prop_map(|a| [a, a]),
    ]
    .boxed()
}

/// Any valid box.
pub fn any_box() -> BoxedStrategy<Aabb> {
    (interval(), interval())
        .prop_filter_map("a box", |([x0, x1], [y0, y1])| {
            Aabb::new([x0, y0], [x1, y1]).ok()
        })
        .boxed()
}

/// Configs that make small scenes deep, with the tree's own region or any other.
pub fn any_config() -> BoxedStrategy<QuadtreeConfig> {
    let region = prop::option::weighted(0.4, any_box());
    let size = prop_oneof![3 => Just(0.0), 1 => 1e-3_f32..50.0];
    (1_usize..20, 1_u32..=20, 1_usize..=64, size, region)
        .prop_map(|(split_above, depth, copies, size, region)| {
            let config = QuadtreeConfig::new()
                .split_above(split_above)
                .max_depth(depth)
                .max_copies(copies)
                .min_node_size(size);
            match region.filter(|region| region.is_finite() && region.min() != region.max()) {
                Some(region) => config.region(region),
                None => config,
            }
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_pairs_and_all_that_is_near(
        boxes in prop::collection::vec(any_box(), 0..150),
        config in any_config(),
        window in any_box(),
        point in [side(), side()],
        radius in prop_oneof![0.0_f32..50.0, Just(0.0), Just(f32::INFINITY)],
    ) {
        let scene = BoxScene::new("drawn", boxes);
        let (mut tree, _) = build(config, &scene);
        for _ in 0..2 {
            validate(&tree, "drawn");
            let rows = |ids: Vec<_>| sorted(ids.into_iter().map(|id| *tree.get(id).unwrap()).collect());
            prop_assert_eq!(pairs(&tree), overlapping_pairs(&scene));
            prop_assert_eq!(rows(tree.find_in_aabb(&window)), rows_in_box(&scene, &window));
            prop_assert_eq!(rows(tree.find_at_point(point).unwrap()), rows_at_point(&scene, point));
            let near = tree.find_in_circle(point, radius).unwrap();
            prop_assert_eq!(rows(near), rows_in_circle(&scene, point, radius));
            tree.clean_up();
        }
    }
}
