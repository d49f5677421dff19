//! Why numbers were refused as a box.

use std::convert::Infallible;
use std::fmt;

/// One of the two axes of the plane; its index in a `[f32; 2]` is `axis as usize`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Axis {
    /// The first coordinate.
    X = 0,
    /// The second coordinate.
    Y = 1,
}

impl Axis {
    /// Both axes, in the order of their indices.
    pub const ALL: [Axis; 2] = [Axis::X, Axis::Y];
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Axis::X => "x",
            Axis::Y => "y",
        })
    }
}

/// Which number an [`AabbError`] is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The lower side of the box.
    Min,
    /// The upper side of the box.
    Max,
    /// The center of the box.
    Center,
    /// Half the width or height of the box.
    HalfExtent,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Min => "min",
            Side::Max => "max",
            Side::Center => "center",
            Side::HalfExtent => "half extent",
        })
    }
}

/// Numbers that do not make a box: what was given, and what is needed.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AabbError {
    /// A coordinate was not a number.
    #[error("the {side} of the box in {axis} is NaN; a number is needed")]
    Nan {
        /// The axis of the coordinate.
        axis: Axis,
        /// Which number it was.
        side: Side,
    },
    /// The lower side was above the upper side.
    #[error("the box is inverted in {axis}: min {min} is above max {max}; min <= max is needed")]
    Inverted {
        /// The axis in which the box is inverted.
        axis: Axis,
        /// The lower side as given.
        min: f32,
        /// The upper side as given.
        max: f32,
    },
    /// The box begins at positive infinity or ends at negative infinity, so it contains no point.
    #[error(
        "the {side} of the box in {axis} is {value}, so the box holds no point; \
         an unbounded box has min -inf or max inf"
    )]
    HoldsNothing {
        /// The axis in which the box contains no point.
        axis: Axis,
        /// The side at the wrong infinity.
        side: Side,
        /// That side as given: `inf` for a min, `-inf` for a max.
        value: f32,
    },
    /// A half extent was below zero.
    #[error("the half extent of the box in {axis} is {half_extent}; zero or more is needed")]
    NegativeHalfExtent {
        /// The axis of the half extent.
        axis: Axis,
        /// The half extent as given.
        half_extent: f32,
    },
    /// A center was infinite.
    #[error("the center of the box in {axis} is {center}; a finite center is needed")]
    InfiniteCenter {
        /// The axis of the center.
        axis: Axis,
        /// The center as given.
        center: f32,
    },
}

/// A conversion that cannot fail has the error `Infallible`; this lets it be used where one may fail.
impl From<Infallible> for AabbError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
