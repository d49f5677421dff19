//! Which things may meet at all.

/// What a proxy is, and what it may meet, as 32 bits each.
///
/// Two proxies meet if each is a member of some group in the other's filter (the rule of Box2D and rapier). Masks are
/// tested before a pair is made, so what they exclude costs no pair.
///
/// Eight bytes, `memberships` first.
///
/// ```
/// use throng_core::Masks;
///
/// const ORC: u32 = 1 << 0;
/// const ARROW: u32 = 1 << 1;
/// let orc = Masks { memberships: ORC, filter: ORC | ARROW };
/// let arrow = Masks { memberships: ARROW, filter: ORC };
/// assert!(orc.meets(arrow) && !arrow.meets(arrow));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Masks {
    /// The groups this proxy belongs to.
    pub memberships: u32,
    /// The groups this proxy is willing to meet.
    pub filter: u32,
}

impl Masks {
    /// Belongs to every group and meets every group: the default.
    pub const ALL: Masks = Masks {
        memberships: u32::MAX,
        filter: u32::MAX,
    };

    /// Belongs to no group and meets none.
    pub const NONE: Masks = Masks {
        memberships: 0,
        filter: 0,
    };

    /// Whether each accepts the other. Symmetric.
    #[inline(always)]
    #[must_use]
    pub fn meets(self, other: Masks) -> bool {
        (self.memberships & other.filter) != 0 && (other.memberships & self.filter) != 0
    }
}

impl Default for Masks {
    fn default() -> Self {
        Masks::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::Masks;

    #[test]
    fn both_sides_must_agree() {
        let a = Masks {
            memberships: 0b01,
            filter: 0b10,
        };
        let b = Masks {
            memberships: 0b10,
            filter: 0b01,
        };
        let only_wants_a = Masks {
            memberships: 0b100,
            filter: 0b01,
        };
        assert!(a.meets(b) && b.meets(a));
        assert!(!a.meets(a));
        assert!(!only_wants_a.meets(a) && !a.meets(only_wants_a));
    }

    #[test]
    fn all_meets_all_and_none_meets_nobody() {
        assert!(Masks::default().meets(Masks::ALL));
        assert!(!Masks::NONE.meets(Masks::ALL) && !Masks::ALL.meets(Masks::NONE));
    }

    #[test]
    fn takes_eight_bytes() {
        assert_eq!(size_of::<Masks>(), 8);
    }
}
