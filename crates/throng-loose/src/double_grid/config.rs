//! The settings of a double grid.

use throng_core::SimdLevel;

/// Sizes of cells; chosen from the boxes unless given. They never change a result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[must_use = "a config does nothing until something is made of it"]
pub struct DoubleGridConfig {
    /// Width and height of the smallest loose cells, in the units of the coordinates. With `None` they are chosen so
    /// that a box shares its cell with a few dozen others, and most boxes are no larger than a cell. A clean-up chooses
    /// again when the number of rows has doubled or halved, when boxes share their cells with three times as many
    /// others as at first, or a third as many, or when a sample of the boxes has shrunk to a third.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub loose_cell: Option<f32>,
    /// Width and height of the tight cells over the smallest loose cells. `None` is twice a loose cell: then a loose
    /// cell's bounds reach into at most four tight cells.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub tight_cell: Option<f32>,
    /// The instruction set to use; `None` is the best this machine has.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub simd: Option<SimdLevel>,
}

impl DoubleGridConfig {
    /// Everything chosen from the boxes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with loose cells of a given size.
    pub fn loose_cell(self, size: f32) -> Self {
        Self {
            loose_cell: Some(size),
            ..self
        }
    }

    /// The same with tight cells of a given size.
    pub fn tight_cell(self, size: f32) -> Self {
        Self {
            tight_cell: Some(size),
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
}
