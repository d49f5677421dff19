//! The nodes of the tree: blocks of four siblings in a pool.

use educe::Educe;

use crate::quadtree::four;
use crate::quadtree::region::{FineCell, LEVELS};
use crate::sides::Sides;

/// No block, no bundle, no node.
pub(super) const NONE: u32 = u32::MAX;

/// A node: four times its block, plus which of the four siblings it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(pub u32);

impl Node {
    /// The root. Its three siblings are not used.
    pub const ROOT: Node = Node(0);
    /// The parent of the root.
    pub const NONE: Node = Node(NONE);

    #[inline(always)]
    pub fn of(block: u32, sibling: usize) -> Node {
        Node(block * 4 + sibling as u32)
    }

    #[inline(always)]
    pub fn block(self) -> u32 {
        self.0 / 4
    }

    #[inline(always)]
    pub fn sibling(self) -> usize {
        (self.0 % 4) as usize
    }
}

/// The sides of a box around some boxes. All NaN if there are none: every comparison with NaN is false, and
/// [`f32::min`] ignores it.
pub(super) type Bounds = Sides;

pub(super) const NOTHING: Bounds = [f32::NAN; 4];

#[inline(always)]
pub(super) fn union(a: Bounds, b: Bounds) -> Bounds {
    [
        a[0].min(b[0]),
        a[1].min(b[1]),
        a[2].max(b[2]),
        a[3].max(b[3]),
    ]
}

/// Four siblings, side by side, so that a search compares all four at once.
///
/// ```text
///   y ▲                      bounds     x0 x0 x0 x0 │ y0 y0 y0 y0 │ x1 x1 x1 x1 │ y1 y1 y1 y1
///     │  ┌─────┬─────┐       children    block of four, or NONE: a leaf
///     │  │  2  │  3  │       bundle      a leaf's first sixteen rows, or NONE
///     │  ├─────┼─────┤       rows        how many rows a leaf holds; 0 of an inner node
///     │  │  0  │  1  │       last_leaf   a leaf's number; the highest one below an inner node
///     │  └─────┴─────┘       parent      the node whose children they are
///     └───────────────► x    x, y, depth   cell of the lower left sibling, in cells of their depth
/// ```
///
/// 144 bytes for four nodes, 36 per node.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub bounds: [[f32; 4]; 4],
    pub children: [u32; 4],
    pub bundle: [u32; 4],
    pub rows: [u32; 4],
    pub last_leaf: [u32; 4],
    pub parent: Node,
    pub x: u32,
    pub y: u32,
    pub depth: u8,
    /// One bit for each sibling with a change, in it or below, that no clean-up has dealt with. Its ancestors have
    /// their bit set too.
    pub dirty: u8,
}

impl Block {
    pub fn new(parent: Node, x: u32, y: u32, depth: u8) -> Self {
        Self {
            bounds: [[f32::NAN; 4]; 4],
            children: [NONE; 4],
            bundle: [NONE; 4],
            rows: [0; 4],
            last_leaf: [0; 4],
            parent,
            x,
            y,
            depth,
            dirty: 0,
        }
    }

    #[inline(always)]
    pub fn is_leaf(&self, sibling: usize) -> bool {
        self.children[sibling] == NONE
    }

    /// The cell of a sibling: a fine cell is in it if its bits above the shift are equal.
    #[inline(always)]
    pub fn cell(&self, sibling: usize) -> Cell {
        Cell {
            x: self.x + (sibling as u32 & 1),
            y: self.y + (sibling as u32 >> 1),
            shift: LEVELS - u32::from(self.depth),
        }
    }

    /// Which sibling's cell holds a fine cell of the parent's cell.
    #[inline(always)]
    pub fn sibling_of(&self, fine_cell: FineCell) -> usize {
        let shift = LEVELS - u32::from(self.depth);
        let half = |axis: usize| (fine_cell[axis] >> shift) & 1;
        // At depth 0 there is only one node, and fine cells have no bits above the shift.
        (half(0) + 2 * half(1)) as usize
    }

    #[inline(always)]
    pub fn bounds_of(&self, sibling: usize) -> Bounds {
        self.bounds.map(|side| side[sibling])
    }

    #[inline(always)]
    pub fn set_bounds(&mut self, sibling: usize, bounds: Bounds) {
        for (sides, side) in self.bounds.iter_mut().zip(bounds) {
            sides[sibling] = side;
        }
    }

