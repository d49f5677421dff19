//! The rows of a category in another order.

use std::ops::ControlFlow;

use fixedbitset::FixedBitSet;
use throng_core::{Arena, BoxRun, Executor, Permutation, run_inside};

use crate::broadphase::Broadphase;
use crate::error::{SortRowsError, UnknownCategory};
use crate::frame::resting::waking::RestUpdate;
use crate::frame::spans::stage;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, Row};

/// Room for a piece of an index; it grows for larger ones.
const PIECE: usize = 2048;

/// How many times as many numbers as keys there may be between the lowest and the highest key for a table to be worth it.
const SPARSEST: u64 = 4;

/// In which order [`sort_rows`](Broadphase::sort_rows) puts the rows of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RowOrder {
    /// What is near each other in the world comes near each other in memory: strip by strip, from left to right, as the
    /// index has it. Disabled rows come last. A narrowphase that reads an engine's arrays by row then finds most of
    /// what it reads in the cache.
    Space,
    /// By the engine's keys, lowest first; no two may be equal. Two worlds with the same contents then have the same
    /// rows, and find the same pairs in the same order from then on, whatever happened in them before. Where some rest, the
    /// same must rest in both from the next step on.
    Key,
}

impl Broadphase {
    /// Puts the rows of a category into another order, on the threads that a [step](Self::step) would run on. Returns which row
    /// went where, for the engine to put its own arrays into the same order.
    ///
    /// Ids stay valid, and everything stored about a proxy goes with it. Row numbers kept elsewhere, and those in the last
    /// report, still mean the old rows; [`Permutation::new_rows`] translates them. Afterwards the world is as after a
    /// [`refresh`](Self::refresh), except that commands are still queued: every index is built again, queries see the current
    /// positions, and the next step allocates no more than usual.
    ///
    /// O(rows of the world) for [`RowOrder::Space`], O(rows · log rows) for [`RowOrder::Key`] if keys are not nearly dense.
    /// With a million rows, either takes about as long as three steps. By key, in a category in which something may rest, the next step
    /// builds the index once more, as after [`forget_history`](Self::forget_history), and allocates for that.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, RowOrder};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("bees", 0.5)))?;
    /// let bees = world.category("bees").unwrap();
    /// let mut speeds = Vec::new(); // the engine's own array, in row order
    /// for (i, x) in [30.0, 10.0, 20.0].into_iter().enumerate() {
    ///     world.insert(Proxy::centered([x, 0.0], [0.5, 0.5])?.key(i as u64))?;
    ///     speeds.push(x / 10.0);
    /// }
    ///
    /// let mut spare = Vec::new(); // kept for the next time
    /// let sorted = world.sort_rows(bees, RowOrder::Space)?;
    /// sorted.apply(&mut speeds, &mut spare)?;
    /// assert_eq!(world.centers(bees)[0], [10.0, 20.0, 30.0]);
    /// assert_eq!(speeds, [1.0, 2.0, 3.0]);
    ///
    /// world.sort_rows(bees, RowOrder::Key)?.apply(&mut speeds, &mut spare)?;
    /// assert_eq!(speeds, [3.0, 1.0, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`is_sort_due`](Self::is_sort_due) says when.
    ///
    /// # Errors
    ///
    /// [`SortRowsError`] if there is no such category, or two keys are equal; the world is unchanged.
    ///
    /// # Panics
    ///
    /// If the executor panics. Rows may then be sorted in part, and the world must not be used any more.
    pub fn sort_rows(
        &mut self,
        category: CategoryId,
        order: RowOrder,
    ) -> Result<Permutation, SortRowsError> {
        self.sort_rows_on(&*self.step_executor(), category, order)
    }

    /// [`sort_rows`](Self::sort_rows) on an executor of the caller's choice.
    ///
    /// # Errors
    ///
    /// As [`sort_rows`](Self::sort_rows).
    ///
    /// # Panics
    ///
    /// As [`sort_rows`](Self::sort_rows).
    pub fn sort_rows_on(
        &mut self,
        executor: &dyn Executor,
        category: CategoryId,
        order: RowOrder,
    ) -> Result<Permutation, SortRowsError> {
        run_inside(executor, || {
            self.sort_rows_inside(executor, category, order)
        })
    }

