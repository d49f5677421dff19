//! What strips are made with.

use throng_core::SimdLevel;

/// Nothing that strips must know in advance, and two choices for tests and for the curious.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct StripsConfig {
    /// Height of the lowest strips, in the coordinates' units: finite and above zero. `None` is what a
    /// sample of the boxes says, which is seldom a tenth behind the best.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub strip_height: Option<f32>,
    /// The instruction set to use; `None` is the best this machine has. It never changes a result.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub simd: Option<SimdLevel>,
}

impl StripsConfig {
    /// Everything from the boxes and the machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with lowest strips of this height.
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
