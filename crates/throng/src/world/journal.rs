//! Who stood where when the index was built.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::world::ids::{ProxyId, Row};

/// The rows of one category that have changed hands since its index was built, and who stood in
/// them then.
///
/// The index names rows as they were; inserts, removes and migrations have moved them since. Before
/// a row first changes hands its occupant is noted here, so that a hit on any row can be traced to
/// the proxy it was built from:
///
/// ```text
/// indexed      0:a 1:b 2:c
/// remove(b)    0:a 1:c          noted: 1 -> b, 2 -> c
/// insert(d)    0:a 1:c 2:d      nothing new: row 2 is noted already
/// hit on row   0 -> a           not noted: whoever stands there now
///              1 -> b           removed since: the id is stale, no hit
///              2 -> c           found where it was, though now in row 1
/// ```
///
/// Invariant: every row below `indexed` that is not noted holds the proxy it held when the index
/// was built.
#[derive(Default)]
pub(crate) struct RowJournal {
    indexed: Row,
    noted: HashMap<Row, ProxyId, BuildHasherDefault<RowHasher>>,
}

impl RowJournal {
    /// Starts over: the index now names `rows` rows as they are. Keeps its memory.
    pub(crate) fn restart(&mut self, rows: usize) {
        self.indexed = rows as Row;
        // Clearing costs as much as the table has room for, which may be much.
        if !self.noted.is_empty() {
            self.noted.clear();
        }
    }

    /// To be called before `row` passes from `occupant` to another, or to none.
    #[inline]
    pub(crate) fn note(&mut self, row: Row, occupant: ProxyId) {
        if row < self.indexed {
            self.noted.entry(row).or_insert(occupant);
        }
    }

    /// Who stood in `row` when the index was built, if that is someone else than may stand there
    /// now.
    #[inline]
    pub(crate) fn occupant(&self, row: Row) -> Option<ProxyId> {
        if self.noted.is_empty() {
            None
        } else {
            self.noted.get(&row).copied()
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        // One byte of the table's own per entry.
        self.noted.capacity() * (size_of::<(Row, ProxyId)>() + 1)
    }
}

/// Scrambles a row number by one multiplication (Knuth's multiplicative hashing); rows come from
/// our own columns, so nobody can choose them to collide.
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
        // The table takes its bucket from the low bits and its tag from the high ones: fold the
        // product.
        let product = (self.0 ^ u64::from(row)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
