//! Straight paths, and what is reported of the things that one touches.

use throng_core::{Aabb, BoxCast, RayCast};

use crate::query::queries::QueryHit;
use crate::world::ids::Row;

/// A straight path: of a point, such as a shot or a line of sight, or of a moving box.
///
/// ```
/// use throng::{Aabb, BoxCast, RayCast, Cast};
///
/// let shot: Cast = RayCast::from_to([0.0, 0.0], [100.0, 20.0])?.into();
/// let cart: Cast = BoxCast::new(Aabb::new([0.0, 0.0], [2.0, 1.0])?, [5.0, 0.0])?.into();
/// assert_eq!(shot.entry(&Aabb::new([50.0, 0.0], [60.0, 50.0])?), Some(0.5));
/// assert_eq!(cart.entry(&Aabb::new([50.0, 0.0], [60.0, 50.0])?), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Cast {
    /// Of a point.
    Ray(RayCast),
    /// Of a box.
    Box(BoxCast),
}

impl From<RayCast> for Cast {
    fn from(ray: RayCast) -> Self {
        Self::Ray(ray)
    }
}

impl From<BoxCast> for Cast {
    fn from(cast: BoxCast) -> Self {
        Self::Box(cast)
    }
}

/// A proxy that a path touches.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CastHit {
    /// The proxy, as any query reports it.
    pub hit: QueryHit,
    /// How far along the path it is first touched, from 0 at the start to 1 at the end.
    pub fraction: f32,
    /// The position of its category among those searched, and its row there as indexed: breaks ties.
    pub(crate) place: (usize, Row),
}

impl CastHit {
    /// Which of two comes first.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_fraction = self.fraction.total_cmp(&other.fraction);
        by_fraction.then(self.place.cmp(&other.place))
    }
}

impl Cast {
    /// How far along the path a box is first touched, from 0 to 1; `None` if it never is.
    #[inline]
    pub fn entry(&self, aabb: &Aabb) -> Option<f32> {
        match self {
            Self::Ray(ray) => ray.entry(aabb),
            Self::Box(cast) => cast.entry(aabb),
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
            Self::Ray(ray) => [ray.from(), ray.to(), [0.0; 2]],
            Self::Box(cast) => [cast.begin().min(), cast.end().min(), cast.size()],
        }
    }
}
