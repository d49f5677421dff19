//! Pairs of proxies that never meet.

use std::collections::HashMap;

use crate::world::ids::ProxyId;

/// The excluded pairs, from both sides.
///
/// A search asks here only about rows that are marked as being in such a pair. Invariants, checked by
/// [`validate`](Self::validate): lists are ascending and not empty; each entry is in its partner's list too; both live, and
/// their rows are marked.
#[derive(Debug, Default)]
pub(crate) struct Exclusions {
    partners: HashMap<ProxyId, Vec<ProxyId>>,
}

impl Exclusions {
    /// Whether the two are an excluded pair. O(log k) for k partners.
    pub(crate) fn contains(&self, a: ProxyId, b: ProxyId) -> bool {
        let partners = self.partners.get(&a);
        partners.is_some_and(|partners| partners.binary_search(&b).is_ok())
    }

    /// Excludes two different proxies; returns whether they were not. O(k).
    pub(crate) fn insert(&mut self, a: ProxyId, b: ProxyId) -> bool {
        let mut is_new = false;
        for (a, b) in [(a, b), (b, a)] {
            let partners = self.partners.entry(a).or_default();
            if let Err(place) = partners.binary_search(&b) {
                partners.insert(place, b);
                is_new = true;
            }
        }
        is_new
    }

    /// Includes them again; returns whether they were excluded. O(k).
    pub(crate) fn remove(&mut self, a: ProxyId, b: ProxyId) -> bool {
        let mut was_there = false;
        for (a, b) in [(a, b), (b, a)] {
            let Some(partners) = self.partners.get_mut(&a) else {
                continue;
            };
            if let Ok(place) = partners.binary_search(&b) {
                partners.remove(place);
                was_there = true;
            }
            if partners.is_empty() {
                self.partners.remove(&a);
            }
        }
        was_there
    }

    /// Whether a proxy is in any excluded pair.
    pub(crate) fn has(&self, id: ProxyId) -> bool {
        self.partners.contains_key(&id)
    }

    /// The last of a proxy's partners, if it has any.
    pub(crate) fn last_partner(&self, id: ProxyId) -> Option<ProxyId> {
        self.partners.get(&id)?.last().copied()
    }

    pub(crate) fn clear(&mut self) {
        self.partners.clear();
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.partners.values_mut().for_each(Vec::shrink_to_fit);
        self.partners.shrink_to_fit();
    }

    /// How many proxies are in excluded pairs.
    pub(crate) fn proxies(&self) -> usize {
        self.partners.len()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = self.partners.values().map(Vec::capacity).sum::<usize>();
        self.partners.capacity() * size_of::<(ProxyId, Vec<ProxyId>)>()
            + lists * size_of::<ProxyId>()
    }

    /// Checks the invariants; `mark` says whether a proxy's row is marked, if it lives. O(pairs).
    pub(crate) fn validate(&self, mark: impl Fn(ProxyId) -> Option<bool>) -> Result<(), String> {
        for (&id, partners) in &self.partners {
            let is_list = !partners.is_empty() && partners.is_sorted_by(|a, b| a < b);
            let is_mutual = partners.iter().all(|&partner| self.contains(partner, id));
            if !is_list || !is_mutual || mark(id) != Some(true) {
                return Err(format!("{id:?} is excluded from meeting {partners:?}"));
            }
        }
        Ok(())
    }
}
