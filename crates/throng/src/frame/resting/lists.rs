//! What the pairs of a step say about who will rest and who will wake, chunk by chunk.

use crossbeam::utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};

use crate::world::ids::{CategoryId, Row};

/// How the pairs of a chunk change who rests.
#[derive(Default)]
pub(crate) struct RestList {
    pub(super) categories: [CategoryId; 2],
    /// Pairs that are about to settle, if any may be.
    pub(crate) settling: Vec<[Row; 2]>,
    /// Rows that are about to wake: on the first side, and on the second.
    pub(crate) touched: [Vec<Row>; 2],
    /// Bytes of both when they were last counted.
    pub(super) counted: usize,
}

/// The lists of all chunks.
#[derive(Default)]
pub(super) struct RestLists {
    lists: Vec<CachePadded<Mutex<RestList>>>,
    /// How many of them belong to the step; the others keep their memory.
    used: usize,
    /// Bytes of all lists, as last counted.
    bytes: usize,
}

impl RestList {
    fn clear(&mut self) {
        self.settling.clear();
        self.touched.iter_mut().for_each(Vec::clear);
    }

    fn used_bytes(&self) -> usize {
        let [one, other] = &self.touched;
        size_of_val(&*self.settling) + size_of_val(&**one) + size_of_val(&**other)
    }

    fn memory_bytes(&self) -> usize {
        let touched = self
            .touched
            .iter()
            .map(|rows| rows.capacity() * size_of::<Row>());
        self.settling.capacity() * size_of::<[Row; 2]>() + touched.sum::<usize>()
    }
}

impl RestLists {
    /// Empty lists for so many chunks.
    pub(super) fn begin_step(&mut self, chunks: usize) {
        self.used = chunks;
        if self.lists.len() < chunks {
            self.lists.resize_with(chunks, Default::default);
        }
        self.used_mut().for_each(RestList::clear);
    }

    /// The list of a chunk, if it has one.
    pub(super) fn of_chunk(
        &self,
        chunk: usize,
        categories: [CategoryId; 2],
    ) -> Option<MutexGuard<'_, RestList>> {
        let mut list = self.lists[..self.used].get(chunk)?.lock();
        list.categories = categories;
        Some(list)
    }

    /// Those of the step, in the order of chunks.
    pub(super) fn used_mut(&mut self) -> impl Iterator<Item = &mut RestList> {
        let used = self.lists[..self.used].iter_mut();
        used.map(|list| list.get_mut())
    }

    /// Counts anew what is held by those of the step.
    pub(super) fn count_bytes(&mut self) {
        for list in &mut self.lists[..self.used] {
            let list = list.get_mut();
            let bytes = list.memory_bytes();
            self.bytes += bytes;
            self.bytes -= std::mem::replace(&mut list.counted, bytes);
        }
    }

    /// Bytes in use by the lists of the step.
    pub(super) fn used_bytes(&mut self) -> usize {
        self.used_mut().map(|list| list.used_bytes()).sum()
    }

    /// Bytes of memory that the lists hold, as [counted](Self::count_bytes).
    pub(super) fn held_bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.lists.capacity() * size_of::<CachePadded<Mutex<RestList>>>() + self.bytes
    }
}
