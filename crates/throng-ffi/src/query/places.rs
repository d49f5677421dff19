//! What is at a point, in a box, in a circle, in a polygon; and what makes a pair with a proxy.

use std::ops::ControlFlow;

use throng::{Circle, ConvexPolygon, ProxyId, Queries, QueryHit};

use crate::pointers::{Buffer, many};
use crate::query::filter::{ask, throng_query_filter};
use crate::query::hits::throng_query_hit;
use crate::refusals::{Outcome, Refusal};
use crate::shapes::{throng_aabb, throng_point};
use crate::status::throng_status;
use crate::world::throng_world;

/// A disc, border included.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_circle {
    /// Its center.
    pub center: throng_point,
    /// Not negative; may be infinite.
    pub radius: f32,
}

impl From<throng_circle> for Circle {
    fn from(circle: throng_circle) -> Self {
        Self {
            center: circle.center.into(),
            radius: circle.radius,
        }
    }
}

/// A visitor that writes hits to a buffer.
fn write_to<'b>(
    buffer: &'b mut Buffer<'_, throng_query_hit>,
) -> impl FnMut(QueryHit) -> ControlFlow<()> + 'b {
    |hit| {
        buffer.push((&hit).into());
        ControlFlow::Continue(())
    }
}

/// Asks a question whose hits go to a buffer.
///
/// # Safety
///
/// Pointers are as the front page asks.
unsafe fn find(
    world: *const throng_world,
    filter: *const throng_query_filter,
    (hits, capacity, count): (*mut throng_query_hit, usize, *mut usize),
    question: impl FnOnce(Queries<'_>, &mut Buffer<'_, throng_query_hit>) -> Outcome,
) -> throng_status {
    // SAFETY: as above.
    unsafe {
        ask(world, filter, |_, queries| {
            let mut buffer = Buffer::new(hits, capacity, count, "hits")?;
            question(queries, &mut buffer)?;
            buffer.finish()
        })
    }
}

/// All whose boxes hold a point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_at_point(
    world: *const throng_world,
    filter: *const throng_query_filter,
    point: throng_point,
    hits: *mut throng_query_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        find(world, filter, (hits, capacity, count), |queries, buffer| {
            let _ = queries.query_point(point, write_to(buffer))?;
            Ok(())
        })
    }
}

/// All whose boxes touch a box.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_in_aabb(
    world: *const throng_world,
    filter: *const throng_query_filter,
    aabb: throng_aabb,
    hits: *mut throng_query_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        find(world, filter, (hits, capacity, count), |queries, buffer| {
            let _ = queries.query_aabb(&aabb.checked()?, write_to(buffer))?;
            Ok(())
        })
    }
}

/// All whose boxes touch a circle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_in_circle(
    world: *const throng_world,
    filter: *const throng_query_filter,
    circle: throng_circle,
    hits: *mut throng_query_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        find(world, filter, (hits, capacity, count), |queries, buffer| {
            let Circle { center, radius } = circle.into();
            let _ = queries.query_circle(center, radius, write_to(buffer))?;
            Ok(())
        })
    }
}

/// All whose boxes touch a convex polygon, given by its corners in order, either way round.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_in_polygon(
    world: *const throng_world,
    filter: *const throng_query_filter,
    corners: *const throng_point,
    corner_count: usize,
    hits: *mut throng_query_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        find(world, filter, (hits, capacity, count), |queries, buffer| {
            let polygon = polygon_of(many(corners, corner_count, "corners")?)?;
            let _ = queries.query_polygon(&polygon, write_to(buffer))?;
            Ok(())
        })
    }
}

/// All that make a pair with a proxy: what is inside a sensor, or what touches a unit. Masks, owners and excluded pairs count. Right after
/// a step these are all its pairs, those of two that rest, those with a sensor and those that `max_pairs` cut off included. Predicted
/// pairs are not among them. A disabled proxy has no partners. If the proxy has moved or was inserted since, its box of now is used; the
/// others are found where they were, if they pass the filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_partners(
    world: *const throng_world,
    filter: *const throng_query_filter,
    id: u64,
    hits: *mut throng_query_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        find(world, filter, (hits, capacity, count), |queries, buffer| {
            let _ = queries.query_partners(ProxyId::from_bits(id), write_to(buffer))?;
            Ok(())
        })
    }
}

fn polygon_of(corners: &[throng_point]) -> Outcome<ConvexPolygon> {
    let corners: Vec<[f32; 2]> = corners.iter().map(|&corner| corner.into()).collect();
    ConvexPolygon::new(&corners)
        .map_err(|error| Refusal::new(throng_status::BadShape, error.to_string()))
}
