//! What is at a point.

use std::ops::ControlFlow;

use throng_core::{Aabb, ShapeError, check_point};

use crate::error::QueryError;
use crate::query::queries::{Found, Queries, QueryHit, keep_in};
use crate::world::category::Category;
use crate::world::structure::Structure;

impl Queries<'_> {
    /// Visits every proxy whose box contains the point.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// let unit = world.insert(Proxy::centered([4.0, 4.0], [1.0, 1.0])?)?;
    /// world.refresh();
    /// let under_the_mouse = world.query().query_point([4.5, 3.5], |hit| ControlFlow::Break(hit.id))?;
    /// assert_eq!(under_the_mouse, ControlFlow::Break(unit));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a NaN, a category of the filter that this world does not have, or a
    /// world without a [whole index](crate::StaleIndex).
    #[doc(alias("intersections_with_point", "point_query", "overlap_point"))]
    pub fn query_point<B>(
        &self,
        point: impl Into<[f32; 2]>,
        mut visit: impl FnMut(QueryHit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        self.each_at_point(point.into(), |indexed, found| {
            self.pass_on(indexed, found, &mut visit)
        })
    }

    /// Collects what [`query_point`](Self::query_point) visits.
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a NaN, a category of the filter that this world does not have, or a
    /// world without a [whole index](crate::StaleIndex).
    #[doc(alias("intersections_with_point", "overlap_point"))]
    pub fn find_at_point(
        &self,
        point: impl Into<[f32; 2]>,
        hits: &mut Vec<QueryHit>,
    ) -> Result<(), QueryError> {
        hits.clear();
        self.query_point(point, keep_in(hits)).map(drop)
    }

    /// Shows `take` each row at the point, as the indices have it.
    pub(super) fn each_at_point<B>(
        &self,
        point: [f32; 2],
        mut take: impl FnMut(&Category, &Found) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        self.in_each(|category, structure| {
            structure.query_point(point, |found| take(category, &found))
        })
    }
}

impl Structure {
    /// Visits every row whose box contains the point.
    pub(crate) fn query_point<B>(
        &self,
        point: [f32; 2],
        mut visit: impl FnMut(Found) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, ShapeError> {
        match self {
            Self::Points(grid) => grid.query_point(point, |hit| visit(hit.into())),
            Self::Scenery(scenery) => {
                let forest = &scenery.forest;
                forest.query_point(point, |row, aabb| visit(Found::of_box(row, aabb)))
            }
            Self::Boxes(boxes) => {
                check_point(point)?;
                // What reaches a point at infinity also reaches the last finite point before it.
                let finite = point.map(|v| v.clamp(f32::MIN, f32::MAX));
                let window = Aabb::point(finite).expect("a finite point is a box");
                Ok(boxes.query(&window, |found| {
                    if found.aabb.contains_point(point) {
                        visit(found)
                    } else {
                        ControlFlow::Continue(())
                    }
                }))
            }
        }
    }
}
