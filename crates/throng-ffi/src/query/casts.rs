//! What a straight path touches.

use std::cell::Cell;
use std::ffi::c_void;

use throng::{BoxCast, Cast, CastHit, CircleCast, RayCast};

use crate::pointers::{Buffer, Out, callback};
use crate::query::filter::{ask, throng_query_filter};
use crate::query::hits::throng_cast_hit;
use crate::query::scratch::tell_hits;
use crate::refusals::Outcome;
use crate::shapes::{no_such, throng_aabb, throng_point};
use crate::status::throng_status;
use crate::world::throng_world;

thread_local! {
    static HITS: Cell<Vec<CastHit>> = const { Cell::new(Vec::new()) };
}

/// A straight path. `throng_ray`, `throng_moving_box` and `throng_moving_circle` in the header make them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_cast {
    /// For a ray, its start, in `min`; for a moving box, the box at its start; for a moving circle, its center at the start, in `min`.
    pub begin: throng_aabb,
    /// For a ray, its end; for a moving box or circle, how far it moves.
    pub way: throng_point,
    /// For a moving circle, its radius.
    pub radius: f32,
    /// A `throng_cast_kind`.
    pub kind: u32,
}

/// What moves along a path.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum throng_cast_kind {
    /// A point.
    Ray = 0,
    /// A box.
    Box = 1,
    /// A circle.
    Circle = 2,
}

/// Tells after which fraction of the path the engine's own shape of a proxy is touched: from 0 to 1, or anything else for one
/// that is missed. It gets the hit of the shape's box. It must return, and change nothing.
pub type throng_shape =
    Option<unsafe extern "C" fn(user: *mut c_void, hit: *const throng_cast_hit) -> f32>;

impl throng_cast {
    pub(crate) fn checked(&self) -> Outcome<Cast> {
        const RAY: u32 = throng_cast_kind::Ray as u32;
        const BOX: u32 = throng_cast_kind::Box as u32;
        const CIRCLE: u32 = throng_cast_kind::Circle as u32;
        match self.kind {
            RAY => Ok(RayCast::from_to(self.begin.min, self.way)?.into()),
            BOX => Ok(BoxCast::new(self.begin.checked()?, self.way)?.into()),
            CIRCLE => Ok(CircleCast::new(self.begin.min, self.radius, self.way)?.into()),
            other => Err(no_such("kind of cast", other)),
        }
    }
}

/// The callback of an engine as a closure.
fn asks(shape: throng_shape, user: *mut c_void) -> Outcome<impl FnMut(&CastHit) -> Option<f32>> {
    let shape = callback(shape, "shape")?;
    Ok(move |hit: &CastHit| {
        let hit = throng_cast_hit::from(hit);
        // SAFETY: it is called as `throng_shape` says.
        let fraction = unsafe { shape(user, &hit) };
        (0.0..=1.0).contains(&fraction).then_some(fraction)
    })
}

/// What a path touches first. `found` tells whether it touches anything; if not, `hit` is left as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_cast_first(
    world: *const throng_world,
    filter: *const throng_query_filter,
    cast: throng_cast,
    hit: *mut throng_cast_hit,
    found: *mut bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        ask(world, filter, |_, queries| {
            let places = (Out::new(hit, "hit")?, Out::new(found, "found")?);
            tell_first(places, queries.cast_first(cast.checked()?)?);
            Ok(())
        })
    }
}

/// What a path touches first if the engine's own shapes are asked, not only their boxes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_cast_first_by(
    world: *const throng_world,
    filter: *const throng_query_filter,
    cast: throng_cast,
    shape: throng_shape,
    user: *mut c_void,
    hit: *mut throng_cast_hit,
    found: *mut bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        ask(world, filter, |_, queries| {
            let places = (Out::new(hit, "hit")?, Out::new(found, "found")?);
            let first = queries.cast_first_by(cast.checked()?, asks(shape, user)?)?;
            tell_first(places, first);
            Ok(())
        })
    }
}

fn tell_first((place, found): (Out<'_, throng_cast_hit>, Out<'_, bool>), first: Option<CastHit>) {
    found.write(first.is_some());
    if let Some(hit) = &first {
        place.write(hit.into());
    }
}

/// Everything that a path touches, in order along it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_cast_all(
    world: *const throng_world,
    filter: *const throng_query_filter,
    cast: throng_cast,
    hits: *mut throng_cast_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        ask(world, filter, |_, queries| {
            let (buffer, cast) = (Buffer::new(hits, capacity, count, "hits")?, cast.checked()?);
            tell_hits(&HITS, buffer, |hits| Ok(queries.cast_all(cast, hits)?))
        })
    }
}

/// Everything that a path touches if the engine's own shapes are asked, in order along it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_cast_all_by(
    world: *const throng_world,
    filter: *const throng_query_filter,
    cast: throng_cast,
    shape: throng_shape,
    user: *mut c_void,
    hits: *mut throng_cast_hit,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        ask(world, filter, |_, queries| {
            let (buffer, cast) = (Buffer::new(hits, capacity, count, "hits")?, cast.checked()?);
            let shape = asks(shape, user)?;
            tell_hits(&HITS, buffer, |hits| {
                Ok(queries.cast_all_by(cast, hits, shape)?)
            })
        })
    }
}
