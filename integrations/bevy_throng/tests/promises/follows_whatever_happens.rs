//! Promise: in every frame the broadphase holds what the entities say, whatever happened to them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bevy_app::App;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_throng::{
    Bounds, BroadphasePlugin, Center, OverlapBegan, OverlapEnded, Overlaps, Refused, Space, Tracked,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{Aabb, BroadphaseConfig, CategoryConfig, CategoryId, Masks};

const BIG: CategoryId = CategoryId::new(1);

fn app() -> App {
    app_of([
        CategoryConfig::uniform("small", 1.0),
        CategoryConfig::oversized("big"),
    ])
}

fn app_of([small, big]: [CategoryConfig; 2]) -> App {
    let config = BroadphaseConfig::new()
        .category(small)
        .category(big)
        .category(CategoryConfig::scenery("walls"));
    let mut app = App::new();
    app.add_plugins(BroadphasePlugin::new(config).unwrap().with_messages());
    app
}

/// On a grid of eighths, where boxes are exact and often touch.
fn place(random: &mut Pcg64Mcg) -> Center {
    Center([0, 1].map(|_| random.random_range(-160..160) as f32 / 8.0))
}

fn bounds(random: &mut Pcg64Mcg) -> Bounds {
    let most = if random.random_bool(0.2) { 40 } else { 8 };
    let bounds = Bounds::new([0, 1].map(|_| random.random_range(0..=most) as f32 / 8.0));
    let masks = Masks::new(random.random_range(1..4), random.random_range(1..4));
    match random.random_range(0..10) {
        0 | 1 => bounds.fixed(),
        2 => bounds.in_category(BIG),
        3 => bounds.masks(masks),
        4 | 5 => bounds.owner(random.random_range(1..3)),
        _ => bounds,
    }
}

/// Does one thing to one entity.
fn happen(world: &mut World, entities: &mut Vec<Entity>, random: &mut Pcg64Mcg) {
    let chosen = random.random_range(0..entities.len());
    let mut entity = world.entity_mut(entities[chosen]);
    match random.random_range(0..16) {
        0 => {
            entity.despawn();
            entities.swap_remove(chosen);
        }
        1 => {
            let spawned = world.spawn((place(random), bounds(random), Disabled));
            entities.push(spawned.id());
        }
        2 | 3 => {
            let spawned = world.spawn((place(random), bounds(random)));
            entities.push(spawned.id());
        }
        4 => {
            entity.remove::<Center>();
        }
        5 => {
            entity.remove::<Bounds>();
        }
        6 => {
            entity.insert(bounds(random));
        }
        7 => {
            entity.insert(Disabled);
        }
        8 | 9 => {
            entity.remove::<Disabled>();
        }
        10 => {
            entity.insert((place(random), bounds(random)));
        }
        11 => {
            if let Some(mut bounds) = entity.get_mut::<Bounds>() {
                bounds.half_extents = bounds.half_extents.map(|half| (half * 2.0) % 5.0);
            }
        }
        _ => {
            entity.insert(place(random));
        }
    }
}

/// Everything that should be in the broadphase.
fn expected(world: &mut World) -> Vec<(Entity, Aabb, Bounds)> {
    let mut entities = world.query::<(Entity, &Center, &Bounds)>();
    let boxes = entities.iter(world).map(|(entity, center, bounds)| {
        let aabb = Aabb::from_center(center.0, bounds.half_extents).unwrap();
        (entity, aabb, *bounds)
    });
    boxes.collect()
}

/// Compares pairs and what is seen with brute force, and says which pairs there are.
fn check(world: &mut World) -> BTreeSet<[Entity; 2]> {
    let expected = expected(world);
    let mut pairs = Vec::new();
    for (index, (a, box_a, bounds_a)) in expected.iter().enumerate() {
        for (b, box_b, bounds_b) in &expected[index + 1..] {
            let same_owner = bounds_a.owner != 0 && bounds_a.owner == bounds_b.owner;
            let meets = bounds_a.masks.meets(bounds_b.masks) && !same_owner;
            if box_a.overlaps(box_b) && meets && !(bounds_a.fixed && bounds_b.fixed) {
                pairs.push([*a.min(b), *a.max(b)]);
            }
        }
    }
    pairs.sort_unstable();
    let resting = world.resource::<Space>().resting_overlaps();
    let found = world.resource::<Overlaps>().iter().chain(resting);
    let mut found: Vec<_> = found.map(sorted).collect();
    found.sort_unstable();
    assert_eq!(found, pairs);

    let space = world.resource::<Space>();
    space.validate().unwrap();
    let window = Aabb::new([-10.0, -10.0], [0.0, 20.0]).unwrap();
    let mut seen = Vec::new();
    let all = space.query().query_aabb(&window, |hit| {
        seen.push(space.entity(hit.id).unwrap());
        ControlFlow::<()>::Continue(())
    });
    assert!(all.unwrap().is_continue());
    let within = expected
        .iter()
        .filter(|(_, aabb, _)| aabb.overlaps(&window));
    let mut within: Vec<_> = within.map(|(entity, ..)| *entity).collect();
    seen.sort_unstable();
    within.sort_unstable();
    assert_eq!(seen, within);

    let mut disabled = world.query_filtered::<(), (With<Center>, With<Bounds>, With<Disabled>)>();
    let disabled = disabled.iter(world).count();
    let space = world.resource::<Space>();
    assert_eq!(space.len(), expected.len() + disabled);
    assert!(world.resource::<Messages<Refused>>().is_empty());
    pairs.into_iter().collect()
}

