//! Lists of neighbors: for each row, the rows that are near it.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

use throng_core::{Executor, Scattered, as_atomics, prefetch_for_writing, run_each, run_inside};
use throng_grid::{Listing, NeighborMarks};

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::frame::narrowphase::ChunkOutput;
use crate::frame::need::Need;
use crate::frame::outputs::{Outputs, Stored};
use crate::frame::search_arenas::SearchArenas;
use crate::query::neighbor_search::GridSearch;
use crate::query::pairs_within::{NearChunk, ProximityPairs};
use crate::query::within::Proximity;
use crate::world::ids::{CategoryId, Row};

/// The lists that [`Broadphase::find_neighbors`] makes, and the memory for them: keep it, and the next search allocates
/// nothing.
///
/// ```text
/// starts   0     2  3     5      list of row 0: rows[0..2], of row 1: rows[2..3], of row 2: rows[3..5]
/// rows     1 2 | 0 | 0 1         each ascending
/// ```
#[derive(Default)]
pub struct Neighbors {
    once: bool,
    tables: Vec<Table>,
    used: usize,
    arenas: SearchArenas,
    /// Where boxes of any size take part: the question about one pair of categories, and the answer.
    question: Option<Proximity>,
    pairs: ProximityPairs,
}

/// Neighbors of the rows of one category among those of another, or of the same one, as compressed rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NeighborLists<'a> {
    starts: &'a [usize],
    rows: &'a [Row],
}

impl Neighbors {
    /// No lists yet. They will be symmetric: if one row is in the list of another, that one is in its list.
    pub fn new() -> Self {
        Self::default()
    }

    /// No lists yet. They will have each pair once: in the list of the lower row, or of the row of the lower category.
    pub fn each_pair_once() -> Self {
        Self {
            once: true,
            ..Self::default()
        }
    }

    /// The lists of the rows of one category, with neighbors in another, or in itself. `None` if these were not asked for; and,
    /// with [each pair once](Self::each_pair_once), if `of` is the higher category: its pairs are in the lists of `among`.
    pub fn lists(&self, of: CategoryId, among: CategoryId) -> Option<NeighborLists<'_>> {
        let mut tables = self.tables[..self.used].iter();
        let table = tables.find(|table| table.categories == [of, among])?;
        Some(NeighborLists {
            starts: &table.starts,
            rows: &table.rows[..*table.starts.last()?],
        })
    }

    /// Bytes of memory it holds.
    pub fn memory_bytes(&self) -> usize {
        let tables = self.tables.iter().map(Table::memory_bytes).sum::<usize>();
        tables
            + self.tables.capacity() * size_of::<Table>()
            + self.arenas.memory_bytes()
            + self.pairs.memory_bytes()
    }
}

impl fmt::Debug for Neighbors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for table in &self.tables[..self.used] {
            let [of, among] = table.categories;
            map.entry(&table.categories, &self.lists(of, among));
        }
        map.finish()
    }
}

impl<'a> NeighborLists<'a> {
    /// Where each row's list begins in [`rows`](Self::rows); and at the end, how many neighbors there are in all. One more
    /// than there are rows.
    pub fn starts(&self) -> &'a [usize] {
        self.starts
    }

    /// All lists, one after the other, by row; each ascending.
    pub fn rows(&self) -> &'a [Row] {
        self.rows
    }

    /// How many lists there are: one for each row. Some may be empty.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The neighbors of a row, ascending.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn of(&self, row: Row) -> &'a [Row] {
        let row = row as usize;
        assert!(row < self.len(), "row {row} of {}", self.len());
        &self.rows[self.starts[row]..self.starts[row + 1]]
    }

    /// The list of every row.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [Row]> + use<'a> {
        let rows = self.rows;
        self.starts
            .windows(2)
            .map(move |list| &rows[list[0]..list[1]])
    }
}

impl fmt::Debug for NeighborLists<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The lists of one category among another, and what they are made from.
#[derive(Default)]
struct Table {
    categories: [CategoryId; 2],
    starts: Vec<usize>,
    /// At least as many as `starts` says; the rest is room.
    rows: Vec<Row>,
    need: Need,
    by_row: ByRow,
    found: Outputs<NeighborMarks>,
}

/// What is noted of each row's list where it is found.
#[derive(Default)]
struct ByRow {
    /// How many neighbors it has.
    lens: Vec<u32>,
    /// The chunk in which it was found; means nothing where there is none.
    chunks: Vec<u32>,
}

/// The same, for many threads that each find lists of other rows.
struct ByRowShared<'t> {
    lens: &'t [AtomicU32],
    chunks: &'t [AtomicU32],
}

impl ByRow {
    /// As many rows, all without neighbors.
    fn clear(&mut self, rows: usize) {
        self.lens.clear();
        self.lens.resize(rows, 0);
        self.chunks.resize(rows, 0);
    }

    fn share(&mut self) -> ByRowShared<'_> {
        ByRowShared {
            lens: as_atomics(&mut self.lens),
            chunks: as_atomics(&mut self.chunks),
        }
    }
}

