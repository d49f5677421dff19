//! The loose/tight double grid: its modules, and its [`LooseStructure`] implementation.
//!
//! The idea is Dragon Energy's, from the answers to "Efficient (and well explained) implementation of a
//! Quadtree for 2D collision detection". New here are: levels of sizes, so that both the range of box sizes and the
//! reach of a cell are bounded by constants; a rule instead of a set to report each cell once; and blocks of boxes that
//! are compared sixteen at a time.
//!
//! | file | holds |
//! |---|---|
//! | `config` | the settings of a grid |
//! | `layout`, `plan` | levels of cells, and how their sizes are chosen |
//! | `rows`, `blocks`, `loose`, `tight` | boxes by row and by cell, the loose cells, the lists over them |
//! | `pool` | the memory of blocks and list nodes |
//! | `order` | loose cells in the order of space |
//! | `change` | insert, set, remove |
//! | `update` | all rows at once, from columns |
//! | `clean_up` | once a frame: shrink cells, drop empty ones, distribute again |
//! | `search` | walking the leaves that touch a window |
//! | `inspect` | memory, invariants |

mod blocks;
mod change;
mod clean_up;
mod config;
mod inspect;
mod layout;
mod loose;
mod order;
mod plan;
mod pool;
mod rows;
mod search;
mod tight;
mod update;

pub use config::DoubleGridConfig;
pub use inspect::DoubleGridMemory;

use crate::some_rows::SomeRows;
use crate::work::Work;
use crate::{LooseCell, LooseError, LooseStructure, UpdateReport, check, leaves};
use blocks::Blocks;
use educe::Educe;
use layout::Layout;
use loose::LooseCells;
use order::Order;
use plan::{PlannedFor, plan_layout};
use pool::NONE;
use rows::Row;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, Boxes, Executor, PairOrder, RowMasks, SearchStats,
    Simd, SimdLevel,
};
use tight::TightLists;

/// A loose/tight double grid: boxes of any size that move, updated in place.
///
/// Each box is in one **loose cell**, chosen by its center. A loose cell keeps the bounds of its boxes, however far
/// they reach out of the cell. For each cell of a coarser **tight grid** there is a list of the loose cells whose
/// bounds reach into it. A search goes from tight cells to loose cells to boxes.
///
/// ```text
///   tight cells ┌───────────────────────┬───────────────────────┐
///               │ lists A, B            │ lists B               │
///               │     ┌───────────┐     │                       │
///               │  ┌──┼────────┐ A│   ┌─┼──────────┐            │     A, B: boxes of two loose cells;
///               │  │  │ · ·  · │  │   │ │  ·   · B │            │     each holds a couple of dozen
///               │  └──┼────────┘  │   └─┼──────────┘            │
///               │     └───────────┘     │                       │
///               └───────────────────────┴───────────────────────┘
/// ```
///
/// So the cost of a box does not depend on its size. Insert, set and remove take constant time, and searches see the
/// change at once. What they leave behind is repaired by [`clean_up`](Self::clean_up), once a frame.
///
/// - Cells come in levels, each four times as coarse as the last. A box goes to the lowest level whose cells are no
///   smaller than the box. Infinite boxes, and those tens of thousands of times larger than most, go to a last level
///   that is a single cell. Whatever touches its bounds is compared with all of them, sixteen at a time.
/// - A loose cell is listed in at most four tight cells. A search reports it only from the one that holds the lower
///   corner of the intersection of its bounds and the window. So there is no need to remember what was reported.
/// - A row takes 32 bytes for its box in row order, and 24 and some slack for the copy in its cell, whatever its size;
///   with its share of cells and lists, about 80 bytes. A box alone in its cell, as only outliers are, takes about 600.
///
/// # Invariants
///
/// Checked by [`validate`](LooseStructure::validate): every row is in one slot of the loose cell of its box. The bounds
/// of a cell contain its boxes, and tightly once it has been cleaned up. A cell is listed once in each of its tight
/// cells and nowhere else. Every cell in use is a leaf, and leaves are sorted after a clean-up. Counts and free lists
/// add up.
///
/// ```
/// use throng_core::{Boxes, Serial};
/// use throng_loose::{DoubleGrid, DoubleGridConfig, LooseStructure};
///
/// let (min, max) = ([0.0, 0.5, 9.0], [1.0, 50.0, 9.5]);
/// let mut grid = DoubleGrid::new(DoubleGridConfig::new())?;
/// grid.update(Boxes::new([&min, &min], [&max, &max])?, &Serial)?;
///
/// let mut pairs = Vec::new();
/// grid.for_each_pair(None, |a, b| pairs.push((a, b)));
/// pairs.sort_unstable();
/// assert_eq!(pairs, [(0, 1), (1, 2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Educe)]
#[educe(Clone)]
pub struct DoubleGrid {
    config: DoubleGridConfig,
    simd: Simd,
    rows: Vec<Row>,
    /// How many rows are held.
    held: usize,
    layout: Layout,
    /// What the layout was planned for; `None` if it still has to be planned.
    planned_for: Option<PlannedFor>,
    blocks: Blocks,
    cells: LooseCells,
    lists: TightLists,
    order: Order,
    work: Work,
    /// Which rows are held, if only some are.
    some: SomeRows,
    /// Whether rows have changed their cells since the work was cut into chunks.
    shifted: bool,
    /// How many rows have changed since sizes were last looked at.
    changes: usize,
    /// Scratch of [`put_blocks_in_order`](Self::put_blocks_in_order): a head for each leaf, a target for each block.
    scratch: [Vec<u32>; 2],
}

