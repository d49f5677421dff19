//! The loose grid: cells that hold boxes, found by their coordinates.

use super::layout::{CellKey, TightRange};
use super::pool::NONE;
use crate::sides::NOTHING;
use educe::Educe;
use throng_core::Corners;

/// The fewest buckets, as a power of two.
const FEWEST_BITS: u32 = 4;

/// A loose cell. One cache line; a search reads all of it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Cell {
    /// Contain all boxes in the cell. They grow with the boxes, and shrink when the cell is cleaned up.
    pub bounds: Corners,
    pub key: CellKey,
    /// The tight cells that the cell is listed in.
    pub listing: TightRange,
    /// The first of its blocks of boxes.
    pub head: u32,
    pub len: u32,
    /// Its index as a leaf.
    pub leaf: u32,
    /// The next cell in its bucket, or the next free one.
    next: u32,
}

impl Cell {
    fn new(key: CellKey, leaf: u32, next: u32) -> Self {
        Self {
            bounds: NOTHING,
            key,
            listing: TightRange::NOWHERE,
            head: NONE,
            len: 0,
            leaf,
            next,
        }
    }

    pub fn is_free(&self) -> bool {
        self.leaf == NONE
    }
}

/// All loose cells, a chained hash table over them, and a list of those that have changed.
#[derive(Debug, Educe)]
#[educe(Clone)]
pub(super) struct LooseCells {
    cells: Vec<Cell>,
    free: u32,
    used: usize,
    /// The first cell of each bucket.
    heads: Vec<u32>,
    bits: u32,
    /// Whether the cell is among `dirty`.
    is_dirty: Vec<bool>,
    /// Cells whose boxes have changed since they were last cleaned up, each once.
    dirty: Vec<u32>,
}

impl LooseCells {
    pub fn new() -> Self {
        Self {
            cells: Vec::new(),
            free: NONE,
            used: 0,
            heads: vec![NONE; 1 << FEWEST_BITS],
            bits: FEWEST_BITS,
            is_dirty: Vec::new(),
            dirty: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.cells.clear();
        self.free = NONE;
        self.used = 0;
        self.heads.fill(NONE);
        self.is_dirty.clear();
        self.dirty.clear();
    }

    #[inline(always)]
    pub fn get(&self, id: u32) -> &Cell {
        &self.cells[id as usize]
    }

    #[inline(always)]
    pub fn get_mut(&mut self, id: u32) -> &mut Cell {
        &mut self.cells[id as usize]
    }

    /// How many cells are in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The cell with this key, if there is one.
    pub fn find(&self, key: CellKey) -> Option<u32> {
        let mut id = self.heads[self.bucket(key)];
        while id != NONE {
            let cell = self.get(id);
            if cell.key == key {
                return Some(id);
            }
            id = cell.next;
        }
        None
    }

    /// Adds a cell with a key that no cell has.
    pub fn make(&mut self, key: CellKey, leaf: u32) -> u32 {
        if self.used >= self.heads.len() {
            self.rehash(self.bits + 1);
        }
        self.used += 1;
        let bucket = self.bucket(key);
        let cell = Cell::new(key, leaf, self.heads[bucket]);
        let id = if self.free == NONE {
            self.cells.push(cell);
            self.is_dirty.push(false);
            (self.cells.len() - 1) as u32
        } else {
            let id = self.free;
            self.free = self.get(id).next;
            *self.get_mut(id) = cell;
            id
        };
        self.heads[bucket] = id;
        id
    }

    /// Removes an empty cell.
    pub fn drop_cell(&mut self, id: u32) {
        debug_assert!(self.get(id).len == 0 && !self.is_dirty[id as usize]);
        let Cell { key, next, .. } = *self.get(id);
        let bucket = self.bucket(key);
        if self.heads[bucket] == id {
            self.heads[bucket] = next;
        } else {
            let mut at = self.heads[bucket];
            while self.get(at).next != id {
                at = self.get(at).next;
            }
            self.get_mut(at).next = next;
        }
        *self.get_mut(id) = Cell::new(key, NONE, self.free);
        self.free = id;
        self.used -= 1;
    }

    /// Reduces the number of buckets if there are far too many; O(cells) then.
    pub fn shrink_table(&mut self) {
        if self.bits > FEWEST_BITS && self.used * 8 < self.heads.len() {
            let bits = self.used.next_power_of_two().ilog2().max(FEWEST_BITS);
            self.rehash(bits);
            self.heads.shrink_to_fit();
        }
    }

    fn rehash(&mut self, bits: u32) {
        self.bits = bits;
        self.heads.clear();
        self.heads.resize(1 << bits, NONE);
        for id in 0..self.cells.len() {
            if !self.cells[id].is_free() {
                let bucket = self.bucket(self.cells[id].key);
                self.cells[id].next = self.heads[bucket];
                self.heads[bucket] = id as u32;
            }
        }
    }

    fn bucket(&self, key: CellKey) -> usize {
        key.bucket(self.bits)
    }

    /// Records that a cell's boxes have changed. Reads a byte rather than the cell, because an update does this for
    /// every box that moves.
    #[inline(always)]
    pub fn mark(&mut self, id: u32) {
        if !self.is_dirty[id as usize] {
            self.is_dirty[id as usize] = true;
            self.dirty.push(id);
        }
    }

    /// Whether most cells have changed.
    pub fn are_mostly_dirty(&self) -> bool {
        2 * self.dirty.len() > self.used
    }

    /// Sorts the cells that have changed in the order in which they are walked, so that cleaning them up goes through
    /// memory in order.
    pub fn sort_dirty(&mut self, order: &[u32]) {
        self.dirty.clear();
        let dirty = order
            .iter()
            .rev()
            .filter(|&&id| id != NONE && self.is_dirty[id as usize]);
        self.dirty.extend(dirty);
    }

    /// Takes a cell from the list of those that have changed.
    pub fn next_dirty(&mut self) -> Option<u32> {
        let id = self.dirty.pop()?;
        self.is_dirty[id as usize] = false;
        Some(id)
    }

    pub fn is_dirty(&self, id: u32) -> bool {
        self.is_dirty[id as usize]
    }

    /// How many cells there is memory for, in use or free.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
            + (self.heads.capacity() + self.dirty.capacity()) * size_of::<u32>()
            + self.is_dirty.capacity()
    }
}
