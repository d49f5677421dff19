//! All overlapping pairs of a strip with itself.
//!
//! Sixteen consecutive boxes are compared with the same columns shifted by one, by two, and so on, until each of the
//! sixteen ends before the box that it is compared with begins. One step of the loop is one step for all sixteen. But
//! few of them need as many steps as the widest does, so after [`MOST_DIAGONALS`] shifts those that have not ended
//! continue alone, each with sixteen boxes at a time.
//!
//! Pairs are written at once. Noting places and looking rows up later, as the sweep of a grid does, took a tenth longer here with
//! AVX2: a strip has few boxes, and half as many comparisons for each.

use crate::strips::buckets::Copies;
use crate::strips::partition::{BEGINS_HERE, ROW};
use throng_core::lanes::{GroupMasks, Kernel, Lanes, agreeing, chunk, emit};
use throng_core::{LANES, PairBuffer, PairOrder, Simd};

/// How many shifts a group of boxes is compared at together. With 48, finding four pairs per box takes a tenth longer;
/// 10 and 24 make no difference.
const MOST_DIAGONALS: usize = 12;

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
pub(crate) fn sweep(simd: Simd, sweep: Sweep<'_>, out: &mut PairBuffer<'_>) -> u64 {
    if sweep.masks[0].is_empty() {
        simd.run(Swept::<false> { sweep, out })
    } else {
        simd.run(Swept::<true> { sweep, out })
    }
}

struct Swept<'a, 'b, const MASKED: bool> {
    sweep: Sweep<'a>,
    out: &'a mut PairBuffer<'b>,
}

impl<const MASKED: bool> Kernel for Swept<'_, '_, MASKED> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) -> u64 {
        let Sweep {
            copies, piece_len, ..
        } = self.sweep;
        let every = lanes.every_lane();
        let mut compared = 0;
        for block in (0..piece_len).step_by(LANES) {
            let a = Group::load(lanes, MASKED, &self.sweep, block);
            // Lanes after the last copy of the piece reach nothing.
            let reach = lanes.nan_behind(piece_len - block, a.max_x);
            let mut reached = every;
            let mut at = block + 1;
            for _ in 0..MOST_DIAGONALS {
                reached = lanes.le(every, lanes.load(chunk(copies.min_x, at)), reach);
                if !lanes.any(reached) {
                    break;
                }
                compared += LANES as u64;
                let b = Group::load(lanes, MASKED, &self.sweep, at);
                self.emit_pairs(lanes, reached, &a, &b);
                at += 1;
            }
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
                    self.emit_pairs(lanes, reached, &a, &b);
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

impl<const MASKED: bool> Swept<'_, '_, MASKED> {
    /// Writes the pairs of those lanes in `near` whose copies form one. Does not compare x.
    #[inline(always)]
    fn emit_pairs<L: Lanes>(&mut self, lanes: L, near: L::Mask, a: &Group<L>, b: &Group<L>) {
        let hit = lanes.le(near, a.min_y, b.max_y);
        let hit = lanes.le(hit, b.min_y, a.max_y);
        let hit = lanes.top_bit_set(hit, lanes.or_words(a.rows, b.rows));
        let hit = lanes.bits(agreeing(lanes, hit, a.masks, b.masks));
        let row = lanes.splat_words(ROW);
        let (a, b) = (lanes.and_words(a.rows, row), lanes.and_words(b.rows, row));
        emit(lanes, self.out, hit, PairOrder::LowerRow, a, b);
    }
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
