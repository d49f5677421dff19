//! Promise: a new config on a living world rebuilds what must be, keeps every id, or changes
//! nothing.

use std::ops::ControlFlow;

use crate::common::{Threads, ordered_pairs};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, DoubleGridConfig, LooseQuadtreeConfig,
    Masks, PairMode, PlacementError, Proxy, ProxyError, ProxyId, ReconfigureError,
};

fn config(bounds: &[(&str, f32)]) -> BroadphaseConfig {
    let categories = bounds
        .iter()
        .map(|&(name, bound)| CategoryConfig::uniform(name, bound).coarse());
    categories.fold(BroadphaseConfig::new(), BroadphaseConfig::category)
}

/// Twelve proxies of three sizes in a row, each touching the next.
fn world(config: BroadphaseConfig) -> (Broadphase, Vec<ProxyId>) {
    let mut world = Broadphase::new(config).unwrap();
    let proxies = (0..12).map(|i| {
        let half = [0.1, 0.5, 2.0][i % 3];
        let masks = if i % 4 == 0 {
            Masks::new(1, 1)
        } else {
            Masks::ALL
        };
        Proxy::centered([i as f32, 0.0], [half; 2])
            .unwrap()
            .key(i as u64)
            .masks(masks)
    });
    let batch = world.insert_batch(proxies);
    let ids: Vec<ProxyId> = batch.ids.into_iter().flatten().collect();
    assert_eq!(ids.len(), 12);
    world.set_enabled(ids[5], false).unwrap();
    world.refresh();
    (world, ids)
}

/// The keys of what is found everywhere.
fn found(world: &Broadphase) -> Vec<u64> {
    let mut keys = Vec::new();
    let all = world.query().query_circle([0.0; 2], 1e6, |hit| {
        keys.push(world.get(hit.id).unwrap().key);
        ControlFlow::<()>::Continue(())
    });
    assert!(all.unwrap().is_continue());
    keys.sort_unstable();
    keys
}

#[test]
fn ids_keep_and_proxies_follow_their_category_by_name() {
    let (mut world, ids) = world(config(&[("small", 0.2), ("middle", 1.0), ("large", 4.0)]));
    let before: Vec<_> = ids.iter().map(|&id| world.get(id).unwrap()).collect();
    let done = world
        .reconfigure(config(&[("large", 2.0), ("tiny", 0.1), ("middle", 1.5)]))
        .unwrap();
    world.validate().unwrap();
    assert_eq!(
        (done.kept, done.rerouted),
        (8, 4),
        "the small ones' category is gone"
    );
    for (&id, before) in ids.iter().zip(&before) {
        let view = world.get(id).unwrap();
        let name = world.category_name(view.category).unwrap();
        assert_eq!(name, ["tiny", "middle", "large"][view.key as usize % 3]);
        assert_eq!(
            (view.center, view.key, view.masks, view.enabled),
            (before.center, before.key, before.masks, before.enabled)
        );
    }
    assert_eq!(
        found(&world),
        [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11],
        "indexed at once, but for the disabled one"
    );
    let pairs = ordered_pairs(&mut world, &Threads(2)).len();
    assert!(pairs > 10, "{pairs}");
}

#[test]
fn a_coarse_bound_shrinks_to_the_largest_ever_in_it() {
    let (mut world, ids) = world(config(&[("all", 9.0)]));
    assert_eq!(world.reconfigure(config(&[("all", 2.0)])).unwrap().kept, 12);
    let error = world.reconfigure(config(&[("all", 1.9)])).unwrap_err();
    let ReconfigureError::Unplaced { unplaced } = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (unplaced[0].proxies, unplaced[0].half_extents),
        (12, [2.0, 2.0])
    );
    assert!(
        error.to_string().contains("\"all\"") && error.to_string().contains("2.0"),
        "{error}"
    );
    assert_eq!(world.config(), &config(&[("all", 2.0)]), "as it was");
    assert_eq!(found(&world).len(), 11);
    assert!(ids.iter().all(|&id| world.contains(id)));
}

#[test]
fn exact_sizes_say_who_has_no_place() {
    let mut exact = config(&[("all", 9.0)]);
    exact.categories[0].pairs = PairMode::Exact;
    let (mut world, ids) = world(exact);
    let error = world.reconfigure(config(&[("all", 1.0)])).unwrap_err();
    let ReconfigureError::Unplaced { unplaced } = error else {
        panic!("{error}")
    };
    assert_eq!((unplaced[0].proxies, unplaced[0].first), (4, ids[2]));
    world.remove_batch([ids[2], ids[5], ids[8], ids[11]]);
    assert_eq!(world.reconfigure(config(&[("all", 1.0)])).unwrap().kept, 8);
}

