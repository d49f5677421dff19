//! Closed, axis-aligned boxes, and what it means for two of them to overlap.

use crate::for_both;
use std::fmt;

use crate::aabb_error::{AabbError, Axis, Side};
use crate::half_extent::{covering_half_extent, midpoint};

/// The lower and the upper corner of a box.
pub type Corners = [[f32; 2]; 2];

/// Whether the closed intervals `[a_min, a_max]` and `[b_min, b_max]` share a point.
///
/// Every overlap in every crate of `throng` is decided by this comparison, once per axis, in `f32`,
/// on the sides as stored. Touching counts. No arithmetic is done, so nothing is rounded. `&` rather than
/// `&&`, because compilers do not vectorize a loop that branches.
#[inline(always)]
#[must_use]
pub fn overlaps_1d(a_min: f32, a_max: f32, b_min: f32, b_max: f32) -> bool {
    (a_min <= b_max) & (b_min <= a_max)
}

/// The squared distance from a point to the nearest point of the box `min..=max`; 0 inside it. In
/// `f32`: infinite when the square overflows, and 0 when it is below the denormals.
///
/// The reference for circles (touched if `<= radius * radius`) and for nearest neighbors.
#[inline]
#[must_use]
pub fn distance_squared(min: [f32; 2], max: [f32; 2], point: [f32; 2]) -> f32 {
    let outside = |i: usize| (min[i] - point[i]).max(point[i] - max[i]).max(0.0);
    let (dx, dy) = (outside(0), outside(1));
    dx * dx + dy * dy
}

/// The gap between two boxes along each axis, given their corners `[min, max]`: 0 exactly where they overlap on that
/// axis, because two different floats never differ by 0.
///
/// The corners must be those of an [`Aabb`]: no `min` is `+inf` and no `max` is `-inf`, so equal infinities are never
/// subtracted from each other.
#[inline(always)]
#[must_use]
pub fn gaps(a: [[f32; 2]; 2], b: [[f32; 2]; 2]) -> [f32; 2] {
    for_both(|axis| {
        let (right, left) = (b[0][axis] - a[1][axis], a[0][axis] - b[1][axis]);
        let gap = if right > left { right } else { left };
        if gap > 0.0 { gap } else { 0.0 }
    })
}

/// The square of the distance between two boxes, from their [`gaps`].
#[inline(always)]
#[must_use]
pub fn length_squared([dx, dy]: [f32; 2]) -> f32 {
    dx * dx + dy * dy
}

/// Whether two boxes with these [`gaps`] are within a distance: the definition of [`Aabb::is_within`]. Branch-free.
#[inline(always)]
#[must_use]
pub fn gaps_within([dx, dy]: [f32; 2], distance: f32) -> bool {
    (dx <= distance) & (dy <= distance) & (length_squared([dx, dy]) <= distance * distance)
}

/// A closed, axis-aligned box: every point `p` with `min <= p <= max` on both axes.
///
/// Invariants, held by every constructor and by deserialisation: no side is NaN; `min <= max` on
/// each axis; `min < +inf` and `max > -inf`, so that the box holds at least one finite point. A box
/// may be a single point, and may be unbounded (`min` at `-inf`, `max` at `+inf`, on any axis).
///
/// ```
/// use throng_core::Aabb;
///
/// let left = Aabb::new([0.0, 0.0], [1.0, 1.0])?;
/// let right = Aabb::from_center([1.5, 0.5], [0.5, 0.5])?;
/// assert!(left.overlaps(&right), "closed boxes that touch overlap");
/// assert!(Aabb::new([0.0, 2.0], [1.0, 1.0]).is_err(), "inverted in y");
/// # Ok::<(), throng_core::AabbError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Sides", into = "Sides")
)]
#[repr(C)]
pub struct Aabb {
    min: [f32; 2],
    max: [f32; 2],
}

/// Which sides of a box lie at infinity, by axis; see [`Aabb::infinite_sides`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct InfiniteSides {
    /// Whether the box extends to negative infinity in x, in y.
    pub min: [bool; 2],
    /// Whether the box extends to positive infinity in x, in y.
    pub max: [bool; 2],
}

impl InfiniteSides {
    /// Whether any side is infinite.
    #[must_use]
    pub fn any(&self) -> bool {
        self.count() > 0
    }

    /// How many of the four sides are infinite.
    #[must_use]
    pub fn count(&self) -> usize {
        let sides = [self.min[0], self.min[1], self.max[0], self.max[1]];
        sides.into_iter().filter(|&infinite| infinite).count()
    }
}

impl Aabb {
    /// The whole plane: unbounded on every side.
    pub const EVERYWHERE: Aabb = Aabb {
        min: [f32::NEG_INFINITY; 2],
        max: [f32::INFINITY; 2],
    };

