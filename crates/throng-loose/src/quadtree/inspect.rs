//! A tree from outside: its memory and its invariants.

use crate::check::ensure;
use crate::quadtree::LooseQuadtree;
use crate::quadtree::bundles::Slot;
use crate::quadtree::nodes::{Bounds, NONE, NOTHING, Node, union};
use std::fmt;
use throng_core::LANES;

/// How many bytes a tree holds, and for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuadtreeMemory {
    /// Boxes and their rows.
    pub boxes: usize,
    /// Where each row is.
    pub slots: usize,
    /// Nodes, the list of leaves, and the chunks of work.
    pub nodes: usize,
    /// Working memory of updates.
    pub scratch: usize,
}

impl QuadtreeMemory {
    /// The sum.
    #[must_use]
    pub fn total(&self) -> usize {
        self.boxes + self.slots + self.nodes + self.scratch
    }
}

impl fmt::Display for QuadtreeMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            boxes,
            slots,
            nodes,
            scratch,
        } = self;
        write!(
            f,
            "{} bytes: {boxes} in boxes, {slots} in slots, {nodes} in nodes, {scratch} in scratch",
            self.total()
        )
    }
}

impl LooseQuadtree {
    /// The memory that the tree holds. None of it depends on the area of the world.
    #[must_use]
    pub fn memory(&self) -> QuadtreeMemory {
        QuadtreeMemory {
            boxes: self.bundles.bytes(),
            slots: self.slots.capacity() * size_of::<Slot>(),
            nodes: self.nodes.bytes()
                + self.leaves.capacity() * size_of::<Node>()
                + self.work.bytes(),
            scratch: self.scratch.bytes() + self.some.bytes(),
        }
    }

    /// What [`validate`](crate::LooseStructure::validate) does. O(rows · depth).
    pub(super) fn check_invariants(&self) -> Result<(), String> {
        let mut seen = Seen::default();
        let mut next = Some(Node::ROOT);
        while let Some(node) = next {
            next = self.nodes.next(node);
            self.validate_node(node, &mut seen)?;
        }
        let numbered = self.slots.iter().filter(|&&slot| slot != Slot::NONE);
        ensure(
            (seen.rows, numbered.count()) == (self.rows, self.rows),
            || format!("{} rows in leaves, {} counted", seen.rows, self.rows),
        )?;
        ensure(seen.leaves == self.leaves, || {
            "the list of leaves is not that of the tree".into()
        })?;
        let (is_clean, misfits) = (self.nodes.block(0).dirty == 0, self.count_misfits());
        ensure(!is_clean || misfits <= self.most_misfits, || {
            format!(
                "{misfits} misfits where there are to be {} at most",
                self.most_misfits
            )
        })?;
        let free = self.nodes.free_blocks().count();
        ensure(
            seen.blocks == self.nodes.used() && seen.blocks + free == self.nodes.slots(),
            || format!("{} blocks in the tree, {free} free", seen.blocks),
        )?;
        let free = self.bundles.free_bundles().count();
        ensure(
            seen.bundles == self.bundles.used() && seen.bundles + free == self.bundles.slots(),
            || format!("{} bundles in leaves, {free} free", seen.bundles),
        )
    }

    fn validate_node(&self, node: Node, seen: &mut Seen) -> Result<(), String> {
        let (block, sibling) = self.nodes.at(node);
        if sibling == 0 {
            seen.blocks += 1;
        }
        let below = if block.is_leaf(sibling) {
            ensure(
                block.last_leaf[sibling] as usize == seen.leaves.len(),
                || format!("leaf {node:?} has the number {}", block.last_leaf[sibling]),
            )?;
            seen.leaves.push(node);
            self.validate_leaf(node, seen)?
        } else {
            let children = self.nodes.block(block.children[sibling]);
            let is_mine = children.parent == node && children.depth == block.depth + 1;
            ensure(is_mine, || {
                format!("children of {node:?} have another parent")
            })?;
            ensure(block.depth < self.max_depth, || {
                format!("{node:?} is too deep to have children")
            })?;
            let cell = block.cell(sibling);
            ensure((children.x, children.y) == (2 * cell.x, 2 * cell.y), || {
                format!("children of {node:?} have cells of another node")
            })?;
            ensure(
                block.rows[sibling] == 0 && block.bundle[sibling] == NONE,
                || format!("inner node {node:?} holds rows"),
            )?;
            ensure(block.last_leaf[sibling] == children.last_leaf[3], || {
                format!("inner node {node:?} has another last leaf than its last child")
            })?;
            let marked = (children.dirty != 0) == (block.dirty >> sibling & 1 != 0);
            ensure(marked, || {
                format!("{node:?} is dirty without a child, or a child without it")
            })?;
            children.all_bounds()
        };
        let bounds = block.bounds_of(sibling);
        let dirty = block.dirty >> sibling & 1 != 0;
        let expected = if dirty { union(bounds, below) } else { below };
        // NaN bounds contain nothing, and equal nothing.
        let mut sides = bounds.into_iter().zip(expected);
        let right = sides.all(|(a, b)| a == b || (a.is_nan() && b.is_nan()));
        ensure(right, || {
            format!("{node:?} has {bounds:?} around {below:?}")
        })
    }

    /// Returns the bounds of the leaf's rows.
    fn validate_leaf(&self, leaf: Node, seen: &mut Seen) -> Result<Bounds, String> {
        let (block, sibling) = self.nodes.at(leaf);
        let cell = block.cell(sibling);
        let (mut bounds, mut rows) = (NOTHING, 0);
        for bundle in self.bundles.linked_from(block.bundle[sibling]) {
            let link = self.bundles.link(bundle);
            ensure(link.owner == leaf, || {
                format!("bundle {bundle} of {leaf:?} belongs to {:?}", link.owner)
            })?;
            let first = bundle == block.bundle[sibling];
            let full = link.len as usize == LANES;
            ensure(full || (first && link.len > 0), || {
                format!("bundle {bundle} of {leaf:?} holds {} rows", link.len)
            })?;
            let in_bundle = self.bundles.boxes(bundle).bounds();
            ensure(link.stale || link.bounds == in_bundle, || {
                format!("bundle {bundle} has {:?}, not {in_bundle:?}", link.bounds)
            })?;
            let unused = link.len as usize..LANES;
            let boxes = self.bundles.boxes(bundle);
            let nothing = |lane: usize| {
                boxes.rows[lane] == NONE && boxes.bounds_of(lane).iter().all(|side| side.is_nan())
            };
            ensure(unused.into_iter().all(nothing), || {
                format!("bundle {bundle} has boxes behind its last")
            })?;
            for lane in 0..link.len {
                let here = self.bundles.boxes(bundle).bounds_of(lane as usize);
                let row = self.bundles.boxes(bundle).rows[lane as usize];
                ensure(self.slot(row) == Some(Slot::of(bundle, lane)), || {
                    format!("row {row} is in {leaf:?} and does not know it")
                })?;
                ensure(cell.holds(self.fine_cell(here)), || {
                    format!("row {row} is in {leaf:?} and belongs elsewhere")
                })?;
                bounds = union(bounds, here);
                rows += 1;
            }
            seen.bundles += 1;
        }
        ensure(block.rows[sibling] == rows, || {
            format!("{leaf:?} counts {} rows of {rows}", block.rows[sibling])
        })?;
        seen.rows += rows as usize;
        Ok(bounds)
    }
}

/// What a validation has counted.
#[derive(Default)]
struct Seen {
    leaves: Vec<Node>,
    rows: usize,
    blocks: usize,
    bundles: usize,
}
