//! What is in a convex polygon.

use std::ops::ControlFlow;

use throng_core::ConvexPolygon;

use crate::error::QueryError;
use crate::query::queries::{Found, Queries, QueryHit, keep_in};
use crate::world::category::Category;
use crate::world::structure::Structure;

impl Queries<'_> {
    /// Visits every proxy whose box a convex polygon touches. The tree of scenery is walked with the polygon itself;
    /// other categories are searched with its bounds, and what is found is tested.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, ConvexPolygon, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("orcs", 1.0)))?;
    /// let seen = world.insert(Proxy::centered([8.0, 2.0], [1.0, 1.0])?)?;
    /// world.insert(Proxy::centered([2.0, 8.0], [1.0, 1.0])?)?;
    /// world.refresh();
    /// let cone_of_light = ConvexPolygon::new(&[[0.0, 0.0], [10.0, -4.0], [10.0, 4.0]])?;
    /// let mut lit = Vec::new();
    /// let _all = world.query().query_polygon(&cone_of_light, |hit| -> ControlFlow<()> {
    ///     lit.push(hit.id);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(lit, [seen]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex).
    pub fn query_polygon<B>(
        &self,
        polygon: &ConvexPolygon,
        mut visit: impl FnMut(QueryHit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        self.each_in_polygon(polygon, |indexed, found| {
            self.pass_on(indexed, found, &mut visit)
        })
    }

    /// Collects what [`query_polygon`](Self::query_polygon) visits.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex).
    pub fn find_in_polygon(
        &self,
        polygon: &ConvexPolygon,
        hits: &mut Vec<QueryHit>,
    ) -> Result<(), QueryError> {
        hits.clear();
        self.query_polygon(polygon, keep_in(hits)).map(drop)
    }

    /// Shows `take` each row in the polygon, as the indices have it.
    pub(super) fn each_in_polygon<B>(
        &self,
        polygon: &ConvexPolygon,
        mut take: impl FnMut(&Category, &Found) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        self.in_each(|category, structure| {
            Ok(structure.query_polygon(polygon, |found| take(category, &found)))
        })
    }
}

impl Structure {
    /// Visits every row whose box the polygon touches.
    fn query_polygon<B>(
        &self,
        polygon: &ConvexPolygon,
        mut visit: impl FnMut(Found) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if let Self::Scenery(scenery) = self {
            let visit = |row, aabb| visit(Found::of_box(row, aabb));
            return scenery.forest.query_polygon(polygon, visit);
        }
        self.query_aabb(&polygon.bounds(), |found| {
            if polygon.touches(&found.aabb) {
                visit(found)
            } else {
                ControlFlow::Continue(())
            }
        })
    }
}
