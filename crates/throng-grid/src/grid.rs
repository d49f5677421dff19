//! The grid itself: its parts, and the build that fills them.

use crate::buckets::Buckets;
use crate::density::plan_layout;
use crate::layout::Layout;
use crate::leaf::{Leaf, Strip, list_strips};
use crate::partition::{COARSE_WORDS, EXACT_WORDS};
use crate::pieces::{Piece, cut_into_pieces};
use crate::run::Centers;
use crate::{GridConfig, GridError, Points};
use throng_core::{Executor, Simd, SimdLevel};

/// A grid of points: every row in exactly one leaf, rebuilt from the columns whenever they change.
///
/// Leaves lie strip after strip, and inside a strip from left to right:
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
/// A row is a place in the columns that the grid was last built from. All the grid keeps of it is the
/// centre, the row number and, in an exact grid, its own half extents: 12 or 20 bytes and some slack.
///
/// # Invariants
///
/// Checked by [`validate`](Self::validate): every indexed row is in exactly one leaf; a leaf's rows share
/// its strip and block and ascend by column, then by row; its bounds are tight; leaves ascend by strip,
/// then block.
#[derive(Debug)]
pub struct PointGrid {
    pub(crate) bound: [f32; 2],
    pub(crate) simd: Simd,
    pub(crate) layout: Layout,
    pub(crate) exact: bool,
    pub(crate) buckets: Buckets,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) strips: Vec<Strip>,
    pub(crate) pieces: Vec<Piece>,
    /// First piece of each chunk, and the end.
    pub(crate) chunks: Vec<u32>,
    pub(crate) rows: usize,
    plan: Option<Plan>,
}

/// So few rows outside are no reason to plan anew.
const FEW_OUTSIDE: usize = 64;

/// What the layout was planned for.
#[derive(Clone, Copy, Debug)]
struct Plan {
    rows: usize,
    /// [`crowding`] of the first build after planning, and how many rows it found outside.
    built: Option<(f64, usize)>,
}

/// What a build did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildReport {
    /// Rows in the index.
    pub rows: usize,
    /// Rows left out for a non-finite centre or half extents that are not within the bound; see
    /// [`PointGrid::rejected_rows`].
    pub rejected: usize,
    /// Rows beyond the range in which cells can be told apart. They are found like all others, but each
    /// is compared with every other one at its height; many of them make the next build choose coarser
    /// cells.
    pub outside: usize,
    /// Leaves made.
    pub leaves: usize,
    /// Whether cell sizes were chosen anew.
    pub planned: bool,
    /// Whether the counts had changed so much that rows were distributed twice.
    pub repeated: bool,
}

/// The most rows that a grid can be built from: more could overflow the 32-bit offsets inside it.
pub const MOST_ROWS: usize = 1 << 28;

impl PointGrid {
    /// An empty grid.
    ///
    /// # Errors
    ///
    /// If the bound is not a pair of finite numbers of at least zero, or this machine lacks the
    /// instruction set asked for.
    pub fn new(config: GridConfig) -> Result<Self, GridError> {
        let bound = config.half_extents;
        if !bound.iter().all(|half| half.is_finite() && *half >= 0.0) {
            return Err(GridError::Bound { given: bound });
        }
        let Some(simd) = Simd::new(config.simd) else {
            let given = config.simd.unwrap_or(SimdLevel::Scalar);
            return Err(GridError::Simd {
                given,
                best: SimdLevel::detect(),
            });
        };
        Ok(Self {
            bound,
            simd,
            layout: Layout::single(),
            exact: false,
            buckets: Buckets::default(),
            leaves: Vec::new(),
            strips: Vec::new(),
            pieces: Vec::new(),
            chunks: Vec::new(),
            rows: 0,
            plan: None,
        })
    }

