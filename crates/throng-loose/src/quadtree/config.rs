//! What a tree is made with.

use crate::LooseError;
use crate::quadtree::region::LEVELS;
use throng_core::SimdLevel;

/// The most rows that leaves can be allowed to hold before they are split.
pub(super) const MOST_LEAF_ROWS: usize = 1 << 16;

/// How a tree divides space, and a choice for tests. The default suits most.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct LooseQuadtreeConfig {
    /// Leaves with more rows than this are split by the next clean-up; 1 to 65,536. Four leaves that
    /// together hold no more than half of it are merged.
    pub split_above: usize,
    /// How many times space may be halved along each axis; 1 to 24. A leaf at that depth holds any number
    /// of rows.
    pub max_depth: u32,
    /// The instruction set to use; `None` is the best this machine has. It never changes a result.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub simd: Option<SimdLevel>,
}

impl LooseQuadtreeConfig {
    /// The default, to be changed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with leaves of up to `rows` rows.
    #[must_use]
    pub fn split_above(self, rows: usize) -> Self {
        Self {
            split_above: rows,
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

    /// The same with a chosen instruction set.
    #[must_use]
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
            // 250,000 boxes of half extents 1 to 100, a pair each, all moving: against 64, a frame takes two
            // thirds longer at 16 and a fifth longer at 24 and 32; 96 is alike. 128 saves a tenth, and a query of
            // a small window among 20,000 takes twice as long.
            split_above: 64,
            max_depth: LEVELS,
            simd: None,
        }
    }
}
