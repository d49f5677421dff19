//! Where a cast strikes a box, and which side of it.

#[cfg(test)]
mod tests;

use crate::aabb::Aabb;
use crate::box_cast::BoxCast;
use crate::for_both;
use crate::ray_cast::RayCast;

/// How a cast first touches a box; made by [`RayCast::contact`], [`BoxCast::contact`] and
/// [`CircleCast::contact`](crate::CircleCast::contact).
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct CastContact {
    /// How far along the cast, from 0 at its start to 1 at its end: the cast's `entry`.
    pub fraction: f32,
    /// Where they touch: on the side that is struck, exactly so along the axis of the normal, and never outside the
    /// box. If the cast begins in the box, the point lies inside.
    pub point: [f32; 2],
    /// The outward normal of the side that is struck, of length 1: one of `[-1, 0]`, `[1, 0]`, `[0, -1]` and `[0, 1]`, except where a
    /// moving circle strikes a corner. `[0, 0]` if the two touch at the start already, whether inside or on the border.
    ///
    /// It points against the cast. At a corner it is that of the side that is reached last; if both are reached at
    /// once, that of the side across x. Where a moving circle strikes a corner, it points from the corner to the circle's center.
    pub normal: [f32; 2],
}

impl RayCast {
    /// Where the ray enters the box, and through which side; `None` if it does not [touch](Self::entry) the box.
    ///
    /// ```
    /// use throng_core::{Aabb, RayCast};
    ///
    /// let wall = Aabb::new([2.0, -1.0], [3.0, 1.0])?;
    /// let shot = RayCast::from_to([0.0, 0.0], [8.0, 1.0])?;
    /// let contact = shot.contact(&wall).ok_or("it is in the way")?;
    /// assert_eq!((contact.point, contact.normal), ([2.0, 0.25], [-1.0, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contact(&self, aabb: &Aabb) -> Option<CastContact> {
        self.entry(aabb).map(|entry| self.contact_at(aabb, entry))
    }

    /// The same if it is already known after which fraction the ray [enters](Self::entry) the box. For any other
    /// fraction, the normal and the point mean nothing.
    #[must_use]
    pub fn contact_at(&self, aabb: &Aabb, entry: f32) -> CastContact {
        let (from, min, max) = (self.from(), aabb.min(), aabb.max());
        let outside = for_both(|axis| Outside::of(from[axis], from[axis], min[axis], max[axis]));
        let struck = struck_side(self, [min, max], outside);
        let point = aabb.nearest_to(self.point_at(entry));
        CastContact::new(entry, point, struck, aabb)
    }
}

impl BoxCast {
    /// Where the moving box first touches the other, and on which side of the other; `None` if it does not
    /// [touch](Self::entry) it. The point is the middle of what the two share at that moment.
    ///
    /// ```
    /// use throng_core::{Aabb, BoxCast};
    ///
    /// let wall = Aabb::new([10.0, 1.0], [11.0, 5.0])?;
    /// let cart = BoxCast::new(Aabb::new([0.0, 0.0], [2.0, 2.0])?, [16.0, 0.0])?;
    /// let contact = cart.contact(&wall).ok_or("it is in the way")?;
    /// assert_eq!((contact.point, contact.normal), ([10.0, 1.5], [-1.0, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contact(&self, aabb: &Aabb) -> Option<CastContact> {
        self.entry(aabb).map(|entry| self.contact_at(aabb, entry))
    }

    /// The same if it is already known after which fraction the moving box [touches](Self::entry) the other. For any
    /// other fraction, the normal and the point mean nothing.
    #[must_use]
    pub fn contact_at(&self, aabb: &Aabb, entry: f32) -> CastContact {
        let (min, max) = (aabb.min(), aabb.max());
        let (low, high) = (self.begin().min(), self.begin().max());
        let outside = for_both(|axis| Outside::of(low[axis], high[axis], min[axis], max[axis]));
        let reached = for_both(|axis| min[axis] - self.size()[axis]);
        let struck = struck_side(self.path(), [reached, max], outside);
        let point = self.shared_at(entry, aabb);
        CastContact::new(entry, point, struck, aabb)
    }

    /// The middle of what the moving box shares with another after this fraction of its path. If they are apart there,
    /// it is the point of the other that is nearest to the middle of the gap.
    #[must_use]
    pub fn shared_at(&self, fraction: f32, aabb: &Aabb) -> [f32; 2] {
        let moving = self.aabb_at(fraction);
        let (min, max) = (aabb.min(), aabb.max());
        aabb.nearest_to(for_both(|axis| {
            let low = f64::from(moving.min()[axis].max(min[axis]));
            let high = f64::from(moving.max()[axis].min(max[axis]));
            ((low + high) / 2.0) as f32
        }))
    }
}

impl CastContact {
    fn new(fraction: f32, point: [f32; 2], struck: Option<(usize, Outside)>, aabb: &Aabb) -> Self {
        let mut contact = Self {
            fraction,
            point,
            normal: [0.0; 2],
        };
        if let Some((axis, outside)) = struck {
            (contact.point[axis], contact.normal[axis]) = match outside {
                Outside::Above => (aabb.max()[axis], 1.0),
                _ => (aabb.min()[axis], -1.0),
            };
        }
        contact
    }
}

/// On which side of a box something begins, along one axis.
#[derive(Clone, Copy, PartialEq)]
enum Outside {
    Below,
    Above,
    Neither,
}

impl Outside {
    /// Of what extends from `low` to `high`, beside what extends from `min` to `max`.
    fn of(low: f32, high: f32, min: f32, max: f32) -> Self {
        match (high < min, low > max) {
            (true, _) => Self::Below,
            (_, true) => Self::Above,
            _ => Self::Neither,
        }
    }
}

/// The axis of the side through which a path enters a box: of those on which it begins outside and comes nearer, the
/// one that it enters last.
///
/// `None` if there is none. Then they touch at the start, or only rounding makes a moving box touch what it passes.
fn struck_side(
    path: &RayCast,
    [min, max]: [[f32; 2]; 2],
    outside: [Outside; 2],
) -> Option<(usize, Outside)> {
    let (from, to) = (path.from(), path.to());
    let approaches = |axis: usize| match outside[axis] {
        Outside::Below => to[axis] > from[axis],
        Outside::Above => to[axis] < from[axis],
        Outside::Neither => false,
    };
    let near = |axis: usize| path.slabs()[axis].fractions(min[axis], max[axis]).0;
    let axis = match for_both(approaches) {
        [false, false] => return None,
        [true, true] => usize::from(near(1) > near(0)),
        [first, _] => usize::from(!first),
    };
    Some((axis, outside[axis]))
}
