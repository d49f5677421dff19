//! What all queries have in common: what they find over all categories, and what they report.

use std::fmt;
use std::ops::ControlFlow;

use throng_core::{Aabb, ShapeError};
use throng_grid::Hit;

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::query::filter::{EVERYTHING, QueryFilter};
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId, Row};
use crate::world::structure::Structure;

/// A proxy that a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueryHit {
    /// The proxy.
    pub id: ProxyId,
    /// The category it is in now.
    pub category: CategoryId,
    /// The row it is in now.
    pub row: Row,
    /// The engine's own name for it now; 0 if not set.
    pub key: u64,
    /// Where it was when the index was built. In an oversized category this is the center of `aabb`, which may differ
    /// by rounding.
    pub center: [f32; 2],
    /// The half extents it was found by: its own in an exact category, the bound in a coarse one, and in an oversized category and in
    /// scenery those of `aabb`, which may differ from its own by rounding. Infinite on an axis with an infinite side.
    pub half_extents: [f32; 2],
    /// The box it was found by.
    pub aabb: Aabb,
}

/// The questions that a world answers about places: what is there?
///
/// They see the index of the last step or refresh. A proxy that has moved since is found where it was; one that was
/// removed or disabled since is not found; one that was inserted or enabled since is not found yet, and one that was
/// disabled and enabled again is found. The filter goes by the category it was in then. Its masks are the current
/// ones, and so are the key, row and category reported.
///
/// | in or on | visits | finds all | many at once |
/// |---|---|---|---|
/// | a point | [`query_point`](Self::query_point) | [`find_at_point`](Self::find_at_point) | `[f32; 2]` |
/// | a box | [`query_aabb`](Self::query_aabb) | [`find_in_aabb`](Self::find_in_aabb) | [`Aabb`] |
/// | a circle | [`query_circle`](Self::query_circle) | [`find_in_circle`](Self::find_in_circle) | [`Circle`](crate::Circle) |
/// | a convex polygon | [`query_polygon`](Self::query_polygon) | [`find_in_polygon`](Self::find_in_polygon) | [`ConvexPolygon`](crate::ConvexPolygon) |
/// | the path of a ray, or of a moving box or circle | [`query_cast`](Self::query_cast) | in order: [`cast_all`](Self::cast_all) | [`RayCast`](crate::RayCast), [`BoxCast`](crate::BoxCast), [`CircleCast`](crate::CircleCast), [`Cast`](crate::Cast) |
/// | the first on that path | | [`cast_first`](Self::cast_first) | [`FirstOnly`](crate::FirstOnly) |
/// | the same, but of your own shapes | | [`cast_first_by`](Self::cast_first_by), [`cast_all_by`](Self::cast_all_by) | [`find_batch_by`](Self::find_batch_by) |
/// | the nearest | | [`find_nearest`](Self::find_nearest) | [`NearestQuery`](crate::NearestQuery) |
/// | the box of a proxy: only what makes a pair with it | [`query_partners`](Self::query_partners) | [`find_partners`](Self::find_partners) | |
///
/// - `query_*` visits: it calls back with each hit until told to stop, and allocates nothing.
/// - `find_*` and `cast_all` replace the contents of the caller's vector with all hits, in the order in which they
///   would be visited; those of a cast in order along its path, and the nearest by distance. The old contents are gone
///   even if the question is refused. Nothing is allocated once there is room.
/// - [`find_batch`](Self::find_batch) answers many questions of one kind at once, in parallel, each as if it were
///   alone.
///
/// Every question returns a [`Result`], whose error is a [`QueryError`](crate::QueryError): for a shape that is not
/// valid, a proxy that was removed, a category of the filter that this world does not have, or a world whose index was
/// never built, or not to the end.
///
/// Hits come by category, in the order of the config, and in leaf order within it; those on proxies that
/// [rest](crate::CategoryConfig::rests_after) come after the others while few are awake, and among them otherwise. For casts
/// that is so in each part of the path. The order is the same on any machine. Shapes are closed, as boxes are: what touches is
/// found. Any number of threads may ask at once.
///
/// Queries for circles and for the nearest compare squared distances as `f32` computes them, which works from about
/// 1e-22 to 1.8e19. Smaller distances all compare as 0, and larger ones all as infinite.
#[derive(Clone, Copy)]
#[must_use = "nothing is asked yet"]
pub struct Queries<'w> {
    pub(super) world: &'w Broadphase,
    filter: &'w QueryFilter<'w>,
}

impl fmt::Debug for Queries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queries")
            .field("filter", self.filter)
            .finish_non_exhaustive()
    }
}

