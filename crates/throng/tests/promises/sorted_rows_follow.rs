//! Promise: rows can be put into another order at any time, everything follows, and sorted by key, worlds with the same
//! contents are the same from then on. (Sorting among random operations is in `operations_match_a_model`.)

use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CountPairs, Masks,
    OversizedStructure, Proxy, ProxyId, RowOrder, Serial, SortRowsError,
};
use throng_scenes::{log_uniform_boxes, uniform};

use crate::common::worlds::structures;
use crate::common::{Pair, Threads, category, ordered_pairs};

const CATEGORIES: usize = 4;

fn empty_world(structure: OversizedStructure) -> Broadphase {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("pixies", 1.0).coarse())
        .category(CategoryConfig::uniform("infantry", 2.0))
        .category(CategoryConfig::oversized("dragons").structure(structure))
        .category(CategoryConfig::scenery("walls"));
    Broadphase::new(config).unwrap()
}

/// Some of each category, with masks and keys of their own.
fn contents() -> Vec<Proxy> {
    let mut proxies = Vec::new();
    for (index, half) in [(0, [1.0; 2]), (1, [2.0, 1.5])] {
        let scene = uniform(2000, 1.0, index);
        let places = scene.xs.iter().zip(&scene.ys);
        let proxy = |(&x, &y)| Proxy::centered([x, y], half).unwrap();
        proxies.extend(places.map(|place| proxy(place).in_category(category(index as usize))));
    }
    for (index, rows, sizes) in [(2, 300, [2.0, 40.0]), (3, 400, [0.5, 9.0])] {
        let boxes = log_uniform_boxes(rows, sizes, 0.5, index as u64);
        let proxy = |row| Proxy::moving(boxes.aabb(row).unwrap()).in_category(category(index));
        proxies.extend((0..rows).map(proxy));
    }
    let own = |(key, proxy): (u64, Proxy)| {
        let masks = Masks::new(1 << (key % 5), !(1 << (key % 3)));
        proxy.masks(masks).key(key * 7919 % 1_000_003)
    };
    (0..).zip(proxies).map(own).collect()
}

fn sort_all(world: &mut Broadphase, order: RowOrder) {
    for category in world.categories() {
        world.sort_rows(category, order).unwrap();
        world.validate().unwrap();
    }
}

fn keys(world: &Broadphase, index: usize) -> Vec<u64> {
    world.keys(category(index)).unwrap().to_vec()
}

/// The pairs of some frames in which everything moves, each by its key.
fn frames(world: &mut Broadphase) -> Vec<Vec<Pair>> {
    let mut frames = vec![ordered_pairs(world, &Serial)];
    for frame in 1..6_u64 {
        for index in 0..3 {
            let shift = |key: u64, axis: u64| ((key + frame * 31 + axis) % 17) as f32 * 0.1 - 0.8;
            let [xs, ys] = world.centers(category(index));
            let keys = keys(world, index);
            let moved = |centers: &[f32], axis| -> Vec<f32> {
                let moved = centers.iter().zip(&keys);
                moved
                    .map(|(center, &key)| center + shift(key, axis))
                    .collect()
            };
            let (xs, ys) = (moved(xs, 0), moved(ys, 7));
            let mut centers = world.centers_mut(category(index)).unwrap();
            assert_eq!(centers.fill_from(&xs, &ys).unwrap().rejected, 0);
        }
        frames.push(ordered_pairs(world, &Threads(2)));
    }
    frames
}

