//! Promise: each pair with events begins once and ends once, whatever the cause; nothing else begins or ends.

mod causes;
mod churn;
mod memory;
mod panics;
mod refitted;
mod slots;

use std::collections::HashMap;

use crate::common::lasting::Lasting;
use crate::common::{Threads, category};
use throng::{
    Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, CollectPairs, EventsWith,
    Masks, PairEvent, Proxy, ProxyId,
};
use throng_scenes::Scene;

fn config() -> BroadphaseConfig {
    BroadphaseConfig::new()
        .category(CategoryConfig::uniform("units", 1.0).events())
        .category(CategoryConfig::uniform("ghosts", 1.0).meets_nothing())
        .category(CategoryConfig::oversized("giants"))
        .category(CategoryConfig::scenery("walls"))
}

const UNITS: CategoryId = CategoryId::new(0);
const GHOSTS: CategoryId = CategoryId::new(1);
const GIANTS: CategoryId = CategoryId::new(2);
const WALLS: CategoryId = CategoryId::new(3);

fn at(x: f32) -> Proxy {
    Proxy::centered([x, 0.0], [0.5, 0.5]).unwrap()
}

/// A world in which one unit, a giant and a wall overlap another unit, with keys 1 to 4 in this order, all of which has begun;
/// and somebody far away.
fn three_pairs() -> (Broadphase, [ProxyId; 4]) {
    let mut world = Broadphase::new(config()).unwrap();
    let wall = Aabb::new([0.2, -1.0], [0.3, 1.0]).unwrap();
    world.insert(at(900.0)).unwrap();
    let ids = [
        at(0.0).key(1),
        at(0.5).key(2),
        at(0.5).in_category(GIANTS).key(3),
        Proxy::fixed(wall).key(4),
    ];
    let ids = ids.map(|proxy| world.insert(proxy).unwrap());
    world.insert(at(-900.0)).unwrap();
    world.set_masks(ids[0], Masks::new(1, 0b1111)).unwrap();
    world.set_masks(ids[1], Masks::new(2, 0b0001)).unwrap();
    world.set_masks(ids[2], Masks::new(4, 0b0001)).unwrap();
    world.set_masks(ids[3], Masks::new(8, 0b0001)).unwrap();
    let step = world.step_pairs();
    assert_eq!(keys(step.began()), [[1, 2], [1, 3], [1, 4]]);
    assert_eq!(step.ended().count(), 0);
    world.insert(at(0.0).in_category(GHOSTS)).unwrap();
    world.step_pairs();
    assert_eq!(
        world.memory().categories[GHOSTS.index()].then,
        0,
        "they meet nobody"
    );
    (world, ids)
}

fn keys(events: impl Iterator<Item = PairEvent>) -> Vec<[u64; 2]> {
    let mut keys: Vec<_> = events.map(|event| event.keys).collect();
    keys.sort_unstable();
    keys
}

/// Adds the keys of all that are there.
fn know_keys(world: &Broadphase, keys: &mut HashMap<ProxyId, u64>) {
    for category in world.categories() {
        let ids = world.proxies(category);
        keys.extend(ids.map(|id| (id, world.key(id).unwrap())));
    }
}

/// The config of a world, with events of all pairs.
fn with_events(world: &Broadphase, has_slots: bool) -> BroadphaseConfig {
    let mut config = world.config().clone().pair_slots(has_slots);
    for category in &mut config.categories {
        category.events = EventsWith::Everybody;
    }
    config
}

/// Follows steps of a world between which `move_all` moves its scenes, and does what else it likes. Returns in how many steps each
/// category's index was refitted.
fn follow(
    world: &mut Broadphase,
    scenes: &mut [Scene],
    frames: u64,
    mut move_all: impl FnMut(&mut [Scene], &mut Broadphase, u64),
) -> Vec<usize> {
    let (mut lasting, mut keys) = (Lasting::default(), HashMap::new());
    let mut refitted = vec![0; scenes.len()];
    for frame in 0..frames {
        know_keys(world, &mut keys);
        let step = world.step_on(&Threads(2), &CollectPairs);
        for (count, of) in refitted.iter_mut().zip(&step.report().categories) {
            *count += usize::from(of.refitted);
        }
        lasting.follow(&step, |_| true, |id| keys[&id]);
        move_all(scenes, world, frame);
        for (index, scene) in scenes.iter().enumerate() {
            let mut centers = world.centers_mut(category(index)).unwrap();
            // Only those that were there at first.
            let rows: Vec<u32> = (0..scene.len() as u32).collect();
            let fill = centers.set_rows(&rows, &scene.xs, &scene.ys).unwrap();
            assert_eq!(fill.rejected, 0);
        }
    }
    assert!(lasting.ended > 0);
    refitted
}
