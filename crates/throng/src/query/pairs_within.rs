//! Who is near whom: all pairs of two categories within a distance, found by one thread or by many.

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

/// What [`Broadphase::find_pairs_within_on`] has found, and the memory it took: keep it, and the next search allocates
/// nothing.
///
/// Pairs are kept in chunks, which are cut by the data alone: the chunks and what is in them are the same however many
/// threads searched.
#[derive(Default)]
pub struct NearPairs {
    chunks: Outputs<Vec<NearPair>>,
    arenas: FrameArenas,
    /// What an arena had to grow to so far.
    arena_bytes: AtomicUsize,
}

impl NearPairs {
    /// Nothing yet.
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

    /// Whether there is no pair. O(chunks).
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
    /// Visits every pair of two categories that are no further apart than a distance, each once, on the calling thread.
    /// The distance may be larger than any bound, and than the world.
    ///
    /// Pairs are those of the index of the last step or refresh, as for every query (see
    /// [`Queries`](crate::Queries)): a proxy that has moved since is where it was; one that was removed or disabled since
    /// is in no pair; one that was inserted or enabled since is not yet. The categories asked for are those that proxies
    /// were in then; the rows reported, and masks, are those of now.
    ///
    /// All pairs of categories may be asked for, also such as never meet in a step: of scenery with scenery, and of those
    /// that the config keeps apart. The order is that of leaves, which is the same on any machine. Any number of such
    /// searches may run at once.
    ///
    /// O(rows + candidates), with a copy of all that lies within the distance of a leaf for each leaf: a distance larger
    /// than the world takes scratch memory for every row of one category, and finds as many pairs as there are. Allocates
    /// nothing once the world has the scratch for it.
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
    /// // Whoever stands within two metres fights.
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

    /// Puts every such pair into `pairs`, in place of what was there: see
    /// [`query_pairs_within`](Self::query_pairs_within). For many threads there is
    /// [`find_pairs_within_on`](Self::find_pairs_within_on).
    ///
    /// # Errors
    ///
    /// As [`query_pairs_within`](Self::query_pairs_within); `pairs` is then as it was.
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

    /// [`query_pairs_within`](Self::query_pairs_within) on an executor of the caller's choice, such as
    /// [`Rayon`](crate::Rayon) or an engine's own job system: the same pairs in the same order, put into `found` in place
    /// of what was there.
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
    /// As [`query_pairs_within`](Self::query_pairs_within); `found` is then as it was.
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
