//! A place of the plugin's own, for games that have none.

use bevy_ecs::component::Component;

/// Where an entity is: the middle of its [`Bounds`](crate::Bounds).
///
/// For games that have no such component; others have theirs read by
/// [`BroadphasePlugin::reading`](crate::BroadphasePlugin::reading).
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Center(pub [f32; 2]);
