//! Scenery that came as a tree, and can be unloaded again.

use std::sync::{Arc, OnceLock};

use throng_core::{Handle, HandleRun, Handles, Pool};

use crate::world::ids::{ProxyId, ProxyPool};

/// The proxies that came with one tree, in the order of its rows. Some may have been removed since, or be elsewhere.
#[derive(Clone)]
pub(crate) struct LoadedScenery {
    /// Where they follow each other, nothing is stored for each of them until somebody asks for a list.
    run: Option<HandleRun>,
    /// Is there from the start if they do not follow each other. It never changes, and so copies share it.
    list: OnceLock<Arc<[ProxyId]>>,
}

impl LoadedScenery {
    pub(crate) fn new(handles: Handles) -> Self {
        let (run, list) = match handles {
            Handles::Run(run) => (Some(run), OnceLock::new()),
            Handles::List(list) => (None, OnceLock::from(ids_of(list.into_iter()))),
        };
        Self { run, list }
    }

    /// All of them.
    pub(crate) fn list(&self) -> &[ProxyId] {
        let of_run = || ids_of(self.run.iter().flat_map(HandleRun::iter));
        self.list.get_or_init(of_run)
    }

    /// All of them, without a list if there is none.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = ProxyId> + use<'_> {
        // One of the two is empty.
        let listed = match self.run {
            Some(_) => &[],
            None => self.list(),
        };
        let run = self.run.into_iter().flat_map(|run| run.iter());
        run.map(ProxyId).chain(listed.iter().copied())
    }

    /// Whether any of them is left.
    fn is_there(&self, pool: &ProxyPool) -> bool {
        self.iter().any(|id| pool.contains(id.0))
    }

    fn memory_bytes(&self) -> usize {
        let list = self.list.get().map_or(0, |list| list.len());
        list * size_of::<ProxyId>()
    }
}

fn ids_of(handles: impl Iterator<Item = Handle>) -> Arc<[ProxyId]> {
    handles.map(ProxyId).collect()
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
