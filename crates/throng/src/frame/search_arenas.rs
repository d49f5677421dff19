//! Scratch memory of searches.

use std::sync::atomic::{AtomicUsize, Ordering};

use throng_core::{Arena, Executor, FrameArenas};

use crate::frame::need::Need;
use crate::world::workers::workers;

/// An arena for each worker, as large as any has had to be lately.
#[derive(Default)]
pub(crate) struct SearchArenas {
    arenas: FrameArenas,
    /// The most bytes that an arena holds.
    largest: AtomicUsize,
    /// The most bytes that a chunk has used since they were prepared.
    used: AtomicUsize,
    /// How much an arena is expected to need.
    need: Need,
}

impl SearchArenas {
    /// Makes room for the workers on these chunks: as many bytes each as a chunk takes, or as one has taken before. Lets go of what a
    /// crowd has left.
    pub(crate) fn prepare(&mut self, executor: &dyn Executor, chunks: usize, bytes: usize) {
        let used = std::mem::take(self.used.get_mut()).max(bytes);
        let largest = self.largest.get_mut();
        if self.need.holds_too_much(used, *largest) {
            (self.arenas, *largest) = (FrameArenas::new(), used);
        }
        if chunks > 0 {
            *largest = bytes.max(*largest);
            self.arenas.prepare(workers(executor, chunks), *largest);
        }
    }

    /// Lets a chunk's search use an arena that no other is using, and notes how much it takes.
    pub(crate) fn with<R>(&self, search: impl FnOnce(&mut Arena) -> R) -> R {
        self.arenas.with(|arena| {
            let held = arena.memory_bytes();
            let found = search(arena);
            let holds = arena.memory_bytes();
            if holds > held {
                self.largest.fetch_max(holds, Ordering::Relaxed);
            }
            let used = holds.saturating_sub(arena.free_bytes());
            if used > self.used.load(Ordering::Relaxed) {
                self.used.fetch_max(used, Ordering::Relaxed);
            }
            found
        })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.arenas.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::SearchArenas;
    use throng_core::Serial;

    #[test]
    fn what_a_crowd_has_left_is_let_go() {
        const CROWD: usize = 1 << 20;
        let mut arenas = SearchArenas::default();
        let mut search = |bytes: usize| {
            arenas.prepare(&Serial, 9, 1000);
            arenas.with(|arena| arena.alloc_slice_fill(bytes, 0_u8).len());
            arenas.memory_bytes()
        };
        assert!(search(CROWD) >= CROWD);
        let soon = search(2000);
        assert!(soon >= CROWD, "it may come again");
        let later = (0..1000).map(|_| search(2000));
        assert!(later.last() < Some(CROWD / 16));
        let held = search(2000);
        assert_eq!([0; 9].map(|_| search(2000)), [held; 9]);
    }
}
