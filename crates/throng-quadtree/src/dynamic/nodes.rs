//! Nodes of eight bytes, four siblings side by side.

use crate::dynamic::slots::{Chained, NONE, Slots};

/// A node. Its box is not stored: it follows from the path to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The block of its four children; [`NONE`] in a leaf.
    pub children: u32,
    /// The list of elements that are in this node itself; [`NONE`] if there are none.
    pub list: u32,
}

/// Four children of one node: lower left, lower right, upper left, upper right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block(pub [Node; 4]);

/// A node's index: its block's number and its own number in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(pub u32);

/// The most blocks there can be: nodes' numbers must not reach [`NONE`].
const MOST_BLOCKS: usize = 1 << 29;

/// All nodes.
///
/// ```text
/// blocks     0                    1                    2
///          ┌────┬────┬────┬────┬────┬────┬────┬────┬────┬────┬────┬────┐
///          │root│  not used    │ of the root       │ of node 5         │
///          └─│──┴────┴────┴────┴────┴─│──┴────┴────┴────┴────┴────┴────┘
///            └──────────────►         └──────────────►
/// ```
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    blocks: Slots<Block>,
}

impl Node {
    pub const EMPTY: Self = Self {
        children: NONE,
        list: NONE,
    };

    #[inline(always)]
    pub fn is_leaf(self) -> bool {
        self.children == NONE
    }
}

impl NodeId {
    pub const ROOT: Self = Self(0);

    #[inline(always)]
    pub fn child(block: u32, sibling: u32) -> Self {
        Self(4 * block + sibling)
    }
}

impl Nodes {
    /// A root that is a leaf.
    pub fn new() -> Self {
        Self::with_capacity(1)
    }

    pub fn with_capacity(blocks: usize) -> Self {
        let mut blocks = Slots::with_capacity(blocks);
        blocks.take(Block([Node::EMPTY; 4]));
        Self { blocks }
    }

    pub fn clear(&mut self) {
        self.blocks.clear();
        self.blocks.take(Block([Node::EMPTY; 4]));
    }

    #[inline(always)]
    pub fn at(&self, node: NodeId) -> Node {
        self.blocks.at(node.0 / 4).0[node.0 as usize % 4]
    }

    #[inline(always)]
    pub fn at_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.blocks.at_mut(node.0 / 4).0[node.0 as usize % 4]
    }

    #[inline(always)]
    pub fn block(&self, block: u32) -> &Block {
        self.blocks.at(block)
    }

    /// Gives a leaf four children; `None` if there is no room for more nodes.
    pub fn add_children(&mut self, leaf: NodeId) -> Option<u32> {
        if self.blocks.used() == MOST_BLOCKS {
            return None;
        }
        Some(self.adopt(leaf, Block([Node::EMPTY; 4])))
    }

    /// Gives a node these children. The caller has checked that there is room.
    pub fn adopt(&mut self, parent: NodeId, children: Block) -> u32 {
        let block = self.blocks.take(children);
        self.at_mut(parent).children = block;
        block
    }

    /// Turns a node into a leaf. Its children must be leaves without elements.
    pub fn remove_children(&mut self, node: NodeId) {
        let block = std::mem::replace(&mut self.at_mut(node).children, NONE);
        self.blocks.give_back(block);
    }

    /// How many nodes there are in the tree.
    pub fn len(&self) -> usize {
        4 * self.blocks.used() - 3
    }

    pub fn slots(&self) -> &Slots<Block> {
        &self.blocks
    }
}

impl Chained for Block {
    fn next(&self) -> u32 {
        self.0[0].children
    }

    fn set_next(&mut self, next: u32) {
        self.0[0].children = next;
    }
}
