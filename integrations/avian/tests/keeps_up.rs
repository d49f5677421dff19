//! What throng knows of a world: who is in which category, and that it costs no more than it must.

mod common;

use avian_throng::{ThrongBroadPhase, ThrongBroadPhasePlugin};
use avian2d::prelude::*;
use bevy::prelude::*;

use common::scenes::{self, Scene};
use common::{BroadPhase, app, app_of};

fn at(x: f32, y: f32) -> Transform {
    Transform::from_xyz(x, y, 0.0)
}

fn app_with(begin: impl FnOnce(&mut World)) -> App {
    let mut app = app(BroadPhase::Throng);
    begin(app.world_mut());
    app.update();
    app
}

fn report(app: &App) -> &throng::Report {
    app.world().resource::<ThrongBroadPhase>().report()
}

/// How many are in the category whose name contains this.
fn rows(app: &App, name: &str) -> usize {
    let categories = report(app).categories.iter();
    categories
        .filter(|category| category.name.contains(name))
        .map(|category| category.rows)
        .sum()
}

fn contacts(app: &App) -> usize {
    app.world().resource::<ContactGraph>().active_pairs().len()
}

/// Keeps the broad phase at work: without anybody who moves it does nothing.
fn spawn_mover(world: &mut World) {
    let velocity = LinearVelocity(Vec2::new(9.0, 0.0));
    world.spawn((
        RigidBody::Kinematic,
        Collider::circle(0.5),
        velocity,
        at(0.0, 90.0),
    ));
}

#[test]
fn whoever_is_gone_is_forgotten_in_each_scene() {
    let check = |scene: &Scene| {
        let mut app = app(BroadPhase::Throng);
        (scene.begin)(app.world_mut());
        for step in 0..120 {
            (scene.act)(app.world_mut(), step);
            app.update();
        }
        spawn_mover(app.world_mut());
        app.update();
        let trees = app
            .world()
            .resource::<avian2d::collider_tree::ColliderTrees>();
        let in_trees: usize = trees.iter_trees().map(|tree| tree.proxies.len()).sum();
        assert_eq!(report(&app).rows, in_trees, "{}", scene.name);
    };
    [
        scenes::in_rain,
        scenes::in_disabled_colliders,
        scenes::in_hidden,
        scenes::in_kinds,
        scenes::in_compounds,
        scenes::in_chaos,
    ]
    .iter()
    .for_each(check);
}

#[test]
fn statics_are_scenery_until_they_move() {
    let mut tiles = Vec::new();
    let mut app = app_with(|world| {
        spawn_mover(world);
        for index in 0..50 {
            let tile = (
                RigidBody::Static,
                Collider::rectangle(1.0, 1.0),
                at(index as f32, 0.0),
            );
            tiles.push(world.spawn(tile).id());
        }
        world.spawn((
            RigidBody::Static,
            Collider::circle(1.0),
            Sensor,
            at(0.0, 5.0),
        ));
    });
    assert_eq!(
        [rows(&app, "statics"), rows(&app, "moved statics")],
        [51, 1]
    );
    app.update();
    assert_eq!(report(&app).scenery_packed, 0, "nothing has changed");

    app.world_mut().get_mut::<Position>(tiles[7]).unwrap().y += 3.0;
    app.update();
    assert_eq!(rows(&app, "moved statics"), 2);
    for _ in 0..5 {
        app.world_mut().get_mut::<Position>(tiles[7]).unwrap().y += 3.0;
        app.update();
        assert_eq!(
            report(&app).scenery_packed,
            0,
            "no scenery changes while it moves on"
        );
    }
}

#[test]
#[should_panic(expected = "`.build().disable::<BvhBroadPhasePlugin<()>>()`")]
fn two_broad_phases_are_one_too_many() {
    let throng = ThrongBroadPhasePlugin::<()>::default();
    app_of(PhysicsPlugins::default().build().add(throng)).update();
}

#[test]
fn colliders_without_a_body_meet_those_with_one() {
    let mut app = app_with(|world| {
        for _ in 0..20 {
            world.spawn((Collider::circle(1.0), at(0.0, 0.0)));
        }
        world.spawn((
            RigidBody::Dynamic,
            Collider::circle(1.0),
            GravityScale(0.0),
            at(1.0, 0.0),
        ));
    });
    assert_eq!(rows(&app, "without a body"), 20);
    assert_eq!(contacts(&app), 20, "not with each other");
    let pairs = report(&app).pairs;
    assert_eq!(pairs, 20, "nor are they compared");
    app.update();
}

#[test]
fn categories_follow_the_sizes() {
    let mut app = app_with(|world| {
        world.insert_resource(Gravity::ZERO);
        for index in 0..1000 {
            let place = at((index % 40) as f32 * 3.0, (index / 40) as f32 * 3.0);
            world.spawn((RigidBody::Dynamic, Collider::rectangle(1.0, 1.0), place));
        }
    });
    assert_eq!([rows(&app, "units"), rows(&app, "oversized")], [1000, 0]);

    // All grow, and there are no more of them than before.
    let mut query = app.world_mut().query_filtered::<Entity, With<Collider>>();
    let all: Vec<_> = query.iter(app.world()).collect();
    for collider in all {
        app.world_mut()
            .entity_mut(collider)
            .insert(Collider::circle(1.3));
    }
    app.update();
    assert_eq!([rows(&app, "units"), rows(&app, "oversized")], [0, 1000]);
    for _ in 0..200 {
        spawn_mover(app.world_mut());
        app.update();
    }
    assert!(
        rows(&app, "oversized") < 100,
        "{:#?}",
        report(&app).categories
    );
}

#[test]
fn nobody_is_looked_for_while_nobody_moves() {
    let mut app = app_with(|world| {
        world.insert_resource(Gravity::ZERO);
        for index in 0..100 {
            let place = at(index as f32 * 0.9, 0.0);
            world.spawn((RigidBody::Dynamic, Collider::circle(0.5), Sensor, place));
        }
    });
    assert!(contacts(&app) >= 99);
    let before = report(&app).stages;
    app.update();
    app.update();
    assert_eq!(report(&app).stages, before, "there was no other step");
}
