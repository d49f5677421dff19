//! Values under generational handles, in slots that are reused.

use std::collections::TryReserveError;
use std::fmt;

use educe::Educe;

use crate::handle::Handle;
use crate::handles::{HandleRun, Handles};

/// There are not enough slots left for what was to be inserted; slots that are retired are never left again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the pool has no room for {wanted} more: it may have {slots} slots, of which {left} are left"
)]
pub struct PoolFull {
    /// How many values were to be inserted at once.
    pub wanted: usize,
    /// How many slots the pool may have.
    pub slots: u32,
    /// How many of them are left.
    pub left: u32,
}

/// Values under generational handles; the slot vacated last is reused first.
///
/// A pool may have a tag, which is in each of its handles: a handle of a pool with another tag is stale here, at no cost,
/// because tag and generation are compared as one number.
///
/// Insert, remove and lookup take constant time. Memory depends on the most values ever held at once. A slot takes 4
/// bytes besides the value, plus a tag to tell vacant from occupied. The tag is free if the value has a spare bit
/// pattern (a `NonZero`, an enum) beside 4 other bytes.
///
/// Invariants, checked by [`Pool::validate`]: the free list visits every vacant slot once and nothing else, except
/// that retired slots are not in it; `len` counts the occupied slots; a slot's generation is at least 1, with the tag of
/// the pool above it, and the highest possible one marks it as retired, so it is never occupied.
#[derive(Educe)]
#[educe(Clone)]
pub struct Pool<T> {
    /// ```text
    /// slots   0          1            2          3          4            5
    ///       ┌──────────┬────────────┬──────────┬──────────┬────────────┬──────────┐
    ///       │ 1: value │ 4: vacant  │ MAX:     │ 7: value │ 2: vacant  │ 1: value │
    ///       │          │   next ──┐ │ retired  │          │   next ──┐ │          │
    ///       └──────────┴────▲─────│─┴──────────┴──────────┴────▲─────│─┴──────────┘
    ///                       │     ▼                            │     │
    ///                       │     END            first_vacant ─┘     │
    ///                       └────────────────────────────────────────┘
    /// ```
    slots: Vec<Slot<T>>,
    /// The vacant slot to be used next, or [`END`].
    first_vacant: u32,
    len: u32,
    max_slots: u32,
    tag: u16,
}

#[derive(Clone)]
struct Slot<T> {
    /// Of the value in the slot, or of the next one if it is vacant; with the tag above it, as in a handle.
    generation: u32,
    state: State<T>,
}

#[derive(Clone)]
enum State<T> {
    Occupied(T),
    /// `next` continues the free list; it means nothing in a retired slot, which is in no list.
    Vacant {
        next: u32,
    },
}

/// Ends the free list; never a slot's index.
const END: u32 = u32::MAX;
const FIRST_GENERATION: u32 = 1;
/// Never given to a value: the slot has used up its generations.
const RETIRED: u32 = Handle::GENERATION_MASK;

/// Whether a slot with this generation, whatever its tag, is not used any more.
const fn is_retired(generation: u32) -> bool {
    generation & Handle::GENERATION_MASK == RETIRED
}

impl<T> Pool<T> {
    /// An empty pool of at most `u32::MAX` slots, which owns no memory yet.
    #[must_use]
    pub const fn new() -> Pool<T> {
        Pool::with_max_slots(u32::MAX)
    }

    /// An empty pool that never has more than `max_slots` slots.
    #[must_use]
    pub const fn with_max_slots(max_slots: u32) -> Pool<T> {
        Pool {
            slots: Vec::new(),
            first_vacant: END,
            len: 0,
            max_slots,
            tag: 0,
        }
    }

    /// The same pool, still empty, with a tag for its handles; without this, the tag is 0.
    ///
    /// # Panics
    ///
    /// If there are slots already, whose handles have another tag, or the tag is above [`Handle::MAX_TAG`].
    #[must_use]
    pub fn with_tag(mut self, tag: u16) -> Pool<T> {
        assert!(self.slots.is_empty() && tag <= Handle::MAX_TAG, "tag {tag}");
        self.tag = tag;
        self
    }

    /// The tag in each of its handles.
    #[inline]
    #[must_use]
    pub const fn tag(&self) -> u16 {
        self.tag
    }

