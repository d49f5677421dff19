//! What can be wrong with the input, and what is needed instead.

use crate::dynamic::ElementId;
use crate::dynamic::config::LARGEST_NODE_SIZE;
use throng_core::{Aabb, SimdUnavailable};

/// The most elements that a tree can hold, counting those whose handles are used up: more could overflow the 32-bit
/// indices inside.
pub const MOST_ELEMENTS: u32 = 1 << 25;

/// Why a tree was not created or not changed. After a refused change the tree is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QuadtreeError {
    /// A count in the config is too small or too large.
    #[error("{what} must be 1 to {most}, but {given} was given")]
    Count {
        /// Which count.
        what: &'static str,
        /// As given.
        given: usize,
        /// The most there can be.
        most: usize,
    },
    /// The minimum size of a node in the config is out of range.
    #[error("min_node_size must be 0 to {LARGEST_NODE_SIZE:e}, but {given} was given")]
    NodeSize {
        /// As given.
        given: f32,
    },
    /// The region in the config cannot be divided.
    #[error("a region must be finite and more than a point, but {given} was given")]
    Region {
        /// As given.
        given: Aabb,
    },
    /// The instruction set asked for is not available.
    #[error(transparent)]
    Simd(#[from] SimdUnavailable),
    /// There is no room for another element.
    #[error("a tree holds at most {MOST_ELEMENTS} elements; remove something first")]
    Full,
    /// The element is no longer in the tree, or never was.
    #[error("element {id} is not in the tree: it was removed, or belongs to another tree")]
    Stale {
        /// The element as given.
        id: ElementId,
    },
}
