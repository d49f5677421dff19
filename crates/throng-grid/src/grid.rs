//! The grid itself: its parts, and the build that fills them.

use crate::buckets::{Buckets, Said};
use crate::density::plan_layout;
use crate::layout::Layout;
use crate::leaf::{Bounds, Leaf, Strip, list_strips, sort_leaves};
use crate::mend::{MendScratch, Upkeep};
use crate::partition::{COARSE_WORDS, EXACT_WORDS, WithClasses};
use crate::pieces::{Piece, cut_into_pieces};
use crate::refit::{Drift, RefitLog, RefitScratch};
use crate::row_word::RowWord;
use crate::run::Centers;
use crate::subset::RowColumns;
use crate::{GridConfig, GridError, Points, RowClasses};
use educe::Educe;
use throng_core::{Executor, Simd, SimdLevel, Spare};

/// A grid of points: every row is in exactly one leaf. It is rebuilt from the columns whenever they change, or
/// [mended](Self::mend) where only some rows have, or [refitted](Self::refit) while all are still near where they were.
///
/// Leaves are ordered strip by strip, and from left to right within a strip:
///
/// ```text
///   y ▲  ┌────────────┬─────────┬───────────────┐
///     │  │ leaf 4     │ leaf 5  │               │  strip 2   strips are 1.25 box heights tall or more
///     │  ├──────┬─────┴────┬────┴───────────────┤
///     │  │ leaf 2          │ leaf 3             │  strip 1   a leaf is a run sorted by column
///     │  ├──────┴──────────┴────────┬───────────┤
///     │  │ leaf 0                   │ leaf 1    │  strip 0   empty places have no leaf
///     │  └──────────────────────────┴───────────┘
///     └───────────────────────────────────────────► x
/// ```
///
/// A row is an index into the columns that the grid was last built from, mended or refitted with. All that the grid keeps of a row is its
/// center, its number and, in an exact grid, its own half extents: 12 or 20 bytes and some slack.
///
/// # Invariants
///
/// Checked by [`validate`](Self::validate): every indexed row is in exactly one leaf; a leaf's rows share its strip
/// and block and are sorted by column, then by row; its bounds are tight; leaves are sorted by strip, then block. After a refit,
/// rows are where the last build put them, and no farther from where they belong than is known.
#[derive(Debug, Educe)]
#[educe(Clone)]
pub struct PointGrid {
    pub(crate) bound: [f32; 2],
    pub(crate) simd: Simd,
    pub(crate) layout: Layout,
    pub(crate) exact: bool,
    /// What records say of their rows.
    pub(crate) row_word: RowWord,
    pub(crate) buckets: Buckets,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) strips: Vec<Strip>,
    pub(crate) pieces: Vec<Piece>,
    /// The first piece of each chunk, and the end of the last.
    pub(crate) chunks: Vec<u32>,
    pub(crate) rows: usize,
    /// How many rows the last build was given (absent ones count, unless it was from some rows alone), with what mends have added and
    /// taken away since.
    pub(crate) rows_given: usize,
    /// The bounds of all centers. Found once in a build, because every chunk of some searches needs them.
    pub(crate) bounds: Bounds,
    plan: Plan,
    /// Nothing if the index cannot be mended and is to be built.
    pub(crate) upkeep: Option<Upkeep>,
    pub(crate) mend_scratch: Spare<MendScratch>,
    pub(crate) row_columns: Spare<RowColumns>,
    /// How far rows are from where the last build put them.
    pub(crate) drift: Drift,
    pub(crate) refit_log: RefitLog,
    pub(crate) refit_scratch: RefitScratch,
    /// Whether places have been noted, and no row has been put elsewhere since.
    pub(crate) places_noted: bool,
}

/// This few rows outside the range of cells (see [`BuildReport::outside`]) are no reason to plan again.
const FEW_OUTSIDE: usize = 64;

/// Leaves may get this many times as crowded as planned before there is a new plan: a search hardly minds.
const MORE_CROWDED: f64 = 2.0;
/// Leaves may get this many times less crowded than planned. A crowd that spreads fills more strips and blocks than there are
/// buckets for, and rows of two that share a bucket have to be told apart: a step of 2,000 that had spread to half of their density
/// took 1.6 times as long.
const LESS_CROWDED: f64 = 1.4;

