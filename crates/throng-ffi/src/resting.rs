//! Who rests, and which pairs are left out because both do.

use throng::{ProxyId, RestingPair};

use crate::batch::THRONG_NO_SLOT;
use crate::insert::Refused;
use crate::pointers::{Buffer, Out, many};
use crate::shapes::number_of;
use crate::status::throng_status;
use crate::world::{change, read, throng_world};

/// Two proxies that rest and whose boxes overlap.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct throng_resting_pair {
    /// Both proxies: the lower category first, or within a category the one whose row was the lower when they came to rest.
    pub ids: [u64; 2],
    /// The category of each.
    pub categories: [u16; 2],
}

impl From<&RestingPair> for throng_resting_pair {
    fn from(pair: &RestingPair) -> Self {
        Self {
            ids: pair.ids.map(ProxyId::to_bits),
            categories: pair.categories.map(number_of),
        }
    }
}

/// Puts a proxy to rest, or wakes it. One that is told to rest takes part in one more step, in which its pairs are found, and
/// rests from the step after that on, unless it is moved in between or told otherwise. One that rests has no margin. One that
/// is woken counts as if it had moved.
/// `THRONG_STATUS_NEVER_RESTS` if nothing in its category comes to rest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_resting(
    world: *mut throng_world,
    id: u64,
    resting: bool,
) -> throng_status {
    // SAFETY: the pointer is as the front page asks.
    unsafe {
        change(world, |world| {
            Ok(world
                .broadphase
                .set_resting(ProxyId::from_bits(id), resting)?)
        })
    }
}

/// Puts many proxies to rest, or wakes them, such as those of an island: each as `throng_set_resting` does. One that is refused does not
/// stop the others: `THRONG_STATUS_SOME_REFUSED`, and the message is that of the first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_set_resting_batch(
    world: *mut throng_world,
    ids: *const u64,
    count: usize,
    resting: bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        change(world, |world| {
            Refused::of_each(many(ids, count, "ids")?, |_, id| {
                Ok(world.broadphase.set_resting(id, resting)?)
            })
        })
    }
}

/// The enabled rows of a category that do not rest, ascending: those that an engine goes on moving. As of the last step or refresh,
/// and new rows count as awake. A category that never rests gives all its enabled rows, and scenery none. Cheaper than
/// `throng_is_resting` for each by far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_awake_rows(
    world: *const throng_world,
    category: u16,
    rows: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let category = world.known(category)?;
            let buffer = Buffer::new(rows, capacity, count, "rows")?;
            buffer.fill(world.broadphase.awake_rows(category))
        })
    }
}

/// Whether a proxy rests, as of the last step or refresh. Scenery always does, and disabled proxies never.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_is_resting(
    world: *const throng_world,
    id: u64,
    resting: *mut bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let place = Out::new(resting, "resting")?;
            place.write(world.broadphase.is_resting(ProxyId::from_bits(id))?);
            Ok(())
        })
    }
}

/// Whether a proxy comes to rest with the next step, if nothing disturbs it before: it was told to, or has not moved for long
/// enough. One that is disabled and was told to rest goes on settling until it has been enabled and taken part in a step. Who saves a
/// world writes down who is resting or settling, and tells those to rest when it is loaded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_is_settling(
    world: *const throng_world,
    id: u64,
    settling: *mut bool,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let place = Out::new(settling, "settling")?;
            place.write(world.broadphase.is_settling(ProxyId::from_bits(id))?);
            Ok(())
        })
    }
}

/// The pairs of two that rest, as of the last step or refresh: neither a callback nor a list of pairs has them. In no particular
/// order, but the same on any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_resting_pairs(
    world: *const throng_world,
    pairs: *mut throng_resting_pair,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let buffer = Buffer::new(pairs, capacity, count, "pairs")?;
            buffer.fill(world.broadphase.resting_pairs().iter().map(Into::into))
        })
    }
}

/// The slot of a pair of two that rest, given either way round: for whoever saves what is kept by slot, or reads it, as no callback
/// has such a pair. `THRONG_NO_SLOT` for all other pairs, for pairs without events, and where slots are off. As of the last step or
/// refresh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_resting_pair_slot(
    world: *const throng_world,
    a: u64,
    b: u64,
    slot: *mut u32,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let place = Out::new(slot, "slot")?;
            let ids = [a, b].map(ProxyId::from_bits);
            let found = world.broadphase.resting_pair_slot(ids);
            place.write(found.unwrap_or(THRONG_NO_SLOT));
            Ok(())
        })
    }
}

/// Those that woke with the last step, for whatever reason: they rested as of the step before, are still in the world, and rest no
/// more. In the order of categories and rows. A refresh wakes as well, and changes nothing here: the next step tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_woken(
    world: *const throng_world,
    ids: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let buffer = Buffer::new(ids, capacity, count, "ids")?;
            buffer.fill(world.broadphase.woken().map(ProxyId::to_bits))
        })
    }
}

/// Those that came to rest with the last step: they rest, and did not as of the step before. In the order of categories and rows.
/// What becomes scenery is not among them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_came_to_rest(
    world: *const throng_world,
    ids: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let buffer = Buffer::new(ids, capacity, count, "ids")?;
            buffer.fill(world.broadphase.came_to_rest().map(ProxyId::to_bits))
        })
    }
}
