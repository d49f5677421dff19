//! Promise: an entity that change detection has nothing to say of comes to rest, where its category is configured to, and its
//! begins and ends are messages, where the plugin is asked for them.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_throng::{
    Bounds, BroadphasePlugin, Center, OverlapBegan, OverlapEnded, Overlaps, Space, Tracked,
};
use throng::{BroadphaseConfig, CategoryConfig, ProxyError};

fn app(orcs: CategoryConfig) -> App {
    let config = BroadphaseConfig::new()
        .category(orcs)
        .category(CategoryConfig::scenery("walls"));
    let mut app = App::new();
    app.add_plugins(BroadphasePlugin::new(config).unwrap().with_messages());
    app
}

fn spawn(app: &mut App, x: f32, bounds: Bounds) -> Entity {
    app.world_mut().spawn((Center([x, 0.3]), bounds)).id()
}

fn rests(app: &App, entity: Entity) -> bool {
    let proxy = app.world().get::<Tracked>(entity).unwrap().proxy().unwrap();
    app.world().resource::<Space>().is_resting(proxy).unwrap()
}

/// Pairs of the frame, and pairs of two that rest.
fn found(app: &mut App) -> [Vec<[Entity; 2]>; 2] {
    app.update();
    let space = app.world().resource::<Space>();
    let of_step = app.world().resource::<Overlaps>().as_slice().to_vec();
    [of_step, space.resting_overlaps().collect()]
}

const NOTHING: [Vec<[Entity; 2]>; 2] = [vec![], vec![]];

fn told(app: &mut App) -> [Vec<[Entity; 2]>; 2] {
    let world = app.world_mut();
    let mut began = world.resource_mut::<Messages<OverlapBegan>>();
    let began = began.drain().map(|message| message.entities).collect();
    let mut ended = world.resource_mut::<Messages<OverlapEnded>>();
    [
        began,
        ended.drain().map(|message| message.entities).collect(),
    ]
}

#[test]
fn what_is_not_touched_rests_until_it_is_moved() {
    let mut app = app(CategoryConfig::uniform("orcs", 1.0).rests_after(2));
    let pair = [0.1, 1.5].map(|x| spawn(&mut app, x, Bounds::circle(0.7)));
    let wall = spawn(&mut app, -1.0, Bounds::new([0.5, 9.0]).fixed());
    let all = vec![pair, [pair[0], wall]];
    for _ in 0..3 {
        assert_eq!(found(&mut app), [all.clone(), vec![]]);
    }
    let [of_step, mut resting] = found(&mut app);
    resting.sort_by_key(|[_, b]| *b == wall);
    assert_eq!((of_step, resting), (vec![], all.clone()));
    assert!(pair.iter().all(|&orc| rests(&app, orc)));

    // Written, and not changed.
    app.world_mut()
        .get_mut::<Center>(pair[0])
        .unwrap()
        .set_changed();
    app.world_mut()
        .get_mut::<Bounds>(pair[1])
        .unwrap()
        .set_changed();
    assert!(found(&mut app)[0].is_empty());
    assert!(pair.iter().all(|&orc| rests(&app, orc)));

    app.world_mut().get_mut::<Center>(pair[1]).unwrap().0[0] = 1.4;
    let [of_step, resting] = found(&mut app);
    assert_eq!((of_step, resting), (vec![pair], vec![[pair[0], wall]]));
    assert!(rests(&app, pair[0]) && !rests(&app, pair[1]));
}

#[test]
fn whole_islands_rest_when_the_game_says_so() {
    let mut app = app(CategoryConfig::uniform("orcs", 1.0).rests_when_told());
    let pair = [0.0, 1.0].map(|x| spawn(&mut app, x, Bounds::circle(0.7)));
    let wall = spawn(&mut app, 9.0, Bounds::new([0.5, 9.0]).fixed());
    for _ in 0..9 {
        assert_eq!(found(&mut app), [vec![pair], vec![]]);
    }
    let proxy = |entity| app.world().get::<Tracked>(entity).unwrap().proxy().unwrap();
    let (orcs, wall) = (pair.map(proxy), proxy(wall));
    let mut space = app.world_mut().resource_mut::<Space>();
    for orc in orcs {
        space.set_resting(orc, true).unwrap();
    }
    let refused = space.set_resting(wall, true);
    assert!(matches!(refused, Err(ProxyError::NeverRests { .. })));
    app.update();
    assert_eq!(found(&mut app), [vec![], vec![pair]]);
    let mut space = app.world_mut().resource_mut::<Space>();
    space.set_resting(orcs[0], false).unwrap();
    assert_eq!(found(&mut app), [vec![pair], vec![]]);
}

#[test]
fn begins_and_ends_are_messages_once_each() {
    let orcs = CategoryConfig::uniform("orcs", 1.0).events().rests_after(1);
    let mut app = app(orcs);
    let pair = [0.0, 1.0].map(|x| spawn(&mut app, x, Bounds::circle(0.7)));
    app.update();
    assert_eq!(told(&mut app), [vec![pair], vec![]]);
    for _ in 0..5 {
        app.update();
        assert_eq!(told(&mut app), NOTHING, "it lasts, and then rests");
    }
    app.world_mut().get_mut::<Center>(pair[1]).unwrap().0[0] = 5.0;
    app.update();
    assert_eq!(told(&mut app), [vec![], vec![pair]]);
    app.world_mut().get_mut::<Center>(pair[1]).unwrap().0[0] = 1.0;
    app.update();
    assert_eq!(told(&mut app), [vec![pair], vec![]]);
    app.world_mut().despawn(pair[0]);
    app.update();
    assert_eq!(
        told(&mut app),
        [vec![], vec![pair]],
        "also of one that is gone"
    );
}

#[test]
fn there_are_no_messages_unless_asked_for() {
    let orcs = CategoryConfig::uniform("orcs", 1.0).events();
    let config = BroadphaseConfig::new().category(orcs);
    let mut app = App::new();
    app.add_plugins(BroadphasePlugin::new(config).unwrap());
    let messages = app.world().get_resource::<Messages<OverlapBegan>>();
    assert!(messages.is_none());
}
