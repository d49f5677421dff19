//! The nearest rows to a point.

use crate::PointGrid;
use crate::query::Hit;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, NearestQuery, QueryError, Ranked, check_point, check_reach, nearest_by_boxes,
};

/// A row and how far away it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The row, as a query reports it.
    pub hit: Hit,
    /// The squared distance from the point to the row's box, 0 if it holds the point.
    pub distance_squared: f32,
}

impl PointGrid {
    /// Puts the `k` rows nearest to `point`, none farther than `max_distance`, into `nearest`: by
    /// distance to their boxes, then by row. Fewer if there are fewer. What was in `nearest` is gone.
    ///
    /// Looks at ever larger boxes around the point until one surely holds the answer. O(log leaves +
    /// rows nearby) where the neighbourhood is about as dense as the rest; allocates only what `nearest`
    /// and a heap of `k` need.
    ///
    /// # Errors
    ///
    /// If a coordinate is NaN, or the distance is NaN or negative.
    pub fn nearest(
        &self,
        point: [f32; 2],
        k: usize,
        max_distance: f32,
        nearest: &mut Vec<Neighbor>,
    ) -> Result<(), QueryError> {
        self.nearest_where(point, k, max_distance, nearest, |_| true)
    }

    /// The same among the rows that `accept` lets in. It is asked about a row once per box looked at.
    ///
    /// # Errors
    ///
    /// As [`nearest`](Self::nearest).
    pub fn nearest_where(
        &self,
        point: [f32; 2],
        k: usize,
        max_distance: f32,
        nearest: &mut Vec<Neighbor>,
        accept: impl FnMut(&Hit) -> bool,
    ) -> Result<(), QueryError> {
        check_point(point)?;
        check_reach(max_distance)?;
        nearest.clear();
        if self.is_empty() {
            return Ok(());
        }
        let query = NearestQuery {
            point,
            k,
            max_distance,
        };
        let found = nearest_by_boxes(
            query,
            self.first_reach(point, k),
            accept,
            |window, visit| {
                let _ = self.query_aabb(window, |hit| {
                    visit(Ranked {
                        distance_squared: hit.distance_squared(point),
                        row: hit.row,
                        item: hit,
                    });
                    ControlFlow::<()>::Continue(())
                });
                self.is_within(window)
            },
        );
        nearest.extend(found.iter().map(|ranked| Neighbor {
            hit: ranked.item,
            distance_squared: ranked.distance_squared,
        }));
        Ok(())
    }

    /// A first guess: the distance to the nearest leaf, and about `k` rows' worth beyond it.
    fn first_reach(&self, point: [f32; 2], k: usize) -> f32 {
        let mut closest = f32::INFINITY;
        let mut spacing = f32::MIN_POSITIVE;
        for leaf in &self.leaves {
            let boxes = leaf.bounds.widened(self.bound);
            let outside = [0, 1].map(|axis| {
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

    /// Whether the box holds everything there is.
    fn is_within(&self, query: &Aabb) -> bool {
        self.leaves.iter().all(|leaf| {
            let boxes = leaf.bounds.widened(self.bound);
            (0..2).all(|axis| {
                query.min()[axis] <= boxes.min[axis] && boxes.max[axis] <= query.max()[axis]
            })
        })
    }
}
