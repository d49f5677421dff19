//! `Aabb` refuses what is not a box, explains why, and keeps its promises for everything else.

use proptest::prelude::*;
use throng_core::{Aabb, AabbError, Axis, Side, for_both, overlaps_1d};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// Finite floats of every size, denormals and extremes included.
fn any_finite() -> BoxedStrategy<f32> {
    any::<u32>()
        .prop_map(|bits| {
            let value = f32::from_bits(bits);
            if value.is_finite() { value } else { f32::MAX }
        })
        .boxed()
}

/// Coordinates as games have them: near the origin, far away, and equal ones.
fn any_side() -> BoxedStrategy<f32> {
    prop_oneof![
        any_finite(),
        -100.0_f32..100.0,
        9_999_990.0_f32..10_000_010.0,
        (-4_i32..4).prop_map(|i| i as f32),
    ]
    .boxed()
}

fn any_box() -> BoxedStrategy<Aabb> {
    let sides = || (any_side(), any_side()).prop_map(|(a, b)| (a.min(b), a.max(b)));
    (sides(), sides())
        .prop_map(|(x, y)| Aabb::new([x.0, y.0], [x.1, y.1]).unwrap())
        .boxed()
}

proptest! {
    #[test]
    fn the_box_rebuilt_from_centre_and_half_contains_the_original(aabb in any_box()) {
        let rebuilt = Aabb::from_center(aabb.center(), aabb.half_extents()).unwrap();
        prop_assert!(rebuilt.contains(&aabb), "{aabb} rebuilt is {rebuilt}");
    }

    #[test]
    fn no_smaller_half_extent_would_do(aabb in any_box()) {
        let half = aabb.half_extents();
        for axis in Axis::ALL.map(|axis| axis as usize).into_iter().filter(|&i| half[i] > 0.0) {
            let mut less = half;
            less[axis] = less[axis].next_down();
            let rebuilt = Aabb::from_center(aabb.center(), less).unwrap();
            prop_assert!(!rebuilt.contains(&aabb), "{aabb} fits into {rebuilt}");
        }
    }

    #[test]
    fn the_centre_is_finite_and_inside(aabb in any_box()) {
        let center = aabb.center();
        prop_assert!(center.iter().all(|c| c.is_finite()) && aabb.contains_point(center));
    }

    #[test]
    fn overlap_is_symmetric_and_agrees_with_containment(a in any_box(), b in any_box()) {
        prop_assert_eq!(a.overlaps(&b), b.overlaps(&a));
        prop_assert!(a.overlaps(&a));
        let both = a.union(&b);
        prop_assert!(both.contains(&a) && both.contains(&b) && both.overlaps(&a));
        if a.contains(&b) {
            prop_assert!(a.overlaps(&b));
        }
        if b.contains_point(a.min()) {
            prop_assert!(a.overlaps(&b));
        }
    }
}

/// Boxes whose sides may be infinite.
fn any_box_at_all() -> BoxedStrategy<Aabb> {
    (any_box(), 0_u32..64)
        .prop_map(|(aabb, infinite)| {
            let side = |axis: usize, bit: u32, end: f32, side: [f32; 2]| {
                if infinite >> bit & 1 == 1 && infinite >= 16 {
                    end
                } else {
                    side[axis]
                }
            };
            let min = for_both(|axis| side(axis, axis as u32, -INF, aabb.min()));
            let max = for_both(|axis| side(axis, axis as u32 + 2, INF, aabb.max()));
            Aabb::new(min, max).unwrap()
        })
        .boxed()
}

/// Distances of every size, and exactly as far as the boxes are apart.
fn distances(a: &Aabb, b: &Aabb, any: f32) -> [f32; 9] {
    let gap = |axis: usize| (b.min()[axis] - a.max()[axis]).max(a.min()[axis] - b.max()[axis]);
    let exact = [gap(0), gap(1), a.distance_squared_to(b).sqrt()].map(|d| d.clamp(0.0, f32::MAX));
    let [x, y, both] = exact;
    let (smallest, any) = (f32::from_bits(1), any.abs());
    [
        0.0,
        smallest,
        x,
        x.next_down().max(0.0),
        y,
        both,
        any,
        1e20,
        f32::MAX,
    ]
}

