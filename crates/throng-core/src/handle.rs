//! Generational handles: names that go stale instead of naming another value.

use std::fmt;

/// The name of a value in a [`Pool`](crate::Pool): the index of a slot, and which of the slot's occupants is meant.
///
/// Once its value is removed, a handle stays invalid for ever: a slot's generation only rises, and a slot whose
/// generation would wrap is never used again. The default handle (generation 0) is never valid. Handles sort by index
/// first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Handle {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl Handle {
    const GENERATION_SHIFT: u32 = 32;

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
        self.generation
    }

    /// The handle as one number: the generation in the upper 32 bits, the index in the lower.
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
        write!(f, "{}v{}", self.index, self.generation)
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
}