    /// Bounds of all four.
    pub fn all_bounds(&self) -> Bounds {
        (0..4).fold(NOTHING, |all, sibling| union(all, self.bounds_of(sibling)))
    }

    /// One bit for each sibling whose bounds touch a window and whose last leaf is not before leaf number `first`.
    #[inline(always)]
    pub fn touching(&self, window: &[[f32; 2]; 2], first: u32) -> u32 {
        let reach = |k: usize| u32::from(self.last_leaf[k] >= first) << k;
        four::touching(&self.bounds, window) & (reach(0) | reach(1) | reach(2) | reach(3))
    }
}

/// A node's part of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub x: u32,
    pub y: u32,
    pub shift: u32,
}

impl Cell {
    #[inline(always)]
    pub fn holds(self, fine_cell: FineCell) -> bool {
        // A shift by all bits of a fine cell gives 0, which is the root's cell.
        ((fine_cell[0] >> self.shift) == self.x) & ((fine_cell[1] >> self.shift) == self.y)
    }

    /// Whether it is at the border of the region, so that it may hold centers from outside.
    pub fn is_at_border(self) -> bool {
        let last = (1_u32 << (LEVELS - self.shift)) - 1;
        [self.x, self.y].iter().any(|&at| at == 0 || at == last)
    }
}

/// Blocks in one vector, the free ones linked through their `parent`.
///
/// ```text
///   blocks   0: root │ 1: used │ 2: free ─┐ │ 3: used │ 4: free ─► NONE
///                                         └───────────────▲
/// ```
#[derive(Debug, Educe)]
#[educe(Clone)]
pub(super) struct Nodes {
    blocks: Vec<Block>,
    free: u32,
    free_count: usize,
}

impl Nodes {
    /// An empty tree: the root is a leaf.
    pub fn new() -> Self {
        Self {
            blocks: vec![Block::new(Node::NONE, 0, 0, 0)],
            free: NONE,
            free_count: 0,
        }
    }

