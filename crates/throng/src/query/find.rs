//! Queries that collect what the visiting ones visit.

use std::ops::ControlFlow;

use throng_core::{Aabb, ConvexPolygon};

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::query::queries::{EVERYTHING, Queries, QueryHit};

/// A visitor that keeps what it is given.
pub(crate) fn keep_in<H>(hits: &mut Vec<H>) -> impl FnMut(H) -> ControlFlow<()> {
    |hit| {
        hits.push(hit);
        ControlFlow::Continue(())
    }
}

impl Broadphase {
    /// Collects what [`query_point`](Self::query_point) visits. See [`Queries`].
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a coordinate that is NaN.
    pub fn find_at_point(
        &self,
        point: impl Into<[f32; 2]>,
        hits: &mut Vec<QueryHit>,
    ) -> Result<(), QueryError> {
        self.queries(&EVERYTHING).find_at_point(point, hits)
    }

    /// Collects what [`query_aabb`](Self::query_aabb) visits. See [`Queries`].
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// world.insert_batch((0..9).map(|i| Proxy::centered([4.0 * i as f32, 0.0], [1.0, 1.0]).unwrap().key(i)));
    /// world.refresh();
    /// let mut hits = Vec::new(); // kept from frame to frame
    /// for corner in [0.0, 100.0, 20.0] {
    ///     world.find_in_aabb(&Aabb::new([corner, -1.0], [corner + 4.0, 1.0])?, &mut hits);
    ///     assert!(hits.iter().all(|hit| hit.center[0] >= corner - 1.0));
    /// }
    /// assert_eq!(hits.len(), 2, "what earlier queries found is gone");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_in_aabb(&self, aabb: &Aabb, hits: &mut Vec<QueryHit>) {
        let found = self.queries(&EVERYTHING).find_in_aabb(aabb, hits);
        found.expect("a box is a shape, and no category is named");
    }

    /// Collects what [`query_circle`](Self::query_circle) visits. See [`Queries`].
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a NaN, or a negative radius.
    pub fn find_in_circle(
        &self,
        center: impl Into<[f32; 2]>,
        radius: f32,
        hits: &mut Vec<QueryHit>,
    ) -> Result<(), QueryError> {
        let queries = self.queries(&EVERYTHING);
        queries.find_in_circle(center, radius, hits)
    }

    /// Collects what [`query_polygon`](Self::query_polygon) visits. See [`Queries`].
    pub fn find_in_polygon(&self, polygon: &ConvexPolygon, hits: &mut Vec<QueryHit>) {
        let found = self.queries(&EVERYTHING).find_in_polygon(polygon, hits);
        found.expect("no category is named");
    }
}

impl Queries<'_> {
    /// Collects what [`point`](Self::point) visits.
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a coordinate that is NaN, or a category that this world does not have.
    pub fn find_at_point(
        &self,
        point: impl Into<[f32; 2]>,
        hits: &mut Vec<QueryHit>,
    ) -> Result<(), QueryError> {
        hits.clear();
        self.point(point, keep_in(hits)).map(drop)
    }

    /// Collects what [`aabb`](Self::aabb) visits.
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a category that this world does not have.
    pub fn find_in_aabb(&self, aabb: &Aabb, hits: &mut Vec<QueryHit>) -> Result<(), QueryError> {
        hits.clear();
        self.aabb(aabb, keep_in(hits)).map(drop)
    }

    /// Collects what [`circle`](Self::circle) visits.
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a NaN, a negative radius, or a category that this world does not have.
    pub fn find_in_circle(
        &self,
        center: impl Into<[f32; 2]>,
        radius: f32,
        hits: &mut Vec<QueryHit>,
    ) -> Result<(), QueryError> {
        hits.clear();
        self.circle(center, radius, keep_in(hits)).map(drop)
    }

    /// Collects what [`polygon`](Self::polygon) visits.
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a category that this world does not have.
    pub fn find_in_polygon(
        &self,
        polygon: &ConvexPolygon,
        hits: &mut Vec<QueryHit>,
    ) -> Result<(), QueryError> {
        hits.clear();
        self.polygon(polygon, keep_in(hits)).map(drop)
    }
}
