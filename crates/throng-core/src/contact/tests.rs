use super::*;
use crate::for_both;
use crate::ray_cast::tests::{INF, aabb, box_of, ray};
use proptest::prelude::*;

#[test]
fn rays_strike_the_side_that_a_person_sees() {
    let unit = aabb([0.0, 0.0], [1.0, 1.0]);
    let (left, right, below, above) = ([-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]);
    let none = [0.0; 2];
    let cases = [
        ([-1.0, 0.5], [3.0, 0.5], [0.0, 0.5], left, "from the left"),
        ([3.0, 0.5], [-1.0, 0.5], [1.0, 0.5], right, "from the right"),
        ([0.5, -3.0], [0.5, 1.0], [0.5, 0.0], below, "from below"),
        (
            [0.5, 5.0],
            [0.5, 1.0],
            [0.5, 1.0],
            above,
            "just as far as it",
        ),
        (
            [-1.0, 1.25],
            [1.0, 0.25],
            [0.0, 0.75],
            left,
            "down, on the left",
        ),
        (
            [-0.5, 2.0],
            [1.0, 0.5],
            [0.5, 1.0],
            above,
            "down, from above",
        ),
        (
            [-1.0, 0.0],
            [1.0, 2.0],
            [0.0, 1.0],
            left,
            "on the corner, going up",
        ),
        (
            [-1.0, -1.0],
            [1.0, 1.0],
            [0.0, 0.0],
            left,
            "on both at once",
        ),
        ([0.5, 0.25], [9.0, 9.0], [0.5, 0.25], none, "from inside"),
        (
            [0.0, 0.5],
            [1.0, 0.5],
            [0.0, 0.5],
            none,
            "from the border, in",
        ),
        (
            [0.0, 0.5],
            [-1.0, 0.5],
            [0.0, 0.5],
            none,
            "from the border, out",
        ),
        ([0.5, 0.5], [0.5, 0.5], [0.5, 0.5], none, "a point inside"),
    ];
    for (from, to, point, normal, what) in cases {
        let ray = ray(from, to);
        let contact = ray.contact(&unit).unwrap();
        assert_eq!((contact.point, contact.normal), (point, normal), "{what}");
        assert_eq!(Some(contact.fraction), ray.entry(&unit), "{what}");
    }
    assert_eq!(ray([-1.0, 2.0], [3.0, 2.0]).contact(&unit), None);
}

#[test]
fn boxes_strike_with_what_they_share() {
    let wall = aabb([4.0, 0.0], [6.0, 8.0]);
    let (left, below, none) = ([-1.0, 0.0], [0.0, -1.0], [0.0; 2]);
    let cases = [
        (
            [0.0, 1.0],
            [8.0, 0.0],
            [4.0, 2.0],
            left,
            "flat against the left",
        ),
        (
            [0.0, -1.0],
            [8.0, 0.0],
            [4.0, 0.5],
            left,
            "with its upper half",
        ),
        (
            [3.0, -9.0],
            [0.0, 8.0],
            [4.5, 0.0],
            below,
            "from below, with its right half",
        ),
        (
            [1.0, -3.0],
            [2.0, 2.0],
            [4.0, 0.0],
            left,
            "corner on corner",
        ),
        ([3.0, 7.0], [9.0, 9.0], [4.5, 7.5], none, "from inside"),
        ([2.0, 1.0], [9.0, 0.0], [4.0, 2.0], none, "touching already"),
    ];
    for (min, by, point, normal, what) in cases {
        let begin = aabb(min, min.map(|v| v + 2.0));
        let cast = BoxCast::new(begin, by).unwrap();
        let contact = cast.contact(&wall).unwrap();
        assert_eq!((contact.point, contact.normal), (point, normal), "{what}");
        assert_eq!(Some(contact.fraction), cast.entry(&wall), "{what}");
    }
    let beside = BoxCast::new(aabb([0.0, 9.0], [2.0, 10.0]), [8.0, 0.0]).unwrap();
    assert_eq!(beside.contact(&wall), None);
}

