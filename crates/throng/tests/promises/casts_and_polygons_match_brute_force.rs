//! Promise: whatever a ray, a moving box, a moving circle or a convex polygon touches is found, in every structure, once,
//! and what a path touches first comes first.

use std::ops::ControlFlow;
use throng_core::for_both;

use crate::casts_ask_shapes;
use crate::common::category;
use crate::common::worlds::{World, structures};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{
    Aabb, BoxCast, Broadphase, Cast, CastHit, CircleCast, ConvexPolygon, ProxyId, QueryFilter,
    RayCast, SimdLevel,
};
use throng_scenes::{BoxScene, Scene, adversarial_boxes, log_uniform_boxes, uniform};

/// A world with a category of each kind.
fn worlds(
    oversized: &BoxScene,
    scenery: &BoxScene,
    units: &Scene,
) -> impl Iterator<Item = Broadphase> {
    structures().into_iter().map(|structure| {
        let (oversized, scenery) = (
            std::slice::from_ref(oversized),
            std::slice::from_ref(scenery),
        );
        let units = std::slice::from_ref(units);
        let mut world = World::new(units, oversized, scenery, structure, SimdLevel::detect()).world;
        world.refresh();
        world
    })
}

fn all_boxes(world: &Broadphase) -> Vec<(ProxyId, Aabb)> {
    let ids = world
        .categories()
        .flat_map(|category| world.proxies(category));
    ids.map(|id| (id, world.get(id).unwrap().aabb)).collect()
}

/// Points where the world is, and some far outside; some equal, some in a line.
fn place(random: &mut Pcg64Mcg, boxes: &[(ProxyId, Aabb)]) -> [f32; 2] {
    let near = boxes[random.random_range(0..boxes.len())].1;
    let corner = [near.min(), near.max(), near.center()][random.random_range(0..3)];
    let shift = [0.0, 1.0, 30.0][random.random_range(0..3)];
    corner.map(|v| {
        let v = if v.is_finite() { v } else { 0.0 };
        v.clamp(-1e30, 1e30) + random.random_range(-1.0..=1.0) * shift
    })
}

fn any_cast(random: &mut Pcg64Mcg, boxes: &[(ProxyId, Aabb)]) -> Cast {
    let from = place(random, boxes);
    let mut to = place(random, boxes);
    match random.random_range(0..8) {
        0 => to = from,
        1 => to[0] = from[0],
        2 => to[1] = from[1],
        3 => to = for_both(|axis| from[axis] + (to[axis] - from[axis]) * 1e-3),
        _ => {}
    }
    let by = for_both(|axis| to[axis] - from[axis]);
    if random.random_bool(0.2) && by != [0.0; 2] {
        let reach = [f32::INFINITY, 0.0, 5.0, 1e6][random.random_range(0..4)];
        return RayCast::from_ray(from, by, reach).unwrap().into();
    }
    if random.random_bool(0.4) {
        return RayCast::from_to(from, to).unwrap().into();
    }
    if random.random_bool(0.5) {
        let radius = random.random_range(0.0..=4.0) * random.random_range(0..3) as f32;
        return CircleCast::new(from, radius, by).unwrap().into();
    }
    let half = for_both(|_| random.random_range(0.0..=4.0) * random.random_range(0..2) as f32);
    let begin = Aabb::from_center(from, half).unwrap();
    BoxCast::new(begin, by).unwrap().into()
}

fn found_on(world: &Broadphase, cast: Cast) -> Vec<CastHit> {
    let mut hits = Vec::new();
    let every = world.query().query_cast(cast, |hit| -> ControlFlow<()> {
        hits.push(hit);
        ControlFlow::Continue(())
    });
    assert!(every.unwrap().is_continue());
    hits
}

fn check_cast(world: &Broadphase, boxes: &[(ProxyId, Aabb)], cast: Cast, what: &str) {
    let mut expected: Vec<_> = boxes
        .iter()
        .filter_map(|(id, aabb)| Some((*id, cast.entry(aabb)?.to_bits())))
        .collect();
    expected.sort_unstable();
    let hits = found_on(world, cast);
    for hit in &hits {
        let contact = cast.contact(&hit.hit.aabb).unwrap();
        assert_eq!((hit.point, hit.normal), (contact.point, contact.normal));
    }
    let mut found: Vec<_> = hits
        .iter()
        .map(|hit| (hit.hit.id, hit.fraction.to_bits()))
        .collect();
    found.sort_unstable();
    assert!(
        found == expected,
        "{what}: {cast:?}: {} of {}",
        found.len(),
        expected.len()
    );

    let mut sorted = vec![hits.first().copied(); 3]
        .into_iter()
        .flatten()
        .collect();
    world.query().cast_all(cast, &mut sorted).unwrap();
    assert!(
        sorted.is_sorted_by_key(|hit| hit.fraction) && sorted.len() == hits.len(),
        "{what}"
    );
    let mut again: Vec<_> = sorted
        .iter()
        .map(|hit| (hit.hit.id, hit.fraction.to_bits()))
        .collect();
    again.sort_unstable();
    assert!(again == expected, "{what}");
    assert_eq!(
        world.query().cast_first(cast).unwrap(),
        sorted.first().copied(),
        "{what}: {cast:?}"
    );
    casts_ask_shapes::check(world, boxes, cast, what);
}

