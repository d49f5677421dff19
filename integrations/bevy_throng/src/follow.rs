//! Keeps proxies in step with components.

use bevy_ecs::change_detection::{DetectChanges, Ref};
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::RemovedComponents;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::query::{Added, Allow, Changed, Has, Or, Without};
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Query, Res, ResMut};
use throng::{Aabb, Broadphase, Proxy, ProxyId};

use crate::bounds::Bounds;
use crate::refused::{Reason, Refused};
use crate::space::Space;
use crate::tracked::Tracked;

/// Reads where an entity is from the game's own component.
#[derive(Resource)]
pub(crate) struct Reading<P: Component>(pub(crate) fn(&P) -> [f32; 2]);

/// Removes entities that have lost their position component. Those that lost their bounds or were despawned are
/// already gone.
pub(crate) fn follow_losses<P: Component>(
    mut lost: RemovedComponents<'_, '_, P>,
    mut placeless: Query<'_, '_, &mut Tracked, (Without<P>, Allow<Disabled>)>,
    mut space: ResMut<'_, Space>,
) {
    for entity in lost.read() {
        if let Ok(mut tracked) = placeless.get_mut(entity)
            && let Some(proxy) = tracked.proxy.take()
        {
            space.forget(proxy);
        }
    }
}

/// Puts entities back that are no longer disabled.
pub(crate) fn follow_enabled(
    mut enabled: RemovedComponents<'_, '_, Disabled>,
    tracked: Query<'_, '_, &Tracked>,
    mut space: ResMut<'_, Space>,
    mut refused: MessageWriter<'_, Refused>,
) {
    for entity in enabled.read() {
        if let Ok(Some(proxy)) = tracked.get(entity).map(Tracked::proxy)
            && let Err(error) = space.broadphase.set_enabled(proxy, true)
        {
            let reason = error.into();
            refused.write(Refused { entity, reason });
        }
    }
}

/// What is read of an entity.
type Followed<'a, P> = (
    Entity,
    Ref<'a, P>,
    Ref<'a, Bounds>,
    Has<Disabled>,
    &'a mut Tracked,
);

/// Entities that need a look this frame.
type HasChanged<P> = Or<(Changed<P>, Changed<Bounds>, Added<Disabled>)>;

/// Updates entities that are new, or have moved, changed or been disabled.
pub(crate) fn follow_changes<P: Component>(
    reading: Res<'_, Reading<P>>,
    mut changed: Query<'_, '_, Followed<'static, P>, HasChanged<P>>,
    mut space: ResMut<'_, Space>,
    mut refused: MessageWriter<'_, Refused>,
) {
    let broadphase = &mut space.broadphase;
    for (entity, place, bounds, disabled, mut tracked) in &mut changed {
        let seen = Seen {
            entity,
            center: reading.0(&place),
            bounds: *bounds,
            resized: bounds.is_changed(),
            disabled,
        };
        let outcome = match tracked.proxy {
            Some(_) if tracked.home == bounds.home() => seen.update(&tracked, broadphase),
            _ => seen.insert(&mut tracked, broadphase),
        };
        if let Err(reason) = outcome {
            refused.write(Refused { entity, reason });
        }
    }
}

/// An entity, as its components describe it.
struct Seen {
    entity: Entity,
    center: [f32; 2],
    bounds: Bounds,
    resized: bool,
    disabled: bool,
}

impl Seen {
    /// Inserts a new proxy; if the entity had one, that is removed.
    fn insert(&self, tracked: &mut Tracked, broadphase: &mut Broadphase) -> Result<(), Reason> {
        let Bounds {
            half_extents,
            masks,
            owner,
            fixed,
            category,
        } = self.bounds;
        let mut proxy = if fixed {
            Proxy::fixed(Aabb::from_center(self.center, half_extents)?)
        } else {
            Proxy::centered(self.center, half_extents)?
        };
        proxy = proxy.key(self.entity.to_bits()).masks(masks).owner(owner);
        if let Some(category) = category {
            proxy = proxy.in_category(category);
        }
        if self.disabled {
            proxy = proxy.disabled();
        }
        let inserted = broadphase.insert(proxy)?;
        tracked.home = self.bounds.home();
        if let Some(before) = tracked.proxy.replace(inserted) {
            broadphase.remove(before)?;
        }
        Ok(())
    }

    fn update(&self, tracked: &Tracked, broadphase: &mut Broadphase) -> Result<(), Reason> {
        let Some(proxy) = tracked.proxy else {
            return Ok(());
        };
        if self.disabled {
            broadphase.set_enabled(proxy, false)?;
        }
        if self.resized {
            broadphase.set_masks(proxy, self.bounds.masks)?;
            broadphase.set_owner(proxy, self.bounds.owner)?;
        }
        if self.resized || self.bounds.fixed {
            self.update_box(proxy, broadphase)?;
        }
        if !self.bounds.fixed {
            // The center of a rounded box may differ from the given one, so set that exactly.
            broadphase.set_center(proxy, self.center)?;
        }
        Ok(())
    }

    /// Components are often written without a change in value. For that, scenery must not be packed again, and nobody wake.
    fn update_box(&self, proxy: ProxyId, broadphase: &mut Broadphase) -> Result<(), Reason> {
        let aabb = Aabb::from_center(self.center, self.bounds.half_extents)?;
        if broadphase.get(proxy).map(|view| view.aabb) != Some(aabb) {
            broadphase.set_aabb(proxy, aabb)?;
        }
        Ok(())
    }
}