/// Whether the next build keeps the layout.
#[derive(Clone, Copy, Debug)]
enum Plan {
    /// No: it plans one.
    Missing,
    /// Yes, whatever it finds.
    Chosen,
    /// Yes, as long as what it finds is like this.
    Built(PlannedFor),
}

/// What the first build with the layout found.
#[derive(Clone, Copy, Debug)]
struct PlannedFor {
    /// Rows in the index.
    rows: usize,
    /// See [`Upkeep::crowding`].
    crowding: f64,
    outside: usize,
}

impl PlannedFor {
    /// Whether a layout that was planned for `then` fits what there is now.
    fn is_like(&self, then: &Self) -> bool {
        let within =
            |now: f64, then: f64, more: f64, less: f64| now <= then * more && then <= now * less;
        within(self.rows as f64, then.rows as f64, 1.5, 1.5)
            && within(self.crowding, then.crowding, MORE_CROWDED, LESS_CROWDED)
            && self.outside <= 2 * then.outside + FEW_OUTSIDE
    }
}

/// What a build did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildReport {
    /// Rows in the index.
    pub rows: usize,
    /// Rows left out because their center is not finite, or their half extents exceed the bound, are negative or NaN; see
    /// [`PointGrid::rejected_rows`].
    pub rejected: usize,
    /// Rows too far from the origin for cells to be told apart. They are found like all others, but each is compared
    /// with every other one at its height. Many of them make the next build choose coarser cells.
    pub outside: usize,
    /// Leaves made.
    pub leaves: usize,
    /// Whether new cell sizes were chosen.
    pub planned: bool,
    /// Whether the counts had changed so much that the rows were distributed twice.
    pub repeated: bool,
}

/// The most rows that a grid can be built from: more could overflow the 32-bit offsets inside it.
pub const MOST_ROWS: usize = 1 << 28;

impl PointGrid {
    /// An empty grid.
    ///
    /// # Errors
    ///
    /// If the bound is not a pair of finite numbers of zero or more, or this machine does not have the instruction
    /// set asked for.
    pub fn new(config: GridConfig) -> Result<Self, GridError> {
        let bound = config.half_extents;
        if !bound.iter().all(|half| half.is_finite() && *half >= 0.0) {
            return Err(GridError::Bound { given: bound });
        }
        let simd = Simd::new(config.simd)?;
        Ok(Self {
            bound,
            simd,
            layout: Layout::single(),
            exact: false,
            row_word: RowWord::PLAIN,
            buckets: Buckets::default(),
            leaves: Vec::new(),
            strips: Vec::new(),
            pieces: Vec::new(),
            chunks: Vec::new(),
            rows: 0,
            rows_given: 0,
            bounds: Bounds::NONE,
            plan: Plan::Missing,
            upkeep: None,
            mend_scratch: Spare::default(),
            row_columns: Spare::default(),
            drift: Drift::default(),
            refit_log: RefitLog::default(),
            refit_scratch: RefitScratch::default(),
            places_noted: false,
        })
    }

    /// Rebuilds the index from the columns. O(rows), in parallel, and without allocating once the counts are steady.
    /// Nothing of the last build remains.
    ///
    /// The order of rows, the number of workers and the instruction set do not change the result. Earlier builds of
    /// this grid may change where leaves are cut, but never which pairs are found.
    ///
    /// # Errors
    ///
    /// If the columns differ in length or are too long. The grid then still holds the last build. A row that cannot
    /// be indexed is not an error: it is left out and listed.
    pub fn build(
        &mut self,
        points: Points<'_>,
        executor: &dyn Executor,
    ) -> Result<BuildReport, GridError> {
        self.build_with(points, Said::Numbers, RowWord::PLAIN, executor)
    }

