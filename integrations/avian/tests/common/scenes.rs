//! Scenes in which something happens to everything that a broad phase has to know of.

mod changes;
mod filters;
mod heaps;

use avian2d::prelude::*;
use bevy::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use changes::*;
use filters::*;
use heaps::*;

/// A world to begin with, and what is done to it before each step.
pub struct Scene {
    pub name: &'static str,
    pub begin: fn(&mut World),
    pub act: fn(&mut World, u32),
}

/// Makes scenes, and a macro that makes a test of each.
macro_rules! scenes {
    ($dollar:tt $($name:ident: $begin:ident, $act:ident;)*) => {
        $(#[allow(non_upper_case_globals, reason = "named as its test")]
        pub const $name: Scene = Scene {
            name: stringify!($name),
            begin: $begin,
            act: $act,
        };)*

        /// Makes a test of each scene, by the name of a function that is given the scene.
        #[macro_export]
        macro_rules! test_each_scene {
            ($dollar check:ident) => {
                $(#[test]
                fn $name() {
                    $dollar check(&$crate::common::scenes::$name);
                })*
            };
        }
    };
}

scenes! {
    $
    in_heap: heap, nothing;
    in_towers: towers, nothing;
    in_rain: basin, rain;
    in_sensors: sensors, toggle_sensors;
    in_joints: chains, toggle_joints;
    in_sleepers: sleepers, throw_a_ball;
    in_layers: layers, change_layers;
    in_disabled_bodies: heap, disable_bodies;
    in_disabled_colliders: heap, disable_colliders;
    in_hidden: heap, hide_some;
    in_statics: statics, move_statics;
    in_standalone: standalone, drift;
    in_compounds: compounds, hand_over;
    in_kinds: heap, change_kinds;
    in_sizes: sizes, grow;
    in_splinters: splinters, nothing;
    in_chaos: sensors, chaos;
}

/// A source of chance that is the same in each run.
pub fn chance(seed: u64) -> Pcg32 {
    Pcg32::seed_from_u64(seed)
}

fn nothing(_: &mut World, _: u32) {}

fn at(x: f32, y: f32) -> Transform {
    Transform::from_xyz(x, y, 0.0)
}

fn tilted(x: f32, y: f32, angle: f32) -> Transform {
    at(x, y).with_rotation(Quat::from_rotation_z(angle))
}

fn some_shape(chance: &mut Pcg32) -> Collider {
    let size = chance.random_range(0.3..1.2);
    match chance.random_range(0..4) {
        0 => Collider::circle(size / 2.0),
        1 => Collider::capsule(size / 3.0, size / 2.0),
        2 => Collider::triangle(Vec2::ZERO, Vec2::new(size, 0.1), Vec2::new(0.2, size)),
        _ => Collider::rectangle(size, size * chance.random_range(0.5..1.5)),
    }
}

/// A ground with two walls.
fn basin(world: &mut World) {
    for (x, y, width, height) in [
        (0.0, -1.0, 60.0, 2.0),
        (-20.0, 10.0, 1.0, 24.0),
        (20.0, 10.0, 1.0, 24.0),
    ] {
        world.spawn((
            RigidBody::Static,
            Collider::rectangle(width, height),
            at(x, y),
        ));
    }
}

fn body(chance: &mut Pcg32) -> impl Bundle {
    let place = [
        chance.random_range(-19.0..19.0),
        chance.random_range(1.0..24.0),
    ];
    let angle = chance.random_range(0.0..3.0);
    (
        RigidBody::Dynamic,
        some_shape(chance),
        tilted(place[0], place[1], angle),
    )
}

fn heap(world: &mut World) {
    basin(world);
    let mut chance = chance(1);
    for _ in 0..400 {
        world.spawn(body(&mut chance));
    }
}

/// Dynamic and kinematic bodies.
fn bodies(world: &mut World) -> Vec<Entity> {
    let mut query = world.query::<(Entity, &RigidBody)>();
    let all = query.iter(world);
    all.filter(|(_, body)| !body.is_static())
        .map(|(entity, _)| entity)
        .collect()
}

fn colliders(world: &mut World) -> Vec<Entity> {
    let mut query = world.query_filtered::<Entity, With<Collider>>();
    query.iter(world).collect()
}

fn move_by(entity: &mut EntityWorldMut<'_>, by: Vec2) {
    if let Some(mut position) = entity.get_mut::<Position>() {
        position.0 += by;
    }
}

/// Takes a component away if it is there, and otherwise gives it.
fn toggle<C: Component>(entity: &mut EntityWorldMut<'_>, component: C) {
    if entity.contains::<C>() {
        entity.remove::<C>();
    } else {
        entity.insert(component);
    }
}

#[derive(Component)]
struct Drifting;
