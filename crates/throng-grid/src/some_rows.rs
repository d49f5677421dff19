//! The pairs that some of a grid's rows are in, where these are few or close together.
//!
//! A row that asks the grid for its pairs takes as long as ten or more in a search of all. So where they are dense in a leaf, that leaf
//! had better be swept, as in such a search: then the pairs within it, and with the leaves that it looks ahead at, are found. Its
//! pairs with leaves that look ahead at it are found from these, so they are swept as well. Which leaves are swept is decided leaf by leaf, so that
//! a crowd in one place and others all over the world each get what suits them.
//!
//! ```text
//!    ·  ·  ·  ·  ·  ·
//!    ·  s  D  D  ·  ·       D  dense with rows that look for their pairs
//!    ·  s  D  D  D  ·       s  looks ahead at one of those, and is swept as well
//!    ·  s  s  s  s  s       ·  whoever is elsewhere asks
//! ```
//!
//! Those elsewhere, and those in leaves that are swept but not dense, do not ask where the earlier of the two leaves, their own
//! and the one that they come to, is swept: what they would find there, that sweep finds. So each pair with one of the rows is
//! found either by a sweep or by those of the two who ask. Sweeps also find pairs with none of the rows.
//!
//! Where so many look that it does not pay to find out which leaf each is in, no one asks, and every leaf that has one of them is
//! dense. Where they are all over the world that is a search of all; where they are in one place it is one of that place.

use crate::PointGrid;
use crate::ask::OwnLeaves;
use crate::leaf_order::LeafOrder;
use crate::pieces::{Piece, cut_into_chunks, longest, pieces_of_chunk, pieces_of_leaf};
use throng_core::{Arena, BoxRun, ChunkStats, PairBuffer, PairOrder, RowMasks};

/// A row that asks takes as long as so many that are swept, where whoever gets the pairs drops those with none of the rows.
const SWEPT_PER_ASKER: usize = 10;
/// How many rows are swept in one chunk, at least; the last may have fewer.
const ROWS_PER_CHUNK: usize = 4096;

/// How some rows of a grid look for their pairs; and memory, kept from one plan to the next. Filled by
/// [`PointGrid::plan_some_rows`] or [`PointGrid::plan_rows_where`].
#[derive(Debug, Default)]
pub struct SomeRows {
    order: LeafOrder,
    asking: Vec<u32>,
    /// The leaf of each that asks, if any leaf is swept.
    own_leaves: Vec<u32>,
    /// What becomes of each leaf, if any is swept.
    leaves: Vec<Sweep>,
    swept: Vec<Piece>,
    /// The first swept piece of each chunk, and the end of the last.
    chunks: Vec<u32>,
}

/// What becomes of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sweep {
    Not,
    Swept,
    /// Swept, and so are all leaves that look ahead at it: none of its rows asks.
    Dense,
}

impl SomeRows {
    /// The rows that ask, in the order of leaves.
    #[must_use]
    pub fn asking(&self) -> &[u32] {
        &self.asking
    }

    /// How many rows are swept.
    #[must_use]
    pub fn swept_rows(&self) -> usize {
        self.swept.iter().map(|piece| piece.len as usize).sum()
    }

    /// How many chunks the sweep comes in. Depends only on the data.
    #[must_use]
    pub fn swept_chunks(&self) -> usize {
        self.chunks.len().saturating_sub(1)
    }

    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let words = self.asking.capacity() + self.own_leaves.capacity() + self.chunks.capacity();
        self.order.memory_bytes()
            + words * size_of::<u32>()
            + self.leaves.capacity() * size_of::<Sweep>()
            + self.swept.capacity() * size_of::<Piece>()
    }

    /// The leaves of the rows that ask, from number `first` on, and which leaves are swept; `None` if none is.
    fn own_leaves(&self, first: usize, askers: usize) -> Option<OwnLeaves<'_>> {
        let of_askers = self.own_leaves.get(first..first + askers)?;
        Some(OwnLeaves {
            of_askers,
            leaves: &self.leaves,
        })
    }
}

