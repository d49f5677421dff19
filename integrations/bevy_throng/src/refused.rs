//! Changes to entities that the broadphase refused.

use bevy_ecs::entity::Entity;
use bevy_ecs::message::Message;
use throng::{AabbError, InsertError, ProxyError};

/// An entity whose components do not make a valid box, or whose box fits nowhere.
///
/// It stays in the broadphase as it was, or out of it, until its position or its [`Bounds`](crate::Bounds) change.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Refused {
    /// The entity.
    pub entity: Entity,
    /// What is wrong, and what is needed.
    pub reason: Reason,
}

/// Why an entity was [`Refused`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// Its position and half extents do not make a valid box.
    #[error(transparent)]
    Box(#[from] AabbError),
    /// Its box fits nowhere, or not into the category it was to go to.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// It cannot be moved or resized like that.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
}