    /// The box between two corners. Sides may be infinite.
    ///
    /// # Errors
    ///
    /// [`AabbError::Nan`], [`AabbError::Inverted`], or [`AabbError::HoldsNothing`] for a `min` at `+inf` or a `max`
    /// at `-inf`. Names the first bad axis.
    #[inline]
    pub fn new(min: impl Into<[f32; 2]>, max: impl Into<[f32; 2]>) -> Result<Aabb, AabbError> {
        let (min, max) = (min.into(), max.into());
        if is_box(min, max) {
            Ok(Aabb { min, max })
        } else {
            Err(what_is_wrong(min, max))
        }
    }

    /// The box between two corners that are already known to be valid; [`EVERYWHERE`](Self::EVERYWHERE) if they are
    /// not.
    ///
    /// Branch-free, so a caller that ends up not using the box does not pay for it.
    #[inline]
    #[must_use]
    pub fn of_corners(min: [f32; 2], max: [f32; 2]) -> Aabb {
        let known = Aabb { min, max };
        if is_box(min, max) {
            known
        } else {
            Aabb::EVERYWHERE
        }
    }

    /// The box `[fl(center - half), fl(center + half)]`, where `fl` rounds to the nearest `f32`.
    ///
    /// A half extent may be infinite, and a sum beyond `f32::MAX` becomes an infinite side.
    ///
    /// # Errors
    ///
    /// [`AabbError::Nan`], [`AabbError::InfiniteCenter`] or [`AabbError::NegativeHalfExtent`]. Names the first bad
    /// axis.
    pub fn from_center(
        center: impl Into<[f32; 2]>,
        half_extents: impl Into<[f32; 2]>,
    ) -> Result<Aabb, AabbError> {
        let (center, half_extents) = (center.into(), half_extents.into());
        for axis in Axis::ALL {
            let (center, half_extent) = (center[axis as usize], half_extents[axis as usize]);
            refuse_nan(axis, Side::Center, center)?;
            refuse_nan(axis, Side::HalfExtent, half_extent)?;
            if center.is_infinite() {
                return Err(AabbError::InfiniteCenter { axis, center });
            }
            if half_extent < 0.0 {
                return Err(AabbError::NegativeHalfExtent { axis, half_extent });
            }
        }
        let ([x, y], [hx, hy]) = (center, half_extents);
        Ok(Aabb {
            min: [x - hx, y - hy],
            max: [x + hx, y + hy],
        })
    }

    /// The box that is a single point.
    ///
    /// # Errors
    ///
    /// [`AabbError::Nan`] or [`AabbError::InfiniteCenter`].
    pub fn point(point: impl Into<[f32; 2]>) -> Result<Aabb, AabbError> {
        Aabb::from_center(point, [0.0; 2])
    }

    /// The corner with the lowest coordinates.
    #[inline]
    #[must_use]
    pub fn min(&self) -> [f32; 2] {
        self.min
    }

    /// The corner with the highest coordinates.
    #[inline]
    #[must_use]
    pub fn max(&self) -> [f32; 2] {
        self.max
    }

    /// A point in the middle of the box; always finite, always inside.
    ///
    /// Per axis: the midpoint rounded to `f32`, without overflow; where one side is infinite, the
    /// other side; where both are, zero.
    #[inline]
    #[must_use]
    pub fn center(&self) -> [f32; 2] {
        let along = |axis: Axis| {
            let (min, max) = self.sides(axis);
            match (min.is_finite(), max.is_finite()) {
                (true, true) => midpoint(min, max),
                (true, false) => min,
                (false, true) => max,
                (false, false) => 0.0,
            }
        };
        [along(Axis::X), along(Axis::Y)]
    }

    /// The smallest half extents `h` for which `Aabb::from_center(self.center(), h)` contains this
    /// box; infinite on an axis with an infinite side. Constant time.
    ///
    /// Smallest in `f32`, after rounding: far from the origin, where sums round coarsely, this can
    /// be a little less than half the width, and is still enough.
    #[inline]
    #[must_use]
    pub fn half_extents(&self) -> [f32; 2] {
        self.center_and_half_extents().1
    }

    /// [`center`](Self::center) and [`half_extents`](Self::half_extents), for less than the two.
    #[inline(always)]
    #[must_use]
    pub fn center_and_half_extents(&self) -> ([f32; 2], [f32; 2]) {
        let center = self.center();
        let half = |axis: Axis| {
            let (min, max) = self.sides(axis);
            if min.is_finite() && max.is_finite() {
                covering_half_extent(center[axis as usize], min, max)
            } else {
                f32::INFINITY
            }
        };
        (center, [half(Axis::X), half(Axis::Y)])
    }

