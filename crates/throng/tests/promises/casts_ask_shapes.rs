//! Promise: a cast that asks shapes finds the first of them, whatever they answer, and asks only about what may be first.
//! What it asks in whole scenes is called by `casts_and_polygons_match_brute_force.rs`.

use std::collections::HashMap;
use throng_core::for_both;

use throng::{
    Aabb, Broadphase, BroadphaseConfig, Cast, CastHit, CategoryConfig, Proxy, ProxyId, QueryFilter,
    RayCast,
};

/// A kind of shape in a box, and some answers that no shape gives.
#[derive(Clone, Copy)]
enum Shape {
    Circle([f32; 2], f32),
    Box(Aabb),
    Answer(Option<f32>),
}

impl Shape {
    /// One of its own for each box; the same one whoever asks.
    fn of(id: ProxyId, aabb: &Aabb) -> Self {
        let half = aabb.half_extents();
        match id.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60 {
            0 => Self::Answer(None),
            1 => Self::Answer(Some(f32::NAN)),
            2 => Self::Answer(Some(1.0_f32.next_up())),
            3 => Self::Answer(Some(f32::NEG_INFINITY)),
            4 => Self::Answer(Some(1.0)),
            5..9 => Self::Box(middle_of(aabb)),
            _ => Self::Circle(aabb.center(), half[0].min(half[1])),
        }
    }

    fn fraction(self, cast: &Cast) -> Option<f32> {
        match (self, cast) {
            (Self::Answer(answer), _) => answer,
            (Self::Circle(center, radius), Cast::Ray(ray)) => ray.circle_entry(center, radius),
            (Self::Circle(center, _), _) => cast.entry(&Aabb::point(center).unwrap()),
            (Self::Box(aabb), _) => cast.entry(&aabb),
        }
    }
}

/// The box without its outer half, as far as it has ends.
fn middle_of(aabb: &Aabb) -> Aabb {
    let (min, max) = (aabb.min(), aabb.max());
    let [x, y] = for_both(|axis| {
        let inner = [0.75, 0.25].map(|share| min[axis] * share + max[axis] * (1.0 - share));
        if inner.iter().all(|v| v.is_finite()) {
            inner
        } else {
            [min[axis], max[axis]]
        }
    });
    Aabb::new([x[0], y[0]], [x[1].max(x[0]), y[1].max(y[0])]).unwrap()
}

/// Compares with asking every shape. Boxes come in the order in which ties are broken.
pub fn check(world: &Broadphase, boxes: &[(ProxyId, Aabb)], cast: Cast, what: &str) {
    let shapes: HashMap<_, _> = boxes
        .iter()
        .map(|(id, aabb)| (*id, Shape::of(*id, aabb)))
        .collect();
    let hits = boxes.iter().filter_map(|(id, aabb)| {
        let entry = cast.entry(aabb)?;
        let fraction = shapes[id].fraction(&cast)?;
        (fraction <= 1.0).then(|| (fraction.max(entry), *id, aabb))
    });
    let mut expected: Vec<_> = hits.collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_as_expected = |hit: &CastHit, &(fraction, id, aabb): &(f32, ProxyId, &Aabb)| {
        let contact = cast.contact(aabb).unwrap();
        let later = fraction > contact.fraction;
        assert_eq!(hit.normal, contact.normal, "{what}: {cast:?}");
        match cast {
            Cast::Ray(ray) if later => assert_eq!(hit.point, ray.point_at(fraction), "{what}"),
            _ if later => assert!(aabb.contains_point(hit.point), "{what}"),
            _ => assert_eq!(hit.point, contact.point, "{what}: {cast:?}"),
        }
        (hit.fraction, hit.hit.id, hit.hit.aabb) == (fraction, id, *aabb)
    };

    let queries = world.query();
    let mut so_far = f32::INFINITY;
    let first = queries.cast_first_by(cast, |hit| {
        let contact = cast.contact(&hit.hit.aabb).unwrap();
        let given = (hit.fraction, hit.point, hit.normal);
        assert_eq!(given, (contact.fraction, contact.point, contact.normal));
        assert!(hit.fraction <= so_far, "{what}: it cannot be the first");
        let fraction = shapes[&hit.hit.id].fraction(&cast);
        let reached = fraction.filter(|&fraction| fraction <= 1.0);
        so_far = reached.map_or(so_far, |reached| so_far.min(reached.max(hit.fraction)));
        fraction
    });
    match (first.unwrap(), expected.first()) {
        (Some(first), Some(hit)) => assert!(is_as_expected(&first, hit), "{what}: {cast:?}"),
        (first, hit) => assert!(
            first.is_none() && hit.is_none(),
            "{what}: {cast:?} {first:?}"
        ),
    }

    let mut all = Vec::new();
    let found = queries.cast_all_by(cast, &mut all, |hit| shapes[&hit.hit.id].fraction(&cast));
    found.unwrap();
    assert_eq!(all.len(), expected.len(), "{what}: {cast:?}");
    let same = all
        .iter()
        .zip(&expected)
        .all(|(hit, expected)| is_as_expected(hit, expected));
    assert!(same, "{what}: {cast:?}");
    check_boxes_as_shapes(world, cast, what);
}

/// Shapes that fill their boxes are hit as the boxes are.
fn check_boxes_as_shapes(world: &Broadphase, cast: Cast, what: &str) {
    let queries = world.query();
    let first = queries.cast_first(cast).unwrap();
    let (mut boxes, mut shapes) = (Vec::new(), Vec::new());
    queries.cast_all(cast, &mut boxes).unwrap();
    for sooner in [0.0, 1.0, f32::INFINITY] {
        let shape = |hit: &CastHit| Some(hit.fraction - sooner);
        assert_eq!(
            queries.cast_first_by(cast, shape).unwrap(),
            first,
            "{what}: {cast:?}"
        );
        queries.cast_all_by(cast, &mut shapes, shape).unwrap();
        assert!(shapes == boxes, "{what}: {cast:?}");
    }
    assert_eq!(queries.cast_first_by(cast, |_| None).unwrap(), None);
}

