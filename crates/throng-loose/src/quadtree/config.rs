//! The settings of a tree.

use crate::LooseError;
use crate::quadtree::region::LEVELS;
use throng_core::SimdLevel;

/// The highest allowed limit of rows per leaf.
pub(super) const MOST_LEAF_ROWS: usize = 1 << 16;

/// How a tree divides space, and a setting for tests. The default is good for most.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[must_use = "a config does nothing until something is made of it"]
pub struct LooseQuadtreeConfig {
    /// The next clean-up splits leaves with more rows than this; 1 to 65,536. Four leaves are merged when they hold at
    /// most half of it together.
    pub split_above: usize,
    /// How many times space may be halved along each axis; 1 to 24. A leaf at this depth may hold any number of rows.
    pub max_depth: u32,
    /// The instruction set to use; `None` is the best this machine has. It never changes a result.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub simd: Option<SimdLevel>,
}

impl LooseQuadtreeConfig {
    /// The default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with leaves of up to `rows` rows.
    pub fn split_above(self, rows: usize) -> Self {
        Self {
            split_above: rows,
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

    /// The same with a chosen instruction set.
    pub fn simd(self, level: SimdLevel) -> Self {
        Self {
            simd: Some(level),
            ..self
        }
    }

    pub(super) fn check(&self) -> Result<(), LooseError> {
        let counts = [
            ("split_above", self.split_above, MOST_LEAF_ROWS),
            ("max_depth", self.max_depth as usize, LEVELS as usize),
        ];
        for (what, given, most) in counts {
            if !(1..=most).contains(&given) {
                return Err(LooseError::Count {
                    what,
                    given,
                    least: 1,
                    most,
                });
            }
        }
        Ok(())
    }
}

impl Default for LooseQuadtreeConfig {
    fn default() -> Self {
        Self {
            // Boxes of half extents 1 to 100, 250,000 of them, one pair each, all moving: compared with 64, a frame
            // takes two thirds longer at 16 and a fifth longer at 24 and 32; 96 is the same. 128 saves a tenth, but a
            // query of a small window among 20,000 then takes twice as long.
            split_above: 64,
            max_depth: LEVELS,
            simd: None,
        }
    }
}
