use super::*;
use proptest::prelude::*;

fn circle(center: [f32; 2], radius: f32, by: [f32; 2]) -> CircleCast {
    CircleCast::new(center, radius, by).unwrap()
}

fn unit_box() -> Aabb {
    Aabb::new([-1.0, -1.0], [1.0, 1.0]).unwrap()
}

#[test]
fn entries_are_what_a_person_finds() {
    let root = std::f32::consts::FRAC_1_SQRT_2;
    let cases = [
        ([-9.0, 0.0], [8.0, 0.0], Some(0.75), "onto a side"),
        (
            [9.0, 1.0],
            [-8.0, 0.0],
            Some(0.75),
            "onto the end of a side",
        ),
        ([0.0, -9.0], [0.0, 12.0], Some(0.5), "from below"),
        ([0.0, 9.0], [0.0, -12.0], Some(0.5), "from above"),
        (
            [-9.0, 3.0],
            [16.0, 0.0],
            Some(0.5),
            "along a side, touching it",
        ),
        ([-9.0, 3.1], [16.0, 0.0], None, "along a side, too far off"),
        ([-9.0, 0.0], [6.0, 0.0], Some(1.0), "up to it"),
        ([-9.0, 0.0], [5.9, 0.0], None, "short of it"),
        ([-4.0, 0.0], [-6.0, 0.0], None, "away from it"),
        ([0.0, 0.0], [8.0, 0.0], Some(0.0), "from inside"),
        ([-3.0, 0.0], [-8.0, 0.0], Some(0.0), "from where it touches"),
        (
            [2.9, 2.9],
            [0.0, 0.0],
            None,
            "still, in the corner of the widened box",
        ),
        ([2.9, 2.9], [4.0, 4.0], None, "from that corner, away"),
        ([2.9, 2.9], [-8.0, 8.0], None, "from that corner, past it"),
        (
            [2.9, 2.9],
            [-4.0, 0.0],
            Some((2.9 - (1.0 + 0.39_f32.sqrt())) / 4.0),
            "from there to the box",
        ),
        (
            [5.0, 5.0],
            [-4.0, -4.0],
            Some((4.0 - 2.0 * root) / 4.0),
            "onto a corner",
        ),
        (
            [-5.0, 5.0],
            [4.0, -4.0],
            Some((4.0 - 2.0 * root) / 4.0),
            "onto another",
        ),
        (
            [-5.0, -5.0],
            [4.0, 4.0],
            Some((4.0 - 2.0 * root) / 4.0),
            "onto the third",
        ),
        (
            [5.0, -5.0],
            [-4.0, 4.0],
            Some((4.0 - 2.0 * root) / 4.0),
            "onto the fourth",
        ),
        (
            [6.0, 0.0],
            [-6.0, 6.0],
            None,
            "past a corner, through the widened box",
        ),
        ([5.0, -2.5], [-4.0, 4.0], Some(0.5), "onto a side, aslant"),
    ];
    for (center, by, expected, what) in cases {
        let found = circle(center, 2.0, by).entry(&unit_box());
        let close = match (found, expected) {
            (Some(found), Some(expected)) => (found - expected).abs() < 1e-6,
            (found, expected) => found == expected,
        };
        assert!(close, "{what}: {found:?} instead of {expected:?}");
    }
}

#[test]
fn normals_point_from_the_box_to_the_center() {
    let struck = |center, by| {
        let contact = circle(center, 2.0, by).contact(&unit_box()).unwrap();
        (contact.point, contact.normal)
    };
    assert_eq!(struck([-9.0, 0.5], [8.0, 0.0]), ([-1.0, 0.5], [-1.0, 0.0]));
    assert_eq!(struck([0.5, 9.0], [0.0, -9.0]), ([0.5, 1.0], [0.0, 1.0]));
    assert_eq!(
        struck([0.5, 2.0], [0.0, -9.0]),
        ([0.5, 1.0], [0.0; 2]),
        "at the start"
    );
    let (point, normal) = struck([5.0, 5.0], [-4.0, -4.0]);
    assert_eq!(point, [1.0, 1.0]);
    assert!(
        normal
            .iter()
            .all(|v| (v - std::f32::consts::FRAC_1_SQRT_2).abs() < 1e-6),
        "{normal:?}"
    );
}

/// So small that the center is on the box when it touches.
#[test]
fn a_circle_of_next_to_no_size_strikes_as_a_point() {
    for radius in [0.0, 1e-12] {
        let contact = circle([-9.0, 0.5], radius, [16.0, 0.0])
            .contact(&unit_box())
            .unwrap();
        assert_eq!(
            (contact.fraction, contact.point, contact.normal),
            (0.5, [-1.0, 0.5], [-1.0, 0.0])
        );
    }
}

