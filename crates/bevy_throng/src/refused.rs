//! What could not be done for an entity.

use bevy_ecs::entity::Entity;
use bevy_ecs::message::Message;
use throng::{AabbError, InsertError, ProxyError};

/// An entity whose components make no box, or one that fits nowhere.
///
/// In the broadphase it is what it was before, or is not in it, until its place or its [`Bounds`](crate::Bounds) change.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Refused {
    /// The entity.
    pub entity: Entity,
    /// What is wrong, and what would be right.
    pub reason: Reason,
}

/// Why an entity was [`Refused`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// Its place and half extents are no box.
    #[error(transparent)]
    Box(#[from] AabbError),
    /// Its box fits nowhere, or not where it was to go.
    #[error(transparent)]
    Insert(#[from] InsertError),
    /// It cannot be moved or resized like that.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
}
