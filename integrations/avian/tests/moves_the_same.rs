//! Where no island has more than one contact, the order of contacts does not matter, and bodies move the same to the bit.

mod common;

use avian2d::prelude::*;
use bevy::prelude::*;
use rand::RngExt;

use common::scenes::chance;
use common::{BroadPhase, app, bits, steps};

fn assert_same_motion(begin: fn(&mut World), act: fn(&mut World, u32)) {
    let mut apps = [BroadPhase::Avian, BroadPhase::Throng].map(|broad_phase| {
        let mut app = app(broad_phase);
        begin(app.world_mut());
        app
    });
    let mut most_contacts = 0;
    for step in 0..steps() {
        let [avian, throng] = apps.each_mut().map(|app| {
            act(app.world_mut(), step);
            app.update();
            bits(app)
        });
        assert!(avian == throng, "step {step}");
        let contacts = apps[1].world().resource::<ContactGraph>().active_pairs();
        most_contacts = most_contacts.max(contacts.len());
    }
    assert!(
        most_contacts > 30,
        "there have to be contacts: {most_contacts}"
    );
}

/// Marbles that bounce, each in a place of its own.
fn marbles(world: &mut World) {
    world.spawn((RigidBody::Static, Collider::rectangle(800.0, 2.0)));
    let mut chance = chance(20);
    for index in 0..200 {
        let [x, y] = [3.0 * index as f32 - 300.0, chance.random_range(2.0..9.0)];
        world.spawn((
            RigidBody::Dynamic,
            Collider::circle(chance.random_range(0.2..1.0)),
            Restitution::new(0.9),
            LockedAxes::new().lock_translation_x(),
            Transform::from_xyz(x, y, 0.0),
        ));
    }
}

/// Boxes that fly into each other two by two, where nothing pulls them.
fn duels(world: &mut World) {
    world.insert_resource(Gravity::ZERO);
    let mut chance = chance(21);
    for index in 0..400 {
        let [left, pair] = [index % 2, index / 2];
        let side = 1.0 - 2.0 * left as f32;
        let [column, line] = [pair % 20, pair / 20];
        let [x, y] = [60.0 * column as f32 - 3.0 * side, 60.0 * line as f32];
        world.spawn((
            RigidBody::Dynamic,
            Collider::circle(chance.random_range(0.3..0.8)),
            Restitution::new(1.0),
            LinearVelocity(Vec2::new(side * chance.random_range(0.5..2.0), 0.0)),
            Transform::from_xyz(x, y + chance.random_range(-0.4..0.4), 0.0),
        ));
    }
}

fn nothing(_: &mut World, _: u32) {}

/// Marbles come and go.
fn come_and_go(world: &mut World, step: u32) {
    let mut query = world.query::<(Entity, &RigidBody)>();
    let gone = query.iter(world).filter(|(_, body)| body.is_dynamic());
    let gone = gone.map(|(entity, _)| entity).nth(step as usize % 150);
    if let Some(gone) = gone
        && step.is_multiple_of(5)
    {
        let place = *world.get::<Position>(gone).expect("it is a body");
        world.despawn(gone);
        world.spawn((
            RigidBody::Dynamic,
            Collider::circle(0.5),
            Restitution::new(0.7),
            LockedAxes::new().lock_translation_x(),
            Transform::from_xyz(place.x, 8.0, 0.0),
        ));
    }
}

#[test]
fn marbles_that_bounce() {
    assert_same_motion(marbles, nothing);
}

#[test]
fn marbles_that_come_and_go() {
    assert_same_motion(marbles, come_and_go);
}

#[test]
fn duels_in_space() {
    assert_same_motion(duels, nothing);
}
