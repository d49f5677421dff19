//! Convex polygons against boxes: a camera's view, a cone of light.

mod error;
mod hull;

pub use error::ConvexPolygonError;

use crate::aabb::Aabb;
use crate::aabb_error::Axis;

/// A convex polygon, border included. It may be flat: a segment, or a single point.
///
/// ```
/// use throng_core::{Aabb, ConvexPolygon};
///
/// let light = ConvexPolygon::new(&[[0.0, 0.0], [8.0, -3.0], [8.0, 3.0]])?;
/// assert!(light.touches(&Aabb::new([4.0, -1.0], [5.0, 1.0])?));
/// assert!(!light.touches(&Aabb::new([1.0, 2.0], [2.0, 3.0])?), "in its bounds, but beside it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ConvexPolygon {
    points: Box<[[f32; 2]]>,
    bounds: Aabb,
    edges: Box<[PolygonEdge]>,
}

/// A slanted edge of a [`ConvexPolygon`] in the form that a kernel needs to test many boxes at once.
///
/// [`reaches`](Self::reaches) is the test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PolygonEdge {
    /// Perpendicular to the edge, pointing into the polygon. The larger component is 1 or -1; neither is 0 or
    /// denormal.
    pub inward: [f32; 2],
    /// A corner of the polygon, on the edge.
    pub point: [f32; 2],
    /// The lowest value that each axis can contribute: that of the greatest distance an `f32` holds.
    pub floor: [f32; 2],
}

impl ConvexPolygon {
    /// The polygon with these corners, in order, clockwise or counter-clockwise.
    ///
    /// Points may repeat and may lie between their neighbors. A point that is inside the polygon by at most four
    /// ulps of the farthest coordinate counts as on its border, because computed points have errors of that size. O(n
    /// log n).
    ///
    /// # Errors
    ///
    /// [`ConvexPolygonError`], with the offending point.
    pub fn new(points: &[[f32; 2]]) -> Result<ConvexPolygon, ConvexPolygonError> {
        if points.len() < 3 {
            let given = points.len();
            return Err(ConvexPolygonError::TooFewPoints { given, needed: 3 });
        }
        let bounds = bounds_of(points)?;
        let corners = hull::corners(points);
        hull::check_order(points, &corners)?;
        Ok(Self::of_corners(points, &corners, bounds))
    }

    /// The smallest convex polygon around these points, whatever their order. O(n log n).
    ///
    /// # Errors
    ///
    /// [`ConvexPolygonError::TooFewPoints`] if there are no points, [`ConvexPolygonError::NotFinite`].
    pub fn hull_of(points: &[[f32; 2]]) -> Result<ConvexPolygon, ConvexPolygonError> {
        let bounds = bounds_of(points)?;
        Ok(Self::of_corners(points, &hull::corners(points), bounds))
    }

    /// A rectangle rotated about its center by the angle whose cosine and sine are given; the half extents are those
    /// before the rotation.
    ///
    /// Cosine and sine rather than an angle, because engines store them, and because computing them differs from
    /// machine to machine. The sum of their squares only needs to be within a hundredth of 1.
    ///
    /// # Errors
    ///
    /// [`ConvexPolygonError::NotFinite`], with the corner (0 to 3) that is not finite;
    /// [`ConvexPolygonError::HalfExtents`] if one is negative; [`ConvexPolygonError::Turn`] if the two are not a
    /// cosine and a sine.
    pub fn rectangle(
        center: [f32; 2],
        half_extents: [f32; 2],
        cos_sin: [f32; 2],
    ) -> Result<ConvexPolygon, ConvexPolygonError> {
        let [cos, sin] = cos_sin;
        let corner = |[sx, sy]: [f32; 2]| {
            let [x, y] = [sx * half_extents[0], sy * half_extents[1]];
            [
                center[0] + (x * cos - y * sin),
                center[1] + (x * sin + y * cos),
            ]
        };
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(corner);
        let rectangle = Self::hull_of(&corners)?;
        if half_extents.iter().any(|half| *half < 0.0) {
            return Err(ConvexPolygonError::HalfExtents {
                given: half_extents,
            });
        }
        if (cos * cos + sin * sin - 1.0).abs() > 0.01 {
            return Err(ConvexPolygonError::Turn { given: [cos, sin] });
        }
        Ok(rectangle)
    }

    /// Its corners, counter-clockwise if y points up, starting from the leftmost (the lower of two). Points that
    /// turned out not to be corners are left out; a flat polygon has two corners or one.
    #[must_use]
    pub fn points(&self) -> &[[f32; 2]] {
        &self.points
    }

