//! Every cause by its name: what it ends, what it begins, and what does neither.

use super::{GHOSTS, GIANTS, UNITS, WALLS, at, keys, three_pairs};
use throng::{
    Aabb, AlignedBytes, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Masks,
    PackedQuadtree, PairEvent, ProxyId, RowOrder, SharedBytes,
};

/// What has ended, and what has begun, after something was done.
fn told(
    done: impl Fn(&mut Broadphase, [ProxyId; 4]),
    refreshes: bool,
) -> (Vec<[u64; 2]>, Vec<[u64; 2]>) {
    let (mut world, ids) = three_pairs();
    if refreshes {
        world.refresh();
    }
    done(&mut world, ids);
    if refreshes {
        world.refresh();
    }
    let step = world.step_pairs();
    let events = (keys(step.ended()), keys(step.began()));
    let quiet = world.step_pairs();
    assert_eq!([quiet.ended().count(), quiet.began().count()], [0, 0]);
    events
}

#[track_caller]
fn assert_ended(done: impl Fn(&mut Broadphase, [ProxyId; 4]), ended: &[u64]) {
    for refreshes in [false, true] {
        let expected: Vec<_> = ended.iter().map(|&other| [1, other]).collect();
        assert_eq!(
            told(&done, refreshes),
            (expected, vec![]),
            "refreshes: {refreshes}"
        );
    }
}

#[test]
fn pairs_end_when_they_part() {
    assert_ended(
        |world, [a, ..]| world.set_center(a, [50.0, 0.0]).unwrap(),
        &[2, 3, 4],
    );
    assert_ended(
        |world, [_, b, ..]| world.set_center(b, [-50.0, 0.0]).unwrap(),
        &[2],
    );
    assert_ended(
        |world, [.., giant, _]| world.set_center(giant, [9.0, 9.0]).unwrap(),
        &[3],
    );
    let part = |world: &mut Broadphase, _| {
        let _ = world.centers_mut(UNITS).unwrap().set(1, [50.0, 0.0]);
    };
    assert_ended(part, &[2, 3, 4]);
}

#[test]
fn pairs_end_when_either_is_removed() {
    for (gone, ended) in [(0, &[2, 3, 4][..]), (1, &[2]), (2, &[3]), (3, &[4])] {
        assert_ended(
            |world, ids| {
                world.remove(ids[gone]).unwrap();
            },
            ended,
        );
    }
    let remove_all = |world: &mut Broadphase, ids: [ProxyId; 4]| {
        world.remove_batch([ids[3], ids[0], ids[1]]);
    };
    assert_ended(remove_all, &[2, 3, 4]);
}

#[test]
fn pairs_end_when_either_is_disabled() {
    for (gone, ended) in [(0, &[2, 3, 4][..]), (1, &[2]), (2, &[3]), (3, &[4])] {
        assert_ended(
            |world, ids| world.set_enabled(ids[gone], false).unwrap(),
            ended,
        );
    }
}

#[test]
fn pairs_end_when_either_shrinks() {
    let small = |x: f32| Aabb::from_center([x, 0.0], [0.01; 2]).unwrap();
    assert_ended(
        |world, [a, ..]| {
            world.set_aabb(a, small(-0.4)).unwrap();
        },
        &[2, 3, 4],
    );
    assert_ended(
        |world, [.., giant, _]| {
            world.set_aabb(giant, small(0.9)).unwrap();
        },
        &[3],
    );
    assert_ended(
        |world, [.., wall]| {
            world.set_aabb(wall, small(0.9)).unwrap();
        },
        &[4],
    );
}

#[test]
fn pairs_end_when_a_category_is_left() {
    assert_ended(
        |world, [a, ..]| {
            world.set_category(a, Some(GHOSTS)).unwrap();
        },
        &[2, 3, 4],
    );
    assert_ended(
        |world, [_, b, ..]| {
            world.set_category(b, Some(GHOSTS)).unwrap();
        },
        &[2],
    );
}

#[test]
fn pairs_end_when_one_is_teleported() {
    // There and back in two frames; what it lands on begins.
    let (mut world, [a, ..]) = three_pairs();
    world.set_center(a, [900.0, 0.0]).unwrap();
    let step = world.step_pairs();
    assert_eq!(keys(step.ended()), [[1, 2], [1, 3], [1, 4]]);
    assert_eq!(keys(step.began()), [[0, 1]]);
    world.set_center(a, [0.0, 0.0]).unwrap();
    let step = world.step_pairs();
    assert_eq!(keys(step.ended()), [[0, 1]]);
    assert_eq!(keys(step.began()), [[1, 2], [1, 3], [1, 4]]);
}

