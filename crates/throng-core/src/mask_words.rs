//! Which things may meet at all.

/// What a proxy is, and what it may meet, as 32 bits each.
///
/// Two proxies meet if each is a member of some group in the other's filter (the rule of Box2D and rapier). These words
/// are tested before a pair is made, so what they exclude costs no pair.
///
/// Eight bytes, `memberships` first.
///
/// ```
/// use throng_core::MaskWords;
///
/// const ORC: u32 = 1 << 0;
/// const ARROW: u32 = 1 << 1;
/// let orc = MaskWords { memberships: ORC, filter: ORC | ARROW };
/// let arrow = MaskWords { memberships: ARROW, filter: ORC };
/// assert!(orc.meets(arrow) && !arrow.meets(arrow));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct MaskWords {
    /// The groups this row belongs to.
    pub memberships: u32,
    /// The groups this row is willing to meet.
    pub filter: u32,
}

impl MaskWords {
    /// Belongs to every group and meets every group: the default.
    pub const ALL: MaskWords = MaskWords {
        memberships: u32::MAX,
        filter: u32::MAX,
    };

    /// Belongs to no group and meets none.
    pub const NONE: MaskWords = MaskWords {
        memberships: 0,
        filter: 0,
    };

    /// Whether each accepts the other. Symmetric.
    #[inline(always)]
    #[must_use]
    pub fn meets(self, other: MaskWords) -> bool {
        (self.memberships & other.filter) != 0 && (other.memberships & self.filter) != 0
    }
}

impl Default for MaskWords {
    fn default() -> Self {
        MaskWords::ALL
    }
}

/// The masks of all rows of a structure, as stored.
///
/// A search reads masks in spatial order, which need not be the order of rows, so every read may be a cache miss.
/// Classes are a quarter of the size of masks, and several times faster to read at random.
#[derive(Clone, Copy, Debug)]
pub enum RowMasks<'a> {
    /// Each row has its own masks.
    Each(&'a [MaskWords]),
    /// Each row has a class, and each class has masks.
    Classes {
        /// One per row: an index into `palette`.
        classes: &'a [u16],
        /// The masks of each class.
        palette: &'a [MaskWords],
    },
}

impl RowMasks<'_> {
    /// The masks of a row.
    ///
    /// # Panics
    ///
    /// If there is no such row, or its class has no masks.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> MaskWords {
        match self {
            RowMasks::Each(masks) => masks[row],
            RowMasks::Classes { classes, palette } => palette[classes[row] as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MaskWords;

    #[test]
    fn both_sides_must_agree() {
        let a = MaskWords {
            memberships: 0b01,
            filter: 0b10,
        };
        let b = MaskWords {
            memberships: 0b10,
            filter: 0b01,
        };
        let only_wants_a = MaskWords {
            memberships: 0b100,
            filter: 0b01,
        };
        assert!(a.meets(b) && b.meets(a));
        assert!(!a.meets(a));
        assert!(!only_wants_a.meets(a) && !a.meets(only_wants_a));
    }

    #[test]
    fn all_meets_all_and_none_meets_nobody() {
        assert!(MaskWords::default().meets(MaskWords::ALL));
        assert!(!MaskWords::NONE.meets(MaskWords::ALL) && !MaskWords::ALL.meets(MaskWords::NONE));
    }

    #[test]
    fn takes_eight_bytes() {
        assert_eq!(size_of::<MaskWords>(), 8);
    }
}
