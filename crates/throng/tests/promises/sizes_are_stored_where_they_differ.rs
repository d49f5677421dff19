//! Promise: in an exact category every proxy is its own box, and sizes are stored only while one differs from the bound.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy, ProxyId};
use throng_core::for_both;

use crate::common::category;

const BOUND: f32 = 1.0;

fn world() -> Broadphase {
    let units = CategoryConfig::uniform("units", BOUND);
    Broadphase::new(BroadphaseConfig::new().category(units)).unwrap()
}

fn proxy(x: f32, half: f32) -> Proxy {
    Proxy::centered([x, 0.0], [half; 2]).unwrap()
}

fn stored(world: &Broadphase) -> bool {
    world.memory().categories[0].half_extents > 0
}

/// Pairs, and what is found at a point that only a large box reaches.
fn check(world: &mut Broadphase, boxes: &[(ProxyId, Aabb)], what: &str) {
    world.validate().unwrap();
    let step = world.step_pairs();
    let mut pairs: Vec<[ProxyId; 2]> = Vec::new();
    for list in step.outputs() {
        for &[a, b] in list.pairs() {
            let id = |row| {
                let row = throng::RowRef {
                    category: category(0),
                    row,
                };
                step.world().proxy_at(row).unwrap()
            };
            let (a, b) = (id(a), id(b));
            pairs.push([a.min(b), a.max(b)]);
        }
    }
    pairs.sort_unstable();
    let mut expected = Vec::new();
    for (at, (a, own)) in boxes.iter().enumerate() {
        let others = boxes[at + 1..]
            .iter()
            .filter(|(_, other)| other.overlaps(own));
        expected.extend(others.map(|(b, _)| [*a.min(b), *a.max(b)]));
    }
    expected.sort_unstable();
    assert!(
        pairs == expected,
        "{what}: {} pairs of {}",
        pairs.len(),
        expected.len()
    );
    let mut hits = Vec::new();
    for (_, aabb) in boxes {
        let beside = [aabb.max()[0] + 0.1, aabb.max()[1]];
        world.query().find_at_point(beside, &mut hits).unwrap();
        let mut found: Vec<_> = hits.iter().map(|hit| hit.id).collect();
        found.sort_unstable();
        let at = boxes
            .iter()
            .filter(|(_, other)| other.contains_point(beside));
        let mut expected: Vec<_> = at.map(|(id, _)| *id).collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{what}");
    }
}

#[test]
fn one_that_differs_is_enough_and_none_is_too() {
    let mut world = world();
    let boxes = |world: &Broadphase| -> Vec<_> {
        let ids = world.proxies(category(0));
        ids.map(|id| (id, world.get(id).unwrap().aabb)).collect()
    };
    for row in 0..600 {
        world.insert(proxy(2.25 * row as f32, BOUND)).unwrap();
    }
    let all = boxes(&world);
    check(&mut world, &all, "all alike");
    assert!(!stored(&world));

    // 0.25 apart from both of its neighbours, where a box of the bound touches them.
    let thin = world.insert(proxy(2.25 * 4.5, 0.1)).unwrap();
    assert!(stored(&world));
    let all = boxes(&world);
    check(&mut world, &all, "one thin one");
    let wide = all[17].0;
    world
        .set_aabb(wide, Aabb::from_center([9.0, 0.0], [0.5, 1.0]).unwrap())
        .unwrap();
    let all = boxes(&world);
    check(&mut world, &all, "another");

    world
        .set_aabb(wide, Aabb::from_center([9.0, 0.0], [1.0; 2]).unwrap())
        .unwrap();
    let all = boxes(&world);
    check(&mut world, &all, "one again");
    world.remove(thin).unwrap();
    let all = boxes(&world);
    check(&mut world, &all, "none again");
    assert!(stored(&world), "kept for the next one");
    world.shrink_to_fit();
    assert!(!stored(&world));
    let all = boxes(&world);
    check(&mut world, &all, "after memory was let go");

    world.insert(proxy(0.0, 0.3)).unwrap();
    world.clear();
    world.shrink_to_fit();
    assert!(!stored(&world));
    world.insert(proxy(0.0, BOUND)).unwrap();
    let all = boxes(&world);
    check(&mut world, &all, "after all were gone");
}

/// Far from the origin, half the width of a box with the bound is rounded to more or less than the bound.
#[test]
fn boxes_of_the_bound_given_by_their_sides_are_like_it() {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let bound = 0.37;
    let units = CategoryConfig::uniform("units", bound);
    let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
    let (mut less, mut more) = (0, 0);
    for _ in 0..5000 {
        let center = for_both(|_| random.random_range(-5e4_f32..5e4));
        let (min, max) = (center.map(|c| c - bound), center.map(|c| c + bound));
        let aabb = Aabb::new(min, max).unwrap();
        let half = (max[0] - min[0]) / 2.0;
        less += usize::from(half < bound);
        more += usize::from(half > bound);
        let id = world.insert(Proxy::moving(aabb)).unwrap();
        let stored = world.get(id).unwrap();
        assert!(stored.aabb.contains(&aabb), "{stored:?} for {aabb}");
    }
    assert!(
        less > 100 && more > 100,
        "{less} less and {more} more: there is something to test"
    );
    assert!(!stored(&world), "all count as boxes of the bound");
}
