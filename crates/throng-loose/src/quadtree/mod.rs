//! The loose quadtree: its parts, and what it does as a [`LooseStructure`].
//!
//! | file | holds |
//! |---|---|
//! | `config` | what a tree is made with |
//! | `region` | which cell of space a box belongs to |
//! | `nodes`, `bundles` | the two pools that the tree lives in |
//! | `change` | insert, set, remove |
//! | `update` | all rows at once, from columns |
//! | `clean_up` | split, merge, shrink: once a frame |
//! | `pack` | both pools back into the order of space |
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

use crate::work::Work;
use crate::{LooseCell, LooseError, LooseStructure, UpdateReport, check, leaves};
use bundles::{Bundles, Slot};
use nodes::{Node, Nodes};
use region::Region;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, Boxes, ChunkStats, Executor, PairOrder, RowMasks,
    Simd, SimdLevel,
};
use update::Scratch;

/// A loose quadtree: every box in exactly one leaf, chosen by its middle alone, however big it is.
///
/// Nodes keep the box around what is really below them, which may be larger or smaller than the part of
/// space that they divide, and may overlap their neighbours' ("loose"). So a box has one place and one
/// copy, moving it a little changes a few numbers, and searches look at boxes around rows, not at cells.
///
/// ```text
///   ┌───────────┬─────┬─────┐      ·  the middle of a row's box: it decides the leaf
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
/// [`update`](LooseStructure::update) all of them. Searches see every change at once. What a change leaves behind,
/// boxes of nodes that are too large, leaves with too many rows or too few, is put right by
/// [`clean_up`](Self::clean_up), in one pass over what changed; call it once a frame, before searching. It
/// is never needed for a right answer, only for a fast one. `update` ends with it.
///
/// # Where things lie
///
/// There are no world bounds. The first clean-up chooses a square region around most of what is there, and
/// later ones choose anew when much has left it. A middle outside belongs to the nearest leaf at the border.
/// So does a box that is infinite on one side; one without end both ways along an axis counts as at its
/// lower border. They cost what they meet: a leaf that reaches everywhere is looked at by every search.
///
/// # Memory
///
/// One copy of a box and its row, 20 bytes in bundles of sixteen which are three quarters full or so; 4 bytes
/// for each row number up to the highest; 16 bytes a row that updates work in; 37 bytes for a node, of which
/// there is one for twenty rows, as a rule, and at most four times
/// [`max_depth`](LooseQuadtreeConfig::max_depth) for each leaf with more rows than half of
/// [`split_above`](LooseQuadtreeConfig::split_above). Nothing depends on the area of the world.
///
/// # Invariants
///
/// Checked by [`validate`](LooseStructure::validate): every row is in exactly one leaf, the one whose cell holds its
/// middle, and `slots` says where; the bounds of a node hold those of all below it, and are those but for
/// changes since the last clean-up; an inner node is dirty if and only if a child of it is; `leaves` lists
/// all leaves in depth-first order; what is not in use is in a free list.
#[derive(Debug)]
pub struct LooseQuadtree {
    split_above: u32,
    max_depth: u8,
    simd: Simd,
    region: Region,
    /// Whether the region was chosen for what is there; before the first clean-up it was not.
    has_region: bool,
    nodes: Nodes,
    bundles: Bundles,
    /// Where each row lies.
    slots: Vec<Slot>,
    rows: usize,
    /// All leaves in depth-first order. Their numbers are places in this list.
    leaves: Vec<Node>,
    /// Splits and merges since both pools were last in the order of space.
    disorder: usize,
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
            leaves: vec![Node::ROOT],
            disorder: 0,
            work: Work::default(),
            scratch: Scratch::default(),
        })
    }

    /// Whether the row is there. O(1).
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
    /// Applies only the differences, and cleans up. In parallel but for rows that come, go or change their leaf,
    /// which are O(depth) each.
    fn update(
        &mut self,
        boxes: Boxes<'_>,
        executor: &dyn Executor,
    ) -> Result<UpdateReport, LooseError> {
        self.follow(boxes, executor)
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.bundles.clear();
        self.slots.clear();
        self.rows = 0;
        self.leaves.clear();
        self.leaves.push(Node::ROOT);
        self.has_region = false;
        self.disorder = 0;
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
    ) -> ChunkStats {
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
    ) -> ChunkStats {
        leaves::meet_in_chunk(self, &self.work, other, chunk, masks, order, arena, visit)
    }

    fn query_box(
        &self,
        window: &Aabb,
        visit: &mut dyn FnMut(u32, Aabb) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        leaves::query_box(self, window, visit)
    }

    fn visit_cells(&self, visit: &mut dyn FnMut(LooseCell)) {
        let mut next = Some(Node::ROOT);
        while let Some(node) = next {
            next = self.nodes.next(node);
            let (block, sibling) = self.nodes.at(node);
            let [x0, y0, x1, y1] = block.bounds_of(sibling);
            // Around nothing there are no bounds.
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
        leaves::gather(self, window, arena, found);
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bounds(&self) -> Option<Aabb> {
        leaves::bounds(self)
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
