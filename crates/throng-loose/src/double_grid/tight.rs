//! The tight grid: for each tight cell, the loose cells whose boxes reach into it.
//!
//! It is a hash table without keys. A tight cell's list is the list of its bucket, in which the loose cells
//! of other tight cells may stand as well; a search asks the loose cell's own box, and where it is to be
//! reported, so whatever else is in the list is passed over. A loose cell stands in a bucket once, even if two
//! of its tight cells share the bucket.

use super::layout::{TOP, TightRange, bucket};
use super::pool::{NONE, Node, Pool};

const IDS: usize = 14;
/// The fewest buckets, as a power of two.
const FEWEST_BITS: u32 = 4;

/// Part of a list: a cache line. A list's first node may have free places, all others are full.
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

#[derive(Clone, Debug)]
pub(super) struct TightLists {
    /// First node of each bucket's list.
    heads: Vec<u32>,
    nodes: Pool<ListNode>,
    bits: u32,
    /// How many loose cells are listed on each level.
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

    /// Empties all lists, with buckets enough for some loose cells.
    pub fn clear(&mut self, cells: usize) {
        self.bits = cells.next_power_of_two().ilog2().max(FEWEST_BITS);
        self.heads.clear();
        self.heads.resize(1 << self.bits, NONE);
        self.nodes.clear();
        self.on_level = [0; TOP as usize + 1];
    }

    /// Whether there are far too few buckets for so many loose cells, or far too many.
    pub fn is_unfit_for(&self, cells: usize) -> bool {
        cells > 2 * self.heads.len() || (self.bits > FEWEST_BITS && cells * 8 < self.heads.len())
    }

    /// The loose cells that may reach into a tight cell, and others.
    #[inline(always)]
    pub fn list(&self, level: u8, cell: [i32; 2]) -> impl Iterator<Item = u32> {
        let head = self.heads[bucket(self.bits, level, cell)];
        self.nodes
            .chain(head)
            .flat_map(|node| node.ids[..node.len as usize].iter().copied())
    }

    /// Lists a loose cell.
    pub fn enter(&mut self, id: u32, listing: TightRange) {
        self.on_level[listing.level as usize] += 1;
        self.for_each_bucket(listing, |lists, bucket| lists.push(bucket, id));
    }

    /// Takes a loose cell out of the lists that it was entered in.
    pub fn leave(&mut self, id: u32, listing: TightRange) {
        if listing == TightRange::NOWHERE {
            return;
        }
        self.on_level[listing.level as usize] -= 1;
        self.for_each_bucket(listing, |lists, bucket| lists.remove(bucket, id));
    }

    /// Each bucket of a listing once.
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

    /// The list's last entry comes to the place of the one removed.
    fn remove(&mut self, bucket: usize, id: u32) {
        let head = self.heads[bucket];
        let first = self.nodes.get_mut(head);
        first.len -= 1;
        let last = first.ids[first.len as usize];
        let is_empty = first.len == 0;
        let mut at = head;
        while last != id && at != NONE {
            let node = self.nodes.get_mut(at);
            if let Some(place) = node.ids.iter_mut().find(|place| **place == id) {
                *place = last;
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

    /// How often a loose cell stands in the lists of a listing's buckets, and how many entries there are
    /// in all lists. For validation.
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

    /// Entries in all lists.
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
