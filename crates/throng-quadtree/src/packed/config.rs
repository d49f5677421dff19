//! The settings of a packed tree.

use super::PackedError;
use super::levels::MOST_LEVELS;
use throng_core::{LANES, Simd, SimdLevel};

/// How finely a tree is divided, and two settings for tests and experiments. The defaults measured best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[must_use = "a config does nothing until something is made of it"]
pub struct PackedConfig {
    /// How many boxes a leaf holds: 1 to 16. A leaf has room for sixteen, so fewer make the tree larger.
    pub leaf_size: usize,
    /// The most levels of nodes above the leaves: 0 to 7. With fewer levels than the boxes need, every search goes
    /// through a longer list at the top.
    pub max_depth: usize,
    /// The instruction set to search with; `None` is the best this machine has. It never changes a result, and is not
    /// stored in the bytes.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub simd: Option<SimdLevel>,
}

impl Default for PackedConfig {
    fn default() -> Self {
        Self {
            leaf_size: LANES,
            max_depth: MOST_LEVELS - 1,
            simd: None,
        }
    }
}

impl PackedConfig {
    /// Full leaves, as many levels as needed, the best instruction set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with `boxes` in a leaf.
    pub fn leaf_size(self, boxes: usize) -> Self {
        Self {
            leaf_size: boxes,
            ..self
        }
    }

    /// The same with at most `levels` of nodes above the leaves.
    pub fn max_depth(self, levels: usize) -> Self {
        Self {
            max_depth: levels,
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

    pub(super) fn check(&self) -> Result<Simd, PackedError> {
        count("boxes in a leaf", self.leaf_size, [1, LANES])?;
        count(
            "levels above the leaves",
            self.max_depth,
            [0, MOST_LEVELS - 1],
        )?;
        simd(self.simd)
    }
}

/// The instruction set asked for, or the best available.
pub(super) fn simd(level: Option<SimdLevel>) -> Result<Simd, PackedError> {
    Ok(Simd::new(level)?)
}

fn count(what: &'static str, given: usize, [least, most]: [usize; 2]) -> Result<(), PackedError> {
    if (least..=most).contains(&given) {
        Ok(())
    } else {
        Err(PackedError::Count {
            what,
            given,
            least,
            most,
        })
    }
}
