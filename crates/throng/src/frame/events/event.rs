//! A pair with events: one that began, ended, or is there.

use crate::frame::events::rows_then::{Occupant, SidesThen};
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId, Row};

/// A pair with events: one that [began](crate::Step::began), [ended](crate::Step::ended), or
/// [is there](crate::Broadphase::event_pairs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PairEvent {
    /// The two proxies: lower category first, then lower row. Rows change, so an end may name the two the other way round than
    /// its begin: sort them before you use them as a key. One that has been removed is stale, but no other will ever have its id.
    pub ids: [ProxyId; 2],
    /// Their keys; of one that has been removed, the last one that it had.
    pub keys: [u64; 2],
    /// The categories in which they were in the last step that had the pair; after a
    /// [`reconfigure`](crate::Broadphase::reconfigure), an end has those of the old config.
    pub categories: [CategoryId; 2],
    /// The slot of the pair, where [`pair_slots`](crate::BroadphaseConfig::pair_slots) are on.
    pub slot: Option<u32>,
}

impl PairEvent {
    pub(super) fn of(categories: [CategoryId; 2], who: [Occupant; 2]) -> Self {
        Self {
            ids: who.map(|who| who.id),
            keys: who.map(|who| who.key),
            categories,
            slot: None,
        }
    }

    /// Of two rows as they are now.
    #[inline]
    pub(crate) fn now(
        categories: [CategoryId; 2],
        [a, b]: [Row; 2],
        sides: [&Category; 2],
    ) -> Self {
        let who = [(sides[0], a), (sides[1], b)];
        Self::of(
            categories,
            who.map(|(side, row)| Occupant::now(side, row as usize)),
        )
    }

    /// The same with the second proxy first.
    pub(super) fn flipped(self) -> Self {
        let Self {
            ids: [a, b],
            keys: [key_a, key_b],
            categories: [of_a, of_b],
            slot,
        } = self;
        Self {
            ids: [b, a],
            keys: [key_b, key_a],
            categories: [of_b, of_a],
            slot,
        }
    }

    /// Of two rows as they were in the last step.
    pub(crate) fn then(categories: [CategoryId; 2], rows: [Row; 2], sides: &SidesThen<'_>) -> Self {
        Self::of(categories, sides.who(rows))
    }
}
