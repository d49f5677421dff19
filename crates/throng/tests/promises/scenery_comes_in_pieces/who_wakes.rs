//! Where scenery changes, whoever rests there wakes, and nobody else.

use std::collections::BTreeSet;

use super::{WALLS, config};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CollectPairs, Masks, Proxy, ProxyId,
    Scenery, SceneryId, SimdLevel,
};

/// Whoever rests beside walls that change wakes in an order that does not depend on how much was noted before.
#[test]
fn who_wakes_beside_walls_wakes_in_one_order() {
    let play = |many_noted_before: bool| {
        let config = config(true, SimdLevel::detect()).world_tag(5);
        let mut world = Broadphase::new(config).unwrap();
        let mut wall_at = |x: f32| {
            let aabb = Aabb::from_center([x, 0.0], [0.25, 4.0]).unwrap();
            world.insert(Proxy::fixed(aabb)).unwrap()
        };
        let near: Vec<_> = (0..60).map(|k| wall_at(4.0 * k as f32)).collect();
        let far: Vec<_> = (0..2000).map(|k| wall_at(1e4 + k as f32)).collect();
        for k in 0..60 {
            let at = [4.0 * k as f32 + 0.5, 0.0];
            world
                .insert(Proxy::centered(at, [0.5; 2]).unwrap())
                .unwrap();
            let at = [4.0 * k as f32 + 1.25, 0.0];
            world
                .insert(Proxy::centered(at, [0.5; 2]).unwrap())
                .unwrap();
        }
        world.refresh();
        if many_noted_before {
            for id in &far[..400] {
                let [x, y] = world.get(*id).unwrap().aabb.center();
                let aabb = Aabb::from_center([x + 0.25, y], [0.25, 4.0]).unwrap();
                world.set_aabb(*id, aabb).unwrap();
            }
        }
        for _ in 0..5 {
            world.step(&CollectPairs);
        }
        for id in &near[..40] {
            let aabb = Aabb::from_center([-50.0, 0.0], [0.25, 4.0]).unwrap();
            world.set_aabb(*id, aabb).unwrap();
        }
        let step = world.step(&CollectPairs);
        let ended: Vec<_> = step.ended().map(|pair| pair.ids).collect();
        let resting: Vec<_> = step.resting_pairs().iter().map(|pair| pair.ids).collect();
        assert!(
            ended.len() >= 40 && resting.len() >= 20,
            "{} {}",
            ended.len(),
            resting.len()
        );
        (ended, resting)
    };
    assert_eq!(play(false), play(true));
}

/// However many pieces come and go before the step, whoever is beside what has come or gone is known.
#[test]
fn who_rests_beside_the_last_of_many_pieces_wakes() {
    for pieces_before in [0, 1030] {
        let (mut world, units, _, walls) = forty_on_walls();
        let piece = |x: f32| {
            let aabb = Aabb::from_center([x, 0.5], [0.25; 2]).unwrap();
            Scenery::from_boxes(&[aabb]).unwrap()
        };
        let far = piece(1e4);
        for _ in 0..pieces_before {
            let loaded = world.add_scenery(WALLS, &far).unwrap();
            world.unload_scenery(loaded).unwrap();
        }
        // The next piece gets the row of the last wall.
        world.remove(walls[39]).unwrap();
        world.add_scenery(WALLS, &far).unwrap();
        world.add_scenery(WALLS, &piece(0.0)).unwrap();
        let step = world.step(&CollectPairs);
        let awake = step
            .pairs()
            .map(|pair| pair.map(|at| step.world().proxy_at(at)));
        let awake = awake.map(|ids| ids.map(Option::unwrap));
        let resting = step.resting_pairs().iter().map(|pair| pair.ids);
        let all: Vec<_> = awake.chain(resting).collect();
        let pairs_of = |unit: ProxyId| all.iter().filter(|ids| ids.contains(&unit)).count();
        let pairs = units.iter().map(|&unit| pairs_of(unit));
        let expected = (0..40).map(|unit| match unit {
            0 => 2,
            39 => 0,
            _ => 1,
        });
        assert!(pairs.eq(expected), "after {pieces_before} pieces: {all:?}");
        world.validate().unwrap();
    }
}

