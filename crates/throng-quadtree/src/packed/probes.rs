//! The tests that a search makes on sixteen boxes at a time, other than against a window.
//!
//! These are plain loops over lanes, which the compiler vectorizes for each instruction set. They use the same
//! operations as the definitions, so every instruction set gives the same answers.

use super::header::NODE;
use super::view::Column;
use throng_core::{
    Aabb, ConvexPolygon, LANES, PolygonEdge, RayCast, RaySlab, distance_squared, overlaps_1d,
};

/// A test with an answer, the key, for each of sixteen boxes.
///
/// Monotone: a box that contains another never has the greater key, and is never NaN where the other is not. So a
/// node's key bounds those of everything below it. Empty slots are NaN.
pub(crate) trait Probe {
    /// NaN if the box is not touched; otherwise a number from 0 up.
    fn keys(&self, sides: &[Column; NODE]) -> [f32; LANES];
}

/// The squared distance to a box.
pub(crate) struct Distance {
    pub point: [f32; 2],
}

impl Probe for Distance {
    #[inline(always)]
    fn keys(&self, [min_x, min_y, max_x, max_y]: &[Column; NODE]) -> [f32; LANES] {
        let mut keys = [f32::NAN; LANES];
        for lane in 0..LANES {
            let (min, max) = ([min_x[lane], min_y[lane]], [max_x[lane], max_y[lane]]);
            let distance = distance_squared(min, max, self.point);
            keys[lane] = if min[0].is_nan() { f32::NAN } else { distance };
        }
        keys
    }
}

/// Where a ray enters a box, as [`RayCast::entry`] says.
pub(crate) struct Entry {
    bounds: Aabb,
    slabs: [RaySlab; 2],
}

impl Entry {
    pub fn of(ray: &RayCast) -> Self {
        Self {
            bounds: ray.bounds(),
            slabs: ray.slabs(),
        }
    }
}

impl Probe for Entry {
    #[inline(always)]
    fn keys(&self, [min_x, min_y, max_x, max_y]: &[Column; NODE]) -> [f32; LANES] {
        let (low, high) = (self.bounds.min(), self.bounds.max());
        let [x, y] = self.slabs;
        // Which side is near is the same for all lanes.
        let (near_x, far_x) = if x.forward {
            (min_x, max_x)
        } else {
            (max_x, min_x)
        };
        let (near_y, far_y) = if y.forward {
            (min_y, max_y)
        } else {
            (max_y, min_y)
        };
        let later = |a: f32, b: f32| if a > b { a } else { b };
        let mut keys = [f32::NAN; LANES];
        for lane in 0..LANES {
            let enters_x = (near_x[lane] * x.scale - x.near_origin) / x.length;
            let enters_y = (near_y[lane] * y.scale - y.near_origin) / y.length;
            let leaves_x = (far_x[lane] * x.scale - x.far_origin) / x.length;
            let leaves_y = (far_y[lane] * y.scale - y.far_origin) / y.length;
            let met = overlaps_1d(min_x[lane], max_x[lane], low[0], high[0])
                & overlaps_1d(min_y[lane], max_y[lane], low[1], high[1])
                & (enters_x <= leaves_y)
                & (enters_y <= leaves_x);
            let entry = later(later(enters_x, enters_y), 0.0);
            keys[lane] = if met { entry } else { f32::NAN };
        }
        keys
    }
}

/// Whether a box touches a polygon, as [`ConvexPolygon::touches`] says: 0 if so.
pub(crate) struct Inside<'a> {
    bounds: Aabb,
    edges: &'a [PolygonEdge],
}

impl<'a> Inside<'a> {
    pub fn of(polygon: &'a ConvexPolygon) -> Self {
        Self {
            bounds: polygon.bounds(),
            edges: polygon.edges(),
        }
    }
}

impl Probe for Inside<'_> {
    #[inline(always)]
    fn keys(&self, [min_x, min_y, max_x, max_y]: &[Column; NODE]) -> [f32; LANES] {
        let (low, high) = (self.bounds.min(), self.bounds.max());
        let mut keys = [f32::NAN; LANES];
        for lane in 0..LANES {
            let met = overlaps_1d(min_x[lane], max_x[lane], low[0], high[0])
                & overlaps_1d(min_y[lane], max_y[lane], low[1], high[1]);
            keys[lane] = if met { 0.0 } else { f32::NAN };
        }
        for edge in self.edges {
            let farthest_x = if edge.inward[0] > 0.0 { max_x } else { min_x };
            let farthest_y = if edge.inward[1] > 0.0 { max_y } else { min_y };
            for lane in 0..LANES {
                let x = edge.inward[0] * (farthest_x[lane] - edge.point[0]);
                let y = edge.inward[1] * (farthest_y[lane] - edge.point[1]);
                let (x, y) = (x.max(edge.floor[0]), y.max(edge.floor[1]));
                let (less, more) = if x < y { (x, y) } else { (y, x) };
                let reaches = more * PolygonEdge::SLACK >= -less;
                keys[lane] = if reaches { keys[lane] } else { f32::NAN };
            }
        }
        keys
    }
}
