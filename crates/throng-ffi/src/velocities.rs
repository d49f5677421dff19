//! How far each proxy is expected to move until the next step, so that pairs on its way are predicted.

use throng::{CategoryId, Fill, ProxyId, VelocitiesMut};

use crate::columns::throng_fill;
use crate::pointers::{Out, many, tell_if_wanted};
use crate::refusals::Outcome;
use crate::shapes::throng_point;
use crate::status::throng_status;
use crate::strided::{StridedPoints, check_one_each};
use crate::world::{change, read, throng_world};

/// Says how far a proxy is expected to move from one step to the next, as a length and not as a length per second: its velocity
/// times the time of a step. It stays until it is set again, moves nothing, and wakes nobody. Pairs of which one touches the
/// other on the way, and not where they are, are predicted: they come after all others, in batches of their own.
/// `THRONG_STATUS_IS_SCENERY` for what never moves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_velocity(
    world: *mut throng_world,
    id: u64,
    velocity: throng_point,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            Ok(world
                .broadphase
                .set_velocity(ProxyId::from_bits(id), velocity)?)
        })
    }
}

/// The velocity of a proxy, as it was set; 0 if it was not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_velocity(
    world: *const throng_world,
    id: u64,
    velocity: *mut throng_point,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let place = Out::new(velocity, "velocity")?;
            let found = world.broadphase.velocity(ProxyId::from_bits(id))?;
            place.write(found.into());
            Ok(())
        })
    }
}

/// Writes velocities of a category, and tells what came of it.
///
/// # Safety
///
/// The pointers are as the front page asks.
unsafe fn write(
    world: *mut throng_world,
    category: u16,
    fill: *mut throng_fill,
    write: impl FnOnce(&mut VelocitiesMut<'_>) -> Outcome<Fill>,
) -> throng_status {
    // SAFETY: as above.
    unsafe {
        change(world, |world| {
            let category = CategoryId::new(category);
            let mut velocities = world.broadphase.velocities_mut(category)?;
            tell_if_wanted(fill, write(&mut velocities)?);
            Ok(())
        })
    }
}

/// Sets the velocities of everything in a category: that of row `i` to `(xs[i], ys[i])`. `count` is that of the rows. One that is
/// not finite is turned away, which is no error: the row keeps the one that it has. See `fill`, which may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_fill_velocities(
    world: *mut throng_world,
    category: u16,
    xs: *const f32,
    ys: *const f32,
    count: usize,
    fill: *mut throng_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, fill, |velocities| {
            let (xs, ys) = (many(xs, count, "xs")?, many(ys, count, "ys")?);
            Ok(velocities.fill_from(xs, ys)?)
        })
    }
}

/// The same from an array of points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_fill_velocities_from_points(
    world: *mut throng_world,
    category: u16,
    points: *const throng_point,
    count: usize,
    fill: *mut throng_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, fill, |velocities| {
            let points = many(points, count, "points")?;
            Ok(velocities.fill_from_points(points)?)
        })
    }
}

/// As `throng_fill_velocities`, from structs of yours: see `throng_fill_centers_strided`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_fill_velocities_strided(
    world: *mut throng_world,
    category: u16,
    xs: *const f32,
    ys: *const f32,
    stride: usize,
    count: usize,
    fill: *mut throng_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, fill, |velocities| {
            let points = StridedPoints::new([xs, ys], stride, count)?;
            check_one_each(count, velocities.len(), "velocities")?;
            Ok(velocities.fill_with(|row| points.get(row)))
        })
    }
}

/// Sets the velocities of some rows: that of row `rows[i]` to `(xs[i], ys[i])`; if a row is listed twice, to the last of these.
/// Otherwise as `throng_fill_velocities`. If a row does not exist, none is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_row_velocities(
    world: *mut throng_world,
    category: u16,
    rows: *const u32,
    xs: *const f32,
    ys: *const f32,
    count: usize,
    fill: *mut throng_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, fill, |velocities| {
            let (xs, ys) = (many(xs, count, "xs")?, many(ys, count, "ys")?);
            let rows = many(rows, count, "rows")?;
            Ok(velocities.set_rows(rows, xs, ys)?)
        })
    }
}

/// Sets the velocities of some rows, from those of all: see `throng_set_row_centers_from`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_row_velocities_from(
    world: *mut throng_world,
    category: u16,
    rows: *const u32,
    row_count: usize,
    xs: *const f32,
    ys: *const f32,
    stride: usize,
    count: usize,
    fill: *mut throng_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, fill, |velocities| {
            let rows = many(rows, row_count, "rows")?;
            let points = StridedPoints::new([xs, ys], stride, count)?;
            check_one_each(count, velocities.len(), "velocities")?;
            Ok(velocities.set_rows_with(rows, |row| points.get(row))?)
        })
    }
}
