//! Which proxy was in a row when the index was built.

use educe::Educe;

use crate::world::ids::{ProxyId, Row};
use crate::world::index_map::{IndexMap, clear_table, table_bytes};

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
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct RowJournal {
    indexed: Row,
    noted: IndexMap<ProxyId>,
}

impl RowJournal {
    /// Starts over: the index now refers to `rows` rows as they are. Keeps its memory.
    pub(crate) fn restart(&mut self, rows: usize) {
        self.indexed = rows as Row;
        clear_table(&mut self.noted);
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

    /// The rows that may hold another proxy than when the index was built, in no particular order.
    pub(crate) fn changed_rows(&self) -> impl Iterator<Item = Row> {
        self.noted.keys().copied()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        table_bytes::<(Row, ProxyId)>(self.noted.capacity())
    }
}