    /// The smallest box around it. A box that does not overlap this one is not touched.
    #[inline]
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Its slanted edges. Horizontal and vertical edges are covered by the bounds.
    #[inline]
    #[must_use]
    pub fn edges(&self) -> &[PolygonEdge] {
        &self.edges
    }

    /// Whether the polygon and the box share a point: **the** test of a polygon against a box.
    ///
    /// By separating axes: the box must overlap the polygon's bounds, and [reach](PolygonEdge::reaches) inside every
    /// edge. It errs only towards touching, and only by rounding: a box that touches is never missed. One that does
    /// not touch is reported only if it misses by less than about one part in 2^20 of its distance from a corner of
    /// the polygon, or if that distance overflows.
    ///
    /// It is monotone: if it touches a box, it touches every box that contains that box. O(edges), allocates nothing.
    #[inline]
    #[must_use]
    pub fn touches(&self, aabb: &Aabb) -> bool {
        self.bounds.overlaps(aabb) && self.edges.iter().all(|edge| edge.reaches(aabb))
    }

    fn of_corners(points: &[[f32; 2]], corners: &[usize], bounds: Aabb) -> ConvexPolygon {
        let points: Box<[_]> = corners.iter().map(|&index| points[index]).collect();
        let next = points.iter().cycle().skip(1);
        let edges = points
            .iter()
            .zip(next)
            .filter_map(|(&from, &to)| PolygonEdge::between(from, to))
            .collect();
        ConvexPolygon {
            points,
            bounds,
            edges,
        }
    }
}

impl PolygonEdge {
    /// The allowance for rounding: each of the two products is off by less than 3 parts in 2^24, so the comparison is
    /// off by less than 7 of them, its own rounding included.
    pub const SLACK: f32 = 1.0 + 1.0 / (1 << 21) as f32;

    /// The edge between two corners of a counter-clockwise polygon. `None` if the bounds already cover it: it is
    /// horizontal or vertical, or so close to it that an `f32` direction cannot tell.
    fn between(from: [f32; 2], to: [f32; 2]) -> Option<PolygonEdge> {
        let along = |axis: Axis| f64::from(to[axis as usize]) - f64::from(from[axis as usize]);
        let inward = [-along(Axis::Y), along(Axis::X)];
        // In `f64` neither overflows, and only their ratio matters.
        let greater = inward[0].abs().max(inward[1].abs());
        let inward = inward.map(|v| (v / greater) as f32);
        inward.iter().all(|v| v.is_normal()).then_some(PolygonEdge {
            inward,
            point: from,
            floor: inward.map(|v| v.abs() * f32::MIN),
        })
    }

    /// Whether some of the box is on the polygon's side of the edge's line, or on the line.
    ///
    /// Tests the corner of the box that is farthest in that direction. Each axis contributes its distance from the
    /// edge's `point` times `inward`, but no less than `floor`. The edge is reached if the greater contribution,
    /// times [`SLACK`](Self::SLACK), outweighs the lesser. Each operation is rounded in `f32`.
    ///
    /// An infinite side of the box, if tested, contributes plus infinity. Any other overflow favours touching,
    /// because negative contributions stop at `floor`. NaN cannot occur, because the two are compared and not added.
    #[inline]
    #[must_use]
    pub fn reaches(&self, aabb: &Aabb) -> bool {
        let [x, y] = Axis::ALL.map(|axis| {
            let axis = axis as usize;
            let inward = self.inward[axis];
            let farthest = if inward > 0.0 {
                aabb.max()[axis]
            } else {
                aabb.min()[axis]
            };
            (inward * (farthest - self.point[axis])).max(self.floor[axis])
        });
        let (less, more) = if x < y { (x, y) } else { (y, x) };
        more * Self::SLACK >= -less
    }
}

/// The smallest box around some points.
fn bounds_of(points: &[[f32; 2]]) -> Result<Aabb, ConvexPolygonError> {
    let mut bounds: Option<Aabb> = None;
    for (index, &point) in points.iter().enumerate() {
        // Building a box from the point rejects whatever is not finite.
        let here =
            Aabb::point(point).map_err(|_| ConvexPolygonError::NotFinite { index, point })?;
        bounds = Some(bounds.map_or(here, |bounds| bounds.union(&here)));
    }
    let (given, needed) = (points.len(), 1);
    bounds.ok_or(ConvexPolygonError::TooFewPoints { given, needed })
}

#[cfg(test)]
mod tests;