impl PointGrid {
    /// Sorts some rows by leaf, as [`sort_by_leaf`](Self::sort_by_leaf) does, and plans how they look for their pairs. `xs` and
    /// `ys` are the columns that the grid was last built from or mended with. The plan is good until the next build or mend.
    /// O(rows + leaves).
    ///
    /// All pairs with one of the rows are found by [asking](Self::ask_for_some) for each of [`SomeRows::asking`], and searching
    /// [what is swept](Self::pairs_in_swept_chunk). A pair is found twice if both of its rows ask and no sweep finds it, otherwise
    /// once. A row that asks also finds itself, unless its leaf is swept; and a sweep also finds pairs with none of the rows.
    ///
    /// ```
    /// use throng_core::{Arena, BoxRun, PairOrder, Serial};
    /// use throng_grid::{GridConfig, PointGrid, Points, SomeRows};
    ///
    /// let (xs, ys) = ([0.0, 0.9, 1.8, 9.0], [0.0; 4]);
    /// let mut grid = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
    /// grid.build(Points::new(&xs, &ys), &Serial)?;
    ///
    /// let (mut rows, mut plan) = (vec![2], SomeRows::default());
    /// grid.plan_some_rows(&mut rows, [&xs, &ys], &mut plan);
    /// let mut found = Vec::new();
    /// let (mut arena, room) = (Arena::new(), Arena::new());
    /// for chunk in 0..plan.swept_chunks() {
    ///     grid.pairs_in_swept_chunk(&plan, chunk, None, &mut arena, &mut |pairs| found.extend_from_slice(pairs));
    /// }
    /// let mut boxes = BoxRun::with_capacity(&room, 1, false);
    /// for &row in plan.asking() {
    ///     let [x, y] = [xs[row as usize], ys[row as usize]];
    ///     boxes.push([[x - 0.5, y - 0.5], [x + 0.5, y + 0.5]], row);
    /// }
    /// let mut visit = |pairs: &[[u32; 2]]| found.extend(pairs.iter().filter(|[a, b]| a != b));
    /// grid.ask_for_some(&plan, 0, &boxes, [None; 2], PairOrder::Left, &arena, &mut visit);
    /// assert!(found.contains(&[1, 2]));
    /// # Ok::<(), throng_grid::GridError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a row is not one of the columns'.
    pub fn plan_some_rows(&self, rows: &mut Vec<u32>, columns: [&[f32]; 2], plan: &mut SomeRows) {
        self.sort_by_leaf(rows, columns, &mut plan.order);
        self.find_dense(&plan.order, &mut plan.leaves);
        plan.asking.clear();
        plan.own_leaves.clear();
        self.list_swept(plan);
        if plan.leaves.is_empty() {
            plan.asking.extend_from_slice(rows);
            return;
        }
        for (leaf, &sweep) in plan.leaves.iter().enumerate() {
            if sweep < Sweep::Dense {
                let asking = &rows[plan.order.rows_in(leaf)];
                plan.asking.extend_from_slice(asking);
                plan.own_leaves.extend(asking.iter().map(|_| leaf as u32));
            }
        }
    }

    /// Plans how the rows for which `looks` is true look for their pairs. Meant for many: none of them asks, and all pairs with one of
    /// them are in [what is swept](Self::pairs_in_swept_chunk), each once, beside some with none of them. The plan is good until the
    /// next build or mend. O(rows); a leaf is read only up to the first of its rows that looks.
    ///
    /// ```
    /// use throng_core::{Arena, Serial};
    /// use throng_grid::{GridConfig, PointGrid, Points, SomeRows};
    ///
    /// let (xs, ys) = ([0.0, 0.9, 1.8, 1e6, 1e6], [0.0; 5]);
    /// let mut grid = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
    /// grid.build(Points::new(&xs, &ys), &Serial)?;
    ///
    /// let mut plan = SomeRows::default();
    /// grid.plan_rows_where(|row| row == 2, &mut plan);
    /// let (mut found, mut arena) = (Vec::new(), Arena::new());
    /// for chunk in 0..plan.swept_chunks() {
    ///     grid.pairs_in_swept_chunk(&plan, chunk, None, &mut arena, &mut |pairs| found.extend_from_slice(pairs));
    /// }
    /// assert!(found.contains(&[1, 2]));
    /// assert!(!found.contains(&[3, 4]), "nobody looks there");
    /// # Ok::<(), throng_grid::GridError>(())
    /// ```
    pub fn plan_rows_where(&self, looks: impl Fn(u32) -> bool, plan: &mut SomeRows) {
        plan.asking.clear();
        plan.own_leaves.clear();
        plan.leaves.clear();
        for (index, leaf) in self.leaves.iter().enumerate() {
            let centers = self.centers(leaf);
            if (0..centers.len()).any(|at| looks(centers.row(at))) {
                self.make_dense(index, &mut plan.leaves);
            }
        }
        self.list_swept(plan);
    }

