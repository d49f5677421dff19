//! A number for each pair, for as long as it lasts.

use std::collections::HashMap;

use crate::frame::events::listed::{ListedPairs, Lists};
use crate::world::category::Category;
use crate::world::ids::ProxyId;
use crate::world::index_map::IndexHashing;

/// The slots of all pairs with events, by their ids.
///
/// A slot that becomes free is given to a pair that begins in a later step, the last to become free first. So an engine may look
/// at what began and at what ended in either order.
#[derive(Default)]
pub(crate) struct PairSlots {
    of: HashMap<PairKey, u32, IndexHashing>,
    free: Vec<u32>,
    /// How many there are, free or not.
    len: u32,
    /// Scratch: those that this step has freed.
    freed: Vec<u32>,
}

/// What stands for a slot in lists where a pair has none.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// The bits of two ids.
pub(crate) type PairKey = (u64, u64);

/// The same for a pair whichever way round it is.
pub(crate) fn key(ids: [ProxyId; 2]) -> PairKey {
    let [a, b] = ids.map(ProxyId::to_bits);
    (a.min(b), a.max(b))
}

impl PairSlots {
    /// The slot of a pair, if it has one.
    pub(crate) fn get(&self, ids: [ProxyId; 2]) -> Option<u32> {
        self.of.get(&key(ids)).copied()
    }

    /// Gives a slot to a pair that has none.
    pub(crate) fn insert(&mut self, ids: [ProxyId; 2]) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.len += 1;
            self.len - 1
        });
        self.of.insert(key(ids), slot);
        slot
    }

    /// Takes the slots of pairs that ended, gives slots to those that began, and only then makes the former available.
    pub(crate) fn follow(&mut self, began: &mut Lists, ended: &mut Lists, categories: &[Category]) {
        each_told(ended, categories, |ids| {
            let slot = self.of.remove(&key(ids)).expect("each begin gave one");
            self.freed.push(slot);
            slot
        });
        each_told(began, categories, |ids| self.insert(ids));
        began
            .used_mut()
            .iter_mut()
            .for_each(ListedPairs::take_over_slots);
        self.free.append(&mut self.freed);
    }

    /// How long a `Vec` by slot has to be.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        // The table uses one more byte per entry.
        let table = self.of.capacity() * (size_of::<(PairKey, u32)>() + 1);
        table + (self.free.capacity() + self.freed.capacity()) * size_of::<u32>()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.of.shrink_to_fit();
        self.free.shrink_to_fit();
        self.freed = Vec::new();
    }
}

/// Gives every event the slot that `slot_of` tells for its pair.
fn each_told(
    lists: &mut Lists,
    categories: &[Category],
    mut slot_of: impl FnMut([ProxyId; 2]) -> u32,
) {
    for list in lists.used_mut() {
        let mut slots = std::mem::take(&mut list.told.slots);
        let events = list.events(categories);
        slots.clear();
        slots.extend(events.map(|event| slot_of(event.ids)));
        list.told.slots = slots;
    }
}
