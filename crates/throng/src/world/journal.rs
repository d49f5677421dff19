//! Which proxy was in a row when the index was built.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::world::ids::{ProxyId, Row};

/// The rows of one category that hold another proxy than when its index was built, and which one they held then.
///
/// The index refers to rows as they were; inserts, removes and migrations have moved proxies since. Before a row first
/// changes, its proxy is noted here, so that a hit on any row can be traced to the proxy that the index was built from:
///
/// ```text
/// indexed      0:a 1:b 2:c
/// remove(b)    0:a 1:c          noted: 1 -> b, 2 -> c
/// insert(d)    0:a 1:c 2:d      nothing new: row 2 is noted already
/// hit on row   0 -> a           not noted: the proxy there now
///              1 -> b           removed since: the id is stale, no hit
///              2 -> c           found where it was, though now in row 1
/// ```
///
/// Invariant: every row below `indexed` that is not noted holds the proxy that it held when the index was built.
#[derive(Default)]
pub(crate) struct RowJournal {
    indexed: Row,
    noted: HashMap<Row, ProxyId, BuildHasherDefault<RowHasher>>,
}

impl RowJournal {
    /// Starts over: the index now refers to `rows` rows as they are. Keeps its memory.
    pub(crate) fn restart(&mut self, rows: usize) {
        self.indexed = rows as Row;
        // Clearing takes as long as the table has capacity, which may be large.
        if !self.noted.is_empty() {
            self.noted.clear();
        }
    }

    /// To be called before `row` no longer holds `occupant`.
    #[inline]
    pub(crate) fn note(&mut self, row: Row, occupant: ProxyId) {
        if row < self.indexed {
            self.noted.entry(row).or_insert(occupant);
        }
    }

    /// The proxy that `row` held when the index was built, if it may hold another now.
    #[inline]
    pub(crate) fn occupant(&self, row: Row) -> Option<ProxyId> {
        if self.noted.is_empty() {
            None
        } else {
            self.noted.get(&row).copied()
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        // The table uses one more byte per entry.
        self.noted.capacity() * (size_of::<(Row, ProxyId)>() + 1)
    }
}

/// Hashes a row number by one multiplication (Knuth's multiplicative hashing). Rows come from our own columns, so
/// nobody can choose them to collide.
#[derive(Default)]
pub(crate) struct RowHasher(u64);

impl Hasher for RowHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, row: u32) {
        // The table takes its bucket from the low bits and its tag from the high ones, so fold the product.
        let product = (self.0 ^ u64::from(row)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
