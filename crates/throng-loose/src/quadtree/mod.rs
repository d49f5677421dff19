//! The loose quadtree: its modules, and its [`LooseStructure`] implementation.
//!
//! | file | holds |
//! |---|---|
//! | `config` | the settings of a tree |
//! | `region` | which cell a box belongs to |
//! | `nodes`, `bundles` | the two pools that hold the tree |
//! | `change` | insert, set, remove |
//! | `update` | all rows at once, from columns |
//! | `clean_up` | split, merge, shrink: once a frame |
//! | `pack` | sorts both pools in the order of space |
//! | `search` | walking the leaves that touch a window |
//! | `inspect` | memory, invariants |

mod bundles;
mod change;
mod clean_up;
mod config;
mod four;
mod in_place;
mod inspect;
mod nodes;
mod pack;
mod region;
mod search;
mod update;

#[cfg(test)]
mod tests;

pub use config::LooseQuadtreeConfig;
pub use inspect::QuadtreeMemory;

use crate::sides::corners_of;
use crate::some_rows::SomeRows;
use crate::work::Work;
use crate::{LooseCell, LooseError, LooseStructure, UpdateReport, check, leaves};
use bundles::{Bundles, Slot};
use educe::Educe;
use nodes::{Node, Nodes};
use region::Region;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, Boxes, Executor, PairOrder, RowMasks, SearchStats,
    Simd, SimdLevel,
};
use update::Scratch;

/// A loose quadtree: every box is in exactly one leaf, chosen only by its center, however large the box is.
///
/// The bounds of a node are those of the boxes below it. They may be larger or smaller than the part of space that the
/// node divides, and may overlap the neighbors' ("loose"). So a box has one leaf and one copy, a small move changes
/// only a few numbers, and searches look at bounds of boxes, not at cells.
///
/// ```text
///   ┌───────────┬─────┬─────┐      ·  the center of a row's box: it decides the leaf
///   │           │ ·   │  ·  │      A leaf's box may reach far out of its cell:
///   │     ·     ├─────┼─────┤
///   │           │╔════╪══╗  │      ╔══╗
///   │           │║ ·  │ ·║  │      ╚══╝  holds the boxes of the two rows in it
///   ├───────────┼╫────┴──╫──┤
///   │           │╚═══════╝  │
///   │           │     ·     │
///   └───────────┴───────────┘
/// ```
///
/// ```
/// use throng_core::Aabb;
/// use throng_loose::{LooseQuadtree, LooseQuadtreeConfig, LooseStructure};
///
/// let mut tree = LooseQuadtree::new(LooseQuadtreeConfig::new())?;
/// tree.insert(0, Aabb::new([0.0, 0.0], [100.0, 2.0])?)?;
/// tree.insert(1, Aabb::new([90.0, 1.0], [91.0, 3.0])?)?;
/// tree.insert(7, Aabb::new([5.0, 5.0], [6.0, 6.0])?)?;
/// tree.clean_up();
///
/// let mut pairs = Vec::new();
/// tree.for_each_pair(None, |a, b| pairs.push((a, b)));
/// assert_eq!(pairs, [(0, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Changing it
///
/// [`insert`](Self::insert), [`set`](Self::set) and [`remove`](Self::remove) change one row, and
/// [`update`](LooseStructure::update) changes all. Searches see every change at once. A change may leave behind bounds
/// that are too large, and leaves with too many or too few rows. [`clean_up`](Self::clean_up) repairs that, in one pass
/// over what changed; call it once a frame, before searching. Results are correct without it, only slower. `update`
/// ends with it.
///
/// # Where things lie
///
/// There are no world bounds. The first clean-up chooses a square region around most of the boxes, and later ones
/// choose again when many have left it. A center outside belongs to the nearest leaf at the border. So does a box that
/// is infinite on one side; along an axis where it is infinite both ways, a box counts as at the lower border. The cost
/// of such boxes is that every search looks at a leaf that reaches everywhere.
///
/// # Memory
///
/// One copy of a box and its row: 20 bytes, in bundles of sixteen that are about three quarters full. 4 bytes for each
/// row number up to the highest. 16 bytes a row of working memory for updates. 36 bytes per node: there is usually one
/// node for twenty rows, and there are at most four times [`max_depth`](LooseQuadtreeConfig::max_depth) for each leaf
/// with more than half of [`split_above`](LooseQuadtreeConfig::split_above) rows. Nothing depends on the area of the
/// world.
///
/// # Invariants
///
/// Checked by [`validate`](LooseStructure::validate): every row is in exactly one leaf, the one whose cell holds its
/// center, and `slots` says where. The bounds of a node contain everything below it, and tightly except for changes
/// since the last clean-up. An inner node is dirty if and only if one of its children is. `leaves` lists all leaves in
/// depth-first order. Whatever is not in use is in a free list.
#[derive(Debug, Educe)]
#[educe(Clone)]
pub struct LooseQuadtree {
    split_above: u32,
    max_depth: u8,
    simd: Simd,
    region: Region,
    /// Whether the region was chosen for the rows held; false before the first clean-up.
    has_region: bool,
    nodes: Nodes,
    bundles: Bundles,
    /// Where each row is stored.
    slots: Vec<Slot>,
    rows: usize,
    /// Which rows are held, if only some are.
    some: SomeRows,
    /// All leaves in depth-first order. Their numbers are indices into this list.
    leaves: Vec<Node>,
    /// How many splits and merges there were since both pools were last sorted.
    disorder: usize,
    /// At most so many rows are outside the region, or in leaves that cannot be divided: as many as when they were last counted,
    /// and all rows of leaves that have been cleaned up since.
    most_misfits: usize,
    /// The search, cut into chunks.
    work: Work,
    scratch: Scratch,
}

