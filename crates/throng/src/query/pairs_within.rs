//! All pairs within a distance, found on one thread or on many.

use std::fmt;
use std::ops::ControlFlow;

use throng_core::Executor;

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::frame::narrowphase::ChunkOutput;
use crate::frame::outputs::{Outputs, Stored};
use crate::frame::search_arenas::SearchArenas;
use crate::query::within::{Proximity, ProximityBatch, ProximityPair};
use crate::query::within_search::WithinSearch;
use crate::world::ids::{CategoryId, Row};
use crate::world::rows::RowRef;

/// The results of [`Broadphase::find_pairs_within`], and the memory for it: keep it, and the next search allocates
/// nothing. 8 bytes a pair, or 12 with distances.
///
/// Pairs are kept in chunks, which depend only on the data: the chunks and their contents are the same on any number
/// of threads.
#[derive(Default)]
pub struct ProximityPairs {
    with_distances: bool,
    chunks: Outputs<NearChunk>,
    /// The first chunk of each meeting.
    first_chunks: Vec<usize>,
    arenas: SearchArenas,
}

impl ProximityPairs {
    /// No pairs yet. Distances are not kept.
    pub fn new() -> Self {
        Self::default()
    }

    /// No pairs yet. The square of the distance of each is kept as well.
    pub fn with_distances() -> Self {
        Self {
            with_distances: true,
            ..Self::default()
        }
    }

    /// All pairs, in the order in which [`Broadphase::query_pairs_within`] visits them. Each batch has many pairs of the
    /// same two categories, unless proxies have changed category since the last step.
    pub fn batches(&self) -> impl Iterator<Item = ProximityBatch<'_>> {
        self.chunks().iter().flat_map(NearChunk::batches)
    }

    /// The pairs of each chunk.
    pub(crate) fn chunks(&self) -> &[NearChunk] {
        self.chunks.as_slice()
    }

    /// The same, pair by pair.
    pub fn iter(&self) -> impl Iterator<Item = [RowRef; 2]> {
        self.batches().flat_map(|batch| {
            let [a, b] = batch.categories;
            let row = |category, row| RowRef { category, row };
            batch
                .pairs
                .iter()
                .map(move |pair| [row(a, pair[0]), row(b, pair[1])])
        })
    }

    /// How many pairs there are. O(chunks).
    pub fn len(&self) -> usize {
        let chunks = self.chunks.as_slice().iter();
        chunks.map(|chunk| chunk.pairs.len()).sum()
    }

    /// Whether there are no pairs. O(chunks).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory it holds. O(chunks).
    pub fn memory_bytes(&self) -> usize {
        self.chunks.held_bytes() + self.first_chunks.held_bytes() + self.arenas.memory_bytes()
    }
}

impl fmt::Debug for ProximityPairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The pairs of one chunk.
#[derive(Default)]
pub(crate) struct NearChunk {
    pairs: Vec<[Row; 2]>,
    /// As many, or none.
    distances_squared: Vec<f32>,
    /// Whose rows they are, and where each run of the same two categories ends.
    runs: Vec<([CategoryId; 2], usize)>,
}

impl NearChunk {
    fn push(&mut self, batch: &ProximityBatch<'_>, with_distances: bool) {
        self.pairs.extend_from_slice(batch.pairs);
        if with_distances {
            self.distances_squared
                .extend_from_slice(batch.distances_squared);
        }
        let end = self.pairs.len();
        match self.runs.last_mut() {
            Some(last) if last.0 == batch.categories => last.1 = end,
            _ => self.runs.push((batch.categories, end)),
        }
    }

    pub(crate) fn batches(&self) -> impl Iterator<Item = ProximityBatch<'_>> {
        let begins = std::iter::once(0).chain(self.runs.iter().map(|run| run.1));
        begins.zip(&self.runs).map(|(begin, &(categories, end))| {
            let distances = if self.distances_squared.is_empty() {
                0..0
            } else {
                begin..end
            };
            ProximityBatch {
                categories,
                pairs: &self.pairs[begin..end],
                distances_squared: &self.distances_squared[distances],
            }
        })
    }
}

impl ChunkOutput for NearChunk {
    fn clear(&mut self) {
        self.pairs.clear();
        self.distances_squared.clear();
        self.runs.clear();
    }

    fn used_bytes(&self) -> usize {
        self.pairs.used_bytes() + self.distances_squared.used_bytes() + self.runs.used_bytes()
    }

    fn held_bytes(&self) -> usize {
        self.pairs.held_bytes() + self.distances_squared.held_bytes() + self.runs.held_bytes()
    }

    fn shrink_to_fit(&mut self) {
        self.pairs.shrink_to_fit();
        self.distances_squared.shrink_to_fit();
        self.runs.shrink_to_fit();
    }
}