/// A world with these contents to which much has happened: others came and went, and everything was elsewhere.
fn eventful(structure: OversizedStructure, contents: &[Proxy]) -> Broadphase {
    let mut world = empty_world(structure);
    let passing = |i: usize| {
        let proxy = Proxy::centered([i as f32 * 3.0, 1e4], [0.5; 2]).unwrap();
        proxy.in_category(category(i % 2)).key(9)
    };
    let guests = world.insert_batch((0..6000).map(passing)).ids;
    let mut order: Vec<usize> = (0..contents.len()).collect();
    order.sort_by_key(|&i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let ids = world.insert_batch(order.iter().map(|&i| contents[i])).ids;
    let ids: Vec<ProxyId> = ids.into_iter().flatten().collect();
    world.step_pairs();
    for guest in guests.into_iter().flatten() {
        world.remove(guest).unwrap();
    }
    let homes: Vec<[f32; 2]> = ids
        .iter()
        .map(|&id| world.get(id).unwrap().center)
        .collect();
    let moving = |world: &Broadphase, id| world.locate(id).unwrap().category != category(3);
    for round in 0..3 {
        for (&id, home) in ids.iter().zip(&homes) {
            if moving(&world, id) {
                let spread = home.map(|c| c * (1.0 + round as f32) + 1e3);
                world.set_center(id, spread).unwrap();
            }
        }
        world.step_pairs();
    }
    for (&id, home) in ids.iter().zip(&homes) {
        if moving(&world, id) {
            world.set_center(id, *home).unwrap();
        }
    }
    sort_all(&mut world, RowOrder::Space);
    world
}

#[test]
fn worlds_with_the_same_contents_are_the_same_once_sorted_by_key() {
    let contents = contents();
    for structure in structures() {
        let mut plain = empty_world(structure);
        assert_eq!(plain.insert_batch(contents.iter().copied()).refused, []);
        let mut eventful = eventful(structure, &contents);
        for world in [&mut plain, &mut eventful] {
            sort_all(world, RowOrder::Key);
            for index in 0..CATEGORIES {
                assert!(keys(world, index).is_sorted_by(|a, b| a < b));
            }
        }
        let [plain, eventful] = [frames(&mut plain), frames(&mut eventful)];
        assert!(plain.iter().all(|pairs| pairs.len() > 1000));
        for (frame, (plain, eventful)) in plain.iter().zip(&eventful).enumerate() {
            assert!(plain == eventful, "frame {frame}, {structure:?}");
        }
    }
}

#[test]
fn rows_sorted_by_space_are_in_order_on_any_number_of_threads() {
    let contents = contents();
    for structure in structures() {
        let orders = [1, 2, 5].map(|threads| {
            let mut world = empty_world(structure);
            assert_eq!(world.insert_batch(contents.iter().copied()).refused, []);
            let scattered = partners_apart(&mut world);
            let orders = [0, 1, 2, 3].map(|index| {
                let sort = |world: &mut Broadphase| {
                    world.sort_rows_on(&Threads(threads), category(index), RowOrder::Space)
                };
                let order = sort(&mut world).unwrap();
                if index < 2 {
                    assert!(sort(&mut world).unwrap().is_identity(), "sorted already");
                }
                order
            });
            world.validate().unwrap();
            let sorted = partners_apart(&mut world);
            assert!(
                sorted * 10 < scattered,
                "{sorted} rows apart, and {scattered} before"
            );
            orders
        });
        assert!(
            orders.windows(2).all(|two| two[0] == two[1]),
            "{structure:?}"
        );
    }
}

/// How many rows there are between the partners of a pair of pixies, as a median.
fn partners_apart(world: &mut Broadphase) -> u32 {
    let pairs = ordered_pairs(world, &Serial);
    let pairs = pairs
        .iter()
        .filter(|(categories, _)| *categories == [category(0); 2]);
    let mut apart: Vec<u32> = pairs.map(|(_, [a, b])| a.abs_diff(*b)).collect();
    apart.sort_unstable();
    apart[apart.len() / 2]
}

#[test]
fn what_was_disabled_stays_so_and_comes_last() {
    let mut world = empty_world(structures()[0]);
    let ids = world.insert_batch(contents()).ids;
    let ids: Vec<ProxyId> = ids.into_iter().flatten().collect();
    for &id in ids.iter().step_by(3) {
        world.set_enabled(id, false).unwrap();
    }
    sort_all(&mut world, RowOrder::Space);
    for (i, &id) in ids.iter().enumerate() {
        assert_eq!(world.is_enabled(id), Ok(i % 3 != 0));
    }
    for index in 0..CATEGORIES {
        let enabled = world
            .proxies(category(index))
            .map(|id| world.is_enabled(id).unwrap());
        assert!(enabled.is_sorted_by(|a, b| a >= b));
    }
}

#[test]
fn keys_may_be_any_numbers() {
    for keys in [
        vec![u64::MAX, 0, 7, u64::MAX - 1, 1 << 40],
        vec![u64::MAX, u64::MAX - 3, u64::MAX - 1],
        vec![(1 << 63) + 5, 1 << 63, (1 << 63) + 4],
        vec![0],
    ] {
        let mut world = empty_world(structures()[0]);
        for (i, &key) in keys.iter().enumerate() {
            let proxy = Proxy::centered([4.0 * i as f32, 0.0], [1.0; 2]).unwrap();
            world
                .insert(proxy.key(key).in_category(category(0)))
                .unwrap();
        }
        let order = world.sort_rows(category(0), RowOrder::Key).unwrap();
        let mut expected = keys.clone();
        expected.sort_unstable();
        let stored = world.keys(category(0)).map_or(vec![0], <[u64]>::to_vec);
        assert_eq!(stored, expected);
        let old_rows = order.old_rows().iter().map(|&old| keys[old as usize]);
        assert!(old_rows.eq(expected));
    }
}

#[test]
fn queries_and_a_plan_can_follow_at_once() {
    let mut world = empty_world(structures()[0]);
    assert_eq!(world.insert_batch(contents()).refused, []);
    assert!(world.plan().is_err());
    world.sort_rows(category(0), RowOrder::Space).unwrap();
    assert!(world.plan().is_ok_and(|plan| plan.chunks() > 0));
    let mut found = Vec::new();
    let everywhere = Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]).unwrap();
    world.query().find_in_aabb(&everywhere, &mut found).unwrap();
    assert_eq!(found.len(), world.len());
    for hit in found {
        assert_eq!(world.locate(hit.id).unwrap().row, hit.row);
    }
}

