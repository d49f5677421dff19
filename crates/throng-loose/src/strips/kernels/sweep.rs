//! All overlapping pairs of a strip with itself.
//!
//! Sixteen consecutive boxes are compared with the same columns shifted by one, by two, and so on, until each of the
//! sixteen ends before the box that it is compared with begins. One step of the loop is one step for all sixteen. But
//! few of them need as many steps as the widest does, so after [`MOST_DIAGONALS`] shifts those that have not ended
//! continue alone, each with sixteen boxes at a time.
//!
//! What meets at these shifts is noted, and rows are looked up after each sixteen boxes: see [`Hits`]. A strip has few boxes, so there is
//! nothing to gain from waiting longer. To write pairs after each comparison took 1.02 to 1.1 times as long for a whole step with
//! AVX-512 and AVX2, and 1.15 to 1.25 times in portable code. For boxes that continue alone, which are few, pairs are still
//! written after each comparison.

use crate::strips::buckets::Copies;
use crate::strips::partition::{BEGINS_HERE, ROW};
use throng_core::lanes::{
    GroupMasks, HitRoom, Hits, Kernel, Lanes, Picked, TakePairs, agreeing, chunk, emit,
};
use throng_core::{LANES, PairBuffer, PairOrder, Placed, Simd};

/// How many shifts a group of boxes is compared at together. With 48, finding four pairs per box takes a tenth longer;
/// 10 makes no difference, and neither did 24.
const MOST_DIAGONALS: usize = 12;
const _: () = assert!(MOST_DIAGONALS <= LANES, "`Hits` tells no more apart");

const _: () = assert!(BEGINS_HERE == 1 << 31, "the top bit is what is asked for");

/// The input of a sweep: copies of one strip, or of strips that share buckets, in order, and their masks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sweep<'a> {
    pub copies: Copies<'a>,
    /// How many copies, from the first, are compared with what follows them.
    pub piece_len: usize,
    /// Memberships and filters, as long as the columns of the copies; empty if masks are not tested.
    pub masks: [&'a [u32]; 2],
}

/// Every overlapping pair of one of the first `piece_len` copies and a copy after it, if at least one of the two begins
/// in its strip. Returns how many comparisons that took.
pub(crate) fn sweep(
    simd: Simd,
    sweep: Sweep<'_>,
    room: &mut HitRoom,
    out: &mut PairBuffer<'_>,
) -> u64 {
    if sweep.masks[0].is_empty() {
        simd.run(Swept::<false> { sweep, room, out })
    } else {
        simd.run(Swept::<true> { sweep, room, out })
    }
}

struct Swept<'a, 'b, const MASKED: bool> {
    sweep: Sweep<'a>,
    room: &'a mut HitRoom,
    out: &'a mut PairBuffer<'b>,
}

impl<const MASKED: bool> Kernel for Swept<'_, '_, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Sweep {
            copies, piece_len, ..
        } = self.sweep;
        let every = lanes.every_lane();
        let members = Placed::rows_alone(copies.rows);
        let mut compared = 0;
        for block in (0..piece_len).step_by(LANES) {
            let a = Group::load(lanes, MASKED, &self.sweep, block);
            // Lanes after the last copy of the piece reach nothing.
            let reach = lanes.nan_behind(piece_len - block, a.max_x);
            let mut reached = every;
            let mut at = block + 1;
            let mut hits = Hits::in_room(lanes, self.room);
            for shift in 0..MOST_DIAGONALS {
                reached = lanes.le(every, lanes.load(chunk(copies.min_x, at)), reach);
                if !lanes.any(reached) {
                    break;
                }
                compared += LANES as u64;
                let b = Group::load(lanes, MASKED, &self.sweep, at);
                hits.note(pairs(lanes, reached, &a, &b), shift);
                at += 1;
            }
            hits.end_stretch([block, block + 1]);
            hits.hand_over(&members, None, &mut TakeRows(self.out));
            let mut near = lanes.bits(reached);
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                let a = Group::splat(lanes, MASKED, &self.sweep, block + lane);
                let mut from = at + lane;
                loop {
                    compared += LANES as u64;
                    let reached = lanes.le(every, lanes.load(chunk(copies.min_x, from)), a.max_x);
                    let b = Group::load(lanes, MASKED, &self.sweep, from);
                    let hit = lanes.bits(pairs(lanes, reached, &a, &b));
                    TakeRows(self.out).emit(lanes, [a.rows, b.rows], hit);
                    if lanes.bits(reached) != (1 << LANES) - 1 {
                        break;
                    }
                    from += LANES;
                }
            }
        }
        compared
    }
}

