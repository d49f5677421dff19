//! Scenery that came as a tree, and can be unloaded again.

use throng_core::Pool;

use crate::world::ids::{ProxyId, ProxyPool};

/// The proxies that came with one tree, in the order of its rows. Some may have been removed since, or be elsewhere.
pub(crate) struct LoadedScenery {
    pub(crate) ids: Vec<ProxyId>,
}

/// All those of a world.
pub(crate) type LoadedSceneries = Pool<LoadedScenery>;

/// Forgets those of which no proxy is left.
pub(crate) fn forget_empty(loaded: &mut LoadedSceneries, pool: &ProxyPool) {
    let is_empty = |scenery: &LoadedScenery| !scenery.ids.iter().any(|id| pool.contains(id.0));
    let empty = loaded.iter().filter(|(_, scenery)| is_empty(scenery));
    let empty: Vec<_> = empty.map(|(handle, _)| handle).collect();
    for handle in empty {
        loaded.remove(handle);
    }
}

/// The bytes that they take.
pub(crate) fn memory_bytes(loaded: &LoadedSceneries) -> usize {
    let lists = loaded
        .iter()
        .map(|(_, scenery)| scenery.ids.capacity() * size_of::<ProxyId>());
    loaded.memory_bytes() + lists.sum::<usize>()
}