/// Walls so thin, or so far out, that an `f32` may be on their other side.
#[test]
fn the_side_that_is_struck_is_the_near_one() {
    let cases = [
        (
            [0.9, -0.9],
            0.0,
            [0.0, 0.7],
            [[0.0, -0.2], [2.0, -0.2]],
            [0.0, -1.0],
        ),
        (
            [-5852.186, 0.0],
            1e-4,
            [1e4, 0.0],
            [[5.8053775, -9.0], [5.8053775, 9.0]],
            [-1.0, 0.0],
        ),
        (
            [-5815973.5, 0.0],
            0.1,
            [1e7, 0.0],
            [[9.72761, -9.0], [9.82761, 9.0]],
            [-1.0, 0.0],
        ),
        (
            [5815973.5, 0.0],
            0.1,
            [-1e7, 0.0],
            [[9.72761, -9.0], [9.82761, 9.0]],
            [1.0, 0.0],
        ),
        // So soon that the fraction is 0.
        (
            [0.0, 0.0],
            1.0,
            [3e38, 0.0],
            [[1.0000001, -9.0], [2.0, 9.0]],
            [-1.0, 0.0],
        ),
    ];
    for (center, radius, by, [min, max], normal) in cases {
        let wall = Aabb::new(min, max).unwrap();
        let contact = circle(center, radius, by).contact(&wall).unwrap();
        assert_eq!(contact.normal, normal, "{contact:?}");
        let axis = usize::from(normal[0] == 0.0);
        let side = if normal[axis] < 0.0 {
            min[axis]
        } else {
            max[axis]
        };
        assert_eq!(contact.point[axis], side, "{contact:?}");
    }
    // A radius that is lost beside the coordinates.
    let pillar = Aabb::new([0.0; 2], [1.0; 2]).unwrap();
    for k in 0..100 {
        let moving = circle([-1e-20, -5.0 - 0.1 * k as f32], 2e-20, [0.0, 20.0]);
        let normal = moving.contact(&pillar).unwrap().normal;
        assert!(normal[1] <= 0.0, "{normal:?} of {moving:?}");
    }
    let pillar = Aabb::new([9.0; 2], [11.0; 2]).unwrap();
    let corner = circle([45.0, -40.0], 1e-6, [-50.0, 75.0]).contact(&pillar);
    if let Some(corner) = corner {
        assert!(
            corner.normal[1] < 0.0 || corner.normal[0] > 0.0,
            "{corner:?}"
        );
    }
}

/// As `f32` compares; in between it would be a miss.
#[test]
fn what_is_only_just_touched_at_the_end_is_touched() {
    let mut found = 0;
    for k in 0..10_000 {
        let [x, y] = [0.3 + k as f32 * 1e-4, 0.7];
        let radius = x.hypot(y);
        let pillar = Aabb::new([x, y], [9.0, 9.0]).unwrap();
        // So short a way that what is missing is a part of it that `f32` can tell.
        let moving = circle([-0.01, -0.01], radius, [0.01, 0.01]);
        let [squares, square] =
            [[x, y], [radius, 0.0]].map(|[a, b]| f64::from(a).powi(2) + f64::from(b).powi(2));
        if pillar.distance_squared([0.0; 2]) <= radius * radius && squares > square {
            found += 1;
            assert_eq!(moving.entry(&pillar), Some(1.0), "{radius}");
            let normal = moving.contact(&pillar).unwrap().normal;
            assert!((normal[0] + x / radius).abs() < 1e-5, "{normal:?}");
        }
    }
    assert!(found > 0, "no such radius");
}

#[test]
fn a_point_strikes_flat_boxes() {
    let lying = Aabb::new([-1.0, 2.0], [1.0, 2.0]).unwrap();
    let standing = Aabb::new([2.0, -1.0], [2.0, 1.0]).unwrap();
    assert_eq!(circle([0.0, 0.0], 0.0, [0.0, 4.0]).entry(&lying), Some(0.5));
    assert_eq!(
        circle([0.0, 0.0], 0.0, [8.0, 0.0]).entry(&standing),
        Some(0.25)
    );
    assert_eq!(
        circle([1.0, 1.0], 0.0, [-2.0, 2.0]).entry(&lying),
        Some(0.5)
    );
}

#[test]
fn endless_boxes_are_touched() {
    let ball = circle([0.0, 0.0], 1.0, [8.0, 0.0]);
    let (low, high) = ([5.0, f32::NEG_INFINITY], [f32::INFINITY, f32::INFINITY]);
    assert_eq!(ball.entry(&Aabb::new(low, high).unwrap()), Some(0.5));
    assert_eq!(ball.entry(&Aabb::EVERYWHERE), Some(0.0));
    let above = Aabb::new([f32::NEG_INFINITY, 1.5], high).unwrap();
    assert_eq!(ball.entry(&above), None);
}

