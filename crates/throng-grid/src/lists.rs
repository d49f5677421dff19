//! Lists of neighbors on their way from a kernel to the visitor, in batches.

use throng_core::{Arena, LANES, for_both};

/// About how many neighbors come in a batch.
const BATCH: usize = 4096;
/// The most lists in a batch.
const MOST_LISTS: usize = 512;

/// Some rows, and the rows near each of them.
#[derive(Clone, Copy, Debug)]
pub struct ListBatch<'a> {
    /// Whose lists they are.
    pub rows: &'a [u32],
    /// Where each list begins in `neighbors`.
    pub begins: &'a [u32],
    /// Where it ends.
    pub ends: &'a [u32],
    /// The rows in all lists. What stands between two lists means nothing.
    pub neighbors: &'a [u32],
    /// How far to the right of a list's row, and how far above it, each neighbor's center is.
    pub offsets: [&'a [f32]; 2],
}

impl<'a> ListBatch<'a> {
    /// Each row with the range of its list.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> + use<'a> {
        let ends = self.begins.iter().zip(self.ends);
        let ranges = ends.map(|(&begin, &end)| begin as usize..end as usize);
        self.rows.iter().copied().zip(ranges)
    }
}

/// Called with a batch of lists.
pub(crate) type VisitLists<'v> = dyn FnMut(ListBatch<'_>) + 'v;

/// Room for some lists that are written side by side: where each begins. Sixteen more than it has neighbors may be overwritten there.
pub(crate) struct NextLists<'r> {
    pub begins: &'r [u32],
    pub neighbors: &'r mut [u32],
    pub offsets: [&'r mut [f32]; 2],
}

/// Lists being written.
pub(crate) struct Lists<'a, 'v> {
    arena: &'a Arena,
    /// One for each list, and how many lists there are.
    rows: &'a mut [u32],
    begins: &'a mut [u32],
    ends: &'a mut [u32],
    count: usize,
    /// One for each neighbor, and [`LANES`] more behind each list; and how many there are of both.
    neighbors: &'a mut [u32],
    offsets: [&'a mut [f32]; 2],
    len: usize,
    total: u64,
    visit: &'a mut VisitLists<'v>,
}

impl<'a, 'v> Lists<'a, 'v> {
    /// Bytes that lists take from their arena, unless one is unusually long.
    pub const BYTES: usize = 3 * (BATCH + MOST_LISTS) * size_of::<u32>();

    pub fn new(arena: &'a Arena, visit: &'a mut VisitLists<'v>) -> Self {
        let mut lists = Self {
            arena,
            rows: arena.alloc_slice_fill(MOST_LISTS, 0),
            begins: arena.alloc_slice_fill(MOST_LISTS, 0),
            ends: arena.alloc_slice_fill(MOST_LISTS, 0),
            count: 0,
            neighbors: &mut [],
            offsets: [&mut [], &mut []],
            len: 0,
            total: 0,
            visit,
        };
        lists.allocate(BATCH);
        lists
    }

    fn allocate(&mut self, room: usize) {
        self.neighbors = self.arena.alloc_slice_fill(room, 0);
        self.offsets = for_both(|_| self.arena.alloc_slice_fill(room, 0.0));
    }

    /// Makes room for the lists of some rows, of the given lengths. The caller writes them.
    #[inline(always)]
    pub fn next(&mut self, rows: &[u32], lens: &[u32]) -> NextLists<'_> {
        let neighbors = lens.iter().sum::<u32>() as usize;
        let room = neighbors + lens.len() * LANES;
        if self.count + rows.len() > MOST_LISTS || self.len + room > self.neighbors.len() {
            self.hand_over_for(room);
        }
        let listed = self.count..self.count + rows.len();
        self.count = listed.end;
        self.rows[listed.clone()].copy_from_slice(rows);
        let begins = &mut self.begins[listed.clone()];
        for ((begin, end), len) in begins.iter_mut().zip(&mut self.ends[listed]).zip(lens) {
            (*begin, *end) = (self.len as u32, self.len as u32 + len);
            self.len += *len as usize + LANES;
        }
        self.total += neighbors as u64;
        NextLists {
            begins,
            neighbors: self.neighbors,
            offsets: self.offsets.each_mut().map(|all| &mut **all),
        }
    }

    #[cold]
    #[inline(never)]
    fn hand_over_for(&mut self, room: usize) {
        self.flush();
        if room > self.neighbors.len() {
            self.allocate(room.next_power_of_two());
        }
    }

    /// Hands over the lists so far.
    pub fn flush(&mut self) {
        if self.count == 0 {
            return;
        }
        (self.visit)(ListBatch {
            rows: &self.rows[..self.count],
            begins: &self.begins[..self.count],
            ends: &self.ends[..self.count],
            neighbors: &self.neighbors[..self.len],
            offsets: self.offsets.each_ref().map(|all| &all[..self.len]),
        });
        (self.count, self.len) = (0, 0);
    }

    /// Neighbors so far.
    pub fn total(&self) -> u64 {
        self.total
    }
}
