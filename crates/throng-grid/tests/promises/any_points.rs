//! Property tests: whatever the coordinates, every kernel finds the oracle's pairs, in the same order.

use crate::common::{build, pairs, rebuild};
use proptest::prelude::*;
use throng_core::{MaskWords, Serial, SimdLevel};
use throng_scenes::{Scene, Threads, overlapping_pairs, sorted};

/// Awkward coordinates: equal ones, neighbours by an ulp, whole half extents apart, far away, and any bits at all.
pub fn coordinate(half: f32) -> BoxedStrategy<f32> {
    prop_oneof![
        4 => -20.0_f32..20.0,
        3 => (-12_i32..12).prop_map(move |k| k as f32 * half),
        2 => (-12_i32..12, -2_i32..=2).prop_map(move |(k, ulps)| nudged(k as f32 * 2.0 * half, ulps)),
        2 => (-40_i32..40).prop_map(|k| 1e7 + k as f32),
        1 => any::<u32>().prop_map(f32::from_bits),
        1 => (0_u32..40).prop_map(f32::from_bits),
    ].boxed()
}

fn nudged(v: f32, ulps: i32) -> f32 {
    (0..ulps.abs()).fold(v, |v, _| if ulps < 0 { v.next_down() } else { v.next_up() })
}

pub fn half() -> BoxedStrategy<f32> {
    prop_oneof![3 => Just(0.5_f32), 2 => 0.01_f32..3.0, 1 => Just(0.0), 1 => Just(1e-40), 1 => Just(0.75)].boxed()
}

fn scene() -> BoxedStrategy<Scene> {
    (half(), half(), any::<bool>(), any::<bool>())
        .prop_flat_map(|(hx, hy, exact, masked)| {
            let row = (
                coordinate(hx),
                coordinate(hy),
                0.0_f32..=1.0,
                0.0_f32..=1.0,
                0_u32..16,
            );
            prop::collection::vec(row, 0..150).prop_map(move |rows| {
                let mut scene =
                    Scene::new("drawn", [hx, hy], rows.iter().map(|row| [row.0, row.1]));
                scene.half_extents =
                    exact.then(|| rows.iter().map(|row| [row.2 * hx, row.3 * hy]).collect());
                let masks = |bits: u32| MaskWords {
                    memberships: bits & 3,
                    filter: bits >> 2,
                };
                scene.masks = masked.then(|| rows.iter().map(|row| masks(row.4)).collect());
                scene
            })
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_pairs_in_one_order(scene in scene(), next in scene()) {
        let reference = pairs(&build(&scene, SimdLevel::Scalar, &Serial), &scene, &Serial);
        prop_assert_eq!(sorted(reference.clone()), overlapping_pairs(&scene));
        for &level in SimdLevel::available() {
            let mut grid = build(&scene, level, &Threads(3));
            prop_assert_eq!(&pairs(&grid, &scene, &Threads(2)), &reference, "{}", level);
            // A grid built for one scene can be rebuilt for another with the same bound.
            if next.half == scene.half {
                rebuild(&mut grid, &next, &Serial);
                prop_assert_eq!(sorted(pairs(&grid, &next, &Serial)), overlapping_pairs(&next), "{}", level);
            }
        }
    }
}
