//! Promise: what is not a valid box, or fits nowhere, is reported in a message, and the last good state stays.

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_throng::{Bounds, BroadphasePlugin, Reason, Refused, Space, Tracked};
use throng::{BroadphaseConfig, CategoryConfig, CategoryId, InsertError, ProxyError};

#[derive(Component)]
struct Place {
    x: f64,
    y: f64,
}

fn at(x: f64) -> Place {
    Place { x, y: 1.0 }
}

/// Whether the reason is the expected one.
type IsExpected = fn(&Reason) -> bool;

/// With a schedule and a position component of the game's own.
fn app() -> App {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("orcs", 1.0));
    let plugin =
        BroadphasePlugin::reading(config, |place: &Place| [place.x as f32, place.y as f32]);
    let mut app = App::new();
    app.add_plugins(plugin.unwrap().in_schedule(Update));
    app
}

/// What was refused after one more frame.
fn refused(app: &mut App) -> Vec<Refused> {
    app.update();
    let refused = app
        .world_mut()
        .resource_mut::<Messages<Refused>>()
        .drain()
        .collect();
    app.world().resource::<Space>().validate().unwrap();
    refused
}

#[test]
fn what_cannot_come_in_is_refused_once_and_comes_in_when_it_is_put_right() {
    let mut app = app();
    let cases: [(Place, Bounds, IsExpected); 5] = [
        (at(f64::NAN), Bounds::circle(0.5), |why| {
            matches!(why, Reason::Box(_))
        }),
        (at(1e300), Bounds::circle(0.5), |why| {
            matches!(why, Reason::Box(_))
        }),
        (at(0.0), Bounds::circle(-0.5), |why| {
            matches!(why, Reason::Box(_))
        }),
        (at(0.0), Bounds::circle(1.5), |why| {
            matches!(why, Reason::Insert(InsertError::Placement(_)))
        }),
        (
            at(0.0),
            Bounds::circle(0.5).in_category(CategoryId::new(7)),
            |why| matches!(why, Reason::Insert(InsertError::UnknownCategory(_))),
        ),
    ];
    for (inside, (place, bounds, expected)) in cases.into_iter().enumerate() {
        let entity = app.world_mut().spawn((place, bounds)).id();
        let messages = refused(&mut app);
        assert!(messages.len() == 1 && messages[0].entity == entity);
        assert!(expected(&messages[0].reason), "{}", messages[0].reason);
        assert_eq!(app.world().get::<Tracked>(entity).unwrap().proxy(), None);
        assert_eq!(refused(&mut app), [], "nothing has changed since");

        app.world_mut()
            .entity_mut(entity)
            .insert((at(3.0), Bounds::circle(0.5)));
        assert_eq!(refused(&mut app), []);
        assert_eq!(app.world().resource::<Space>().len(), inside + 1);
    }
}

#[test]
fn what_cannot_be_done_leaves_a_proxy_as_it_was() {
    let mut app = app();
    let entity = app.world_mut().spawn((at(3.0), Bounds::circle(0.5))).id();
    assert_eq!(refused(&mut app), []);
    let proxy = app.world().get::<Tracked>(entity).unwrap().proxy().unwrap();
    let before = app.world().resource::<Space>().get(proxy).unwrap();

    app.world_mut().get_mut::<Place>(entity).unwrap().x = f64::INFINITY;
    let messages = refused(&mut app);
    assert!(matches!(
        messages[..],
        [Refused {
            reason: Reason::Proxy(ProxyError::NotFinite { .. }),
            ..
        }]
    ));

    app.world_mut()
        .entity_mut(entity)
        .insert((at(3.0), Bounds::circle(2.0)));
    let messages = refused(&mut app);
    assert!(matches!(
        messages[..],
        [Refused {
            reason: Reason::Proxy(ProxyError::Placement { .. }),
            ..
        }]
    ));

    // Another category needs a new proxy, and there are none left.
    let elsewhere = Bounds::circle(0.5).in_category(CategoryId::new(1));
    app.world_mut().entity_mut(entity).insert(elsewhere);
    assert!(matches!(
        refused(&mut app)[..],
        [Refused {
            reason: Reason::Insert(_),
            ..
        }]
    ));
    assert_eq!(app.world().resource::<Space>().get(proxy), Some(before));
}

#[test]
fn a_config_that_makes_no_sense_is_an_error_before_there_is_a_plugin() {
    let config = BroadphaseConfig::new().category(CategoryConfig::uniform("orcs", -1.0).coarse());
    assert!(BroadphasePlugin::new(config).is_err());
}