impl DoubleGrid {
    /// An empty grid.
    ///
    /// # Errors
    ///
    /// If a size is not a finite number above zero, or this machine lacks the instruction set asked for.
    pub fn new(config: DoubleGridConfig) -> Result<Self, LooseError> {
        check::size("loose_cell, the size of loose cells,", config.loose_cell)?;
        check::size("tight_cell, the size of tight cells,", config.tight_cell)?;
        let simd = check::simd(config.simd)?;
        Ok(Self {
            config,
            simd,
            rows: Vec::new(),
            held: 0,
            layout: plan_layout(0, |_| None, &config).0,
            planned_for: None,
            blocks: Blocks::default(),
            cells: LooseCells::new(),
            lists: TightLists::new(),
            order: Order::default(),
            work: Work::default(),
            some: SomeRows::default(),
            shifted: false,
            changes: 0,
            scratch: [Vec::new(), Vec::new()],
        })
    }

    /// Whether the row is held.
    pub fn contains(&self, row: u32) -> bool {
        self.rows.get(row as usize).is_some_and(Row::is_held)
    }

    /// The row's box, if the row is held.
    pub fn get(&self, row: u32) -> Option<Aabb> {
        let held = self.rows.get(row as usize).filter(|row| row.is_held())?;
        let [min, max] = held.corners();
        Aabb::new(min, max).ok()
    }

    /// The instruction set in use.
    pub fn simd(&self) -> SimdLevel {
        self.simd.level()
    }
}

impl LooseStructure for DoubleGrid {
    /// Applies only the differences: a row with an unchanged box costs one comparison, in row order. Where most cells
    /// have changed, the executor copies boxes to their cells; the rest runs on the calling thread. Ends with a
    /// [`clean_up`](Self::clean_up).
    fn update(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        self.follow(boxes, executor)
    }

    /// One look at each row after the other, as for all rows.
    fn update_rows(
        &mut self,
        boxes: Boxes<'_>,
        rows: &[u32],
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        check::rows_of_boxes(rows, boxes.len())?;
        Ok(self.follow_rows(boxes, rows, executor))
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.some.forget();
        self.held = 0;
        self.planned_for = None;
        self.blocks.clear();
        self.cells.clear();
        self.lists.clear(0);
        self.order.clear();
        self.work.clear();
        self.shifted = false;
        self.changes = 0;
    }

    fn len(&self) -> usize {
        self.held
    }

    fn chunks(&self) -> usize {
        if self.is_empty() {
            0
        } else {
            self.work.chunks()
        }
    }

    fn chunk_scratch_bytes(&self) -> usize {
        leaves::scratch_bytes(&self.work)
    }

    fn pairs_in_chunk(
        &self,
        chunk: usize,
        masks: Option<RowMasks<'_>>,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        leaves::pairs_in_chunk(self, &self.work, chunk, masks, arena, visit)
    }

    fn meet_in_chunk(
        &self,
        other: &dyn BoxSource,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        leaves::meet_in_chunk(self, &self.work, other, chunk, masks, order, arena, visit)
    }

    fn query_aabb(
        &self,
        window: &Aabb,
        visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        leaves::query_aabb(self, window, visit)
    }

    fn visit_cells(&self, visit: &mut dyn FnMut(LooseCell)) {
        for &id in self.order.leaves().iter().filter(|&&id| id != NONE) {
            let cell = self.cells.get(id);
            let [min, max] = cell.bounds;
            if let Ok(bounds) = Aabb::new(min, max) {
                visit(LooseCell {
                    bounds,
                    rows: cell.len as usize,
                    level: cell.key.level() as usize,
                });
            }
        }
    }

    fn cells(&self) -> usize {
        self.cells.used()
    }

    fn memory_bytes(&self) -> usize {
        self.memory().total()
    }

    fn validate(&self) -> Result<(), String> {
        self.check_invariants()
    }
}

impl BoxSource for DoubleGrid {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        leaves::gather(self, window, arena, found);
    }

    fn spacing(&self) -> Option<f32> {
        leaves::spacing(self)
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bounds(&self) -> Option<Aabb> {
        leaves::bounds(self)
    }
}

impl BoxPieces for DoubleGrid {
    fn piece_chunks(&self) -> usize {
        self.chunks()
    }

    fn visit_pieces<'a>(
        &self,
        chunk: usize,
        arena: &'a Arena,
        piece: &mut BoxRun<'a>,
        visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        leaves::visit_pieces(self, &self.work, chunk, arena, piece, visit)
    }
}
