//! From an entity to its proxy.

use bevy_ecs::component::Component;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::world::DeferredWorld;
use throng::{CategoryId, ProxyId};

use crate::space::Space;

/// Which proxy of the broadphase stands for an entity. Comes with [`Bounds`](crate::Bounds) and is kept up to date by
/// the plugin.
///
/// A hook removes the proxy as soon as the component is gone, for whatever reason. A clone of an entity gets a proxy
/// of its own.
#[derive(Component, Debug, Default)]
#[component(on_discard = release, clone_behavior = Ignore)]
pub struct Tracked {
    pub(crate) proxy: Option<ProxyId>,
    pub(crate) home: Home,
}

/// What can only be changed by inserting the proxy again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) fixed: bool,
    pub(crate) category: Option<CategoryId>,
}

impl Tracked {
    /// The proxy. `None` before the plugin first sees the entity, while it has no position, and after it was
    /// [`Refused`](crate::Refused).
    pub fn proxy(&self) -> Option<ProxyId> {
        self.proxy
    }
}

/// Removes the proxy of an entity.
pub(crate) fn release(mut world: DeferredWorld<'_>, context: HookContext) {
    let tracked = world.get_mut::<Tracked>(context.entity);
    let proxy = tracked.and_then(|mut tracked| tracked.proxy.take());
    if let (Some(proxy), Some(mut space)) = (proxy, world.get_resource_mut::<Space>()) {
        space.forget(proxy);
    }
}
