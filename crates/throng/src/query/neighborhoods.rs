//! Visits each row with its neighbors, on the worker that has found them, for code that needs no list.

use std::fmt;

use throng_core::Executor;
use throng_grid::NeighborMarks;

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::frame::narrowphase::ChunkOutput;
use crate::frame::outputs::{Outputs, Stored};
use crate::frame::search_arenas::SearchArenas;
use crate::query::neighbor_search::GridSearch;
use crate::query::within::Proximity;
use crate::world::config::CategoryKind;
use crate::world::ids::{CategoryId, Row};

/// What is near one row, in an order that depends only on the index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighborhood<'a> {
    /// The rows that are near; never the row itself.
    pub rows: &'a [Row],
    /// How far the center of each is to the right of the row's own.
    pub dx: &'a [f32],
    /// How far the center of each is above the row's own.
    pub dy: &'a [f32],
}

/// What a visitor of neighborhoods wrote, and the memory for it: keep it, and the next visit allocates nothing.
pub struct NeighborOutputs<O> {
    /// Each output, with what the search marks, and a buffer for the neighbors that pass the test of masks.
    chunks: Outputs<(O, NeighborMarks, Passed)>,
    arenas: SearchArenas,
}

impl<O: ChunkOutput> NeighborOutputs<O> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes of memory it holds, as far as outputs say what they hold. O(chunks).
    pub fn memory_bytes(&self) -> usize {
        self.chunks.held_bytes() + self.arenas.memory_bytes()
    }

    /// What was written for each chunk, in chunk order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &O> {
        self.chunks.as_slice().iter().map(|(output, _, _)| output)
    }
}

impl<O> Default for NeighborOutputs<O> {
    fn default() -> Self {
        Self {
            chunks: Outputs::default(),
            arenas: SearchArenas::default(),
        }
    }
}

impl<O: ChunkOutput + fmt::Debug> fmt::Debug for NeighborOutputs<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Those of a neighborhood who pass a test.
#[derive(Default)]
struct Passed {
    rows: Vec<Row>,
    dx: Vec<f32>,
    dy: Vec<f32>,
    /// How many have passed at most, of all neighborhoods of the chunk.
    most: usize,
}

impl Passed {
    fn fill(&mut self, all: Neighborhood<'_>, passes: impl Fn(Row) -> bool) -> Neighborhood<'_> {
        self.forget_last();
        for ((&row, &dx), &dy) in all.rows.iter().zip(all.dx).zip(all.dy) {
            if passes(row) {
                self.rows.push(row);
                self.dx.push(dx);
                self.dy.push(dy);
            }
        }
        self.most = self.most.max(self.rows.len());
        Neighborhood {
            rows: &self.rows,
            dx: &self.dx,
            dy: &self.dy,
        }
    }

    fn forget_last(&mut self) {
        self.rows.clear();
        self.dx.clear();
        self.dy.clear();
    }
}

impl ChunkOutput for Passed {
    fn clear(&mut self) {
        self.forget_last();
        self.most = 0;
    }

    fn used_bytes(&self) -> usize {
        self.most * size_of::<(Row, f32, f32)>()
    }

    fn held_bytes(&self) -> usize {
        self.rows.held_bytes() + self.dx.held_bytes() + self.dy.held_bytes()
    }

