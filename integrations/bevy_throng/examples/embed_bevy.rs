//! The broadphase as a plugin of bevy: asteroids that drift, and break up where they meet.
//!
//! ```sh
//! cargo run --release --manifest-path integrations/bevy_throng/Cargo.toml --example embed_bevy
//! ```
//!
//! Asteroids have a place, which is a component of the game's own, and bounds; the plugin does the rest. Two that overlap
//! break into smaller ones, or into dust; new ones come in from the edge; planets never move, and swallow what touches
//! them. Every third asteroid hangs still, and rests. Messages say which of them come into clouds and leave them. In every
//! frame the overlaps are compared with those of all entities.
//! `--headless` changes nothing: there is no window.
#![allow(
    elided_lifetimes_in_paths,
    reason = "this is how the parameters of systems are written"
)]

use std::error::Error;
use std::ops::ControlFlow;

use bevy_app::prelude::*;
use bevy_ecs::entity::EntityHashSet;
use bevy_ecs::prelude::*;
use bevy_throng::{
    Bounds, BroadphasePlugin, BroadphaseSystems, OverlapBegan, OverlapEnded, Overlaps, Refused,
    Space,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng::{Aabb, BroadphaseConfig, CategoryConfig, CategoryId};

const SPACE: f32 = 100.0;
const ASTEROIDS: usize = 600;
const FRAMES: usize = 90;
const PLANETS: CategoryId = CategoryId::new(2);
const CLOUDS: CategoryId = CategoryId::new(3);

#[derive(Component, Clone, Copy)]
struct Place([f32; 2]);

#[derive(Component, Clone, Copy)]
struct Drift([f32; 2]);

#[derive(Component)]
struct Planet;

#[derive(Component)]
struct Cloud;

#[derive(Resource)]
struct Chance(Pcg64Mcg);

/// A part of space, and the entities in it.
#[derive(Resource)]
struct View {
    window: Aabb,
    seen: Vec<Entity>,
}

#[derive(Resource, Default)]
struct Tally {
    pairs: usize,
    broken: usize,
    swallowed: usize,
    /// How often an asteroid has come into a cloud, and how often one has left or is gone.
    came: usize,
    went: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let config = BroadphaseConfig::new()
        .category(CategoryConfig::uniform("asteroids", 1.0).rests_after(3))
        .category(CategoryConfig::oversized("large asteroids").rests_after(3))
        .category(CategoryConfig::scenery("planets"))
        .category(CategoryConfig::scenery("clouds").events());
    let plugin = BroadphasePlugin::reading(config, |place: &Place| place.0)?;
    let mut app = App::new();
    app.add_plugins(plugin.with_messages())
        .insert_resource(Chance(Pcg64Mcg::seed_from_u64(20)))
        .insert_resource(View {
            window: Aabb::from_center([0.0, 0.0], [40.0, 30.0])?,
            seen: Vec::new(),
        })
        .init_resource::<Tally>()
        .add_systems(Startup, place_planets_and_clouds)
        .add_systems(Update, (arrive, drift).chain())
        .add_systems(
            PostUpdate,
            (look, come_and_go, check, collide)
                .chain()
                .after(BroadphaseSystems::Find),
        );

    for frame in 1..=FRAMES {
        app.update();
        if frame % 15 == 0 {
            let Tally {
                pairs,
                broken,
                swallowed,
                came,
                went,
            } = app.world().resource();
            let seen = app.world().resource::<View>().seen.len();
            let resting = app.world().resource::<Space>().report().resting;
            println!(
                "frame {frame:>2}: {seen:>3} in view, {resting:>3} resting; {pairs:>4} pairs so far, {broken:>3} asteroids broken, {swallowed:>3} swallowed; clouds entered {came:>3} times, left {went:>3}"
            );
        }
    }
    let tally: &Tally = app.world().resource();
    let Tally {
        broken,
        swallowed,
        went,
        ..
    } = *tally;
    let resting = app.world().resource::<Space>().report().resting;
    assert!(
        [broken, swallowed, went, resting]
            .iter()
            .all(|count| *count > 0),
        "everything was put to the test"
    );
    Ok(())
}

fn place_planets_and_clouds(mut commands: Commands) {
    for [x, y, radius] in [[-20.0, 40.0, 12.0], [60.0, -30.0, 20.0]] {
        let bounds = Bounds::circle(radius).fixed().in_category(CLOUDS);
        commands.spawn((Cloud, Place([x, y]), bounds));
    }
    for [x, y, radius] in [[40.0, 30.0, 9.0], [-55.0, 10.0, 14.0], [5.0, -60.0, 6.0]] {
        let bounds = Bounds::circle(radius).fixed().in_category(PLANETS);
        commands.spawn((Planet, Place([x, y]), bounds));
    }
}

/// Keeps up the number of asteroids.
fn arrive(mut commands: Commands, mut chance: ResMut<Chance>, asteroids: Query<(), With<Drift>>) {
    for number in asteroids.iter().len()..ASTEROIDS {
        let place = [0, 1].map(|_| chance.0.random_range(-SPACE..SPACE));
        let most = if number % 3 == 0 { 0.0 } else { 0.5 };
        let drift = [0, 1].map(|_| chance.0.random_range(-most..=most));
        let radius = chance.0.random_range(0.3..2.0);
        commands.spawn((Place(place), Drift(drift), Bounds::circle(radius)));
    }
}

/// What leaves on one side comes back on the other.
fn drift(mut asteroids: Query<(&mut Place, &Drift)>) {
    for (mut place, drift) in &mut asteroids {
        if drift.0 == [0.0; 2] {
            // Not to be touched, so that it rests.
            continue;
        }
        for axis in [0, 1] {
            let moved = place.0[axis] + drift.0[axis] + SPACE;
            place.0[axis] = moved.rem_euclid(2.0 * SPACE) - SPACE;
        }
    }
}

/// Asteroids in a pair are swallowed or break up, once.
fn collide(
    mut commands: Commands,
    overlaps: Res<Overlaps>,
    mut tally: ResMut<Tally>,
    planets: Query<(), With<Planet>>,
    clouds: Query<(), With<Cloud>>,
    asteroids: Query<(&Place, &Drift, &Bounds)>,
) {
    tally.pairs += overlaps.len();
    let mut gone = EntityHashSet::default();
    for pair in overlaps.iter() {
        if pair.iter().any(|&entity| clouds.contains(entity)) {
            continue;
        }
        let by_planet = pair.iter().any(|&entity| planets.contains(entity));
        for entity in pair {
            let Ok((&place, drift, bounds)) = asteroids.get(entity) else {
                continue;
            };
            if !gone.insert(entity) {
                continue;
            }
            commands.entity(entity).despawn();
            let radius = bounds.half_extents[0] / 2.0;
            if by_planet {
                tally.swallowed += 1;
            } else if radius > 0.25 {
                tally.broken += 1;
                let [x, y] = drift.0;
                for drift in [[-y, x], [y, -x]] {
                    commands.spawn((place, Drift(drift), Bounds::circle(radius)));
                }
            }
        }
    }
}

/// Only clouds ask for events.
fn come_and_go(
    mut began: MessageReader<OverlapBegan>,
    mut ended: MessageReader<OverlapEnded>,
    mut tally: ResMut<Tally>,
) {
    tally.came += began.read().count();
    tally.went += ended.read().count();
}

/// What a camera over the middle sees.
fn look(space: Res<Space>, mut view: ResMut<View>) -> Result {
    let View { window, seen } = &mut *view;
    seen.clear();
    let all = space.query().query_aabb(window, |hit| {
        seen.extend(space.entity(hit.id));
        ControlFlow::<()>::Continue(())
    })?;
    debug_assert!(all.is_continue(), "nothing stops it");
    Ok(())
}

/// What the broadphase is checked against: every entity with every other.
fn check(
    entities: Query<(Entity, &Place, &Bounds)>,
    clouds: Query<(), With<Cloud>>,
    (overlaps, space): (Res<Overlaps>, Res<Space>),
    tally: Res<Tally>,
    mut view: ResMut<View>,
    mut refused: MessageReader<Refused>,
) -> Result {
    if let Some(refused) = refused.read().next() {
        return Err(refused.reason.clone().into());
    }
    let mut boxes = Vec::new();
    for (entity, place, bounds) in &entities {
        boxes.push((
            entity,
            Aabb::from_center(place.0, bounds.half_extents)?,
            bounds.fixed,
        ));
    }
    let mut expected = Vec::new();
    for (index, &(a, box_a, a_fixed)) in boxes.iter().enumerate() {
        let later = boxes[index + 1..].iter();
        let others =
            later.filter(|(_, box_b, b_fixed)| box_a.overlaps(box_b) && !(a_fixed && *b_fixed));
        expected.extend(others.map(|&(b, ..)| [a, b]));
    }
    let in_clouds = expected.iter().flatten();
    let in_clouds = in_clouds.filter(|&&entity| clouds.contains(entity)).count();
    assert_eq!(tally.came - tally.went, in_clouds);
    let found = overlaps.iter().chain(space.resting_overlaps());
    assert_eq!(in_order(found.collect()), in_order(expected));

    let in_view = boxes
        .iter()
        .filter(|(_, aabb, _)| aabb.overlaps(&view.window));
    let mut in_view: Vec<Entity> = in_view.map(|(entity, ..)| *entity).collect();
    in_view.sort_unstable();
    view.seen.sort_unstable();
    assert_eq!(view.seen, in_view);
    Ok(())
}

fn in_order(mut pairs: Vec<[Entity; 2]>) -> Vec<[Entity; 2]> {
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    pairs
}
