//! Pairs that come sixteen at a time, with their values in registers.

use super::HeldBuffer;
use crate::held_pairs::HeldPairs;
use crate::lanes::{Lanes, Picked, TakePairs, chunk_mut};
use crate::pair_buffer::LANES;

impl TakePairs for HeldBuffer<'_> {
    #[inline(always)]
    fn take<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, count: usize) {
        if self.batch.known != [true; 2] {
            self.flush();
            self.batch.known = [true; 2];
        }
        let at = self.batch.len.min(HeldPairs::BATCH);
        let (lanes, members) = (pairs.lanes(), pairs.members());
        let batch = &mut *self.batch;
        let rows = pairs.of(members.rows);
        let [first, second] = pairs.by_row(rows, rows);
        let to = batch.pairs[at..].first_chunk_mut();
        lanes.store_all_pairs(to.expect(ROOM), first, second);
        for axis in 0..2 {
            let values = pairs.of(bytemuck::cast_slice(members.centers[axis]));
            let values = pairs.by_row(rows, values);
            store(lanes, &mut batch.centers[axis], at, values);
            if batch.wants_half_extents {
                let values = match members.own {
                    Some(own) => pairs.by_row(rows, pairs.of(bytemuck::cast_slice(own[axis]))),
                    None => [lanes.splat_words(members.bound[axis].to_bits()); 2],
                };
                store(lanes, &mut batch.half_extents[axis], at, values);
            }
        }
        batch.len = at + count;
        if batch.len > HeldPairs::BATCH {
            self.hand_over_full();
        }
    }
}

const ROOM: &str = "room for a group is kept behind a full batch";

#[inline(always)]
fn store<L: Lanes, const N: usize>(
    lanes: L,
    [first, second]: &mut [[f32; N]; 2],
    at: usize,
    values: [L::Words; 2],
) {
    lanes.store_words(chunk_mut(bytemuck::cast_slice_mut(first), at), values[0]);
    lanes.store_words(chunk_mut(bytemuck::cast_slice_mut(second), at), values[1]);
}

impl HeldBuffer<'_> {
    /// Hands over a full batch, and keeps what did not fit into it, at most a group.
    #[cold]
    #[inline(never)]
    fn hand_over_full(&mut self) {
        let rest = self.batch.len - HeldPairs::BATCH;
        self.batch.len = HeldPairs::BATCH;
        self.flush();
        let batch = &mut *self.batch;
        let behind = HeldPairs::BATCH..HeldPairs::BATCH + rest.min(LANES);
        batch.pairs.copy_within(behind.clone(), 0);
        let columns = batch.centers.iter_mut().chain(&mut batch.half_extents);
        for column in columns.flatten() {
            column.copy_within(behind.clone(), 0);
        }
        batch.len = rest;
    }
}
