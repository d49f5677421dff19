//! Straight paths, and what is reported about the things that they touch.

use std::cmp::Ordering;

use throng_core::{Aabb, BoxCast, CastContact, CircleCast, RayCast, for_both};

use crate::query::queries::QueryHit;
use crate::world::ids::Row;

/// A straight path: of a point, such as a shot or a line of sight, or of a moving box or circle.
///
/// ```
/// use throng::{Aabb, BoxCast, Cast, CircleCast, RayCast};
///
/// let shot: Cast = RayCast::from_to([0.0, 0.0], [100.0, 20.0])?.into();
/// let cart: Cast = BoxCast::new(Aabb::new([0.0, 0.0], [2.0, 1.0])?, [5.0, 0.0])?.into();
/// assert_eq!(shot.entry(&Aabb::new([50.0, 0.0], [60.0, 50.0])?), Some(0.5));
/// assert_eq!(cart.entry(&Aabb::new([50.0, 0.0], [60.0, 50.0])?), None);
/// let ball: Cast = CircleCast::new([0.0, 0.0], 10.0, [80.0, 0.0])?.into();
/// assert_eq!(ball.entry(&Aabb::new([50.0, 0.0], [60.0, 50.0])?), Some(0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Cast {
    /// Of a point.
    Ray(RayCast),
    /// Of a box.
    Box(BoxCast),
    /// Of a circle.
    Circle(CircleCast),
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

impl From<CircleCast> for Cast {
    fn from(cast: CircleCast) -> Self {
        Self::Circle(cast)
    }
}

/// A proxy that a path touches.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CastHit {
    /// The proxy, as any query reports it.
    pub hit: QueryHit,
    /// How far along the path it is first touched, from 0 at the start to 1 at the end. Multiplied by [`Cast::length`],
    /// this is a distance.
    pub fraction: f32,
    /// Where it is touched. For a ray, the point where it enters the box; for a moving box, the middle of what the two
    /// share at that moment; for a moving circle, the point of the box that is nearest to the circle's center at that moment.
    /// Never outside the box, and exactly on the side that is struck; see [`CastContact`]. If the fraction is that of a shape,
    /// this is taken after that fraction of the path; for a ray, it is simply the point there.
    pub point: [f32; 2],
    /// The outward normal of the side of the box that is struck, of length 1. If a moving circle strikes a corner, it points from the
    /// corner to the circle's center instead. `[0, 0]` if the two touch at the start already. It is that of the box even if the
    /// fraction is that of a shape, whose own normal is yours to find.
    pub normal: [f32; 2],
    /// The position of its category among those searched, and its row there as indexed: breaks ties.
    pub(crate) place: (usize, Row),
}

/// A proxy that a path touches, before it is known where it is touched.
#[derive(Clone, Copy)]
pub(crate) struct Touched {
    pub(crate) hit: QueryHit,
    pub(crate) fraction: f32,
    pub(crate) place: (usize, Row),
}

impl CastHit {
    /// Where the path touches the box.
    pub(crate) fn of_box(cast: &Cast, touched: Touched) -> Self {
        let Touched {
            hit,
            fraction,
            place,
        } = touched;
        debug_assert_eq!(cast.entry(&hit.aabb), Some(fraction));
        let contact = match cast {
            Cast::Ray(ray) => ray.contact_at(&hit.aabb, fraction),
            Cast::Box(cast) => cast.contact_at(&hit.aabb, fraction),
            Cast::Circle(cast) => cast.contact_at(&hit.aabb, fraction),
        };
        Self {
            hit,
            fraction,
            point: contact.point,
            normal: contact.normal,
            place,
        }
    }

    /// The same hit, but of the shape within the box, which has its own fraction; `None` if the shape is missed.
    pub(crate) fn of_shape(mut self, cast: &Cast, fraction: Option<f32>) -> Option<Self> {
        let fraction = fraction.filter(|&fraction| fraction <= 1.0)?;
        if fraction > self.fraction {
            self.fraction = fraction;
            self.point = cast.point_at(fraction, &self.hit.aabb);
        }
        Some(self)
    }

    /// Which of two comes first.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        order((self.fraction, self.place), (other.fraction, other.place))
    }
}

/// What hits are sorted by: the fraction, then the place.
pub(crate) type Rank = (f32, (usize, Row));

/// Which of two comes first.
pub(crate) fn order(a: Rank, b: Rank) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

impl Cast {
    /// How far along the path a box is first touched, from 0 to 1; `None` if it never is.
    #[inline]
    pub fn entry(&self, aabb: &Aabb) -> Option<f32> {
        match self {
            Self::Ray(ray) => ray.entry(aabb),
            Self::Box(cast) => cast.entry(aabb),
            Self::Circle(cast) => cast.entry(aabb),
        }
    }

    /// Where a box is first touched, and on which side; `None` if it never is.
    pub fn contact(&self, aabb: &Aabb) -> Option<CastContact> {
        match self {
            Self::Ray(ray) => ray.contact(aabb),
            Self::Box(cast) => cast.contact(aabb),
            Self::Circle(cast) => cast.contact(aabb),
        }
    }

    /// How long the path is; infinite if that is more than the greatest `f32`.
    pub fn length(&self) -> f32 {
        match self {
            Self::Ray(ray) => ray.length(),
            Self::Box(cast) => cast.length(),
            Self::Circle(cast) => cast.length(),
        }
    }

    /// Where a shape in the box is touched if it is reached after this fraction.
    fn point_at(&self, fraction: f32, aabb: &Aabb) -> [f32; 2] {
        match self {
            Self::Ray(ray) => ray.point_at(fraction),
            Self::Box(cast) => cast.shared_at(fraction, aabb),
            Self::Circle(cast) => cast.nearest_at(fraction, aabb),
        }
    }

    /// Roughly its center; infinite if the path is too long to compute it.
    pub(crate) fn center(&self) -> [f32; 2] {
        let [from, to, size] = self.corners();
        for_both(|axis| (from[axis] + to[axis] + size[axis]) / 2.0)
    }

    /// Where the lower corner of the moving box starts and ends, and its size; for a circle, those of a box around it.
    pub(crate) fn corners(&self) -> [[f32; 2]; 3] {
        let cast = match self {
            Self::Ray(ray) => return [ray.from(), ray.to(), [0.0; 2]],
            Self::Box(cast) => *cast,
            Self::Circle(cast) => cast.bounds(),
        };
        [cast.begin().min(), cast.end().min(), cast.size()]
    }
}
