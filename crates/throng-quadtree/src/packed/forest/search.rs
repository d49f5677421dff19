//! Searches: those of the trees, one after the other.

use super::PackedForest;
use crate::packed::{PackedNodeView, RayHit};
use std::ops::ControlFlow;
use throng_core::{
    Aabb, ConvexPolygon, Ranked, RayCast, ShapeError, check_point, check_reach, window_around,
};

impl PackedForest {
    /// As [`PackedQuadtree::query_aabb`](crate::PackedQuadtree::query_aabb).
    pub fn query_aabb<R>(
        &self,
        window: &Aabb,
        mut visit: impl FnMut(u32, Aabb) -> ControlFlow<R>,
    ) -> ControlFlow<R> {
        self.trees
            .iter()
            .filter(|tree| tree.bounds.overlaps(window))
            .try_for_each(|tree| tree.packed.query_aabb(window, &mut visit))
    }

    /// As [`PackedQuadtree::query_point`](crate::PackedQuadtree::query_point).
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if a coordinate is NaN.
    pub fn query_point<R>(
        &self,
        point: [f32; 2],
        mut visit: impl FnMut(u32, Aabb) -> ControlFlow<R>,
    ) -> Result<ControlFlow<R>, ShapeError> {
        check_point(point)?;
        for tree in &self.trees {
            let found = tree.packed.query_point(point, &mut visit)?;
            if found.is_break() {
                return Ok(found);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// As [`PackedQuadtree::query_circle`](crate::PackedQuadtree::query_circle).
    ///
    /// # Errors
    ///
    /// [`ShapeError`] for a NaN or a negative radius.
    pub fn query_circle<R>(
        &self,
        center: [f32; 2],
        radius: f32,
        mut visit: impl FnMut(u32, Aabb) -> ControlFlow<R>,
    ) -> Result<ControlFlow<R>, ShapeError> {
        check_point(center)?;
        check_reach(radius)?;
        let window = window_around(center, radius);
        for tree in &self.trees {
            if tree.bounds.overlaps(&window) {
                let found = tree.packed.query_circle(center, radius, &mut visit)?;
                if found.is_break() {
                    return Ok(found);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// As [`PackedQuadtree::query_polygon`](crate::PackedQuadtree::query_polygon).
    pub fn query_polygon<R>(
        &self,
        polygon: &ConvexPolygon,
        mut visit: impl FnMut(u32, Aabb) -> ControlFlow<R>,
    ) -> ControlFlow<R> {
        self.trees
            .iter()
            .try_for_each(|tree| tree.packed.query_polygon(polygon, &mut visit))
    }

    /// As [`PackedQuadtree::query_ray`](crate::PackedQuadtree::query_ray).
    pub fn query_ray<R>(
        &self,
        ray: &RayCast,
        mut visit: impl FnMut(RayHit) -> ControlFlow<R>,
    ) -> ControlFlow<R> {
        self.trees
            .iter()
            .try_for_each(|tree| tree.packed.query_ray(ray, &mut visit))
    }

    /// As [`PackedQuadtree::query_along`](crate::PackedQuadtree::query_along), roughly in order within each tree.
    pub fn query_along(&self, ray: &RayCast, limit: f32, mut visit: impl FnMut(RayHit) -> f32) {
        let mut left = limit;
        for tree in &self.trees {
            tree.packed.query_along(ray, left, |hit| {
                left = visit(hit);
                left
            });
        }
    }

    /// As [`PackedQuadtree::query_nearest`](crate::PackedQuadtree::query_nearest), roughly nearest first within each tree.
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
        let mut left = limit;
        for tree in &self.trees {
            if tree.bounds.distance_squared(point) <= left {
                tree.packed.query_nearest(point, left, |near| {
                    left = visit(near);
                    left
                })?;
            }
        }
        Ok(())
    }

    /// Visits every row with its box. O(boxes).
    pub fn for_each_box(&self, mut visit: impl FnMut(u32, Aabb)) {
        self.trees
            .iter()
            .for_each(|tree| tree.packed.for_each_box(&mut visit));
    }

    /// Visits the nodes and leaves of every tree. For debug drawing.
    pub fn visit_nodes(&self, mut visit: impl FnMut(PackedNodeView)) {
        self.trees
            .iter()
            .for_each(|tree| tree.packed.visit_nodes(&mut visit));
    }
}