#[test]
fn what_cannot_be_sorted_is_left_alone_and_named() {
    let mut world = empty_world(structures()[0]);
    let keys = [5, 3, 7, 3, 5];
    let proxy = |(i, key)| {
        Proxy::centered([4.0 * i as f32, 0.0], [1.0; 2])
            .unwrap()
            .key(key)
    };
    let ids: Vec<_> = (0..)
        .zip(keys)
        .map(|each: (i32, u64)| world.insert(proxy(each)).unwrap())
        .collect();
    let refused = world.sort_rows(category(0), RowOrder::Key).unwrap_err();
    let equal = [ids[1], ids[3]];
    assert_eq!(refused, SortRowsError::EqualKeys { key: 3, ids: equal });
    let text = refused.to_string();
    assert!(
        text.starts_with(&format!(
            "{:?} and {:?} have the same key 3",
            ids[1], ids[3]
        )),
        "{text}"
    );
    assert!(world.proxies(category(0)).eq(ids), "nothing has changed");
    let unknown = world
        .sort_rows(CategoryId::new(9), RowOrder::Space)
        .unwrap_err();
    assert!(
        matches!(unknown, SortRowsError::UnknownCategory(_)),
        "{unknown}"
    );
    let empty = world.sort_rows(category(2), RowOrder::Key).unwrap();
    assert!(empty.is_empty());
}

#[test]
fn a_sort_that_is_refused_wakes_nobody() {
    let crates = CategoryConfig::uniform("crates", 1.0).rests_after(1);
    let mut world = Broadphase::new(BroadphaseConfig::new().category(crates)).unwrap();
    let at = |x| Proxy::centered([x, 0.0], [1.0; 2]).unwrap().key(7);
    let ids = [0.0, 1.5].map(|x| world.insert(at(x)).unwrap());
    while world.step_pairs().resting_pairs().is_empty() {}
    world.set_center(ids[1], [1.25, 0.0]).unwrap();
    assert!(world.sort_rows(category(0), RowOrder::Key).is_err());
    assert_eq!(ids.map(|id| world.is_resting(id).unwrap()), [true; 2]);
    assert_eq!(world.resting_pairs().len(), 1);
    assert_eq!(world.step_pairs().report().pairs, 1, "the one that moved");
    assert!(!world.is_index_stale());
}

/// Thin worlds, pools of disabled rows and boxes of all sizes: whatever a sort leaves is no reason for another.
#[test]
fn a_sort_is_not_due_again_at_once() {
    let thin = (0..60_000_u32).map(|i| {
        let at =
            |step: u32, range: f32| (i.wrapping_mul(step) >> 8) as f32 / (1 << 24) as f32 * range;
        [at(2_654_435_761, 5000.0), at(2_246_822_519, 10.0)]
    });
    let places: Vec<[f32; 2]> = thin.collect();
    for kind in 0..3 {
        let config = match kind {
            0 => CategoryConfig::uniform("thin", 0.5).coarse(),
            1 => CategoryConfig::uniform("pool", 0.5).coarse(),
            _ => CategoryConfig::oversized("boxes"),
        };
        let mut world = Broadphase::new(BroadphaseConfig::new().category(config)).unwrap();
        for (i, &place) in places.iter().enumerate() {
            let proxy = Proxy::centered(place, [0.5; 2]).unwrap();
            let proxy = if kind == 1 && i % 7 < 3 {
                proxy.disabled()
            } else {
                proxy
            };
            world.insert(proxy).unwrap();
        }
        let mut sorts = 0;
        for _ in 0..40 {
            if world.is_sort_due(category(0)) {
                world.sort_rows(category(0), RowOrder::Space).unwrap();
                assert_eq!(world.row_order_decay(category(0)), 0.0);
                sorts += 1;
            }
            world.step(&CountPairs);
        }
        assert_eq!(sorts, 1, "kind {kind}: nothing moves");
    }
}

