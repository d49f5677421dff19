//! The settings of a grid.

use throng_core::SimdLevel;

/// The one thing a grid must know in advance, and a setting for tests.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "a config does nothing until something is made of it"]
pub struct GridConfig {
    /// Half the width and half the height of the largest box, in the units of the coordinates. Finite, zero or more.
    pub half_extents: [f32; 2],
    /// The instruction set to use; `None` is the best this machine has. It never changes a result.
    pub simd: Option<SimdLevel>,
}

impl GridConfig {
    /// A grid for boxes of at most these half extents.
    pub fn new(half_extents: [f32; 2]) -> Self {
        Self {
            half_extents,
            simd: None,
        }
    }

    /// The same with a chosen instruction set.
    pub fn simd(self, level: SimdLevel) -> Self {
        Self {
            simd: Some(level),
            ..self
        }
    }
}
