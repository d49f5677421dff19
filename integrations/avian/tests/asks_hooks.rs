//! Hooks are asked what avian asks them, in the same order each time, and what they order is done.

mod common;

use std::sync::Mutex;

use avian_throng::ThrongBroadPhasePlugin;
use avian2d::prelude::*;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use rand::RngExt;

use common::app_of;
use common::scenes::chance;

/// Lets nothing touch what is shy, and notes who was asked about.
#[derive(SystemParam)]
struct Shyness<'w, 's> {
    shy: Query<'w, 's, (), With<Shy>>,
    asked: Res<'w, Asked>,
}

#[derive(Component)]
struct Shy;

#[derive(Resource, Default)]
struct Asked(Mutex<Vec<[Entity; 2]>>);

/// In the order in which hooks ordered it.
#[derive(Resource, Default)]
struct Ordered(Vec<[Entity; 2]>);

impl CollisionHooks for Shyness<'_, '_> {
    fn filter_pairs(&self, a: Entity, b: Entity, commands: &mut Commands<'_, '_>) -> bool {
        self.asked.0.lock().unwrap().push([a, b]);
        commands.queue(move |world: &mut World| {
            world.resource_mut::<Ordered>().0.push([a, b]);
        });
        !self.shy.contains(a) && !self.shy.contains(b)
    }
}

fn hooked_app(throng: bool) -> App {
    let physics = PhysicsPlugins::default()
        .with_collision_hooks::<Shyness<'_, '_>>()
        .build();
    let mut app = app_of(if throng {
        physics
            .disable::<BvhBroadPhasePlugin<Shyness<'_, '_>>>()
            .add(ThrongBroadPhasePlugin::<Shyness<'_, '_>>::default())
    } else {
        physics
    });
    app.init_resource::<Asked>().init_resource::<Ordered>();
    begin(app.world_mut());
    app
}

/// Sensors of all kinds fly through each other, so that nothing depends on the order of contacts.
fn begin(world: &mut World) {
    world.insert_resource(Gravity::ZERO);
    let mut chance = chance(30);
    for index in 0..300 {
        let [x, y] = [0; 2].map(|_| chance.random_range(-15.0..15.0));
        let velocity = [0; 2].map(|_| chance.random_range(-5.0..5.0));
        let mut sensor = world.spawn((
            RigidBody::Kinematic,
            Collider::circle(0.5),
            LinearVelocity(Vec2::from(velocity)),
            Transform::from_xyz(x, y, 0.0),
        ));
        if index % 5 != 0 {
            sensor.insert(Sensor);
        }
        if index % 7 == 0 {
            sensor.insert(RigidBody::Static);
        }
        if index % 3 == 0 {
            sensor.insert(ActiveCollisionHooks::FILTER_PAIRS);
        }
        if index % 4 == 0 {
            sensor.insert(Shy);
        }
    }
}

fn asked_in_step(app: &mut App) -> [Vec<[Entity; 2]>; 2] {
    app.update();
    let asked = std::mem::take(app.world_mut().resource_mut::<Asked>().0.get_mut().unwrap());
    let ordered = std::mem::take(&mut app.world_mut().resource_mut::<Ordered>().0);
    [asked, ordered]
}

#[test]
fn as_avian_asks_them() {
    let [mut avian, mut throng, mut again] = [false, true, true].map(hooked_app);
    let mut in_all = 0;
    for step in 0..200 {
        let [theirs, _] = asked_in_step(&mut avian);
        let [ours, ordered] = asked_in_step(&mut throng);
        assert_eq!(
            ours, ordered,
            "commands run in the order of the questions, step {step}"
        );
        assert_eq!(
            asked_in_step(&mut again)[0],
            ours,
            "the order is always the same"
        );
        in_all += ours.len();
        let sorted = |mut all: Vec<[Entity; 2]>| {
            all.sort_unstable();
            all
        };
        assert_eq!(sorted(ours), sorted(theirs), "step {step}");
        let contacts = [&avian, &throng].map(|app| {
            let graph = app.world().resource::<ContactGraph>();
            let pairs = graph.active_pairs().iter();
            sorted(pairs.map(|pair| [pair.collider1, pair.collider2]).collect())
        });
        assert_eq!(contacts[0], contacts[1], "step {step}");
    }
    assert!(in_all > 1000, "{in_all}");
}
