//! Which category meets which.

use std::collections::HashMap;

use educe::Educe;

use crate::world::config::{BroadphaseConfig, CategoryConfig, CategoryKind};
use crate::world::ids::CategoryId;

/// Which categories meet.
///
/// Stored as the lists of the config, sorted, rather than as a table of all pairs: most worlds list few names or none.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct MeetingTable {
    /// The ids in each category's list, ascending; `None` for all.
    lists: Vec<Option<Vec<u16>>>,
    /// Whether each category is scenery.
    fixed: Vec<bool>,
}

impl MeetingTable {
    /// O(m log m + c), for m listed names and c categories; `config` must be checked.
    pub(crate) fn new(config: &BroadphaseConfig) -> Self {
        let ids = IdsByName::new(config);
        let list = |category: &CategoryConfig| Some(ids.sorted(category.meets.as_ref()?));
        Self {
            lists: config.categories.iter().map(list).collect(),
            fixed: config
                .categories
                .iter()
                .map(|category| category.kind == CategoryKind::Scenery)
                .collect(),
        }
    }

    /// Whether at least one of the two moves, and neither list leaves the other out. Symmetric.
    pub(crate) fn meets(&self, a: CategoryId, b: CategoryId) -> bool {
        let admits = |list: &Option<Vec<u16>>, other: CategoryId| {
            list.as_ref()
                .is_none_or(|list| list.binary_search(&other.raw()).is_ok())
        };
        let moves = !(self.fixed[a.index()] && self.fixed[b.index()]);
        moves && admits(&self.lists[a.index()], b) && admits(&self.lists[b.index()], a)
    }
}

/// The categories of a checked config, by name.
pub(crate) struct IdsByName<'c>(HashMap<&'c str, u16>);

impl<'c> IdsByName<'c> {
    pub(crate) fn new(config: &'c BroadphaseConfig) -> Self {
        let categories = config.categories.iter();
        let names = categories.map(|category| category.name.as_str());
        Self(names.zip(0..).collect())
    }

    /// Those of the names, ascending.
    pub(crate) fn sorted(&self, names: &[String]) -> Vec<u16> {
        let mut ids: Vec<u16> = names.iter().map(|name| self.0[name.as_str()]).collect();
        ids.sort_unstable();
        ids
    }
}
