//! Lists of neighbours: for each row, the rows that are near it.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

use throng_core::{Executor, as_atomics, run_each};
use throng_grid::{self as grid, Listing};

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::frame::narrowphase::ChunkOutput;
use crate::frame::outputs::{Need, Outputs, Stored};
use crate::query::neighbor_search::GridSearch;
use crate::query::pairs_within::ProximityPairs;
use crate::query::search_arenas::SearchArenas;
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

/// Neighbours of the rows of one category among those of another, or of the same one, as compressed rows.
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

    /// The lists of the rows of one category, with neighbours in another, or in itself. `None` if these were not asked for; and,
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
    /// Where each row's list begins in [`rows`](Self::rows); and at the end, how many neighbours there are in all. One more
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

    /// The neighbours of a row, ascending.
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
    found: Outputs<FoundLists>,
}

/// What is noted of each row's list where it is found.
#[derive(Default)]
struct ByRow {
    /// How many neighbours it has.
    lens: Vec<u32>,
    /// In which chunk it was found, and which of that chunk's lists it is; means nothing where there is none.
    chunks: Vec<u32>,
    places: Vec<u32>,
}

/// The same, for many threads that each find lists of other rows.
struct ByRowShared<'t> {
    lens: &'t [AtomicU32],
    chunks: &'t [AtomicU32],
    places: &'t [AtomicU32],
}

impl ByRow {
    /// As many rows, all without neighbours.
    fn clear(&mut self, rows: usize) {
        self.lens.clear();
        self.lens.resize(rows, 0);
        self.chunks.resize(rows, 0);
        self.places.resize(rows, 0);
    }

    fn share(&mut self) -> ByRowShared<'_> {
        ByRowShared {
            lens: as_atomics(&mut self.lens),
            chunks: as_atomics(&mut self.chunks),
            places: as_atomics(&mut self.places),
        }
    }
}

impl ByRowShared<'_> {
    fn note(&self, row: Row, len: usize, chunk: usize, place: usize) {
        let row = row as usize;
        self.lens[row].store(len as u32, Ordering::Relaxed);
        self.chunks[row].store(chunk as u32, Ordering::Relaxed);
        self.places[row].store(place as u32, Ordering::Relaxed);
    }
}

/// The lists found in one chunk, in the order of leaves.
#[derive(Default)]
struct FoundLists {
    neighbors: Vec<Row>,
    /// Where each list ends.
    ends: Vec<usize>,
}

impl FoundLists {
    fn push(&mut self, lists: &grid::ListBatch<'_>, chunk: usize, by_row: &ByRowShared<'_>) {
        let before = self.neighbors.len();
        self.neighbors.extend_from_slice(lists.neighbors);
        for (row, list) in lists.ranges() {
            by_row.note(row, list.len(), chunk, self.ends.len());
            self.ends.push(before + list.end);
        }
    }

    /// The same, with a test for each neighbour.
    fn push_passing(
        &mut self,
        lists: &grid::ListBatch<'_>,
        chunk: usize,
        by_row: &ByRowShared<'_>,
        search: &GridSearch<'_>,
    ) {
        for (row, list) in lists.ranges() {
            let before = self.neighbors.len();
            let all = lists.neighbors[list].iter().copied();
            self.neighbors
                .extend(all.filter(|&other| search.passes(row, other)));
            let end = self.neighbors.len();
            by_row.note(row, end - before, chunk, self.ends.len());
            self.ends.push(end);
        }
    }

    /// The neighbours from a list's first on.
    fn from(&self, place: usize) -> &[Row] {
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.neighbors[begin..]
    }
}

/// The most parts that lists are copied in, and the fewest rows in one.
const MOST_PARTS: usize = 64;
const FEWEST_ROWS: usize = 4096;

/// Lists of consecutive rows, part by part, and where they are to be written.
struct Parts<'t> {
    /// Where the lists of the rows to come begin in all, and where the last ends.
    starts: &'t [usize],
    first: usize,
    /// The rest of them.
    to: &'t mut [Row],
    parts: usize,
}

impl<'t> Iterator for Parts<'t> {
    /// The first row, where its list begins and all others do and where the last ends, and the room for all.
    type Item = (usize, &'t [usize], &'t mut [Row]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.parts == 0 {
            return None;
        }
        let rows = (self.starts.len() - 1).div_ceil(self.parts);
        let part = &self.starts[..=rows];
        let (to, rest) = std::mem::take(&mut self.to).split_at_mut(part[rows] - part[0]);
        let first = self.first;
        self.to = rest;
        self.first += rows;
        self.starts = &self.starts[rows..];
        self.parts -= 1;
        Some((first, part, to))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.parts, Some(self.parts))
    }
}

impl ExactSizeIterator for Parts<'_> {}

impl ChunkOutput for FoundLists {
    fn clear(&mut self) {
        self.neighbors.clear();
        self.ends.clear();
    }

    fn used_bytes(&self) -> usize {
        self.neighbors.used_bytes() + self.ends.used_bytes()
    }

    fn held_bytes(&self) -> usize {
        self.neighbors.held_bytes() + self.ends.held_bytes()
    }