impl Broadphase {
    /// Visits every pair that is no farther apart than a distance, each once, on the calling thread. The distance may be
    /// larger than any bound, and than the world.
    ///
    /// Pairs are those of the index of the last step or refresh, as for every query (see
    /// [`Queries`](crate::Queries)). A proxy that has moved since counts where it was; one that was removed or
    /// disabled since is in no pair; one that was inserted or enabled since is not in one yet. Proxies count for the
    /// categories they were in then; the rows reported, and masks, are the current ones.
    ///
    /// Any two categories may be given, even those that never meet in a step: scenery with scenery, and those that
    /// the config keeps apart. The order is that of meetings, and in each that of leaves, which is the same on any machine.
    /// Any number of such searches may run at once.
    ///
    /// O(rows + candidates). Uniform categories are searched as a step searches them, for about what a step would cost if
    /// its bound were half the distance. Where boxes of any size take part, everything within the distance of a leaf is
    /// copied first: a distance larger than the world then needs scratch memory for every row of one category. Allocates
    /// nothing once the world has enough scratch memory. Between a change of rows and the next step, each pair is looked up once
    /// more, to leave out who is gone. Where some rows rest, the first search after a step takes longer: see
    /// [`find_neighbors`](Self::find_neighbors).
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, Proximity};
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
    /// let melee = Proximity::centers([orcs, elves], 2.0);
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
    /// [`QueryError`] for a distance that is NaN, negative or infinite, a category that this world does not have, or no
    /// [whole index](crate::StaleIndex).
    pub fn query_pairs_within<B>(
        &self,
        within: &Proximity,
        mut visit: impl FnMut(ProximityPair) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        let search = WithinSearch::new(self, within)?;
        let meetings = search.chunks_of_meetings().enumerate();
        let mut chunks =
            meetings.flat_map(|(meeting, chunks)| (0..chunks).map(move |chunk| (meeting, chunk)));
        Ok(chunks.try_for_each(|(meeting, chunk)| {
            let mut outcome = ControlFlow::Continue(());
            let mut visit_batch = |batch: ProximityBatch<'_>| {
                if outcome.is_continue() {
                    outcome = batch.near_pairs().try_for_each(&mut visit);
                }
            };
            self.arenas
                .with(|arena| search.search(meeting, chunk, arena, &mut visit_batch));
            outcome
        }))
    }

    /// Puts every such pair into `found`, replacing its contents, with as many threads as a step would use: see
    /// [`query_pairs_within`](Self::query_pairs_within).
    ///
    /// Allocates nothing in a steady state, unless boxes of an oversized category rest that have an index of their own.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, ProximityPairs, Proxy, Proximity};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("birds", 0.5)))?;
    /// let birds = world.category("birds").expect("as configured");
    /// world.insert_batch((0..5000).map(|i| Proxy::centered([i as f32 * 2.0, 0.0], [0.5, 0.5]).unwrap()));
    /// world.refresh();
    ///
    /// let mut near = ProximityPairs::new();
    /// world.find_pairs_within(&Proximity::centers([birds, birds], 3.0), &mut near)?;
    /// assert_eq!(near.len(), 4999);
    /// for batch in near.batches() {
    ///     for &[a, b] in batch.pairs {
    ///         assert_eq!(b, a + 1);
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`query_pairs_within`](Self::query_pairs_within); `found` is unchanged then.
    pub fn find_pairs_within(
        &self,
        within: &Proximity,
        found: &mut ProximityPairs,
    ) -> Result<(), QueryError> {
        self.find_pairs_within_on(&*self.step_executor(), within, found)
    }

    /// [`find_pairs_within`](Self::find_pairs_within) on a given executor, such as [`Rayon`](crate::Rayon) or an engine's
    /// own job system: the same pairs in the same order.
    ///
    /// # Errors
    ///
    /// As [`query_pairs_within`](Self::query_pairs_within); `found` is unchanged then.
    pub fn find_pairs_within_on(
        &self,
        executor: &dyn Executor,
        within: &Proximity,
        found: &mut ProximityPairs,
    ) -> Result<(), QueryError> {
        let search = WithinSearch::new(self, within)?;
        let ProximityPairs {
            with_distances,
            chunks: outputs,
            first_chunks,
            arenas,
        } = found;
        let mut chunks = 0;
        first_chunks.clear();
        first_chunks.extend(search.chunks_of_meetings().map(|more| {
            chunks += more;
            chunks - more
        }));
        arenas.prepare(executor, chunks, search.scratch_bytes());
        outputs.fill(executor, chunks, |chunk, pairs| {
            // Of those that begin with the same chunk, the last is the only one that has it.
            let meeting = first_chunks.partition_point(|&first| first <= chunk) - 1;
            let part = chunk - first_chunks[meeting];
            arenas.with(|arena| {
                search.search(meeting, part, arena, &mut |batch| {
                    pairs.push(&batch, *with_distances);
                });
            });
        });
        Ok(())
    }
}

impl ProximityBatch<'_> {
    /// The pairs one by one, with their distances.
    fn near_pairs(&self) -> impl Iterator<Item = ProximityPair> {
        let [a, b] = self.categories;
        let row = |category, row| RowRef { category, row };
        let pairs = self.pairs.iter().zip(self.distances_squared);
        pairs.map(move |(&[i, j], &distance_squared)| ProximityPair {
            rows: [row(a, i), row(b, j)],
            distance_squared,
        })
    }
}
