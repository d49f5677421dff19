//! Who may not touch whom: sensors, joints, layers, parts of one body, and colliders without one.

use avian2d::prelude::*;
use bevy::prelude::*;
use rand::{RngExt, seq::IndexedRandom};

use super::*;

/// Sensors of each kind among everything else, some of them static and on statics.
pub(super) fn sensors(world: &mut World) {
    basin(world);
    let mut chance = chance(2);
    for index in 0..260 {
        let mut spawned = world.spawn(body(&mut chance));
        match index % 13 {
            0 => spawned.insert(Sensor),
            1 => spawned.insert((RigidBody::Kinematic, LinearVelocity(Vec2::new(1.5, -0.5)))),
            2 => spawned.insert((RigidBody::Kinematic, Sensor, AngularVelocity(1.0))),
            3 => spawned.insert((RigidBody::Static, Sensor)),
            4 => spawned.insert(RigidBody::Static),
            _ => &mut spawned,
        };
    }
}

pub(super) fn toggle_sensors(world: &mut World, step: u32) {
    let mut chance = chance(u64::from(step));
    let all = colliders(world);
    for _ in 0..3 {
        let Some(&collider) = all.choose(&mut chance) else {
            return;
        };
        let mut collider = world.entity_mut(collider);
        if collider.contains::<Sensor>() {
            collider.remove::<Sensor>();
        } else {
            collider.insert(Sensor);
        }
        // Static ones are looked at when they move, which has to be in other steps, too.
        if chance.random_bool(0.3) {
            move_by(&mut collider, Vec2::new(0.0, 0.3));
        }
    }
    shift_static_sensors(world, &mut chance);
}

pub(super) fn shift_static_sensors(world: &mut World, chance: &mut Pcg32) {
    let mut query = world.query::<(Entity, &RigidBody)>();
    let statics = query.iter(world).filter(|(_, body)| body.is_static());
    let statics: Vec<_> = statics.map(|(entity, _)| entity).skip(3).collect();
    if let Some(&moved) = statics.choose(chance) {
        let by = Vec2::new(
            chance.random_range(-1.0..1.0),
            chance.random_range(-1.0..1.0),
        );
        move_by(&mut world.entity_mut(moved), by);
    }
}

#[derive(Component)]
pub(super) struct Link;

/// Chains whose links overlap, with and without collisions among neighbors.
pub(super) fn chains(world: &mut World) {
    basin(world);
    for chain in 0..6 {
        let mut before: Option<Entity> = None;
        for link in 0..12 {
            let x = 5.0 * chain as f32 - 13.0 + 0.7 * link as f32;
            let kind = if link == 0 {
                RigidBody::Kinematic
            } else {
                RigidBody::Dynamic
            };
            let body = world
                .spawn((
                    kind,
                    Collider::rectangle(0.8, 0.4),
                    at(x, 12.0 + chain as f32),
                ))
                .id();
            if let Some(before) = before {
                let joint = RevoluteJoint::new(before, body)
                    .with_local_anchor1(Vec2::X * 0.35)
                    .with_local_anchor2(Vec2::NEG_X * 0.35);
                let joint = world.spawn((joint, Link)).id();
                if chain % 2 == 0 {
                    world.entity_mut(joint).insert(JointCollisionDisabled);
                }
            }
            before = Some(body);
        }
    }
}

pub(super) fn toggle_joints(world: &mut World, step: u32) {
    if step % 20 != 10 {
        return;
    }
    let mut chance = chance(u64::from(step));
    let mut query = world.query_filtered::<Entity, With<Link>>();
    let joints: Vec<_> = query.iter(world).collect();
    let Some(&joint) = joints.choose(&mut chance) else {
        return;
    };
    let mut joint = world.entity_mut(joint);
    match step % 60 {
        10 if joint.contains::<JointCollisionDisabled>() => {
            joint.remove::<JointCollisionDisabled>();
        }
        10 => {
            joint.insert(JointCollisionDisabled);
        }
        30 => joint.despawn(),
        _ => {}
    }
}

