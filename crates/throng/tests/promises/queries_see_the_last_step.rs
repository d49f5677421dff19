//! Promise: between writes and the next step, queries see the index of the last step.

use std::ops::ControlFlow;

use crate::common::nearest_of;

use throng::{
    Aabb, BatchResults, Broadphase, BroadphaseConfig, CategoryConfig, Placement, Proxy, ProxyId,
    QueryFilter, QueryHit, Serial,
};

fn world() -> Broadphase {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("small", 1.0))
        .category(CategoryConfig::uniform("large", 4.0));
    Broadphase::new(config).unwrap()
}

fn at(x: f32) -> Proxy {
    Proxy::centered([x, 0.0], [0.5, 0.5]).unwrap()
}

/// What is found around a place on the line, in the order of ids.
fn found(world: &Broadphase, x: f32) -> Vec<ProxyId> {
    let mut ids = Vec::new();
    let window = Aabb::from_center([x, 0.0], [0.1, 0.1]).unwrap();
    let all = world.query().query_aabb(&window, |hit| {
        let now = world.locate(hit.id).unwrap();
        assert_eq!((hit.category, hit.row), (now.category, now.row));
        ids.push(hit.id);
        ControlFlow::<()>::Continue(())
    });
    assert!(all.unwrap().is_continue());
    ids.sort_unstable();
    let near = nearest_of(world.query(), [x, 0.0], 10, 0.1).unwrap();
    let mut near: Vec<_> = near.into_iter().map(|near| near.hit.id).collect();
    near.sort_unstable();
    assert_eq!(near, ids);
    ids
}

#[test]
fn a_moved_one_where_it_was() {
    let mut world = world();
    let id = world.insert(at(0.0)).unwrap();
    world.refresh();
    world.set_center(id, [50.0, 0.0]).unwrap();
    assert_eq!(
        (found(&world, 0.0), found(&world, 50.0)),
        (vec![id], vec![])
    );
    world.refresh();
    assert_eq!(
        (found(&world, 0.0), found(&world, 50.0)),
        (vec![], vec![id])
    );
}

#[test]
fn a_removed_one_no_more_and_its_neighbours_in_row_still() {
    let mut world = world();
    let ids: Vec<_> = (0..5)
        .map(|i| world.insert(at(10.0 * i as f32)).unwrap())
        .collect();
    world.refresh();
    world.remove(ids[1]).unwrap();
    world.remove(ids[0]).unwrap();
    let heir = world.insert(at(10.0)).unwrap();
    for (i, expected) in [
        (0, vec![]),
        (1, vec![]),
        (2, vec![ids[2]]),
        (3, vec![ids[3]]),
        (4, vec![ids[4]]),
    ] {
        assert_eq!(found(&world, 10.0 * i as f32), expected, "place {i}");
    }
    world.refresh();
    assert_eq!(found(&world, 10.0), [heir]);
}

#[test]
fn a_new_one_not_yet() {
    let mut world = world();
    world.refresh();
    let id = world.insert(at(0.0)).unwrap();
    assert_eq!(found(&world, 0.0), []);
    world.refresh();
    assert_eq!(found(&world, 0.0), [id]);
}

#[test]
fn a_disabled_one_no_more_an_enabled_one_not_yet() {
    let mut world = world();
    let id = world.insert(at(0.0)).unwrap();
    world.refresh();
    world.set_enabled(id, false).unwrap();
    assert_eq!(found(&world, 0.0), []);
    world.set_enabled(id, true).unwrap();
    assert_eq!(found(&world, 0.0), [id], "the index has it still");
    world.set_enabled(id, false).unwrap();
    world.refresh();
    world.set_enabled(id, true).unwrap();
    assert_eq!(found(&world, 0.0), []);
    world.refresh();
    assert_eq!(found(&world, 0.0), [id]);
}

#[test]
fn a_migrated_one_where_it_was() {
    let mut world = world();
    let ids = [
        world.insert(at(0.0)).unwrap(),
        world.insert(at(20.0)).unwrap(),
    ];
    world.refresh();
    let grown = Aabb::from_center([40.0, 0.0], [3.0, 3.0]).unwrap();
    assert!(matches!(
        world.set_aabb(ids[0], grown),
        Ok(Placement::Migrated(_))
    ));
    assert_eq!(
        (found(&world, 0.0), found(&world, 20.0), found(&world, 40.0)),
        (vec![ids[0]], vec![ids[1]], vec![])
    );
    world.refresh();
    assert_eq!(
        (found(&world, 0.0), found(&world, 20.0), found(&world, 40.0)),
        (vec![], vec![ids[1]], vec![ids[0]])
    );
}

#[test]
fn a_cleared_world_has_nothing() {
    let mut world = world();
    world.insert(at(0.0)).unwrap();
    world.refresh();
    world.clear();
    world.insert(at(0.0)).unwrap();
    assert_eq!(found(&world, 0.0), []);
}

/// Two categories, in which every third proxy was removed, disabled or moved up since the last step.
fn changed_since_the_step() -> Broadphase {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0))
        .category(CategoryConfig::scenery("walls"));
    let mut world = Broadphase::new(config).unwrap();
    let unit = |k: u16| Proxy::centered([f32::from(k), 0.0], [1.0, 1.0]).unwrap();
    let wall = |k: u16| Proxy::fixed(unit(k).aabb());
    let both = |k| [unit(k), wall(k)].map(|proxy| proxy.key(u64::from(k) + 1));
    let ids: Vec<_> = (0..400)
        .flat_map(both)
        .map(|proxy| world.insert(proxy).unwrap())
        .collect();
    world.refresh();
    for (k, &id) in ids.iter().enumerate() {
        match k % 9 {
            0 => drop(world.remove(id).unwrap()),
            4 => world.set_enabled(id, false).unwrap(),
            _ => {}
        }
    }
    world
}

#[test]
fn a_batch_drops_what_one_by_one_would_not_find() {
    let world = changed_since_the_step();
    let window = |k: u16| Aabb::from_center([f32::from(k), 0.0], [f32::from(k % 23), 0.5]);
    let windows: Vec<_> = (0..400).map(|k| window(k).unwrap()).collect();
    let odd = |hit: &QueryHit| hit.key % 2 == 1;
    let (mut answers, mut alone) = (BatchResults::new(), Vec::new());
    for filter in [QueryFilter::new(), QueryFilter::new().only(&odd)] {
        let questions = world.query_with(&filter);
        let asked = questions.find_batch_on(&Serial, &windows, &mut answers);
        asked.unwrap();
        let mut found = 0;
        for (window, together) in windows.iter().zip(answers.iter()) {
            questions.find_in_aabb(window, &mut alone).unwrap();
            assert_eq!(together, alone);
            found += alone.len();
        }
        assert!(found > 1000, "{found}");
    }
}
