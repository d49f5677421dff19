//! Pairs of proxies that never meet.

use crate::world::index_map::{IndexMap, table_bytes};

/// The excluded pairs, from both sides. Proxies are named by their slots, because both are forgotten before either's slot is
/// given to another; so a search need not look up generations.
///
/// A search looks here only for a row that has more partners than are [noted in it](Partners). Invariants, checked by
/// [`validate`](Self::validate): lists are ascending and not empty; each entry is in its partner's list too; both live,
/// and their rows have them noted.
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

/// The partners of the proxy in a row, ascending, if they are few: what a search compares with, beside the row's other columns. To look for
/// each pair in a table took a crowd of chains, in which half of all pairs are excluded, three to five times as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partners([u32; Self::FEW]);

/// None at all.
impl Default for Partners {
    fn default() -> Self {
        Self([Self::NONE; Self::FEW])
    }
}

impl Partners {
    /// As many as the joints of a limb.
    const FEW: usize = 4;
    /// No proxy has these slots: there are not so many.
    const NONE: u32 = u32::MAX;
    const MORE: u32 = u32::MAX - 1;

    fn of(slots: &[u32]) -> Self {
        let mut partners = Self::default();
        if let Some(room) = partners.0.get_mut(..slots.len()) {
            room.copy_from_slice(slots);
            return partners;
        }
        partners.0 = [Self::MORE, 0, 0, 0];
        for &slot in slots {
            let (word, bit) = Self::bit_of(slot);
            partners.0[word] |= bit;
        }
        partners
    }

    /// Of more partners than there is room for, only a bit is noted, which others may share.
    #[inline]
    fn bit_of(slot: u32) -> (usize, u32) {
        let hash = slot.wrapping_mul(0x9E37_79B9);
        (1 + (hash >> 16) as usize % 3, 1 << (hash >> 27))
    }

    /// Whether a proxy is among them; `None` if that cannot be told from what is noted.
    #[inline]
    pub(crate) fn have(self, slot: u32) -> Option<bool> {
        let [a, b, c, d] = self.0;
        if a == Self::MORE {
            let (word, bit) = Self::bit_of(slot);
            return if self.0[word] & bit == 0 {
                Some(false)
            } else {
                None
            };
        }
        Some((a == slot) | (b == slot) | (c == slot) | (d == slot))
    }

    /// Whether there are none.
    #[inline]
    pub(crate) fn are_none(self) -> bool {
        self.0[0] == Self::NONE
    }
}

impl Exclusions {
    /// What a proxy's row notes of its partners.
    pub(crate) fn noted(&self, slot: u32) -> Partners {
        Partners::of(self.partners(slot))
    }

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
    fn has(&self, slot: u32) -> bool {
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

    /// Checks the invariants; `in_row` says what is noted in the row of a slot's proxy, if there is one. O(pairs).
    pub(crate) fn validate(&self, in_row: impl Fn(u32) -> Option<Partners>) -> Result<(), String> {
        for (&slot, partners) in &self.partners {
            let is_list = !partners.is_empty() && partners.is_sorted_by(|a, b| a < b);
            let is_mutual = partners.iter().all(|&partner| self.contains(partner, slot));
            if !is_list || !is_mutual || in_row(slot) != Some(Partners::of(partners)) {
                return Err(format!("slot {slot} is excluded from meeting {partners:?}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_partners_are_told_exactly_and_of_many_most_others_are() {
        for count in 0..60_u32 {
            let slots: Vec<u32> = (0..count).map(|k| k * 37 + 5).collect();
            let partners = Partners::of(&slots);
            let is_exact = slots.len() <= Partners::FEW;
            assert_eq!(partners.are_none(), count == 0);
            let told = |slot| partners.have(slot);
            let expected = is_exact.then_some(true);
            assert!(slots.iter().all(|&slot| told(slot) == expected), "{count}");
            let others = (0..3000).filter(|slot| !slots.contains(slot));
            let untold = others.filter(|&slot| told(slot).is_none()).count();
            assert!(!is_exact || untold == 0);
            // Ten of 96 bits are taken by as many partners at most.
            assert!(count > 10 || untold < 400, "{count}: {untold}");
        }
        assert_eq!(Partners::of(&[1, 2]).have(0), Some(false));
    }
}