    /// Empties the tree and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.truncate(1);
        self.blocks[0] = Block::new(Node::NONE, 0, 0, 0);
        self.free = NONE;
        self.free_count = 0;
    }

    #[inline(always)]
    pub fn block(&self, block: u32) -> &Block {
        &self.blocks[block as usize]
    }

    #[inline(always)]
    pub fn block_mut(&mut self, block: u32) -> &mut Block {
        &mut self.blocks[block as usize]
    }

    /// The block that a node is in, and which of the four it is.
    #[inline(always)]
    pub fn at(&self, node: Node) -> (&Block, usize) {
        (self.block(node.block()), node.sibling())
    }

    #[inline(always)]
    pub fn at_mut(&mut self, node: Node) -> (&mut Block, usize) {
        (self.block_mut(node.block()), node.sibling())
    }

    #[inline(always)]
    pub fn cell(&self, node: Node) -> Cell {
        let (block, sibling) = self.at(node);
        block.cell(sibling)
    }

    /// Gives a leaf four empty leaves as children; the caller must move the leaf's rows to them.
    pub fn split(&mut self, node: Node) -> u32 {
        let cell = self.cell(node);
        let depth = self.block(node.block()).depth + 1;
        let children = Block::new(node, 2 * cell.x, 2 * cell.y, depth);
        let block = if self.free == NONE {
            push_sparingly(&mut self.blocks, children);
            self.blocks.len() as u32 - 1
        } else {
            let block = self.free;
            self.free = self.block(block).parent.0;
            self.free_count -= 1;
            *self.block_mut(block) = children;
            block
        };
        let (parent, sibling) = self.at_mut(node);
        parent.children[sibling] = block;
        block
    }

    /// Removes a node's children, which must be empty leaves: it becomes a leaf again.
    pub fn merge(&mut self, node: Node) {
        let (parent, sibling) = self.at_mut(node);
        let block = std::mem::replace(&mut parent.children[sibling], NONE);
        let free = self.free;
        self.block_mut(block).parent = Node(free);
        self.free = block;
        self.free_count += 1;
    }

    /// The leaf that a fine cell belongs to.
    #[inline]
    pub fn leaf_of(&self, fine_cell: FineCell) -> Node {
        self.leaf_below(Node::ROOT, fine_cell)
    }

    /// The leaf at or below a node whose cell holds the fine cell.
    #[inline]
    pub fn leaf_below(&self, mut node: Node, fine_cell: FineCell) -> Node {
        loop {
            let (block, sibling) = self.at(node);
            let children = block.children[sibling];
            if children == NONE {
                return node;
            }
            node = Node::of(children, self.block(children).sibling_of(fine_cell));
        }
    }

    /// The leaf that a fine cell belongs to, starting from a node that is probably close to it.
    #[inline]
    pub fn leaf_near(&self, mut node: Node, fine_cell: FineCell) -> Node {
        while !self.cell(node).holds(fine_cell) {
            node = self.block(node.block()).parent;
        }
        self.leaf_below(node, fine_cell)
    }

    /// The next node in depth-first order, or `None` at the end: children follow their parent.
    #[inline]
    pub fn next(&self, node: Node) -> Option<Node> {
        let (block, sibling) = self.at(node);
        match block.children[sibling] {
            NONE => self.next_beside(node),
            children => Some(Node::of(children, 0)),
        }
    }

    /// The same, but skips what is below the node.
    #[inline]
    pub fn next_beside(&self, mut node: Node) -> Option<Node> {
        while node.sibling() == 3 {
            node = self.block(node.block()).parent;
        }
        // The root's siblings exist only in memory.
        (node != Node::ROOT).then_some(Node(node.0 + 1))
    }

    /// Grows the bounds of a node and its ancestors to contain a box, and marks them as changed.
    #[inline]
    pub fn grow(&mut self, mut node: Node, bounds: Bounds) {
        loop {
            let (block, sibling) = self.at_mut(node);
            let old = block.bounds_of(sibling);
            let holds = (old[0] <= bounds[0])
                & (old[1] <= bounds[1])
                & (old[2] >= bounds[2])
                & (old[3] >= bounds[3]);
            let bit = 1 << sibling;
            if holds && block.dirty & bit != 0 {
                return;
            }
            block.dirty |= bit;
            block.set_bounds(sibling, union(old, bounds));
            node = block.parent;
            if node == Node::NONE {
                return;
            }
        }
    }

    /// Marks a node and its ancestors as changed.
    #[inline]
    pub fn mark(&mut self, mut node: Node) {
        loop {
            let (block, sibling) = self.at_mut(node);
            let bit = 1 << sibling;
            if block.dirty & bit != 0 {
                return;
            }
            block.dirty |= bit;
            node = block.parent;
            if node == Node::NONE {
                return;
            }
        }
    }

    /// Changes the numbers by which blocks refer to each other and to their bundles. `change` gets free blocks too,
    /// whose numbers do not matter.
    pub fn renumber(&mut self, change: impl FnMut(&mut Block)) {
        self.blocks.iter_mut().for_each(change);
    }

    /// Moves each block to the index that `to` gives, and truncates to `used`. Overwrites `to`. Parents and children
    /// must already use the new indices.
    pub fn arrange(&mut self, to: &mut [u32], used: usize) {
        for i in 0..to.len() {
            while to[i] as usize != i {
                let target = to[i] as usize;
                self.blocks.swap(i, target);
                to.swap(i, target);
            }
        }
        self.blocks.truncate(used);
        give_back(&mut self.blocks);
        keep_room(&mut self.blocks);
        self.free = NONE;
        self.free_count = 0;
    }

    /// How many blocks are in use.
    pub fn used(&self) -> usize {
        self.blocks.len() - self.free_count
    }

    /// How many blocks are in the vector, including free ones.
    pub fn slots(&self) -> usize {
        self.blocks.len()
    }

    pub fn free_blocks(&self) -> impl Iterator<Item = u32> {
        let linked = |block: u32| (block != NONE).then_some(block);
        std::iter::successors(linked(self.free), move |&block| {
            linked(self.block(block).parent.0)
        })
    }

    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
    }
}

/// [`Vec::push`], but grows by a quarter instead of doubling: still O(1) amortized, and boxes are most of a tree's
/// memory.
pub(super) fn push_sparingly<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        items.reserve_exact(items.len() / 4 + 16);
    }
    items.push(item);
}

/// Gives memory back once half of it is unused.
pub(super) fn give_back<T>(items: &mut Vec<T>) {
    let len = items.len();
    if items.capacity() > 2 * len + 256 {
        items.shrink_to(len + len / 4);
    }
}

/// Keeps an eighth to spare, so that small changes in size do not allocate.
pub(super) fn keep_room<T>(items: &mut Vec<T>) {
    let len = items.len();
    if items.capacity() < len + len / 8 {
        items.reserve_exact(len / 4);
    }
}
