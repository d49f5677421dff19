//! Changes to proxies, to one or to many at a time.

use throng::{Broadphase, CategoryId, Placement, ProxyId};

use crate::insert::Refused;
use crate::pointers::{many, tell_if_wanted};
use crate::refusals::Refusal;
use crate::shapes::{THRONG_NO_PROXY, throng_aabb, throng_masks, throng_point, throng_row_ref};
use crate::status::throng_status;
use crate::world::{change, throng_world};

/// What a change did to the rows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_placement {
    /// Whether the proxy is in another category now. If not, it is in the row in which it was, and all else is zero.
    pub migrated: bool,
    /// Where it was.
    pub from: throng_row_ref,
    /// Where it is now: the last row of its category.
    pub to: throng_row_ref,
    /// The proxy that was in the last row there and is now in the row of `from`; `THRONG_NO_PROXY` if there is none.
    pub swapped_in: u64,
}

impl From<Placement> for throng_placement {
    fn from(placement: Placement) -> Self {
        const NOWHERE: throng_row_ref = throng_row_ref {
            row: 0,
            category: 0,
        };
        match placement {
            Placement::Stayed => Self {
                migrated: false,
                from: NOWHERE,
                to: NOWHERE,
                swapped_in: 0,
            },
            Placement::Migrated(migration) => Self {
                migrated: true,
                from: migration.from.into(),
                to: migration.to.into(),
                swapped_in: migration
                    .swapped_in
                    .map_or(THRONG_NO_PROXY, ProxyId::to_bits),
            },
        }
    }
}

/// Moves a proxy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_center(
    world: *mut throng_world,
    id: u64,
    center: throng_point,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            Ok(world
                .broadphase
                .set_center(ProxyId::from_bits(id), center)?)
        })
    }
}

/// Moves many proxies, in order. One that is refused does not stop the others: `THRONG_STATUS_SOME_REFUSED`. To move everything
/// in a category, `throng_fill_centers` is several times faster.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_centers(
    world: *mut throng_world,
    ids: *const u64,
    centers: *const throng_point,
    count: usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        set_many(
            world,
            ids,
            (centers, "centers"),
            count,
            |world, id, center| Ok(world.set_center(id, center)?),
        )
    }
}

/// Sets something of many proxies, in order; `name` is what the caller calls their values.
///
/// # Safety
///
/// Pointers are as the front page asks.
unsafe fn set_many<T: Copy>(
    world: *mut throng_world,
    ids: *const u64,
    (values, name): (*const T, &'static str),
    count: usize,
    set: impl Fn(&mut Broadphase, ProxyId, T) -> Result<(), Refusal>,
) -> throng_status {
    // SAFETY: as above.
    unsafe {
        change(world, |world| {
            let (ids, values) = (many(ids, count, "ids")?, many(values, count, name)?);
            Refused::of_each(ids, |index, id| {
                set(&mut world.broadphase, id, values[index])
            })
        })
    }
}

/// Gives a proxy another box, which may take it to another category. `placement` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_aabb(
    world: *mut throng_world,
    id: u64,
    aabb: throng_aabb,
    placement: *mut throng_placement,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let aabb = aabb.checked()?;
            let placed = world.broadphase.set_aabb(ProxyId::from_bits(id), aabb)?;
            tell_if_wanted(placement, placed);
            Ok(())
        })
    }
}

/// Puts a proxy into a category, in which it stays. `placement` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_category(
    world: *mut throng_world,
    id: u64,
    category: u16,
    placement: *mut throng_placement,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let (id, category) = (ProxyId::from_bits(id), CategoryId::new(category));
            tell_if_wanted(
                placement,
                world.broadphase.set_category(id, Some(category))?,
            );
            Ok(())
        })
    }
}

/// Lets the size of a proxy decide in which category it is, now and from now on. `placement` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_category_by_size(
    world: *mut throng_world,
    id: u64,
    placement: *mut throng_placement,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let id = ProxyId::from_bits(id);
            tell_if_wanted(placement, world.broadphase.set_category(id, None)?);
            Ok(())
        })
    }
}

/// Takes a proxy out of pairs and queries, or back in, from the next step or refresh on. One that is taken out is not found
/// by queries any more even before that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_enabled(
    world: *mut throng_world,
    id: u64,
    enabled: bool,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            Ok(world
                .broadphase
                .set_enabled(ProxyId::from_bits(id), enabled)?)
        })
    }
}

/// Gives a proxy other masks. They count in the pairs of steps from the next one on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_masks(
    world: *mut throng_world,
    id: u64,
    masks: throng_masks,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            let masks = masks.checked()?;
            Ok(world.broadphase.set_masks(ProxyId::from_bits(id), masks)?)
        })
    }
}

/// Gives many proxies other masks: `ids[i]` gets `masks[i]`; if an id is there twice, the last counts. They count as those
/// of `throng_set_masks` do. One that is refused does not stop the others: `THRONG_STATUS_SOME_REFUSED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_masks_batch(
    world: *mut throng_world,
    ids: *const u64,
    masks: *const throng_masks,
    count: usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        set_many(world, ids, (masks, "masks"), count, |world, id, masks| {
            Ok(world.set_masks(id, masks.checked()?)?)
        })
    }
}

/// Gives a proxy to another owner; 0 for nobody.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_owner(
    world: *mut throng_world,
    id: u64,
    owner: u64,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            Ok(world.broadphase.set_owner(ProxyId::from_bits(id), owner)?)
        })
    }
}

/// Gives a proxy another key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_key(
    world: *mut throng_world,
    id: u64,
    key: u64,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            Ok(world.broadphase.set_key(ProxyId::from_bits(id), key)?)
        })
    }
}

/// Gives many proxies other keys: `ids[i]` gets `keys[i]`; if an id is there twice, the last counts. By id, where `throng_keys` reads
/// by row. One that is refused does not stop the others: `THRONG_STATUS_SOME_REFUSED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_keys(
    world: *mut throng_world,
    ids: *const u64,
    keys: *const u64,
    count: usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        set_many(world, ids, (keys, "keys"), count, |world, id, key| {
            Ok(world.set_key(id, key)?)
        })
    }
}

/// Makes two proxies never meet. `changed`, which may be null, tells whether they could before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_exclude_pair(
    world: *mut throng_world,
    a: u64,
    b: u64,
    changed: *mut bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let [a, b] = [a, b].map(ProxyId::from_bits);
            let is_new = world.broadphase.exclude_pair(a, b)?;
            tell_if_wanted(changed, is_new);
            Ok(())
        })
    }
}

/// Lets two proxies meet again. `changed`, which may be null, tells whether they were excluded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_include_pair(
    world: *mut throng_world,
    a: u64,
    b: u64,
    changed: *mut bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            let [a, b] = [a, b].map(ProxyId::from_bits);
            let was_excluded = world.broadphase.include_pair(a, b)?;
            tell_if_wanted(changed, was_excluded);
            Ok(())
        })
    }
}

/// Makes room for so many more proxies in a category, so that inserting them allocates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_reserve(
    world: *mut throng_world,
    category: u16,
    additional: usize,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            let category = CategoryId::new(category);
            let reserved = world.broadphase.reserve(category, additional);
            reserved.map_err(Refusal::from)
        })
    }
}