#[test]
fn the_named_stay_or_block_the_way() {
    let (mut world, _) = world(config(&[("small", 2.0), ("large", 4.0)]));
    let small = world.category("small").unwrap();
    let named = world
        .insert(
            Proxy::centered([0.0; 2], [2.0; 2])
                .unwrap()
                .in_category(small),
        )
        .unwrap();
    assert!(
        world
            .reconfigure(config(&[("small", 1.0), ("large", 4.0)]))
            .is_err(),
        "it was put into small by name"
    );
    world.remove(named).unwrap();
    assert!(
        world
            .reconfigure(config(&[("small", 1.0), ("large", 4.0)]))
            .is_ok(),
        "routed ones are routed anew"
    );
}

#[test]
fn a_config_with_problems_changes_nothing() {
    let (mut world, _) = world(config(&[("all", 9.0)]));
    let error = world
        .reconfigure(config(&[("all", -1.0), ("all", 2.0)]))
        .unwrap_err();
    assert!(
        matches!(&error, ReconfigureError::Config(error) if error.problems().len() == 3),
        "{error}"
    );
    assert_eq!(
        (world.config(), world.len()),
        (&config(&[("all", 9.0)]), 12)
    );
}

#[test]
fn what_outgrows_every_bound_moves_to_the_oversized_and_back() {
    let giants = CategoryConfig::oversized("giants");
    let (mut world, ids) =
        world(config(&[("small", 0.2), ("large", 2.0)]).category(giants.clone()));
    let unbounded = Aabb::new([f32::NEG_INFINITY, -1.0], [f32::INFINITY, 1.0]).unwrap();
    world.set_aabb(ids[0], unbounded).unwrap();
    world
        .set_aabb(ids[1], Aabb::new([0.0; 2], [50.0, 9.0]).unwrap())
        .unwrap();
    let before: Vec<_> = ids.iter().map(|&id| world.get(id).unwrap()).collect();
    assert_eq!(before[0].half_extents, [f32::INFINITY, 1.0]);
    assert_eq!(
        (before[0].category.index(), before[1].category.index()),
        (2, 2)
    );

    // Another structure, and no category for the large ones any more.
    let structures = [
        giants.clone(),
        giants.clone().structure(LooseQuadtreeConfig::new()),
        giants.structure(DoubleGridConfig::new()),
    ];
    let mut pairs = Vec::new();
    for giants in structures {
        world
            .reconfigure(config(&[("small", 0.2)]).category(giants))
            .unwrap();
        world.validate().unwrap();
        for (&id, before) in ids.iter().zip(&before) {
            let view = world.get(id).unwrap();
            let name = world.category_name(view.category).unwrap();
            let is_small = view.key % 3 == 0 && view.key != 0;
            assert_eq!(
                name,
                if is_small { "small" } else { "giants" },
                "{}",
                view.key
            );
            assert_eq!((view.key, view.masks), (before.key, before.masks));
            if before.category.index() == 2 {
                assert_eq!(view.aabb, before.aabb);
            }
        }
        let mut found = ordered_pairs(&mut world, &Threads(2));
        found.sort_unstable();
        pairs.push(found);
    }
    assert!(pairs[0].len() > 20 && pairs.iter().all(|found| *found == pairs[0]));

    let error = world.reconfigure(config(&[("all", 9.0)])).unwrap_err();
    assert!(
        error.to_string().contains("giants") && error.to_string().contains("inf"),
        "{error}"
    );
    world
        .set_aabb(ids[0], Aabb::from_center([0.0; 2], [0.1; 2]).unwrap())
        .unwrap();
    assert_eq!(
        world.locate(ids[0]).unwrap().category,
        world.category("small").unwrap()
    );
}

