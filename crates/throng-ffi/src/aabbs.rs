//! Whole columns of boxes, for things that turn, grow or shrink.

use throng::{AabbFill, AabbsMut, CategoryId, Migration, ProxyError, ProxyId};

use crate::insert::Refused;
use crate::pointers::{many, tell_if_wanted};
use crate::refusals::Outcome;
use crate::shapes::{THRONG_NO_PROXY, throng_aabb, throng_point, throng_row_ref};
use crate::status::throng_status;
use crate::strided::{Strided, check_one_each};
use crate::world::{State, change, throng_world};

/// How a proxy went to another category.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_migration {
    /// The proxy.
    pub id: u64,
    /// The proxy that was in the last row there and is now in the row of `from`; `THRONG_NO_PROXY` if there is none.
    pub swapped_in: u64,
    /// Where it was.
    pub from: throng_row_ref,
    /// Where it is now: the last row of its category.
    pub to: throng_row_ref,
}

impl From<Migration> for throng_migration {
    fn from(migration: Migration) -> Self {
        Self {
            id: migration.id.to_bits(),
            swapped_in: migration
                .swapped_in
                .map_or(THRONG_NO_PROXY, ProxyId::to_bits),
            from: migration.from.into(),
            to: migration.to.into(),
        }
    }
}

/// What a write of boxes did to the rows. It is told if the status is `THRONG_STATUS_OK` or `THRONG_STATUS_SOME_REFUSED`. Both lists are
/// there until the next write of boxes, `throng_shrink_to_fit`, or the end of the world.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_aabb_fill {
    /// Those that went to another category, in the order in which they did: apply them one after the other.
    pub migrated: *const throng_migration,
    /// How many they are.
    pub migrated_count: usize,
    /// Those whose box was refused: the row that each was in before any migrated; after `throng_set_aabbs`, its place among those given.
    pub refused: *const u32,
    /// How many they are.
    pub refused_count: usize,
}

/// What the last write of boxes did.
#[derive(Default)]
pub(crate) struct KeptFill {
    migrated: Vec<throng_migration>,
    refused: Vec<u32>,
}

impl KeptFill {
    fn told(&self) -> throng_aabb_fill {
        throng_aabb_fill {
            migrated: self.migrated.as_ptr(),
            migrated_count: self.migrated.len(),
            refused: self.refused.as_ptr(),
            refused_count: self.refused.len(),
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let migrated = self.migrated.capacity() * size_of::<throng_migration>();
        migrated + self.refused.capacity() * size_of::<u32>()
    }

    /// Nobody has to have read them: it says what the last write did, and no more.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Writes boxes of a category, of which there are `count`.
///
/// # Safety
///
/// The pointers are as the front page asks.
unsafe fn write(
    world: *mut throng_world,
    category: u16,
    count: usize,
    fill: *mut throng_aabb_fill,
    write: impl FnOnce(AabbsMut<'_>) -> Outcome<AabbFill>,
) -> throng_status {
    // SAFETY: as above.
    unsafe {
        change(world, |world| {
            let boxes = world.broadphase.aabbs_mut(CategoryId::new(category))?;
            let written = write(boxes)?;
            let refused = written.refused.into_iter();
            let refused = refused.map(|(row, problem)| (row as usize, problem));
            world.told(written.migrated, refused, (count, "row"), fill)
        })
    }
}

impl State {
    /// Keeps what a write of boxes did, and tells it; `what` is the number by which those that are refused are told.
    ///
    /// # Safety
    ///
    /// The pointer is as the front page asks.
    unsafe fn told(
        &mut self,
        migrated: Vec<Migration>,
        refused: impl IntoIterator<Item = (usize, ProxyError)>,
        (count, what): (usize, &str),
        fill: *mut throng_aabb_fill,
    ) -> Outcome {
        let kept = &mut self.aabb_fill;
        kept.migrated.clear();
        kept.migrated
            .extend(migrated.into_iter().map(throng_migration::from));
        kept.refused.clear();
        let mut all_refused = Refused::default();
        for (place, problem) in refused {
            kept.refused.push(place as u32);
            all_refused.add(place, problem.into());
        }
        // SAFETY: as above.
        unsafe { tell_if_wanted(fill, kept.told()) };
        all_refused.finish_as(what, count)
    }
}

/// Gives everything in a category another box: row `i` gets `aabbs[i]`. `count` is that of the rows. Does what a `throng_set_aabb` of
/// each would, first of those that stay in the category, then of the others, at a fraction of the cost: a box that does not fit any
/// more goes to another category. Those that are refused keep the box they had, and all others are written; then the status is
/// `THRONG_STATUS_SOME_REFUSED`. `fill` may be null.
///
/// Where no size changes, `throng_fill_centers` is faster.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_fill_aabbs(
    world: *mut throng_world,
    category: u16,
    aabbs: *const throng_aabb,
    count: usize,
    fill: *mut throng_aabb_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, count, fill, |mut boxes| {
            Ok(boxes.fill_from(many(aabbs, count, "aabbs")?)?)
        })
    }
}

