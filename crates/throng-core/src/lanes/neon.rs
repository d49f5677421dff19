//! Sixteen lanes in four vectors of Arm's NEON, 64 bits.
//!
//! A vector of NEON holds four floats, and there are thirty-two of them, so a group is four, and a loop that compares eight groups still
//! fits into registers. Fewer lanes would give the pairs another order than they have elsewhere. The four are never mixed but
//! where lanes move, so a processor works on as many of them at a time as it can. SVE, whose vectors may be longer, is not
//! stable in Rust.
//!
//! Each AArch64 target with an operating system has NEON, so it is known when this is compiled. What has none (kernels, whose
//! floats are in software) or stores the high byte first uses the portable file.
//!
//! # How lanes are kept
//!
//! NEON has no instruction that moves the lanes of a set side by side, as AVX-512 has. A table tells for each of the sixteen sets of
//! four lanes where the bytes come from, 256 bytes in all, and one lookup of bytes moves them. A loop over the lanes of a set would
//! move only those, but is mispredicted where it ends, because sets are unpredictable. One table for all sixteen lanes would have
//! 65,536 rows.
//!
//! How many lanes the vectors before have is counted in a general register, for all four at once: Arm counts bits in a vector
//! register, and a word takes longer to get there and back than to be counted in halves.
#![allow(
    unsafe_code,
    reason = "vector instructions that every processor of the target has, on raw addresses"
)]

use super::notes::{halves, note_bytes};
use super::{Kernel, LANES, Lanes, NUMBERS};
use crate::pair_buffer::PairOrder;
use std::arch::aarch64::*;

/// How many lanes a vector has.
const FOUR: usize = 4;
/// How many vectors there are.
const VECTORS: usize = LANES / FOUR;

/// Vectors of 128 bits, which the whole program is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Neon;

/// For each set of four lanes: where each byte comes from when the lanes of the set are moved to the front.
static TO_FRONT: [[u8; 16]; 16] = to_front_table();

