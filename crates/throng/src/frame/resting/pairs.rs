//! The pairs of two that rest.

use crate::world::ids::{CategoryId, ProxyId};
use educe::Educe;
use throng_core::{for_both, prefetch};

/// Two proxies that rest and whose boxes overlap: see [`Broadphase::resting_pairs`](crate::Broadphase::resting_pairs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RestingPair {
    /// The two proxies: lower category first; within one category, the one whose row was the lower when they came to rest.
    pub ids: [ProxyId; 2],
    /// Their categories.
    pub categories: [CategoryId; 2],
}

/// All pairs of two that rest, next to each other, and for each proxy a list of its own pairs.
///
/// The lists are linked through the pairs, so that whoever wakes finds all its pairs, and takes each out in O(1): the last one
/// moves into the gap.
///
/// ```text
/// pairs   0: a b    1: a c    2: b c         ends   0: a of pair 0    1: b of pair 0    2: a of pair 1 …
/// firsts  a: 2      b: 4      c: 5           links  2 -> 0    4 -> 1    5 -> 3
/// ```
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct RestingPairs {
    pairs: Vec<RestingPair>,
    /// The neighbors of each end in its proxy's list.
    links: Vec<[Link; 2]>,
    /// The first end of each proxy's list, by the proxy's slot. May be shorter than there are slots.
    firsts: Vec<End>,
}

/// One of the two proxies of a pair: twice the pair's place, and one more for the second.
type End = u32;
const NONE: End = End::MAX;

/// By how many proxies or pairs each stage of prefetching is ahead of the next.
const AHEAD: usize = 6;

fn end(pair: usize, side: usize) -> End {
    (2 * pair + side) as End
}

#[derive(Clone, Copy)]
struct Link {
    next: End,
    before: End,
}

impl RestingPairs {
    pub(crate) fn as_slice(&self) -> &[RestingPair] {
        &self.pairs
    }

    /// Adds a pair that is not there yet. O(1).
    fn add(&mut self, pair: RestingPair) {
        let place = self.pairs.len();
        let links = for_both(|side| {
            let slot = pair.ids[side].index() as usize;
            if self.firsts.len() <= slot {
                self.firsts.resize(slot + 1, NONE);
            }
            let next = std::mem::replace(&mut self.firsts[slot], end(place, side));
            Link { next, before: NONE }
        });
        for (side, link) in links.iter().enumerate() {
            if link.next != NONE {
                self.link_mut(link.next).before = end(place, side);
            }
        }
        self.pairs.push(pair);
        self.links.push(links);
    }

    /// Adds pairs that are not there yet. Like [`take_out_of_each`](Self::take_out_of_each), it waits for memory once for several.
    pub(crate) fn add_all(&mut self, pairs: &[RestingPair]) {
        for (place, &pair) in pairs.iter().enumerate() {
            for id in pairs
                .get(place + 2 * AHEAD)
                .iter()
                .flat_map(|pair| pair.ids)
            {
                prefetch(&self.firsts, id.index());
            }
            for id in pairs.get(place + AHEAD).iter().flat_map(|pair| pair.ids) {
                if let Some(&first) = self.firsts.get(id.index() as usize) {
                    // `NONE` is beyond the last link, so nothing is prefetched for it.
                    prefetch(&self.links, first / 2);
                }
            }
            self.add(pair);
        }
    }

    /// Takes out all pairs of whoever has or had a slot. O(pairs taken out).
    fn take_out(&mut self, slot: u32, mut visit: impl FnMut(RestingPair)) {
        while let Some(&first) = self.firsts.get(slot as usize)
            && first != NONE
        {
            visit(self.remove(first as usize / 2));
        }
    }

    /// The same for whoever has or had each of some slots. Where many wake at once, this waits for memory once for several of them: what
    /// is known of a pair may be anywhere in memory.
    pub(crate) fn take_out_of_each(&mut self, slots: &[u32], mut visit: impl FnMut(RestingPair)) {
        for (place, &slot) in slots.iter().enumerate() {
            self.prefetch_for([3, 2, 1].map(|times| slots.get(place + times * AHEAD).copied()));
            self.take_out(slot, &mut visit);
        }
    }

    /// Prefetches for three slots that are further on, the furthest first: for that one, where its list begins; for the second, its first
    /// pair; for the third, what is linked to that pair. Also what is linked to a pair that will soon be the last.
    fn prefetch_for(&self, [furthest, second, soonest]: [Option<u32>; 3]) {
        let first_pair = |slot: u32| match self.firsts.get(slot as usize) {
            Some(&first) if first != NONE => Some(first as usize / 2),
            _ => None,
        };
        if let Some(slot) = furthest {
            prefetch(&self.firsts, slot);
        }
        if let Some(pair) = second.and_then(first_pair) {
            prefetch(&self.pairs, pair as u32);
            prefetch(&self.links, pair as u32);
        }
        if let Some(pair) = soonest.and_then(first_pair) {
            self.prefetch_beside(pair);
        }
        if let Some(last) = self.pairs.len().checked_sub(1 + AHEAD) {
            self.prefetch_beside(last);
        }
    }

    /// Prefetches what is next to a pair in the lists of both.
    fn prefetch_beside(&self, pair: usize) {
        for (link, id) in self.links[pair].iter().zip(self.pairs[pair].ids) {
            prefetch(&self.links, link.next / 2);
            if link.before == NONE {
                prefetch(&self.firsts, id.index());
            } else {
                prefetch(&self.links, link.before / 2);
            }
        }
    }

