//! The nearest few, over all categories.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use throng_core::{
    Aabb, Least, NearestQuery, Ranked, ShapeError, check_point, check_reach, for_both,
    visit_by_boxes,
};

use crate::error::QueryError;
use crate::query::queries::{Found, Queries, QueryHit};
use crate::world::ids::Row;
use crate::world::structure::Structure;

/// A proxy near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearestHit {
    /// The proxy, as any query reports it.
    pub hit: QueryHit,
    /// The square of the distance from the point to its box, or to its [shape](Queries::find_nearest_by) if shapes were asked; 0 inside.
    pub distance_squared: f32,
    /// The position of its category among those searched, and its row there as indexed: breaks ties.
    place: (usize, Row),
}

impl NearestHit {
    /// Which of two comes first.
    fn order(&self, other: &Self) -> Ordering {
        self.order_to(other.distance_squared, other.place)
    }

    /// Whether it comes before or after a hit at this distance in this place.
    fn order_to(&self, distance_squared: f32, place: (usize, Row)) -> Ordering {
        let by_distance = self.distance_squared.total_cmp(&distance_squared);
        by_distance.then(self.place.cmp(&place))
    }
}

impl Queries<'_> {
    /// The `k` proxies whose boxes are nearest to the point and no farther than `max_distance`, nearest first. Ties
    /// are broken by category, then by row as indexed.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// world.insert_batch((0..10).map(|i| Proxy::centered([3.0 * i as f32, 0.0], [1.0, 1.0]).unwrap().key(i)));
    /// world.refresh();
    /// let mut nearest = Vec::new(); // kept from frame to frame
    /// world.query().find_nearest([9.0, 2.0], 2, f32::INFINITY, &mut nearest)?;
    /// assert_eq!(nearest[0].hit.center, [9.0, 0.0]);
    /// assert_eq!(nearest[0].distance_squared, 1.0, "to the box, not to the center");
    /// assert_eq!(nearest.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a NaN, a negative distance, a category of the filter that this world does not have, or a
    /// world without a [whole index](crate::StaleIndex).
    #[doc(alias("knn", "nearest_neighbors", "nearest_neighbours", "project_point"))]
    pub fn find_nearest(
        &self,
        point: impl Into<[f32; 2]>,
        k: usize,
        max_distance: f32,
        nearest: &mut Vec<NearestHit>,
    ) -> Result<(), QueryError> {
        nearest.clear();
        let query = NearestQuery {
            point: point.into(),
            k,
            max_distance,
        };
        self.append_nearest(&query, nearest)
    }

    /// The `k` proxies whose shapes, not only their boxes, are nearest to the point and no farther than `max_distance`, nearest first.
    ///
    /// `shape` is called with things in the order of their boxes, roughly the nearest first. It is not called for a box that is farther
    /// away than the `k`-th nearest shape so far, or than `max_distance`. It returns the distance from the point to the shape within, 0 if
    /// the point is in it; `None` if it is to be ignored. So in a crowd of circles it searches only a little farther than
    /// [`find_nearest`](Self::find_nearest).
    ///
    /// A shape is taken to lie within its box: if its distance is less than that of the box, the box's counts. NaN and anything greater
    /// than `max_distance` are misses. Ties are broken as in [`find_nearest`](Self::find_nearest), so the answer does not depend on the
    /// order in which shapes are asked.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("marbles", 1.0)))?;
    /// for center in [[2.0, 2.0], [2.5, 0.0]] {
    ///     world.insert(Proxy::centered(center, [1.0, 1.0])?)?;
    /// }
    /// world.refresh();
    /// let (from, mut nearest) = ([0.0_f32, 0.0], Vec::new());
    /// world.query().find_nearest(from, 1, 9.0, &mut nearest)?;
    /// assert_eq!(nearest[0].hit.row, 0, "the corner of its box is nearer");
    /// world.query().find_nearest_by(from, 1, 9.0, &mut nearest, |near| {
    ///     let [x, y] = near.hit.center;
    ///     Some((x.hypot(y) - 1.0).max(0.0))
    /// })?;
    /// assert_eq!((nearest[0].hit.row, nearest[0].distance_squared), (1, 1.5 * 1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`find_nearest`](Self::find_nearest).
    #[doc(alias("knn", "nearest_neighbors", "nearest_neighbours", "project_point"))]
    pub fn find_nearest_by(
        &self,
        point: impl Into<[f32; 2]>,
        k: usize,
        max_distance: f32,
        nearest: &mut Vec<NearestHit>,
        mut shape: impl FnMut(&NearestHit) -> Option<f32>,
    ) -> Result<(), QueryError> {
        nearest.clear();
        let query = NearestQuery {
            point: point.into(),
            k,
            max_distance,
        };
        self.append_nearest_that(&query, nearest, |of_box| {
            // Before it is squared, which may overflow. A NaN is no less.
            let distance = shape(&of_box).filter(|&distance| distance <= max_distance)?;
            let squared = distance.max(0.0) * distance.max(0.0);
            Some(NearestHit {
                distance_squared: squared.max(of_box.distance_squared),
                ..of_box
            })
        })
    }

    /// Appends the nearest to the vector; on error, nothing.
    pub(crate) fn append_nearest(
        &self,
        query: &NearestQuery,
        nearest: &mut Vec<NearestHit>,
    ) -> Result<(), QueryError> {
        self.append_nearest_that(query, nearest, Some)
    }

    /// The same at the distance that each is found to have, given its box: no less than the box's. A category is searched no farther
    /// than the `k`-th nearest of those before it.
    fn append_nearest_that(
        &self,
        query: &NearestQuery,
        nearest: &mut Vec<NearestHit>,
        mut found_at: impl FnMut(NearestHit) -> Option<NearestHit>,
    ) -> Result<(), QueryError> {
        let NearestQuery {
            point,
            k,
            max_distance,
        } = *query;
        check_point(point)?;
        check_reach(max_distance)?;
        let selected = self.selected()?;
        if k == 0 {
            return Ok(());
        }
        let mut best = Least::new(k, nearest, NearestHit::order);
        let mut limit = max_distance * max_distance;
        for (place, category) in selected.enumerate() {
            for (_, structure) in category.parts() {
                structure.query_nearest(point, k, limit, |ranked| {
                    let place = (place, ranked.row);
                    let is_after = |greatest: &NearestHit| {
                        greatest.order_to(ranked.distance_squared, place).is_gt()
                    };
                    if best.greatest().is_none_or(is_after)
                        && let Some(hit) = self.resolve(category, &ranked.item)
                    {
                        let of_box = NearestHit {
                            hit,
                            distance_squared: ranked.distance_squared,
                            place,
                        };
                        if let Some(found) = found_at(of_box) {
                            best.push(found);
                        }
                        limit = best
                            .greatest()
                            .map_or(limit, |greatest| greatest.distance_squared);
                    }
                    limit
                })?;
            }
        }
        best.sort();
        Ok(())
    }
}

