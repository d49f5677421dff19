//! Straight ways through a world, and the windows along one through which an index is asked.

use throng_core::{Aabb, MovingBox, Segment};

use crate::query::QueryHit;

/// A straight way: of a point, such as a shot or a line of sight, or of a box that moves.
///
/// ```
/// use throng::{Aabb, MovingBox, Segment, Way};
///
/// let shot: Way = Segment::new([0.0, 0.0], [100.0, 20.0])?.into();
/// let cart: Way = MovingBox::new(Aabb::new([0.0, 0.0], [2.0, 1.0])?, [5.0, 0.0])?.into();
/// assert_eq!(shot.entry(&Aabb::new([50.0, 0.0], [60.0, 50.0])?), Some(0.5));
/// assert_eq!(cart.entry(&Aabb::new([50.0, 0.0], [60.0, 50.0])?), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Way {
    /// Of a point.
    Segment(Segment),
    /// Of a box.
    Box(MovingBox),
}

impl From<Segment> for Way {
    fn from(segment: Segment) -> Self {
        Self::Segment(segment)
    }
}

impl From<MovingBox> for Way {
    fn from(moving: MovingBox) -> Self {
        Self::Box(moving)
    }
}

/// A proxy that a way leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WayHit {
    /// The proxy, as any query reports it.
    pub hit: QueryHit,
    /// How much of the way lies before it is first touched: from 0, if that is where the way begins, to 1.
    pub fraction: f32,
}

impl Way {
    /// How much of the way lies before a box is first touched; `None` if it never is.
    #[inline]
    pub fn entry(&self, aabb: &Aabb) -> Option<f32> {
        match self {
            Self::Segment(segment) => segment.entry(aabb),
            Self::Box(moving) => moving.entry(aabb),
        }
    }

    /// Where the lower corner begins and ends, and how far the box reaches beyond it.
    fn corners(&self) -> [[f32; 2]; 3] {
        match self {
            Self::Segment(segment) => [segment.from(), segment.to(), [0.0; 2]],
            Self::Box(moving) => [moving.begin().min(), moving.end().min(), moving.size()],
        }
    }
}

/// How many spacings of the rows of an index a window along a way is long.
const SPACINGS: f64 = 8.0;
const MOST_WINDOWS: usize = 4096;

/// A way cut into equal parts, and a window around each: whatever the way touches overlaps one of them.
///
/// A window is wider than its part of the way by a millionth of all coordinates that are involved, so that no rounding,
/// of the corners here or of a fraction in [`Way::entry`], leads out of it. From one window to the next both corners
/// go the same way along each axis; therefore a box overlaps windows that follow each other, without a gap.
pub(crate) struct Windows {
    from: [f64; 2],
    along: [f64; 2],
    size: [f64; 2],
    slack: f64,
    count: usize,
}

impl Windows {
    /// Windows for an index with so many rows in these bounds.
    pub(crate) fn along(way: &Way, rows: usize, bounds: &Aabb) -> Self {
        let [from, to, size] = way.corners().map(|corner| corner.map(f64::from));
        let along = [0, 1].map(|axis| to[axis] - from[axis]);
        let all = from.iter().chain(&to).chain(&size);
        let slack = all.fold(0.0, |sum, v| sum + v.abs()) * 1e-6 + f64::from(f32::MIN_POSITIVE);
        let longer = along[0].abs().max(along[1].abs());
        let extent =
            [0, 1].map(|axis| f64::from(bounds.max()[axis]) - f64::from(bounds.min()[axis]));
        let spacing = (extent[0] * extent[1] / rows.max(1) as f64).sqrt();
        // Among windows smaller than their slack, each would find what the others do.
        let length = (SPACINGS * spacing)
            .max(8.0 * slack)
            .max(size[0].max(size[1]));
        // An index without end says nothing about the spacing in it.
        let count = if length.is_finite() {
            longer / length
        } else {
            64.0
        };
        Self {
            from,
            along,
            size,
            slack,
            count: (count as usize).clamp(1, MOST_WINDOWS),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The window around a part of the way.
    pub(crate) fn window(&self, part: usize) -> Aabb {
        let at = |part: usize, axis: usize| {
            self.from[axis] + self.along[axis] * (part as f64 / self.count as f64)
        };
        let [x, y] = [0, 1].map(|axis| {
            let (a, b) = (at(part, axis), at(part + 1, axis));
            let (low, high) = (
                a.min(b) - self.slack,
                a.max(b) + self.slack + self.size[axis],
            );
            [low as f32, high as f32]
        });
        Aabb::new([x[0], y[0]], [x[1], y[1]]).expect("finite corners make a window")
    }

    /// Where the way enters a part that is not reached before `fraction` of it, however that was rounded.
    pub(crate) fn is_beyond(&self, part: usize, fraction: f32) -> bool {
        part > 0 && f64::from(fraction) < (part - 1) as f64 / self.count as f64
    }
}
