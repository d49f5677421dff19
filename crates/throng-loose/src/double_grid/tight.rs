//! The tight grid: for each tight cell, the loose cells whose bounds reach into it.
//!
//! It is a hash table without keys. The list of a tight cell is that of its bucket, which may also list loose cells of
//! other tight cells. A search tests each loose cell's own bounds and where it is to be reported, so it skips the
//! others. A loose cell is in a bucket once, even if two of its tight cells share that bucket.

use educe::Educe;

use super::layout::{TOP, TightRange, bucket};
use super::pool::{NONE, Node, Pool};

const IDS: usize = 14;
/// The fewest buckets, as a power of two.
const FEWEST_BITS: u32 = 4;

/// Part of a list: one cache line. Only the first node of a list may have free places.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct ListNode {
    ids: [u32; IDS],
    len: u32,
    next: u32,
}

impl Node for ListNode {
    const EMPTY: Self = Self {
        ids: [NONE; IDS],
        len: 0,
        next: NONE,
    };

    fn next(&self) -> u32 {
        self.next
    }

    fn set_next(&mut self, next: u32) {
        self.next = next;
    }
}

#[derive(Debug, Educe)]
#[educe(Clone)]
pub(super) struct TightLists {
    /// First node of each bucket's list.
    heads: Vec<u32>,
    nodes: Pool<ListNode>,
    bits: u32,
    /// How many loose cells each level has.
    pub on_level: [u32; TOP as usize + 1],
}

impl TightLists {
    pub fn new() -> Self {
        Self {
            heads: vec![NONE; 1 << FEWEST_BITS],
            nodes: Pool::default(),
            bits: FEWEST_BITS,
            on_level: [0; TOP as usize + 1],
        }
    }

    /// Empties all lists, with enough buckets for some loose cells.
    pub fn clear(&mut self, cells: usize) {
        self.bits = cells.next_power_of_two().ilog2().max(FEWEST_BITS);
        self.heads.clear();
        self.heads.resize(1 << self.bits, NONE);
        self.nodes.clear();
        self.on_level = [0; TOP as usize + 1];
    }

    /// Whether there are far too few buckets for this many loose cells, or far too many.
    pub fn is_unfit_for(&self, cells: usize) -> bool {
        cells > 2 * self.heads.len() || (self.bits > FEWEST_BITS && cells * 8 < self.heads.len())
    }

    /// The loose cells that may reach into a tight cell, along with others.
    #[inline(always)]
    pub fn list(&self, level: u8, cell: [i32; 2]) -> impl Iterator<Item = u32> {
        let head = self.heads[bucket(self.bits, level, cell)];
        self.nodes
            .chain(head)
            .flat_map(|node| node.ids[..node.len as usize].iter().copied())
    }

    /// Adds a loose cell to the lists of `listing`.
    pub fn enter(&mut self, id: u32, listing: TightRange) {
        self.on_level[listing.level as usize] += 1;
        self.for_each_bucket(listing, |lists, bucket| lists.push(bucket, id));
    }

    /// Removes a loose cell from the lists of `listing`.
    pub fn leave(&mut self, id: u32, listing: TightRange) {
        if listing == TightRange::NOWHERE {
            return;
        }
        self.on_level[listing.level as usize] -= 1;
        self.for_each_bucket(listing, |lists, bucket| lists.remove(bucket, id));
    }

    /// Visits each bucket of a listing once.
    fn for_each_bucket(&mut self, listing: TightRange, mut change: impl FnMut(&mut Self, usize)) {
        let mut buckets = [usize::MAX; 4];
        for (k, cell) in listing.cells().enumerate() {
            let bucket = bucket(self.bits, listing.level, cell);
            if !buckets[..k].contains(&bucket) {
                change(self, bucket);
            }
            buckets[k] = bucket;
        }
    }

    fn push(&mut self, bucket: usize, id: u32) {
        let head = self.heads[bucket];
        if head == NONE || self.nodes.get(head).len as usize == IDS {
            self.heads[bucket] = self.nodes.take(head);
        }
        let node = self.nodes.get_mut(self.heads[bucket]);
        node.ids[node.len as usize] = id;
        node.len += 1;
    }

    /// The last entry of the list takes the place of the removed one.
    fn remove(&mut self, bucket: usize, id: u32) {
        let head = self.heads[bucket];
        let first = self.nodes.get_mut(head);
        first.len -= 1;
        let last = first.ids[first.len as usize];
        let is_empty = first.len == 0;
        let mut at = head;
        while last != id && at != NONE {
            let node = self.nodes.get_mut(at);
            if let Some(entry) = node.ids.iter_mut().find(|entry| **entry == id) {
                *entry = last;
                break;
            }
            at = node.next;
        }
        let first = self.nodes.get_mut(head);
        first.ids[first.len as usize] = NONE;
        if is_empty {
            self.heads[bucket] = self.nodes.give_back(head);
        }
    }

    /// How often a loose cell is in the lists of a listing's buckets, and how many buckets those are. For validation.
    pub fn count(&self, id: u32, listing: TightRange) -> (usize, usize) {
        let mut buckets: Vec<usize> = listing
            .cells()
            .map(|cell| bucket(self.bits, listing.level, cell))
            .collect();
        buckets.sort_unstable();
        buckets.dedup();
        let entries = buckets
            .iter()
            .flat_map(|&bucket| self.nodes.chain(self.heads[bucket]));
        let ids = entries.flat_map(|node| &node.ids[..node.len as usize]);
        (ids.filter(|&&other| other == id).count(), buckets.len())
    }

    /// How many entries there are in all lists.
    pub fn entries(&self) -> usize {
        let nodes = self.heads.iter().flat_map(|&head| self.nodes.chain(head));
        nodes.map(|node| node.len as usize).sum()
    }

    pub fn nodes_add_up(&self) -> bool {
        let in_lists: usize = self
            .heads
            .iter()
            .map(|&head| self.nodes.chain(head).count())
            .sum();
        in_lists == self.nodes.used() && in_lists + self.nodes.count_free() == self.nodes.len()
    }

    pub fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<u32>() + self.nodes.bytes()
    }
}
