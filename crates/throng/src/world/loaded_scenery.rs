//! Scenery that came as a tree, and can be unloaded again.

use std::sync::{Arc, OnceLock};

use throng_core::{Handle, Handles, Pool};

use crate::world::ids::{ProxyId, ProxyPool};

/// The proxies that came with one tree, in the order of its rows. Some may have been removed since, or be elsewhere.
#[derive(Clone)]
pub(crate) struct LoadedScenery {
    /// They never change, and so copies share them.
    ids: Arc<Handles>,
    /// Made when somebody asks for it.
    list: OnceLock<Arc<[ProxyId]>>,
}

impl LoadedScenery {
    pub(crate) fn new(handles: Handles) -> Self {
        Self {
            ids: Arc::new(handles),
            list: OnceLock::new(),
        }
    }

    /// All of them.
    pub(crate) fn list(&self) -> &[ProxyId] {
        self.list.get_or_init(|| self.iter().collect())
    }

    /// All of them, without a list.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = ProxyId> + use<'_> {
        self.ids.iter().map(ProxyId)
    }

    /// Whether any of them is left.
    fn is_there(&self, pool: &ProxyPool) -> bool {
        self.iter().any(|id| pool.contains(id.0))
    }

    fn memory_bytes(&self) -> usize {
        let list = self.list.get().map_or(0, |list| list.len());
        self.ids.memory_bytes() + list * size_of::<ProxyId>()
    }
}

/// All those of a world.
pub(crate) type LoadedSceneries = Pool<LoadedScenery>;

/// Those of which some proxy is left.
pub(crate) fn with_proxies(loaded: &LoadedSceneries, pool: &ProxyPool) -> Vec<Handle> {
    let those = loaded.iter().filter(|(_, scenery)| scenery.is_there(pool));
    those.map(|(handle, _)| handle).collect()
}

/// Forgets those of a list of which no proxy is left.
pub(crate) fn forget_gone(loaded: &mut LoadedSceneries, listed: Vec<Handle>, pool: &ProxyPool) {
    for handle in listed {
        if loaded
            .get(handle)
            .is_some_and(|scenery| !scenery.is_there(pool))
        {
            loaded.remove(handle);
        }
    }
}

/// The bytes that they take.
pub(crate) fn memory_bytes(loaded: &LoadedSceneries) -> usize {
    let lists = loaded.iter().map(|(_, scenery)| scenery.memory_bytes());
    loaded.memory_bytes() + lists.sum::<usize>()
}