fn check_polygon(
    world: &Broadphase,
    boxes: &[(ProxyId, Aabb)],
    polygon: &ConvexPolygon,
    what: &str,
) {
    let touched = boxes.iter().filter(|(_, aabb)| polygon.touches(aabb));
    let mut expected: Vec<_> = touched.map(|(id, _)| *id).collect();
    let mut found = Vec::new();
    let all = world
        .query()
        .query_polygon(polygon, |hit| -> ControlFlow<()> {
            found.push(hit.id);
            ControlFlow::Continue(())
        });
    assert!(all.unwrap().is_continue());
    expected.sort_unstable();
    found.sort_unstable();
    assert!(found == expected, "{what}: {polygon:?}");
}

fn check_shapes(world: &Broadphase, count: usize, what: &str) {
    let boxes = all_boxes(world);
    let mut random = Pcg64Mcg::seed_from_u64(count as u64);
    for _ in 0..count {
        check_cast(world, &boxes, any_cast(&mut random, &boxes), what);
        let points = [0; 5].map(|_| place(&mut random, &boxes));
        if let Ok(polygon) = ConvexPolygon::hull_of(&points) {
            check_polygon(world, &boxes, &polygon, what);
        }
    }
}

#[test]
fn among_adversarial_boxes() {
    let units = uniform(200, 1.0, 1);
    let scenes: Vec<_> = adversarial_boxes(120, 2)
        .into_iter()
        .filter(|scene| !scene.is_empty())
        .collect();
    for (index, scenery) in scenes.iter().enumerate() {
        let oversized = &scenes[(index * 5 + 2) % scenes.len()];
        for (which, world) in worlds(oversized, scenery, &units).enumerate() {
            check_shapes(
                &world,
                25,
                &format!("{} and {}, {which}", oversized.name, scenery.name),
            );
        }
    }
}

#[test]
fn in_a_larger_world() {
    let (dragons, walls) = (
        log_uniform_boxes(300, [2.0, 60.0], 1.0, 3),
        log_uniform_boxes(4000, [0.5, 20.0], 0.5, 4),
    );
    for (which, world) in worlds(&dragons, &walls, &uniform(6000, 1.0, 5)).enumerate() {
        check_shapes(&world, 200, &format!("a larger world, {which}"));
    }
}

/// Far out a coordinate's last bit is wider than the units.
#[test]
fn far_from_the_origin() {
    let mut units = uniform(500, 1.0, 6);
    units.xs.iter_mut().for_each(|x| *x += 1e7);
    units.ys.iter_mut().for_each(|y| *y -= 1e7);
    let shifted = |scene: BoxScene| {
        let shift = |corner: [f32; 2]| [corner[0] + 1e7, corner[1] - 1e7];
        let boxes = (0..scene.len()).filter_map(|row| scene.aabb(row));
        BoxScene::new(
            "far out",
            boxes.map(|aabb| Aabb::new(shift(aabb.min()), shift(aabb.max())).unwrap()),
        )
    };
    let dragons = shifted(log_uniform_boxes(100, [2.0, 30.0], 1.0, 7));
    let walls = shifted(log_uniform_boxes(300, [0.5, 20.0], 1.0, 8));
    for (which, world) in worlds(&dragons, &walls, &units).enumerate() {
        check_shapes(&world, 200, &format!("far out, {which}"));
    }
}

#[test]
fn filters_and_breaks_are_obeyed() {
    let (dragons, walls) = (
        log_uniform_boxes(50, [2.0, 20.0], 1.0, 9),
        log_uniform_boxes(200, [0.5, 9.0], 1.0, 10),
    );
    for world in worlds(&dragons, &walls, &uniform(300, 1.0, 11)) {
        let bounds = all_boxes(&world)
            .into_iter()
            .map(|(_, aabb)| aabb)
            .reduce(|a, b| a.union(&b))
            .unwrap();
        let across = RayCast::from_to(bounds.min(), bounds.max()).unwrap();
        let filter = QueryFilter::new().category(category(2));
        let mut hits = Vec::new();
        world
            .query_with(&filter)
            .cast_all(across, &mut hits)
            .unwrap();
        assert!(!hits.is_empty() && hits.iter().all(|hit| hit.hit.category == category(2)));
        assert_eq!(
            world.query_with(&filter).cast_first(across).unwrap(),
            hits.first().copied()
        );
        let broken = world
            .query()
            .query_cast(across, |hit| ControlFlow::Break(hit.hit.id));
        assert!(broken.unwrap().is_break());
        let unknown = QueryFilter::new().category(category(7));
        assert!(world.query_with(&unknown).cast_first(across).is_err());
        assert!(
            world
                .query_with(&unknown)
                .cast_all(across, &mut hits)
                .is_err()
        );
    }
}

/// One of them far away must not make a search look at all of them, and one that is missed there is missed.
#[test]
fn with_one_far_away() {
    let mut units = uniform(3000, 1.0, 12);
    (units.xs[7], units.ys[7]) = (1e6, -1e6);
    let far = |scene: BoxScene| {
        let boxes = (0..scene.len()).filter_map(|row| scene.aabb(row));
        let far = Aabb::new([1e7, 3e6], [1.1e7, 3.1e6]).unwrap();
        BoxScene::new("one far away", boxes.chain([far]))
    };
    let dragons = far(log_uniform_boxes(200, [2.0, 30.0], 1.0, 13));
    let walls = far(log_uniform_boxes(600, [0.5, 20.0], 1.0, 14));
    for (which, world) in worlds(&dragons, &walls, &units).enumerate() {
        check_shapes(&world, 100, &format!("one far away, {which}"));
    }
}
