//! What is known of a proxy.

use throng::{ProxyError, ProxyId, ProxyView};

use crate::pointers::Out;
use crate::refusals::Refusal;
use crate::shapes::{number_of, throng_aabb, throng_masks, throng_point};
use crate::status::throng_status;
use crate::world::{State, read, throng_world};

/// Everything that is known of a proxy.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_proxy_view {
    /// Its id.
    pub id: u64,
    /// The engine's own name for it, or 0.
    pub key: u64,
    /// Whose it is, or 0.
    pub owner: u64,
    /// Which proxies it may pair with.
    pub masks: throng_masks,
    /// Its center.
    pub center: throng_point,
    /// Its own, or the bound of a coarse category. Infinite along an axis with an infinite side.
    pub half_extents: throng_point,
    /// The box by which pairs are found.
    pub aabb: throng_aabb,
    /// Its row, until the next insert, remove or migration.
    pub row: u32,
    /// The category that it is in.
    pub category: u16,
    /// Whether it takes part in pairs and queries.
    pub enabled: bool,
    /// Whether it was put into its category by name, and so never leaves it by itself.
    pub named: bool,
}

impl From<ProxyView> for throng_proxy_view {
    fn from(view: ProxyView) -> Self {
        Self {
            id: view.id.to_bits(),
            key: view.key,
            owner: view.owner,
            masks: view.masks.into(),
            center: view.center.into(),
            half_extents: view.half_extents.into(),
            aabb: view.aabb.into(),
            row: view.row,
            category: number_of(view.category),
            enabled: view.enabled,
            named: view.named,
        }
    }
}

impl State {
    /// Why there is no such proxy.
    pub(crate) fn gone(&self, id: ProxyId) -> Refusal {
        match self.broadphase.is_enabled(id) {
            Err(error) => error.into(),
            Ok(_) => ProxyError::Stale { id }.into(),
        }
    }
}

/// Everything that is known of a proxy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_get(
    world: *const throng_world,
    id: u64,
    view: *mut throng_proxy_view,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let place = Out::new(view, "view")?;
            let id = ProxyId::from_bits(id);
            let view = world.broadphase.get(id);
            place.write(view.ok_or_else(|| world.gone(id))?.into());
            Ok(())
        })
    }
}

/// Whether the id is that of a living proxy of this world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_contains(
    world: *const throng_world,
    id: u64,
    contains: *mut bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let place = Out::new(contains, "contains")?;
            place.write(world.broadphase.contains(ProxyId::from_bits(id)));
            Ok(())
        })
    }
}

/// Whether two proxies are an excluded pair.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_is_pair_excluded(
    world: *const throng_world,
    a: u64,
    b: u64,
    excluded: *mut bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let place = Out::new(excluded, "excluded")?;
            let [a, b] = [a, b].map(ProxyId::from_bits);
            place.write(world.broadphase.is_pair_excluded(a, b)?);
            Ok(())
        })
    }
}
