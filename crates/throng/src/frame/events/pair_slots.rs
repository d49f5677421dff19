//! A number for each pair, for as long as it lasts.

use std::collections::HashMap;

use educe::Educe;
use fixedbitset::FixedBitSet;

use crate::frame::events::lists::Lists;
use crate::frame::events::slots_then::SlotIndices;
use crate::frame::need::Need;
use crate::world::ids::ProxyId;
use crate::world::index_map::{IndexHashing, table_bytes};

/// Which slots there are. The lists of the last step have those of its pairs; those of pairs that rest are here.
///
/// A slot that becomes free is given to a pair that begins in a later step, the last to become free first. So an engine may look
/// at what began and at what ended in either order. Once no pair has a slot, they are numbered from 0 on again.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct PairSlots {
    /// Tell those of the pairs of the last step.
    pub(super) indices: SlotIndices,
    resting: HashMap<PairKey, u32, IndexHashing>,
    free: Vec<u32>,
    /// How many there are, free or not.
    len: u32,
    /// How much memory is expected to be needed for those that are free, and for those of pairs that rest.
    needs: [Need; 2],
}

/// What stands for a slot in lists where a pair has none: see [`PairBatch::slot_list`](crate::PairBatch::slot_list).
pub const NO_SLOT: u32 = u32::MAX;

/// The bits of two ids.
pub(crate) type PairKey = (u64, u64);

/// The same for a pair whichever way round it is.
pub(crate) fn key(ids: [ProxyId; 2]) -> PairKey {
    let [a, b] = ids.map(ProxyId::to_bits);
    (a.min(b), a.max(b))
}

impl PairSlots {
    /// Takes a slot for a pair that has none.
    pub(super) fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.len += 1;
            self.len - 1
        })
    }

    /// Gives slots to those that began, and only then makes the slots of those that ended available.
    pub(super) fn follow(&mut self, began: &mut Lists, ended: &Lists) {
        // Not in the step in which the last pair ended: its slot is still told.
        if self.free.len() == self.len as usize {
            self.free.clear();
            self.len = 0;
        }
        for list in began.used_mut() {
            list.give_slots(|| self.take());
        }
        for list in ended.used() {
            self.free.extend_from_slice(&list.told.slots);
        }
        let [used, held] = [self.free.len(), self.free.capacity()].map(|of| of * size_of::<u32>());
        if self.needs[0].holds_too_much(used, held) {
            self.free.shrink_to_fit();
        }
        let used = self.resting.len() * size_of::<(PairKey, u32)>();
        if self.needs[1].holds_too_much(used, self.resting_bytes()) {
            self.resting.shrink_to_fit();
        }
    }

    /// Keeps the slot of a pair that has come to rest.
    pub(super) fn keep(&mut self, ids: [ProxyId; 2], slot: u32) {
        self.resting.insert(key(ids), slot);
    }

    /// The slot of a pair that rests.
    pub(crate) fn of_resting(&self, ids: [ProxyId; 2]) -> Option<u32> {
        self.resting.get(&key(ids)).copied()
    }

    /// The slot of a pair that does not rest any more.
    pub(super) fn take_back(&mut self, ids: [ProxyId; 2]) -> Option<u32> {
        self.resting.remove(&key(ids))
    }

    /// How long a `Vec` by slot has to be.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    fn resting_bytes(&self) -> usize {
        table_bytes::<(PairKey, u32)>(self.resting.capacity())
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.indices.memory_bytes() + self.resting_bytes() + self.free.capacity() * size_of::<u32>()
    }

    /// Also takes back the last slots, as far as they are free. O(slots).
    pub(crate) fn shrink_to_fit(&mut self) {
        self.take_back_last();
        self.indices.shrink_to_fit();
        self.resting.shrink_to_fit();
        self.free.shrink_to_fit();
    }

    fn take_back_last(&mut self) {
        let mut is_free = FixedBitSet::with_capacity(self.len());
        self.free
            .iter()
            .for_each(|&slot| is_free.insert(slot as usize));
        while self.len > 0 && is_free.contains(self.len() - 1) {
            self.len -= 1;
        }
        self.free.retain(|&slot| slot < self.len);
    }
}
