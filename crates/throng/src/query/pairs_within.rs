//! All pairs of two categories within a distance, found on one thread or on many.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use throng_core::{Executor, FrameArenas};

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::frame::outputs::Outputs;
use crate::query::within::{NearPair, Within};
use crate::query::within_search::{WithinSearch, scratch_bytes};
use crate::world::executor::workers;

/// The results of [`Broadphase::find_pairs_within_on`], and the memory for it: keep it, and the next search allocates
/// nothing.
///
/// Pairs are kept in chunks, which depend only on the data: the chunks and their contents are the same on any number
/// of threads.
#[derive(Default)]
pub struct NearPairs {
    chunks: Outputs<Vec<NearPair>>,
    arenas: FrameArenas,
    /// The size that any arena has had to grow to so far.
    arena_bytes: AtomicUsize,
}

impl NearPairs {
    /// No pairs yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The pairs of each chunk, in chunk order; some may have none.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = &[NearPair]> {
        self.chunks.as_slice().iter().map(Vec::as_slice)
    }

    /// All pairs, in the order in which [`Broadphase::query_pairs_within`] visits them.
    pub fn iter(&self) -> impl Iterator<Item = &NearPair> {
        self.chunks().flatten()
    }

    /// How many pairs there are. O(chunks).
    pub fn len(&self) -> usize {
        self.chunks().map(<[NearPair]>::len).sum()
    }

    /// Whether there are no pairs. O(chunks).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for NearPairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Broadphase {
    /// Visits every pair of two categories that are no farther apart than a distance, each once, on the calling
    /// thread. The distance may be larger than any bound, and than the world.
    ///
    /// Pairs are those of the index of the last step or refresh, as for every query (see
    /// [`Queries`](crate::Queries)). A proxy that has moved since counts where it was; one that was removed or
    /// disabled since is in no pair; one that was inserted or enabled since is not in one yet. Proxies count for the
    /// categories they were in then; the rows reported, and masks, are the current ones.
    ///
    /// Any two categories may be given, even those that never meet in a step: scenery with scenery, and those that
    /// the config keeps apart. The order is that of leaves, which is the same on any machine. Any number of such
    /// searches may run at once.
    ///
    /// O(rows + candidates), with a copy, for each leaf, of everything within the distance of that leaf. So a
    /// distance larger than the world needs scratch memory for every row of one category, and finds as many pairs as
    /// there are. Allocates nothing once the world has enough scratch memory.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, Within};
    ///
    /// let mut world = Broadphase::new(
    ///     BroadphaseConfig::new()
    ///         .category(CategoryConfig::uniform("orcs", 0.5))
    ///         .category(CategoryConfig::uniform("elves", 0.5)),
    /// )?;
    /// let [orcs, elves] = ["orcs", "elves"].map(|name| world.category(name).expect("as configured"));
    /// let unit = |x| Proxy::centered([x, 0.0], [0.5, 0.5]);
    /// let orc = world.insert(unit(0.0)?.in_category(orcs))?;
    /// let elf = world.insert(unit(1.8)?.in_category(elves))?;
    /// world.insert(unit(4.0)?.in_category(elves))?;
    /// world.refresh();
    ///
    /// // Those within two metres of each other fight.
    /// let melee = Within::centers([orcs, elves], 2.0);
    /// let mut fights = Vec::new();
    /// let _ = world.query_pairs_within(&melee, |pair| -> ControlFlow<()> {
    ///     fights.push(pair.rows.map(|row| world.proxy_at(row)));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(fights, [[Some(orc), Some(elf)]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a distance that is NaN, negative or infinite, or a category that this world does not have.
    pub fn query_pairs_within<B>(
        &self,
        within: &Within,
        mut visit: impl FnMut(NearPair) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        let search = WithinSearch::new(self, within)?;
        Ok((0..search.chunks()).try_for_each(|chunk| {
            self.arenas
                .with(|arena| search.search(chunk, arena, &mut visit))
        }))
    }

    /// Puts every such pair into `pairs`, replacing its contents: see
    /// [`query_pairs_within`](Self::query_pairs_within). To use many threads, see
    /// [`find_pairs_within_on`](Self::find_pairs_within_on).
    ///
    /// # Errors
    ///
    /// As [`query_pairs_within`](Self::query_pairs_within); `pairs` is unchanged then.
    pub fn find_pairs_within(
        &self,
        within: &Within,
        pairs: &mut Vec<NearPair>,
    ) -> Result<(), QueryError> {
        let search = WithinSearch::new(self, within)?;
        pairs.clear();
        for chunk in 0..search.chunks() {
            self.arenas
                .with(|arena| search.collect(chunk, arena, pairs));
        }
        Ok(())
    }

    /// [`query_pairs_within`](Self::query_pairs_within) on a given executor, such as [`Rayon`](crate::Rayon) or an
    /// engine's own job system: the same pairs in the same order. Replaces the contents of `found`.
    ///
    /// Allocates nothing in a steady state.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, NearPairs, Proxy, Serial, Within};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("birds", 0.5)))?;
    /// let birds = world.category("birds").expect("as configured");
    /// world.insert_batch((0..5000).map(|i| Proxy::centered([i as f32 * 2.0, 0.0], [0.5, 0.5]).unwrap()));
    /// world.refresh();
    ///
    /// let mut neighbours = NearPairs::new();
    /// world.find_pairs_within_on(&Serial, &Within::centers([birds, birds], 3.0), &mut neighbours)?;
    /// assert_eq!(neighbours.len(), 4999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`query_pairs_within`](Self::query_pairs_within); `found` is unchanged then.
    pub fn find_pairs_within_on(
        &self,
        executor: &dyn Executor,
        within: &Within,
        found: &mut NearPairs,
    ) -> Result<(), QueryError> {
        let search = WithinSearch::new(self, within)?;
        let chunks = search.chunks();
        let arena_bytes = scratch_bytes().max(*found.arena_bytes.get_mut());
        if chunks > 0 {
            found.arenas.prepare(workers(executor, chunks), arena_bytes);
        }
        found.chunks.fill(executor, chunks, |chunk, pairs| {
            found.arenas.with(|arena| {
                let held = arena.memory_bytes();
                search.collect(chunk, arena, pairs);
                if arena.memory_bytes() > held {
                    let grown_to = arena.memory_bytes();
                    found.arena_bytes.fetch_max(grown_to, Ordering::Relaxed);
                }
            });
        });
        Ok(())
    }
}
