//! Property tests: whatever the sides, every kernel finds what the definitions say, in the same order.

use crate::common::{build, configs, query, rows_of};
use proptest::prelude::*;
use throng_core::{Aabb, NearestQuery, RayCast, Serial, SimdLevel};
use throng_quadtree::PackedQuadtree;
use throng_scenes::{BoxScene, nearest, rows_at_point, rows_in_box, rows_in_circle};

/// Awkward sides: equal ones, neighbours by an ulp, far away, infinite, and any bits at all.
fn side() -> BoxedStrategy<f32> {
    prop_oneof![
        5 => -20.0_f32..20.0,
        3 => (-12_i32..12).prop_map(|k| k as f32),
        2 => (-12_i32..12, -2_i32..=2).prop_map(|(k, ulps)| nudged(k as f32 * 4.0, ulps)),
        2 => (-40_i32..40).prop_map(|k| 1e7 + k as f32),
        1 => -1e3_f32..1e3,
        1 => prop::sample::select(vec![
            f32::NEG_INFINITY, f32::MIN, -1e30, -0.0, 1e30, f32::MAX, f32::INFINITY,
        ]),
        1 => any::<u32>().prop_map(f32::from_bits),
    ]
    .boxed()
}

fn nudged(v: f32, ulps: i32) -> f32 {
    (0..ulps.abs()).fold(v, |v, _| if ulps < 0 { v.next_down() } else { v.next_up() })
}

/// An interval between two sides, or a short one, or a point, or sometimes an invalid one.
fn interval() -> BoxedStrategy<[f32; 2]> {
    let any = || (side(), side());
    prop_oneof![
        4 => (side(), 0.0_f32..4.0).prop_map(|(a, len)| [a, a + len]),
        1 => (side(), 0.0_f32..100.0).prop_map(|(a, len)| [a, a + len]),
        2 => any().prop_map(|(a, b)| [a.min(b), a.max(b)]),
        1 => side().prop_map(|a| [a, a]),
        1 => any().prop_map(|(a, b)| [a, b]),
    ]
    .boxed()
}

fn scene(rows: usize) -> BoxedStrategy<BoxScene> {
    let rows = prop::collection::vec((interval(), interval()), 0..rows);
    rows.prop_map(|rows| {
        let sides = rows
            .iter()
            .map(|([x0, x1], [y0, y1])| [[*x0, *y0], [*x1, *y1]]);
        BoxScene::from_sides("drawn", sides)
    })
    .boxed()
}

/// The scene's trees, with every config and every instruction set.
fn trees(scene: &BoxScene) -> Vec<PackedQuadtree> {
    let levels = SimdLevel::available().iter();
    let all = levels.flat_map(|&level| configs().map(|config| config.simd(level)));
    all.map(|config| build(scene, config, &Serial)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_rows_in_a_window(scene in scene(400), x in interval(), y in interval()) {
        let Ok(window) = Aabb::new([x[0], y[0]], [x[1], y[1]]) else {
            return Ok(());
        };
        let expected = rows_in_box(&scene, &window);
        let trees = trees(&scene);
        for tree in &trees {
            prop_assert_eq!(&rows_of(|visit| tree.query_aabb(&window, visit)), &expected);
        }
        let ways = configs().len();
        for (k, tree) in trees.iter().enumerate() {
            prop_assert_eq!(query(tree, &window, usize::MAX), query(&trees[k % ways], &window, usize::MAX));
        }
    }

    #[test]
    fn all_rows_around_a_point(scene in scene(300), x in side(), y in side(), radius in 0.0_f32..50.0) {
        if x.is_nan() || y.is_nan() {
            return Ok(());
        }
        let point = [x, y];
        let query = NearestQuery { point, k: 7, max_distance: radius };
        let ranked = nearest(&scene, point, 7, radius);
        for tree in trees(&scene) {
            let at = rows_of(|visit| tree.query_point(point, visit).unwrap());
            prop_assert_eq!(at, rows_at_point(&scene, point));
            let around = rows_of(|visit| tree.query_circle(point, radius, visit).unwrap());
            prop_assert_eq!(around, rows_in_circle(&scene, point, radius));
            let mut found = Vec::new();
            tree.find_nearest(query, &mut found).unwrap();
            let found: Vec<_> = found.iter().map(|r| (r.row, r.distance_squared)).collect();
            prop_assert_eq!(&found, &ranked);
        }
    }

    #[test]
    fn all_rows_on_a_segment(scene in scene(300), ends in prop::array::uniform4(side())) {
        let Ok(ray) = RayCast::from_to([ends[0], ends[1]], [ends[2], ends[3]]) else {
            return Ok(());
        };
        let entry = |row: u32| ray.entry(&scene.aabb(row as usize)?);
        let hits = (0..scene.len() as u32).filter_map(|row| Some((entry(row)?, row)));
        let mut expected: Vec<_> = hits.collect();
        expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for tree in trees(&scene) {
            let mut hits = Vec::new();
            tree.cast_all(&ray, &mut hits);
            let found: Vec<_> = hits.iter().map(|hit| (hit.fraction, hit.row)).collect();
            prop_assert_eq!(&found, &expected);
            let first = tree.cast_first(&ray).map(|hit| (hit.fraction, hit.row));
            prop_assert_eq!(first, expected.first().copied());
        }
    }
}