#[test]
fn pairs_outlast_a_migration_by_size_if_their_boxes_still_touch() {
    for refreshes in [false, true] {
        let grow = |world: &mut Broadphase, [_, b, ..]: [ProxyId; 4]| {
            let before = world.locate(b).unwrap().category;
            let large = Aabb::from_center([0.5, 0.0], [2.5; 2]).unwrap();
            world.set_aabb(b, large).unwrap();
            assert_ne!(world.locate(b).unwrap().category, before);
        };
        assert_eq!(told(grow, refreshes), (vec![], vec![]));
        let grow_away = |world: &mut Broadphase, [_, b, ..]: [ProxyId; 4]| {
            let large = Aabb::from_center([70.0, 0.0], [2.5; 2]).unwrap();
            world.set_aabb(b, large).unwrap();
        };
        assert_eq!(told(grow_away, refreshes), (vec![[1, 2]], vec![]));
    }
}

#[test]
fn pairs_end_when_filters_say_so() {
    assert_ended(
        |world, [a, ..]| world.set_masks(a, Masks::new(1, 0b1001)).unwrap(),
        &[2, 3],
    );
    assert_ended(
        |world, [.., wall]| world.set_masks(wall, Masks::new(8, 0)).unwrap(),
        &[4],
    );
    let owned = |world: &mut Broadphase, [a, b, ..]: [ProxyId; 4]| {
        world.set_owner(a, 5).unwrap();
        world.set_owner(b, 5).unwrap();
    };
    assert_ended(owned, &[2]);
    assert_ended(
        |world, [a, _, giant, _]| {
            world.exclude_pair(giant, a).unwrap();
        },
        &[3],
    );
}

#[test]
fn pairs_end_when_all_are_gone_or_categories_stop_meeting() {
    assert_ended(|world, _| world.clear(), &[2, 3, 4]);
    for (category, ended) in [(UNITS, &[2, 3, 4][..]), (GIANTS, &[3]), (WALLS, &[4])] {
        let clear = |world: &mut Broadphase, _| {
            world.clear_category(category).unwrap();
        };
        assert_ended(clear, ended);
    }
    let alone = |world: &mut Broadphase, _| {
        let mut config = world.config().clone();
        config.categories[0].meets = Some(vec!["giants".into()]);
        world.reconfigure(config).unwrap();
    };
    assert_ended(alone, &[2, 4]);
    let without_walls_and_giants = |world: &mut Broadphase, ids: [ProxyId; 4]| {
        world.remove(ids[2]).unwrap();
        world.remove(ids[3]).unwrap();
        let mut config = world.config().clone();
        config.categories.truncate(2);
        world.reconfigure(config).unwrap();
    };
    assert_ended(without_walls_and_giants, &[3, 4]);
    let nobody_asks = |world: &mut Broadphase, _| {
        let mut config = world.config().clone();
        config.categories[0].events = throng::EventsWith::These(vec!["walls".into()]);
        world.reconfigure(config).unwrap();
    };
    assert_ended(nobody_asks, &[2, 3]);
}

#[test]
fn pairs_end_when_scenery_is_loaded_anew() {
    for refreshes in [false, true] {
        let load = |world: &mut Broadphase, _: [ProxyId; 4]| {
            let packed = world.pack_scenery(WALLS).unwrap();
            let bytes = SharedBytes::new(AlignedBytes::from(packed.as_bytes()));
            let loaded = PackedQuadtree::from_bytes(bytes).unwrap();
            world.load_scenery(WALLS, &loaded).unwrap();
        };
        // The same box, but somebody else, whom everybody may meet.
        assert_eq!(told(load, refreshes), (vec![[1, 4]], vec![[1, 0], [2, 0]]));
    }
}

#[test]
fn nothing_ends_that_goes_on() {
    type Done = fn(&mut Broadphase, [ProxyId; 4]);
    let harmless: [Done; 9] = [
        |world, [a, ..]| world.set_center(a, [0.1, 0.1]).unwrap(),
        |world, _| {
            // The last unit takes the first row.
            let first = world.proxies(UNITS).next().unwrap();
            world.remove(first).unwrap();
        },
        |world, _| {
            for order in [RowOrder::Space, RowOrder::Key] {
                for id in world.categories() {
                    let keys: Vec<_> = world.proxies(id).collect();
                    if order == RowOrder::Space || keys.len() < 3 {
                        world.sort_rows(id, order).unwrap();
                    }
                }
            }
        },
        |world, _| {
            let first = world.proxies(UNITS).next().unwrap();
            world.remove(first).unwrap();
            world.sort_rows(UNITS, RowOrder::Space).unwrap();
            world.insert(at(700.0)).unwrap();
        },
        |world, [a, b, ..]| {
            world.set_category(b, Some(GIANTS)).unwrap();
            world.set_category(b, None).unwrap();
            world.set_enabled(a, false).unwrap();
            world.set_enabled(a, true).unwrap();
        },
        |world, [_, b, giant, wall]| {
            world.set_masks(b, Masks::new(2, 0b0011)).unwrap();
            world.set_owner(giant, 8).unwrap();
            world.exclude_pair(giant, wall).unwrap();
        },
        |world, [.., wall]| {
            let wider = Aabb::new([0.1, -1.0], [0.3, 1.0]).unwrap();
            world.set_aabb(wall, wider).unwrap();
        },
        |world, _| world.shrink_to_fit(),
        |world, _| {
            let mut config = world.config().clone();
            config.categories[0].half_extents = [3.0, 2.0];
            config.categories.swap(1, 2);
            world.reconfigure(config).unwrap();
        },
    ];
    for (number, done) in harmless.into_iter().enumerate() {
        for refreshes in [false, true] {
            let events = told(done, refreshes);
            assert_eq!(
                events,
                (vec![], vec![]),
                "number {number}, refreshes: {refreshes}"
            );
        }
    }
}

