use crate::for_both;
use proptest::prelude::*;

use super::*;

const INF: f32 = f32::INFINITY;

fn aabb(min: [f32; 2], max: [f32; 2]) -> Aabb {
    Aabb::new(min, max).unwrap()
}

/// A square on a corner: every edge is slanted.
const DIAMOND: [[f32; 2]; 4] = [[0.0, -2.0], [2.0, 0.0], [0.0, 2.0], [-2.0, 0.0]];

#[test]
fn touching_is_what_a_person_finds() {
    let diamond = ConvexPolygon::new(&DIAMOND).unwrap();
    let cases = [
        ([-0.5, -0.5], [0.5, 0.5], true, "inside"),
        ([-9.0, -9.0], [9.0, 9.0], true, "around it"),
        ([1.0, 1.0], [2.0, 2.0], true, "a corner on an edge"),
        ([1.01, 1.0], [2.0, 2.0], false, "just off an edge"),
        ([2.0, -1.0], [3.0, 1.0], true, "a side on a corner"),
        ([2.1, -1.0], [3.0, 1.0], false, "beyond its bounds"),
        ([-2.0, -2.0], [-1.5, -1.5], false, "in its bounds only"),
        ([1.5, -INF], [INF, -1.5], false, "a quarter of the plane"),
        ([-INF, -INF], [-1.0, -1.0], true, "a quarter that touches"),
        ([-INF, -0.1], [INF, 0.1], true, "a band"),
    ];
    for (min, max, touches, what) in cases {
        assert_eq!(diamond.touches(&aabb(min, max)), touches, "{what}");
    }
    assert!(diamond.touches(&Aabb::EVERYWHERE));
}

#[test]
fn a_rectangle_is_turned_about_its_centre() {
    let turned = ConvexPolygon::rectangle([3.0, 4.0], [2.0, 1.0], [0.6, 0.8]).unwrap();
    let corners = [[1.0, 3.0], [2.6, 1.8], [5.0, 5.0], [3.4, 6.2]];
    assert_eq!(turned.points().len(), 4);
    for corner in corners {
        let near = |point: &&[f32; 2]| (0..2).all(|axis| (point[axis] - corner[axis]).abs() < 1e-5);
        assert_eq!(
            turned.points().iter().filter(near).count(),
            1,
            "{corner:?} of {turned:?}"
        );
    }
}

#[test]
fn corners_are_kept_in_order_and_what_lies_between_is_not() {
    let corners = [[-2.0, 0.0], [0.0, -2.0], [2.0, 0.0], [0.0, 2.0]];
    let mut reversed = DIAMOND;
    reversed.reverse();
    let repeated: Vec<_> = DIAMOND.iter().flat_map(|&point| [point; 3]).collect();
    let mut halved = Vec::new();
    for (i, [x, y]) in DIAMOND.into_iter().enumerate() {
        let [next_x, next_y] = DIAMOND[(i + 1) % 4];
        halved.extend([[x, y], [(x + next_x) / 2.0, (y + next_y) / 2.0]]);
    }
    for points in [&DIAMOND[..], &reversed, &repeated, &halved] {
        let polygon = ConvexPolygon::new(points).unwrap();
        assert_eq!(polygon.points(), corners);
        assert_eq!(polygon.edges().len(), 4);
        assert_eq!(polygon.bounds(), aabb([-2.0; 2], [2.0; 2]));
    }
}

#[test]
fn flat_polygons_are_segments_and_points() {
    let segment = ConvexPolygon::new(&[[0.0, 0.0], [4.0, 4.0], [2.0, 2.0]]).unwrap();
    assert_eq!(segment.points(), [[0.0, 0.0], [4.0, 4.0]]);
    assert!(segment.touches(&aabb([3.0, 3.0], [3.0, 3.0])));
    assert!(!segment.touches(&aabb([1.0, 2.0], [1.5, 2.5])));
    let point = ConvexPolygon::new(&[[1.0, -0.0], [1.0, 0.0], [1.0, 0.0]]).unwrap();
    assert_eq!((point.points().len(), point.edges().len()), (1, 0));
    assert!(point.touches(&aabb([1.0, -1.0], [2.0, 0.0])));
    assert!(!point.touches(&aabb([1.1, -1.0], [2.0, 0.0])));
}

