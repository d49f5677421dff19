//! What a double grid is made with.

use throng_core::SimdLevel;

/// Sizes of cells, all taken from the boxes unless given. They never change a result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct DoubleGridConfig {
    /// How wide and how tall the smallest loose cells are, in the coordinates' units. `None` chooses: so wide that
    /// a box has a couple of dozen others in its cell, and that most boxes are no larger than it. A clean-up
    /// chooses again when there are twice or half as many rows, when a box shares its cell with three times as
    /// many or few as at first, or when a sample of the boxes has become a third as large.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub loose_cell: Option<f32>,
    /// How wide and how tall the tight cells over the smallest loose cells are. `None` is twice a loose
    /// cell: then the box of a loose cell reaches into four tight ones at most.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub tight_cell: Option<f32>,
    /// The instruction set to use; `None` is the best this machine has.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub simd: Option<SimdLevel>,
}

impl DoubleGridConfig {
    /// Everything chosen from the boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with loose cells of a given size.
    #[must_use]
    pub fn loose_cell(self, size: f32) -> Self {
        Self {
            loose_cell: Some(size),
            ..self
        }
    }

    /// The same with tight cells of a given size.
    #[must_use]
    pub fn tight_cell(self, size: f32) -> Self {
        Self {
            tight_cell: Some(size),
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
}