fn sorted([a, b]: [Entity; 2]) -> [Entity; 2] {
    [a.min(b), a.max(b)]
}

/// Brings the lasting pairs up to date by what the messages of a frame tell.
fn hear(world: &mut World, lasting: &mut BTreeSet<[Entity; 2]>) {
    for ended in world.resource_mut::<Messages<OverlapEnded>>().drain() {
        assert!(lasting.remove(&sorted(ended.entities)), "{ended:?}");
    }
    for began in world.resource_mut::<Messages<OverlapBegan>>().drain() {
        assert!(lasting.insert(sorted(began.entities)), "{began:?}");
    }
}

#[test]
fn overlaps_and_queries_match_brute_force_in_every_frame() {
    live(app(), false);
}

#[test]
fn so_they_do_where_entities_rest_and_begins_and_ends_are_those_of_the_pairs() {
    let small = CategoryConfig::uniform("small", 1.0).events();
    let big = CategoryConfig::oversized("big").events();
    live(app_of([small.rests_after(1), big.rests_after(2)]), true);
}

/// A life of some entities; with events it is told which pairs begin and end.
fn live(mut app: App, events: bool) {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let (mut lasting, mut rested) = (BTreeSet::new(), 0);
    let mut entities: Vec<Entity> = (0..150)
        .map(|_| {
            app.world_mut()
                .spawn((place(&mut random), bounds(&mut random)))
                .id()
        })
        .collect();
    let mut pairs = 0;
    for frame in 0..60 {
        // Sometimes nothing happens for a frame or two.
        for _ in 0..[40, 0, 3, 0, 100][frame % 5] {
            happen(app.world_mut(), &mut entities, &mut random);
        }
        app.update();
        let now = check(app.world_mut());
        hear(app.world_mut(), &mut lasting);
        assert!(lasting == if events { now.clone() } else { BTreeSet::new() });
        pairs += now.len();
        rested += app.world().resource::<Space>().resting_overlaps().count();
    }
    assert_eq!(rested > 500, events, "{rested} of them rested");
    assert!(pairs > 2000, "{pairs} pairs were compared");
}

#[test]
fn proxies_leave_with_their_entities_at_once() {
    let mut app = app();
    let ends: [fn(&mut World, Entity); 4] = [
        |world, entity| assert!(world.despawn(entity)),
        |world, entity| {
            world.entity_mut(entity).remove::<Bounds>();
        },
        |world, entity| {
            world.entity_mut(entity).remove::<Tracked>();
        },
        |world, entity| {
            world.entity_mut(entity).insert(Tracked::default());
        },
    ];
    for end in ends {
        let entity = app
            .world_mut()
            .spawn((Center([1.0, 2.0]), Bounds::circle(0.5)))
            .id();
        app.update();
        let proxy = app.world().get::<Tracked>(entity).unwrap().proxy().unwrap();
        assert_eq!(app.world().resource::<Space>().entity(proxy), Some(entity));
        end(app.world_mut(), entity);
        let space = app.world().resource::<Space>();
        assert_eq!((space.len(), space.entity(proxy)), (0, None));
    }
}

#[test]
fn a_clone_has_a_proxy_of_its_own() {
    let mut app = app();
    let entity = app
        .world_mut()
        .spawn((Center([1.0, 2.0]), Bounds::circle(0.5)))
        .id();
    app.update();
    let clone = app.world_mut().entity_mut(entity).clone_and_spawn();
    app.update();
    assert_eq!(
        app.world().resource::<Overlaps>().as_slice(),
        [[entity, clone]]
    );
    app.world_mut().despawn(entity);
    app.update();
    let space = app.world().resource::<Space>();
    let left: Vec<_> = space
        .proxies(CategoryId::new(0))
        .map(|proxy| space.entity(proxy))
        .collect();
    assert_eq!(left, [Some(clone)]);
}

#[test]
fn scenery_that_is_written_and_not_changed_is_not_packed_anew() {
    let mut app = app();
    let mut spawn = |x: f32| {
        let wall = Bounds::new([0.3, 7.7]).fixed();
        app.world_mut().spawn((Center([x, 0.7]), wall)).id()
    };
    let wall = spawn(0.1);
    for k in 1..100 {
        spawn(k as f32);
    }
    let packed = |app: &mut App| {
        app.update();
        app.world().resource::<Space>().report().scenery_packed
    };
    assert_eq!(packed(&mut app), 100);
    app.world_mut()
        .get_mut::<Center>(wall)
        .unwrap()
        .set_changed();
    app.world_mut()
        .get_mut::<Bounds>(wall)
        .unwrap()
        .set_changed();
    assert_eq!(packed(&mut app), 0);
    app.world_mut().get_mut::<Center>(wall).unwrap().0[0] = 50.2;
    assert_eq!(packed(&mut app), 100, "so few are packed together");
}
