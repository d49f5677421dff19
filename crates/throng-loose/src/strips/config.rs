//! The settings of strips.

use throng_core::SimdLevel;

/// Strips need to know nothing in advance; there are two settings for tests and experiments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
#[must_use = "a config does nothing until something is made of it"]
pub struct StripsConfig {
    /// Height of the lowest strips, in the units of the coordinates: finite and above zero. With `None` it is chosen
    /// from a sample of the boxes, and is seldom more than a tenth slower than the best.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub strip_height: Option<f32>,
    /// The instruction set to use; `None` is the best this machine has. It never changes a result.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub simd: Option<SimdLevel>,
}

impl StripsConfig {
    /// Everything chosen from the boxes and the machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with this height for the lowest strips.
    pub fn strip_height(self, height: f32) -> Self {
        Self {
            strip_height: Some(height),
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
