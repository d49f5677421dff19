//! What a straight path through the world touches: casts of rays and of boxes.

use std::ops::ControlFlow;

use throng_core::Aabb;

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::query::queries::{EVERYTHING, Found, Queries, keep_in};
use crate::query::way::{Way, WayHit};
use crate::query::windows::Windows;
use crate::world::category::Category;
use crate::world::structure::Structure;

impl Broadphase {
    /// Visits every proxy whose box a path touches, in no order along it. See [`Queries`].
    pub fn query_way<B>(
        &self,
        way: impl Into<Way>,
        visit: impl FnMut(WayHit) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let found = self.queries(&EVERYTHING).way(way, visit);
        found.expect("no category is named")
    }

    /// What a path touches first: what a shot hits, what stops a moving box. See [`Queries::first_hit`].
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy, Segment};
    ///
    /// let mut world = Broadphase::new(
    ///     BroadphaseConfig::new()
    ///         .category(CategoryConfig::uniform("orcs", 1.0))
    ///         .category(CategoryConfig::scenery("walls")),
    /// )?;
    /// let orc = world.insert(Proxy::centered([9.0, 0.0], [1.0, 1.0])?)?;
    /// let wall = world.insert(Proxy::fixed(Aabb::new([4.0, -5.0], [5.0, 5.0])?))?;
    /// world.refresh();
    /// let shot = Segment::new([0.0, 0.0], [16.0, 0.0])?;
    /// let hit = world.first_hit(shot).ok_or("something is in the way")?;
    /// assert_eq!((hit.hit.id, hit.fraction), (wall, 0.25));
    /// # let _ = orc;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_hit(&self, way: impl Into<Way>) -> Option<WayHit> {
        let found = self.queries(&EVERYTHING).first_hit(way);
        found.expect("no category is named")
    }

    /// Everything that a path touches, in the order along it. See [`Queries::find_hits`].
    pub fn find_hits(&self, way: impl Into<Way>, hits: &mut Vec<WayHit>) {
        let found = self.queries(&EVERYTHING).find_hits(way, hits);
        found.expect("no category is named");
    }
}

impl Queries<'_> {
    /// Visits every proxy whose box a path touches, category by category. Within a category, in the order of the
    /// index along the parts of the path: the same on any machine, but not sorted.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world does not have a category of the filter.
    pub fn way<B>(
        &self,
        way: impl Into<Way>,
        mut visit: impl FnMut(WayHit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        let way = way.into();
        for (place, category) in self.selected()?.enumerate() {
            let found = category.query_way(&way, f32::INFINITY, |found, fraction| {
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

    /// What a path touches first: the first of [`find_hits`](Self::find_hits), without searching much beyond it.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world does not have a category of the filter.
    pub fn first_hit(&self, way: impl Into<Way>) -> Result<Option<WayHit>, QueryError> {
        let way = way.into();
        let mut first: Option<WayHit> = None;
        for (place, category) in self.selected()?.enumerate() {
            let found = self.first_in(category, place, &way, first);
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
    pub fn find_hits(&self, way: impl Into<Way>, hits: &mut Vec<WayHit>) -> Result<(), QueryError> {
        hits.clear();
        self.append_hits(way, hits)
    }

    /// Appends everything that a path touches to the vector.
    pub(crate) fn append_hits(
        &self,
        way: impl Into<Way>,
        hits: &mut Vec<WayHit>,
    ) -> Result<(), QueryError> {
        let first = hits.len();
        let every = self.way(way, keep_in(hits))?;
        debug_assert!(every.is_continue());
        hits[first..].sort_unstable_by(WayHit::order);
        Ok(())
    }

    /// The first hit in a category, if it comes before the first so far.
    fn first_in(
        &self,
        category: &Category,
        place: usize,
        way: &Way,
        before: Option<WayHit>,
    ) -> Option<WayHit> {
        let sooner = |hit: &WayHit, first: Option<WayHit>| {
            first.is_none_or(|first| hit.order(&first).is_lt())
        };
        if let (Structure::Scenery(scenery), Way::Segment(segment)) = (&category.structure, way) {
            let lives =
                |row, aabb: &Aabb| self.resolve(category, &Found::of_box(row, *aabb)).is_some();
            let found = scenery.tree.find_first_hit_where(segment, lives)?;
            let here = Found::of_box(found.row, found.aabb);
            let hit = self.hit_on(category, place, &here, found.fraction);
            return hit.filter(|hit| sooner(hit, before));
        }
        let mut first = before;
        let limit = |first: Option<WayHit>| first.map_or(f32::INFINITY, |hit| hit.fraction);
        let every: ControlFlow<()> = category.query_way(way, limit(first), |found, fraction| {
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
    ) -> Option<WayHit> {
        Some(WayHit {
            hit: self.resolve(category, found)?,
            fraction,
            place: (place, found.row),
        })
    }
}

impl Category {
    /// Visits every row whose box the path touches, with the fraction at which it does. `visit` returns the fraction
    /// beyond which nothing is of interest any more. This starts at `limit`; rows beyond it may still be visited.
    fn query_way<B>(
        &self,
        way: &Way,
        limit: f32,
        mut visit: impl FnMut(Found, f32) -> ControlFlow<B, f32>,
    ) -> ControlFlow<B> {
        if let (Structure::Scenery(scenery), Way::Segment(segment)) = (&self.structure, way) {
            return scenery.tree.query_segment(segment, |hit| {
                visit(Found::of_box(hit.row, hit.aabb), hit.fraction)?;
                ControlFlow::Continue(())
            });
        }
        let Some(bounds) = self.indexed.bounds else {
            return ControlFlow::Continue(());
        };
        let windows = Windows::along(way, self.indexed.spacing, &bounds);
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
                if let (false, Some(fraction)) = (again, way.entry(&found.aabb)) {
                    limit = visit(found, fraction)?;
                }
                ControlFlow::Continue(())
            })?;
            before = Some(window);
        }
        ControlFlow::Continue(())
    }
}
