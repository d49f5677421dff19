//! The nearest rows to a point.

use crate::PointGrid;
use crate::leaf::{Bounds, Leaf};
use crate::query::Hit;
use std::ops::ControlFlow;
use throng_core::{
    Aabb, BoxSource, Least, NearestQuery, Ranked, ShapeError, check_point, check_reach,
    distance_squared, visit_by_boxes,
};

/// A leaf is near if it is no more than so many times as far away as, where rows are as dense as in it, the number of rows that is
/// wanted reaches.
const NEAR: f32 = 4.0;

impl PointGrid {
    /// Finds the rows nearest to a point, by distance to their boxes, then by row: as many as the query wants, and fewer if there are
    /// fewer. Replaces the contents of `nearest`.
    ///
    /// Searches larger and larger boxes around the point until one is sure to hold the answer: O(log leaves + rows nearby) where rows
    /// are about as dense all around. Or leaf by leaf, if the point is far from what is beside it: O(leaves + rows nearby), and
    /// O(leaves) more each time that it has to look twice as far. Allocates nothing once `nearest` has room.
    ///
    /// # Errors
    ///
    /// If a coordinate is NaN, or the distance is NaN or negative.
    pub fn find_nearest(
        &self,
        query: NearestQuery,
        nearest: &mut Vec<Ranked<Hit>>,
    ) -> Result<(), ShapeError> {
        self.find_nearest_where(query, nearest, |_| true)
    }

    /// The same among the rows that `accept` lets through. It is called at most once for each row.
    ///
    /// # Errors
    ///
    /// As [`find_nearest`](Self::find_nearest).
    pub fn find_nearest_where(
        &self,
        query: NearestQuery,
        nearest: &mut Vec<Ranked<Hit>>,
        mut accept: impl FnMut(&Hit) -> bool,
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
        self.query_nearest(point, k, limit, |candidate| {
            best.push_if(candidate, |near| accept(&near.item));
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
        let Some(first_reach) = self.reach_nearby(point, wanted) else {
            self.visit_by_leaves(point, wanted, limit, visit);
            return Ok(());
        };
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

    /// A first guess: the distance to a leaf beside the point, plus enough for about `k` rows. `None` if it is far from all leaves
    /// beside it: then boxes around it would be large, and so would be what is in their corners. No result depends on it.
    fn reach_nearby(&self, point: [f32; 2], k: usize) -> Option<f32> {
        let reaches = self.leaves_beside(point).filter_map(|leaf| {
            let (distance, spacing) = (
                self.distance_squared(leaf, point).sqrt(),
                self.spacing(leaf, k),
            );
            (distance <= NEAR * spacing).then_some(distance + spacing)
        });
        reaches
            .min_by(f32::total_cmp)
            .filter(|reach| reach.is_finite())
    }

    /// Visits what is around a point, as [`visit_by_boxes`] does: the rows of all leaves that are no farther than something, then of
    /// those that are no farther than twice that or than the nearest that is left, and so on. O(leaves) each time.
    fn visit_by_leaves(
        &self,
        point: [f32; 2],
        wanted: usize,
        mut limit: f32,
        mut visit: impl FnMut(Ranked<Hit>) -> f32,
    ) {
        let distance_to = |leaf: &Leaf| self.distance_squared(leaf, point);
        let by_distance = |a: &&Leaf, b: &&Leaf| distance_to(a).total_cmp(&distance_to(b));
        let Some(nearest) = self.leaves.iter().min_by(by_distance) else {
            return;
        };
        let mut reach = distance_to(nearest).sqrt() + self.spacing(nearest, wanted);
        let mut visited = None;
        loop {
            let squared = reach * reach;
            let mut next: Option<f32> = None;
            for leaf in &self.leaves {
                let distance = distance_to(leaf);
                if distance > squared {
                    next = Some(next.map_or(distance, |next| next.min(distance)));
                }
                let is_new = visited.is_none_or(|visited| distance > visited);
                if !is_new || distance > squared.min(limit) {
                    continue;
                }
                let centers = self.view().centers(leaf);
                for hit in (0..centers.len()).map(|k| Hit::of(&centers, k)) {
                    let distance_squared = hit.distance_squared(point);
                    if distance_squared <= limit {
                        limit = visit(Ranked {
                            distance_squared,
                            row: hit.row,
                            item: hit,
                        });
                    }
                }
            }
            let Some(next) = next.filter(|&next| next <= limit) else {
                return;
            };
            visited = Some(squared);
            // Rounded up, so that its square is no less.
            reach = (2.0 * reach).max(next.sqrt().next_up());
        }
    }

    /// From a point to the boxes of a leaf: no more than to any of them.
    fn distance_squared(&self, leaf: &Leaf, point: [f32; 2]) -> f32 {
        let Bounds { min, max } = leaf.bounds.widened(self.bound);
        distance_squared(min, max, point)
    }

    /// How far from a point there are about `k` rows, where rows are as dense as in a leaf.
    fn spacing(&self, leaf: &Leaf, k: usize) -> f32 {
        let Bounds { min, max } = leaf.bounds.widened(self.bound);
        let area = (max[0] - min[0]) * (max[1] - min[1]);
        let spacing = (area / leaf.len as f32 * k as f32).sqrt();
        spacing.max(self.bound[0]).max(f32::MIN_POSITIVE)
    }

    /// The leaves to the left and to the right of a point in the strips around it: at most four, and some that are nearer may be
    /// missing. O(log leaves).
    fn leaves_beside(&self, point: [f32; 2]) -> impl Iterator<Item = &Leaf> {
        let strip = self.layout.strips.cell(point[1]);
        let above = self.strips.partition_point(|of| of.id < strip);
        let strips = &self.strips[above.saturating_sub(1)..self.strips.len().min(above + 1)];
        strips.iter().flat_map(move |strip| {
            let leaves = &self.leaves[strip.first as usize..strip.end as usize];
            let right = leaves.partition_point(|leaf| leaf.bounds.min[0] <= point[0]);
            &leaves[right.saturating_sub(1)..leaves.len().min(right + 1)]
        })
    }

    /// Whether the box holds every row of the grid.
    fn is_within(&self, query: &Aabb) -> bool {
        BoxSource::bounds(self).is_none_or(|all| query.contains(&all))
    }
}