    /// Indexes the columns anew. O(rows), in parallel, and without allocating once the counts are
    /// steady. Nothing of the last build remains.
    ///
    /// Row order, the number of workers and the instruction set do not change the result; what earlier
    /// builds of this grid saw may change where leaves are cut, never which pairs there are.
    ///
    /// # Errors
    ///
    /// If the columns differ in length or are too long. The grid then still holds the last build. A row
    /// that cannot be indexed is not an error: it is left out and listed.
    pub fn build(
        &mut self,
        points: Points<'_>,
        executor: &dyn Executor,
    ) -> Result<BuildReport, GridError> {
        check_columns(&points)?;
        self.forget_index();
        let planned = self.plan_if_needed(&points);
        self.exact = points.half_extents.is_some();
        let repeated = if self.exact {
            self.distribute_and_sort::<EXACT_WORDS>(points, executor)
        } else {
            self.distribute_and_sort::<COARSE_WORDS>(points, executor)
        };
        list_strips(&mut self.leaves, &mut self.strips);
        self.rows = self.leaves.iter().map(|leaf| leaf.len as usize).sum();
        cut_into_pieces(&self.leaves, self.rows, &mut self.pieces, &mut self.chunks);
        let outside = self.buckets.outside();
        self.judge_plan(points.xs.len(), outside);
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
        executor: &dyn Executor,
    ) -> bool {
        let repeated =
            self.buckets
                .distribute::<WORDS>(points, self.bound, self.layout, self.simd, executor);
        self.buckets
            .sort::<WORDS>(&self.layout, self.simd, executor, &mut self.leaves);
        repeated
    }

    fn plan_if_needed(&mut self, points: &Points<'_>) -> bool {
        let needed = self.plan.is_none();
        if needed {
            self.layout = plan_layout(points, self.bound);
            self.buckets.forget_counts();
            self.plan = Some(Plan {
                rows: points.xs.len(),
                built: None,
            });
        }
        needed
    }

    /// Drops the plan if the rows have become many more or fewer, or much more or less crowded, or if
    /// many have gone where cells can no longer be told apart.
    fn judge_plan(&mut self, rows: usize, outside: usize) {
        let crowding = crowding(&self.leaves, self.rows);
        if let Some(plan) = &mut self.plan {
            let (planned, stray) = *plan.built.get_or_insert((crowding, outside));
            let alike =
                |now: f64, then: f64, factor: f64| now <= then * factor && then <= now * factor;
            if !alike(rows as f64, plan.rows as f64, 1.5)
                || !alike(crowding, planned, 2.0)
                || outside > 2 * stray + FEW_OUTSIDE
            {
                self.plan = None;
            }
        }
    }

    /// Empties the grid and keeps its memory.
    pub fn clear(&mut self) {
        self.forget_index();
        self.plan = None;
    }

    /// Also before a build: were it to end in an executor's panic, nothing would point into memory that
    /// has been half rewritten.
    fn forget_index(&mut self) {
        self.leaves.clear();
        self.strips.clear();
        self.pieces.clear();
        self.chunks.clear();
        self.rows = 0;
    }

    /// How many rows are in the index.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether no row is in the index.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The bound that the grid was made with.
    pub fn half_extents(&self) -> [f32; 2] {
        self.bound
    }

    /// Whether own boxes are compared rather than boxes of the bound.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The instruction set in use.
    pub fn simd(&self) -> SimdLevel {
        self.simd.level()
    }

    /// Rows that the last build left out because they could not be indexed, ascending.
    pub fn rejected_rows(&self) -> &[u32] {
        self.buckets.rejected()
    }

    /// What a leaf holds, as it lies in memory.
    #[inline]
    pub(crate) fn centers(&self, leaf: &Leaf) -> Centers<'_> {
        let words = self.buckets.words();
        let run = |word: u32| {
            let start = leaf.start as usize + (word * leaf.stride) as usize;
            &words[start..start + leaf.len as usize]
        };
        let own = || [bytemuck::cast_slice(run(3)), bytemuck::cast_slice(run(4))];
        Centers {
            xs: bytemuck::cast_slice(run(0)),
            ys: bytemuck::cast_slice(run(1)),
            rows: run(2),
            own: self.exact.then(own),
            bound: self.bound,
            ahead: leaf.stride as usize
                * if self.exact {
                    EXACT_WORDS
                } else {
                    COARSE_WORDS
                },
        }
    }
}

fn check_columns(points: &Points<'_>) -> Result<(), GridError> {
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

/// How many rows share a row's leaf, on average over rows.
fn crowding(leaves: &[Leaf], rows: usize) -> f64 {
    let shared: f64 = leaves
        .iter()
        .map(|leaf| f64::from(leaf.len) * f64::from(leaf.len))
        .sum();
    shared / rows.max(1) as f64
}
