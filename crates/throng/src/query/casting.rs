//! What a straight path through the world touches: casts of rays, boxes and circles.

use std::ops::ControlFlow;

use throng_core::Aabb;

use crate::error::QueryError;
use crate::query::cast::{Cast, CastHit, Rank, Touched, order};
use crate::query::queries::{Found, Queries, keep_in};
use crate::query::windows::{SPACINGS, SPACINGS_TO_FIRST, Windows};
use crate::world::category::Category;
use crate::world::structure::Structure;

impl Queries<'_> {
    /// Visits every proxy whose box a path touches, category by category. Within a category, hits come part by part of
    /// the path, and in each in the order of the category's indices: the same on any machine, but not sorted.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex).
    pub fn query_cast<B>(
        &self,
        cast: impl Into<Cast>,
        mut visit: impl FnMut(CastHit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        let cast = cast.into();
        for (place, category) in self.selected()?.enumerate() {
            let found = category.query_cast(&cast, SPACINGS, f32::INFINITY, |found, fraction| {
                if let Some(touched) = self.touched(category, place, &found, fraction) {
                    visit(CastHit::of_box(&cast, touched))?;
                }
                ControlFlow::Continue(f32::INFINITY)
            });
            if found.is_break() {
                return Ok(found);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// What a path touches first: the first of [`cast_all`](Self::cast_all), without searching much beyond it. To ask
    /// shapes within the boxes, see [`cast_first_by`](Self::cast_first_by).
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
    /// assert_eq!((hit.point, hit.normal), ([4.0, 0.0], [-1.0, 0.0]));
    /// # let _ = orc;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex).
    #[doc(alias = "raycast")]
    #[doc(alias = "ray_cast")]
    #[doc(alias = "cast_ray")]
    #[doc(alias = "shape_cast")]
    #[doc(alias = "cast_shape")]
    #[doc(alias = "circle_cast")]
    #[doc(alias = "cast_circle")]
    #[doc(alias = "sweep")]
    #[doc(alias = "linecast")]
    #[doc(alias = "time_of_impact")]
    pub fn cast_first(&self, cast: impl Into<Cast>) -> Result<Option<CastHit>, QueryError> {
        let cast = cast.into();
        let first = self.first_that(&cast, |touched| Some((touched.fraction, touched)))?;
        Ok(first.map(|touched| CastHit::of_box(&cast, touched)))
    }

    /// What a path touches first if your own shapes are tested, not only their boxes: circles, sprites, whatever you
    /// have.
    ///
    /// `shape` is called with things whose boxes the path touches, roughly in order along it, and with none whose box
    /// is touched after the first hit so far. It returns how far along the same path the shape within is touched, from
    /// 0 to 1; `None` if it is missed, or is to be ignored. All this is one search, which goes as far as the first
    /// shape that is not missed; with a cheap test it takes little longer than [`cast_first`](Self::cast_first).
    ///
    /// The hit returned has the fraction of the shape, and the point there. Its normal is still that of the box. A
    /// shape is taken to lie within its box: if its fraction is less than that of the box, by rounding or because the
    /// shape has moved since, the box's counts. NaN and anything greater than 1 are misses. Ties are broken as in
    /// `cast_first`, by category, then by row as indexed; so the answer does not depend on the order in which shapes
    /// are asked.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, RayCast};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("marbles", 1.0)))?;
    /// for center in [[0.0, 0.0], [4.0, 0.9], [8.0, 0.5]] {
    ///     world.insert(Proxy::centered(center, [1.0, 1.0])?)?;
    /// }
    /// world.refresh();
    /// let radius = 0.7; // marbles are smaller than the boxes of their category
    /// let shooter = 0;
    /// let shot = RayCast::from_ray([0.0, 0.0], [1.0, 0.0], f32::INFINITY)?;
    /// let hit = world.query().cast_first_by(shot, |candidate| {
    ///     if candidate.hit.row == shooter {
    ///         return None;
    ///     }
    ///     shot.circle_entry(candidate.hit.center, radius)
    /// })?;
    /// let hit = hit.ok_or("the third is in the way")?;
    /// assert_eq!(hit.hit.row, 2, "the box of the second is hit, but not its circle");
    /// assert!((hit.point[0] - (8.0 - f32::sqrt(0.7 * 0.7 - 0.5 * 0.5))).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex).
    #[doc(alias = "clip")]
    #[doc(alias = "narrowphase")]
    #[doc(alias = "shape_cast")]
    #[doc(alias = "raycast")]
    pub fn cast_first_by(
        &self,
        cast: impl Into<Cast>,
        mut shape: impl FnMut(&CastHit) -> Option<f32>,
    ) -> Result<Option<CastHit>, QueryError> {
        let cast = cast.into();
        self.first_that(&cast, |touched| {
            let hit = CastHit::of_box(&cast, touched);
            let hit = hit.of_shape(&cast, shape(&hit))?;
            Some((hit.fraction, hit))
        })
    }

    /// Everything that a path touches, in order along it; ties by category, then by row as indexed. Replaces the
    /// contents of `hits`, and allocates nothing else.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex).
    pub fn cast_all(
        &self,
        cast: impl Into<Cast>,
        hits: &mut Vec<CastHit>,
    ) -> Result<(), QueryError> {
        hits.clear();
        self.append_hits(cast, hits)
    }

    /// Every shape that a path touches, in order along it: everything in [`cast_all`](Self::cast_all) for which `shape`
    /// returns a fraction, with that fraction. What it may return is as for [`cast_first_by`](Self::cast_first_by).
    /// Here it is called with all of them, once each, in no particular order.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if this world lacks a category of the filter, or has no [whole index](crate::StaleIndex).
    pub fn cast_all_by(
        &self,
        cast: impl Into<Cast>,
        hits: &mut Vec<CastHit>,
        mut shape: impl FnMut(&CastHit) -> Option<f32>,
    ) -> Result<(), QueryError> {
        hits.clear();
        self.append_shapes(cast, hits, &mut shape)
    }

    /// Appends every shape that a path touches to the vector.
    pub(crate) fn append_shapes(
        &self,
        cast: impl Into<Cast>,
        hits: &mut Vec<CastHit>,
        shape: &mut dyn FnMut(&CastHit) -> Option<f32>,
    ) -> Result<(), QueryError> {
        let cast = cast.into();
        let first = hits.len();
        let every: ControlFlow<()> = self.query_cast(cast, |hit| {
            hits.extend(hit.of_shape(&cast, shape(&hit)));
            ControlFlow::Continue(())
        })?;
        debug_assert!(every.is_continue());
        hits[first..].sort_unstable_by(CastHit::order);
        Ok(())
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

    /// The first thing that a path touches, among those for which `test` returns a fraction, no less than that of the
    /// box, and what to keep of it. `test` is called only with what may be the first so far.
    fn first_that<T>(
        &self,
        cast: &Cast,
        mut test: impl FnMut(Touched) -> Option<(f32, T)>,
    ) -> Result<Option<T>, QueryError> {
        let mut first: Option<(Rank, T)> = None;
        let limit =
            |first: &Option<(Rank, T)>| first.as_ref().map_or(f32::INFINITY, |(rank, _)| rank.0);
        for (place, category) in self.selected()?.enumerate() {
            category.query_along(cast, limit(&first), |found, entry| {
                let rank = |fraction| (fraction, (place, found.row));
                let is_first = |rank: Rank, first: &Option<(Rank, T)>| {
                    first
                        .as_ref()
                        .is_none_or(|(so_far, _)| order(rank, *so_far).is_lt())
                };
                if is_first(rank(entry), &first)
                    && let Some(touched) = self.touched(category, place, &found, entry)
                    && let Some((fraction, item)) = test(touched)
                    && is_first(rank(fraction), &first)
                {
                    first = Some((rank(fraction), item));
                }
                limit(&first)
            });
        }
        Ok(first.map(|(_, item)| item))
    }

    fn touched(
        &self,
        category: &Category,
        place: usize,
        found: &Found,
        fraction: f32,
    ) -> Option<Touched> {
        Some(Touched {
            hit: self.resolve(category, found)?,
            fraction,
            place: (place, found.row),
        })
    }
}

impl Category {
    /// Visits rows whose boxes the path touches, each once, roughly in order along it, with the fraction at which it
    /// does. `visit` returns the fraction beyond which nothing is of interest any more. This starts at `limit`; rows
    /// beyond it may still be visited.
    fn query_along(&self, cast: &Cast, limit: f32, mut visit: impl FnMut(Found, f32) -> f32) {
        if let (Structure::Scenery(scenery), Cast::Ray(ray)) = (&self.structure, cast) {
            return scenery.forest.query_along(ray, limit, |hit| {
                visit(Found::of_box(hit.row, hit.aabb), hit.fraction)
            });
        }
        let every: ControlFlow<()> =
            self.query_cast(cast, SPACINGS_TO_FIRST, limit, |found, fraction| {
                ControlFlow::Continue(visit(found, fraction))
            });
        debug_assert!(every.is_continue());
    }

    /// Visits every row whose box the path touches, with the fraction at which it does. `visit` returns the fraction
    /// beyond which nothing is of interest any more. This starts at `limit`; rows beyond it may still be visited. Looks
    /// through windows of a length given in spacings of the rows.
    fn query_cast<B>(
        &self,
        cast: &Cast,
        spacings: f32,
        limit: f32,
        mut visit: impl FnMut(Found, f32) -> ControlFlow<B, f32>,
    ) -> ControlFlow<B> {
        if let (Structure::Scenery(scenery), Cast::Ray(ray)) = (&self.structure, cast) {
            return scenery.forest.query_ray(ray, |hit| {
                visit(Found::of_box(hit.row, hit.aabb), hit.fraction)?;
                ControlFlow::Continue(())
            });
        }
        let Some(bounds) = self.indexed.bounds else {
            return ControlFlow::Continue(());
        };
        let windows = Windows::along(cast, spacings * self.spacing.get(), &bounds);
        let mut limit = limit;
        let mut before: Option<Aabb> = None;
        for part in 0..windows.len() {
            if windows.is_beyond(part, limit) {
                break;
            }
            let window = windows.window(part);
            for (_, structure) in self.parts() {
                structure.query_aabb(&window, |found| {
                    // Already found through the window before.
                    let again = before.is_some_and(|before| before.overlaps(&found.aabb));
                    if let (false, Some(fraction)) = (again, cast.entry(&found.aabb)) {
                        limit = visit(found, fraction)?;
                    }
                    ControlFlow::Continue(())
                })?;
            }
            before = Some(window);
        }
        ControlFlow::Continue(())
    }
}
