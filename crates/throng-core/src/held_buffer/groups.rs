//! Pairs that come sixteen at a time, with their values in registers.

use super::HeldBuffer;
use crate::held_pairs::HeldPairs;
use crate::lanes::{Lanes, Picked, TakePairs, chunk_mut, lanes_below};
use crate::pair_buffer::{LANES, PairOrder};

impl TakePairs for HeldBuffer<'_> {
    #[inline(always)]
    fn take<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, count: usize) {
        self.take_lanes::<L, true>(pairs, lanes_below(count));
    }

    #[inline(always)]
    fn take_some<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, keep: u32) {
        self.take_lanes::<L, false>(pairs, keep);
    }
}

impl HeldBuffer<'_> {
    /// Takes the pairs in a set of lanes: if `FIRST`, the first of all.
    #[inline(always)]
    fn take_lanes<L: Lanes, const FIRST: bool>(&mut self, pairs: &Picked<'_, '_, L>, keep: u32) {
        if self.batch.known != [true; 2] {
            self.flush();
            self.batch.known = [true; 2];
        }
        let at = self.batch.len.min(HeldPairs::BATCH);
        let (lanes, members) = (pairs.lanes(), pairs.members());
        let batch = &mut *self.batch;
        let rows = pairs.rows();
        let [first, second] = pairs.by_row(rows, rows);
        let to = batch.pairs[at..].first_chunk_mut().expect(ROOM);
        if FIRST {
            lanes.store_all_pairs(to, first, second);
        } else {
            lanes.store_pairs(to, keep, PairOrder::Left, first, second);
        }
        for axis in 0..2 {
            let values = pairs.of(bytemuck::cast_slice(members.centers[axis]));
            let values = pairs.by_row(rows, values);
            store::<L, FIRST, _>(lanes, keep, &mut batch.centers[axis], at, values);
            if batch.wants_half_extents {
                let values = match members.own {
                    Some(own) => pairs.by_row(rows, pairs.of(bytemuck::cast_slice(own[axis]))),
                    None => [lanes.splat_words(members.bound[axis].to_bits()); 2],
                };
                store::<L, FIRST, _>(lanes, keep, &mut batch.half_extents[axis], at, values);
            }
        }
        batch.len = at + keep.count_ones() as usize;
        if batch.len > HeldPairs::BATCH {
            self.hand_over_full();
        }
    }
}

const ROOM: &str = "room for a group is kept behind a full batch";

/// Writes the lanes of a set side by side: if `FIRST`, the first of all.
#[inline(always)]
fn store<L: Lanes, const FIRST: bool, const N: usize>(
    lanes: L,
    keep: u32,
    to: &mut [[f32; N]; 2],
    at: usize,
    values: [L::Words; 2],
) {
    for (to, values) in to.iter_mut().zip(values) {
        let to = chunk_mut(bytemuck::cast_slice_mut(to), at);
        if FIRST {
            lanes.store_words(to, values);
        } else {
            lanes.store_kept_words(to, keep, values);
        }
    }
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