/// Walls, units and rocks, one of each at 10, 20, 30 and so on.
fn row_of_three() -> Broadphase {
    let mut world = Broadphase::new(
        BroadphaseConfig::new()
            .category(CategoryConfig::oversized("walls"))
            .category(CategoryConfig::uniform("units", 1.0))
            .category(CategoryConfig::scenery("rocks")),
    )
    .unwrap();
    for x in (10..100).step_by(10) {
        let aabb = Aabb::from_center([x as f32, 0.0], [1.0, 1.0]).unwrap();
        world
            .insert(Proxy::moving(aabb).in_category(world.category("walls").unwrap()))
            .unwrap();
        world.insert(Proxy::moving(aabb)).unwrap();
        world.insert(Proxy::fixed(aabb)).unwrap();
    }
    world.refresh();
    world
}

#[test]
fn ties_go_to_the_category_and_the_row() {
    let world = row_of_three();
    let shot = RayCast::from_to([0.0, 0.0], [100.0, 0.0]).unwrap();
    let [walls, units, rocks] =
        ["walls", "units", "rocks"].map(|name| world.category(name).unwrap());
    let place = |first: Option<CastHit>| first.map(|first| (first.hit.category, first.hit.row));
    // All are reached at once, long after their boxes.
    let at_once = |_: &CastHit| Some(0.95);
    let first = world.query().cast_first_by(shot, at_once).unwrap();
    assert_eq!(place(first), Some((walls, 0)));
    assert_eq!(first.unwrap().point, [95.0, 0.0]);
    for category in [units, rocks] {
        let filter = QueryFilter::new().category(category);
        let queries = world.query_with(&filter);
        let first = queries.cast_first_by(shot, at_once).unwrap();
        assert_eq!(place(first), Some((category, 0)));
        let but_two = |hit: &CastHit| at_once(hit).filter(|_| hit.hit.row > 1);
        let first = queries.cast_first_by(shot, but_two).unwrap();
        assert_eq!(place(first), Some((category, 2)));
    }
    let not_walls = |hit: &CastHit| (hit.hit.category != walls).then_some(0.0);
    let first = world.query().cast_first_by(shot, not_walls).unwrap();
    assert_eq!(place(first), Some((units, 0)), "in the box, so at its side");
    assert_eq!(first.unwrap().point, [9.0, 0.0]);
}

/// The search ends soon after what is found, in every structure; and goes on through what is missed.
#[test]
fn few_are_asked() {
    let world = row_of_three();
    let shots = [100.0, f32::INFINITY].map(|reach| RayCast::from_ray([0.0; 2], [1.0, 0.0], reach));
    for shot in shots.map(Result::unwrap) {
        for (missed, most) in [(0, 3), (3, 6), (6, 9)] {
            let mut asked = Vec::new();
            let first = world.query().cast_first_by(shot, |hit| {
                asked.push((hit.hit.category, hit.hit.row));
                (hit.hit.row >= missed / 3).then_some(hit.fraction)
            });
            assert_eq!(first.unwrap().map(|first| first.hit.row), Some(missed / 3));
            assert!(asked.len() <= most, "{asked:?}");
            let answers = asked.len();
            asked.sort_unstable();
            asked.dedup();
            assert_eq!(asked.len(), answers, "once each");
        }
    }
}

#[test]
fn a_category_that_is_not_there_is_an_error() {
    let world = row_of_three();
    let shot = RayCast::from_to([0.0, 0.0], [100.0, 0.0]).unwrap();
    let unknown = QueryFilter::new().category(throng::CategoryId::new(7));
    let queries = world.query_with(&unknown);
    assert!(
        queries
            .cast_first_by(shot, |hit| Some(hit.fraction))
            .is_err()
    );
    let mut hits = vec![world.query().cast_first(shot).unwrap().unwrap()];
    let refused = queries.cast_all_by(shot, &mut hits, |hit| Some(hit.fraction));
    assert!(refused.is_err() && hits.is_empty());
}

/// Where such a ray enters is a fraction of an enormous length, with a rounding error to match. Whether it touches the outermost
/// corner of all that is there depends on that.
#[test]
fn endless_rays_may_graze_the_corner_of_an_index() {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("boxes", 0.5));
    let mut world = Broadphase::new(config).unwrap();
    for k in 0..9 {
        let center = [1000.0 + (k % 3) as f32, 700.0 - (k / 3) as f32];
        let proxy = Proxy::centered(center, [0.5, 0.5]).unwrap();
        world.insert(proxy.key(k)).unwrap();
    }
    world.refresh();
    let outermost = Aabb::from_center([1000.0, 700.0], [0.5, 0.5]).unwrap();
    let corner = [outermost.min()[0], outermost.max()[1]];
    let mut hits = Vec::new();
    let mut touched = 0;
    for step in 0..4000 {
        let from = [0.0, step as f32 / 8.0];
        let to_corner = [corner[0] - from[0], corner[1] - from[1]];
        let ray = RayCast::from_ray(from, to_corner, f32::INFINITY).unwrap();
        world.query().cast_all(ray, &mut hits).unwrap();
        let entry = ray.entry(&outermost);
        touched += usize::from(entry.is_some());
        let found = hits.iter().find(|hit| hit.hit.key == 0);
        assert_eq!(found.map(|hit| hit.fraction), entry, "from {from:?}");
    }
    assert!((100..3900).contains(&touched), "{touched} of 4000");
}
