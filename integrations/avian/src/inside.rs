//! One collider in throng.

use avian2d::collider_tree::{ColliderTreeProxy, ColliderTreeProxyKey};
use avian2d::prelude::CollisionLayers;
use thiserror::Error;
use throng::{Aabb, Broadphase, InsertError, Masks, Proxy, ProxyError, ProxyId};

use crate::categories::Home;
use crate::per_proxy::to_bits;

/// How much larger than a collider's box its box in throng is made. To write only a center takes a fraction of the time that
/// another size takes, and what turns is of another size each time.
const ROOM: f32 = 1.0 / 16.0;
/// And how much larger it may be, when the collider's box has become smaller.
const MOST_ROOM: f32 = 1.0 / 4.0;

/// The proxy that stands for a collider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inside {
    id: ProxyId,
    /// As throng has them.
    half_extents: [f32; 2],
    layers: CollisionLayers,
    home: Home,
}

/// Why a collider is not in throng as it is in avian.
#[derive(Debug, Error)]
pub(crate) enum Refused {
    #[error(transparent)]
    Insert(#[from] InsertError),
    #[error(transparent)]
    Change(#[from] ProxyError),
}

impl Inside {
    pub(crate) fn insert(
        world: &mut Broadphase,
        key: ColliderTreeProxyKey,
        proxy: &ColliderTreeProxy,
        aabb: Aabb,
    ) -> Result<Self, Refused> {
        let home = Home::of_new(key.tree_type(), proxy);
        let described = match home {
            Home::Scenery => Proxy::fixed(aabb),
            _ => Proxy::moving(with_room(aabb)),
        };
        let described = described.key(to_bits(key)).masks(masks_of(proxy.layers));
        let id = world.insert(match home.category(world) {
            Some(category) => described.in_category(category),
            None => described,
        })?;
        Ok(Self {
            id,
            half_extents: half_extents_of(id, world),
            layers: proxy.layers,
            home,
        })
    }

    pub(crate) fn update(
        &mut self,
        world: &mut Broadphase,
        proxy: &ColliderTreeProxy,
        aabb: Aabb,
        has_moved: bool,
    ) -> Result<(), Refused> {
        if self.layers != proxy.layers {
            world.set_masks(self.id, masks_of(proxy.layers))?;
            self.layers = proxy.layers;
        }
        if self.home == Home::Standalone && proxy.body.is_some() {
            self.make_loose(world)?;
        }
        if !has_moved {
            return Ok(());
        }
        if self.home == Home::Scenery {
            self.make_loose(world)?;
        }
        let center = aabb.center();
        if fits(&aabb, center, self.half_extents) {
            world.set_center(self.id, center)?;
        } else {
            world.set_aabb(self.id, with_room(aabb))?;
            self.half_extents = half_extents_of(self.id, world);
        }
        Ok(())
    }

    fn make_loose(&mut self, world: &mut Broadphase) -> Result<(), ProxyError> {
        world.set_category(self.id, Home::Loose.category(world))?;
        self.home = Home::Loose;
        Ok(())
    }

    pub(crate) fn remove(self, world: &mut Broadphase) -> Result<(), ProxyError> {
        world.remove(self.id).map(drop)
    }
}

/// Whether the box that throng has of such a proxy, each side rounded, contains this one and is not much larger. A box without
/// an end never does: its center does not say which of its sides that is.
fn fits(aabb: &Aabb, center: [f32; 2], half_extents: [f32; 2]) -> bool {
    let (min, max) = (aabb.min(), aabb.max());
    [0, 1].into_iter().all(|axis| {
        let (center, half) = (center[axis], half_extents[axis]);
        let enough = (max[axis] - min[axis]) / 2.0 * (1.0 + MOST_ROOM);
        let is_inside = center - half <= min[axis] && max[axis] <= center + half;
        is_inside && half <= enough && half.is_finite()
    })
}

/// The box that throng is given for this one. Infinite sides stay as they are.
pub(crate) fn with_room(aabb: Aabb) -> Aabb {
    let half_extents = aabb.half_extents().map(|half| half * (1.0 + ROOM));
    match Aabb::from_center(aabb.center(), half_extents) {
        Ok(larger) if aabb.is_finite() => larger.union(&aabb),
        _ => aabb,
    }
}

fn half_extents_of(id: ProxyId, world: &Broadphase) -> [f32; 2] {
    world.get(id).map_or([0.0; 2], |view| view.half_extents)
}

fn masks_of(layers: CollisionLayers) -> Masks {
    Masks::new(layers.memberships.0.into(), layers.filters.0.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aabb(min: [f32; 2], max: [f32; 2]) -> Aabb {
        Aabb::new(min, max).unwrap()
    }

    #[test]
    fn what_fits_is_inside_and_not_much_smaller() {
        let unit = aabb([3.0, 0.0], [5.0, 2.0]);
        assert!(fits(&unit, [4.0, 1.0], [1.0, 1.0]));
        assert!(fits(&unit, [4.0, 1.0], [1.25, 1.25]));
        assert!(
            !fits(&unit, [4.0, 1.0], [0.99, 1.0]),
            "it sticks out on the left and right"
        );
        assert!(!fits(&unit, [4.0, 1.0], [1.0, 0.99]), "and above and below");
        assert!(
            !fits(&unit, [4.0, 1.0], [1.26, 1.0]),
            "there is too much room"
        );
        assert!(!fits(&unit, [4.01, 1.0], [1.0, 1.0]), "it is elsewhere");
        assert!(!fits(&unit, [3.99, 1.0], [1.0, 1.0]));
    }

    #[test]
    fn room_is_made_on_each_side() {
        let made = with_room(aabb([3.0, -1.0], [5.0, 1.0]));
        assert!(made.min()[0] < 3.0 && made.max()[0] > 5.0);
        assert!(fits(
            &aabb([3.0, -1.0], [5.0, 1.0]),
            made.center(),
            made.half_extents()
        ));
    }

    #[test]
    fn endless_boxes_stay_endless() {
        let half_plane = aabb([f32::NEG_INFINITY; 2], [f32::INFINITY, 0.0]);
        assert_eq!(with_room(half_plane), half_plane);
        assert!(!fits(&half_plane, half_plane.center(), [f32::INFINITY; 2]));
    }
}
