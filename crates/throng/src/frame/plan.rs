//! Third pass of a frame: the plan, and the search of one chunk.

use std::time::{Duration, Instant};

use crate::broadphase::Broadphase;
use crate::error::StaleIndex;
use crate::frame::chunk_stats::ChunkStats;
use crate::frame::meetings::Meeting;
use crate::frame::narrowphase::{ChunkOutput, Narrowphase, PairBatch};
use crate::world::ids::{CategoryId, Row};

impl Broadphase {
    /// The search for pairs as data: numbered chunks, each of which anyone may run, on any thread.
    ///
    /// For an engine with a job system of its own: [`refresh`](Self::refresh), then one job per
    /// chunk. What [`step`](Self::step) does is the same.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CollectPairs, PairList, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("fish", 1.0)))?;
    /// world.insert_batch((0..5000).map(|i| Proxy::centered([i as f32 * 1.5, 0.0], [1.0, 1.0]).unwrap()));
    /// world.refresh();
    ///
    /// let plan = world.plan()?;
    /// let mut lists = vec![PairList::default(); plan.chunks()];
    /// std::thread::scope(|jobs| {
    ///     for (chunk, list) in lists.iter_mut().enumerate() {
    ///         jobs.spawn(move || plan.collide(chunk, &CollectPairs, &mut (), list));
    ///     }
    /// });
    /// assert_eq!(lists.iter().map(|list| list.pairs().len()).sum::<usize>(), 4999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`StaleIndex`] if proxies were inserted, removed, migrated, enabled, disabled or masked
    /// since the last refresh. Centres may have been written: pairs are those of the index.
    pub fn plan(&self) -> Result<Plan<'_>, StaleIndex> {
        if self.is_index_stale {
            Err(StaleIndex)
        } else {
            Ok(Plan { world: self })
        }
    }
}

/// The chunks of one frame's search, cut by the data alone: the same on any machine, however many
/// threads run them.
///
/// Their order is that of the meetings: each category of the config with itself, then with each
/// later one. Within a meeting it is leaf order.
#[derive(Clone, Copy)]
pub struct Plan<'w> {
    pub(crate) world: &'w Broadphase,
}

impl<'w> Plan<'w> {
    /// How many chunks there are.
    pub fn chunks(&self) -> usize {
        self.world.planned.chunks()
    }

    /// The categories whose meeting a chunk is part of, lower first, or `None` if there is no such
    /// chunk.
    pub fn categories(&self, chunk: usize) -> Option<[CategoryId; 2]> {
        Some(self.meeting(chunk)?.categories)
    }

    /// Searches one chunk and calls the narrowphase with each batch of pairs found in it.
    ///
    /// Clears `output` first. May be called from many threads at once, with a scratch and an output
    /// each. A chunk that does not exist has no pairs.
    pub fn collide<N: Narrowphase>(
        &self,
        chunk: usize,
        narrowphase: &N,
        scratch: &mut N::Scratch,
        output: &mut N::Output,
    ) -> ChunkStats {
        output.clear();
        let Some(meeting) = self.meeting(chunk) else {
            return ChunkStats::default();
        };
        let started = Instant::now();
        let mut inside = Duration::ZERO;
        let sides = meeting
            .categories
            .map(|category| &self.world.categories[category.index()]);
        let found = self.search(chunk - meeting.first_chunk, meeting, &mut |pairs| {
            let entered = Instant::now();
            let batch = PairBatch {
                categories: meeting.categories,
                pairs,
                sides,
                pool: &self.world.pool,
            };
            narrowphase.collide(batch, scratch, output);
            inside += entered.elapsed();
        });
        ChunkStats {
            pairs: found.pairs,
            candidates: found.candidates,
            narrowphase: inside,
            search: started.elapsed().saturating_sub(inside),
        }
    }

    fn meeting(&self, chunk: usize) -> Option<&'w Meeting> {
        let planned = &self.world.planned;
        Some(&planned.meetings()[planned.meeting_of(chunk)?])
    }

    /// Searches one chunk of one meeting, with an arena that no other worker is using.
    fn search(
        &self,
        chunk: usize,
        meeting: &Meeting,
        visit: &mut dyn FnMut(&[[Row; 2]]),
    ) -> throng_core::ChunkStats {
        let [a, b] = meeting
            .categories
            .map(|category| &self.world.categories[category.index()]);
        let masks = [a, b].map(|side| side.columns.masks.values());
        self.world.arenas.with(|arena| {
            if meeting.categories[0] == meeting.categories[1] {
                a.structure.pairs_in_chunk(chunk, masks[0], arena, visit)
            } else {
                a.structure
                    .meet_in_chunk(&b.structure, chunk, masks, arena, visit)
            }
        })
    }
}
