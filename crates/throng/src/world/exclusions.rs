//! Pairs of proxies that never meet.

use crate::world::index_map::{IndexMap, table_bytes};

/// The excluded pairs, from both sides. Proxies are named by their slots, because both are forgotten before either's slot is
/// given to another; so a search need not look up generations.
///
/// A search looks here only for rows that are marked as being in such a pair. Invariants, checked by
/// [`validate`](Self::validate): lists are ascending and not empty; each entry is in its partner's list too; both live,
/// and their rows are marked.
#[derive(Debug, Default)]
pub(crate) struct Exclusions {
    partners: IndexMap<Vec<u32>>,
}

/// `clone_from` reuses the list of each proxy that is in excluded pairs in the source, too; that of the hash table would allocate
/// all lists anew.
impl Clone for Exclusions {
    fn clone(&self) -> Self {
        Self {
            partners: self.partners.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        if !self.partners.is_empty() {
            let is_there = |slot: &u32, _: &mut Vec<u32>| source.has(*slot);
            self.partners.retain(is_there);
        }
        let more = source.proxies().saturating_sub(self.proxies());
        self.partners.reserve(more);
        for (&slot, partners) in &source.partners {
            let list = self.partners.entry(slot).or_default();
            list.clone_from(partners);
        }
    }
}

impl Exclusions {
    /// Whether the two are an excluded pair. O(log k) for k partners.
    pub(crate) fn contains(&self, a: u32, b: u32) -> bool {
        let partners = self.partners.get(&a);
        partners.is_some_and(|partners| partners.binary_search(&b).is_ok())
    }

    /// Excludes a pair of different proxies; returns whether it was not excluded before. O(k).
    pub(crate) fn insert(&mut self, a: u32, b: u32) -> bool {
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

    /// Includes the pair again; returns whether it was excluded. O(k).
    pub(crate) fn remove(&mut self, a: u32, b: u32) -> bool {
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
    pub(crate) fn has(&self, slot: u32) -> bool {
        self.partners.contains_key(&slot)
    }

    /// A proxy's partners, ascending.
    pub(crate) fn partners(&self, slot: u32) -> &[u32] {
        self.partners.get(&slot).map_or(&[], Vec::as_slice)
    }

    /// All pairs, the lower slot first, ascending.
    pub(crate) fn pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        for (&slot, partners) in &self.partners {
            let later = partners.iter().filter(|&&partner| partner > slot);
            pairs.extend(later.map(|&partner| [slot, partner]));
        }
        pairs.sort_unstable();
        pairs
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
        table_bytes::<(u32, Vec<u32>)>(self.partners.capacity()) + lists * size_of::<u32>()
    }

    /// Checks the invariants; `mark` says whether the row of a slot's proxy is marked, if there is one. O(pairs).
    pub(crate) fn validate(&self, mark: impl Fn(u32) -> Option<bool>) -> Result<(), String> {
        for (&slot, partners) in &self.partners {
            let is_list = !partners.is_empty() && partners.is_sorted_by(|a, b| a < b);
            let is_mutual = partners.iter().all(|&partner| self.contains(partner, slot));
            if !is_list || !is_mutual || mark(slot) != Some(true) {
                return Err(format!("slot {slot} is excluded from meeting {partners:?}"));
            }
        }
        Ok(())
    }
}
