//! Which meetings have events.

use educe::Educe;

use crate::world::config::{BroadphaseConfig, EventsWith};
use crate::world::ids::CategoryId;
use crate::world::meets::{IdsByName, MeetingTable};

/// Which categories ask for the events of which.
///
/// Stored as the lists of the config, sorted, rather than as a table of all pairs, as who meets whom is.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct EventTable {
    /// Per category. Empty if nobody asks.
    asks: Vec<Asks>,
    /// Per category, whether it asks, or somebody asks for it.
    concerned: Vec<bool>,
}

/// How often it is asked whether two categories meet, at most.
const MOST_LOOKS: usize = 1 << 22;

/// Whose events a category asks for.
#[derive(Educe)]
#[educe(Clone)]
enum Asks {
    Nobody,
    Everybody,
    /// Ids, ascending.
    These(Vec<u16>),
}

impl EventTable {
    /// O(m log m + c) for m listed names and c categories, plus up to [`MOST_LOOKS`] looks at who meets whom; `config` must be
    /// checked, and `meetings` made of it.
    pub(crate) fn new(config: &BroadphaseConfig, meetings: &MeetingTable) -> Self {
        let categories = &config.categories;
        if categories.iter().all(|category| category.events.is_off()) {
            return Self::default();
        }
        let ids = IdsByName::new(config);
        let asks = categories.iter().map(|category| match &category.events {
            EventsWith::Nobody => Asks::Nobody,
            EventsWith::Everybody => Asks::Everybody,
            EventsWith::These(names) => Asks::These(ids.sorted(names)),
        });
        let asks: Vec<Asks> = asks.collect();
        let ask_all = asks.iter().map(|asks| matches!(asks, Asks::Everybody));
        let mut concerned: Vec<bool> = ask_all.collect();
        let everybody: Vec<CategoryId> = (0..asks.len())
            .filter(|&category| concerned[category])
            .map(CategoryId::from_index)
            .collect();
        // Where that would take long, remembering rows for nothing is the lesser evil.
        let is_worth_it = everybody.len().saturating_mul(asks.len()) <= MOST_LOOKS;
        for (category, concerned) in concerned.iter_mut().enumerate() {
            let own = CategoryId::from_index(category);
            let is_met = || everybody.iter().any(|&other| meetings.meets(own, other));
            *concerned |= !everybody.is_empty() && (!is_worth_it || is_met());
        }
        for (category, asks) in asks.iter().enumerate() {
            if let Asks::These(list) = asks {
                concerned[category] |= !list.is_empty();
                list.iter()
                    .for_each(|&id| concerned[usize::from(id)] = true);
            }
        }
        Self { asks, concerned }
    }

    /// Whether nobody asks.
    pub(crate) fn is_empty(&self) -> bool {
        self.asks.is_empty()
    }

    /// Whether two categories that meet have events: if either asks for the other's.
    pub(crate) fn has_events(&self, [a, b]: [CategoryId; 2]) -> bool {
        let asks = |of: CategoryId, other: CategoryId| match self.asks.get(of.index()) {
            None | Some(Asks::Nobody) => false,
            Some(Asks::Everybody) => true,
            Some(Asks::These(list)) => list.binary_search(&other.raw()).is_ok(),
        };
        asks(a, b) || asks(b, a)
    }

    /// Whether a category may be in a meeting that has events.
    pub(crate) fn concerns(&self, category: usize) -> bool {
        self.concerned
            .get(category)
            .is_some_and(|&concerned| concerned)
    }
}