pub(super) fn some_layers(chance: &mut Pcg32) -> CollisionLayers {
    let bit = |chance: &mut Pcg32| 1_u32 << chance.random_range(0..32);
    match chance.random_range(0..5) {
        0 => CollisionLayers::DEFAULT,
        1 => CollisionLayers::NONE,
        2 => CollisionLayers::from_bits(bit(chance), u32::MAX),
        3 => CollisionLayers::from_bits(bit(chance), bit(chance) | 1),
        _ => CollisionLayers::from_bits(chance.random(), chance.random()),
    }
}

pub(super) fn layers(world: &mut World) {
    heap(world);
    let mut chance = chance(3);
    for collider in colliders(world).into_iter().skip(3) {
        world.entity_mut(collider).insert(some_layers(&mut chance));
    }
}

pub(super) fn change_layers(world: &mut World, step: u32) {
    let mut chance = chance(u64::from(step));
    let all = colliders(world);
    for _ in 0..3 {
        if let Some(&collider) = all.choose(&mut chance) {
            let layers = some_layers(&mut chance);
            world.entity_mut(collider).insert(layers);
        }
    }
    if step.is_multiple_of(7)
        && let Some(&collider) = all.choose(&mut chance)
    {
        world.entity_mut(collider).remove::<CollisionLayers>();
    }
}

/// Colliders without a body, which meet everybody who has one.
pub(super) fn standalone(world: &mut World) {
    heap(world);
    let mut chance = chance(5);
    for index in 0..80 {
        let place = at(
            chance.random_range(-19.0..19.0),
            chance.random_range(0.0..15.0),
        );
        let mut area = world.spawn((some_shape(&mut chance), place, Drifting));
        if index % 2 == 0 {
            area.insert(Sensor);
        }
    }
}

pub(super) fn drift(world: &mut World, step: u32) {
    let mut query = world.query_filtered::<(&mut Transform, Has<Sensor>), With<Drifting>>();
    for (mut place, is_sensor) in query.iter_mut(world) {
        if is_sensor {
            place.translation.x += (step as f32 / 20.0).sin() * 0.1;
        }
    }
    if step.is_multiple_of(10) {
        let mut chance = chance(u64::from(step));
        let all = bodies(world);
        if let Some(&body) = all.choose(&mut chance) {
            // Its collider stays, without a body.
            world
                .entity_mut(body)
                .remove::<RigidBody>()
                .insert(Drifting);
            // Avian counts this one as part of a body, though that is none any more: so it meets others without a body.
            let place = *world.get::<Transform>(body).expect("a body has a place");
            let part = (Collider::circle(2.0), Sensor, ColliderOf { body }, place);
            world.spawn((part, Drifting));
        }
    }
}

/// Bodies with several colliders, which overlap.
pub(super) fn compounds(world: &mut World) {
    basin(world);
    let mut chance = chance(6);
    for _ in 0..100 {
        let parts: Vec<_> = (0..3)
            .map(|part| (some_shape(&mut chance), at(0.3 * part as f32, 0.1)))
            .collect();
        let body = world.spawn(body(&mut chance)).id();
        for part in parts {
            world.spawn((part, ChildOf(body)));
        }
    }
}

/// Colliders go to another body, or to none.
pub(super) fn hand_over(world: &mut World, step: u32) {
    if !step.is_multiple_of(4) {
        return;
    }
    let mut chance = chance(u64::from(step));
    let mut query = world.query_filtered::<Entity, (With<Collider>, With<ChildOf>)>();
    let parts: Vec<_> = query.iter(world).collect();
    let all = bodies(world);
    if let (Some(&part), Some(&body)) = (parts.choose(&mut chance), all.choose(&mut chance)) {
        if step.is_multiple_of(20) {
            world.despawn(part);
        } else {
            world.entity_mut(part).insert(ChildOf(body));
        }
    }
}
