//! "What is near here?": boxes, points and circles. All take `&self` and allocate nothing.

use crate::dynamic::cursor::{Cursor, Siblings};
use crate::dynamic::sides::{Sides, sides_of, touches};
use crate::dynamic::{Element, ElementId, Quadtree};
use std::ops::ControlFlow;
use throng_core::{Aabb, ShapeError, check_point, check_reach, distance_squared, window_around};

impl<T> Quadtree<T> {
    /// Visits every element whose box overlaps the window, borders included, until the visitor breaks. The
    /// window may be unbounded.
    ///
    /// In the order of nodes, parents first. O(depth + elements in the nodes that the window touches).
    pub fn query_aabb<'t, B>(
        &'t self,
        window: &Aabb,
        visit: impl FnMut(Element<'t, T>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.query_window(&sides_of(window), |_| true, visit)
    }

    /// Visits every element whose box holds the point, borders included. Otherwise as
    /// [`query_aabb`](Self::query_aabb).
    ///
    /// # Errors
    ///
    /// If a coordinate is NaN.
    pub fn query_point<'t, B>(
        &'t self,
        point: [f32; 2],
        visit: impl FnMut(Element<'t, T>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, ShapeError> {
        check_point(point)?;
        let [x, y] = point;
        Ok(self.query_window(&[x, y, x, y], |_| true, visit))
    }

    /// Visits every element whose box touches the closed disc: those with
    /// [`Aabb::distance_squared`]` <= radius * radius`. Otherwise as [`query_aabb`](Self::query_aabb).
    ///
    /// # Errors
    ///
    /// If a coordinate of the center is NaN, or the radius is NaN or negative.
    pub fn query_circle<'t, B>(
        &'t self,
        center: [f32; 2],
        radius: f32,
        visit: impl FnMut(Element<'t, T>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, ShapeError> {
        check_point(center)?;
        check_reach(radius)?;
        let is_within = |[x0, y0, x1, y1]: &Sides| {
            distance_squared([*x0, *y0], [*x1, *y1], center) <= radius * radius
        };
        let window = sides_of(&window_around(center, radius));
        Ok(self.query_window(&window, is_within, visit))
    }

    /// The elements that [`query_aabb`](Self::query_aabb) visits.
    #[must_use]
    pub fn find_in_aabb(&self, window: &Aabb) -> Vec<ElementId> {
        let mut found = Vec::new();
        let _: ControlFlow<()> = self.query_aabb(window, collect_into(&mut found));
        found
    }

    /// The elements that [`query_point`](Self::query_point) visits.
    ///
    /// # Errors
    ///
    /// As [`query_point`](Self::query_point).
    pub fn find_at_point(&self, point: [f32; 2]) -> Result<Vec<ElementId>, ShapeError> {
        let mut found = Vec::new();
        let _: ControlFlow<()> = self.query_point(point, collect_into(&mut found))?;
        Ok(found)
    }

    /// The elements that [`query_circle`](Self::query_circle) visits.
    ///
    /// # Errors
    ///
    /// As [`query_circle`](Self::query_circle).
    pub fn find_in_circle(
        &self,
        center: [f32; 2],
        radius: f32,
    ) -> Result<Vec<ElementId>, ShapeError> {
        let mut found = Vec::new();
        let _: ControlFlow<()> = self.query_circle(center, radius, collect_into(&mut found))?;
        Ok(found)
    }

    /// Visits the elements that touch the window and are accepted.
    ///
    /// An element in several nodes is reported by the one that holds the lower corner of its overlap with the window.
    /// That is one of its nodes, and it is visited, because both touch it.
    #[inline(always)]
    fn query_window<'t, B>(
        &'t self,
        window: &Sides,
        accepts: impl Fn(&Sides) -> bool,
        mut visit: impl FnMut(Element<'t, T>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        // Anything beyond the region's lower sides belongs to the nodes at those sides.
        let [origin_x, origin_y] = self.region.origin;
        let low = [window[0].max(origin_x), window[1].max(origin_y)];
        let mut cursor = Cursor::new(&self.region);
        while let Some(at) = cursor.next() {
            let node = self.nodes.at(at.node);
            for run in self.lists.runs(node.list) {
                for &index in run {
                    let sides = &sides_of(&self.boxes[index as usize]);
                    let shared = [sides[0].max(low[0]), sides[1].max(low[1])];
                    // Both touch the node, so the corner cannot lie beyond its upper sides.
                    let is_here = (at.low[0] <= shared[0]) & (at.low[1] <= shared[1]);
                    if (touches(sides, window) & is_here) && accepts(sides) {
                        visit(self.element(index))?;
                    }
                }
            }
            if !node.is_leaf() {
                let split = self.region.split(at.low, at.depth);
                let siblings = Siblings::touched_by(window, split);
                cursor.enter(&at, node.children, split, siblings);
            }
        }
        ControlFlow::Continue(())
    }
}

fn collect_into<T, B>(found: &mut Vec<ElementId>) -> impl FnMut(Element<'_, T>) -> ControlFlow<B> {
    |element| {
        found.push(element.id);
        ControlFlow::Continue(())
    }
}
