//! Who may meet whom, as an engine says it.

use throng_core::MaskWords;

/// What a proxy is, and what it may meet: 64 groups, and a rule.
///
/// | | they meet if | elsewhere |
/// |---|---|---|
/// | [`MaskMode::And`], the default | each is a member of some group in the other's filter | rapier's `InteractionTestMode::And`, Box2D's `categoryBits` and `maskBits` |
/// | [`MaskMode::Or`] on both | at least one of the two accepts the other | rapier's `InteractionTestMode::Or` |
/// | one of each | as for `And` | rapier does the same |
///
/// Box2D's group index has no counterpart here: proxies that never meet each other have a common
/// [owner](crate::Proxy::owner) (its negative groups). For a positive group, keep one of the 64: in the memberships and the filter of its
/// members, and in no mask of anything else, also where that is `!0` otherwise.
///
/// Masks are tested before a pair is made, so what they exclude costs no pair. A world stores them by class, two bytes a
/// row, and kernels compare words of 32 bits that stand for them exactly: where one of two categories that meet has no more
/// than 32 different masks, whatever those are; and otherwise where all are `And` and no more than 32 groups make a
/// difference. Beyond that, pairs that pass a coarser test are tested once more before anyone sees them.
///
/// With the `serde` feature they are two numbers and a mode, which may be left out. TOML has no numbers for group 63.
///
/// ```
/// use throng::{MaskMode, Masks};
///
/// const ORC: u64 = 1 << 0;
/// const ARROW: u64 = 1 << 1;
/// const TRAP: u64 = 1 << 40;
/// let orc = Masks::new(ORC, ORC | ARROW);
/// let arrow = Masks::new(ARROW, ORC);
/// assert!(orc.meets(arrow) && !arrow.meets(arrow));
///
/// // An orc does not know of traps. It is enough that the trap knows of orcs, if both say so.
/// let trap = Masks::new(TRAP, ORC).with_mode(MaskMode::Or);
/// assert!(!trap.meets(orc));
/// assert!(trap.meets(orc.with_mode(MaskMode::Or)));
/// ```
#[doc(alias = "layer")]
#[doc(alias = "group")]
#[doc(alias = "collision_layers")]
#[doc(alias = "collision_groups")]
#[doc(alias = "category_bits")]
#[doc(alias = "mask_bits")]
#[doc(alias = "interaction_groups")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Masks {
    /// The groups this proxy belongs to.
    pub memberships: u64,
    /// The groups this proxy is willing to meet.
    pub filter: u64,
    /// Whether both have to be willing.
    #[cfg_attr(feature = "serde", serde(default))]
    pub mode: MaskMode,
}

/// Whether both of two proxies have to accept each other, or one is enough.
#[doc(alias = "interaction_test_mode")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum MaskMode {
    /// Each has to accept the other.
    #[default]
    And,
    /// One acceptance is enough, if the other proxy says so too; otherwise as [`And`](Self::And).
    Or,
}

impl Masks {
    /// Belongs to every group and meets every group: the default.
    pub const ALL: Masks = Masks::new(u64::MAX, u64::MAX);

    /// Belongs to no group and meets none.
    pub const NONE: Masks = Masks::new(0, 0);

    /// Belongs to some groups and is willing to meet some. Both sides have to be willing: [`MaskMode::And`].
    #[must_use]
    pub const fn new(memberships: u64, filter: u64) -> Self {
        Self {
            memberships,
            filter,
            mode: MaskMode::And,
        }
    }

    /// The same groups with another rule.
    #[must_use]
    pub const fn with_mode(self, mode: MaskMode) -> Self {
        Self { mode, ..self }
    }

    /// Whether the two may meet. Symmetric.
    #[inline(always)]
    #[must_use]
    pub fn meets(self, other: Masks) -> bool {
        let is_accepted = (self.memberships & other.filter) != 0;
        let accepts = (other.memberships & self.filter) != 0;
        let one_is_enough = (self.mode == MaskMode::Or) & (other.mode == MaskMode::Or);
        (is_accepted & accepts) | (one_is_enough & (is_accepted | accepts))
    }

    /// Words by which these masks meet everyone that they really meet, and perhaps others.
    ///
    /// Under `Or`, whoever is met either is in an accepted group or accepts one of these groups, so both words hold
    /// both.
    pub(crate) fn folded(self) -> MaskWords {
        let fold = |bits: u64| bits as u32 | (bits >> 32) as u32;
        match self.mode {
            MaskMode::And => MaskWords {
                memberships: fold(self.memberships),
                filter: fold(self.filter),
            },
            MaskMode::Or => MaskWords {
                memberships: fold(self.memberships | self.filter),
                filter: fold(self.memberships | self.filter),
            },
        }
    }

    /// Whether folded words say exactly who meets whom, among masks that are all like these: no bit falls on another,
    /// and what has all bits shares one with whatever has any.
    pub(crate) fn folds_exactly(self) -> bool {
        let fits = |bits: u64| bits == u64::MAX || bits <= u64::from(u32::MAX);
        self.mode == MaskMode::And && fits(self.memberships) && fits(self.filter)
    }
}

impl Default for Masks {
    fn default() -> Self {
        Masks::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bits() -> BoxedStrategy<u64> {
        prop_oneof![
            Just(0),
            Just(u64::MAX),
            (0..64_u32).prop_map(|bit| 1 << bit),
            0..8_u64,
            any::<u64>()
        ]
        .boxed()
    }

    fn masks() -> BoxedStrategy<Masks> {
        let mode = prop_oneof![Just(MaskMode::And), Just(MaskMode::Or)];
        (bits(), bits(), mode)
            .prop_map(|(memberships, filter, mode)| Masks {
                memberships,
                filter,
                mode,
            })
            .boxed()
    }

    #[test]
    fn both_sides_must_agree_unless_both_say_that_one_is_enough() {
        let (a, b) = (Masks::new(0b01, 1 << 40), Masks::new(1 << 40, 0b01));
        let only_wants_a = Masks::new(0b100, 0b01);
        assert!(a.meets(b) && b.meets(a) && !a.meets(a));
        let or = |masks: Masks| masks.with_mode(MaskMode::Or);
        for [a, b] in [
            [a, only_wants_a],
            [or(a), only_wants_a],
            [a, or(only_wants_a)],
        ] {
            assert!(!a.meets(b) && !b.meets(a));
        }
        assert!(or(a).meets(or(only_wants_a)) && or(only_wants_a).meets(or(a)));
        assert!(!or(a).meets(or(a)), "neither accepts the other");
    }

    #[test]
    fn all_meets_all_and_none_meets_nobody() {
        assert!(Masks::default().meets(Masks::ALL));
        assert!(!Masks::NONE.meets(Masks::ALL) && !Masks::ALL.meets(Masks::NONE));
    }

    proptest! {
        #[test]
        fn folded_words_leave_nobody_out(a in masks(), b in masks()) {
            let (meets, words) = (a.meets(b), a.folded().meets(b.folded()));
            prop_assert!(words || !meets);
            if a.folds_exactly() && b.folds_exactly() {
                prop_assert_eq!(words, meets);
            }
            prop_assert_eq!(meets, b.meets(a));
        }
    }
}