    /// As [`build`](Self::build), and the index carries each row's class of masks, if no more than 32 may be in use, there
    /// are no more than 2^27 rows, and kernels are not scalar. A search that is given masks
    /// [by class](throng_core::RowMasks::Classes) then need not look classes up by row; they must be those of the build. It
    /// finds the same pairs in the same order.
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build), and if there are not as many classes as rows.
    pub fn build_with_classes(
        &mut self,
        points: Points<'_>,
        classes: RowClasses<'_>,
        executor: &dyn Executor,
    ) -> Result<BuildReport, GridError> {
        let row_word = self.row_word_for(&points, &classes)?;
        let said = if row_word.is_plain() {
            Said::Numbers
        } else {
            Said::Classes(WithClasses {
                classes: classes.of_rows,
                row_word,
            })
        };
        self.build_with(points, said, row_word, executor)
    }

    /// The class of each row, if there are any, and what records are to say of rows.
    pub(crate) fn classes_for<'a>(
        &self,
        points: &Points<'_>,
        classes: Option<RowClasses<'a>>,
    ) -> Result<(&'a [u16], RowWord), GridError> {
        let Some(classes) = classes else {
            return Ok((&[], RowWord::PLAIN));
        };
        Ok((classes.of_rows, self.row_word_for(points, &classes)?))
    }

    /// What records are to say of rows with classes.
    fn row_word_for(
        &self,
        points: &Points<'_>,
        classes: &RowClasses<'_>,
    ) -> Result<RowWord, GridError> {
        let rows = points.xs.len();
        if classes.of_rows.len() != rows {
            return Err(GridError::Classes {
                rows,
                classes: classes.of_rows.len(),
            });
        }
        let with_classes = RowWord::with_classes(rows, classes);
        Ok(match self.simd.level() {
            SimdLevel::Scalar => with_classes.without_class(),
            _ => with_classes,
        })
    }

    pub(crate) fn build_with(
        &mut self,
        points: Points<'_>,
        said: Said<'_>,
        row_word: RowWord,
        executor: &dyn Executor,
    ) -> Result<BuildReport, GridError> {
        check_columns(&points)?;
        // Words name rows of other columns than those that a refit is given.
        let has_numbers = !matches!(said, Said::Words(_));
        self.forget_index();
        let planned = self.plan_if_needed(&points);
        self.exact = points.half_extents.is_some();
        self.row_word = row_word;
        let repeated = if self.exact {
            self.distribute_and_sort::<EXACT_WORDS>(points, said, executor)
        } else {
            self.distribute_and_sort::<COARSE_WORDS>(points, said, executor)
        };
        sort_leaves(&mut self.leaves);
        list_strips(&self.leaves, &mut self.strips);
        self.rows = self.leaves.iter().map(|leaf| leaf.len as usize).sum();
        self.rows_given = points.xs.len();
        self.bounds = Bounds::of_leaves(&self.leaves);
        cut_into_pieces(&self.leaves, self.rows, &mut self.pieces, &mut self.chunks);
        let outside = self.buckets.outside();
        let free = self.buckets.end() as usize * self.record_words();
        let upkeep = Upkeep::new(&self.leaves, free, outside);
        self.drop_unfit_plan(&upkeep);
        self.upkeep = Some(upkeep);
        // Refits are allowed if the index was built from all rows of its columns except absent ones.
        self.refit_log.is_allowed = has_numbers && self.rejected_rows().is_empty();
        self.refit_scratch.note_absent(points.absent);
        self.refit_scratch.reserve(self.leaves.len());
        Ok(BuildReport {
            rows: self.rows,
            rejected: self.rejected_rows().len(),
            outside,
            leaves: self.leaves.len(),
            planned,
            repeated,
        })
    }

    fn distribute_and_sort<const WORDS: usize>(
        &mut self,
        points: Points<'_>,
        said: Said<'_>,
        executor: &dyn Executor,
    ) -> bool {
        let geometry = (self.bound, self.layout);
        let repeated = self
            .buckets
            .distribute::<WORDS>(points, said, geometry, self.simd, executor);
        self.buckets
            .sort::<WORDS>(&self.layout, self.simd, executor, &mut self.leaves);
        repeated
    }

    fn plan_if_needed(&mut self, points: &Points<'_>) -> bool {
        let needed = !self.has_plan();
        if needed {
            self.layout = plan_layout(points, self.bound);
            self.buckets.forget_counts();
            self.plan = Plan::Chosen;
        }
        needed
    }

    /// Makes the next build use a layout that another grid has.
    pub(crate) fn use_layout(&mut self, layout: Layout) {
        if self.layout != layout {
            self.layout = layout;
            self.buckets.forget_counts();
        }
        self.plan = Plan::Chosen;
    }

    /// Drops the plan if there are far more or fewer rows, if they are much more or less crowded, or if many are now
    /// outside the range of cells.
    pub(crate) fn drop_unfit_plan(&mut self, upkeep: &Upkeep) {
        let now = PlannedFor {
            rows: self.rows,
            crowding: upkeep.crowding(self.rows),
            outside: upkeep.outside,
        };
        self.plan = match self.plan {
            Plan::Missing => Plan::Missing,
            Plan::Chosen => Plan::Built(now),
            Plan::Built(then) if now.is_like(&then) => self.plan,
            Plan::Built(_) => Plan::Missing,
        };
    }

    /// Whether there is a plan for the next build, which fits.
    pub(crate) fn has_plan(&self) -> bool {
        !matches!(self.plan, Plan::Missing)
    }

    /// Empties the grid but keeps its memory.
    pub fn clear(&mut self) {
        self.forget_index();
        self.refit_log = RefitLog::default();
        self.plan = Plan::Missing;
    }

    /// Also called before a build: if that ends in a panic of the executor, nothing refers to memory that is half
    /// rewritten.
    pub(crate) fn forget_index(&mut self) {
        self.upkeep = None;
        self.leaves.clear();
        self.strips.clear();
        self.pieces.clear();
        self.chunks.clear();
        self.rows = 0;
        self.bounds = Bounds::NONE;
        self.drift = Drift::default();
        self.refit_log.restart();
        self.refit_scratch.restart();
        self.places_noted = false;
    }

    /// Remembers that rows are where they are now, until one of them is put elsewhere; see
    /// [`has_places_as_noted`](Self::has_places_as_noted). O(1).
    pub fn note_places(&mut self) {
        self.places_noted = true;
    }

    /// Whether the index has had the same rows in the same places since these were [noted](Self::note_places): there has been nothing
    /// but [refits](Self::refit) that carried nobody over. Then the pairs of a [chunk](Self::pairs_in_chunk) are still pairs of the
    /// same chunk, as far as they still overlap. O(1).
    pub fn has_places_as_noted(&self) -> bool {
        self.places_noted
    }

    /// How many rows are in the index.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows in the index.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The bound that the grid was created with.
    pub fn half_extents(&self) -> [f32; 2] {
        self.bound
    }

    /// Whether rows' own boxes are compared rather than boxes of the bound.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The instruction set in use.
    pub fn simd(&self) -> SimdLevel {
        self.simd.level()
    }

    /// Rows that the last build or mend left out because they could not be indexed, ascending.
    pub fn rejected_rows(&self) -> &[u32] {
        self.buckets.rejected()
    }

    /// The centers in a leaf, as they lie in memory.
    #[inline(always)]
    pub(crate) fn centers(&self, leaf: &Leaf) -> Centers<'_> {
        let words = self.words();
        let run = |word: u32| {
            let start = leaf.start as usize + (word * leaf.stride) as usize;
            &words[start..start + leaf.len as usize]
        };
        let own = || [bytemuck::cast_slice(run(3)), bytemuck::cast_slice(run(4))];
        Centers {
            xs: bytemuck::cast_slice(run(0)),
            ys: bytemuck::cast_slice(run(1)),
            rows: run(2),
            row_word: self.row_word,
            own: self.exact.then(own),
            bound: self.bound,
            ahead: leaf.len as usize * self.record_words(),
        }
    }

    /// The memory that leaves lie in.
    pub(crate) fn words(&self) -> &[u32] {
        self.buckets.words()
    }

    /// How many words a record has.
    pub(crate) fn record_words(&self) -> usize {
        if self.exact {
            EXACT_WORDS
        } else {
            COARSE_WORDS
        }
    }
}

pub(crate) fn check_columns(points: &Points<'_>) -> Result<(), GridError> {
    let (xs, ys) = (points.xs.len(), points.ys.len());
    let half_extents = points.half_extents.map(<[_]>::len);
    if xs != ys || half_extents.is_some_and(|len| len != xs) {
        return Err(GridError::Lengths {
            xs,
            ys,
            half_extents,
        });
    }
    if xs > MOST_ROWS {
        return Err(GridError::TooManyRows {
            given: xs,
            most: MOST_ROWS,
        });
    }
    Ok(())
}