#[test]
fn rectangles_turn() {
    let straight = ConvexPolygon::rectangle([1.0, 2.0], [3.0, 1.0], [1.0, 0.0]).unwrap();
    assert_eq!(straight.bounds(), aabb([-2.0, 1.0], [4.0, 3.0]));
    assert!(straight.edges().is_empty(), "its bounds say it all");
    let (sin, cos) = std::f32::consts::FRAC_PI_4.sin_cos();
    let turned = ConvexPolygon::rectangle([0.0, 0.0], [2_f32.sqrt(), 2_f32.sqrt()], [cos, sin]);
    let turned = turned.unwrap();
    assert!(turned.touches(&aabb([0.9, 0.9], [2.0, 2.0])));
    assert!(!turned.touches(&aabb([1.1, 1.1], [2.0, 2.0])));
    // So thin and so far out that its corners round to the same point.
    for k in 0..64 {
        let (sin, cos) = (0.1 * k as f32).sin_cos();
        let thin = ConvexPolygon::rectangle([3e6, -5e6], [10.0, 1e-3], [cos, sin]).unwrap();
        assert!(thin.touches(&Aabb::from_center([3e6, -5e6], [1.0, 1.0]).unwrap()));
    }
    let nowhere = ConvexPolygon::rectangle([0.0, INF], [1.0, 1.0], [1.0, 0.0]).unwrap_err();
    assert!(nowhere.to_string().contains("point 0"), "{nowhere}");
    let inside_out = ConvexPolygon::rectangle([0.0, 0.0], [-1.0, 1.0], [1.0, 0.0]).unwrap_err();
    assert!(
        inside_out.to_string().contains("[-1.0, 1.0]"),
        "{inside_out}"
    );
    for turn in [[0.0, 0.0], [1.0, 1.0], [0.9, 0.0]] {
        let error = ConvexPolygon::rectangle([0.0, 0.0], [1.0, 1.0], turn).unwrap_err();
        assert_eq!(error, ConvexPolygonError::Turn { given: turn });
    }
}

#[test]
fn what_is_not_convex_is_refused_by_point() {
    let cases: [(&[[f32; 2]], &str); 8] = [
        (&[], "at least 3 points, but 0 were given"),
        (&DIAMOND[..2], "at least 3 points, but 2 were given"),
        (
            &[[0.0, 0.0], [0.0, INF], [1.0, 1.0]],
            "point 1 of the polygon is [0.0, inf]; finite",
        ),
        (
            &[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]],
            "point 3 of the polygon, [2.0, 1.0], is a dent: it lies inside the line from point 2 to point 4",
        ),
        (
            &[[0.0, 4.0], [2.0, 1.0], [4.0, 4.0], [4.0, 0.0], [0.0, 0.0]],
            "point 1 of the polygon, [2.0, 1.0], is a dent: it lies inside the line from point 0 to point 2",
        ),
        (
            &[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]],
            "point 1 of the polygon, [1.0, 1.0], is out of order: it comes next after point 2",
        ),
        (
            &[
                [0.0, 3.0],
                [2.0, -3.0],
                [-3.0, 1.0],
                [3.0, 1.0],
                [-2.0, -3.0],
            ],
            "out of order",
        ),
        (
            &[
                [0.0, 0.0],
                [1.0, 0.0],
                [0.0, 1.0],
                [0.0, 0.0],
                [1.0, 0.0],
                [0.0, 1.0],
            ],
            "point 4 of the polygon, [1.0, 0.0], is a dent",
        ),
    ];
    for (points, words) in cases {
        let error = ConvexPolygon::new(points).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    assert!(ConvexPolygon::hull_of(&[]).is_err());
}

#[test]
fn points_computed_on_an_edge_are_no_dents() {
    let corners = [[0.1_f32, 0.3], [1e3 / 3.0, 77.7], [-20.0 / 7.0, 1e3 / 7.0]];
    let mut points = Vec::new();
    for (i, a) in corners.into_iter().enumerate() {
        let b = corners[(i + 1) % 3];
        let along = |k: i32| for_both(|axis| a[axis] + (b[axis] - a[axis]) * (k as f32 / 37.0));
        points.extend((0..37).map(along));
    }
    let polygon = ConvexPolygon::new(&points).unwrap();
    let middle = Aabb::point([100.0, 70.0]).unwrap();
    assert!(
        points
            .iter()
            .all(|&p| polygon.touches(&Aabb::point(p).unwrap()))
    );
    assert!(polygon.touches(&middle));
}

/// Coordinates as whole numbers times a power of two that differs from polygon to polygon. Every difference and
/// product of them is exact in `i128`, and often not in `f64`.
#[derive(Debug, Clone)]
struct Exact {
    points: Vec<[i64; 2]>,
    min: [i64; 2],
    max: [i64; 2],
    exponent: i32,
}

impl Exact {
    fn float(&self, v: i64) -> f32 {
        (v as f64 * 2_f64.powi(self.exponent)) as f32
    }

    fn polygon(&self) -> ConvexPolygon {
        let points = self.points.iter().map(|p| p.map(|v| self.float(v)));
        ConvexPolygon::hull_of(&points.collect::<Vec<_>>()).unwrap()
    }

    fn aabb(&self) -> Aabb {
        let [min, max] = [self.min, self.max].map(|corner| corner.map(|v| self.float(v)));
        aabb(min, max)
    }

