//! Proxies go.

use throng::{ProxyId, Removed};

use crate::insert::Refused;
use crate::pointers::{many, tell_if_wanted};
use crate::shapes::{THRONG_NO_PROXY, number_of};
use crate::status::throng_status;
use crate::world::{change, throng_world};

/// What a removal did to the rows: the last row of the category moves into the gap.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_removed {
    /// The engine's own name for the removed proxy.
    pub key: u64,
    /// The proxy that was in the last row and is in `row` now; `THRONG_NO_PROXY` if the removed one was last.
    pub swapped_in: u64,
    /// The row it was in.
    pub row: u32,
    /// The category it was in.
    pub category: u16,
}

impl From<Removed> for throng_removed {
    fn from(removed: Removed) -> Self {
        Self {
            key: removed.key,
            swapped_in: removed.swapped_in.map_or(THRONG_NO_PROXY, ProxyId::to_bits),
            row: removed.row,
            category: number_of(removed.category),
        }
    }
}

/// Removes a proxy. Its id is never given to another. `removed` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_remove(
    world: *mut throng_world,
    id: u64,
    removed: *mut throng_removed,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let gone = world.broadphase.remove(ProxyId::from_bits(id))?;
            tell_if_wanted(removed, gone);
            Ok(())
        })
    }
}

/// Removes many proxies, in order. One that is refused does not stop the others: `THRONG_STATUS_SOME_REFUSED`. To follow the
/// rows, remove them one by one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_remove_batch(
    world: *mut throng_world,
    ids: *const u64,
    count: usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            Refused::of_each(many(ids, count, "ids")?, |_, id| {
                world.broadphase.remove(id)?;
                Ok(())
            })
        })
    }
}

/// Removes all proxies of a category, the last row first, and keeps the memory. `removed`, how many there were, may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_clear_category(
    world: *mut throng_world,
    category: u16,
    removed: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let category = world.known(category)?;
            tell_if_wanted(removed, world.broadphase.clear_category(category)?);
            Ok(())
        })
    }
}

/// Removes all proxies, and keeps the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_clear(world: *mut throng_world) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            world.broadphase.clear();
            Ok(())
        })
    }
}
