//! What a straight path through the world touches: casts of rays and of boxes.

use std::ops::ControlFlow;

use throng_core::Aabb;

use crate::error::QueryError;
use crate::query::cast::{Cast, CastHit};
use crate::query::queries::{Found, Queries, keep_in};
use crate::query::windows::Windows;
use crate::world::category::Category;
use crate::world::structure::Structure;

impl Queries<'_> {
    /// Visits every proxy whose box a path touches, category by category. Within a category, in the order of the
    /// index along the parts of the path: the same on any machine, but not sorted.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world does not have a category of the filter.
    pub fn query_cast<B>(
        &self,
        cast: impl Into<Cast>,
        mut visit: impl FnMut(CastHit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        let cast = cast.into();
        for (place, category) in self.selected()?.enumerate() {
            let found = category.query_cast(&cast, f32::INFINITY, |found, fraction| {
                if let Some(hit) = self.hit_on(category, place, &found, fraction) {
                    visit(hit)?;
                }
                ControlFlow::Continue(f32::INFINITY)
            });
            if found.is_break() {
                return Ok(found);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// What a path touches first: the first of [`cast_all`](Self::cast_all), without searching much beyond it.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy, RayCast};
    ///
    /// let mut world = Broadphase::new(
    ///     BroadphaseConfig::new()
    ///         .category(CategoryConfig::uniform("orcs", 1.0))
    ///         .category(CategoryConfig::scenery("walls")),
    /// )?;
    /// let orc = world.insert(Proxy::centered([9.0, 0.0], [1.0, 1.0])?)?;
    /// let wall = world.insert(Proxy::fixed(Aabb::new([4.0, -5.0], [5.0, 5.0])?))?;
    /// world.refresh();
    /// let shot = RayCast::from_to([0.0, 0.0], [16.0, 0.0])?;
    /// let hit = world.query().cast_first(shot)?.ok_or("something is in the way")?;
    /// assert_eq!((hit.hit.id, hit.fraction), (wall, 0.25));
    /// # let _ = orc;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world does not have a category of the filter.
    pub fn cast_first(&self, cast: impl Into<Cast>) -> Result<Option<CastHit>, QueryError> {
        let cast = cast.into();
        let mut first: Option<CastHit> = None;
        for (place, category) in self.selected()?.enumerate() {
            let found = self.first_in(category, place, &cast, first);
            first = found.or(first);
        }
        Ok(first)
    }

    /// Everything that a path touches, in the order along it; ties by category, then by row as indexed. Replaces the
    /// contents of `hits`, and allocates nothing else.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world does not have a category of the filter.
    pub fn cast_all(
        &self,
        cast: impl Into<Cast>,
        hits: &mut Vec<CastHit>,
    ) -> Result<(), QueryError> {
        hits.clear();
        self.append_hits(cast, hits)
    }

    /// Appends everything that a path touches to the vector.
    pub(crate) fn append_hits(
        &self,
        cast: impl Into<Cast>,
        hits: &mut Vec<CastHit>,
    ) -> Result<(), QueryError> {
        let first = hits.len();
        let every = self.query_cast(cast, keep_in(hits))?;
        debug_assert!(every.is_continue());
        hits[first..].sort_unstable_by(CastHit::order);
        Ok(())
    }

    /// The first hit in a category, if it comes before the first so far.
    fn first_in(
        &self,
        category: &Category,
        place: usize,
        cast: &Cast,
        before: Option<CastHit>,
    ) -> Option<CastHit> {
        let sooner = |hit: &CastHit, first: Option<CastHit>| {
            first.is_none_or(|first| hit.order(&first).is_lt())
        };
        if let (Structure::Scenery(scenery), Cast::Ray(ray)) = (&category.structure, cast) {
            let lives =
                |row, aabb: &Aabb| self.resolve(category, &Found::of_box(row, *aabb)).is_some();
            let found = scenery.tree.cast_first_where(ray, lives)?;
            let here = Found::of_box(found.row, found.aabb);
            let hit = self.hit_on(category, place, &here, found.fraction);
            return hit.filter(|hit| sooner(hit, before));
        }
        let mut first = before;
        let limit = |first: Option<CastHit>| first.map_or(f32::INFINITY, |hit| hit.fraction);
        let every: ControlFlow<()> = category.query_cast(cast, limit(first), |found, fraction| {
            if fraction <= limit(first) {
                let hit = self.hit_on(category, place, &found, fraction);
                first = hit.filter(|hit| sooner(hit, first)).or(first);
            }
            ControlFlow::Continue(limit(first))
        });
        debug_assert!(every.is_continue());
        first
    }

    fn hit_on(
        &self,
        category: &Category,
        place: usize,
        found: &Found,
        fraction: f32,
    ) -> Option<CastHit> {
        Some(CastHit {
            hit: self.resolve(category, found)?,
            fraction,
            place: (place, found.row),
        })
    }
}

impl Category {
    /// Visits every row whose box the path touches, with the fraction at which it does. `visit` returns the fraction
    /// beyond which nothing is of interest any more. This starts at `limit`; rows beyond it may still be visited.
    fn query_cast<B>(
        &self,
        cast: &Cast,
        limit: f32,
        mut visit: impl FnMut(Found, f32) -> ControlFlow<B, f32>,
    ) -> ControlFlow<B> {
        if let (Structure::Scenery(scenery), Cast::Ray(ray)) = (&self.structure, cast) {
            return scenery.tree.query_ray(ray, |hit| {
                visit(Found::of_box(hit.row, hit.aabb), hit.fraction)?;
                ControlFlow::Continue(())
            });
        }
        let Some(bounds) = self.indexed.bounds else {
            return ControlFlow::Continue(());
        };
        let windows = Windows::along(cast, self.indexed.spacing, &bounds);
        let mut limit = limit;
        let mut before: Option<Aabb> = None;
        for part in 0..windows.len() {
            if windows.is_beyond(part, limit) {
                break;
            }
            let window = windows.window(part);
            self.structure.query_aabb(&window, |found| {
                // Already found through the window before.
                let again = before.is_some_and(|before| before.overlaps(&found.aabb));
                if let (false, Some(fraction)) = (again, cast.entry(&found.aabb)) {
                    limit = visit(found, fraction)?;
                }
                ControlFlow::Continue(())
            })?;
            before = Some(window);
        }
        ControlFlow::Continue(())
    }
}
