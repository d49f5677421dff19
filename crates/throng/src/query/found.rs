//! What the index of one category finds near a place.

use std::ops::ControlFlow;

use throng_core::{
    Aabb, QueryError, Ranked, check_point, check_reach, visit_by_boxes, whether_broken,
    window_around,
};
use throng_grid::Hit;

use crate::world::box_index::BoxIndex;
use crate::world::ids::Row;
use crate::world::structure::Structure;

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

    /// Visits rows around a point, each once, about the nearest first. `visit` answers with the squared distance
    /// beyond which nothing is of interest any more, which at first is `limit`, and must not grow. About `wanted`
    /// rows should be found.
    pub(crate) fn query_nearest(
        &self,
        point: [f32; 2],
        wanted: usize,
        limit: f32,
        mut visit: impl FnMut(Ranked<Found>) -> f32,
    ) -> Result<(), QueryError> {
        match self {
            Self::Points(grid) => grid.query_nearest(point, wanted, limit, |ranked| {
                visit(Ranked {
                    distance_squared: ranked.distance_squared,
                    row: ranked.row,
                    item: ranked.item.into(),
                })
            }),
            Self::Scenery(scenery) => scenery.tree.query_nearest(point, limit, |ranked| {
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

    /// A first guess: the distance to the bounds of all boxes, and about `wanted` rows' worth beyond it if they
    /// are spread evenly.
    fn first_reach(&self, bounds: &Aabb, point: [f32; 2], wanted: usize) -> f32 {
        let share = wanted as f32 / self.len() as f32;
        let extent = [0, 1].map(|axis| bounds.max()[axis] - bounds.min()[axis]);
        let spacing = [0, 1].map(|axis| extent[axis] * share.sqrt());
        let reach = bounds.distance_squared(point).sqrt() + spacing[0].max(spacing[1]);
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
            whether_broken(&outcome)
        });
        outcome
    }
}