    /// Whether no side is infinite.
    #[inline]
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min[0].is_finite()
            && self.min[1].is_finite()
            && self.max[0].is_finite()
            && self.max[1].is_finite()
    }

    /// Which sides are infinite.
    // Inlined, because a box that was just made would have to wait in memory to be read as one vector.
    #[inline]
    #[must_use]
    pub fn infinite_sides(&self) -> InfiniteSides {
        InfiniteSides {
            min: self.min.map(f32::is_infinite),
            max: self.max.map(f32::is_infinite),
        }
    }

    /// Whether the two boxes share a point: **the** overlap test. Touching counts.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        overlaps_1d(self.min[0], self.max[0], other.min[0], other.max[0])
            && overlaps_1d(self.min[1], self.max[1], other.min[1], other.max[1])
    }

    /// Whether a point lies in the box or on its border. False for a NaN.
    #[inline]
    #[must_use]
    pub fn contains_point(&self, point: impl Into<[f32; 2]>) -> bool {
        let point = point.into();
        overlaps_1d(self.min[0], self.max[0], point[0], point[0])
            && overlaps_1d(self.min[1], self.max[1], point[1], point[1])
    }

    /// The point of the box that is nearest to another: that one itself, if it is in the box.
    pub(crate) fn nearest_to(&self, point: [f32; 2]) -> [f32; 2] {
        for_both(|axis| point[axis].clamp(self.min[axis], self.max[axis]))
    }

    /// The squared distance from a point to the nearest point of the box: [`distance_squared`].
    #[inline]
    #[must_use]
    pub fn distance_squared(&self, point: impl Into<[f32; 2]>) -> f32 {
        distance_squared(self.min, self.max, point.into())
    }

    /// The squared distance between the nearest points of two boxes; 0 if they share one.
    ///
    /// In `f32`, each operation rounded: infinite where it overflows, and 0 where the square of a gap is below the
    /// denormals, so that 0 alone does not say that boxes overlap.
    #[inline]
    #[must_use]
    pub fn distance_squared_to(&self, other: &Aabb) -> f32 {
        length_squared(self.gaps(other))
    }

    /// Whether two boxes are no farther apart than `distance`: **the** test of nearness. Exactly that far counts.
    ///
    /// True if the gap along each axis, as computed in `f32`, is at most `distance`, and
    /// [`distance_squared_to`](Self::distance_squared_to) is at most `distance * distance`. The gaps are tested too
    /// because the square of a gap can underflow to 0, and a gap cannot: so distance 0 means exactly
    /// [`overlaps`](Self::overlaps). False if `distance` is NaN or negative.
    ///
    /// ```
    /// use throng_core::Aabb;
    ///
    /// let orc = Aabb::new([0.0, 0.0], [1.0, 1.0])?;
    /// let elf = Aabb::new([4.0, 5.0], [6.0, 6.0])?;
    /// assert!(orc.is_within(&elf, 5.0) && !orc.is_within(&elf, 4.9), "3 across and 4 up");
    /// # Ok::<(), throng_core::AabbError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn is_within(&self, other: &Aabb, distance: f32) -> bool {
        gaps_within(self.gaps(other), distance)
    }

    /// The gap between two boxes along each axis: [`gaps`].
    #[inline(always)]
    fn gaps(&self, other: &Aabb) -> [f32; 2] {
        gaps([self.min, self.max], [other.min, other.max])
    }

    /// A box that overlaps every box that [`is_within`](Self::is_within) `distance` of this one, and few others.
    ///
    /// A gap that rounds to at most `distance` is really less than the next float above it. So each side is moved by
    /// that next float, and then one float further to cover the rounding of the sum. A `distance` that is NaN or
    /// negative counts as 0.
    ///
    /// ```
    /// use throng_core::Aabb;
    ///
    /// // They are 100 and a millionth apart, which rounds to 100 in `f32`.
    /// let (a, b) = (Aabb::point([-1e-6, 0.0])?, Aabb::point([100.0, 0.0])?);
    /// assert!(a.is_within(&b, 100.0) && a.widened(100.0).overlaps(&b));
    /// # Ok::<(), throng_core::AabbError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn widened(&self, distance: f32) -> Aabb {
        let reach = distance.max(0.0).next_up();
        Aabb {
            min: self.min.map(|side| (side - reach).next_down()),
            max: self.max.map(|side| (side + reach).next_up()),
        }
    }

    /// Whether every point of `other` lies in this box.
    #[inline]
    #[must_use]
    pub fn contains(&self, other: &Aabb) -> bool {
        self.min[0] <= other.min[0]
            && self.min[1] <= other.min[1]
            && other.max[0] <= self.max[0]
            && other.max[1] <= self.max[1]
    }

    /// The smallest box that contains both.
    #[must_use]
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb {
            min: [self.min[0].min(other.min[0]), self.min[1].min(other.min[1])],
            max: [self.max[0].max(other.max[0]), self.max[1].max(other.max[1])],
        }
    }

    fn sides(&self, axis: Axis) -> (f32, f32) {
        (self.min[axis as usize], self.max[axis as usize])
    }
}

