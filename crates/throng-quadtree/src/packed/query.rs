//! Everything that touches a shape.

use super::PackedQuadtree;
use super::kernels::{walk, walk_probe};
use super::probes::Inside;
use super::view::View;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, ConvexPolygon, ShapeError, check_point, check_reach, whether_broken, window_around,
};

impl<B: AsRef<[u8]>> PackedQuadtree<B> {
    /// Visits every row whose box touches `window`, borders included, once, in leaf order, until the visitor
    /// breaks. Allocates nothing.
    pub fn query_aabb<R>(
        &self,
        window: &Aabb,
        mut visit: impl FnMut(u32, Aabb) -> ControlFlow<R>,
    ) -> ControlFlow<R> {
        let view = self.view();
        let mut outcome = ControlFlow::Continue(());
        let corners = [window.min(), window.max()];
        let _ = walk(self.simd, &view, &corners, &mut |slots| {
            outcome = pass_on(&view, slots, &mut visit);
            whether_broken(&outcome)
        });
        outcome
    }

    /// Visits every row whose box contains `point`, borders included.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if a coordinate is NaN.
    pub fn query_point<R>(
        &self,
        point: [f32; 2],
        mut visit: impl FnMut(u32, Aabb) -> ControlFlow<R>,
    ) -> Result<ControlFlow<R>, ShapeError> {
        check_point(point)?;
        // What reaches a point at infinity also reaches the last finite point before it.
        let finite = point.map(|v| v.clamp(f32::MIN, f32::MAX));
        let window = Aabb::point(finite).expect("a finite point is a box");
        Ok(self.query_aabb(&window, |row, aabb| {
            if aabb.contains_point(point) {
                visit(row, aabb)
            } else {
                ControlFlow::Continue(())
            }
        }))
    }

    /// Visits every row whose box touches the closed disc: those whose
    /// [`distance_squared`](Aabb::distance_squared) to the center is at most `radius * radius`.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] for a NaN or a negative radius.
    pub fn query_circle<R>(
        &self,
        center: [f32; 2],
        radius: f32,
        mut visit: impl FnMut(u32, Aabb) -> ControlFlow<R>,
    ) -> Result<ControlFlow<R>, ShapeError> {
        check_point(center)?;
        check_reach(radius)?;
        Ok(
            self.query_aabb(&window_around(center, radius), |row, aabb| {
                if aabb.distance_squared(center) <= radius * radius {
                    visit(row, aabb)
                } else {
                    ControlFlow::Continue(())
                }
            }),
        )
    }

    /// Visits every row whose box [touches](ConvexPolygon::touches) the polygon: a camera's view, a cone of light.
    pub fn query_polygon<R>(
        &self,
        polygon: &ConvexPolygon,
        mut visit: impl FnMut(u32, Aabb) -> ControlFlow<R>,
    ) -> ControlFlow<R> {
        let view = self.view();
        let mut outcome = ControlFlow::Continue(());
        let _ = walk_probe(self.simd, &view, &Inside::of(polygon), &mut |slots| {
            outcome = pass_on(&view, slots, &mut visit);
            whether_broken(&outcome)
        });
        outcome
    }
}

/// Passes the boxes in the slots to a visitor, until it breaks.
///
/// Not inlined, and unable to panic: so the compiler knows that nothing here reads what the visitor writes, and keeps
/// the visitor's sums in registers. That is two thirds of the time of a search that finds a thousand.
#[inline(never)]
fn pass_on<R>(
    view: &View<'_>,
    slots: &[u32],
    visit: &mut impl FnMut(u32, Aabb) -> ControlFlow<R>,
) -> ControlFlow<R> {
    for &slot in slots {
        let (row, aabb) = view.found(slot);
        visit(row, aabb)?;
    }
    ControlFlow::Continue(())
}
