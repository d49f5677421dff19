//! Things that fall, pile up and rest.

use avian2d::prelude::*;
use bevy::prelude::*;
use rand::{RngExt, seq::IndexedRandom};

use super::*;

pub(super) fn towers(world: &mut World) {
    basin(world);
    for tower in 0..12 {
        for floor in 0..12 {
            let x = 3.0 * tower as f32 - 16.5 + 0.03 * (floor % 3) as f32;
            world.spawn((
                RigidBody::Dynamic,
                Collider::rectangle(1.0, 1.0),
                at(x, 0.5 + floor as f32),
            ));
        }
    }
}

pub(super) fn rain(world: &mut World, step: u32) {
    let mut chance = chance(u64::from(step));
    for _ in 0..2 {
        world.spawn(body(&mut chance));
    }
    if step > 100 {
        let all: Vec<_> = bodies(world);
        for _ in 0..2 {
            if let Some(&gone) = all.choose(&mut chance) {
                world.despawn(gone);
            }
        }
    }
}

pub(super) fn sleepers(world: &mut World) {
    basin(world);
    for tower in 0..10 {
        for floor in 0..4 {
            world.spawn((
                RigidBody::Dynamic,
                Collider::rectangle(1.0, 1.0),
                at(3.0 * tower as f32 - 14.0, 0.5 + floor as f32),
            ));
        }
    }
}

pub(super) fn throw_a_ball(world: &mut World, step: u32) {
    if step >= 200 && step.is_multiple_of(100) {
        let left = if step.is_multiple_of(200) { -1.0 } else { 1.0 };
        world.spawn((
            RigidBody::Dynamic,
            Collider::circle(0.6),
            LinearVelocity(Vec2::new(-14.0 * left, 1.0)),
            at(17.0 * left, 1.0),
        ));
    }
}

/// From marbles to boulders, and a ground without an end.
pub(super) fn sizes(world: &mut World) {
    world.spawn((
        RigidBody::Static,
        Collider::half_space(Vec2::Y),
        at(0.0, 0.0),
    ));
    let mut chance = chance(7);
    for _ in 0..400 {
        let size = 0.05 * 100_f32.powf(chance.random_range(0.0..1.0));
        let place = at(
            chance.random_range(-30.0..30.0),
            chance.random_range(5.0..90.0),
        );
        world.spawn((RigidBody::Dynamic, Collider::circle(size), place));
    }
}

pub(super) fn grow(world: &mut World, step: u32) {
    let mut chance = chance(u64::from(step));
    let all = bodies(world);
    if let Some(&body) = all.choose(&mut chance) {
        let size = chance.random_range(0.1..2.0);
        world
            .entity_mut(body)
            .insert(Collider::rectangle(size, size));
    }
}

/// What breaks at its first contact is replaced while the step still runs.
pub(super) fn splinters(world: &mut World) {
    basin(world);
    world.add_observer(
        |hit: On<'_, '_, CollisionStart>,
         fragile: Query<'_, '_, &Position, With<Drifting>>,
         mut commands: Commands<'_, '_>| {
            if let Ok(place) = fragile.get(hit.collider1) {
                commands.entity(hit.collider1).despawn();
                for side in [-0.3, 0.3] {
                    commands.spawn((
                        RigidBody::Dynamic,
                        Collider::circle(0.2),
                        LinearVelocity(Vec2::new(9.0 * side, 3.0)),
                        at(place.x + side, place.y + 0.2),
                    ));
                }
            }
        },
    );
    let mut chance = chance(8);
    for index in 0..300 {
        let body = body(&mut chance);
        if index % 4 == 0 {
            world.spawn((body, Drifting, CollisionEventsEnabled));
        } else if index % 4 == 1 {
            world.spawn((body, ActiveCollisionHooks::MODIFY_CONTACTS));
        } else {
            world.spawn(body);
        }
    }
}
