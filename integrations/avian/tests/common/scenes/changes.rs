//! What becomes of bodies: disabled, moved, of another kind, and all at once.

use avian2d::prelude::*;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use rand::{RngExt, seq::IndexedRandom};

use super::*;

#[derive(Resource, Default)]
pub(super) struct Hidden(Vec<Entity>);

/// Bodies and colliders apart: avian 0.8 loses count of bodies that are disabled in two ways, or gone while they are disabled.
pub(super) fn disable_bodies(world: &mut World, step: u32) {
    let mut chance = chance(u64::from(step));
    if let Some(&entity) = bodies(world).choose(&mut chance) {
        toggle(&mut world.entity_mut(entity), RigidBodyDisabled);
    }
}

pub(super) fn disable_colliders(world: &mut World, step: u32) {
    let mut chance = chance(u64::from(step));
    let Some(&entity) = bodies(world).choose(&mut chance) else {
        return;
    };
    let mut entity = world.entity_mut(entity);
    if step.is_multiple_of(4) && entity.contains::<ColliderDisabled>() {
        entity.despawn();
    } else {
        toggle(&mut entity, ColliderDisabled);
    }
}

/// Entities of which nobody knows for a while.
pub(super) fn hide_some(world: &mut World, step: u32) {
    let mut chance = chance(u64::from(step));
    if let Some(&entity) = bodies(world).choose(&mut chance)
        && step.is_multiple_of(2)
    {
        world.entity_mut(entity).insert(Disabled);
        world.get_resource_or_init::<Hidden>().0.push(entity);
    }
    let mut hidden = world.get_resource_or_init::<Hidden>();
    if hidden.0.len() > 5 {
        let back = hidden.0.remove(0);
        world.entity_mut(back).remove::<Disabled>();
    }
}

#[derive(Component)]
pub(super) struct Platform;

/// Tiles, of which some will move.
pub(super) fn statics(world: &mut World) {
    basin(world);
    let mut chance = chance(4);
    for index in 0..200 {
        let x = (index % 20) as f32 * 2.0 - 19.0;
        let y = 1.0 + (index / 20) as f32 * 2.2;
        let mut tile = world.spawn((RigidBody::Static, Collider::rectangle(0.6, 0.6), at(x, y)));
        if index % 10 == 0 {
            tile.insert(Platform);
        }
    }
    for _ in 0..200 {
        world.spawn(body(&mut chance));
    }
}

pub(super) fn move_statics(world: &mut World, step: u32) {
    let mut chance = chance(u64::from(step));
    let mut query = world.query_filtered::<&mut Position, With<Platform>>();
    for (index, mut position) in query.iter_mut(world).enumerate() {
        if index % 3 == (step / 40) as usize % 3 {
            position.0.x += (step as f32 / 30.0).sin() * 0.1;
        }
    }
    if step.is_multiple_of(9) {
        let place = at(
            chance.random_range(-19.0..19.0),
            chance.random_range(1.0..20.0),
        );
        world.spawn((
            RigidBody::Static,
            Collider::rectangle(1.5, 0.4),
            Platform,
            place,
        ));
    }
    if step.is_multiple_of(11) {
        let mut query = world.query_filtered::<(Entity, &RigidBody), Without<Platform>>();
        let tiles = query.iter(world).filter(|(_, body)| body.is_static());
        let tiles: Vec<_> = tiles.map(|(entity, _)| entity).skip(3).collect();
        if let Some(&gone) = tiles.choose(&mut chance) {
            world.despawn(gone);
        }
    }
}

pub(super) fn change_kinds(world: &mut World, step: u32) {
    let mut chance = chance(u64::from(step));
    let mut query = world.query_filtered::<Entity, With<RigidBody>>();
    let all: Vec<_> = query.iter(world).skip(3).collect();
    if let Some(&body) = all.choose(&mut chance) {
        let kinds = [RigidBody::Dynamic, RigidBody::Kinematic, RigidBody::Static];
        let kind = *kinds.choose(&mut chance).expect("there are three");
        world.entity_mut(body).insert(kind);
    }
}

/// All of it at once.
pub(super) fn chaos(world: &mut World, step: u32) {
    toggle_sensors(world, step);
    rain(world, step);
    change_layers(world, step);
    change_kinds(world, step);
    grow(world, step);
    drift(world, step);
    disable_colliders(world, step);
}
