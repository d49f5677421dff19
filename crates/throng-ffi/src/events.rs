//! What began and what ended in the last step.
//!
//! Both are copied after each step: the library looks up ids and keys by the rows of that step, and C may change the rows before
//! it asks. (`throng_event_pairs` needs no copy.)

use educe::Educe;
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
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct KeptEvents {
    began: Kept,
    ended: Kept,
}

/// A list of events, and in how many steps it has been far shorter than its memory.
#[derive(Default, Educe)]
#[educe(Clone)]
struct Kept {
    events: Vec<throng_pair_event>,
    short_steps: u32,
}

/// A list with room for up to four times as many events as this is never shrunk on its own.
const FEW: usize = 1024;
/// A list that was less than a quarter full in so many steps, one after the other, lets go of what it has not needed.
const SHORT_STEPS: u32 = 256;

impl KeptEvents {
    pub(crate) fn keep(
        &mut self,
        began: impl Iterator<Item = PairEvent>,
        ended: impl Iterator<Item = PairEvent>,
    ) {
        self.began.keep(began);
        self.ended.keep(ended);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = [&self.began, &self.ended];
        let events: usize = lists.iter().map(|list| list.events.capacity()).sum();
        events * size_of::<throng_pair_event>()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.began.events.shrink_to_fit();
        self.ended.events.shrink_to_fit();
    }
}

impl Kept {
    fn keep(&mut self, events: impl Iterator<Item = PairEvent>) {
        self.events.clear();
        self.events.extend(events.map(throng_pair_event::from));
        let needed = 4 * self.events.len().max(FEW);
        self.short_steps = if needed < self.events.capacity() {
            self.short_steps + 1
        } else {
            0
        };
        if self.short_steps > SHORT_STEPS {
            self.events.shrink_to(needed / 2);
            self.short_steps = 0;
        }
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

/// The pairs with events that began in the last step: where they are, to be read until the next one,
/// `throng_shrink_to_fit` or `throng_world_copy_from`. They come in the order in which the step found its pairs, which is that of its
/// outputs, too; those of sensors, which have no outputs, are among them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_began(
    world: *const throng_world,
    events: *mut *const throng_pair_event,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe { tell(world, events, count, |world| &world.events.began.events) }
}

/// The pairs with events that ended in the last step: where they are, to be read until the next one,
/// `throng_shrink_to_fit` or `throng_world_copy_from`. They come in the order in which the step before found them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_ended(
    world: *const throng_world,
    events: *mut *const throng_pair_event,
    count: *mut usize,
) -> throng_status {
    // SAFETY: pointers are as the front page asks.
    unsafe { tell(world, events, count, |world| &world.events.ended.events) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_step_took_is_let_go_after_many_that_do_not_need_it() {
        let event = throng_pair_event {
            ids: [1, 2],
            keys: [3, 4],
            categories: [0, 0],
            slot: THRONG_NO_SLOT,
        };
        let mut list = Kept::default();
        list.events.extend(std::iter::repeat_n(event, 1_000_000));
        let most = list.events.capacity();
        for step in 0..2 * SHORT_STEPS {
            list.keep(std::iter::empty());
            let is_kept = step < SHORT_STEPS;
            assert_eq!(list.events.capacity() == most, is_kept, "{step}");
        }
        assert_eq!(list.events.capacity(), 2 * FEW);
    }
}