    /// Lists the pieces of leaves that are swept.
    fn list_swept(&self, plan: &mut SomeRows) {
        plan.swept.clear();
        for (leaf, &sweep) in plan.leaves.iter().enumerate() {
            if sweep >= Sweep::Swept {
                let pieces = pieces_of_leaf(&self.pieces, self.leaves.len(), leaf);
                plan.swept.extend(pieces);
            }
        }
        cut_into_chunks(&plan.swept, ROWS_PER_CHUNK, &mut plan.chunks);
    }

    /// Marks a leaf as dense, and all that look ahead at it as swept.
    fn make_dense(&self, index: usize, leaves: &mut Vec<Sweep>) {
        leaves.resize(self.leaves.len() + 1, Sweep::Not);
        leaves[index] = Sweep::Dense;
        self.for_each_before(index, |before| {
            let sweep = &mut leaves[before];
            *sweep = (*sweep).max(Sweep::Swept);
        });
    }

    /// Calls `visit` with each leaf that looks ahead at this one.
    fn for_each_before(&self, index: usize, mut visit: impl FnMut(usize)) {
        let view = self.view();
        let window = self.leaves[index].bounds.widened(view.half);
        view.for_each_leaf(&view.cells_of(&window), &window, |leaf| {
            if (leaf as usize) < index {
                visit(leaf as usize);
            }
        });
    }

    /// Finds out which leaves are to be swept, from how many of the rows each has. One more entry, at the end, stands for rows that
    /// are in no leaf. Empty if no leaf is swept.
    fn find_dense(&self, order: &LeafOrder, leaves: &mut Vec<Sweep>) {
        leaves.clear();
        let counts = |leaf: usize| [order.rows_in(leaf).len(), self.leaves[leaf].len as usize];
        let is_full = |[asking, all]: [usize; 2]| asking * SWEPT_PER_ASKER >= all;
        for index in 0..self.leaves.len() {
            // Most have none, and are not read.
            if order.rows_in(index).is_empty() {
                continue;
            }
            let mut swept = counts(index);
            if !is_full(swept) {
                continue;
            }
            self.for_each_before(index, |before| {
                let more = counts(before);
                // Those that are full pay for themselves.
                if !is_full(more) {
                    swept = [swept[0] + more[0], swept[1] + more[1]];
                }
            });
            if is_full(swept) {
                self.make_dense(index, leaves);
            }
        }
    }

    /// Visits every pair of a row of this grid and one of `boxes` that overlap, as [`ask_for_each`](Self::ask_for_each) does,
    /// without those that a sweep finds. The boxes are those of the rows that [ask](SomeRows::asking) by the plan, in their
    /// order, from number `first` on.
    ///
    /// # Panics
    ///
    /// If masks are too few for the rows, or there are more boxes than rows that ask from there on.
    #[expect(
        clippy::too_many_arguments,
        reason = "those of `ask_for_each`, the plan, and where in it the boxes begin"
    )]
    pub fn ask_for_some(
        &self,
        plan: &SomeRows,
        first: usize,
        boxes: &BoxRun<'_>,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> ChunkStats {
        let left = plan.asking.len().saturating_sub(first);
        let given = boxes.len();
        assert!(given <= left, "{given} boxes, but only {left} rows ask");
        let own = plan.own_leaves(first, boxes.len());
        self.ask(boxes, own, masks, order, arena, visit)
    }

    /// Visits the pairs of a swept chunk, as [`pairs_in_chunk`](Self::pairs_in_chunk) does.
    ///
    /// # Panics
    ///
    /// If there is no such chunk, or `masks` is shorter than the columns were.
    pub fn pairs_in_swept_chunk(
        &self,
        plan: &SomeRows,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> ChunkStats {
        let pieces = pieces_of_chunk(&plan.swept, &plan.chunks, chunk);
        self.search_pieces(pieces, masks, arena, |arena| PairBuffer::new(arena, visit))
    }

    /// How much arena memory a chunk's sweep takes; unusually crowded rows make it grow.
    #[must_use]
    pub fn swept_scratch_bytes(&self, plan: &SomeRows) -> usize {
        self.scratch_bytes_of(longest(&plan.swept))
    }
}