/// How many lists a task sorts.
const LISTS_IN_TASK: usize = 4096;
/// How many rows ahead memory is asked for.
const AHEAD: usize = 16;

impl ByRowShared<'_> {
    fn note(&self, marks: &NeighborMarks, chunk: usize) {
        // Where rows are in no order, each store waits for memory.
        let mut ahead = marks.lens().map(|(row, _)| row as usize).skip(AHEAD);
        let mut last = 0;
        for (row, len) in marks.lens() {
            if let Some(ahead) = ahead.next() {
                if ahead != last + 1 {
                    prefetch_for_writing(self.lens, ahead);
                    prefetch_for_writing(self.chunks, ahead);
                }
                last = ahead;
            }
            let row = row as usize;
            self.lens[row].store(len, Ordering::Relaxed);
            self.chunks[row].store(chunk as u32, Ordering::Relaxed);
        }
    }
}

impl ChunkOutput for NeighborMarks {
    fn clear(&mut self) {
        self.clear();
    }

    fn used_bytes(&self) -> usize {
        self.used_bytes()
    }

    fn held_bytes(&self) -> usize {
        self.held_bytes()
    }

    fn shrink_to_fit(&mut self) {
        self.shrink_to_fit();
    }
}

impl Table {
    fn memory_bytes(&self) -> usize {
        let ByRow { lens, chunks } = &self.by_row;
        let by_row = lens.held_bytes() + chunks.held_bytes();
        self.starts.held_bytes() + self.rows.held_bytes() + by_row + self.found.held_bytes()
    }

    /// Makes room for as many lists, all empty.
    fn clear(&mut self, categories: [CategoryId; 2], lists: usize) {
        self.categories = categories;
        self.by_row.clear(lists);
    }

    /// Finds out from the lengths where each list begins, and makes room for all.
    fn begin_lists(&mut self) {
        let mut end = 0;
        self.starts.clear();
        self.starts.push(0);
        self.starts.extend(self.by_row.lens.iter().map(|&len| {
            end += len as usize;
            end
        }));
        let bytes = end * size_of::<Row>();
        let holds_too_much = self.need.holds_too_much(bytes, self.rows.held_bytes());
        if self.rows.len() < end || holds_too_much {
            // The old lists need not be copied. Some spare room, so that a few more neighbors are no reason for another
            // allocation.
            self.rows = Vec::new();
            self.rows.resize(end + end / 8, 0);
        }
    }

    /// Takes the lists that a search of grids finds.
    fn search(
        &mut self,
        executor: &dyn Executor,
        search: &GridSearch<'_>,
        listing: Listing,
        arenas: &SearchArenas,
    ) {
        let by_row = &self.by_row.share();
        self.found.fill(executor, search.chunks(), |chunk, found| {
            arenas.with(|arena| search.mark(chunk, listing, arena, found));
            by_row.note(found, chunk);
        });
        self.begin_lists();
        let found = self.found.as_slice();
        let places = Scattered::new(&mut self.rows, &self.starts, &self.by_row.chunks);
        let mut places = places.expect("lists follow each other, and there is room for all");
        let chunks = found.iter().zip(places.shares(found.len() as u32));
        run_each(executor, chunks, |_, (found, mut places)| {
            arenas.with(|arena| search.write(found, arena, &mut places));
        });
    }

    /// Takes the lists from pairs, whose first rows have the lists, or whose second ones do.
    fn collect(
        &mut self,
        executor: &dyn Executor,
        pairs: &ProximityPairs,
        side: usize,
        symmetric: bool,
    ) {
        let each = |visit: &(dyn Fn([Row; 2]) + Sync)| {
            run_each(executor, pairs.chunks(), |_, chunk: &NearChunk| {
                for pair in chunk.batches().flat_map(|batch| batch.pairs) {
                    visit([pair[side], pair[1 - side]]);
                    if symmetric {
                        visit([pair[1 - side], pair[side]]);
                    }
                }
            });
        };
        let is_alone = executor.threads() == 1;
        let lens = as_atomics(&mut self.by_row.lens);
        each(&|[row, _]| {
            let _ = add(1, &lens[row as usize], is_alone);
        });
        self.begin_lists();
        // How much of each list is still to come. Who comes first differs from run to run, until lists are sorted.
        let left = as_atomics(&mut self.by_row.lens);
        let (starts, rows) = (&self.starts[..], as_atomics(&mut self.rows));
        each(&|[row, other]| {
            let left = add(-1, &left[row as usize], is_alone) as usize;
            rows[starts[row as usize + 1] - left].store(other, Ordering::Relaxed);
        });
        let (mut rest, lists) = (&mut self.rows[..], starts.len() - 1);
        let blocks = (0..lists).step_by(LISTS_IN_TASK).map(|first| {
            let starts = &starts[first..=lists.min(first + LISTS_IN_TASK)];
            let room = starts[starts.len() - 1] - starts[0];
            let rows = rest.split_off_mut(..room);
            (starts, rows.expect("there is room for all lists"))
        });
        run_each(executor, blocks, |_, (starts, rows)| {
            for list in starts.windows(2) {
                rows[list[0] - starts[0]..list[1] - starts[0]].sort_unstable();
            }
        });
    }
}

