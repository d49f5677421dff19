//! The nearest few.

use std::cell::Cell;
use std::ffi::c_void;

use throng::NearestHit;

use crate::pointers::{Buffer, callback};
use crate::query::filter::{ask, throng_query_filter};
use crate::query::hits::throng_nearest_hit;
use crate::query::scratch::tell_hits;
use crate::refusals::Outcome;
use crate::shapes::throng_point;
use crate::status::throng_status;
use crate::world::throng_world;

thread_local! {
    static HITS: Cell<Vec<NearestHit>> = const { Cell::new(Vec::new()) };
}

/// Tells the distance from the point to the engine's own shape of a proxy, not its square: 0 if the point is in it, and less than 0 or NaN
/// if it is to be ignored. It gets the hit of the shape's box. It must return, and change nothing.
pub type throng_near_shape =
    Option<unsafe extern "C" fn(user: *mut c_void, near: *const throng_nearest_hit) -> f32>;

/// The callback of an engine as a closure.
fn asks(
    shape: throng_near_shape,
    user: *mut c_void,
) -> Outcome<impl FnMut(&NearestHit) -> Option<f32>> {
    let shape = callback(shape, "shape")?;
    Ok(move |near: &NearestHit| {
        let near = throng_nearest_hit::from(near);
        // SAFETY: it is called as `throng_near_shape` says.
        let distance = unsafe { shape(user, &near) };
        (distance >= 0.0).then_some(distance)
    })
}

/// The `k` proxies whose boxes are nearest to a point and no farther than `max_distance`, nearest first. There has to be room
/// for `k` hits; `count` tells how many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_nearest(
    world: *const throng_world,
    filter: *const throng_query_filter,
    point: throng_point,
    max_distance: f32,
    hits: *mut throng_nearest_hit,
    k: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        ask(world, filter, |world, queries| {
            let buffer = Buffer::new(hits, k, count, "hits")?;
            let most = k.min(world.broadphase.len());
            tell_hits(&HITS, buffer, |nearest| {
                Ok(queries.find_nearest(point, most, max_distance, nearest)?)
            })
        })
    }
}

/// The `k` proxies whose shapes, not only their boxes, are nearest to a point and no farther than `max_distance`, nearest first. A shape
/// is taken to lie within its box: if its distance is less than that of the box, the box's counts. In the hits, `distance_squared` is that
/// of the shape. Shapes are asked in the order of their boxes, roughly the nearest first, and none whose box is farther away than the
/// `k`-th nearest shape so far. There has to be room for `k` hits; `count` tells how many there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_find_nearest_by(
    world: *const throng_world,
    filter: *const throng_query_filter,
    point: throng_point,
    max_distance: f32,
    shape: throng_near_shape,
    user: *mut c_void,
    hits: *mut throng_nearest_hit,
    k: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        ask(world, filter, |world, queries| {
            let buffer = Buffer::new(hits, k, count, "hits")?;
            let most = k.min(world.broadphase.len());
            let shape = asks(shape, user)?;
            tell_hits(&HITS, buffer, |nearest| {
                Ok(queries.find_nearest_by(point, most, max_distance, nearest, shape)?)
            })
        })
    }
}