/// An index that stands is not looked at again in each step, but after each change.
#[test]
fn how_far_walls_are_from_the_order_of_space_is_known_though_their_index_stands() {
    let walls = category(0);
    let config = BroadphaseConfig::new().category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    // Every wall is the width of the world from the wall before, or right beside it.
    let add_rows = |world: &mut Broadphase, rows: u32, is_scattered: bool| {
        for i in 0..rows {
            let side = if is_scattered { (i % 2) as f32 } else { 0.0 };
            let aabb = Aabb::from_center([i as f32 + 1e5 * side, 0.0], [0.5; 2]).unwrap();
            world.insert(Proxy::fixed(aabb)).unwrap();
        }
    };
    add_rows(&mut world, 80_000, true);
    let mut decays = Vec::new();
    for _ in 0..3 {
        world.step(&CountPairs);
        decays.push(world.row_order_decay(walls));
    }
    assert!(decays[0] > 0.9 && decays == [decays[0]; 3], "{decays:?}");
    let others = 5 * 80_000;
    add_rows(&mut world, others, false);
    world.step(&CountPairs);
    let decay = world.row_order_decay(walls);
    assert!((0.1..0.3).contains(&decay), "a sixth: {decay}");
    world.sort_rows(walls, RowOrder::Space).unwrap();
    assert_eq!(world.row_order_decay(walls), 0.0);
    add_rows(&mut world, others, true);
    world.step(&CountPairs);
    assert!(world.row_order_decay(walls) > 0.1);
    world.clear();
    world.step(&CountPairs);
    assert_eq!(
        (world.row_order_decay(walls), world.is_sort_due(walls)),
        (0.0, false)
    );
}

/// Rows are not looked at in each step, but soon enough.
#[test]
fn rows_that_go_elsewhere_are_noticed_within_four_steps() {
    let units = CategoryConfig::uniform("units", 0.5);
    go_elsewhere(units.clone(), false);
    // Where things may rest, nothing is indexed in a step in which nothing has changed.
    go_elsewhere(units.clone().rests_when_told(), false);
    // And where nearly all rest, only those awake count as changed.
    go_elsewhere(units.rests_when_told(), true);
}

fn go_elsewhere(units: CategoryConfig, they_rest: bool) {
    let rows = 50_000_u32;
    let mut world = Broadphase::new(BroadphaseConfig::new().category(units)).unwrap();
    let in_order = |i: u32| [(i % 250) as f32, (i / 250) as f32];
    world.insert_batch((0..rows).map(|i| Proxy::centered(in_order(i), [0.5; 2]).unwrap()));
    world.step(&CountPairs);
    for round in 0..3 {
        let decay = world.row_order_decay(category(0));
        assert!(decay < 0.1, "{decay} in round {round}");
        let mut centers = world.centers_mut(category(0)).unwrap();
        for i in 0..rows {
            let anywhere = (u64::from(i) * 20_011 % u64::from(rows)) as u32;
            centers.set(i, in_order(anywhere)).unwrap();
        }
        drop(centers);
        for _ in 0..4 {
            world.refresh();
        }
        let decay = world.row_order_decay(category(0));
        assert!(decay > 0.3, "{decay} in round {round}");
        if they_rest {
            let ids: Vec<_> = world.proxies(category(0)).collect();
            for id in ids {
                world.set_resting(id, true).unwrap();
            }
            for _ in 0..3 {
                world.step(&CountPairs);
            }
        }
        // What it finds now is what later looks are compared with.
        world.sort_rows(category(0), RowOrder::Space).unwrap();
    }
}

/// What says when to sort is part of what peers have in common.
#[test]
fn peers_that_sorted_by_key_sort_by_space_in_the_same_frames() {
    let place = |i: u32| [i % 487, i.wrapping_mul(2_246_822_519) >> 23].map(|c| c as f32);
    let mut worlds = [0, 9].map(|frames_before| {
        let config =
            BroadphaseConfig::new().category(CategoryConfig::uniform("units", 0.5).coarse());
        let mut world = Broadphase::new(config).unwrap();
        for i in 0..40_000 {
            let proxy = Proxy::centered(place(i), [0.5; 2]).unwrap();
            world.insert(proxy.key(u64::from(i))).unwrap();
        }
        for frame in 0..frames_before {
            if frame == 5 {
                world.sort_rows(category(0), RowOrder::Space).unwrap();
            }
            world.step(&CountPairs);
        }
        world.sort_rows(category(0), RowOrder::Key).unwrap();
        world
    });
    for frame in 0..20 {
        let due = worlds
            .each_ref()
            .map(|world| world.is_sort_due(category(0)));
        assert_eq!(due[0], due[1], "frame {frame}");
        for world in &mut worlds {
            if due[0] {
                world.sort_rows(category(0), RowOrder::Space).unwrap();
            }
            world.step(&CountPairs);
        }
    }
    assert!(
        worlds
            .iter()
            .all(|world| world.row_order_decay(category(0)) < 0.1)
    );
}
