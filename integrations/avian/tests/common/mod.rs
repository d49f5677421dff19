//! An app with physics and nothing else, whose steps are all of the same length.
#![allow(dead_code, reason = "each test uses a part of it")]

pub mod scenes;

use std::time::Duration;

use avian_throng::{ThrongBroadPhase, ThrongBroadPhasePlugin};
use avian2d::prelude::*;
use bevy::app::PluginGroupBuilder;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;

/// For how many steps worlds are looked at: 600, or what `AVIAN_STEPS` says.
pub fn steps() -> u32 {
    let steps = std::env::var("AVIAN_STEPS").ok();
    steps.map_or(600, |steps| steps.parse().expect("AVIAN_STEPS is a number"))
}

/// Whose broad phase an app has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroadPhase {
    Avian,
    Throng,
}

/// One update of it is one step of physics.
pub fn app(broad_phase: BroadPhase) -> App {
    let plugins = PhysicsPlugins::default().build();
    app_of(match broad_phase {
        BroadPhase::Avian => plugins,
        BroadPhase::Throng => plugins
            .disable::<BvhBroadPhasePlugin>()
            .add(ThrongBroadPhasePlugin::<()>::default()),
    })
}

/// The same with physics as configured.
pub fn app_of(physics: PluginGroupBuilder) -> App {
    let step = Duration::from_secs_f64(1.0 / 64.0);
    let mut app = App::new();
    // Entities have the same numbers in all apps, and a resource is one of them.
    app.init_resource::<ThrongBroadPhase>()
        .add_plugins((MinimalPlugins, TransformPlugin, physics))
        .insert_resource(TimeUpdateStrategy::ManualDuration(step))
        .insert_resource(Time::<Fixed>::from_duration(step));
    app.finish();
    app.cleanup();
    // The first update takes no time.
    app.update();
    app
}

/// The bits of all positions and rotations, by entity.
pub fn bits(app: &mut App) -> Vec<(Entity, [u32; 4])> {
    let mut query = app.world_mut().query::<(Entity, &Position, &Rotation)>();
    let all = query.iter(app.world());
    let mut all: Vec<_> = all
        .map(|(entity, position, rotation)| {
            let values = [position.x, position.y, rotation.cos, rotation.sin];
            (entity, values.map(f32::to_bits))
        })
        .collect();
    all.sort_unstable();
    all
}
