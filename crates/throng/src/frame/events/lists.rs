//! The lists of all chunks of a step, which workers write while it searches.

use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};

use crate::frame::events::event::PairEvent;
use crate::frame::events::listed::{FEW, ListedPairs};
use crate::frame::narrowphase::ChunkOutput;
use crate::frame::need::Need;
use crate::world::ids::{CategoryId, Row};

/// What a list takes at least, as it is and while it is open.
const LIST_BYTES: usize = FEW * size_of::<([[Row; 2]; 3], PairEvent)>()
    + 2 * size_of::<CachePadded<Mutex<ListedPairs>>>();

/// The pairs of each chunk of a step.
#[derive(Default)]
pub(crate) struct Lists {
    lists: Vec<ListedPairs>,
    /// How many belong to the step; the others keep their memory.
    used: usize,
    /// Where lists are while workers write them: no two share a cache line.
    open: Vec<CachePadded<Mutex<ListedPairs>>>,
    /// Which lists are not of a chunk, by their categories.
    extras: Vec<([CategoryId; 2], usize)>,
    need: Need,
}

/// Copies only the lists of the step: the others, and open ones, are cleared before they are used.
impl Clone for Lists {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, source: &Self) {
        let Self {
            lists: _,
            used,
            open: _,
            extras,
            need,
        } = source;
        if self.lists.len() < *used {
            self.lists.resize_with(*used, Default::default);
            self.open.resize_with(*used, Default::default);
        }
        for (to, from) in self.lists.iter_mut().zip(source.used()) {
            to.clone_from(from);
        }
        (self.used, self.need) = (*used, *need);
        self.extras.clone_from(extras);
    }
}

impl Lists {
    /// Empty lists for so many chunks, for workers to write until they are [closed](Self::close).
    pub(crate) fn open(&mut self, chunks: usize) {
        if self.lists.len() < chunks {
            self.lists.resize_with(chunks, Default::default);
            self.open.resize_with(chunks, Default::default);
        }
        self.clear();
        for (list, open) in self.lists.iter_mut().zip(&mut self.open) {
            let open = open.get_mut();
            std::mem::swap(list, open);
            open.let_go();
            open.clear();
        }
    }

    /// The list of a chunk, while they are open.
    pub(crate) fn of_chunk(&self, chunk: usize) -> Option<MutexGuard<'_, ListedPairs>> {
        Some(self.open.get(chunk)?.lock())
    }

    /// Keeps the lists of the first chunks.
    pub(crate) fn close(&mut self, chunks: usize) {
        for (list, open) in self.lists.iter_mut().zip(&mut self.open) {
            std::mem::swap(list, open.get_mut());
        }
        self.used = chunks;
    }

    /// Forgets all pairs, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.extras.clear();
    }

    /// A list after those of the chunks, for more pairs of two categories. One list for each pair of categories, in the order
    /// in which they are first asked for. O(log lists), and O(lists) for the first request.
    pub(crate) fn extra(&mut self, categories: [CategoryId; 2]) -> &mut ListedPairs {
        let place = self
            .extras
            .binary_search_by_key(&categories, |extra| extra.0);
        let list = match place {
            Ok(place) => self.extras[place].1,
            Err(place) => {
                if self.lists.len() == self.used {
                    self.lists.push(ListedPairs::default());
                    self.open.push(CachePadded::default());
                }
                let list = &mut self.lists[self.used];
                list.clear();
                list.categories = categories;
                self.extras.insert(place, (categories, self.used));
                self.used += 1;
                self.used - 1
            }
        };
        &mut self.lists[list]
    }

    pub(crate) fn used(&self) -> &[ListedPairs] {
        &self.lists[..self.used]
    }

    pub(crate) fn used_mut(&mut self) -> &mut [ListedPairs] {
        &mut self.lists[..self.used]
    }

    /// How many began or ended.
    pub(crate) fn told(&self) -> usize {
        self.used().iter().map(ListedPairs::events).sum()
    }

    /// Gives back memory that has not been needed for long.
    pub(crate) fn let_go(&mut self) {
        self.lists.iter_mut().for_each(ListedPairs::let_go);
        let [used, held] = [self.used, self.lists.len()].map(|lists| lists * LIST_BYTES);
        if self.need.holds_too_much(used, held) {
            self.lists.truncate(self.used);
            self.open.truncate(self.used);
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.lists.truncate(self.used);
        self.lists.shrink_to_fit();
        self.open.truncate(self.used);
        self.open.shrink_to_fit();
        self.lists.iter_mut().for_each(ListedPairs::shrink_to_fit);
        for open in &mut self.open {
            *open = CachePadded::default();
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = self.lists.iter().map(ListedPairs::held_bytes);
        let open = self.open.capacity() * size_of::<CachePadded<Mutex<ListedPairs>>>();
        let extras = self.extras.capacity() * size_of::<([CategoryId; 2], usize)>();
        lists.sum::<usize>() + self.lists.capacity() * size_of::<ListedPairs>() + open + extras
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_memory_and_nothing_else() {
        let mut lists = Lists::default();
        for chunks in [3, 1, 0, 2] {
            lists.open(chunks);
            assert_eq!(lists.used().len(), 0);
            for chunk in 0..chunks {
                let mut list = lists.of_chunk(chunk).unwrap();
                assert!(list.pairs.is_empty() && list.told.rows.is_empty());
                list.pairs.push([chunk as Row, 7]);
                list.told.rows.push([7, 7]);
            }
            lists.close(chunks);
            let firsts: Vec<_> = lists.used().iter().map(|list| list.pairs[0][0]).collect();
            assert_eq!(firsts, (0..chunks as Row).collect::<Vec<_>>());
            assert_eq!(lists.told(), chunks);
        }
        assert_eq!(lists.lists.len(), 3);
        lists.shrink_to_fit();
        assert_eq!(lists.lists.len(), 2);
    }

    #[test]
    fn each_pair_of_categories_gets_one_extra_list() {
        let mut lists = Lists::default();
        lists.open(2);
        lists.close(2);
        let of = |a, b| [a, b].map(CategoryId::new);
        for k in 0..100 {
            let categories = [of(0, 1), of(0, 0), of(1, 1)][k % 3];
            lists.extra(categories).pairs.push([k as Row, 0]);
        }
        let extras = &lists.used()[2..];
        let all = extras
            .iter()
            .map(|list| (list.categories, list.pairs.len()));
        assert!(all.eq([(of(0, 1), 34), (of(0, 0), 33), (of(1, 1), 33)]));
        lists.open(1);
        lists.close(1);
        assert!(lists.extra(of(0, 1)).pairs.is_empty());
        assert_eq!(lists.used().len(), 2);
    }

    #[test]
    fn lists_that_are_not_needed_any_more_are_let_go() {
        let mut lists = Lists::default();
        let step = |lists: &mut Lists, chunks| {
            lists.open(chunks);
            lists.close(chunks);
            lists.let_go();
        };
        step(&mut lists, 1000);
        (0..3).for_each(|_| step(&mut lists, 10));
        assert_eq!(lists.lists.len(), 1000, "others may be needed soon");
        (0..2000).for_each(|_| step(&mut lists, 10));
        assert_eq!((lists.lists.len(), lists.open.len()), (10, 10));
        step(&mut lists, 20);
        assert_eq!(lists.used().len(), 20);
    }
}
