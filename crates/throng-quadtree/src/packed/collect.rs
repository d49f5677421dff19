//! Queries that collect rows instead of visiting them.

use super::PackedQuadtree;
use std::ops::ControlFlow;
use throng_core::{Aabb, ConvexPolygon, RayCast, ShapeError, check_point, check_reach};

/// A visitor that keeps the row.
macro_rules! keep {
    ($rows:expr) => {
        |row, _| -> ControlFlow<()> {
            $rows.push(row);
            ControlFlow::Continue(())
        }
    };
}

/// Each replaces the contents of the caller's vector with the rows found, in leaf order. Allocates nothing once it
/// has room.
impl<B: AsRef<[u8]>> PackedQuadtree<B> {
    /// The rows that [`query_aabb`](Self::query_aabb) visits.
    pub fn find_in_aabb(&self, window: &Aabb, rows: &mut Vec<u32>) {
        rows.clear();
        let _ = self.query_aabb(window, keep!(rows));
    }

    /// The rows that [`query_point`](Self::query_point) visits.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if a coordinate is NaN; `rows` is unchanged then.
    pub fn find_at_point(&self, point: [f32; 2], rows: &mut Vec<u32>) -> Result<(), ShapeError> {
        check_point(point)?;
        rows.clear();
        self.query_point(point, keep!(rows)).map(drop)
    }

    /// The rows that [`query_circle`](Self::query_circle) visits.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] for a NaN or a negative radius; `rows` is unchanged then.
    pub fn find_in_circle(
        &self,
        center: [f32; 2],
        radius: f32,
        rows: &mut Vec<u32>,
    ) -> Result<(), ShapeError> {
        check_point(center)?;
        check_reach(radius)?;
        rows.clear();
        self.query_circle(center, radius, keep!(rows)).map(drop)
    }

    /// The rows that [`query_ray`](Self::query_ray) visits.
    pub fn find_on_ray(&self, ray: &RayCast, rows: &mut Vec<u32>) {
        rows.clear();
        let mut keep = keep!(rows);
        let _ = self.query_ray(ray, |hit| keep(hit.row, hit.aabb));
    }

    /// The rows that [`query_polygon`](Self::query_polygon) visits.
    pub fn find_in_polygon(&self, polygon: &ConvexPolygon, rows: &mut Vec<u32>) {
        rows.clear();
        let _ = self.query_polygon(polygon, keep!(rows));
    }
}