    fn shrink_to_fit(&mut self) {
        self.rows.shrink_to(self.most);
        self.dx.shrink_to(self.most);
        self.dy.shrink_to(self.most);
    }
}

impl Broadphase {
    /// Visits every row of a uniform category with all rows that are near it, and lets the visitor write an output for each
    /// chunk of rows: with as many threads as a step would use, in the order of space, while what is near is in the cache.
    /// For flocks, densities, and whatever else adds up over neighbors and needs no list of them
    /// ([`find_neighbors`](Self::find_neighbors) makes lists).
    ///
    /// `within` is about one pair of uniform categories: rows of the first are visited, and are given what is near in the
    /// second. Every row in the index is visited once, even if nothing is near it. Outputs are the same on any number of
    /// threads, in chunk order; see [`Narrowphase`](crate::Narrowphase) for outputs. Centers are those of the last step or
    /// refresh.
    ///
    /// O(rows + candidates). Allocates nothing in a steady state. Where some rows rest, see [`find_neighbors`](Self::find_neighbors).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, NeighborOutputs, Proxy, Proximity};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("birds", 0.5)))?;
    /// let birds = world.category("birds").expect("as configured");
    /// world.insert_batch((0..100).map(|i| Proxy::centered([i as f32, 0.0], [0.5, 0.5]).unwrap()));
    /// world.refresh();
    ///
    /// // Each is drawn to the middle of those within 2.5 of it.
    /// let within = Proximity::centers([birds, birds], 2.5);
    /// let mut pulls: NeighborOutputs<Vec<(u32, f32)>> = NeighborOutputs::new();
    /// world.query_neighbors(&within, &mut pulls, |row, near, pulls| {
    ///     let pull: f32 = near.dx.iter().sum();
    ///     pulls.push((row, pull / near.dx.len().max(1) as f32));
    /// })?;
    /// let mut speeds = vec![0.0; 100];
    /// for &(row, pull) in pulls.iter().flatten() {
    ///     speeds[row as usize] += pull;
    /// }
    /// assert_eq!((speeds[0], speeds[50], speeds[99]), (1.5, 0.0, -1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a distance that is NaN, negative or infinite, a category that this world does not have, a question
    /// about several pairs of categories or one that is not uniform, and [`StaleIndex`](crate::StaleIndex) if proxies of the categories asked about were inserted,
    /// removed, migrated, enabled, disabled or given other masks since the last step or refresh.
    /// `found` is unchanged then.
    #[doc(alias = "neighbours")]
    pub fn query_neighbors<O: ChunkOutput>(
        &self,
        within: &Proximity,
        found: &mut NeighborOutputs<O>,
        visit: impl Fn(Row, Neighborhood<'_>, &mut O) + Sync,
    ) -> Result<(), QueryError> {
        self.query_neighbors_on(&*self.step_executor(), within, found, visit)
    }

    /// [`query_neighbors`](Self::query_neighbors) on an executor of the caller's choice.
    ///
    /// # Errors
    ///
    /// As [`query_neighbors`](Self::query_neighbors).
    pub fn query_neighbors_on<O: ChunkOutput>(
        &self,
        executor: &dyn Executor,
        within: &Proximity,
        found: &mut NeighborOutputs<O>,
        visit: impl Fn(Row, Neighborhood<'_>, &mut O) + Sync,
    ) -> Result<(), QueryError> {
        self.check_neighbors(within)?;
        if within.meetings.len() != 1 {
            return Err(QueryError::SeveralCategoryPairs {
                given: within.meetings.len(),
            });
        }
        let search = GridSearch::of(self, within, within.asked);
        let search = search.ok_or_else(|| self.not_uniform(within.asked))?;
        let chunks = search.chunks();
        found
            .arenas
            .prepare(executor, chunks, search.scratch_bytes());
        let NeighborOutputs {
            chunks: outputs,
            arenas,
        } = found;
        outputs.fill(executor, chunks, |chunk, (output, marks, passed)| {
            arenas.with(|arena| {
                search.visit(chunk, arena, marks, &mut |lists| {
                    for (row, list) in lists.ranges() {
                        let mut near = Neighborhood {
                            rows: &lists.neighbors[list.clone()],
                            dx: &lists.offsets[0][list.clone()],
                            dy: &lists.offsets[1][list],
                        };
                        if search.has_test() {
                            near = passed.fill(near, |other| search.passes(row, other));
                        }
                        visit(row, near, output);
                    }
                });
            });
        });
        Ok(())
    }

    /// Says which of two categories is not uniform.
    fn not_uniform(&self, categories: [CategoryId; 2]) -> QueryError {
        let is_uniform = |category: CategoryId| {
            let config = &self.config.categories[category.index()];
            matches!(config.kind, CategoryKind::Uniform)
        };
        let [first, second] = categories;
        let given = if is_uniform(first) { second } else { first };
        let name = self.category_name(given).unwrap_or_default().to_owned();
        QueryError::NotUniform { given, name }
    }
}