impl LooseQuadtree {
    /// An empty tree.
    ///
    /// # Errors
    ///
    /// If a setting is out of its range, or this machine lacks the instruction set asked for.
    pub fn new(config: LooseQuadtreeConfig) -> Result<Self, LooseError> {
        config.check()?;
        let simd = check::simd(config.simd)?;
        Ok(Self {
            split_above: config.split_above as u32,
            max_depth: config.max_depth as u8,
            simd,
            region: Region::unit(),
            has_region: false,
            nodes: Nodes::new(),
            bundles: Bundles::new(),
            slots: Vec::new(),
            rows: 0,
            some: SomeRows::default(),
            leaves: vec![Node::ROOT],
            disorder: 0,
            most_misfits: 0,
            work: Work::default(),
            scratch: Scratch::default(),
        })
    }

    /// Whether the row is held. O(1).
    #[must_use]
    pub fn contains(&self, row: u32) -> bool {
        self.slot(row).is_some()
    }

    /// A row's box. O(1).
    #[must_use]
    pub fn get(&self, row: u32) -> Option<Aabb> {
        let slot = self.slot(row)?;
        let [x0, y0, x1, y1] = self.bundles.boxes(slot.bundle()).bounds_of(slot.lane());
        Aabb::new([x0, y0], [x1, y1]).ok()
    }

    /// The instruction set in use.
    #[must_use]
    pub fn simd(&self) -> SimdLevel {
        self.simd.level()
    }

    fn slot(&self, row: u32) -> Option<Slot> {
        let slot = *self.slots.get(row as usize)?;
        (slot != Slot::NONE).then_some(slot)
    }
}

impl LooseStructure for LooseQuadtree {
    /// Applies only the differences, and cleans up. In parallel except for rows that are inserted, removed or change
    /// their leaf, which are O(depth) each.
    fn update(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        self.follow(boxes, executor)
    }

    /// As for all rows, if these are at least a quarter of all numbers up to the last; otherwise row by row, O(depth) for each that
    /// changes its leaf.
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
        self.nodes.clear();
        self.bundles.clear();
        self.slots.clear();
        self.rows = 0;
        self.some.forget();
        self.leaves.clear();
        self.leaves.push(Node::ROOT);
        self.has_region = false;
        self.disorder = 0;
        self.most_misfits = 0;
        self.work.clear();
    }

    fn len(&self) -> usize {
        self.rows
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
        let mut next = Some(Node::ROOT);
        while let Some(node) = next {
            next = self.nodes.next(node);
            let (block, sibling) = self.nodes.at(node);
            let [x0, y0, x1, y1] = block.bounds_of(sibling);
            // An empty leaf has no bounds.
            if let Ok(bounds) = Aabb::new([x0, y0], [x1, y1]) {
                let rows = if block.is_leaf(sibling) {
                    block.rows[sibling] as usize
                } else {
                    0
                };
                visit(LooseCell {
                    bounds,
                    rows,
                    level: usize::from(block.depth),
                });
            }
        }
    }

    fn cells(&self) -> usize {
        self.leaves.len()
    }

    fn memory_bytes(&self) -> usize {
        self.memory().total()
    }

    fn validate(&self) -> Result<(), String> {
        self.check_invariants()
    }
}

impl BoxSource for LooseQuadtree {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        self.gather_touching(&corners_of(window), arena, found);
    }

    fn spacing(&self) -> Option<f32> {
        leaves::spacing(self)
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of the root. O(1).
    fn bounds(&self) -> Option<Aabb> {
        let [x0, y0, x1, y1] = self.nodes.block(0).bounds_of(Node::ROOT.sibling());
        let bounds = Aabb::new([x0, y0], [x1, y1]).ok();
        bounds.filter(|_| !self.is_empty())
    }
}

impl BoxPieces for LooseQuadtree {
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