    /// How far apart the closed box and the hull are, relative to the distances involved: the widest gap between
    /// their projections across any line through two points, 0 or less if they touch.
    fn gap(&self) -> f64 {
        let corners = [
            self.min,
            [self.max[0], self.min[1]],
            self.max,
            [self.min[0], self.max[1]],
        ];
        let mut widest = f64::NEG_INFINITY;
        let mut across = |normal: [i128; 2]| {
            let shadow = |p: &[i64; 2]| normal[0] * i128::from(p[0]) + normal[1] * i128::from(p[1]);
            let furthest = self.points.iter().map(shadow).max().unwrap();
            let nearest = corners.iter().map(shadow).min().unwrap();
            // Relative to the terms, as rounding is: the largest product of an extent and a component.
            let all = || self.points.iter().chain(&corners);
            let extent = |i: usize| {
                let (low, high) = (all().map(|p| p[i]).min(), all().map(|p| p[i]).max());
                i128::from(high.unwrap()) - i128::from(low.unwrap())
            };
            let terms = (0..2).map(|i| normal[i].abs() * extent(i)).max().unwrap();
            let gap = (nearest - furthest) as f64 / (terms as f64).max(1.0);
            widest = widest.max(gap);
        };
        for axis in [[1, 0], [0, 1], [-1, 0], [0, -1]] {
            across(axis);
        }
        for (i, a) in self.points.iter().enumerate() {
            for b in &self.points[..i] {
                let [x, y] = for_both(|axis| i128::from(b[axis]) - i128::from(a[axis]));
                across([-y, x]);
                across([y, -x]);
            }
        }
        widest
    }
}

fn exact() -> BoxedStrategy<Exact> {
    // Up to 24 bits each, at three scales: an `f32` holds them all.
    let coordinate = || {
        prop_oneof![
            4 => -6_i64..7,
            2 => -0xff_ffff_i64..0x100_0000,
            1 => (-0xff_i64..0x100).prop_map(|v| v << 32),
            1 => (-0xff_i64..0x100).prop_map(|v| v << 51),
            1 => 0xff_fff0_i64..0x100_0000,
        ]
    };
    let point = move || [coordinate(), coordinate()];
    let points = prop::collection::vec(point(), 1..8);
    // 2^-149 is the least denormal; 2^69 times 2^59 would be infinite.
    let exponent = prop_oneof![Just(0), Just(-149), Just(68), -149_i32..69];
    (points, point(), point(), exponent)
        .prop_map(|(points, a, b, exponent)| Exact {
            points,
            min: [a[0].min(b[0]), a[1].min(b[1])],
            max: [a[0].max(b[0]), a[1].max(b[1])],
            exponent,
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn what_touches_is_never_missed_and_what_does_not_only_by_rounding(case in exact()) {
        let (gap, touches) = (case.gap(), case.polygon().touches(&case.aabb()));
        prop_assert!(gap > 0.0 || touches, "missed: {gap}");
        // Among denormals rounding is not relative, and close to the greatest distances values overflow.
        let is_rounded_as_usual = (-100..60).contains(&case.exponent);
        prop_assert!(gap < 2_f64.powi(-19) || !is_rounded_as_usual || !touches, "{gap} apart");
    }

    #[test]
    fn a_box_around_one_that_touches_touches(
        points in prop::collection::vec([any_coordinate(), any_coordinate()], 1..7),
        sides in [any_coordinate(), any_coordinate(), any_coordinate(), any_coordinate()],
        wider in [0_u32..4, 0..4, 0..4, 0..4],
    ) {
        let polygon = ConvexPolygon::hull_of(&points).unwrap();
        let [x0, y0, x1, y1] = sides;
        let inner = aabb([x0.min(x1), y0.min(y1)], [x0.max(x1), y0.max(y1)]);
        let down = |v: f32, by: u32| if by == 3 { -INF } else { (0..by).fold(v, |v, _| v.next_down()) };
        let ([a, b], [c, d]) = (inner.min(), inner.max());
        let min = [down(a, wider[0]), down(b, wider[1])];
        let max = [-down(-c, wider[2]), -down(-d, wider[3])];
        let outer = aabb(min, max);
        prop_assert!(!polygon.touches(&inner) || polygon.touches(&outer));
        prop_assert!(polygon.touches(&Aabb::EVERYWHERE));
        for &point in &points {
            prop_assert!(polygon.touches(&Aabb::point(point).unwrap().union(&inner)));
        }
    }

    #[test]
    fn hulls_of_anything_are_polygons_either_way_round(
        points in prop::collection::vec([any_coordinate(), any_coordinate()], 3..12),
    ) {
        let hull = ConvexPolygon::hull_of(&points).unwrap();
        let mut corners = hull.points().to_vec();
        if corners.len() >= 3 {
            prop_assert_eq!(&ConvexPolygon::new(&corners).unwrap(), &hull);
            corners.reverse();
            corners.rotate_left(1);
            prop_assert_eq!(&ConvexPolygon::new(&corners).unwrap(), &hull);
        }
    }
}

fn any_coordinate() -> BoxedStrategy<f32> {
    let nasty = vec![
        0.0,
        -0.0,
        1e-45,
        f32::MIN_POSITIVE,
        1.0,
        1e38,
        f32::MAX,
        f32::MIN,
    ];
    prop_oneof![
        3 => (-6_i32..7).prop_map(|k| k as f32),
        2 => -10.0_f32..10.0,
        2 => prop::sample::select(nasty),
        1 => any::<f32>().prop_filter("finite", |v| v.is_finite()),
    ]
    .boxed()
}