/// Forty units side by side that rest, each on a wall of its own; the walls come in two pieces. Returns the walls, too.
fn forty_on_walls() -> (Broadphase, Vec<ProxyId>, [SceneryId; 2], Vec<ProxyId>) {
    let mut world = Broadphase::new(config(true, SimdLevel::detect())).unwrap();
    let pieces = [0, 20].map(|first| {
        let mut editor = Broadphase::new(config(true, SimdLevel::detect())).unwrap();
        for k in first..first + 20 {
            let aabb = Aabb::from_center([10.0 * k as f32, -1.0], [3.0, 1.0]).unwrap();
            editor.insert(Proxy::fixed(aabb)).unwrap();
        }
        world.add_scenery(WALLS, &editor.pack_scenery(WALLS).unwrap())
    });
    let pieces = pieces.map(Result::unwrap);
    let walls = pieces
        .iter()
        .flat_map(|&piece| world.scenery_proxies(piece).unwrap().to_vec());
    let walls: Vec<_> = walls.collect();
    let unit = |k| Proxy::centered([10.0 * k as f32, 0.5], [0.5; 2]).unwrap();
    let units: Vec<_> = (0..40).map(|k| world.insert(unit(k)).unwrap()).collect();
    for _ in 0..5 {
        world.step(&CollectPairs);
    }
    assert!(awake(&world, &units).is_empty());
    (world, units, pieces, walls)
}

/// Which of some units do not rest, by their places in the list.
fn awake(world: &Broadphase, units: &[ProxyId]) -> Vec<usize> {
    let is_awake = |k: &usize| world.is_resting(units[*k]) == Ok(false);
    (0..units.len()).filter(is_awake).collect()
}

#[test]
fn only_those_wake_beside_whom_scenery_changes() {
    type Change = fn(&mut Broadphase, &[ProxyId], [SceneryId; 2], &[ProxyId]);
    let changes: [(&str, Change, Vec<usize>); 10] = [
        (
            "a wall goes, and the last gets its row",
            |world, _, _, walls| {
                world.remove(walls[3]).unwrap();
            },
            vec![3],
        ),
        (
            "a wall moves",
            |world, _, _, walls| {
                world.set_center(walls[9], [203.0, -1.0]).unwrap();
            },
            vec![9, 20],
        ),
        (
            "a wall moves there and back",
            |world, _, _, walls| {
                world.set_center(walls[9], [203.0, -1.0]).unwrap();
                world.set_center(walls[9], [90.0, -1.0]).unwrap();
            },
            vec![],
        ),
        (
            "other masks",
            |world, _, _, walls| {
                world.set_masks(walls[5], Masks::NONE).unwrap();
            },
            vec![5],
        ),
        (
            "an owner",
            |world, _, _, walls| {
                world.set_owner(walls[6], 9).unwrap();
            },
            vec![6],
        ),
        (
            "an excluded pair",
            |world, units, _, walls| {
                world.exclude_pair(units[7], walls[7]).unwrap();
            },
            vec![7],
        ),
        (
            "disabled",
            |world, _, _, walls| {
                world.set_enabled(walls[8], false).unwrap();
            },
            vec![8],
        ),
        (
            "another in the same place",
            |world, _, _, walls| {
                let aabb = world.get(walls[4]).unwrap().aabb;
                world.remove(walls[4]).unwrap();
                world.insert(Proxy::fixed(aabb)).unwrap();
            },
            vec![4],
        ),
        (
            "half of the walls go, and the others get their rows",
            |world, _, pieces, _| {
                assert_eq!(world.unload_scenery(pieces[0]), Ok(20));
            },
            (0..20).collect(),
        ),
        (
            "many more than places are kept for",
            |world, _, _, _| {
                // At two units, and at none of those between them.
                let aabb = |k: usize| {
                    let at = [[30.0, 60.0][k % 2], 0.5];
                    Aabb::from_center(at, [0.1; 2]).unwrap()
                };
                for k in 0..5000 {
                    world.insert(Proxy::fixed(aabb(k))).unwrap();
                }
            },
            vec![3, 4, 5, 6],
        ),
    ];
    for (what, change, expected) in changes {
        let (mut world, units, pieces, walls) = forty_on_walls();
        change(&mut world, &units, pieces, &walls);
        world.step(&CollectPairs);
        assert_eq!(awake(&world, &units), expected, "{what}");
        // No pair that went on resting is lost once all rest again.
        let resting: BTreeSet<_> = world.resting_pairs().iter().map(|pair| pair.ids).collect();
        for _ in 0..5 {
            world.step(&CollectPairs);
        }
        assert!(awake(&world, &units).is_empty());
        let later: BTreeSet<_> = world.resting_pairs().iter().map(|pair| pair.ids).collect();
        assert!(later.is_superset(&resting), "{what}");
        world.validate().unwrap();
    }
}