#[test]
fn what_is_no_circle_or_never_ends_is_refused() {
    let refused = |center, radius, by| CircleCast::new(center, radius, by).unwrap_err();
    assert!(matches!(
        refused([f32::NAN, 0.0], 1.0, [0.0; 2]),
        ShapeError::NotANumber { .. }
    ));
    assert!(matches!(
        refused([0.0; 2], 1.0, [0.0, f32::NAN]),
        ShapeError::NotANumber { .. }
    ));
    for radius in [-1.0, f32::NAN] {
        assert!(matches!(
            refused([0.0; 2], radius, [0.0; 2]),
            ShapeError::Reach { .. }
        ));
    }
    let unbounded = [
        refused([0.0; 2], f32::INFINITY, [0.0; 2]),
        refused([0.0; 2], 1e30, [0.0; 2]),
        refused([f32::INFINITY, 0.0], 1.0, [0.0; 2]),
        refused([3e38, 0.0], 1.0, [3e38, 0.0]),
    ];
    for error in unbounded {
        assert!(matches!(error, ShapeError::Unbounded { .. }), "{error}");
        assert!(
            error.to_string().contains("circle must be bounded"),
            "{error}"
        );
    }
}

#[test]
fn discs_are_touched_when_the_two_radii_are_all_that_is_between() {
    let ball = circle([0.0, 0.0], 1.0, [10.0, 0.0]);
    assert_eq!(ball.circle_entry([8.0, 0.0], 2.0), Some(0.5));
    assert_eq!(ball.circle_entry([8.0, 3.0], 2.0), Some(0.8));
    assert_eq!(ball.circle_entry([8.0, 3.1], 2.0), None);
    assert_eq!(ball.circle_entry([2.0, 0.0], 2.0), Some(0.0));
    for radius in [-0.5, f32::NAN] {
        assert_eq!(ball.circle_entry([5.0, 0.0], radius), None, "{radius}");
    }
}

fn somewhere() -> impl Strategy<Value = f32> {
    prop_oneof![6 => (-40..40_i32).prop_map(|step| step as f32 / 4.0), 2 => -10.0_f32..10.0]
}

fn some_box() -> impl Strategy<Value = Aabb> {
    [[somewhere(), somewhere()], [somewhere(), somewhere()]].prop_map(|[a, b]| {
        let min = for_both(|axis| a[axis].min(b[axis]));
        Aabb::new(min, for_both(|axis| a[axis].max(b[axis]))).unwrap()
    })
}

/// Where along the path the center is nearest to the box, and how far away it is then: a search by thirds, because the distance
/// from a convex set is convex along a line.
fn nearest(moving: &CircleCast, aabb: &Aabb, mut part: [f64; 2]) -> (f64, f64) {
    for _ in 0..200 {
        let thirds = [1.0, 2.0].map(|third| part[0] + (part[1] - part[0]) * third / 3.0);
        let [a, b] = thirds.map(|at| distance(moving, aabb, at));
        if a <= b {
            part[1] = thirds[1];
        } else {
            part[0] = thirds[0];
        }
    }
    (part[0], distance(moving, aabb, part[0]))
}

fn distance(moving: &CircleCast, aabb: &Aabb, at: f64) -> f64 {
    let (from, to) = (moving.path().from(), moving.path().to());
    let [x, y] = for_both(|axis| {
        let center = f64::from(from[axis]) + (f64::from(to[axis]) - f64::from(from[axis])) * at;
        let (min, max) = (f64::from(aabb.min()[axis]), f64::from(aabb.max()[axis]));
        (min - center).max(center - max).max(0.0)
    });
    x.hypot(y)
}

