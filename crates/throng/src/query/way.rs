//! Straight paths, and what is reported of the things that one touches.

use throng_core::{Aabb, MovingBox, Segment};

use crate::query::queries::QueryHit;
use crate::world::ids::Row;

/// A straight path: of a point, such as a shot or a line of sight, or of a moving box.
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

/// A proxy that a path touches.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WayHit {
    /// The proxy, as any query reports it.
    pub hit: QueryHit,
    /// How far along the path it is first touched, from 0 at the start to 1 at the end.
    pub fraction: f32,
    /// The position of its category among those searched, and its row there as indexed: breaks ties.
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
    /// How far along the path a box is first touched, from 0 to 1; `None` if it never is.
    #[inline]
    pub fn entry(&self, aabb: &Aabb) -> Option<f32> {
        match self {
            Self::Segment(segment) => segment.entry(aabb),
            Self::Box(moving) => moving.entry(aabb),
        }
    }

    /// Roughly its centre; infinite if the path is too long to compute it.
    pub(crate) fn center(&self) -> [f32; 2] {
        let [from, to, size] = self.corners();
        [0, 1].map(|axis| (from[axis] + to[axis] + size[axis]) / 2.0)
    }

    /// Where the lower corner starts and ends, and the size of the box.
    pub(crate) fn corners(&self) -> [[f32; 2]; 3] {
        match self {
            Self::Segment(segment) => [segment.from(), segment.to(), [0.0; 2]],
            Self::Box(moving) => [moving.begin().min(), moving.end().min(), moving.size()],
        }
    }
}
