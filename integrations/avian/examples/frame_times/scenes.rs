//! What happens while steps are measured.

use avian2d::prelude::*;
use bevy::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

/// Puts so many bodies into a world.
pub type Begin = fn(&mut World, usize);

/// Each with what it is called in the table.
pub const ALL: [(&str, Begin); 4] = [
    ("Gas: all fly about, and hit each other", gas),
    ("Rain: all fall, sizes from 1 to 8", rain),
    ("Heap: falls, and comes to rest", heap),
    ("Asleep: towers that stand", towers),
];

fn at(x: f32, y: f32) -> Transform {
    Transform::from_xyz(x, y, 0.0)
}

/// A ground with walls, in which so many bodies of this size lie a few dozen deep.
fn basin(world: &mut World, half_width: f32) {
    let height = 400.0;
    for (x, y, width, height) in [
        (0.0, -1.0, 2.0 * half_width + 4.0, 2.0),
        (-half_width - 1.0, height / 2.0, 2.0, height),
        (half_width + 1.0, height / 2.0, 2.0, height),
    ] {
        world.spawn((
            RigidBody::Static,
            Collider::rectangle(width, height),
            at(x, y),
        ));
    }
}

fn gas(world: &mut World, bodies: usize) {
    world.insert_resource(Gravity::ZERO);
    let mut chance = Pcg32::seed_from_u64(1);
    let half = (bodies as f32).sqrt() * 1.5;
    for _ in 0..bodies {
        let place = [0; 2].map(|_| chance.random_range(-half..half));
        let velocity = [0; 2].map(|_| chance.random_range(-9.0..9.0));
        world.spawn((
            RigidBody::Dynamic,
            Collider::circle(0.5),
            Restitution::new(1.0),
            LinearVelocity(Vec2::from(velocity)),
            at(place[0], place[1]),
        ));
    }
}

fn rain(world: &mut World, bodies: usize) {
    let mut chance = Pcg32::seed_from_u64(2);
    let half = (bodies as f32).sqrt() * 2.5;
    for _ in 0..bodies {
        let place = [0; 2].map(|_| chance.random_range(-half..half));
        let size = 0.3 * 8_f32.powf(chance.random_range(0.0..1.0));
        world.spawn((
            RigidBody::Dynamic,
            Collider::rectangle(size, size),
            at(place[0], place[1]),
        ));
    }
}

fn heap(world: &mut World, bodies: usize) {
    let mut chance = Pcg32::seed_from_u64(3);
    let across = (bodies as f32).sqrt().ceil() as usize;
    basin(world, across as f32 * 0.75);
    for index in 0..bodies {
        let (column, level) = (index % across, index / across);
        let x = (column as f32 - across as f32 / 2.0 + 0.5) * 1.4 + chance.random_range(-0.1..0.1);
        let size = chance.random_range(0.6..1.0);
        let place = at(x, 0.6 + 1.2 * level as f32);
        if index % 2 == 0 {
            world.spawn((RigidBody::Dynamic, Collider::rectangle(size, size), place));
        } else {
            world.spawn((RigidBody::Dynamic, Collider::circle(size / 2.0), place));
        }
    }
}

fn towers(world: &mut World, bodies: usize) {
    let towers = bodies.div_ceil(4);
    basin(world, towers as f32);
    for index in 0..bodies {
        let (tower, floor) = (index / 4, index % 4);
        let x = 2.0 * (tower as f32 - towers as f32 / 2.0 + 0.5);
        let place = at(x, 0.5 + floor as f32);
        world.spawn((RigidBody::Dynamic, Collider::rectangle(1.0, 1.0), place));
    }
}
