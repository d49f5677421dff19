//! Scratch memory of a search that keeps its answers apart from the world.

use std::sync::atomic::{AtomicUsize, Ordering};

use throng_core::{Arena, Executor, FrameArenas};

use crate::world::workers::workers;

/// An arena for each worker, as large as any has had to be so far.
#[derive(Default)]
pub(crate) struct SearchArenas {
    arenas: FrameArenas,
    largest: AtomicUsize,
}

impl SearchArenas {
    /// Makes room for the workers on these chunks: as many bytes each as a chunk takes, or as one has taken before.
    pub(crate) fn prepare(&mut self, executor: &dyn Executor, chunks: usize, bytes: usize) {
        if chunks > 0 {
            let bytes = bytes.max(*self.largest.get_mut());
            self.arenas.prepare(workers(executor, chunks), bytes);
        }
    }

    /// Lets a chunk's search use an arena that no other is using, and notes how large it has become.
    pub(crate) fn with<R>(&self, search: impl FnOnce(&mut Arena) -> R) -> R {
        self.arenas.with(|arena| {
            let held = arena.memory_bytes();
            let found = search(arena);
            if arena.memory_bytes() > held {
                self.largest
                    .fetch_max(arena.memory_bytes(), Ordering::Relaxed);
            }
            found
        })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.arenas.memory_bytes()
    }
}