    /// Takes out all pairs, the last first.
    pub(crate) fn take_out_all(&mut self, visit: impl FnMut(RestingPair)) {
        self.links.clear();
        self.firsts.clear();
        self.pairs.drain(..).rev().for_each(visit);
    }

    fn remove(&mut self, place: usize) -> RestingPair {
        for side in [0, 1] {
            let Link { next, before } = self.links[place][side];
            self.point_to(place, side, next);
            if next != NONE {
                self.link_mut(next).before = before;
            }
        }
        let last = self.pairs.len() - 1;
        let pair = self.pairs.swap_remove(place);
        self.links.swap_remove(place);
        if place != last {
            for side in [0, 1] {
                let Link { next, .. } = self.links[place][side];
                // Whatever points to where the end was before it moved.
                self.point_to(place, side, end(place, side));
                if next != NONE {
                    self.link_mut(next).before = end(place, side);
                }
            }
        }
        pair
    }

    /// Whatever points to an end, points to `target` from now on.
    fn point_to(&mut self, place: usize, side: usize, target: End) {
        let before = self.links[place][side].before;
        if before == NONE {
            let slot = self.pairs[place].ids[side].index() as usize;
            self.firsts[slot] = target;
        } else {
            self.link_mut(before).next = target;
        }
    }

    fn link_mut(&mut self, end: End) -> &mut Link {
        &mut self.links[end as usize / 2][end as usize % 2]
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<RestingPair>()
            + self.links.capacity() * size_of::<[Link; 2]>()
            + self.firsts.capacity() * size_of::<End>()
    }

    /// Bytes of the pairs that there are, and of the lists of all proxies.
    pub(crate) fn used_bytes(&self) -> usize {
        let of_one = size_of::<RestingPair>() + size_of::<[Link; 2]>();
        self.pairs.len() * of_one + size_of_val(&*self.firsts)
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.pairs.shrink_to_fit();
        self.links.shrink_to_fit();
        let used = self.firsts.iter().rposition(|&first| first != NONE);
        self.firsts.truncate(used.map_or(0, |last| last + 1));
        self.firsts.shrink_to_fit();
    }

    /// Checks that each list has the pairs of its proxy and no others. O(pairs + slots).
    pub(crate) fn validate(&self) -> Result<(), String> {
        let mut ends = 0;
        for (slot, &first) in self.firsts.iter().enumerate() {
            let (mut at, mut before) = (first, NONE);
            while at != NONE {
                let (place, side) = (at as usize / 2, at as usize % 2);
                let link = self.links.get(place).ok_or("a list leads nowhere")?[side];
                let of = self.pairs[place].ids[side].index() as usize;
                if (of, link.before) != (slot, before) {
                    return Err(format!("the list of slot {slot} is broken at pair {place}"));
                }
                (before, at) = (at, link.next);
                ends += 1;
            }
        }
        if ends == 2 * self.pairs.len() {
            Ok(())
        } else {
            Err(format!(
                "{} resting pairs have {ends} ends in lists",
                self.pairs.len()
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn pair(a: u32, b: u32) -> RestingPair {
        RestingPair {
            ids: [a, b].map(|slot| ProxyId::from_bits(u64::from(slot))),
            categories: [CategoryId::new(0); 2],
        }
    }

    fn slots(pair: &RestingPair) -> [u32; 2] {
        pair.ids.map(ProxyId::index)
    }

    proptest! {
        #[test]
        fn whoever_wakes_takes_all_its_pairs_along(
            // Up to 39 at once, more than are prefetched ahead.
            operations in prop::collection::vec((any::<bool>(), prop::collection::vec((0..40_u32, 0..40_u32), 1..40)), 0..30),
        ) {
            let (mut pairs, mut model) = (RestingPairs::default(), BTreeSet::new());
            for (adds, ends) in operations {
                if adds {
                    let is_new = |&(a, b): &(u32, u32)| a != b && !model.contains(&[b, a]) && model.insert([a, b]);
                    let new: Vec<_> = ends.into_iter().filter(is_new).map(|(a, b)| pair(a, b)).collect();
                    pairs.add_all(&new);
                } else {
                    let woken: Vec<u32> = ends.iter().map(|ends| ends.0).collect();
                    let mut taken = BTreeSet::new();
                    pairs.take_out_of_each(&woken, |pair| assert!(taken.insert(slots(&pair))));
                    let wakes = |pair: &[u32; 2]| pair.iter().any(|slot| woken.contains(slot));
                    let (gone, kept): (BTreeSet<_>, _) = model.iter().copied().partition(wakes);
                    prop_assert_eq!(&taken, &gone);
                    model = kept;
                }
                prop_assert_eq!(pairs.validate(), Ok(()));
                let all: BTreeSet<_> = pairs.as_slice().iter().map(slots).collect();
                prop_assert_eq!((&all, all.len()), (&model, pairs.as_slice().len()));
            }
            pairs.shrink_to_fit();
            prop_assert_eq!(pairs.validate(), Ok(()));
            let mut taken = 0;
            pairs.take_out_all(|_| taken += 1);
            prop_assert_eq!(taken, model.len());
            prop_assert_eq!(pairs.validate(), Ok(()));
        }
    }
}