impl Broadphase {
    /// Questions about what is where, such as what is in a circle or what a ray hits.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// let unit = world.insert(Proxy::centered([4.0, 4.0], [1.0, 1.0])?)?;
    /// world.refresh();
    /// let mut hits = Vec::new(); // kept from frame to frame
    /// world.query().find_in_circle([6.0, 4.0], 1.5, &mut hits)?;
    /// assert_eq!(hits[0].id, unit);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "overlap")]
    #[doc(alias = "intersection")]
    pub fn query(&self) -> Queries<'_> {
        self.query_with(&EVERYTHING)
    }

    /// The same questions about what passes a filter.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, QueryFilter};
    ///
    /// let mut world = Broadphase::new(
    ///     BroadphaseConfig::new()
    ///         .category(CategoryConfig::uniform("orcs", 1.0))
    ///         .category(CategoryConfig::scenery("walls")),
    /// )?;
    /// let orc = world.insert(Proxy::centered([4.0, 4.0], [1.0, 1.0])?)?;
    /// let wall = world.insert(Proxy::fixed(Proxy::centered([4.0, 5.0], [3.0, 0.5])?.aabb()))?;
    /// world.refresh();
    /// let walls = QueryFilter::new().category(world.category("walls").expect("it is in the config"));
    /// let mut hits = Vec::new();
    /// world.query_with(&walls).find_at_point([4.0, 5.0], &mut hits)?;
    /// assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [wall]);
    /// # let _ = orc;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn query_with<'w>(&'w self, filter: &'w QueryFilter<'w>) -> Queries<'w> {
        Queries {
            world: self,
            filter,
        }
    }

    /// The proxy that a row of an index stood for, and the category and row in which it is now, if it still exists.
    #[inline]
    pub(crate) fn occupant<'w>(
        &'w self,
        indexed: &'w Category,
        row: Row,
    ) -> Option<(ProxyId, &'w Category, Row)> {
        let Some(noted) = indexed.journal.occupant(row) else {
            return Some((indexed.id_in_row(row as usize), indexed, row));
        };
        let slot = self.pool.get(noted.0)?;
        Some((noted, &self.categories[slot.category_index()], slot.row))
    }
}

impl<'w> Queries<'w> {
    /// The categories that pass the filter, if there is an index.
    pub(crate) fn selected(&self) -> Result<impl Iterator<Item = &'w Category>, QueryError> {
        self.world.check_indexed()?;
        let filter = self.filter;
        let mut named = filter.categories.iter().chain(&filter.without);
        named.try_for_each(|&category| self.world.known(category).map(|_| ()))?;
        let categories = self.world.categories.iter().enumerate();
        Ok(categories.filter_map(|(index, category)| {
            let passes = filter.admits(CategoryId::from_index(index));
            passes.then_some(category)
        }))
    }

    /// Searches the indices of each category that passes the filter, in their order, until a search breaks.
    pub(crate) fn in_each<B>(
        &self,
        mut search: impl FnMut(&'w Category, &'w Structure) -> Result<ControlFlow<B>, ShapeError>,
    ) -> Result<ControlFlow<B>, QueryError> {
        for category in self.selected()? {
            for (_, structure) in category.parts() {
                let found = search(category, structure)?;
                if found.is_break() {
                    return Ok(found);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    pub(crate) fn pass_on<B>(
        &self,
        category: &Category,
        found: &Found,
        visit: &mut impl FnMut(QueryHit) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self.resolve(category, found) {
            Some(hit) => visit(hit),
            None => ControlFlow::Continue(()),
        }
    }

    /// The proxy that a row of an index stood for, if it still exists, is enabled and passes the filter.
    #[inline]
    pub(crate) fn resolve(&self, indexed: &Category, found: &Found) -> Option<QueryHit> {
        self.resolve_if(indexed, found, |_| true)
    }

    /// The same if it passes one more test, which comes before the engine's own.
    #[inline]
    pub(crate) fn resolve_if(
        &self,
        indexed: &Category,
        found: &Found,
        also: impl Fn(&QueryHit) -> bool,
    ) -> Option<QueryHit> {
        let (id, category, row) = self.world.occupant(indexed, found.row)?;
        let index = row as usize;
        let passes = category.is_enabled(index) && self.filter.passes(id, category, index);
        let hit = || QueryHit {
            id,
            category: category.id,
            row,
            key: category.columns.key(index),
            center: found.center,
            half_extents: found.half_extents,
            aabb: found.aabb,
        };
        passes
            .then(hit)
            .filter(|hit| also(hit) && self.filter.passes_predicate(hit))
    }
}

/// A visitor that collects hits.
pub(crate) fn keep_in<H>(hits: &mut Vec<H>) -> impl FnMut(H) -> ControlFlow<()> {
    |hit| {
        hits.push(hit);
        ControlFlow::Continue(())
    }
}

/// Takes down rows as the indices have them: hits to be [resolved](Queries::resolve_all).
pub(crate) fn unresolved_in(
    hits: &mut Vec<QueryHit>,
) -> impl FnMut(&Category, &Found) -> ControlFlow<()> {
    let mut keep = keep_in(hits);
    move |indexed, found| keep(QueryHit::unresolved(indexed, found))
}

/// A row that an index finds, as it was when the index was built, whichever kind of index it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) row: Row,
    pub(crate) center: [f32; 2],
    pub(crate) half_extents: [f32; 2],
    /// The box that was compared.
    pub(crate) aabb: Aabb,
}

impl From<Hit> for Found {
    #[inline]
    fn from(hit: Hit) -> Self {
        Self {
            row: hit.row,
            center: hit.center,
            half_extents: hit.half_extents,
            aabb: hit.aabb(),
        }
    }
}

impl Found {
    pub(crate) fn of_box(row: Row, aabb: Aabb) -> Self {
        Self {
            row,
            center: aabb.center(),
            half_extents: aabb.half_extents(),
            aabb,
        }
    }
}
