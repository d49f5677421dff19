//! A walk through the tree, and the boxes of nodes along it.

use crate::dynamic::config::MOST_DEPTH;
use crate::dynamic::nodes::NodeId;
use crate::dynamic::region::Region;
use crate::dynamic::sides::Sides;
use throng_core::for_both;

/// Some of four siblings, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Siblings(u8);

impl Siblings {
    pub const ALL: Self = Self(0b1111);

    /// Those that a box touches. A point on a line belongs to the upper side only.
    #[inline(always)]
    pub fn touched_by(sides: &Sides, split: [f32; 2]) -> Self {
        let both = |axis: usize| {
            let low = sides[axis] < split[axis];
            let high = sides[axis + 2] >= split[axis];
            (u8::from(low), u8::from(high))
        };
        let ((left, right), (below, above)) = (both(0), both(1));
        let columns = left | (right << 1);
        Self((columns * below) | ((columns * above) << 2))
    }

    #[inline(always)]
    fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Removes and returns the lowest number. There must be at least one.
    #[inline(always)]
    fn take_first(&mut self) -> u32 {
        let first = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        first
    }

    /// The numbers of the set bits, ascending.
    #[inline(always)]
    pub fn each(self) -> impl Iterator<Item = u32> {
        (0..4).filter(move |sibling| self.0 >> sibling & 1 != 0)
    }
}

/// A node that the walk has reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct At {
    pub node: NodeId,
    pub depth: u32,
    /// The lower corner of its square.
    pub low: [f32; 2],
}

impl At {
    /// The child of this node, divided at `split`, with this number in this block.
    #[inline(always)]
    pub fn child(&self, split: [f32; 2], block: u32, sibling: u32) -> Self {
        child(self.low, self.depth, split, block, sibling)
    }
}

/// A walk from the root, parents before children, into the children that the caller enters.
///
/// All it remembers is one block of siblings for each depth, and depth is bounded: nothing can overflow and nothing
/// is allocated. Where only one child is entered, as is usual, it does not even need that.
#[derive(Debug)]
pub(super) struct Cursor {
    region: Region,
    /// Where the walk continues, unless it has reached the end of a branch.
    next: Option<At>,
    /// Siblings still to be visited, the deepest ones last.
    path: [Step; MOST_DEPTH as usize],
    steps: usize,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    siblings: Siblings,
    parent_depth: u8,
    block: u32,
    /// The lower corner of their parent.
    low: [f32; 2],
}

impl Cursor {
    #[inline(always)]
    pub fn new(region: &Region) -> Self {
        let low = region.origin;
        let step = Step {
            siblings: Siblings(0),
            parent_depth: 0,
            block: 0,
            low,
        };
        Self {
            region: *region,
            next: Some(At {
                node: NodeId::ROOT,
                depth: 0,
                low,
            }),
            path: [step; MOST_DEPTH as usize],
            steps: 0,
        }
    }

    /// The next node.
    #[inline(always)]
    pub fn next(&mut self) -> Option<At> {
        if let Some(at) = self.next.take() {
            return Some(at);
        }
        let step = self.path.get_mut(self.steps.checked_sub(1)?)?;
        let sibling = step.siblings.take_first();
        let (depth, low, block) = (u32::from(step.parent_depth), step.low, step.block);
        self.steps -= usize::from(step.siblings.is_none());
        let split = self.region.split(low, depth);
        Some(child(low, depth, split, block, sibling))
    }

    /// Continues with some children (at least one) of the node just visited, which is divided at `split`.
    #[inline(always)]
    pub fn enter(&mut self, at: &At, block: u32, split: [f32; 2], mut siblings: Siblings) {
        let first = siblings.take_first();
        if !siblings.is_none() {
            self.path[self.steps] = Step {
                siblings,
                parent_depth: at.depth as u8,
                block,
                low: at.low,
            };
            self.steps += 1;
        }
        self.next = Some(at.child(split, block, first));
    }
}

#[inline(always)]
fn child(low: [f32; 2], depth: u32, split: [f32; 2], block: u32, sibling: u32) -> At {
    At {
        node: NodeId::child(block, sibling),
        depth: depth + 1,
        low: for_both(|axis| {
            if sibling >> axis & 1 != 0 {
                split[axis]
            } else {
                low[axis]
            }
        }),
    }
}