/// A number of any size, often about as large as one of a bounded circle may be.
fn extent() -> BoxedStrategy<f32> {
    prop_oneof![
        2 => -10.0_f32..10.0,
        2 => -4e19_f32..4e19,
        2 => -3.4e38_f32..3.4e38,
        1 => prop::sample::select(vec![0.0, 1e18, 1.1e18, 1.8e19, 1.9e19, f32::MAX, f32::MIN, f32::INFINITY]),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    /// Against distances in `f64`, and a search by thirds.
    #[test]
    fn touches_where_the_distance_is_first_the_radius(
        center in [somewhere(), somewhere()], radius in prop_oneof![0.0_f32..4.0, Just(0.0), Just(1.0)],
        by in [somewhere(), somewhere()], other in some_box(),
    ) {
        const ROUNDING: f64 = 1e-5;
        let moving = circle(center, radius, by);
        let (when, least) = nearest(&moving, &other, [0.0, 1.0]);
        match moving.entry(&other) {
            None => prop_assert!(least > f64::from(radius) - ROUNDING, "{least} from it at {when}"),
            Some(entry) => {
                prop_assert!((0.0..=1.0).contains(&entry));
                prop_assert!(least <= f64::from(radius) + ROUNDING, "it stays {least} away");
                let there = distance(&moving, &other, f64::from(entry));
                prop_assert!(there <= f64::from(radius) + ROUNDING, "{there} away at {entry}");
                // Nor does it touch sooner.
                let before = distance(&moving, &other, f64::from(entry) * 0.99 - 1e-4);
                prop_assert!(entry == 0.0 || before >= f64::from(radius) - ROUNDING, "{before} away before {entry}");
            }
        }
    }

    #[test]
    fn touches_what_its_ends_touch(
        center in [somewhere(), somewhere()], radius in 0.0_f32..4.0, by in [somewhere(), somewhere()], other in some_box(),
    ) {
        let moving = circle(center, radius, by);
        let touches = |center| other.distance_squared(center) <= radius * radius;
        prop_assert!(!touches(center) || moving.entry(&other) == Some(0.0));
        prop_assert!(!touches(moving.path().to()) || moving.entry(&other).is_some());
        let still = circle(center, radius, [0.0; 2]);
        prop_assert_eq!(still.entry(&other), touches(center).then_some(0.0));
    }

    /// A circle that is made has bounds and a path, and one that has them is made.
    #[test]
    fn is_made_if_it_is_bounded(
        center in [extent(), extent()], radius in extent().prop_map(f32::abs), by in [extent(), extent()],
    ) {
        let bounds = BoxCast::new(window_around(center, radius), by);
        match CircleCast::new(center, radius, by) {
            Ok(made) => {
                prop_assert_eq!(Ok(made.bounds()), bounds);
                prop_assert_eq!(made.path().from(), center);
                prop_assert_eq!(made.length(), made.path().length());
            }
            Err(error) => prop_assert_eq!(Err(error), bounds),
        }
    }

    #[test]
    fn is_within_its_bounds_and_a_circle_without_size_is_a_ray(
        center in [somewhere(), somewhere()], radius in 0.0_f32..4.0, by in [somewhere(), somewhere()], other in some_box(),
    ) {
        let moving = circle(center, radius, by);
        if let Some(entry) = moving.entry(&other) {
            let sooner = moving.bounds().entry(&other);
            prop_assert!(sooner.is_some_and(|sooner| sooner <= entry + 1e-5), "{sooner:?} {entry}");
        }
        let point = circle(center, 0.0, by);
        let (of_point, of_ray) = (point.entry(&other), point.path().entry(&other));
        match (of_point, of_ray) {
            (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-5, "{a} {b}"),
            (None, Some(at)) | (Some(at), None) => {
                let [x, y] = point.path().point_at(at);
                let [min, max] = [other.min(), other.max()];
                let corners = [min, [min[0], max[1]], [max[0], min[1]], max];
                let grazes = |[a, b]: [f32; 2]| (x - a).hypot(y - b) < 1e-5;
                prop_assert!(corners.into_iter().any(grazes), "{at}: {x}, {y} is at no corner");
            }
            (None, None) => {}
        }
    }

    #[test]
    fn normals_are_of_length_one_and_against_the_path(
        center in [somewhere(), somewhere()], by in [somewhere(), somewhere()], other in some_box(),
        radius in prop_oneof![4 => 0.01_f32..4.0, 1 => Just(0.0), 1 => 1e-9_f32..1e-3], scale in prop_oneof![Just(1.0_f32), Just(1000.0)],
    ) {
        let [center, by] = [center, by].map(|point| point.map(|v| v * scale));
        let other = Aabb::new(other.min().map(|v| v * scale), other.max().map(|v| v * scale)).unwrap();
        let moving = circle(center, radius, by);
        let contact = moving.contact(&other);
        prop_assert_eq!(contact.map(|contact| contact.fraction), moving.entry(&other));
        if let Some(contact) = contact {
            let [x, y] = contact.normal;
            prop_assert!(other.contains_point(contact.point));
            if other.distance_squared(center) <= radius * radius {
                prop_assert_eq!([x, y], [0.0; 2]);
            } else {
                prop_assert!((x.hypot(y) - 1.0).abs() < 1e-5, "{:?}", contact);
                prop_assert!(x * by[0] + y * by[1] <= 1e-6 * (by[0].abs() + by[1].abs()), "{:?}", contact);
            }
        }
    }
}
