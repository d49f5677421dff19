//! Where a circle that moves in a straight line first touches a box: the definition that every such query follows.

#[cfg(test)]
mod tests;

use crate::aabb::Aabb;
use crate::box_cast::BoxCast;
use crate::contact::CastContact;
use crate::for_both;
use crate::query::{ShapeError, check_point, check_reach, window_around};
use crate::ray_cast::{RayCast, between, disc_entry, length_of};

/// A closed disc that moves in a straight line from one place to another, both included: a bullet, a ball, whoever walks.
///
/// # The definition
///
/// A box is touched where its [distance](Aabb::distance_squared) from the center is at most the radius: at 0 if that is so at the
/// start, and at 1 at the latest if it is so at the end. So what touches at either end is never missed, and a circle that does not
/// move touches exactly what a circle query finds. In between, it is touched where the center enters the box grown by the radius,
/// whose corners are then arcs; errors of arithmetic decide grazes. Both ends are tested in `f32`, as in a circle query, and the way
/// between them in `f64`, with nothing but the basic operations and a square root, so the result is the same on any machine.
///
/// After Ericson, "Real-Time Collision Detection" (2005), 5.5.7.
#[doc(alias = "sweep")]
#[doc(alias = "shape_cast")]
#[doc(alias = "sphere_cast")]
#[doc(alias = "ball")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CircleCast {
    from: [f32; 2],
    to: [f32; 2],
    radius: f32,
    /// How far it moves, as it was given: from one place to the other but for rounding.
    by: [f32; 2],
}

/// Where no coordinate, length or radius is greater than this, no bounds and no square can be infinite.
const ORDINARY: f32 = 1e18;

/// How a circle strikes a box on its way.
struct Strike {
    fraction: f64,
    /// The point of the box.
    point: [f32; 2],
    /// Which way the normal points, of any length.
    away: [f64; 2],
}

impl CircleCast {
    /// A circle that moves by `by`.
    ///
    /// # Errors
    ///
    /// [`ShapeError::NotANumber`] if a coordinate is NaN; [`ShapeError::Reach`] for a radius that is negative or NaN;
    /// [`ShapeError::Unbounded`] if the circle is infinitely large or far away, at the start or at the end, or so large that the
    /// square of its radius is more than the greatest `f32`.
    #[inline]
    pub fn new(
        center: impl Into<[f32; 2]>,
        radius: f32,
        by: impl Into<[f32; 2]>,
    ) -> Result<CircleCast, ShapeError> {
        let (center, by) = (center.into(), by.into());
        check_point(center)?;
        check_reach(radius)?;
        let is_ordinary = |v: f32| v.abs() <= ORDINARY;
        let cast = CircleCast {
            from: center,
            to: for_both(|axis| center[axis] + by[axis]),
            radius,
            by,
        };
        let given = [center, by, [radius; 2]];
        if !given.as_flattened().iter().copied().all(is_ordinary) {
            cast.try_bounds()?;
        }
        Ok(cast)
    }

    /// Its radius.
    #[must_use]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The path of its center.
    #[must_use]
    pub fn path(&self) -> RayCast {
        RayCast::from_to(self.from, self.to).expect("both ends were found to be finite")
    }

    /// How long its path is; infinite if that is more than the greatest `f32`. A fraction multiplied by this is a
    /// distance.
    #[must_use]
    pub fn length(&self) -> f32 {
        length_of(self.from, self.to)
    }

    /// A moving box that contains the circle all along the way and is only a little larger.
    #[must_use]
    pub fn bounds(&self) -> BoxCast {
        self.try_bounds().expect("checked when it was made")
    }

    fn try_bounds(&self) -> Result<BoxCast, ShapeError> {
        BoxCast::new(window_around(self.from, self.radius), self.by)
    }

    /// Whether a box is touched by the circle around this center.
    #[inline]
    fn touches_from(&self, center: [f32; 2], aabb: &Aabb) -> bool {
        aabb.distance_squared(center) <= self.radius * self.radius
    }