proptest! {
    #[test]
    fn within_no_distance_is_overlap(a in any_box_at_all(), b in any_box_at_all()) {
        prop_assert_eq!(a.is_within(&b, 0.0), a.overlaps(&b), "{} and {}", a, b);
        prop_assert!(!a.overlaps(&b) || a.distance_squared_to(&b) == 0.0);
    }

    #[test]
    fn whatever_is_within_a_distance_overlaps_the_box_that_is_wider_by_it(
        a in any_box_at_all(), b in any_box_at_all(), any in any_finite(),
    ) {
        for distance in distances(&a, &b, any) {
            let near = a.is_within(&b, distance);
            prop_assert_eq!(near, b.is_within(&a, distance));
            prop_assert!(!near || a.widened(distance).overlaps(&b), "{a} and {b} within {distance}");
            prop_assert!(!near || b.widened(distance).overlaps(&a), "{b} and {a} within {distance}");
        }
    }

    /// Against the real distance, except for the last bits, and only where no square overflows or underflows.
    #[test]
    fn within_is_what_geometry_says(
        a in any_box_at_all(), b in any_box_at_all(), any in any_finite(),
    ) {
        let gap = |axis: usize| {
            let [low, high] = [(&a, &b), (&b, &a)].map(|(left, right)| {
                f64::from(right.min()[axis]) - f64::from(left.max()[axis])
            });
            low.max(high).max(0.0)
        };
        let real = gap(0).hypot(gap(1));
        for distance in distances(&a, &b, any).into_iter().filter(|d| (1e-15..1e18).contains(d)) {
            if (real - f64::from(distance)).abs() > 1e-6 * real {
                prop_assert_eq!(
                    a.is_within(&b, distance), real < f64::from(distance),
                    "{} and {} are {} apart, not {}", a, b, real, distance
                );
            }
        }
    }
}

#[test]
fn exactly_as_far_counts_and_squares_that_are_too_small_do_not_hide_a_gap() {
    let at = |x, y| Aabb::point([x, y]).unwrap();
    assert!(at(0.0, 0.0).is_within(&at(3.0, 4.0), 5.0));
    assert!(!at(0.0, 0.0).is_within(&at(3.0, 4.0), 5.0_f32.next_down()));
    assert_eq!(at(0.0, 0.0).distance_squared_to(&at(3.0, 4.0)), 25.0);

    assert_eq!(at(0.0, 0.0).distance_squared_to(&at(1e-30, 0.0)), 0.0);
    assert!(!at(0.0, 0.0).is_within(&at(1e-30, 0.0), 0.0));
    assert!(!at(0.0, 0.0).is_within(&at(1e-30, 0.0), 0.9e-30));
    assert_eq!(at(-3e38, 0.0).distance_squared_to(&at(3e38, 0.0)), INF);
    assert!(!at(-3e38, 0.0).is_within(&at(3e38, 0.0), f32::MAX));
    assert!(!at(0.0, 0.0).is_within(&at(3e30, 0.0), 2e30));

    let ground = Aabb::new([-INF, -INF], [INF, 0.0]).unwrap();
    assert!(ground.is_within(&at(1e30, 2.0), 2.0) && !ground.is_within(&at(1e30, 2.5), 2.0));
    assert!(ground.is_within(&ground, 0.0) && ground.is_within(&Aabb::EVERYWHERE, 0.0));
    for none in [f32::NAN, -0.5, -INF] {
        assert!(!ground.is_within(&ground, none));
    }
}

#[test]
fn touching_counts_and_one_ulp_apart_does_not() {
    assert!(overlaps_1d(0.0, 1.0, 1.0, 2.0));
    assert!(!overlaps_1d(0.0, 1.0, 1.0_f32.next_up(), 2.0));
    let corner = Aabb::new([1.0, 1.0], [2.0, 2.0]).unwrap();
    assert!(corner.overlaps(&Aabb::new([0.0, 0.0], [1.0, 1.0]).unwrap()));
    assert!(!corner.overlaps(&Aabb::new([0.0, 0.0], [1.0, 0.5]).unwrap()));
    assert!(
        Aabb::point([0.0, -0.0])
            .unwrap()
            .contains_point([-0.0, 0.0])
    );
    assert!(!Aabb::EVERYWHERE.contains_point([NAN, 0.0]));
}