    fn shrink_to_fit(&mut self) {
        self.neighbors.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

impl Table {
    fn memory_bytes(&self) -> usize {
        let ByRow {
            lens,
            chunks,
            places,
        } = &self.by_row;
        let by_row = lens.held_bytes() + chunks.held_bytes() + places.held_bytes();
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
            // The old lists need not be copied. Some spare room, so that a few more neighbours are no reason for another
            // allocation.
            self.rows = Vec::new();
            self.rows.resize(end + end / 8, 0);
        }
    }

    /// Takes the lists that a search of grids finds.
    fn search(&mut self, executor: &dyn Executor, search: &GridSearch<'_>, arenas: &SearchArenas) {
        let by_row = &self.by_row.share();
        self.found.fill(executor, search.chunks(), |chunk, found| {
            arenas.with(|arena| {
                search.search(chunk, arena, &mut |lists| {
                    if search.has_test() {
                        found.push_passing(&lists, chunk, by_row, search);
                    } else {
                        found.push(&lists, chunk, by_row);
                    }
                });
            });
        });
        self.begin_lists();
        self.copy_lists(executor);
    }

    /// Copies all lists from where they were found, row by row.
    fn copy_lists(&mut self, executor: &dyn Executor) {
        let (found, by_row) = (self.found.as_slice(), &self.by_row);
        let parts = Parts {
            starts: &self.starts,
            first: 0,
            to: &mut self.rows[..],
            parts: (by_row.lens.len() / FEWEST_ROWS).clamp(1, MOST_PARTS),
        };
        run_each(executor, parts, |_, (first, starts, to)| {
            for (row, list) in (first..).zip(starts.windows(2)) {
                let (at, len) = (list[0] - starts[0], list[1] - list[0]);
                if len > 0 {
                    let found = &found[by_row.chunks[row] as usize];
                    copy_list(found.from(by_row.places[row] as usize), len, &mut to[at..]);
                }
            }
        });
    }

    /// Takes the lists from pairs, whose first rows have the lists, or whose second ones do.
    fn collect(&mut self, pairs: &ProximityPairs, side: usize, symmetric: bool) {
        let each = |visit: &mut dyn FnMut([Row; 2])| {
            for pair in pairs.batches().flat_map(|batch| batch.pairs) {
                visit([pair[side], pair[1 - side]]);
                if symmetric {
                    visit([pair[1 - side], pair[side]]);
                }
            }
        };
        each(&mut |[row, _]| self.by_row.lens[row as usize] += 1);
        self.begin_lists();
        // How much of each list is still to come.
        each(&mut |[row, other]| {
            let left = &mut self.by_row.lens[row as usize];
            self.rows[self.starts[row as usize + 1] - *left as usize] = other;
            *left -= 1;
        });
        for list in self.starts.windows(2) {
            self.rows[list[0]..list[1]].sort_unstable();
        }
    }
}

/// Copies the first `len` neighbours. What follows in `to` is overwritten if it is long enough: lists are copied in order, so
/// the next one comes after it.
#[inline]
fn copy_list(from: &[Row], len: usize, to: &mut [Row]) {
    /// As many are copied at once as most lists have.
    const AT_ONCE: usize = 32;
    match (from.first_chunk(), to.first_chunk_mut::<AT_ONCE>()) {
        (Some(from), Some(to)) if len <= AT_ONCE => *to = *from,
        _ => to[..len].copy_from_slice(&from[..len]),
    }
}

impl Broadphase {
    /// Lists, for each row, the rows that are near it: with as many threads as a step would use. Replaces the contents of
    /// `found`.
    ///
    /// For each pair of categories in `within` there are the lists of the first's rows among the second's, and the other way
    /// round (see [`Neighbors::each_pair_once`] for half of that). A row is never in its own list. What is measured is what is in
    /// the index, as of the last step or refresh; rows are as they are, so no row may have come or gone since.
    ///
    /// Where boxes of any size take part, the search runs on all threads, and lists are put together on the calling one.
    ///
    /// O(rows + candidates). Fastest if rows are in the order of space ([`sort_rows`](Self::sort_rows)): lists are then found
    /// in ascending order. The lists are the same on any number of threads. Allocates nothing in a steady state.
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
    /// [`StaleIndex`](crate::StaleIndex) if proxies were inserted, removed, migrated, enabled, disabled or given other masks since
    /// the last refresh. `found` is unchanged then.
    pub fn find_neighbors(
        &self,
        within: &Proximity,
        found: &mut Neighbors,
    ) -> Result<(), QueryError> {
        self.find_neighbors_on(self.default_executor(), within, found)
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
        found.used = 0;
        for &[a, b] in &within.meetings {
            let both_ways = a != b && !found.once;
            let listing = if a == b && found.once {
                Listing::AscendingLater
            } else {
                Listing::Ascending
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
                if let Some(search) = GridSearch::of(self, within, categories, listing) {
                    let (chunks, bytes) = (search.chunks(), search.scratch_bytes());
                    found.arenas.prepare(executor, chunks, bytes);
                    table.search(executor, &search, &found.arenas);
                } else {
                    // Both ways from the same pairs.
                    if categories == [a, b] {
                        let question = found.question.get_or_insert_with(|| within.clone());
                        question.be_about([a, b], within);
                        self.find_pairs_within_on(executor, question, &mut found.pairs)?;
                    }
                    let side = usize::from(categories != [a, b]);
                    table.collect(&found.pairs, side, a == b && !found.once);
                }
                found.used += 1;
            }
        }
        Ok(())
    }
}
