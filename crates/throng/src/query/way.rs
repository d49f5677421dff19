//! Straight ways, and what is said of whatever one touches.

use throng_core::{Aabb, MovingBox, Segment};

use crate::query::queries::QueryHit;
use crate::world::ids::Row;

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
    /// The place of its category among those asked, and its row there as indexed: what settles equal fractions.
    pub(crate) place: (usize, Row),
}

impl WayHit {
    /// Which of two comes first.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_fraction = self.fraction.total_cmp(&other.fraction);
        by_fraction.then(self.place.cmp(&other.place))
    }
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

    /// About the middle of it; infinite if it is too long to say.
    pub(crate) fn middle(&self) -> [f32; 2] {
        let [from, to, size] = self.corners();
        [0, 1].map(|axis| (from[axis] + to[axis] + size[axis]) / 2.0)
    }

    /// Where the lower corner begins and ends, and how far the box reaches beyond it.
    pub(crate) fn corners(&self) -> [[f32; 2]; 3] {
        match self {
            Self::Segment(segment) => [segment.from(), segment.to(), [0.0; 2]],
            Self::Box(moving) => [moving.begin().min(), moving.end().min(), moving.size()],
        }
    }
}
