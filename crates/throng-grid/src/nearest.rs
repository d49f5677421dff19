//! The nearest rows to a point.

use crate::PointGrid;
use crate::query::Hit;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, BoxSource, Least, Ranked, ShapeError, check_point, check_reach, for_both, visit_by_boxes,
};

/// A row with its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The row, as a query reports it.
    pub hit: Hit,
    /// The squared distance from the point to the row's box, 0 if the point is inside.
    pub distance_squared: f32,
}

impl Neighbor {
    /// By distance, then by row.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_distance = self.distance_squared.total_cmp(&other.distance_squared);
        by_distance.then(self.hit.row.cmp(&other.hit.row))
    }
}

impl PointGrid {
    /// Finds the `k` rows nearest to `point`, none farther than `max_distance`, by distance to their boxes, then by
    /// row. Fewer if there are fewer. Replaces the contents of `nearest`.
    ///
    /// Searches larger and larger boxes around the point until one is sure to hold the answer. O(log leaves + rows
    /// nearby) where the neighborhood is about as dense as the rest; allocates nothing once `nearest` has room.
    ///
    /// # Errors
    ///
    /// If a coordinate is NaN, or the distance is NaN or negative.
    pub fn find_nearest(
        &self,
        point: [f32; 2],
        k: usize,
        max_distance: f32,
        nearest: &mut Vec<Neighbor>,
    ) -> Result<(), ShapeError> {
        self.find_nearest_where(point, k, max_distance, nearest, |_| true)
    }

    /// The same among the rows that `accept` lets through. It is called at most once for each row.
    ///
    /// # Errors
    ///
    /// As [`find_nearest`](Self::find_nearest).
    pub fn find_nearest_where(
        &self,
        point: [f32; 2],
        k: usize,
        max_distance: f32,
        nearest: &mut Vec<Neighbor>,
        mut accept: impl FnMut(&Hit) -> bool,
    ) -> Result<(), ShapeError> {
        check_point(point)?;
        check_reach(max_distance)?;
        nearest.clear();
        if k == 0 {
            return Ok(());
        }
        let limit = max_distance * max_distance;
        let mut best = Least::new(k, nearest, Neighbor::order);
        self.query_nearest(point, k, limit, |ranked| {
            let neighbor = Neighbor {
                hit: ranked.item,
                distance_squared: ranked.distance_squared,
            };
            best.push_if(neighbor, |neighbor| accept(&neighbor.hit));
            best.greatest()
                .map_or(limit, |greatest| greatest.distance_squared)
        })?;
        best.sort();
        Ok(())
    }

    /// Visits rows around a point, each once, roughly nearest first. `visit` returns the squared distance beyond
    /// which nothing is of interest any more. This starts at `limit` and must not grow. `wanted` is a hint: roughly
    /// how many rows will be needed.
    ///
    /// # Errors
    ///
    /// If a coordinate is NaN.
    pub fn query_nearest(
        &self,
        point: [f32; 2],
        wanted: usize,
        limit: f32,
        visit: impl FnMut(Ranked<Hit>) -> f32,
    ) -> Result<(), ShapeError> {
        check_point(point)?;
        if self.is_empty() {
            return Ok(());
        }
        let first_reach = self.first_reach(point, wanted);
        let look = |window: &Aabb, visit: &mut dyn FnMut(u32, &Aabb, Hit)| {
            let _ = self.query_aabb(window, |hit| {
                visit(hit.row, &hit.aabb(), hit);
                ControlFlow::<()>::Continue(())
            });
            self.is_within(window)
        };
        visit_by_boxes(point, first_reach, limit, look, visit);
        Ok(())
    }

    /// A first guess: the distance to the nearest leaf, plus enough for about `k` rows.
    fn first_reach(&self, point: [f32; 2], k: usize) -> f32 {
        let mut closest = f32::INFINITY;
        let mut spacing = f32::MIN_POSITIVE;
        for leaf in &self.leaves {
            let boxes = leaf.bounds.widened(self.bound);
            let outside = for_both(|axis| {
                (boxes.min[axis] - point[axis])
                    .max(point[axis] - boxes.max[axis])
                    .max(0.0)
            });
            let distance = outside[0].max(outside[1]);
            if distance < closest {
                closest = distance;
                let area = (boxes.max[0] - boxes.min[0]) * (boxes.max[1] - boxes.min[1]);
                spacing = (area / leaf.len as f32 * k as f32)
                    .sqrt()
                    .max(self.bound[0])
                    .max(f32::MIN_POSITIVE);
            }
        }
        let reach = closest + spacing;
        if reach.is_finite() { reach } else { f32::MAX }
    }

    /// Whether the box holds every row of the grid.
    fn is_within(&self, query: &Aabb) -> bool {
        BoxSource::bounds(self).is_none_or(|all| query.contains(&all))
    }
}