    /// Puts a value into a vacant slot, or into a new one.
    ///
    /// # Errors
    ///
    /// [`PoolFull`]; the pool is unchanged.
    pub fn try_insert(&mut self, value: T) -> Result<Handle, PoolFull> {
        let index = if self.first_vacant == END {
            self.add_slot()?
        } else {
            self.first_vacant
        };
        let slot = &mut self.slots[index as usize];
        if let State::Vacant { next } = slot.state {
            self.first_vacant = next;
        }
        slot.state = State::Occupied(value);
        self.len += 1;
        Ok(Handle {
            index,
            generation: slot.generation,
        })
    }

    /// Puts a value into a vacant slot, or into a new one.
    ///
    /// # Panics
    ///
    /// If the pool is full; see [`Pool::try_insert`].
    pub fn insert(&mut self, value: T) -> Handle {
        match self.try_insert(value) {
            Ok(handle) => handle,
            Err(full) => panic!("{full}"),
        }
    }

    /// Puts many values into vacant slots, or into new ones, or none if there is no room for all of them. Vacant slots are filled in
    /// the reverse order of removal, and then new ones are added: handles that follow each other, removed last first, do so again.
    /// O(values).
    ///
    /// # Errors
    ///
    /// [`PoolFull`]; the pool has the values that it had.
    pub fn try_insert_all(
        &mut self,
        values: impl ExactSizeIterator<Item = T>,
    ) -> Result<Handles, PoolFull> {
        if self.first_vacant == END {
            return self.add_all(values).map(Handles::from);
        }
        let wanted = values.len();
        let mut inserted = Handles::default();
        for value in values {
            match self.try_insert(value) {
                Ok(handle) => inserted.push(handle),
                Err(full) => {
                    self.remove_all(&inserted);
                    let left = inserted.len() as u32;
                    return Err(PoolFull {
                        wanted,
                        left,
                        ..full
                    });
                }
            }
        }
        inserted.shrink_to_fit();
        Ok(inserted)
    }

    /// Takes a value out; `None` if the handle is stale.
    pub fn remove(&mut self, handle: Handle) -> Option<T> {
        if !self.contains(handle) {
            return None;
        }
        let value = self.vacate(handle.index);
        self.len -= 1;
        value
    }

    /// Takes many values out, the last first, so that their slots are filled in order again. Passes over stale handles.
    pub fn remove_all(&mut self, handles: &Handles) {
        for handle in handles.iter().rev() {
            self.remove(handle);
        }
    }

    /// Removes every value and makes every handle stale. The memory is kept, and slots are reused from the lowest
    /// index on. O(slots).
    pub fn clear(&mut self) {
        self.first_vacant = END;
        for index in (0..self.slots_len()).rev() {
            match self.slots[index as usize].state {
                State::Occupied(_) => drop(self.vacate(index)),
                State::Vacant { .. } => self.link(index),
            }
        }
        self.len = 0;
    }

    /// The value, or `None` if the handle is stale.
    #[inline]
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<&T> {
        match self.slots.get(handle.index as usize) {
            Some(Slot {
                generation,
                state: State::Occupied(value),
            }) if *generation == handle.generation => Some(value),
            _ => None,
        }
    }

    /// Hints that a value will be read very soon.
    #[inline(always)]
    pub fn prefetch(&self, handle: Handle) {
        crate::prefetch(&self.slots, handle.index);
    }

