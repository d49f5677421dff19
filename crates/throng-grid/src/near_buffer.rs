//! Near pairs on their way from a kernel to the visitor, in batches that stay in L1.

use throng_core::lanes::Lanes;
use throng_core::{Arena, LANES, PairBuffer, PairOrder, PairRoom};

/// Called with a batch of pairs, and the square of the distance of each.
pub(crate) type VisitNear<'v> = dyn FnMut(&[[u32; 2]], &[f32]) + 'v;

/// A [`PairBuffer`] with a column of squared distances.
pub(crate) struct NearBuffer<'a, 'v> {
    pairs: &'a mut PairRoom,
    distances: &'a mut [f32; PairBuffer::MOST],
    len: usize,
    total: u64,
    visit: &'a mut VisitNear<'v>,
}

impl<'a, 'v> NearBuffer<'a, 'v> {
    /// Bytes that a buffer takes from its arena.
    pub const BYTES: usize = PairBuffer::BYTES + size_of::<[f32; PairBuffer::MOST]>();

    /// An empty buffer that hands its pairs to `visit`.
    pub fn new(arena: &'a Arena, visit: &'a mut VisitNear<'v>) -> Self {
        Self {
            pairs: PairBuffer::room_for_one(arena),
            distances: &mut arena.alloc_slice_fill(1, [0.0; PairBuffer::MOST])[0],
            len: 0,
            total: 0,
            visit,
        }
    }

    /// Adds a pair for each lane in `hit`, in lane order.
    #[inline(always)]
    pub fn emit<L: Lanes>(
        &mut self,
        lanes: L,
        hit: u32,
        order: PairOrder,
        [left, right]: [L::Words; 2],
        squares: L::Floats,
    ) {
        // Written so that the compiler sees that there is room.
        let len = if self.len > PairBuffer::BATCH {
            self.flush();
            0
        } else {
            self.len
        };
        let full = "room for a group is kept behind a full batch";
        let pairs = self.pairs[len..].first_chunk_mut().expect(full);
        lanes.store_pairs(pairs, hit, order, left, right);
        let squares_to: &mut [f32; LANES] = self.distances[len..].first_chunk_mut().expect(full);
        lanes.store_kept(squares_to, hit, squares);
        self.len += hit.count_ones() as usize;
    }

    /// Hands over the pairs in the buffer.
    #[cold]
    #[inline(never)]
    pub fn flush(&mut self) {
        if self.len > 0 {
            self.total += self.len as u64;
            (self.visit)(&self.pairs[..self.len], &self.distances[..self.len]);
            self.len = 0;
        }
    }

    /// Pairs handed over so far.
    pub fn total(&self) -> u64 {
        self.total
    }
}