/// What is noted when owners change is dropped with each step, whether anybody may rest or not.
#[test]
fn owners_may_change_forever() {
    for rests in [false, true] {
        let mut world = Broadphase::new(config(rests, SimdLevel::detect())).unwrap();
        let aabb = Aabb::new([0.0; 2], [1.0; 2]).unwrap();
        let wall = world.insert(Proxy::fixed(aabb)).unwrap();
        let mut most = 0;
        for step in 0..500 {
            (0..10).for_each(|owner| world.set_owner(wall, owner + 1).unwrap());
            world.step(&CollectPairs);
            let bytes = world.memory().total();
            assert!(step < 50 || bytes <= most, "{bytes} bytes in step {step}");
            most = most.max(bytes);
        }
    }
}

/// A wall becomes something that rests, and a wall again, where it was: it has the pairs that it had.
#[test]
fn a_wall_that_leaves_and_comes_back_keeps_its_pairs() {
    for by_way_of in ["small", "large", "other walls"] {
        let categories = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("small", 4.0).rests_after(1))
            .category(CategoryConfig::oversized("large").rests_after(1).events())
            .category(CategoryConfig::scenery("walls"))
            .category(CategoryConfig::scenery("other walls"));
        let mut world = Broadphase::new(categories).unwrap();
        let [small, large, walls, other] =
            ["small", "large", "walls", by_way_of].map(|name| world.category(name));
        let aabb = Aabb::new([0.0, 0.0], [2.0, 1.0]).unwrap();
        let wall = Proxy::fixed(aabb).in_category(walls.unwrap());
        let wall = world.insert(wall).unwrap();
        for category in [small, large] {
            let unit = Proxy::centered([0.0, 1.0], [1.0; 2]).unwrap();
            world.insert(unit.in_category(category.unwrap())).unwrap();
        }
        for _ in 0..4 {
            world.step(&CollectPairs);
        }
        assert_eq!(world.resting_pairs().len(), 3);
        for category in [other, walls] {
            world.set_category(wall, category).unwrap();
        }
        for step in 0..4 {
            let step_now = world.step_pairs();
            let pairs = step_now.report().pairs as usize + step_now.resting_pairs().len();
            assert_eq!(pairs, 3, "by way of {by_way_of}, step {step}");
            assert_eq!(step_now.began().chain(step_now.ended()).count(), 0);
        }
        assert_eq!(world.resting_pairs().len(), 3);
    }
}

/// Loads walls into a square of 2500 resting units. Returns how many woke, and how many pairs there are.
fn loaded(walls: impl IntoIterator<Item = Aabb>) -> (usize, usize) {
    let mut world = Broadphase::new(config(true, SimdLevel::detect())).unwrap();
    let units = (0..2500).map(|k| [3.0 * (k % 50) as f32, 3.0 * (k / 50) as f32]);
    world.insert_batch(units.map(|at| Proxy::centered(at, [0.5; 2]).unwrap()));
    for _ in 0..5 {
        world.step(&CollectPairs);
    }
    assert_eq!(world.report().resting, 2500);
    let piece = Scenery::from_boxes(&walls.into_iter().collect::<Vec<_>>()).unwrap();
    world.add_scenery(WALLS, &piece).unwrap();
    let pairs = world.step(&CollectPairs).report().pairs;
    (world.woken().count(), pairs as usize)
}

#[test]
fn a_piece_that_is_loaded_wakes_whom_its_walls_touch() {
    let wall = |x: f32, y: f32| Aabb::from_center([x, y], [0.25; 2]).unwrap();
    // In opposite corners, between units.
    let pebbles = [wall(1.5, 1.5), wall(145.5, 145.5)];
    assert_eq!(loaded(pebbles), (0, 0));
    assert_eq!(loaded([wall(3.0, 3.0), pebbles[1]]), (1, 1));
    // So many in the left half that they are grouped: whoever is near one may wake, and whoever is touched by one does.
    let left =
        (0..4000).map(|k| wall(1.5 + 3.0 * (k % 25) as f32, 1.45 + 0.9375 * (k / 25) as f32));
    let between = left.filter(|wall| (wall.center()[1] - 1.5).rem_euclid(3.0) < 0.5);
    let (woken, pairs) = loaded(between.clone().cycle().take(4000));
    assert_eq!(pairs, 0);
    assert!(woken < 1400, "{woken}");
    let (woken, pairs) = loaded(between.cycle().take(4000).chain([wall(144.0, 3.0)]));
    assert_eq!(pairs, 1);
    assert!((1..1400).contains(&woken), "{woken}");
}
