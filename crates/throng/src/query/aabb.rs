//! What is in a box.

use std::ops::ControlFlow;

use throng_core::{Aabb, whether_broken};

use crate::error::QueryError;
use crate::query::queries::{Found, Queries, QueryHit, keep_in};
use crate::world::box_index::BoxIndex;
use crate::world::category::Category;
use crate::world::structure::Structure;

impl Queries<'_> {
    /// Visits every proxy whose box overlaps the given one, which may be unbounded.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex).
    pub fn query_aabb<B>(
        &self,
        aabb: &Aabb,
        mut visit: impl FnMut(QueryHit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        self.each_in_aabb(aabb, |indexed, found| {
            self.pass_on(indexed, found, &mut visit)
        })
    }

    /// Collects what [`query_aabb`](Self::query_aabb) visits.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// world.insert_batch((0..9).map(|i| Proxy::centered([4.0 * i as f32, 0.0], [1.0, 1.0]).unwrap().key(i)));
    /// world.refresh();
    /// let mut hits = Vec::new(); // kept from frame to frame
    /// for corner in [0.0, 100.0, 20.0] {
    ///     world.query().find_in_aabb(&Aabb::new([corner, -1.0], [corner + 4.0, 1.0])?, &mut hits)?;
    ///     assert!(hits.iter().all(|hit| hit.center[0] >= corner - 1.0));
    /// }
    /// assert_eq!(hits.len(), 2, "the results of earlier queries are gone");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex).
    #[doc(alias("overlap_box", "overlap_aabb", "region"))]
    pub fn find_in_aabb(&self, aabb: &Aabb, hits: &mut Vec<QueryHit>) -> Result<(), QueryError> {
        hits.clear();
        self.query_aabb(aabb, keep_in(hits)).map(drop)
    }

    /// Shows `take` each row in the box, as the indices have it.
    pub(super) fn each_in_aabb<B>(
        &self,
        aabb: &Aabb,
        mut take: impl FnMut(&Category, &Found) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        self.in_each(|category, structure| {
            Ok(structure.query_aabb(aabb, |found| take(category, &found)))
        })
    }
}

impl Structure {
    /// Visits every row whose box overlaps the window.
    pub(crate) fn query_aabb<B>(
        &self,
        window: &Aabb,
        mut visit: impl FnMut(Found) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Self::Points(grid) => grid.query_aabb(window, |hit| visit(hit.into())),
            Self::Boxes(boxes) => boxes.query(window, visit),
            Self::Scenery(scenery) => {
                let forest = &scenery.forest;
                forest.query_aabb(window, |row, aabb| visit(Found::of_box(row, aabb)))
            }
        }
    }
}

impl BoxIndex {
    /// Visits every row whose box overlaps the window.
    pub(crate) fn query<B>(
        &self,
        window: &Aabb,
        mut visit: impl FnMut(Found) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut outcome = ControlFlow::Continue(());
        let _ = self.structure.query_aabb(window, &mut |row, aabb| {
            outcome = visit(Found::of_box(row, aabb));
            whether_broken(&outcome)
        });
        outcome
    }
}
