//! A tree seen from outside: its nodes and its memory.

use crate::dynamic::Quadtree;
use crate::dynamic::cursor::{At, Cursor, Siblings};
use crate::dynamic::nodes::Node;
use std::fmt;
use throng_core::Aabb;

/// A node as seen from outside, for drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuadtreeNode {
    /// The square it covers. At the border of the region a node also covers what is beyond.
    pub bounds: Aabb,
    /// How many times the region has been halved to get here; 0 for the root.
    pub depth: u32,
    /// How many elements are in this node itself.
    pub elements: usize,
    /// Whether it has no children.
    pub is_leaf: bool,
}

/// The memory of a tree in bytes, by use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuadtreeMemory {
    /// Boxes and values, not counting what the values own elsewhere.
    pub elements: usize,
    /// Nodes.
    pub nodes: usize,
    /// Which elements are in which node.
    pub lists: usize,
    /// Working memory of changes.
    pub scratch: usize,
}

impl QuadtreeMemory {
    /// All of them together.
    #[must_use]
    pub fn total(&self) -> usize {
        self.elements + self.nodes + self.lists + self.scratch
    }
}

impl fmt::Display for QuadtreeMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            elements,
            nodes,
            lists,
            scratch,
        } = self;
        write!(
            f,
            "{} bytes: {elements} in elements, {nodes} in nodes, {lists} in lists, {scratch} in scratch",
            self.total()
        )
    }
}

impl<T> Quadtree<T> {
    /// Visits every node, parents before children. For debug drawing.
    pub fn visit_nodes(&self, mut visit: impl FnMut(QuadtreeNode)) {
        self.walk(|at, node| {
            if let Some(bounds) = self.region.square(at.low, at.depth) {
                visit(QuadtreeNode {
                    bounds,
                    depth: at.depth,
                    elements: self.lists.len(node.list),
                    is_leaf: node.is_leaf(),
                });
            }
        });
    }

    /// How many nodes there are, empty ones included.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The memory that the tree holds. It does not depend on the area of the world or on the size of boxes.
    #[must_use]
    pub fn memory(&self) -> QuadtreeMemory {
        QuadtreeMemory {
            elements: self.values.memory_bytes()
                + self.boxes.capacity() * size_of::<Aabb>()
                + self.generations.capacity() * size_of::<u32>()
                + self.deepest.capacity(),
            nodes: self.nodes.slots().bytes(),
            lists: self.lists.bytes(),
            scratch: self.scratch.bytes(),
        }
    }

    /// Visits every node with the path to it.
    pub(super) fn walk(&self, mut visit: impl FnMut(&At, Node)) {
        let mut cursor = Cursor::new(&self.region);
        while let Some(at) = cursor.next() {
            let node = self.nodes.at(at.node);
            visit(&at, node);
            if !node.is_leaf() {
                let split = self.region.split(at.low, at.depth);
                cursor.enter(&at, node.children, split, Siblings::ALL);
            }
        }
    }
}