/// A wall that was moved to where its sides are rounded has its size when it comes back, whatever its category was meanwhile.
#[test]
fn scenery_that_was_moved_keeps_its_size() {
    let config = || {
        BroadphaseConfig::new()
            .category(CategoryConfig::scenery("walls").half_extents([0.5; 2]))
            .category(CategoryConfig::scenery("doors"))
            .category(CategoryConfig::oversized("rocks"))
    };
    let half = [0.3, 0.25];
    let far = [2e7, -3e7];
    type Change = fn(&mut Broadphase, ProxyId);
    let changes: [Change; 4] = [
        |world, _| {
            world.reconfigure(world.config().clone()).unwrap();
        },
        |world, wall| {
            for name in ["doors", "walls"] {
                let category = world.category(name);
                world.set_category(wall, category).unwrap();
            }
        },
        |world, wall| {
            let doors = world.category("doors");
            world.set_category(wall, doors).unwrap();
        },
        |world, wall| {
            let rocks = world.category("rocks");
            world.set_category(wall, rocks).unwrap();
        },
    ];
    for (kind, change) in changes.into_iter().enumerate() {
        let mut world = Broadphase::new(config()).unwrap();
        let fixed = Aabb::from_center([0.0; 2], half).unwrap();
        let [wall, _] = [fixed, Aabb::new([5.0; 2], [5.5; 2]).unwrap()]
            .map(|aabb| world.insert(Proxy::fixed(aabb)).unwrap());
        world.set_center(wall, far).unwrap();
        change(&mut world, wall);
        world.validate().unwrap();
        assert_eq!(world.get(wall).unwrap().half_extents, half, "change {kind}");
        world.set_center(wall, [0.0; 2]).unwrap();
        let back = world.get(wall).unwrap();
        assert_eq!(
            (back.half_extents, back.aabb),
            (half, fixed),
            "change {kind}"
        );
    }

    // One without an end on one side stays so, and where it is, whether its other sides say so or not.
    for height in [0.0, 1.0] {
        let mut world = Broadphase::new(config()).unwrap();
        let endless = Aabb::new([f32::NEG_INFINITY, -height], [f32::INFINITY, height]).unwrap();
        let wall = world.insert(Proxy::fixed(endless)).unwrap();
        world.set_center(wall, [7.0, 3e7]).unwrap();
        world.reconfigure(world.config().clone()).unwrap();
        assert_eq!(world.get(wall).unwrap().center, [7.0, 3e7]);
        world.set_center(wall, [0.0; 2]).unwrap();
        assert_eq!(world.get(wall).unwrap().aabb, endless);
    }

    // One that is endless only because it is too far out does not.
    let mut world = Broadphase::new(config()).unwrap();
    let huge = Aabb::from_center([0.0; 2], [1e38; 2]).unwrap();
    let wall = world.insert(Proxy::fixed(huge)).unwrap();
    world.set_center(wall, [3e38, 0.0]).unwrap();
    world.reconfigure(world.config().clone()).unwrap();
    world.set_center(wall, [0.0; 2]).unwrap();
    assert_eq!(world.get(wall).unwrap().aabb, huge);
    world.set_center(wall, [3e38, 0.0]).unwrap();
    world.set_category(wall, world.category("rocks")).unwrap();
    world.set_center(wall, [0.0; 2]).unwrap();
    assert_eq!(world.get(wall).unwrap().aabb, huge);
}

/// Far out its sides are one, which would fit any bound.
#[test]
fn scenery_that_was_moved_is_refused_where_its_size_does_not_fit() {
    let with_bound = |doors: f32| {
        BroadphaseConfig::new()
            .category(CategoryConfig::scenery("doors").half_extents([doors; 2]))
            .category(CategoryConfig::scenery("slots").half_extents([0.1; 2]))
    };
    let mut world = Broadphase::new(with_bound(1.0)).unwrap();
    let [doors, slots] = ["doors", "slots"].map(|name| world.category(name));
    let door = |center: [f32; 2]| {
        let aabb = Aabb::from_center(center, [0.3; 2]).unwrap();
        Proxy::fixed(aabb).in_category(doors.unwrap())
    };
    let moved = world.insert(door([0.0; 2])).unwrap();
    world.set_center(moved, [2e7; 2]).unwrap();
    assert!(matches!(
        world.set_category(moved, slots),
        Err(ProxyError::Placement {
            problem: PlacementError::OverBound { .. },
            ..
        })
    ));
    assert!(matches!(
        world.reconfigure(with_bound(0.1)),
        Err(ReconfigureError::Unplaced { .. })
    ));

    // Half the width of one that has its sides may be an ulp over the bound that it was made with.
    for x in 1..100 {
        let other = world.insert(door([x as f32 * 0.37, 0.0])).unwrap();
        let aabb = world.get(other).unwrap().aabb;
        world.set_aabb(other, aabb).unwrap();
    }
    world.reconfigure(with_bound(0.3)).unwrap();
    assert_eq!(world.get(moved).unwrap().half_extents, [0.3; 2]);
    world.validate().unwrap();
}