    fn sort_rows_inside(
        &mut self,
        executor: &dyn Executor,
        category: CategoryId,
        order: RowOrder,
    ) -> Result<Permutation, SortRowsError> {
        let _sort = stage!("sort_rows");
        let index = self.known(category)?.index();
        // Before anything changes, because two keys may be equal.
        let by_key = match order {
            RowOrder::Key => Some(self.rows_by_key(index)?),
            RowOrder::Space => None,
        };
        self.update_rest(RestUpdate::Refresh);
        // Until the search is planned, as in a refresh.
        self.begin_index();
        let old_rows = by_key.unwrap_or_else(|| {
            // So that it is built, and not taken as it is, with rows that have moved since.
            self.categories[index].note_all_changed();
            self.categories[index].rebuild(executor);
            rows_by_space(&self.categories[index])
        });
        let sorted = Permutation::from_old_rows(old_rows).expect("each row was listed once");
        self.events.rows_sorted(
            CategoryId::from_index(index),
            &sorted,
            &self.categories,
            &self.pool,
        );
        let category = &mut self.categories[index];
        category.reorder_rows(&sorted, &mut self.pool, executor);
        if order == RowOrder::Key {
            category.forget_history();
            if let Some(stillness) = &mut category.stillness {
                stillness.forget_history();
            }
        }
        self.categories[index].count_resting();
        self.categories[index].scatter.look_next();
        for category in &mut self.categories {
            category.rebuild(executor);
        }
        self.look_ahead(executor);
        self.is_index_whole = true;
        self.categories[index].scatter.sorted(order);
        self.plan_search(executor);
        self.count_index();
        Ok(sorted)
    }

    /// Makes the next index of a category depend on its rows alone, and not on the steps before: from the same rows, two worlds
    /// then find the same pairs of its proxies in the same order, whatever has happened in them before. Until that index, queries
    /// find what they would have found.
    ///
    /// O(1), but the next step plans the index, for which it takes some memory, and builds it. That takes longer: by 40 microseconds
    /// with 300 rows, 0.1 milliseconds with 1,000, 0.7 with 10,000, and up to two with 100,000. Of a category in which some rest,
    /// it also builds the index of those; of scenery, it packs everything.
    ///
    /// It is for machines that must agree although one of them loaded a state from a file or from another machine, and so has not taken
    /// the same steps as the others. On all machines, call this before every step for each category that moves. Insert the rows of that
    /// state in the same order, or sort them by key. Who rests is not forgotten, nor are pairs that have begun, nor what
    /// [`is_sort_due`](Self::is_sort_due) has added up: let nothing rest there by itself, and sort in frames that all machines agree
    /// on. A [copy](Self#copies) of a world needs none of this. The guide has a chapter on rollback.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("bees", 0.5)))?;
    /// let bees = world.category("bees").unwrap();
    /// world.insert_batch((0..9).map(|i| Proxy::centered([i as f32, 0.0], [0.5, 0.5]).unwrap()));
    /// world.forget_history(bees)?;
    /// assert_eq!(world.step_pairs().report().pairs, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such category.
    #[doc(alias("rollback", "netcode"))]
    pub fn forget_history(&mut self, category: CategoryId) -> Result<(), UnknownCategory> {
        let index = self.known(category)?.index();
        self.categories[index].forgets = true;
        Ok(())
    }

    /// The rows by key, lowest first.
    fn rows_by_key(&self, index: usize) -> Result<Vec<Row>, SortRowsError> {
        let category = &self.categories[index];
        let keys = || (0..category.len()).map(|row| category.columns.key(row));
        let equal = |key: u64, rows: [Row; 2]| SortRowsError::EqualKeys {
            key,
            ids: rows.map(|row| category.id_in_row(row as usize)),
        };
        let (low, high) = (keys().min().unwrap_or(0), keys().max().unwrap_or(0));
        if (high - low) / SPARSEST < category.len() as u64 {
            // Keys that are indices of an engine's, with some gaps: each has a place, and nothing needs to be compared.
            const NONE: Row = Row::MAX;
            let mut row_of_key = vec![NONE; (high - low) as usize + 1];
            for (row, key) in (0..).zip(keys()) {
                let place = &mut row_of_key[(key - low) as usize];
                if *place != NONE {
                    return Err(equal(key, [*place, row]));
                }
                *place = row;
            }
            row_of_key.retain(|&row| row != NONE);
            return Ok(row_of_key);
        }
        let mut sorted: Vec<(u64, Row)> = keys().zip(0..).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|two| two[0].0 == two[1].0) {
            Some(two) => Err(equal(two[0].0, [two[0].1, two[1].1])),
            None => Ok(sorted.into_iter().map(|(_, row)| row).collect()),
        }
    }
}

/// The rows as the index has them, piece by piece, and those that are not in it behind them.
fn rows_by_space(category: &Category) -> Vec<Row> {
    let (arena, pieces) = (Arena::new(), category.whole().pieces());
    let mut piece = BoxRun::with_capacity(&arena, PIECE, false);
    let mut rows = Vec::with_capacity(category.len());
    for chunk in 0..pieces.piece_chunks() {
        let _ = pieces.visit_pieces(chunk, &arena, &mut piece, &mut |piece| {
            rows.extend_from_slice(piece.rows());
            ControlFlow::Continue(())
        });
    }
    let mut is_listed = FixedBitSet::with_capacity(category.len());
    rows.iter().for_each(|&row| is_listed.insert(row as usize));
    rows.extend(is_listed.zeroes().map(|row| row as Row));
    rows
}
