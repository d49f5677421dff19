//! Whole columns of centers, in and out.

use throng::{CategoryId, CentersMut, Fill};

use crate::pointers::{Out, many, tell_if_wanted};
use crate::refusals::Outcome;
use crate::shapes::throng_point;
use crate::status::throng_status;
use crate::strided::{StridedPoints, check_one_each};
use crate::world::{change, read, throng_world};

/// What is in `first_rejected` if no row was turned away.
pub const THRONG_NO_ROW: u32 = u32::MAX;

/// What filling a column did.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_fill {
    /// Rows that keep what they have because what was given is not finite. If these are centers, they are in the report of the
    /// next step.
    pub rejected: usize,
    /// The first of them, or `THRONG_NO_ROW`.
    pub first_rejected: u32,
}

impl From<Fill> for throng_fill {
    fn from(fill: Fill) -> Self {
        Self {
            rejected: fill.rejected,
            first_rejected: fill.first_rejected.unwrap_or(THRONG_NO_ROW),
        }
    }
}

/// Writes centers of a category, and tells what came of it.
///
/// # Safety
///
/// The pointers are as the front page asks.
unsafe fn write(
    world: *mut throng_world,
    category: u16,
    fill: *mut throng_fill,
    write: impl FnOnce(&mut CentersMut<'_>) -> Outcome<Fill>,
) -> throng_status {
    // SAFETY: as above.
    unsafe {
        change(world, |world| {
            let category = CategoryId::new(category);
            let mut centers = world.broadphase.centers_mut(category)?;
            tell_if_wanted(fill, write(&mut centers)?);
            Ok(())
        })
    }
}

/// Moves everything in a category: row `i` goes to `(xs[i], ys[i])`. `count` is that of the rows. Checks and copies, about as
/// fast as a copy. A center that is not finite is turned away, which is no error: see `fill`, which may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_fill_centers(
    world: *mut throng_world,
    category: u16,
    xs: *const f32,
    ys: *const f32,
    count: usize,
    fill: *mut throng_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, fill, |centers| {
            let (xs, ys) = (many(xs, count, "xs")?, many(ys, count, "ys")?);
            Ok(centers.fill_from(xs, ys)?)
        })
    }
}

/// The same from an array of points; from two arrays it is faster.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_fill_centers_from_points(
    world: *mut throng_world,
    category: u16,
    points: *const throng_point,
    count: usize,
    fill: *mut throng_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, fill, |centers| {
            let points = many(points, count, "points")?;
            Ok(centers.fill_from_points(points)?)
        })
    }
}

/// As `throng_fill_centers`, from structs of yours: `xs` and `ys` point to where the first has its x and its y, and there are `stride`
/// bytes from each struct to the next, so
/// `throng_fill_centers_strided(world, 0, &units[0].x, &units[0].y, sizeof units[0], count, NULL)`. Nothing else of them is read, and
/// pointers need not be aligned. It is faster than to make two arrays first, and slower than to have them. A `stride` below
/// `sizeof(float)` is refused with `THRONG_STATUS_BAD_VALUE`, and a `count` that is not that of the rows with
/// `THRONG_STATUS_LENGTH_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_fill_centers_strided(
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
        write(world, category, fill, |centers| {
            let points = StridedPoints::new([xs, ys], stride, count)?;
            check_one_each(count, centers.len(), "centers")?;
            Ok(centers.fill_with(|row| points.get(row)))
        })
    }
}

/// Moves some rows: row `rows[i]` goes to `(xs[i], ys[i])`; if a row is listed twice, to the last of these. Otherwise as
/// `throng_fill_centers`. If a row does not exist, nothing is moved. Where most rows rest, it is much cheaper to move those that
/// do than to fill the whole column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_row_centers(
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
        write(world, category, fill, |centers| {
            let (xs, ys) = (many(xs, count, "xs")?, many(ys, count, "ys")?);
            let rows = many(rows, count, "rows")?;
            Ok(centers.set_rows(rows, xs, ys)?)
        })
    }
}

/// Moves some rows, out of an array for all rows: `count` structs, one for each row of the category, of which number `rows[i]` says
/// where row `rows[i]` goes. `xs`, `ys` and `stride` are as for `throng_fill_centers_strided`; for two arrays, `stride` is
/// `sizeof(float)`. Otherwise as `throng_set_row_centers`. For an engine that knows which of its rows have moved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_row_centers_from(
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
        write(world, category, fill, |centers| {
            let rows = many(rows, row_count, "rows")?;
            let points = StridedPoints::new([xs, ys], stride, count)?;
            check_one_each(count, centers.len(), "centers")?;
            Ok(centers.set_rows_with(rows, |row| points.get(row))?)
        })
    }
}

/// Moves one row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_row_center(
    world: *mut throng_world,
    category: u16,
    row: u32,
    center: throng_point,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            let mut centers = world.broadphase.centers_mut(CategoryId::new(category))?;
            Ok(centers.set(row, center)?)
        })
    }
}

/// The centers of a category, in row order: where they are, to be read until the world is next changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_centers(
    world: *const throng_world,
    category: u16,
    xs: *mut *const f32,
    ys: *mut *const f32,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let category = world.known(category)?;
            let (x_place, y_place) = (Out::new(xs, "xs")?, Out::new(ys, "ys")?);
            let place = Out::new(count, "count")?;
            let [xs, ys] = world.broadphase.centers(category);
            x_place.write(xs.as_ptr());
            y_place.write(ys.as_ptr());
            place.write(xs.len());
            Ok(())
        })
    }
}

/// The keys of a category, in row order: where they are, to be read until the world is next changed. Null until one
/// has been set that is not 0, because then none are stored; `count` is that of the rows all the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_keys(
    world: *const throng_world,
    category: u16,
    keys: *mut *const u64,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let category = world.known(category)?;
            let (key_place, place) = (Out::new(keys, "keys")?, Out::new(count, "count")?);
            let keys = world.broadphase.keys(category);
            key_place.write(keys.map_or(std::ptr::null(), <[u64]>::as_ptr));
            place.write(world.broadphase.rows(category));
            Ok(())
        })
    }
}