#[test]
fn whoever_gets_the_place_of_another_inherits_nothing() {
    let (mut world, [_, b, ..]) = three_pairs();
    world.remove(b).unwrap();
    let new = at(0.5).key(7).masks(Masks::new(2, 0b0001));
    let new = world.insert(new).unwrap();
    assert_eq!(new.index(), b.index(), "the same slot, and the same row");
    let step = world.step_pairs();
    assert_eq!(keys(step.ended()), [[1, 2]]);
    assert_eq!(keys(step.began()), [[1, 7]]);
    let ids = |event: PairEvent| event.ids[1];
    assert!(step.ended().map(ids).eq([b]) && step.began().map(ids).eq([new]));
    assert!(
        step.ended()
            .all(|event| !step.world().contains(event.ids[1]))
    );
}

#[test]
fn a_meeting_has_events_if_either_side_asks() {
    let events = |units: CategoryConfig, ghosts: CategoryConfig| {
        let config = BroadphaseConfig::new().category(units).category(ghosts);
        let mut world = Broadphase::new(config).unwrap();
        for (key, id) in [(1, UNITS), (2, UNITS), (3, GHOSTS), (4, GHOSTS)] {
            world.insert(at(0.0).key(key).in_category(id)).unwrap();
        }
        keys(world.step_pairs().began())
    };
    let [units, ghosts] = ["units", "ghosts"].map(|name| CategoryConfig::uniform(name, 1.0));
    let across = [[1, 3], [1, 4], [2, 3], [2, 4]];
    let off = || (units.clone(), ghosts.clone());
    assert_eq!(events(off().0, off().1), [[0; 2]; 0]);
    assert_eq!(events(off().0.events_with(["ghosts"]), off().1), across);
    assert_eq!(events(off().0, off().1.events_with(["units"])), across);
    assert_eq!(events(off().0.events_with(["units"]), off().1), [[1, 2]]);
    assert_eq!(
        events(off().0, off().1.events()),
        [[1, 3], [1, 4], [2, 3], [2, 4], [3, 4]]
    );
}

/// The first category may have nothing to do with events, and chunks none.
#[test]
fn categories_without_events_beside_others() {
    for has_slots in [false, true] {
        let [dust, units] = ["dust", "units"].map(|name| CategoryConfig::uniform(name, 1.0));
        let config = BroadphaseConfig::new()
            .category(dust)
            .category(units.events_with(["units"]))
            .pair_slots(has_slots);
        let mut world = Broadphase::new(config).unwrap();
        for category in [0, 0, 1, 1] {
            let proxy = at(0.0).in_category(CategoryId::new(category));
            world.insert(proxy).unwrap();
        }
        for began in [1, 0, 0] {
            let step = world.step_pairs();
            assert_eq!((step.pairs().count(), step.began().len()), (6, began));
        }
    }
}

/// Chunks without events may have been those of categories that are no more.
#[test]
fn fewer_categories_and_a_step_that_is_cut() {
    let of = |name| CategoryConfig::uniform(name, 1.0);
    let old = BroadphaseConfig::new()
        .category(of("a").meets_nothing())
        .category(of("b").meets_nothing())
        .category(of("c").meets(["c"]).events());
    let mut world = Broadphase::new(old).unwrap();
    for category in [0, 0, 2, 2] {
        world
            .insert(at(0.0).in_category(CategoryId::new(category)))
            .unwrap();
    }
    for _ in 0..4 {
        world.step_pairs();
    }
    let new = BroadphaseConfig::new()
        .category(of("a").meets(["a"]))
        .category(of("b").meets(["b"]).events())
        .max_pairs(10);
    world.reconfigure(new).unwrap();
    for _ in 0..9 {
        world
            .insert(at(0.0).in_category(CategoryId::new(1)))
            .unwrap();
    }
    let step = world.step_pairs();
    assert!(step.report().cut.is_some());
    world.validate().unwrap();
}
