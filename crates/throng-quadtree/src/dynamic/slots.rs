//! Slots that are reused: the tree's two pools.

/// Ends a chain of slots; never a slot's index.
pub(super) const NONE: u32 = u32::MAX;

/// What can be linked into a free list while it is not in use.
pub(super) trait Chained {
    fn next(&self) -> u32;
    fn set_next(&mut self, next: u32);
}

/// Slots with a free list through the vacant ones; the last vacated is reused first.
#[derive(Clone, Debug)]
pub(super) struct Slots<S> {
    slots: Vec<S>,
    first_vacant: u32,
    used: usize,
}

impl<S: Chained> Slots<S> {
    pub fn with_capacity(slots: usize) -> Self {
        Self {
            slots: Vec::with_capacity(slots),
            first_vacant: NONE,
            used: 0,
        }
    }

    /// Puts something into a vacant slot, or into a new one. The caller makes sure that there are fewer than
    /// [`NONE`].
    pub fn take(&mut self, content: S) -> u32 {
        self.used += 1;
        let slot = self.first_vacant;
        if slot == NONE {
            self.slots.push(content);
            return (self.slots.len() - 1) as u32;
        }
        self.first_vacant = self.slots[slot as usize].next();
        self.slots[slot as usize] = content;
        slot
    }

    /// Makes a slot vacant.
    pub fn give_back(&mut self, slot: u32) {
        self.used -= 1;
        self.slots[slot as usize].set_next(self.first_vacant);
        self.first_vacant = slot;
    }

    /// Makes every slot vacant, keeping the memory.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.first_vacant = NONE;
        self.used = 0;
    }

    #[inline(always)]
    pub fn at(&self, slot: u32) -> &S {
        &self.slots[slot as usize]
    }

    #[inline(always)]
    pub fn at_mut(&mut self, slot: u32) -> &mut S {
        &mut self.slots[slot as usize]
    }

    /// How many slots are in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether so many slots are vacant that the rest should be packed together.
    pub fn is_sparse(&self) -> bool {
        const FEW: usize = 16;
        self.slots.capacity() > 3 * self.used + FEW
    }

    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<S>()
    }

    /// Checks that the free list ends, and holds exactly the slots that are not in use.
    pub fn validate(&self) -> Result<(), String> {
        let vacant = self.slots.len() - self.used;
        let mut next = self.first_vacant;
        for step in 0..vacant {
            match self.slots.get(next as usize) {
                Some(slot) => next = slot.next(),
                None => return Err(format!("the free list ends after {step} of {vacant}")),
            }
        }
        if next != NONE {
            return Err(format!("the free list goes on to {next} after {vacant}"));
        }
        Ok(())
    }
}
