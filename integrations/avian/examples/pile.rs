//! A pile of crates with throng as the broad phase, without a window: what a game has to write, and what came of it.
//!
//! ```sh
//! cargo run --release --ignore-rust-version --example pile
//! ```

use std::time::Duration;

use avian_throng::{ThrongBroadPhase, ThrongBroadPhasePlugin};
use avian2d::prelude::*;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;

fn main() {
    let physics = PhysicsPlugins::default()
        .build()
        .disable::<BvhBroadPhasePlugin>()
        .add(ThrongBroadPhasePlugin::<()>::default());

    let frame = Duration::from_secs_f64(1.0 / 64.0);
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, physics))
        .insert_resource(TimeUpdateStrategy::ManualDuration(frame))
        .add_systems(Startup, spawn);
    app.finish();
    app.cleanup();
    for _ in 0..300 {
        app.update();
    }

    let world = app.world();
    let contacts = world.resource::<ContactGraph>();
    let throng = world.resource::<ThrongBroadPhase>();
    println!("{}", throng.report());
    println!("follow, find, tell: {:?}", throng.times());
    println!("{} contacts", contacts.edges.edge_count());
    assert!(contacts.edges.edge_count() > 800, "they lie on each other");
}

fn spawn(mut commands: Commands<'_, '_>) {
    let ground = (RigidBody::Static, Collider::rectangle(80.0, 1.0));
    commands.spawn((ground, Transform::from_xyz(0.0, -0.5, 0.0)));
    for index in 0..500 {
        let [column, row] = [(index % 25) as f32, (index / 25) as f32];
        // Like bricks in a wall.
        let x = column - 12.0 + 0.5 * (row % 2.0);
        let crate_ = (RigidBody::Dynamic, Collider::rectangle(0.8, 0.8));
        commands.spawn((crate_, Transform::from_xyz(1.05 * x, 1.1 * row + 0.6, 0.0)));
    }
}
