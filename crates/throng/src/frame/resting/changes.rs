//! Who came to rest with a step, and who woke.
//!
//! Whoever wakes or comes to rest is noted where it happens, in each update of who rests, and both are reported when a step is
//! done. By then, who came to rest may have been woken in the same step, which is no change, and who woke may be gone. So each
//! report that a proxy came to rest is followed by one that it woke, whatever the cause, unless it is removed or becomes scenery.

use educe::Educe;
use fixedbitset::FixedBitSet;

use crate::frame::need::Need;
use crate::frame::resting::SLOTS_AHEAD;
use crate::world::category::Category;
use crate::world::ids::{ProxyId, ProxyPool, ProxySlot};

/// What has changed in who rests, from step to step.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct RestChanges {
    /// Whether the proxy that has or had a slot rested as of the last step, not in scenery, and has not been noted to have woken
    /// since.
    rested: FixedBitSet,
    /// Those that have woken since the last step, each once; some may be gone.
    noted_awake: Vec<ProxyId>,
    /// Those that may rest from this step on.
    noted_at_rest: Vec<ProxyId>,
    /// What changed in the last step: first those that woke, then those that came to rest.
    changed: Vec<Change>,
    /// How many of them woke.
    woken: usize,
    /// How much memory these lists are expected to need.
    need: Need,
}

/// A proxy that woke or came to rest, and what it is sorted by.
#[derive(Clone)]
struct Change {
    key: u64,
    id: ProxyId,
}

/// Set in the keys of those that came to rest; below are category and row.
const RESTS: u64 = 1 << 63;

impl Change {
    fn new(rests: bool, slot: &ProxySlot, id: ProxyId) -> Self {
        let rests = if rests { RESTS } else { 0 };
        let place = (slot.category_index() as u64) << u32::BITS | u64::from(slot.row);
        Self {
            key: rests | place,
            id,
        }
    }
}

impl RestChanges {
    /// Notes all who may have rested and do not any more, and those who are gone. Whoever has the slot of one that is gone has not
    /// rested.
    pub(crate) fn note_all_awake<'i>(
        &mut self,
        ids: impl Iterator<Item = &'i ProxyId> + Clone,
        pool: &ProxyPool,
    ) {
        for id in ids.clone().filter(|id| pool.get(id.0).is_none()) {
            self.forget_rested(*id);
        }
        ids.for_each(|&id| self.note_awake(id));
    }

    /// Notes somebody who may have rested and does not any more.
    #[inline]
    pub(crate) fn note_awake(&mut self, id: ProxyId) {
        if self.forget_rested(id) {
            self.noted_awake.push(id);
        }
    }

    /// Whoever has the slot of this one does not count as having rested any more. Returns whether somebody did.
    #[inline]
    fn forget_rested(&mut self, id: ProxyId) -> bool {
        let index = id.index() as usize;
        let rested = self.rested.contains(index);
        if rested {
            self.rested.remove(index);
        }
        rested
    }

    /// Notes somebody who may rest from this step on.
    #[inline]
    pub(crate) fn note_at_rest(&mut self, id: ProxyId) {
        self.noted_at_rest.push(id);
    }

    /// To be called when a step is done. O(noted · log noted).
    pub(crate) fn finish_step(&mut self, categories: &[Category], pool: &ProxyPool) {
        let category_of = |slot: &ProxySlot| &categories[slot.category_index()];
        self.changed.clear();
        for (id, slot) in slots_of(&self.noted_awake, pool) {
            // What has become scenery goes on resting.
            if !category_of(slot).structure.is_scenery() {
                self.changed.push(Change::new(false, slot, id));
            }
        }
        self.woken = self.changed.len();
        for (id, slot) in slots_of(&self.noted_at_rest, pool) {
            let index = id.index() as usize;
            if category_of(slot).rests(slot.row) && !self.rested.contains(index) {
                self.rested.grow(index + 1);
                self.rested.insert(index);
                self.changed.push(Change::new(true, slot, id));
            }
        }
        self.changed.sort_unstable_by_key(|change| change.key);
        self.forget_noted();
    }

    /// Also frees memory that most steps do not need: once, many may have come to rest together.
    fn forget_noted(&mut self) {
        let noted = size_of_val(&*self.noted_awake) + size_of_val(&*self.noted_at_rest);
        let used = noted + size_of_val(&*self.changed);
        self.noted_awake.clear();
        self.noted_at_rest.clear();
        if self.need.holds_too_much(used, self.list_bytes()) {
            self.shrink_to_fit();
        }
    }

    /// Those that woke with the last step, by category and row.
    pub(crate) fn woken(&self) -> impl ExactSizeIterator<Item = ProxyId> + use<'_> {
        self.changed[..self.woken].iter().map(|change| change.id)
    }

    /// Those that came to rest with the last step, by category and row.
    pub(crate) fn came_to_rest(&self) -> impl ExactSizeIterator<Item = ProxyId> + use<'_> {
        self.changed[self.woken..].iter().map(|change| change.id)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.list_bytes() + size_of_val(self.rested.as_slice())
    }

    fn list_bytes(&self) -> usize {
        let noted = self.noted_awake.capacity() + self.noted_at_rest.capacity();
        noted * size_of::<ProxyId>() + self.changed.capacity() * size_of::<Change>()
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.noted_awake.shrink_to_fit();
        self.noted_at_rest.shrink_to_fit();
        self.changed.shrink_to_fit();
    }
}

/// Those that are still there, and where. Waits for memory once for several.
fn slots_of<'p>(
    ids: &[ProxyId],
    pool: &'p ProxyPool,
) -> impl Iterator<Item = (ProxyId, &'p ProxySlot)> {
    ids.iter().enumerate().filter_map(move |(place, &id)| {
        if let Some(later) = ids.get(place + SLOTS_AHEAD) {
            pool.prefetch(later.0);
        }
        Some((id, pool.get(id.0)?))
    })
}