/// Those lanes in `near` whose copies form a pair. Does not compare x.
#[inline(always)]
fn pairs<L: Lanes>(lanes: L, near: L::Mask, a: &Group<L>, b: &Group<L>) -> L::Mask {
    let hit = lanes.le(near, a.min_y, b.max_y);
    let hit = lanes.le(hit, b.min_y, a.max_y);
    let hit = lanes.top_bit_set(hit, lanes.or_words(a.rows, b.rows));
    agreeing(lanes, hit, a.masks, b.masks)
}

/// Takes pairs of copies by their rows, the lower first.
struct TakeRows<'a, 'b>(&'a mut PairBuffer<'b>);

impl TakeRows<'_, '_> {
    #[inline(always)]
    fn emit<L: Lanes>(&mut self, lanes: L, words: [L::Words; 2], keep: u32) {
        let [a, b] = rows_of(lanes, words);
        emit(lanes, self.0, keep, PairOrder::LowerRow, a, b);
    }
}

impl TakePairs for TakeRows<'_, '_> {
    #[inline(always)]
    fn take<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, count: usize) {
        let lanes = pairs.lanes();
        let rows = rows_of(lanes, pairs.rows());
        let [first, second] = pairs.by_row(rows, rows);
        lanes.store_all_pairs(self.0.room(), first, second);
        self.0.keep(count);
    }

    #[inline(always)]
    fn take_some<L: Lanes>(&mut self, pairs: &Picked<'_, '_, L>, keep: u32) {
        self.emit(pairs.lanes(), pairs.rows(), keep);
    }
}

/// The rows in the words of copies.
#[inline(always)]
fn rows_of<L: Lanes>(lanes: L, words: [L::Words; 2]) -> [L::Words; 2] {
    let row = lanes.splat_words(ROW);
    [
        lanes.and_words(words[0], row),
        lanes.and_words(words[1], row),
    ]
}

/// Sixteen copies without their left sides.
struct Group<L: Lanes> {
    max_x: L::Floats,
    min_y: L::Floats,
    max_y: L::Floats,
    rows: L::Words,
    masks: GroupMasks<L>,
}

impl<L: Lanes> Group<L> {
    #[inline(always)]
    fn load(lanes: L, masked: bool, Sweep { copies, masks, .. }: &Sweep<'_>, at: usize) -> Self {
        Self {
            max_x: lanes.load(chunk(copies.max_x, at)),
            min_y: lanes.load(chunk(copies.min_y, at)),
            max_y: lanes.load(chunk(copies.max_y, at)),
            rows: lanes.load_words(chunk(copies.rows, at)),
            masks: GroupMasks::load(lanes, masked, *masks, at),
        }
    }

    /// One copy in all lanes.
    #[inline(always)]
    fn splat(lanes: L, masked: bool, Sweep { copies, masks, .. }: &Sweep<'_>, at: usize) -> Self {
        Self {
            max_x: lanes.splat(copies.max_x[at]),
            min_y: lanes.splat(copies.min_y[at]),
            max_y: lanes.splat(copies.max_y[at]),
            rows: lanes.splat_words(copies.rows[at]),
            masks: GroupMasks::splat(lanes, masked, *masks, at),
        }
    }
}