const fn to_front_table() -> [[u8; 16]; 16] {
    let mut table = [[0; 16]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut lane, mut kept) = (0, 0);
        while lane < FOUR {
            if set >> lane & 1 == 1 {
                let mut byte = 0;
                while byte < 4 {
                    table[set][4 * kept + byte] = (4 * lane + byte) as u8;
                    byte += 1;
                }
                kept += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
}

/// Does the same for each of the four vectors.
macro_rules! each {
    (|$vector:ident| $of:expr) => {
        [
            {
                let $vector = 0;
                $of
            },
            {
                let $vector = 1;
                $of
            },
            {
                let $vector = 2;
                $of
            },
            {
                let $vector = 3;
                $of
            },
        ]
    };
}

/// Instructions that touch no memory: all they need is a processor that has them.
macro_rules! neon {
    ($instructions:expr) => {{
        // SAFETY: this file is compiled only for targets of which every processor has NEON.
        unsafe { $instructions }
    }};
}

#[inline(always)]
fn load_four(from: &[f32; FOUR]) -> float32x4_t {
    // SAFETY: `from` is four floats, all of which are read; the load needs no alignment but theirs. The target has NEON.
    unsafe { vld1q_f32(from.as_ptr()) }
}

#[inline(always)]
fn load_four_words(from: &[u32; FOUR]) -> uint32x4_t {
    // SAFETY: `from` is four words, all of which are read; the load needs no alignment but theirs. The target has NEON.
    unsafe { vld1q_u32(from.as_ptr()) }
}

/// For each of sixteen lanes its own bit of eight: they add up to the lower and to the upper eight of sixteen.
const OWN_BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

#[inline(always)]
fn load_bytes(from: &[u8; 16]) -> uint8x16_t {
    // SAFETY: `from` is sixteen bytes, all of which are read. The target has NEON.
    unsafe { vld1q_u8(from.as_ptr()) }
}

/// Bytes as words.
#[inline(always)]
fn widened(bytes: uint8x16_t) -> [uint32x4_t; VECTORS] {
    neon!({
        let (low, high) = (vmovl_u8(vget_low_u8(bytes)), vmovl_high_u8(bytes));
        [
            vmovl_u16(vget_low_u16(low)),
            vmovl_high_u16(low),
            vmovl_u16(vget_low_u16(high)),
            vmovl_high_u16(high),
        ]
    })
}

#[inline(always)]
fn store_four(to: &mut [f32; FOUR], four: float32x4_t) {
    // SAFETY: `to` is four floats, all of which are written; the store needs no alignment but theirs. The target has NEON.
    unsafe { vst1q_f32(to.as_mut_ptr(), four) }
}

#[inline(always)]
fn store_four_words(to: &mut [u32; FOUR], four: uint32x4_t) {
    // SAFETY: `to` is four words, all of which are written; the store needs no alignment but theirs. The target has NEON.
    unsafe { vst1q_u32(to.as_mut_ptr(), four) }
}

/// Writes four pairs: the lanes of `first` and of `second` in turn.
#[inline(always)]
fn store_pairs_in_turn(to: &mut [[u32; 2]; FOUR], first: uint32x4_t, second: uint32x4_t) {
    let to = to.as_flattened_mut();
    // SAFETY: `to` is eight words, all of which are written; the store needs no alignment but theirs. The target has NEON.
    unsafe { vst2q_u32(to.as_mut_ptr(), uint32x4x2_t(first, second)) }
}

/// A set cut in four, one for each vector: where the bytes of its lanes come from when they are moved to the front, and how
/// many lanes the set has in the vectors before.
#[inline(always)]
fn parts(set: u32) -> [(uint8x16_t, usize); VECTORS] {
    // Lanes counted in twos, then in fours; each of these counts has four bits.
    let twos = (set & 0x5555) + (set >> 1 & 0x5555);
    let fours = (twos & 0x3333) + (twos >> 2 & 0x3333);
    // In each four bits the sum of the counts below: at most twelve, so nothing is carried.
    let before = (fours << 4) + (fours << 8) + (fours << 12);
    each!(|vector| {
        let at = FOUR * vector;
        let front = load_bytes(&TO_FRONT[(set >> at & 15) as usize]);
        (front, (before >> at & 15) as usize)
    })
}

/// Four elements of `to`, after those kept before.
#[inline(always)]
fn four_behind<T>(to: &mut [T; LANES], kept: usize) -> &mut [T; FOUR] {
    to[kept..]
        .first_chunk_mut()
        .expect("no more are kept than there are lanes in the vectors before")
}

#[inline(always)]
fn moved(four: uint32x4_t, from: uint8x16_t) -> uint32x4_t {
    neon!(vreinterpretq_u32_u8(vqtbl1q_u8(
        vreinterpretq_u8_u32(four),
        from
    )))
}

/// Sixteen words as the sixty-four bytes that a lookup takes.
#[inline(always)]
fn as_table(words: [uint32x4_t; VECTORS]) -> uint8x16x4_t {
    let [a, b, c, d] = neon!(each!(|vector| vreinterpretq_u8_u32(words[vector])));
    uint8x16x4_t(a, b, c, d)
}

/// Where the four bytes of each word are that the lower bits of `at`, as many as `COUNT` has names for, name.
#[inline(always)]
fn bytes_of_words<const COUNT: usize>(at: uint32x4_t) -> uint8x16_t {
    const { assert!(COUNT.is_power_of_two() && COUNT <= 2 * LANES) };
    neon!({
        let at = vandq_u32(at, vdupq_n_u32(COUNT as u32 - 1));
        // Four times the number in each byte, and the byte's own number.
        let (numbers, four_times) = (vdupq_n_u32(0x0302_0100), vdupq_n_u32(0x0404_0404));
        vreinterpretq_u8_u32(vmlaq_u32(numbers, at, four_times))
    })
}

#[inline(always)]
fn four_by_four([a, b, c, d]: [float32x4_t; FOUR]) -> [float32x4_t; FOUR] {
    neon!({
        // Lanes 0 and 2 of two rows in turn, and lanes 1 and 3; then halves of those.
        let ab = vreinterpretq_f64_f32(vtrn1q_f32(a, b));
        let cd = vreinterpretq_f64_f32(vtrn1q_f32(c, d));
        let ab_odd = vreinterpretq_f64_f32(vtrn2q_f32(a, b));
        let cd_odd = vreinterpretq_f64_f32(vtrn2q_f32(c, d));
        [
            vreinterpretq_f32_f64(vtrn1q_f64(ab, cd)),
            vreinterpretq_f32_f64(vtrn1q_f64(ab_odd, cd_odd)),
            vreinterpretq_f32_f64(vtrn2q_f64(ab, cd)),
            vreinterpretq_f32_f64(vtrn2q_f64(ab_odd, cd_odd)),
        ]
    })
}

impl Lanes for Neon {
    type Floats = [float32x4_t; VECTORS];
    type Words = [uint32x4_t; VECTORS];
    /// A lane is in the set if its top bit is set; the other bits mean nothing.
    type Mask = [uint32x4_t; VECTORS];
    type Note = u8;

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::Floats {
        let (fours, _) = from.as_chunks();
        each!(|vector| load_four(&fours[vector]))
    }

    #[inline(always)]
    fn load_words(self, from: &[u32; LANES]) -> Self::Words {
        let (fours, _) = from.as_chunks();
        each!(|vector| load_four_words(&fours[vector]))
    }

    #[inline(always)]
    fn store_words(self, to: &mut [u32; LANES], words: Self::Words) {
        let (fours, _) = to.as_chunks_mut();
        for (to, four) in fours.iter_mut().zip(words) {
            store_four_words(to, four);
        }
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES], floats: Self::Floats) {
        let (fours, _) = to.as_chunks_mut();
        for (to, four) in fours.iter_mut().zip(floats) {
            store_four(to, four);
        }
    }

    #[inline(always)]
    fn store_some_words(self, to: &mut [u32], words: Self::Words) {
        let count = to.len().min(LANES);
        let mut all = [0; LANES];
        self.store_words(&mut all, words);
        to[..count].copy_from_slice(&all[..count]);
    }

    #[inline(always)]
    fn store_kept(self, to: &mut [f32; LANES], keep: u32, floats: Self::Floats) {
        self.store_kept_words(
            bytemuck::cast_mut(to),
            keep,
            neon!(each!(|vector| vreinterpretq_u32_f32(floats[vector]))),
        );
    }

    #[inline(always)]
    fn store_kept_words(self, to: &mut [u32; LANES], keep: u32, words: Self::Words) {
        for (four, (front, kept)) in words.into_iter().zip(parts(keep)) {
            store_four_words(four_behind(to, kept), moved(four, front));
        }
    }

    #[inline(always)]
    fn note(self, to: &mut [u8; LANES], set: Self::Mask, shift: usize) -> usize {
        note_bytes(to, halves(self.bits(set)), shift)
    }

    #[inline(always)]
    fn noted(self, notes: &[u8; LANES]) -> [Self::Words; 2] {
        let notes = load_bytes(notes);
        neon!({
            let lanes = vandq_u8(notes, vdupq_n_u8(15));
            [widened(lanes), widened(vshrq_n_u8::<4>(notes))]
        })
    }

    #[inline(always)]
    fn store_pairs(
        self,
        to: &mut [[u32; 2]; LANES],
        keep: u32,
        order: PairOrder,
        left: Self::Words,
        right: Self::Words,
    ) {
        let (first, second) = match order {
            PairOrder::LowerRow => (
                neon!(each!(|vector| vminq_u32(left[vector], right[vector]))),
                neon!(each!(|vector| vmaxq_u32(left[vector], right[vector]))),
            ),
            PairOrder::Left => (left, right),
            PairOrder::Right => (right, left),
        };
        for (vector, (front, kept)) in parts(keep).into_iter().enumerate() {
            store_pairs_in_turn(
                four_behind(to, kept),
                moved(first[vector], front),
                moved(second[vector], front),
            );
        }
    }

    #[inline(always)]
    fn store_pairs_with_one(
        self,
        to: &mut [[u32; 2]; LANES],
        keep: u32,
        order: PairOrder,
        left: Self::Words,
        right: Self::Words,
    ) {
        debug_assert_ne!(order, PairOrder::LowerRow);
        let one = right[0];
        for (four, (front, kept)) in left.into_iter().zip(parts(keep)) {
            let front = moved(four, front);
            let (first, second) = match order {
                PairOrder::Right => (one, front),
                _ => (front, one),
            };
            store_pairs_in_turn(four_behind(to, kept), first, second);
        }
    }

    #[inline(always)]
    fn store_all_pairs(self, to: &mut [[u32; 2]; LANES], first: Self::Words, second: Self::Words) {
        for vector in 0..VECTORS {
            let to = four_behind(to, FOUR * vector);
            store_pairs_in_turn(to, first[vector], second[vector]);
        }
    }

    #[inline(always)]
    fn pick(self, from: Self::Words, at: Self::Words) -> Self::Words {
        let from = as_table(from);
        neon!(each!(|vector| {
            let bytes = bytes_of_words::<LANES>(at[vector]);
            vreinterpretq_u32_u8(vqtbl4q_u8(from, bytes))
        }))
    }

    #[inline(always)]
    fn pick_of_two(self, from: [Self::Words; 2], at: Self::Words) -> Self::Words {
        let [low, high] = from.map(as_table);
        let size = neon!(vdupq_n_u8((LANES * size_of::<u32>()) as u8));
        neon!(each!(|vector| {
            let bytes = bytes_of_words::<{ 2 * LANES }>(at[vector]);
            // A byte beyond the first table becomes zero there. Before the second one there is none either: the
            // difference wraps, and what was found in the first is left.
            let in_low = vqtbl4q_u8(low, bytes);
            vreinterpretq_u32_u8(vqtbx4q_u8(in_low, high, vsubq_u8(bytes, size)))
        }))
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Floats {
        [neon!(vdupq_n_f32(value)); VECTORS]
    }

    #[inline(always)]
    fn splat_words(self, value: u32) -> Self::Words {
        [neon!(vdupq_n_u32(value)); VECTORS]
    }

    #[inline(always)]
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        neon!(each!(|vector| vaddq_f32(a[vector], b[vector])))
    }

    #[inline(always)]
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        neon!(each!(|vector| vsubq_f32(a[vector], b[vector])))
    }

    #[inline(always)]
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        neon!(each!(|vector| vmulq_f32(a[vector], b[vector])))
    }

    #[inline(always)]
    fn higher(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        // NEON's own maximum is NaN where either is, and tells zeros of different signs apart.
        neon!(each!(|vector| vbslq_f32(
            vcgtq_f32(a[vector], b[vector]),
            a[vector],
            b[vector]
        )))
    }

    #[inline(always)]
    fn lower(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        neon!(each!(|vector| vbslq_f32(
            vcltq_f32(a[vector], b[vector]),
            a[vector],
            b[vector]
        )))
    }

    #[inline(always)]
    fn highest(self, floats: Self::Floats) -> f32 {
        neon!({
            let mut highest = vdupq_n_f32(f32::NEG_INFINITY);
            for four in floats {
                // Nothing is above by being NaN.
                highest = vbslq_f32(vcgtq_f32(four, highest), four, highest);
            }
            vmaxvq_f32(highest)
        })
    }

    #[inline(always)]
    fn add_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        neon!(each!(|vector| vaddq_u32(a[vector], b[vector])))
    }

    #[inline(always)]
    fn and_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        neon!(each!(|vector| vandq_u32(a[vector], b[vector])))
    }

    #[inline(always)]
    fn or_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        neon!(each!(|vector| vorrq_u32(a[vector], b[vector])))
    }

    #[inline(always)]
    fn transpose(self, groups: [Self::Floats; LANES]) -> [Self::Floats; LANES] {
        let mut to = groups;
        for from in 0..VECTORS {
            for (at, four) in groups.as_chunks::<FOUR>().0.iter().enumerate() {
                let rows = [four[0][from], four[1][from], four[2][from], four[3][from]];
                for (lane, column) in four_by_four(rows).into_iter().enumerate() {
                    to[from * FOUR + lane][at] = column;
                }
            }
        }
        to
    }

    #[inline(always)]
    fn shift_right(self, words: Self::Words, count: u32) -> Self::Words {
        debug_assert!(count < u32::BITS);
        // To the left by less than nothing.
        let left = neon!(vdupq_n_s32(-(count as i32)));
        neon!(each!(|vector| vshlq_u32(words[vector], left)))
    }

    #[inline(always)]
    fn choose_if_above(
        self,
        a: Self::Words,
        b: Self::Words,
        then: Self::Words,
        or: Self::Words,
    ) -> Self::Words {
        neon!(each!(|vector| vbslq_u32(
            vcgtq_u32(a[vector], b[vector]),
            then[vector],
            or[vector]
        )))
    }

    #[inline(always)]
    fn every_lane(self) -> Self::Mask {
        self.splat_words(!0)
    }

    #[inline(always)]
    fn le(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        neon!(each!(|vector| vandq_u32(
            among[vector],
            vcleq_f32(a[vector], b[vector])
        )))
    }

    #[inline(always)]
    fn differ(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        // What is not equal, so a NaN too.
        neon!(each!(|vector| vbicq_u32(
            among[vector],
            vceqq_f32(a[vector], b[vector])
        )))
    }

    #[inline(always)]
    fn share_a_bit(self, among: Self::Mask, a: Self::Words, b: Self::Words) -> Self::Mask {
        neon!(each!(|vector| vandq_u32(
            among[vector],
            vtstq_u32(a[vector], b[vector])
        )))
    }

    #[inline(always)]
    fn has_bit(self, among: Self::Mask, words: Self::Words, at: Self::Words) -> Self::Mask {
        let (one, lower) = neon!((vdupq_n_u32(1), vdupq_n_u32(31)));
        let bit = neon!(each!(|vector| {
            let at = vreinterpretq_s32_u32(vandq_u32(at[vector], lower));
            vshlq_u32(one, at)
        }));
        self.share_a_bit(among, words, bit)
    }

    #[inline(always)]
    fn top_bit_set(self, among: Self::Mask, words: Self::Words) -> Self::Mask {
        self.and_words(among, words)
    }

    #[inline(always)]
    fn equal_pairs(self, a: Self::Words, b: Self::Words) -> u32 {
        let [one, two, three, four] = neon!(each!(|vector| vreinterpretq_u32_u64(vceqq_u64(
            vreinterpretq_u64_u32(a[vector]),
            vreinterpretq_u64_u32(b[vector])
        ))));
        let own = load_bytes(&OWN_BITS);
        neon!({
            let low = vmovn_u32(vuzp1q_u32(one, two));
            let high = vmovn_u32(vuzp1q_u32(three, four));
            let equal = vmovn_u16(vcombine_u16(low, high));
            u32::from(vaddv_u8(vand_u8(equal, vget_low_u8(own))))
        })
    }

    #[inline(always)]
    fn count_lt(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        // True is minus one.
        neon!(each!(|vector| vsubq_u32(
            counts[vector],
            vcltq_f32(a[vector], b[vector])
        )))
    }

    #[inline(always)]
    fn count_le(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        neon!(each!(|vector| vsubq_u32(
            counts[vector],
            vcleq_f32(a[vector], b[vector])
        )))
    }

    #[inline(always)]
    fn bits(self, mask: Self::Mask) -> u32 {
        // The upper byte of each lane, all sixteen in one vector; of those, the top bits.
        let [a, b, c, d] = neon!(each!(|vector| vreinterpretq_u16_u32(mask[vector])));
        let own = load_bytes(&OWN_BITS);
        neon!({
            let low = vreinterpretq_u8_u16(vuzp2q_u16(a, b));
            let high = vreinterpretq_u8_u16(vuzp2q_u16(c, d));
            let tops = vreinterpretq_s8_u8(vuzp2q_u8(low, high));
            let mut bits = vandq_u8(vcltzq_s8(tops), own);
            for _ in 0..3 {
                bits = vpaddq_u8(bits, bits);
            }
            u32::from(vgetq_lane_u16::<0>(vreinterpretq_u16_u8(bits)))
        })
    }

    #[inline(always)]
    fn any(self, mask: Self::Mask) -> bool {
        let [a, b, c, d] = mask;
        // The highest word has a top bit if any has.
        neon!(vmaxvq_u32(vorrq_u32(vorrq_u32(a, b), vorrq_u32(c, d)))) >> 31 != 0
    }

    #[inline(always)]
    fn nan_behind(self, count: usize, floats: Self::Floats) -> Self::Floats {
        let count = self.splat_words(count.min(LANES) as u32);
        let (numbers, nan) = (self.load_words(&NUMBERS), self.splat(f32::NAN));
        neon!(each!(|vector| vbslq_f32(
            vcltq_u32(numbers[vector], count[vector]),
            floats[vector],
            nan[vector]
        )))
    }
}
