//! What a tree is made with.

use crate::dynamic::QuadtreeError;
use throng_core::{Aabb, SimdLevel};

/// The deepest that a tree can be.
pub(super) const MOST_DEPTH: u32 = 20;
/// The most elements that leaves can be allowed to hold before they are split.
const MOST_LEAF_ELEMENTS: usize = 1 << 16;
/// The most nodes that an element can be allowed to be in.
const MOST_COPIES: usize = 64;

/// The largest that nodes can be asked to be at least.
pub(super) const LARGEST_NODE_SIZE: f32 = 1e36;

/// How a tree divides space. The default suits most.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct QuadtreeConfig {
    /// The part of the plane that is divided, if it is to stay the same; a finite box that is more than a
    /// point. `None` (the default) lets the tree choose from what is in it, and choose again when most of
    /// that has gone elsewhere. Elements may lie outside either way: the nodes at the border go on for ever.
    pub region: Option<Aabb>,
    /// A leaf is split when it holds more elements than this that could go deeper; 1 to 65,536. Four leaves
    /// that together hold no more than half of it are merged.
    pub split_above: usize,
    /// How many times space may be halved along each axis; 1 to 20. A leaf at that depth holds any number of
    /// elements.
    pub max_depth: u32,
    /// No node is narrower than this, in the world's units; 0 (the default) to 1e36.
    pub min_node_size: f32,
    /// In how many nodes an element may be; 1 to 64. An element stays at the deepest level at which it
    /// touches no more nodes than that; see [`Quadtree`](crate::Quadtree) for what 1 means.
    pub max_copies: usize,
    /// The instruction set to use; `None` is the best this machine has. It never changes a result.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub simd: Option<SimdLevel>,
}

impl QuadtreeConfig {
    /// The default, to be changed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a region that stays.
    #[must_use]
    pub fn region(self, region: Aabb) -> Self {
        Self {
            region: Some(region),
            ..self
        }
    }

    /// The same with leaves of up to `elements` elements.
    #[must_use]
    pub fn split_above(self, elements: usize) -> Self {
        Self {
            split_above: elements,
            ..self
        }
    }

    /// The same with at most `levels` levels.
    #[must_use]
    pub fn max_depth(self, levels: u32) -> Self {
        Self {
            max_depth: levels,
            ..self
        }
    }

    /// The same with nodes at least `size` wide.
    #[must_use]
    pub fn min_node_size(self, size: f32) -> Self {
        Self {
            min_node_size: size,
            ..self
        }
    }

    /// The same with elements in up to `nodes` nodes each.
    #[must_use]
    pub fn max_copies(self, nodes: usize) -> Self {
        Self {
            max_copies: nodes,
            ..self
        }
    }

    /// The same with a chosen instruction set.
    #[must_use]
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
            // 100,000 boxes of 1 to 100, ns for a query of one hit, and a box for all pairs and an insertion: at 12
            // 250 and 80 and 540; at 24 to 64 all 230 to 260 and 35 to 50 and 350 to 450. Memory is least from 48
            // on, and equal boxes move fastest.
            split_above: 48,
            max_depth: MOST_DEPTH,
            min_node_size: 0.0,
            // From 4 to 64 makes no difference that could be measured, even among walls; 1 does.
            max_copies: 8,
            simd: None,
        }
    }
}
