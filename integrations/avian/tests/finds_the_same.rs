//! Both broad phases look at each step of the same world, and find the same.

mod common;

use std::collections::BTreeMap;

use avian_throng::ThrongBroadPhasePlugin;
use avian2d::collider_tree::ColliderTreeSystems;
use avian2d::prelude::*;
use bevy::ecs::schedule::Schedules;
use bevy::prelude::*;

use common::scenes::Scene;
use common::{BroadPhase, app, steps};

/// A schedule in which only throng's broad phase runs.
#[derive(Resource)]
struct OnlyThrong(Schedule);

/// What throng has found in this step, and how much in all.
#[derive(Resource, Default)]
struct Found {
    now: Vec<Contact>,
    before: usize,
    in_all: usize,
    out_of_order: usize,
}

/// A pair that was added to the contact graph, in the order of its sides.
#[derive(Clone, Debug, PartialEq)]
struct Contact {
    colliders: [Entity; 2],
    bodies: [Option<Entity>; 2],
    flags: ContactPairFlags,
    edge: String,
}

fn contacts_from(graph: &ContactGraph, first: usize) -> Vec<Contact> {
    let new = graph.active_pairs()[first..].iter();
    new.map(|pair| {
        let edge = graph.get_edge(pair.collider1, pair.collider2);
        let edge = edge.expect("each pair has an edge");
        Contact {
            colliders: [pair.collider1, pair.collider2],
            bodies: [pair.body1, pair.body2],
            flags: pair.flags,
            edge: format!(
                "{:?}",
                (
                    edge.collider1,
                    edge.collider2,
                    edge.body1,
                    edge.body2,
                    edge.flags
                )
            ),
        }
    })
    .collect()
}

/// Runs throng's broad phase, and leaves the world as it was.
fn look_with_throng(world: &mut World) {
    let graph = world.resource::<ContactGraph>().clone();
    let before = graph.active_pairs().len();
    world.resource_scope(|world, mut throng: Mut<'_, OnlyThrong>| throng.0.run(world));
    let now = contacts_from(world.resource::<ContactGraph>(), before);
    world.insert_resource(graph);
    let mut found = world.resource_mut::<Found>();
    (found.now, found.before) = (now, before);
}

fn compare(graph: Res<'_, ContactGraph>, mut found: ResMut<'_, Found>) {
    let by_colliders = |contacts: &[Contact]| {
        let keyed = contacts
            .iter()
            .map(|contact| (contact.colliders, contact.clone()));
        keyed.collect::<BTreeMap<_, _>>()
    };
    let avian = contacts_from(&graph, found.before);
    let (ours, theirs) = (by_colliders(&found.now), by_colliders(&avian));
    for (colliders, contact) in &theirs {
        assert_eq!(
            ours.get(colliders),
            Some(contact),
            "throng lacks what avian finds"
        );
    }
    for (colliders, contact) in &ours {
        assert_eq!(
            Some(contact),
            theirs.get(colliders),
            "avian does not find that"
        );
    }
    assert_eq!(ours.len(), found.now.len(), "each is found once");
    found.in_all += avian.len();
    found.out_of_order += usize::from(avian != found.now);
}

/// An app with avian's broad phase and these hooks, in which throng's looks on.
fn watched_app() -> App {
    let mut only_throng = App::empty();
    only_throng.init_resource::<Schedules>();
    only_throng.add_plugins(ThrongBroadPhasePlugin::<()>::default());
    let mut schedules = only_throng.world_mut().resource_mut::<Schedules>();
    let schedule = schedules
        .remove(PhysicsSchedule)
        .expect("it has one system");

    let mut app = app(BroadPhase::Avian);
    app.insert_resource(OnlyThrong(schedule))
        .init_resource::<Found>()
        .add_systems(
            PhysicsSchedule,
            (
                look_with_throng
                    .in_set(PhysicsStepSystems::BroadPhase)
                    .after(ColliderTreeSystems::UpdateAabbs)
                    .before(BroadPhaseSystems::CollectCollisions)
                    .ambiguous_with_all(),
                compare
                    .in_set(PhysicsStepSystems::BroadPhase)
                    .after(BroadPhaseSystems::CollectCollisions)
                    .before(BroadPhaseSystems::Last),
            ),
        );
    app
}

fn watch(scene: &Scene) {
    let mut app = watched_app();
    (scene.begin)(app.world_mut());
    for step in 0..steps() {
        (scene.act)(app.world_mut(), step);
        app.update();
    }
    let found = app.world().resource::<Found>();
    println!(
        "{}: {} pairs, {} steps in another order",
        scene.name, found.in_all, found.out_of_order
    );
    assert!(
        found.in_all > 50,
        "something has to happen in {}",
        scene.name
    );
}

test_each_scene!(watch);
