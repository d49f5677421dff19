//! What began and what ended in the last step.
//!
//! Both are copied after each step: the library looks up ids and keys by the rows of that step, and C may change the rows before
//! it asks. (`throng_event_pairs` needs no copy.)

use throng::{PairEvent, ProxyId};

use crate::batch::THRONG_NO_SLOT;
use crate::pointers::{Buffer, Out};
use crate::shapes::number_of;
use crate::status::throng_status;
use crate::world::{State, read, throng_world};

/// A pair with events: one that began, ended, or is there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct throng_pair_event {
    /// Both proxies. Sort them before you use them as a key: an end may name them the other way round than its begin.
    pub ids: [u64; 2],
    /// Their keys; of one that was removed, the last one that it had.
    pub keys: [u64; 2],
    /// The categories in which they were in the last step that had the pair.
    pub categories: [u16; 2],
    /// The slot of the pair, or `THRONG_NO_SLOT`.
    pub slot: u32,
}

impl From<PairEvent> for throng_pair_event {
    fn from(event: PairEvent) -> Self {
        Self {
            ids: event.ids.map(ProxyId::to_bits),
            keys: event.keys,
            categories: event.categories.map(number_of),
            slot: event.slot.unwrap_or(THRONG_NO_SLOT),
        }
    }
}

/// The events of the last step.
#[derive(Default)]
pub(crate) struct KeptEvents {
    began: Vec<throng_pair_event>,
    ended: Vec<throng_pair_event>,
}

impl KeptEvents {
    pub(crate) fn keep(
        &mut self,
        began: impl Iterator<Item = PairEvent>,
        ended: impl Iterator<Item = PairEvent>,
    ) {
        self.began.clear();
        self.began.extend(began.map(throng_pair_event::from));
        self.ended.clear();
        self.ended.extend(ended.map(throng_pair_event::from));
    }
}

/// # Safety
///
/// Pointers are as the front page asks.
unsafe fn tell(
    world: *const throng_world,
    events: *mut *const throng_pair_event,
    count: *mut usize,
    which: impl FnOnce(&State) -> &[throng_pair_event],
) -> throng_status {
    // SAFETY: as above.
    unsafe {
        read(world, |world| {
            let (place, count) = (Out::new(events, "events")?, Out::new(count, "count")?);
            let events = which(world);
            place.write(events.as_ptr());
            count.write(events.len());
            Ok(())
        })
    }
}

/// The pairs with events that began in the last step: where they are, to be read until the next one. They come in the
/// order in which the step found its pairs, which is that of its outputs, too; those of sensors, which have no outputs, are among
/// them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_began(
    world: *const throng_world,
    events: *mut *const throng_pair_event,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe { tell(world, events, count, |world| &world.events.began) }
}

/// The pairs with events that ended in the last step: where they are, to be read until the next one. They come in the
/// order in which the step before found them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_ended(
    world: *const throng_world,
    events: *mut *const throng_pair_event,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe { tell(world, events, count, |world| &world.events.ended) }
}

/// The pairs with events that have begun and not ended, as of the last step, those of two that rest and those with sensors included.
/// First those that the step found, in its order; then those that rest, in no particular order. Use it to save what you keep by
/// slot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_event_pairs(
    world: *const throng_world,
    pairs: *mut throng_pair_event,
    capacity: usize,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            let buffer = Buffer::new(pairs, capacity, count, "pairs")?;
            buffer.fill(world.broadphase.event_pairs().map(Into::into))
        })
    }
}

/// How long an array with an element for each slot has to be. It may become less: to 0 with a step before which no pair had a slot,
/// and in `throng_shrink_to_fit`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_pair_slots(
    world: *const throng_world,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe {
        read(world, |world| {
            Out::new(count, "count")?.write(world.broadphase.pair_slots_len());
            Ok(())
        })
    }
}
