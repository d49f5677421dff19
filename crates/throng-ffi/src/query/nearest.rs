//! The nearest few.

use std::cell::Cell;

use throng::NearestHit;

use crate::pointers::Buffer;
use crate::query::filter::{ask, throng_query_filter};
use crate::query::hits::throng_nearest_hit;
use crate::query::scratch::with_kept;
use crate::shapes::throng_point;
use crate::status::throng_status;
use crate::world::throng_world;

thread_local! {
    static HITS: Cell<Vec<NearestHit>> = const { Cell::new(Vec::new()) };
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
            with_kept(&HITS, |nearest| {
                queries.find_nearest(point, most, max_distance, nearest)?;
                buffer.fill(nearest.iter().map(throng_nearest_hit::from))
            })
        })
    }
}