#[test]
fn half_planes_have_a_side_too() {
    let ground = aabb([-INF, -INF], [INF, 0.0]);
    let fall = ray([3.0, 8.0], [3.0, -8.0]).contact(&ground).unwrap();
    assert_eq!((fall.point, fall.normal), ([3.0, 0.0], [0.0, 1.0]));
    let crate_box = BoxCast::new(aabb([2.0, 8.0], [4.0, 9.0]), [0.0, -16.0]).unwrap();
    let fall = crate_box.contact(&ground).unwrap();
    assert_eq!((fall.point, fall.normal), ([3.0, 0.0], [0.0, 1.0]));
    let below = ray([3.0, -8.0], [3.0, 8.0]).contact(&ground).unwrap();
    assert_eq!((below.point, below.normal), ([3.0, -8.0], [0.0; 2]));
}

#[test]
fn places_on_the_way() {
    let shot = ray([1.0, -2.0], [5.0, 6.0]);
    assert_eq!(shot.point_at(0.25), [2.0, 0.0]);
    let cart = BoxCast::new(aabb([0.0, 0.0], [2.0, 1.0]), [3.0, 4.0]).unwrap();
    assert_eq!(cart.aabb_at(0.5), aabb([1.5, 2.0], [3.5, 3.0]));
    assert_eq!((cart.length(), shot.length()), (5.0, 80.0_f32.sqrt()));
    let far = ray([f32::MIN, 1.0], [f32::MAX, 1.0]);
    assert_eq!((far.point_at(0.5), far.length()), ([0.0, 1.0], INF));
    for (fraction, counts_as) in [
        (-1.0, 0.0),
        (f32::NAN, 0.0),
        (-INF, 0.0),
        (7.0, 1.0),
        (INF, 1.0),
    ] {
        assert_eq!(shot.point_at(fraction), shot.point_at(counts_as));
        assert_eq!(cart.aabb_at(fraction), cart.aabb_at(counts_as));
    }
}

/// Finite coordinates, hard on the arithmetic.
fn coordinate() -> BoxedStrategy<f32> {
    let tiny = f32::from_bits(1);
    let nasty = vec![
        0.0,
        -0.0,
        tiny,
        -tiny,
        1.0 + f32::EPSILON,
        -1e38,
        3e38,
        f32::MAX,
        f32::MIN,
    ];
    prop_oneof![
        5 => (-6_i32..7).prop_map(|k| k as f32),
        4 => -10.0_f32..10.0,
        2 => prop::sample::select(nasty),
        1 => (0_u32..40).prop_map(|k| f32::from_bits(1e7_f32.to_bits() + k)),
    ]
    .boxed()
}

fn point() -> BoxedStrategy<[f32; 2]> {
    [coordinate(), coordinate()].boxed()
}

fn some_box() -> BoxedStrategy<Aabb> {
    box_of(coordinate)
}

