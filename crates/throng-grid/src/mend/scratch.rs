//! Lists that a mend fills and the next one fills again.

use crate::leaf::{Bounds, Leaf};
use crate::partition::EXACT_WORDS;

/// Working memory of mends.
#[derive(Debug, Default)]
pub(crate) struct MendScratch {
    /// Rows that come or go.
    pub(super) changes: Vec<u32>,
    /// Those of them that the index has.
    pub(super) sought: Vec<u32>,
    /// Which of the moved rows leave a leaf, or come into one.
    pub(super) crossing: Vec<u32>,
    /// Leaf in the upper half and place in it in the lower one.
    pub(crate) departures: Vec<u64>,
    pub(super) arrivals: Vec<Arrival>,
    /// Strip and block of leaves that rows have been carried from or to, ascending.
    pub(crate) changed: Vec<(i32, i32)>,
    pub(super) stretches: Vec<Stretch>,
    /// Leaves where there were none.
    pub(super) founded: Vec<Leaf>,
    /// Leaves whose bounds may be too wide; some may be listed repeatedly.
    pub(super) loose: Vec<u32>,
    /// Rows that were rejected and are no longer, or may not be; and rows that are rejected now.
    pub(super) readmitted: Vec<u32>,
    pub(super) rejected: Vec<u32>,
    /// Bounds of centers that came, and of those that went from a side of their leaf.
    pub(super) come: Bounds,
    pub(super) gone: Bounds,
    /// Whether pieces must be cut again, whether some leaves are empty, and whether some have got other memory.
    pub(super) recut: bool,
    pub(super) emptied: bool,
    pub(super) relocated: bool,
}

/// A record on its way into a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    /// Strip and column. Keys ascend as these do.
    pub key: u64,
    /// Before which of the leaf's records it belongs, and then where it is put.
    pub at: u32,
    pub record: [u32; EXACT_WORDS],
}

/// Records of a leaf that keep their neighbors, and how many places they move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub first: u32,
    pub end: u32,
    pub by: i32,
}

impl MendScratch {
    pub(crate) fn clear(&mut self) {
        let Self {
            changes: _,
            sought: _,
            crossing,
            departures,
            arrivals,
            changed,
            stretches: _,
            founded,
            loose,
            readmitted,
            rejected,
            come,
            gone,
            recut,
            emptied,
            relocated,
        } = self;
        crossing.clear();
        departures.clear();
        arrivals.clear();
        changed.clear();
        founded.clear();
        loose.clear();
        readmitted.clear();
        rejected.clear();
        (*come, *gone) = (Bounds::NONE, Bounds::NONE);
        *recut = false;
        *emptied = false;
        *relocated = false;
    }

    /// Lists those rows that come or go and that the index has.
    pub(super) fn list_sought(&mut self, has: impl Fn(usize) -> bool) {
        let had = self
            .changes
            .iter()
            .copied()
            .filter(|&row| has(row as usize));
        self.sought.clear();
        self.sought.extend(had);
    }

    /// Whether leaves have come or gone, or are elsewhere in memory.
    pub(super) fn have_leaves_moved(&self) -> bool {
        self.emptied || self.relocated || !self.founded.is_empty()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let rows = [
            &self.changes,
            &self.sought,
            &self.crossing,
            &self.loose,
            &self.readmitted,
            &self.rejected,
        ];
        rows.map(|rows| rows.capacity() * size_of::<u32>())
            .iter()
            .sum::<usize>()
            + self.departures.capacity() * size_of::<u64>()
            + self.arrivals.capacity() * size_of::<Arrival>()
            + self.changed.capacity() * size_of::<(i32, i32)>()
            + self.stretches.capacity() * size_of::<Stretch>()
            + self.founded.capacity() * size_of::<Leaf>()
    }
}