impl Structure {
    /// Visits rows around a point, each once, roughly nearest first. `visit` returns the squared distance beyond
    /// which nothing is of interest any more. This starts at `limit` and must not grow. `wanted` is a hint: roughly
    /// how many rows will be needed.
    pub(crate) fn query_nearest(
        &self,
        point: [f32; 2],
        wanted: usize,
        limit: f32,
        mut visit: impl FnMut(Ranked<Found>) -> f32,
    ) -> Result<(), ShapeError> {
        match self {
            Self::Points(grid) => grid.query_nearest(point, wanted, limit, |ranked| {
                visit(Ranked {
                    distance_squared: ranked.distance_squared,
                    row: ranked.row,
                    item: ranked.item.into(),
                })
            }),
            Self::Scenery(scenery) => scenery.forest.query_nearest(point, limit, |ranked| {
                visit(Ranked {
                    distance_squared: ranked.distance_squared,
                    row: ranked.row,
                    item: Found::of_box(ranked.row, ranked.item),
                })
            }),
            Self::Boxes(boxes) => {
                check_point(point)?;
                let Some(bounds) = self.bounds() else {
                    return Ok(());
                };
                let first_reach = self.first_reach(&bounds, point, wanted);
                let look = |window: &Aabb, visit: &mut dyn FnMut(u32, &Aabb, Found)| {
                    let every: ControlFlow<()> = boxes.query(window, |found| {
                        visit(found.row, &found.aabb, found);
                        ControlFlow::Continue(())
                    });
                    debug_assert!(every.is_continue());
                    window.contains(&bounds)
                };
                visit_by_boxes(point, first_reach, limit, look, visit);
                Ok(())
            }
        }
    }

    /// A first guess: the distance to the bounds of all boxes, plus enough for about `wanted` rows if they are evenly
    /// spread.
    fn first_reach(&self, bounds: &Aabb, point: [f32; 2], wanted: usize) -> f32 {
        let share = wanted as f32 / self.len() as f32;
        let extent = for_both(|axis| bounds.max()[axis] - bounds.min()[axis]);
        let spacing = for_both(|axis| extent[axis] * share.sqrt());
        let reach = bounds.distance_squared(point).sqrt() + spacing[0].max(spacing[1]);
        if reach.is_finite() { reach } else { 1.0 }
    }
}
