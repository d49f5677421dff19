//! The settings of a tree.

use crate::dynamic::QuadtreeError;
use throng_core::{Aabb, SimdLevel};

/// The greatest depth a tree can have.
pub(super) const MOST_DEPTH: u32 = 20;
/// The highest number of elements that a leaf can be set to hold before it is split.
const MOST_LEAF_ELEMENTS: usize = 1 << 16;
/// The highest number of nodes that an element can be set to be in.
const MOST_COPIES: usize = 64;

/// The largest minimum size of nodes that can be set.
pub(super) const LARGEST_NODE_SIZE: f32 = 1e36;

/// How a tree divides space. The default suits most uses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[must_use = "a config does nothing until something is made of it"]
pub struct QuadtreeConfig {
    /// The part of the plane to divide, if it is to stay fixed; a finite box that is more than a point. With `None`
    /// (the default) the tree chooses one from its elements, and chooses again when most of them have gone elsewhere.
    /// Elements may lie outside either way: the nodes at the border extend to infinity.
    pub region: Option<Aabb>,
    /// A leaf is split when it holds more elements than this that could go deeper; 1 to 65,536. Four leaves that
    /// together hold at most half as many are merged.
    pub split_above: usize,
    /// How many times space may be halved along each axis; 1 to 20. A leaf at that depth holds any number of
    /// elements.
    pub max_depth: u32,
    /// No node is narrower than this, in world units; 0 (the default) to 1e36.
    pub min_node_size: f32,
    /// How many nodes an element may be in; 1 to 64. An element stays at the deepest level at which it touches no
    /// more nodes than that; see [`Quadtree`](crate::Quadtree) for what 1 means.
    pub max_copies: usize,
    /// The instruction set to use; `None` is the best this machine has. It never changes a result.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub simd: Option<SimdLevel>,
}

impl QuadtreeConfig {
    /// The default, as a starting point.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a fixed region.
    pub fn region(self, region: Aabb) -> Self {
        Self {
            region: Some(region),
            ..self
        }
    }

    /// The same with leaves of up to `elements` elements.
    pub fn split_above(self, elements: usize) -> Self {
        Self {
            split_above: elements,
            ..self
        }
    }

    /// The same with at most `levels` levels.
    pub fn max_depth(self, levels: u32) -> Self {
        Self {
            max_depth: levels,
            ..self
        }
    }

    /// The same with nodes at least `size` wide.
    pub fn min_node_size(self, size: f32) -> Self {
        Self {
            min_node_size: size,
            ..self
        }
    }

    /// The same with elements in up to `nodes` nodes each.
    pub fn max_copies(self, nodes: usize) -> Self {
        Self {
            max_copies: nodes,
            ..self
        }
    }

    /// The same with a chosen instruction set.
    pub fn simd(self, level: SimdLevel) -> Self {
        Self {
            simd: Some(level),
            ..self
        }
    }

    pub(super) fn check(&self) -> Result<(), QuadtreeError> {
        let counts = [
            ("split_above", self.split_above, MOST_LEAF_ELEMENTS),
            ("max_depth", self.max_depth as usize, MOST_DEPTH as usize),
            ("max_copies", self.max_copies, MOST_COPIES),
        ];
        for (what, given, most) in counts {
            if !(1..=most).contains(&given) {
                return Err(QuadtreeError::Count { what, given, most });
            }
        }
        let given = self.min_node_size;
        if !(0.0..=LARGEST_NODE_SIZE).contains(&given) {
            return Err(QuadtreeError::NodeSize { given });
        }
        match self.region {
            Some(given) if !given.is_finite() || given.min() == given.max() => {
                Err(QuadtreeError::Region { given })
            }
            _ => Ok(()),
        }
    }
}

impl Default for QuadtreeConfig {
    fn default() -> Self {
        Self {
            region: None,
            // Measured with 100,000 boxes of 1 to 100; ns for a query with one hit, for all pairs per box, and for an
            // insertion: at 12, 250 and 80 and 540; at 24 to 64, all 230 to 260 and 35 to 50 and 350 to 450. Memory
            // is lowest from 48 on, and equal boxes move fastest.
            split_above: 48,
            max_depth: MOST_DEPTH,
            min_node_size: 0.0,
            // Values from 4 to 64 make no measurable difference, even among walls; 1 does.
            max_copies: 8,
            simd: None,
        }
    }
}
