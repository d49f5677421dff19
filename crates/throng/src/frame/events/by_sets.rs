//! Where boxes do not tell, pairs of then and of now are compared as sets of ids.

use std::collections::HashSet;

use crate::frame::events::event::PairEvent;
use crate::frame::events::lists::Lists;
use crate::frame::events::pair_slots::{PairKey, key};
use crate::frame::resting::pairs::RestingPair;
use crate::world::index_map::{IndexHashing, table_bytes};

/// The doubtful pairs of then and of now; memory for them.
#[derive(Default)]
pub(crate) struct Doubts {
    then: PairSet,
    now: PairSet,
}

type PairSet = HashSet<PairKey, IndexHashing>;

impl Doubts {
    /// Drops the doubtful pairs that are in both: what is left of `now` began, and what is left of `then` ended.
    ///
    /// A pair with a row that has changed is doubtful both then and now, so those of the other suffice. Where there were
    /// none then, as in the first step or one in which proxies only came, all of now began. Where there are none now, only those of
    /// then that have come to rest are dropped. O(doubtful pairs).
    pub(crate) fn resolve(&mut self, now: &mut Lists, then: &mut Lists, settled: &[RestingPair]) {
        if !are_any_doubtful(then) {
            return;
        }
        gather(now, &mut self.now);
        self.now.extend(settled.iter().map(|pair| key(pair.ids)));
        if are_any_doubtful(now) {
            gather(then, &mut self.then);
            keep_what_is_not_in(&self.then, now);
        }
        keep_what_is_not_in(&self.now, then);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        table_bytes::<PairKey>(self.then.capacity() + self.now.capacity())
    }
}

fn are_any_doubtful(lists: &Lists) -> bool {
    let mut lists = lists.used().iter();
    lists.any(|list| !list.told.doubtful().is_empty())
}

fn gather(lists: &Lists, pairs: &mut PairSet) {
    // Clearing takes as long as the table has capacity, which may be large.
    if !pairs.is_empty() {
        pairs.clear();
    }
    let told = lists.used().iter().flat_map(|list| list.told.doubtful());
    pairs.extend(told.map(|event| key(event.ids)));
}

fn keep_what_is_not_in(pairs: &PairSet, lists: &mut Lists) {
    for list in lists.used_mut() {
        let is_elsewhere = |event: &PairEvent| pairs.contains(&key(event.ids));
        list.told.keep_doubtful(|event| !is_elsewhere(event));
    }
}
