//! A position component, for games that have none.

use bevy_ecs::component::Component;

/// Where an entity is: the center of its [`Bounds`](crate::Bounds).
///
/// For games without such a component. To use your own, see
/// [`BroadphasePlugin::reading`](crate::BroadphasePlugin::reading).
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Center(pub [f32; 2]);
