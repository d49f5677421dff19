//! Results in order: the nearest boxes to a point, the first box on a ray.

use super::PackedQuadtree;
use super::kernels::{closest, walk_probe};
use super::probes::{Distance, Entry};
use std::ops::ControlFlow;
use throng_core::{
    Aabb, Least, NearestQuery, Ranked, RayCast, ShapeError, check_point, check_reach,
};

/// A box that a ray touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Its row.
    pub row: u32,
    /// The box.
    pub aabb: Aabb,
    /// How far along the ray it is entered, from 0 to 1; 0 if the ray begins inside.
    pub fraction: f32,
}

impl RayHit {
    /// By fraction, then by row.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_fraction = self.fraction.total_cmp(&other.fraction);
        by_fraction.then(self.row.cmp(&other.row))
    }
}

impl<B: AsRef<[u8]>> PackedQuadtree<B> {
    /// Finds the `k` rows nearest to the point, none farther than `max_distance`, by distance to their boxes, then by
    /// row. Fewer if there are fewer. Replaces the contents of `nearest`.
    ///
    /// Visits the nearest node first, and skips what is farther than the worst found so far. Allocates nothing once
    /// `nearest` has room for `k`.
    ///
    /// ```
    /// use throng_core::{Boxes, NearestQuery, Serial};
    /// use throng_quadtree::{PackedConfig, PackedQuadtree};
    ///
    /// let (min, max) = ([0.0, 10.0, 20.0], [1.0, 11.0, 21.0]);
    /// let boxes = Boxes::new([&min, &[0.0; 3]], [&max, &[1.0; 3]])?;
    /// let tree = PackedQuadtree::build(boxes, PackedConfig::new(), &Serial)?;
    /// let mut nearest = Vec::new();
    /// let query = NearestQuery { point: [14.0, 0.5], k: 2, max_distance: f32::INFINITY };
    /// tree.find_nearest(query, &mut nearest)?;
    /// assert_eq!((nearest[0].row, nearest[0].distance_squared), (1, 9.0));
    /// assert_eq!((nearest[1].row, nearest[1].distance_squared), (2, 36.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a coordinate is NaN, or the distance is NaN or negative; `nearest` is unchanged then.
    pub fn find_nearest(
        &self,
        query: NearestQuery,
        nearest: &mut Vec<Ranked<Aabb>>,
    ) -> Result<(), ShapeError> {
        self.find_nearest_where(query, nearest, |_, _| true)
    }

    /// The same among the rows that `accept` lets through. It is called at most once for each row, and only for rows
    /// that would be among the nearest so far.
    ///
    /// # Errors
    ///
    /// As [`find_nearest`](Self::find_nearest).
    pub fn find_nearest_where(
        &self,
        query: NearestQuery,
        nearest: &mut Vec<Ranked<Aabb>>,
        mut accept: impl FnMut(u32, &Aabb) -> bool,
    ) -> Result<(), ShapeError> {
        let NearestQuery {
            point,
            k,
            max_distance,
        } = query;
        check_point(point)?;
        check_reach(max_distance)?;
        nearest.clear();
        if k == 0 {
            return Ok(());
        }
        let limit = max_distance * max_distance;
        let mut best = Least::new(k, nearest, Ranked::cmp);
        self.query_nearest(point, limit, |candidate| {
            best.push_if(candidate, |near| accept(near.row, &near.item));
            best.greatest()
                .map_or(limit, |greatest| greatest.distance_squared)
        })?;
        best.sort();
        Ok(())
    }

    /// Visits rows around a point, each once, roughly nearest first. `visit` returns the squared distance beyond
    /// which nothing is of interest any more. This starts at `limit` and must not grow.
    ///
    /// # Errors
    ///
    /// If a coordinate is NaN.
    pub fn query_nearest(
        &self,
        point: [f32; 2],
        limit: f32,
        mut visit: impl FnMut(Ranked<Aabb>) -> f32,
    ) -> Result<(), ShapeError> {
        check_point(point)?;
        let view = self.view();
        let probe = Distance { point };
        let mut left = limit;
        closest(
            self.simd,
            &view,
            &probe,
            limit,
            &mut |distance_squared, slot| {
                if let Some((row, item)) = view.slot(slot) {
                    left = visit(Ranked {
                        distance_squared,
                        row,
                        item,
                    });
                }
                left
            },
        );
        Ok(())
    }

    /// Visits every row whose box the ray touches, in leaf order, with the fraction of the ray where it
    /// [enters](RayCast::entry) the box.
    pub fn query_ray<R>(
        &self,
        ray: &RayCast,
        mut visit: impl FnMut(RayHit) -> ControlFlow<R>,
    ) -> ControlFlow<R> {
        let view = self.view();
        let mut outcome = ControlFlow::Continue(());
        let _ = walk_probe(self.simd, &view, &Entry::of(ray), &mut |slots| {
            for &slot in slots {
                if let Some((row, aabb)) = view.slot(slot)
                    && let Some(fraction) = ray.entry(&aabb)
                {
                    outcome = visit(RayHit {
                        row,
                        aabb,
                        fraction,
                    });
                    if outcome.is_break() {
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        });
        outcome
    }

    /// The first box on the ray: the one with the lowest fraction, and of those the lowest row.
    pub fn cast_first(&self, ray: &RayCast) -> Option<RayHit> {
        self.cast_first_where(ray, |_, _| true)
    }

    /// The same among the rows that `accept` lets through. It is called at most once for each row, and only for rows
    /// that would be the first so far.
    pub fn cast_first_where(
        &self,
        ray: &RayCast,
        mut accept: impl FnMut(u32, &Aabb) -> bool,
    ) -> Option<RayHit> {
        let mut first: Option<RayHit> = None;
        self.query_along(ray, 1.0, |hit| {
            let is_first = first.is_none_or(|first| hit.order(&first).is_lt());
            if is_first && accept(hit.row, &hit.aabb) {
                first = Some(hit);
            }
            first.map_or(1.0, |first| first.fraction)
        });
        first
    }

    /// Visits rows whose boxes the ray touches, each once, roughly in the order in which it enters them. `visit` returns
    /// the fraction beyond which nothing is of interest any more. This starts at `limit` and must not grow: nothing that
    /// is entered beyond it is visited.
    pub fn query_along(&self, ray: &RayCast, limit: f32, mut visit: impl FnMut(RayHit) -> f32) {
        let view = self.view();
        let probe = Entry::of(ray);
        let mut left = limit;
        closest(self.simd, &view, &probe, limit, &mut |fraction, slot| {
            if let Some((row, aabb)) = view.slot(slot) {
                left = visit(RayHit {
                    row,
                    aabb,
                    fraction,
                });
            }
            left
        });
    }

    /// Finds every box that the ray touches, by fraction, then by row. Replaces the contents of `hits`. Allocates
    /// nothing once `hits` has room.
    pub fn cast_all(&self, ray: &RayCast, hits: &mut Vec<RayHit>) {
        hits.clear();
        let every: ControlFlow<()> = self.query_ray(ray, |hit| {
            hits.push(hit);
            ControlFlow::Continue(())
        });
        debug_assert!(every.is_continue());
        hits.sort_unstable_by(RayHit::order);
    }
}
