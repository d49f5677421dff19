//! Property tests: whatever the sides, every structure and kernel finds the definition's pairs, in one order.

use crate::common::{STRUCTURES, build, meetings, of_some_size, pairs, rows_touching, update};
use crate::scenes::row_masks;
use proptest::prelude::*;
use throng_core::{Aabb, MaskWords, PairOrder, Serial, SimdLevel};
use throng_scenes::{
    BoxScene, Threads, overlapping_pairs, overlapping_pairs_between, rows_in_box, sorted,
};

/// Sides that make trouble: equal ones, neighbours by an ulp, far away, infinite, and any bits at all.
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

/// An interval between two sides, or a short one, or a point, or, now and then, no interval.
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

/// Any box that there can be.
pub fn any_box() -> BoxedStrategy<Aabb> {
    (interval(), interval())
        .prop_filter_map("a box", |([x0, x1], [y0, y1])| {
            Aabb::new([x0, y0], [x1, y1]).ok()
        })
        .boxed()
}

fn scene(rows: usize) -> BoxedStrategy<BoxScene> {
    let rows = prop::collection::vec((interval(), interval(), 0_u32..16), 0..rows);
    (rows, any::<bool>())
        .prop_map(|(rows, masked)| {
            let sides = rows
                .iter()
                .map(|([x0, x1], [y0, y1], _)| [[*x0, *y0], [*x1, *y1]]);
            let mut scene = BoxScene::from_sides("drawn", sides);
            let masks = |bits: u32| MaskWords {
                memberships: bits & 3,
                filter: bits >> 2,
            };
            scene.masks = masked.then(|| rows.iter().map(|row| masks(row.2)).collect());
            scene
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_pairs_in_one_order(scene in scene(250), next in scene(120), size in 0.01_f32..30.0) {
        let (expected, expected_next) = (overlapping_pairs(&scene), overlapping_pairs(&next));
        let mut references: [Option<Vec<_>>; 6] = Default::default();
        for &level in SimdLevel::available() {
            let chosen = STRUCTURES.map(|(structure, make)| (structure, make(level)));
            let all = chosen.into_iter().chain(of_some_size(size, level));
            for ((structure, mut built), reference) in all.zip(&mut references) {
                update(&mut *built, &scene, &Threads(3));
                let found = pairs(&*built, row_masks(&scene), &Threads(2));
                let first = reference.get_or_insert_with(|| found.clone());
                prop_assert_eq!(&*first, &found, "{}, {}", structure, level);
                prop_assert_eq!(&sorted(found), &expected, "{}, {}", structure, level);
                // What was chosen for one scene serves another.
                update(&mut *built, &next, &Serial);
                let found = pairs(&*built, row_masks(&next), &Serial);
                prop_assert_eq!(&sorted(found), &expected_next, "{}, {}", structure, level);
            }
        }
    }

    #[test]
    fn all_rows_in_a_window(scene in scene(250), window in any_box()) {
        for (structure, make) in STRUCTURES {
            let built = build(make, &scene, SimdLevel::detect(), &Serial);
            prop_assert_eq!(rows_touching(&*built, &window), rows_in_box(&scene, &window), "{}", structure);
        }
    }

    #[test]
    fn all_meetings(a in scene(150), b in scene(150)) {
        let expected = overlapping_pairs_between(&a, &b);
        for (structure, make) in STRUCTURES {
            for (other_structure, make_other) in STRUCTURES {
                let own = build(make, &a, SimdLevel::detect(), &Serial);
                let other = build(make_other, &b, SimdLevel::Scalar, &Serial);
                let masks = [row_masks(&a), row_masks(&b)];
                let found = meetings(&*own, &*other, masks, PairOrder::Left, &Serial);
                prop_assert_eq!(&sorted(found), &expected, "{} with {}", structure, other_structure);
            }
        }
    }
}
