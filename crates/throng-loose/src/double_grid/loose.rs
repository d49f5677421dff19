//! The loose grid: cells that hold boxes, found by their place.

use super::layout::{Place, TightRange};
use super::pool::NONE;
use crate::sides::{Corners, NOTHING};

/// The fewest buckets, as a power of two.
const FEWEST_BITS: u32 = 4;

/// A loose cell: a cache line, all of which a search reads.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Cell {
    /// Holds all boxes in the cell. Grows with them, and shrinks when the cell is cleaned up.
    pub bounds: Corners,
    pub place: Place,
    /// The lower corner of where it is listed, and how far that reaches.
    pub listing: TightRange,
    /// First of its blocks of boxes.
    pub head: u32,
    pub len: u32,
    /// Its number as a leaf.
    pub leaf: u32,
    /// The next cell in its bucket, or the next free one.
    next: u32,
}

impl Cell {
    fn new(place: Place, leaf: u32, next: u32) -> Self {
        Self {
            bounds: NOTHING,
            place,
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

/// All loose cells, with a chained hash table over them, and which of them have changed.
#[derive(Clone, Debug)]
pub(super) struct LooseCells {
    cells: Vec<Cell>,
    free: u32,
    used: usize,
    /// First cell of each bucket.
    heads: Vec<u32>,
    bits: u32,
    /// Whether the cell is among `dirty`.
    is_dirty: Vec<bool>,
    /// Cells whose boxes have changed since they were cleaned up, each once.
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

    /// Cells in use.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The cell at a place, if there is one.
    pub fn find(&self, place: Place) -> Option<u32> {
        let mut id = self.heads[self.bucket(place)];
        while id != NONE {
            let cell = self.get(id);
            if cell.place == place {
                return Some(id);
            }
            id = cell.next;
        }
        None
    }

    /// A new cell at a place where there is none.
    pub fn make(&mut self, place: Place, leaf: u32) -> u32 {
        if self.used >= self.heads.len() {
            self.rehash(self.bits + 1);
        }
        self.used += 1;
        let bucket = self.bucket(place);
        let cell = Cell::new(place, leaf, self.heads[bucket]);
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

    /// Forgets an empty cell.
    pub fn drop_cell(&mut self, id: u32) {
        debug_assert!(self.get(id).len == 0 && !self.is_dirty[id as usize]);
        let Cell { place, next, .. } = *self.get(id);
        let bucket = self.bucket(place);
        if self.heads[bucket] == id {
            self.heads[bucket] = next;
        } else {
            let mut at = self.heads[bucket];
            while self.get(at).next != id {
                at = self.get(at).next;
            }
            self.get_mut(at).next = next;
        }
        *self.get_mut(id) = Cell::new(place, NONE, self.free);
        self.free = id;
        self.used -= 1;
    }

    /// Gives the table a number of buckets that fits, if there are far too many. O(cells) if so.
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
                let bucket = self.bucket(self.cells[id].place);
                self.cells[id].next = self.heads[bucket];
                self.heads[bucket] = id as u32;
            }
        }
    }

    fn bucket(&self, place: Place) -> usize {
        place.bucket(self.bits)
    }

    /// Remembers that a cell's boxes have changed. Reads a byte and not the cell, because an update does
    /// this for every box that moves.
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

    /// Brings the cells that have changed into the order in which they are walked, so that cleaning them up
    /// follows the memory.
    pub fn sort_dirty(&mut self, order: &[u32]) {
        self.dirty.clear();
        let dirty = order
            .iter()
            .rev()
            .filter(|&&id| id != NONE && self.is_dirty[id as usize]);
        self.dirty.extend(dirty);
    }

    /// A cell that has changed; it counts as clean from now on.
    pub fn next_dirty(&mut self) -> Option<u32> {
        let id = self.dirty.pop()?;
        self.is_dirty[id as usize] = false;
        Some(id)
    }

    pub fn is_dirty(&self, id: u32) -> bool {
        self.is_dirty[id as usize]
    }

    /// Cells that there is memory for already, used or not.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
            + (self.heads.capacity() + self.dirty.capacity()) * size_of::<u32>()
            + self.is_dirty.capacity()
    }
}
