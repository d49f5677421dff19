//! Generational handles: names that go stale instead of naming another value.

use std::fmt;

/// The name of a value in a [`Pool`](crate::Pool): the index of a slot, and which of the slot's occupants is meant.
///
/// Once its value is removed, a handle stays invalid for ever: a slot's generation only rises, and a slot whose
/// generation would wrap is never used again. The default handle (generation 0) is never valid. Handles sort by index
/// first.
///
/// ```text
/// bits   63       52 51       32 31        0
///       ┌───────────┬───────────┬───────────┐
///       │ tag       │ generation│ index     │
///       └───────────┴───────────┴───────────┘
///         of the pool  of the slot
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Handle {
    pub(crate) index: u32,
    /// With the tag of the pool above it, so that one comparison looks at both.
    pub(crate) generation: u32,
}

impl Handle {
    const GENERATION_SHIFT: u32 = 32;

    /// How many bits a generation has; the tag has what is left of 32.
    pub(crate) const GENERATION_BITS: u32 = 20;

    pub(crate) const GENERATION_MASK: u32 = (1 << Self::GENERATION_BITS) - 1;

    /// The highest tag of a pool.
    pub const MAX_TAG: u16 = (u32::MAX >> Self::GENERATION_BITS) as u16;

    /// The slot's index; no two valid handles of one pool share it.
    #[inline]
    #[must_use]
    pub fn index(self) -> u32 {
        self.index
    }

    /// Which occupant of the slot is meant, counted from 1.
    #[inline]
    #[must_use]
    pub fn generation(self) -> u32 {
        self.generation & Self::GENERATION_MASK
    }

    /// The tag of the pool that made it.
    #[inline]
    #[must_use]
    pub fn tag(self) -> u16 {
        (self.generation >> Self::GENERATION_BITS) as u16
    }

    /// The handle as one number: tag and generation in the upper 32 bits, the index in the lower.
    #[inline]
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation) << Self::GENERATION_SHIFT | u64::from(self.index)
    }

    /// The handle that [`Handle::to_bits`] made the number from. Any number is accepted; one that was never a handle
    /// is simply unknown to every pool.
    #[inline]
    #[must_use]
    pub fn from_bits(bits: u64) -> Handle {
        Handle {
            index: bits as u32,
            generation: (bits >> Self::GENERATION_SHIFT) as u32,
        }
    }
}

/// Index and generation, as in `17v3`.
impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation())
    }
}

/// As [`fmt::Display`].
impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Handle;

    #[test]
    fn handles_are_read_back_from_their_bits() {
        for (index, generation) in [(0, 1), (u32::MAX - 1, u32::MAX), (7, 0)] {
            let handle = Handle { index, generation };
            assert_eq!(Handle::from_bits(handle.to_bits()), handle);
        }
        let handle = Handle {
            index: 17,
            generation: 3,
        };
        assert_eq!(handle.to_string(), "17v3");
    }

    #[test]
    fn tag_and_generation_share_their_bits() {
        let handle = Handle::from_bits(0xABC0_0003_0000_0011);
        let parts = (handle.tag(), handle.generation(), handle.index());
        assert_eq!(parts, (0xABC, 3, 0x11));
        assert_eq!(Handle::from_bits(u64::MAX).tag(), Handle::MAX_TAG);
        assert_eq!(Handle::MAX_TAG, 4095);
    }
}