/// Adds to a number that other threads add to as well, unless this one is alone, and returns what it was.
fn add(more: i32, to: &AtomicU32, is_alone: bool) -> u32 {
    if is_alone {
        let was = to.load(Ordering::Relaxed);
        to.store(was.wrapping_add_signed(more), Ordering::Relaxed);
        return was;
    }
    to.fetch_add(more as u32, Ordering::Relaxed)
}

impl Broadphase {
    /// Lists, for each row, the rows that are near it: with as many threads as a step would use. Replaces the contents of
    /// `found`.
    ///
    /// For each pair of categories in `within` there are the lists of the first's rows among the second's, and the other way
    /// round (see [`Neighbors::each_pair_once`] for half of that). A row is never in its own list. What is measured is what is in
    /// the index, as of the last step or refresh; rows are as they are, so since then no row of these categories may have come or gone,
    /// been enabled or disabled, or been given other masks.
    ///
    /// Where boxes of any size take part, lists are made from pairs, which takes longer. Where some rows of a category
    /// [rest](crate::CategoryConfig::rests_after), the first search of this kind, or for pairs within a distance, after each step or
    /// refresh joins its two indices before all else: O(rows), on one thread.
    ///
    /// O(rows + candidates). Fastest if rows are in the order of space ([`sort_rows`](Self::sort_rows)): lists are then found
    /// in ascending order. The lists are the same on any number of threads. Allocates nothing in a steady state, unless boxes of an
    /// oversized category rest that have an index of their own.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Neighbors, Proxy, Proximity};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("birds", 0.5)))?;
    /// let birds = world.category("birds").expect("as configured");
    /// world.insert_batch((0..5000).map(|i| Proxy::centered([i as f32 * 2.0, 0.0], [0.5, 0.5]).unwrap()));
    /// world.refresh();
    ///
    /// let mut neighbors = Neighbors::new();
    /// world.find_neighbors(&Proximity::centers([birds, birds], 5.0), &mut neighbors)?;
    /// let lists = neighbors.lists(birds, birds).expect("as asked for");
    /// assert_eq!(lists.of(0), [1, 2]);
    /// assert_eq!(lists.of(100), [98, 99, 101, 102]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a distance that is NaN, negative or infinite, a category that this world does not have, and
    /// [`StaleIndex`](crate::StaleIndex) if proxies of these categories were inserted, removed, migrated, enabled, disabled or given other
    /// masks since the last step or refresh. `found` is unchanged then.
    #[doc(alias = "neighbours")]
    pub fn find_neighbors(
        &self,
        within: &Proximity,
        found: &mut Neighbors,
    ) -> Result<(), QueryError> {
        self.find_neighbors_on(&*self.step_executor(), within, found)
    }

    /// [`find_neighbors`](Self::find_neighbors) on an executor of the caller's choice.
    ///
    /// # Errors
    ///
    /// As [`find_neighbors`](Self::find_neighbors).
    pub fn find_neighbors_on(
        &self,
        executor: &dyn Executor,
        within: &Proximity,
        found: &mut Neighbors,
    ) -> Result<(), QueryError> {
        self.check_neighbors(within)?;
        run_inside(executor, || self.list_neighbors(executor, within, found))
    }

    fn list_neighbors(
        &self,
        executor: &dyn Executor,
        within: &Proximity,
        found: &mut Neighbors,
    ) -> Result<(), QueryError> {
        found.used = 0;
        for &[a, b] in &within.meetings {
            let both_ways = a != b && !found.once;
            let listing = if a == b && found.once {
                Listing::Later
            } else {
                Listing::Others
            };
            for categories in [[a, b], [b, a]]
                .into_iter()
                .take(1 + usize::from(both_ways))
            {
                if found.tables.len() == found.used {
                    found.tables.push(Table::default());
                }
                let table = &mut found.tables[found.used];
                let rows = self.categories[categories[0].index()].len();
                table.clear(categories, rows);
                if let Some(search) = GridSearch::of(self, within, categories) {
                    let (chunks, bytes) = (search.chunks(), search.scratch_bytes());
                    found.arenas.prepare(executor, chunks, bytes);
                    table.search(executor, &search, listing, &found.arenas);
                } else {
                    // Both ways from the same pairs.
                    if categories == [a, b] {
                        let question = found.question.get_or_insert_with(|| within.clone());
                        question.be_about([a, b], within);
                        self.find_pairs_within_on(executor, question, &mut found.pairs)?;
                    }
                    let side = usize::from(categories != [a, b]);
                    let symmetric = a == b && !found.once;
                    table.collect(executor, &found.pairs, side, symmetric);
                }
                found.used += 1;
            }
        }
        Ok(())
    }
}