#[test]
fn what_is_no_box_is_refused_by_name() {
    let cases = [
        (
            Aabb::new([0.0, NAN], [1.0, 1.0]),
            AabbError::Nan {
                axis: Axis::Y,
                side: Side::Min,
            },
            "the min of the box in y is NaN; a number is needed",
        ),
        (
            Aabb::new([2.0, 0.0], [1.0, 1.0]),
            AabbError::Inverted {
                axis: Axis::X,
                min: 2.0,
                max: 1.0,
            },
            "the box is inverted in x: min 2 is above max 1; min <= max is needed",
        ),
        (
            Aabb::new([0.0, INF], [1.0, INF]),
            AabbError::HoldsNothing {
                axis: Axis::Y,
                side: Side::Min,
                value: INF,
            },
            "the min of the box in y is inf, so the box holds no point; an unbounded box has min \
             -inf or max inf",
        ),
        (
            Aabb::new([-INF, 0.0], [-INF, 1.0]),
            AabbError::HoldsNothing {
                axis: Axis::X,
                side: Side::Max,
                value: -INF,
            },
            "the max of the box in x is -inf, so the box holds no point; an unbounded box has min \
             -inf or max inf",
        ),
        (
            Aabb::from_center([0.0; 2], [1.0, -0.5]),
            AabbError::NegativeHalfExtent {
                axis: Axis::Y,
                half_extent: -0.5,
            },
            "the half extent of the box in y is -0.5; zero or more is needed",
        ),
        (
            Aabb::from_center([0.0; 2], [NAN, 1.0]),
            AabbError::Nan {
                axis: Axis::X,
                side: Side::HalfExtent,
            },
            "the half extent of the box in x is NaN; a number is needed",
        ),
        (
            Aabb::point([0.0, -INF]),
            AabbError::InfiniteCenter {
                axis: Axis::Y,
                center: -INF,
            },
            "the center of the box in y is -inf; a finite center is needed",
        ),
    ];
    for (outcome, error, words) in cases {
        assert_eq!(outcome, Err(error));
        assert_eq!(error.to_string(), words);
    }
}

#[test]
fn unbounded_boxes_know_their_infinite_sides() {
    let ground = Aabb::new([-INF, -INF], [INF, 0.0]).unwrap();
    assert!(!ground.is_finite());
    assert_eq!(ground.infinite_sides().count(), 3);
    assert_eq!(ground.infinite_sides().max, [true, false]);
    assert_eq!(ground.center(), [0.0, 0.0]);
    assert_eq!(ground.half_extents(), [INF, INF]);
    assert!(ground.contains_point([1e30, -1e30]) && !ground.contains_point([0.0, 0.1]));

    let rebuilt = Aabb::from_center(ground.center(), ground.half_extents()).unwrap();
    assert!(rebuilt.contains(&ground));
    assert!(!Aabb::point([1.0, 2.0]).unwrap().infinite_sides().any());
    let beyond = Aabb::from_center([f32::MAX, 0.0], [f32::MAX, 1.0]).unwrap();
    assert_eq!(beyond.infinite_sides().max, [true, false]);
}

#[test]
fn distance_is_zero_inside_and_counts_both_axes_at_a_corner() {
    let aabb = Aabb::new([0.0, 0.0], [1.0, 2.0]).unwrap();
    assert_eq!(aabb.distance_squared([1.0, 1.0]), 0.0);
    assert_eq!(aabb.distance_squared([-2.0, 1.0]), 4.0);
    assert_eq!(aabb.distance_squared([4.0, 6.0]), 25.0);
    assert_eq!(Aabb::EVERYWHERE.distance_squared([f32::MAX, 0.0]), 0.0);
    assert_eq!(aabb.distance_squared([f32::MAX, 0.0]), INF);
}

#[test]
fn boxes_print_as_ranges() {
    let aabb = Aabb::new([0.0, -2.0], [1.0, INF]).unwrap();
    assert_eq!(aabb.to_string(), "[x: 0 to 1, y: -2 to inf]");
    assert_eq!(format!("{aabb:.1}"), "[x: 0.0 to 1.0, y: -2.0 to inf]");
}

#[test]
fn corners_go_out_and_come_back() {
    let corners = ([0.0, 1.0], [2.0, 3.0]);
    let aabb = Aabb::try_from(corners).unwrap();
    assert_eq!(<([f32; 2], [f32; 2])>::from(aabb), corners);
}