    /// How far along its path it first touches the box, from 0 to 1; `None` if it never does. **The** test of a
    /// moving circle against a box.
    ///
    /// ```
    /// use throng_core::{Aabb, CircleCast};
    ///
    /// let pillar = Aabb::new([10.0, -1.0], [11.0, 1.0])?;
    /// let ball = |y| CircleCast::new([0.0, y], 2.0, [16.0, 0.0]);
    /// assert_eq!(ball(0.0)?.entry(&pillar), Some(0.5));
    /// assert_eq!(ball(2.6)?.entry(&pillar), Some(0.55), "a corner, a little later");
    /// assert_eq!(ball(3.1)?.entry(&pillar), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn entry(&self, aabb: &Aabb) -> Option<f32> {
        if self.touches_from(self.from, aabb) {
            return Some(0.0);
        }
        let on_the_way = self.strike(aabb).map(|strike| strike.fraction as f32);
        on_the_way.or_else(|| self.touches_from(self.to, aabb).then_some(1.0))
    }

    /// Where it strikes a box that is not touched at the start. May miss one that is only just touched at the end.
    fn strike(&self, aabb: &Aabb) -> Option<Strike> {
        let sides = [aabb.min(), aabb.max()];
        let (from, radius) = (self.from.map(f64::from), f64::from(self.radius));
        let way = for_both(|axis| f64::from(self.to[axis]) - from[axis]);
        // When the center enters the box widened by the radius, along which axis, and when it leaves it.
        let (mut enters, mut through, mut leaves) = (f64::NEG_INFINITY, 0, f64::INFINITY);
        for axis in [0, 1] {
            let low = f64::from(sides[0][axis]) - radius;
            let high = f64::from(sides[1][axis]) + radius;
            if way[axis] == 0.0 {
                if from[axis] < low || from[axis] > high {
                    return None;
                }
                continue;
            }
            let [a, b] = [low, high].map(|side| (side - from[axis]) / way[axis]);
            if a.min(b) > enters {
                (enters, through) = (a.min(b), axis);
            }
            leaves = leaves.min(a.max(b));
        }
        if enters > leaves || enters > 1.0 || leaves < 0.0 {
            return None;
        }
        let enters = enters.max(0.0);
        let along = |fraction: f64| for_both(|axis| from[axis] + way[axis] * fraction);
        let at = along(enters);
        let beyond = |axis: usize| {
            let [min, max] = sides.map(|side| side[axis]);
            if at[axis] < f64::from(min) {
                Some((min, -1.0))
            } else {
                (at[axis] > f64::from(max)).then_some((max, 1.0))
            }
        };
        let mut ends = for_both(beyond);
        if enters > 0.0 {
            // It comes through this side, whatever rounding says.
            let forward = way[through] > 0.0;
            let outward = if forward { -1.0 } else { 1.0 };
            ends[through] = Some((sides[usize::from(!forward)][through], outward));
        }
        // If the center is beyond the box along one axis only, the circle touches a side. If along both, it has yet to reach the corner,
        // or passes it.
        let [Some((x, _)), Some((y, _))] = ends else {
            let nearest = aabb.nearest_to(at.map(|v| v as f32));
            return Some(Strike {
                fraction: enters,
                point: for_both(|axis| ends[axis].map_or(nearest[axis], |(side, _)| side)),
                away: for_both(|axis| ends[axis].map_or(0.0, |(_, outward)| outward)),
            });
        };
        let corner = [x, y].map(f64::from);
        let fraction = disc_entry([self.from, self.to], corner, radius)?;
        let center = along(fraction);
        let mut away = for_both(|axis| center[axis] - corner[axis]);
        if away[0] * way[0] + away[1] * way[1] >= 0.0 {
            // The radius is lost beside the coordinates.
            away = way.map(|v| -v);
        }
        Some(Strike {
            fraction,
            point: [x, y],
            away,
        })
    }

    /// How far along its path it first touches a disc that does not move: what [`RayCast::circle_entry`] is for a point. For things
    /// that are circles within their boxes.
    ///
    /// If both move, cast one along its way minus the other's, at where the other starts.
    ///
    /// ```
    /// use throng_core::CircleCast;
    ///
    /// let ball = CircleCast::new([0.0, 3.0], 2.0, [10.0, 0.0])?;
    /// assert_eq!(ball.circle_entry([6.0, 0.0], 3.0), Some(0.2));
    ///
    /// // Head-on, each by 15: neither touches where the other was, but they meet.
    /// let (ways, radius) = ([[15.0, 0.0], [-15.0, 0.0]], 1.0);
    /// let seen = [ways[0][0] - ways[1][0], ways[0][1] - ways[1][1]];
    /// assert_eq!(CircleCast::new([0.0, 0.0], radius, ways[0])?.circle_entry([20.0, 0.0], radius), None);
    /// assert_eq!(CircleCast::new([0.0, 0.0], radius, seen)?.circle_entry([20.0, 0.0], radius), Some(0.6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn circle_entry(&self, center: impl Into<[f32; 2]>, radius: f32) -> Option<f32> {
        if radius < 0.0 {
            return None;
        }
        let sum = f64::from(self.radius) + f64::from(radius);
        let ends = [self.from, self.to];
        let entry = disc_entry(ends, center.into().map(f64::from), sum);
        entry.map(|entry| entry as f32)
    }

    /// Where the moving circle first touches the box, and the normal there; `None` if it does not [touch](Self::entry) it. At a corner
    /// the normal is oblique.
    ///
    /// ```
    /// use throng_core::{Aabb, CircleCast};
    ///
    /// let pillar = Aabb::new([10.0, -1.0], [11.0, 1.0])?;
    /// let ball = CircleCast::new([0.0, 0.5], 2.0, [16.0, 0.0])?;
    /// let contact = ball.contact(&pillar).ok_or("it is in the way")?;
    /// assert_eq!((contact.point, contact.normal), ([10.0, 0.5], [-1.0, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contact(&self, aabb: &Aabb) -> Option<CastContact> {
        self.entry(aabb).map(|entry| self.contact_at(aabb, entry))
    }

    /// The same if it is already known after which fraction the moving circle [touches](Self::entry) the box. For any
    /// other fraction, the normal means nothing.
    #[must_use]
    pub fn contact_at(&self, aabb: &Aabb, entry: f32) -> CastContact {
        let (point, away) = if self.touches_from(self.from, aabb) {
            (self.nearest_at(entry, aabb), [0.0; 2])
        } else if let Some(strike) = self.strike(aabb) {
            (strike.point, strike.away)
        } else {
            // It only just touches at the end.
            let (to, point) = (self.to, self.nearest_at(entry, aabb));
            let away = for_both(|axis| f64::from(to[axis]) - f64::from(point[axis]));
            (point, away)
        };
        let [x, y] = away;
        let length = (x * x + y * y).sqrt();
        let normal = if length > 0.0 {
            away.map(|v| (v / length) as f32)
        } else {
            [0.0; 2]
        };
        CastContact {
            fraction: entry,
            point,
            normal,
        }
    }

    /// The point of a box that is nearest to the center after this fraction of the path.
    #[must_use]
    pub fn nearest_at(&self, fraction: f32, aabb: &Aabb) -> [f32; 2] {
        aabb.nearest_to(between(self.from, self.to, fraction))
    }
}