/// What must hold of any contact: the point is of the box, and on the side that the normal names; the normal is that of
/// a side, and points against the movement.
fn check(
    contact: &CastContact,
    aabb: &Aabb,
    [from, to]: [[f32; 2]; 2],
) -> Result<(), TestCaseError> {
    let CastContact { point, normal, .. } = *contact;
    prop_assert!(aabb.contains_point(point), "{contact:?}");
    let struck = for_both(|axis| normal[axis] != 0.0);
    prop_assert!(!(struck[0] && struck[1]), "{contact:?}");
    for axis in [0, 1] {
        let side = match normal[axis] {
            1.0 => aabb.max()[axis],
            -1.0 => aabb.min()[axis],
            0.0 => continue,
            _ => return Err(TestCaseError::fail(format!("{contact:?}"))),
        };
        prop_assert_eq!(point[axis], side);
        let against = if normal[axis] > 0.0 {
            to[axis] < from[axis]
        } else {
            to[axis] > from[axis]
        };
        prop_assert!(against, "{contact:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_ray_touches_where_it_is(from in point(), to in point(), aabb in some_box()) {
        let ray = ray(from, to);
        let contact = ray.contact(&aabb);
        prop_assert_eq!(contact.map(|contact| contact.fraction), ray.entry(&aabb));
        let Some(contact) = contact else { return Ok(()) };
        check(&contact, &aabb, [from, to])?;
        prop_assert_eq!(contact.normal == [0.0; 2], aabb.contains_point(from));
        if aabb.contains_point(from) {
            prop_assert_eq!(contact.point, from);
        }
        // It is on the ray, but for the error of a fraction, 2^-22 of it, and of the point.
        let on_ray = ray.point_at(contact.fraction);
        for axis in [0, 1] {
            let along = (f64::from(to[axis]) - f64::from(from[axis])).abs();
            let slack = along * (f64::from(contact.fraction) * 2.0_f64.powi(-21) + 1.5e-45)
                + f64::from(on_ray[axis]).abs() * 2.0_f64.powi(-23);
            let off = (f64::from(contact.point[axis]) - f64::from(on_ray[axis])).abs();
            prop_assert!(off <= slack, "{contact:?} {on_ray:?}");
        }
    }

    #[test]
    fn a_box_touches_where_it_is(
        at in [-10.0_f32..10.0, -10.0_f32..10.0], size in [0.0_f32..4.0, 0.0_f32..4.0],
        by in [-20.0_f32..20.0, -20.0_f32..20.0], other in some_box(),
    ) {
        let begin = aabb(at, for_both(|axis| at[axis] + size[axis]));
        let cast = BoxCast::new(begin, by).unwrap();
        let contact = cast.contact(&other);
        prop_assert_eq!(contact.map(|contact| contact.fraction), cast.entry(&other));
        let Some(contact) = contact else { return Ok(()) };
        check(&contact, &other, [begin.min(), cast.end().min()])?;
        prop_assert!(contact.normal == [0.0; 2] || !begin.overlaps(&other));
        // The moving box is there, but for rounding.
        let there = cast.aabb_at(contact.fraction);
        prop_assert!(there.distance_squared(contact.point) <= 1e-9, "{contact:?} {there}");
    }

    /// Whole numbers make every way of touching common.
    #[test]
    fn a_box_on_whole_numbers(
        at in [-5..6_i32, -5..6_i32], size in [0..4_i32, 0..4_i32], by in [-8..9_i32, -8..9_i32], other in some_box(),
    ) {
        let at = at.map(|v| v as f32);
        let begin = aabb(at, for_both(|axis| at[axis] + size[axis] as f32));
        let cast = BoxCast::new(begin, by.map(|v| v as f32)).unwrap();
        let Some(contact) = cast.contact(&other) else { return Ok(()) };
        check(&contact, &other, [begin.min(), cast.end().min()])?;
        let whole = [other.min(), other.max()].concat().iter().all(|v| v.fract() == 0.0 && v.abs() < 1e6);
        if whole {
            prop_assert_eq!(contact.normal == [0.0; 2], begin.overlaps(&other));
        }
    }

    /// A box of no size is a ray.
    #[test]
    fn a_box_of_no_size_touches_as_a_ray(from in point(), by in point(), other in some_box()) {
        let Ok(cast) = BoxCast::new(Aabb::point(from).unwrap(), by) else { return Ok(()) };
        let [contact, of_ray] = [cast.contact(&other), ray(from, cast.end().min()).contact(&other)];
        prop_assert_eq!(contact.map(|c| (c.fraction, c.normal)), of_ray.map(|c| (c.fraction, c.normal)));
    }

    #[test]
    fn places_are_in_order(from in point(), to in point(), a in 0.0_f32..=1.0, b in 0.0_f32..=1.0) {
        let ray = ray(from, to);
        prop_assert_eq!((ray.point_at(0.0), ray.point_at(1.0)), (from, to));
        let [sooner, later] = [ray.point_at(a.min(b)), ray.point_at(a.max(b))];
        for axis in [0, 1] {
            let order = |v: [f32; 4]| v.is_sorted() || v.iter().rev().is_sorted();
            prop_assert!(order([from[axis], sooner[axis], later[axis], to[axis]]), "{sooner:?} {later:?}");
        }
    }
}