    /// The value, or `None` if the handle is stale.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        match self.slots.get_mut(handle.index as usize) {
            Some(Slot {
                generation,
                state: State::Occupied(value),
            }) if *generation == handle.generation => Some(value),
            _ => None,
        }
    }

    /// Whether the handle names a value.
    #[inline]
    #[must_use]
    pub fn contains(&self, handle: Handle) -> bool {
        self.get(handle).is_some()
    }

    /// The handle of the value in a slot; `None` if the slot is vacant or does not exist.
    #[inline]
    #[must_use]
    pub fn handle_at(&self, index: u32) -> Option<Handle> {
        let slot = self.slots.get(index as usize)?;
        match slot.state {
            State::Occupied(_) => Some(Handle {
                index,
                generation: slot.generation,
            }),
            _ => None,
        }
    }

    /// The value in a slot, whatever its generation; `None` if there is none.
    #[inline]
    #[must_use]
    pub fn get_at(&self, index: u32) -> Option<&T> {
        match &self.slots.get(index as usize)?.state {
            State::Occupied(value) => Some(value),
            _ => None,
        }
    }

    /// The value in a slot, whatever its generation; `None` if there is none.
    #[inline]
    #[must_use]
    pub fn get_at_mut(&mut self, index: u32) -> Option<&mut T> {
        match &mut self.slots.get_mut(index as usize)?.state {
            State::Occupied(value) => Some(value),
            _ => None,
        }
    }

    /// How many values there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no values.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many slots there are, occupied, vacant and retired. Every index is below it.
    #[inline]
    #[must_use]
    pub fn slots_len(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Every value with its handle, in order of index. O(slots).
    pub fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        (0..)
            .zip(&self.slots)
            .filter_map(|(index, slot)| match &slot.state {
                State::Occupied(value) => Some((
                    Handle {
                        index,
                        generation: slot.generation,
                    },
                    value,
                )),
                _ => None,
            })
    }

    /// Makes room for `additional` more values, without counting on vacant slots.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.slots.try_reserve(additional)
    }

    /// Bytes owned by the pool, not counting what the values themselves own elsewhere.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<T>>()
    }

    /// Checks every invariant. O(slots).
    ///
    /// # Errors
    ///
    /// Says which slot breaks which invariant.
    pub fn validate(&self) -> Result<(), String> {
        let mut occupied = 0;
        let mut vacant = 0_usize;
        for (index, slot) in self.slots.iter().enumerate() {
            let Slot { generation, state } = slot;
            if generation & Handle::GENERATION_MASK < FIRST_GENERATION
                || generation >> Handle::GENERATION_BITS != u32::from(self.tag)
            {
                return Err(format!("slot {index} has generation {generation:#x}"));
            }
            match state {
                State::Occupied(_) if is_retired(*generation) => {
                    return Err(format!("slot {index} is occupied though retired"));
                }
                State::Occupied(_) => occupied += 1,
                State::Vacant { .. } if is_retired(*generation) => {}
                State::Vacant { .. } => vacant += 1,
            }
        }
        if occupied != self.len {
            return Err(format!("len is {}, occupied are {occupied}", self.len));
        }
        if self.slots.len() > self.max_slots as usize {
            let (slots, most) = (self.slots.len(), self.max_slots);
            return Err(format!("{slots} slots where {most} are the most"));
        }

        // A list that ends repeats no slot, so if it takes `vacant` steps over vacant slots, it visits them all.
        let mut next = self.first_vacant;
        for step in 0..vacant {
            match self.slots.get(next as usize) {
                Some(&Slot {
                    generation,
                    state: State::Vacant { next: after },
                }) if !is_retired(generation) => next = after,
                _ => return Err(format!("step {step} of the free list is at slot {next}")),
            }
        }
        if next != END {
            return Err(format!("the free list goes on to {next} after {vacant}"));
        }
        Ok(())
    }

    /// A new slot at the end: vacant, and not in the free list.
    fn add_slot(&mut self) -> Result<u32, PoolFull> {
        let index = self.slots_len();
        if index >= self.max_slots {
            return Err(PoolFull {
                wanted: 1,
                slots: self.max_slots,
                left: 0,
            });
        }
        self.slots.push(Slot {
            generation: self.first_generation(),
            state: State::Vacant { next: END },
        });
        Ok(index)
    }

    /// New slots at the end with values in them; all or none.
    fn add_all(&mut self, values: impl ExactSizeIterator<Item = T>) -> Result<HandleRun, PoolFull> {
        let index = self.slots_len();
        let left = self.max_slots - index;
        let room = left as usize;
        if values.len() > room {
            return Err(PoolFull {
                wanted: values.len(),
                slots: self.max_slots,
                left,
            });
        }
        let generation = self.first_generation();
        self.slots.reserve(values.len());
        // Counted one by one, because the iterator may panic.
        for value in values.take(room) {
            self.slots.push(Slot {
                generation,
                state: State::Occupied(value),
            });
            self.len += 1;
        }
        let len = self.slots_len() - index;
        let first = Handle { index, generation };
        Ok(HandleRun { first, len })
    }

    /// Of the first value in a slot.
    fn first_generation(&self) -> u32 {
        u32::from(self.tag) << Handle::GENERATION_BITS | FIRST_GENERATION
    }

    /// Takes the value out of an occupied slot, and makes every handle to it stale.
    fn vacate(&mut self, index: u32) -> Option<T> {
        let slot = &mut self.slots[index as usize];
        let before = std::mem::replace(&mut slot.state, State::Vacant { next: END });
        slot.generation += 1;
        self.link(index);
        match before {
            State::Occupied(value) => Some(value),
            State::Vacant { .. } => None,
        }
    }

    /// Puts a vacant slot at the head of the free list, unless it is retired.
    fn link(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        if is_retired(slot.generation) {
            return;
        }
        slot.state = State::Vacant {
            next: self.first_vacant,
        };
        self.first_vacant = index;
    }
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests;
