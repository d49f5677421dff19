//! What the index of one category finds near a place.

use std::ops::ControlFlow;

use throng_core::{
    Aabb, NearestQuery, QueryError, Ranked, check_point, check_reach, nearest_by_boxes,
    window_around,
};
use throng_grid::Hit;

use crate::box_index::BoxIndex;
use crate::ids::Row;
use crate::structure::Structure;

/// A row as it was when the index was built.
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
        let [min, max] = hit.corners();
        Self {
            row: hit.row,
            center: hit.center,
            half_extents: hit.half_extents,
            aabb: Aabb::new(min, max).expect("a centre and half extents make a box"),
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

impl Structure {
    /// Visits every row whose box contains the point.
    pub(crate) fn query_point<B>(
        &self,
        point: [f32; 2],
        mut visit: impl FnMut(Found) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        match self {
            Self::Points(grid) => grid.query_point(point, |hit| visit(hit.into())),
            Self::Scenery(scenery) => {
                let tree = &scenery.tree;
                tree.query_point(point, |row, aabb| visit(Found::of_box(row, aabb)))
            }
            Self::Boxes(boxes) => {
                check_point(point)?;
                // What reaches a point at infinity reaches the last of the finite ones before it.
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
                let tree = &scenery.tree;
                tree.query_box(window, |row, aabb| visit(Found::of_box(row, aabb)))
            }
        }
    }

    /// Visits every row whose box touches the disc.
    pub(crate) fn query_circle<B>(
        &self,
        center: [f32; 2],
        radius: f32,
        mut visit: impl FnMut(Found) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        match self {
            Self::Points(grid) => grid.query_circle(center, radius, |hit| visit(hit.into())),
            Self::Scenery(scenery) => {
                let visit = |row, aabb| visit(Found::of_box(row, aabb));
                scenery.tree.query_circle(center, radius, visit)
            }
            Self::Boxes(boxes) => {
                check_point(center)?;
                check_reach(radius)?;
                Ok(boxes.query(&window_around(center, radius), |found| {
                    if found.aabb.distance_squared(center) <= radius * radius {
                        visit(found)
                    } else {
                        ControlFlow::Continue(())
                    }
                }))
            }
        }
    }

    /// The nearest rows that `accept` lets in, by distance, then by row.
    pub(crate) fn nearest(
        &self,
        query: NearestQuery,
        mut accept: impl FnMut(&Found) -> bool,
    ) -> Result<Vec<Ranked<Found>>, QueryError> {
        let NearestQuery {
            point,
            k,
            max_distance,
        } = query;
        match self {
            Self::Points(grid) => {
                let mut nearest = Vec::new();
                let accept = |hit: &Hit| accept(&(*hit).into());
                grid.nearest_where(point, k, max_distance, &mut nearest, accept)?;
                let ranked = nearest.into_iter().map(|neighbor| Ranked {
                    distance_squared: neighbor.distance_squared,
                    row: neighbor.hit.row,
                    item: neighbor.hit.into(),
                });
                Ok(ranked.collect())
            }
            Self::Scenery(scenery) => {
                let mut nearest = Vec::new();
                let accept = |row, aabb: &Aabb| accept(&Found::of_box(row, *aabb));
                scenery.tree.nearest_where(query, &mut nearest, accept)?;
                let ranked = nearest.into_iter().map(|near| Ranked {
                    distance_squared: near.distance_squared,
                    row: near.row,
                    item: Found::of_box(near.row, near.item),
                });
                Ok(ranked.collect())
            }
            Self::Boxes(_) => {
                check_point(point)?;
                check_reach(max_distance)?;
                let Some(bounds) = self.bounds() else {
                    return Ok(Vec::new());
                };
                let first_reach = self.first_reach(&bounds, &query);
                let look = |window: &Aabb, visit: &mut dyn FnMut(Ranked<Found>)| {
                    self.rank_touching(window, point, visit);
                    window.contains(&bounds)
                };
                Ok(nearest_by_boxes(query, first_reach, accept, look))
            }
        }
    }

    /// Visits what touches the window with its distance from the point.
    fn rank_touching(&self, window: &Aabb, point: [f32; 2], visit: &mut dyn FnMut(Ranked<Found>)) {
        let every: ControlFlow<()> = self.query_aabb(window, |found| {
            visit(Ranked {
                distance_squared: found.aabb.distance_squared(point),
                row: found.row,
                item: found,
            });
            ControlFlow::Continue(())
        });
        debug_assert!(every.is_continue());
    }

    /// A first guess: the distance to the bounds of all boxes, and about `k` rows' worth beyond it if they
    /// are spread evenly.
    fn first_reach(&self, bounds: &Aabb, query: &NearestQuery) -> f32 {
        let share = query.k as f32 / self.len() as f32;
        let extent = [0, 1].map(|axis| bounds.max()[axis] - bounds.min()[axis]);
        let spacing = [0, 1].map(|axis| extent[axis] * share.sqrt());
        let reach = bounds.distance_squared(query.point).sqrt() + spacing[0].max(spacing[1]);
        if reach.is_finite() { reach } else { 1.0 }
    }
}

impl BoxIndex {
    fn query<B>(
        &self,
        window: &Aabb,
        mut visit: impl FnMut(Found) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut outcome = ControlFlow::Continue(());
        let _ = self.structure.visit_box(window, &mut |row, aabb| {
            outcome = visit(Found::of_box(row, aabb));
            match outcome {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(_) => ControlFlow::Break(()),
            }
        });
        outcome
    }
}
