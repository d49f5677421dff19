//! "What is near here?": boxes, points and circles. All take `&self` and allocate nothing.

use crate::PointGrid;
use crate::kernels;
use crate::leaf::Bounds;
use crate::run::Centers;
use std::ops::ControlFlow;
use throng_core::lanes::Places;
use throng_core::{
    Aabb, LANES, ShapeError, check_point, check_reach, distance_squared, window_around,
};

/// A row that a query found, as of the last build.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its row in the columns that the grid was built from.
    pub row: u32,
    /// Its center.
    pub center: [f32; 2],
    /// The half extents used: the row's own in an exact grid, else the bound.
    pub half_extents: [f32; 2],
}

impl Hit {
    /// Row `k` of the given centers.
    #[inline(always)]
    pub(crate) fn of(centers: &Centers<'_>, k: usize) -> Self {
        Self {
            row: centers.row(k),
            center: [centers.xs[k], centers.ys[k]],
            half_extents: centers.half(k),
        }
    }

    /// The squared distance from `point` to the hit's box, 0 inside.
    pub fn distance_squared(&self, point: [f32; 2]) -> f32 {
        let Bounds { min, max } = self.sides();
        distance_squared(min, max, point)
    }

    /// The lower and the upper corner of the box that was compared.
    pub fn corners(&self) -> [[f32; 2]; 2] {
        let Bounds { min, max } = self.sides();
        [min, max]
    }

    /// The box that was compared.
    #[inline]
    pub fn aabb(&self) -> Aabb {
        let Bounds { min, max } = self.sides();
        Aabb::new(min, max).expect("a centre and half extents make a box")
    }

    #[inline(always)]
    pub(crate) fn sides(&self) -> Bounds {
        let here = Bounds {
            min: self.center,
            max: self.center,
        };
        here.widened(self.half_extents)
    }
}

impl PointGrid {
    /// Visits every row whose box touches `query`, borders included, until the visitor breaks.
    ///
    /// In leaf order: strip by strip, then by column, then by row, as the last build had them. O(log leaves + rows in the parts of strips that
    /// the query covers).
    pub fn query_aabb<B>(
        &self,
        query: &Aabb,
        visit: impl FnMut(Hit) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.query_window(
            &Bounds {
                min: query.min(),
                max: query.max(),
            },
            visit,
        )
    }

    /// Visits every row whose box contains `point`, borders included. Otherwise as [`query_aabb`](Self::query_aabb).
    ///
    /// # Errors
    ///
    /// If a coordinate is NaN.
    pub fn query_point<B>(
        &self,
        point: [f32; 2],
        visit: impl FnMut(Hit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, ShapeError> {
        check_point(point)?;
        Ok(self.query_window(
            &Bounds {
                min: point,
                max: point,
            },
            visit,
        ))
    }

    /// Visits every row whose box touches the closed disc: those with
    /// [`Hit::distance_squared`]` <= radius * radius`. Otherwise as [`query_aabb`](Self::query_aabb).
    ///
    /// # Errors
    ///
    /// If a coordinate of the center is NaN, or the radius is NaN or negative.
    pub fn query_circle<B>(
        &self,
        center: [f32; 2],
        radius: f32,
        mut visit: impl FnMut(Hit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, ShapeError> {
        check_point(center)?;
        check_reach(radius)?;
        Ok(self.query_aabb(&window_around(center, radius), |hit| {
            if hit.distance_squared(center) <= radius * radius {
                visit(hit)
            } else {
                ControlFlow::Continue(())
            }
        }))
    }

    fn query_window<B>(
        &self,
        window: &Bounds,
        mut visit: impl FnMut(Hit) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let view = self.view();
        for &strip in view.strips_touching(window) {
            for leaf in view.leaves_touching(strip, window) {
                let Some(aim) = view.aim(leaf, window) else {
                    continue;
                };
                let centers = view.centers(leaf);
                let (ahead, first) = (aim.ahead, view.first_group(&centers, &aim));
                let (mut at, mut places) = (first * LANES, Places::ROOM);
                while at < centers.len() {
                    let (found, next) = kernels::touching_places(
                        self.simd,
                        &centers,
                        window,
                        (at, ahead),
                        &mut places,
                    );
                    for &place in &places[..found] {
                        visit(Hit::of(&centers, place as usize))?;
                    }
                    at = next;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
