//! What queries find.

use throng::{CastHit, NearestHit, QueryHit};

use crate::shapes::{number_of, throng_aabb, throng_point};

/// A proxy that a query found.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_query_hit {
    /// Its id.
    pub id: u64,
    /// The engine's own name for it now, or 0.
    pub key: u64,
    /// Where it was when the index was built.
    pub center: throng_point,
    /// The half extents by which it was found.
    pub half_extents: throng_point,
    /// The box by which it was found.
    pub aabb: throng_aabb,
    /// The row in which it is now.
    pub row: u32,
    /// The category in which it is now.
    pub category: u16,
}

/// A proxy that a path touches.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_cast_hit {
    /// The proxy.
    pub hit: throng_query_hit,
    /// How far along the path it is first touched, from 0 at the start to 1 at the end.
    pub fraction: f32,
    /// Where it is touched.
    pub point: throng_point,
    /// The outward normal of the side of the box that is struck; zero if the path starts in the box or on its border.
    pub normal: throng_point,
}

/// A proxy near a point.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_nearest_hit {
    /// The proxy.
    pub hit: throng_query_hit,
    /// The square of the distance from the point to its box; 0 inside.
    pub distance_squared: f32,
}

impl From<&QueryHit> for throng_query_hit {
    fn from(hit: &QueryHit) -> Self {
        Self {
            id: hit.id.to_bits(),
            key: hit.key,
            center: hit.center.into(),
            half_extents: hit.half_extents.into(),
            aabb: hit.aabb.into(),
            row: hit.row,
            category: number_of(hit.category),
        }
    }
}

impl From<&CastHit> for throng_cast_hit {
    fn from(hit: &CastHit) -> Self {
        Self {
            hit: (&hit.hit).into(),
            fraction: hit.fraction,
            point: hit.point.into(),
            normal: hit.normal.into(),
        }
    }
}

impl From<&NearestHit> for throng_nearest_hit {
    fn from(hit: &NearestHit) -> Self {
        Self {
            hit: (&hit.hit).into(),
            distance_squared: hit.distance_squared,
        }
    }
}
