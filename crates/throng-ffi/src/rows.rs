//! Which proxies are in which rows.

use throng::{ProxyId, RowRef};

use crate::pointers::{Buffer, Out};
use crate::refusals::Refusal;
use crate::shapes::throng_row_ref;
use crate::status::throng_status;
use crate::world::{read, throng_world};

/// How many rows a category has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_rows(
    world: *const throng_world,
    category: u16,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let category = world.known(category)?;
            Out::new(count, "count")?.write(world.broadphase.rows(category));
            Ok(())
        })
    }
}

/// How many proxies there are, including disabled ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_len(
    world: *const throng_world,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            Out::new(count, "count")?.write(world.broadphase.len());
            Ok(())
        })
    }
}

/// The proxies of a category, in row order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_proxies(
    world: *const throng_world,
    category: u16,
    ids: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let category = world.known(category)?;
            let buffer = Buffer::new(ids, capacity, count, "ids")?;
            buffer.fill(world.broadphase.proxies(category).map(ProxyId::to_bits))
        })
    }
}

/// The proxy in a row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_proxy_at(
    world: *const throng_world,
    category: u16,
    row: u32,
    id: *mut u64,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let (category, place) = (world.known(category)?, Out::new(id, "id")?);
            let found = world.broadphase.proxy_at(RowRef { category, row });
            let found = found.ok_or_else(|| {
                let rows = world.broadphase.rows(category);
                let message = format!("row {row} is not one of the {rows} rows there are");
                Refusal::new(throng_status::NoSuchRow, message)
            })?;
            place.write(found.to_bits());
            Ok(())
        })
    }
}

/// Where a proxy is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_locate(
    world: *const throng_world,
    id: u64,
    place: *mut throng_row_ref,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let place = Out::new(place, "place")?;
            let id = ProxyId::from_bits(id);
            let found = world.broadphase.locate(id);
            place.write(found.ok_or_else(|| world.gone(id))?.into());
            Ok(())
        })
    }
}