/// Whether two corners are valid, as [`Aabb::new`] requires.
#[inline(always)]
pub(crate) fn is_box(min: [f32; 2], max: [f32; 2]) -> bool {
    // Comparisons with a NaN are false.
    (min[0] <= max[0])
        & (min[1] <= max[1])
        & (min[0] < f32::INFINITY)
        & (min[1] < f32::INFINITY)
        & (max[0] > f32::NEG_INFINITY)
        & (max[1] > f32::NEG_INFINITY)
}

/// Why two corners are not a valid box. Kept out of [`Aabb::new`] so that it stays small enough to inline.
#[cold]
#[inline(never)]
fn what_is_wrong(min: [f32; 2], max: [f32; 2]) -> AabbError {
    for axis in Axis::ALL {
        let (low, high) = (min[axis as usize], max[axis as usize]);
        for (side, value) in [(Side::Min, low), (Side::Max, high)] {
            if value.is_nan() {
                return AabbError::Nan { axis, side };
            }
        }
        if low > high {
            let (min, max) = (low, high);
            return AabbError::Inverted { axis, min, max };
        }
        if low == f32::INFINITY {
            let (side, value) = (Side::Min, low);
            return AabbError::HoldsNothing { axis, side, value };
        }
        if high == f32::NEG_INFINITY {
            let (side, value) = (Side::Max, high);
            return AabbError::HoldsNothing { axis, side, value };
        }
    }
    unreachable!("asked only of corners that make no box")
}

fn refuse_nan(axis: Axis, side: Side, value: f32) -> Result<(), AabbError> {
    if value.is_nan() {
        return Err(AabbError::Nan { axis, side });
    }
    Ok(())
}

/// `[x: 0 to 1, y: -2 to inf]`; a precision such as `{:.2}` applies to every number.
impl fmt::Display for Aabb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (axis, before) in Axis::ALL.into_iter().zip(["[", ", "]) {
            let (min, max) = self.sides(axis);
            write!(f, "{before}{axis}: ")?;
            fmt::Display::fmt(&min, f)?;
            f.write_str(" to ")?;
            fmt::Display::fmt(&max, f)?;
        }
        f.write_str("]")
    }
}

/// The corners, `(min, max)`.
impl From<Aabb> for ([f32; 2], [f32; 2]) {
    fn from(aabb: Aabb) -> Self {
        (aabb.min, aabb.max)
    }
}

/// `(min, max)`, refused as by [`Aabb::new`].
impl TryFrom<([f32; 2], [f32; 2])> for Aabb {
    type Error = AabbError;

    fn try_from((min, max): ([f32; 2], [f32; 2])) -> Result<Self, AabbError> {
        Aabb::new(min, max)
    }
}

/// A box as read from a file, not yet validated.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Aabb", deny_unknown_fields)]
struct Sides {
    #[serde(deserialize_with = "lower_corner")]
    min: [f32; 2],
    #[serde(deserialize_with = "upper_corner")]
    max: [f32; 2],
}

#[cfg(feature = "serde")]
fn lower_corner<'de, D: serde::Deserializer<'de>>(file: D) -> Result<[f32; 2], D::Error> {
    or_infinite(file, f32::NEG_INFINITY)
}

#[cfg(feature = "serde")]
fn upper_corner<'de, D: serde::Deserializer<'de>>(file: D) -> Result<[f32; 2], D::Error> {
    or_infinite(file, f32::INFINITY)
}

/// Reads two numbers, taking a missing one as infinite: JSON writes infinity as `null`.
///
/// # Errors
///
/// If the file holds anything else.
#[cfg(feature = "serde")]
pub fn or_infinite<'de, D: serde::Deserializer<'de>>(
    file: D,
    infinity: f32,
) -> Result<[f32; 2], D::Error> {
    use serde::Deserialize;
    // Binary formats encode an `Option` differently from the bare value.
    if !file.is_human_readable() {
        return Deserialize::deserialize(file);
    }
    let numbers = <[Option<f32>; 2]>::deserialize(file)?;
    Ok(numbers.map(|number| number.unwrap_or(infinity)))
}

#[cfg(feature = "serde")]
impl From<Aabb> for Sides {
    fn from(Aabb { min, max }: Aabb) -> Self {
        Sides { min, max }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Sides> for Aabb {
    type Error = AabbError;

    fn try_from(Sides { min, max }: Sides) -> Result<Self, AabbError> {
        Aabb::new(min, max)
    }
}