/// As `throng_fill_aabbs`, from structs of yours: `aabbs` points to where the first has its box, and there are `stride` bytes from each
/// struct to the next. Nothing else of them is read, and the pointer need not be aligned. Boxes may be of another type with the same
/// four floats in the same order. A `stride` below the size of a box is refused with `THRONG_STATUS_BAD_VALUE`, and a `count` that is
/// not that of the rows with `THRONG_STATUS_LENGTH_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_fill_aabbs_strided(
    world: *mut throng_world,
    category: u16,
    aabbs: *const throng_aabb,
    stride: usize,
    count: usize,
    fill: *mut throng_aabb_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, count, fill, |mut boxes| {
            let aabbs = Strided::new(aabbs, stride, count, "aabbs")?;
            check_one_each(count, boxes.len(), "boxes")?;
            Ok(boxes.fill_with(|row| aabbs.get(row).try_into()))
        })
    }
}

/// As `throng_fill_aabbs`, from centers and half extents, both of which are kept as they are: row `i` gets the box around
/// `centers[i]` that reaches as far as `half_extents[i]`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_fill_aabbs_from_centers(
    world: *mut throng_world,
    category: u16,
    centers: *const throng_point,
    half_extents: *const throng_point,
    count: usize,
    fill: *mut throng_aabb_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, count, fill, |mut boxes| {
            let centers = many(centers, count, "centers")?;
            let half_extents = many(half_extents, count, "half_extents")?;
            Ok(boxes.fill_from_centers(centers, half_extents)?)
        })
    }
}

/// Gives many proxies another box, in order; `refused` lists the places, among those given, of proxies that keep the box they had.
/// Otherwise as `throng_fill_aabbs`. For an engine that has boxes by id; one that has them in the order of rows fills columns, which is
/// several times faster.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_aabbs(
    world: *mut throng_world,
    ids: *const u64,
    aabbs: *const throng_aabb,
    count: usize,
    fill: *mut throng_aabb_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let (ids, aabbs) = (many(ids, count, "ids")?, many(aabbs, count, "aabbs")?);
            let ids = ids.iter().map(|&id| ProxyId::from_bits(id));
            let set = world.broadphase.set_aabbs(ids.zip(aabbs.iter().copied()));
            world.told(set.migrated, set.refused, (count, "number"), fill)
        })
    }
}

/// Gives some rows another box: row `rows[i]` gets `aabbs[i]`; if a row is listed twice, its boxes are set one after the other. Otherwise
/// as `throng_fill_aabbs`. If a row does not exist, nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_row_aabbs(
    world: *mut throng_world,
    category: u16,
    rows: *const u32,
    aabbs: *const throng_aabb,
    count: usize,
    fill: *mut throng_aabb_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, count, fill, |mut boxes| {
            let aabbs = many(aabbs, count, "aabbs")?;
            Ok(boxes.set_rows(many(rows, count, "rows")?, aabbs)?)
        })
    }
}

/// Gives some rows another box, out of an array for all rows: `count` structs, one for each row of the category, of which number
/// `rows[i]` has the box of row `rows[i]`. `aabbs` and `stride` are as for `throng_fill_aabbs_strided`; for an array of boxes, `stride`
/// is `sizeof(throng_aabb)`. Otherwise as `throng_set_row_aabbs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_row_aabbs_from(
    world: *mut throng_world,
    category: u16,
    rows: *const u32,
    row_count: usize,
    aabbs: *const throng_aabb,
    stride: usize,
    count: usize,
    fill: *mut throng_aabb_fill,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        write(world, category, row_count, fill, |mut boxes| {
            let rows = many(rows, row_count, "rows")?;
            let aabbs = Strided::new(aabbs, stride, count, "aabbs")?;
            check_one_each(count, boxes.len(), "boxes")?;
            Ok(boxes.set_rows_with(rows, |row| aabbs.get(row).try_into())?)
        })
    }
}
