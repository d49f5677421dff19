//! What is in a circle.

use std::ops::ControlFlow;

use throng_core::{ShapeError, check_point, check_reach, window_around};

use crate::error::QueryError;
use crate::query::queries::{Found, Queries, QueryHit, keep_in};
use crate::world::category::Category;
use crate::world::structure::Structure;

/// A disc, border included.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Circle {
    /// Its center. Not NaN.
    pub center: [f32; 2],
    /// Not NaN, not negative; may be infinite.
    pub radius: f32,
}

impl Queries<'_> {
    /// Visits every proxy whose box touches the disc.
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a NaN, a negative radius, a category of the filter that this world does not have, or a
    /// world without a [whole index](crate::StaleIndex).
    pub fn query_circle<B>(
        &self,
        center: impl Into<[f32; 2]>,
        radius: f32,
        mut visit: impl FnMut(QueryHit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        let center = center.into();
        self.each_in_circle(&Circle { center, radius }, |indexed, found| {
            self.pass_on(indexed, found, &mut visit)
        })
    }

    /// Collects what [`query_circle`](Self::query_circle) visits.
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a NaN, a negative radius, a category of the filter that this world does not have, or a
    /// world without a [whole index](crate::StaleIndex).
    #[doc(alias("overlap_circle", "radius", "intersections_with_shape"))]
    pub fn find_in_circle(
        &self,
        center: impl Into<[f32; 2]>,
        radius: f32,
        hits: &mut Vec<QueryHit>,
    ) -> Result<(), QueryError> {
        hits.clear();
        self.query_circle(center, radius, keep_in(hits)).map(drop)
    }

    /// Shows `take` each row in the disc, as the indices have it.
    pub(super) fn each_in_circle<B>(
        &self,
        circle: &Circle,
        mut take: impl FnMut(&Category, &Found) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        let Circle { center, radius } = *circle;
        self.in_each(|category, structure| {
            structure.query_circle(center, radius, |found| take(category, &found))
        })
    }
}

impl Structure {
    /// Visits every row whose box touches the disc.
    pub(crate) fn query_circle<B>(
        &self,
        center: [f32; 2],
        radius: f32,
        mut visit: impl FnMut(Found) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, ShapeError> {
        match self {
            Self::Points(grid) => grid.query_circle(center, radius, |hit| visit(hit.into())),
            Self::Scenery(scenery) => {
                let visit = |row, aabb| visit(Found::of_box(row, aabb));
                scenery.forest.query_circle(center, radius, visit)
            }
            Self::Boxes(boxes) => {
                check_point(center)?;
                check_reach(radius)?;
                Ok(boxes.query(&window_around(center, radius), |found| {
                    if found.aabb.distance_squared(center) <= radius * radius {
                        visit(found)
                    } else {
                        ControlFlow::Continue(())
                    }
                }))
            }
        }
    }
}
