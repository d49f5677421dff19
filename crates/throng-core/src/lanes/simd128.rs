//! Sixteen lanes in four vectors of WebAssembly's `simd128`.
//!
//! A module either has these instructions or has not: a browser without them refuses it as a whole. So there is nothing to
//! find out at run time, and this file is compiled if the build enables `simd128`.
#![allow(unsafe_code, reason = "loads and stores of vectors take raw addresses")]

use super::notes::{halves, note_bytes};
use super::{Kernel, LANES, Lanes, NUMBERS};
use crate::pair_buffer::PairOrder;
use std::arch::wasm32::*;

/// How many lanes a vector has.
const FOUR: usize = 4;
/// How many vectors there are.
const VECTORS: usize = LANES / FOUR;

/// Vectors of 128 bits, which the whole module is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Simd128;

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

#[inline(always)]
fn load_four<T>(from: &[T; FOUR]) -> v128 {
    const { assert!(size_of::<T>() == 4) };
    // SAFETY: `from` is four values of four bytes, all of which are read; the load needs no alignment.
    unsafe { v128_load(from.as_ptr().cast()) }
}

/// Four floats, or four words: any bits are values of those.
#[inline(always)]
fn store_four<T: bytemuck::Pod>(to: &mut [T; FOUR], four: v128) {
    const { assert!(size_of::<T>() == 4) };
    // SAFETY: `to` is four values of four bytes, all of which are written, and whatever they are, they are values of `T`,
    // which is `Pod`; the store needs no alignment.
    unsafe { v128_store(to.as_mut_ptr().cast(), four) }
}

/// Where the bytes of the lanes in the lower four of a set come from when they are moved to the front.
#[inline(always)]
fn to_front(set: u32) -> v128 {
    let bytes = &TO_FRONT[set as usize & 15];
    // SAFETY: `bytes` is sixteen bytes, all of which are read.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

/// The four lanes of a vector in a set, and how many lanes the set has in the vectors before it.
#[inline(always)]
fn part(set: u32, vector: usize) -> (u32, usize) {
    let below = set & ((1 << (FOUR * vector)) - 1);
    (set >> (FOUR * vector) & 15, below.count_ones() as usize)
}

/// Four elements of `to`, from the given one on.
#[inline(always)]
fn four_behind<T>(to: &mut [T; LANES], kept: usize) -> &mut [T; FOUR] {
    to[kept..]
        .first_chunk_mut()
        .expect("no more are kept than there are lanes in the vectors before")
}

/// Bytes as words.
#[inline(always)]
fn widened(bytes: v128) -> [v128; VECTORS] {
    let [low, high] = [
        u16x8_extend_low_u8x16(bytes),
        u16x8_extend_high_u8x16(bytes),
    ];
    [
        u32x4_extend_low_u16x8(low),
        u32x4_extend_high_u16x8(low),
        u32x4_extend_low_u16x8(high),
        u32x4_extend_high_u16x8(high),
    ]
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

/// Writes four pairs: the lanes of `first` and of `second` in turn.
#[inline(always)]
fn store_pairs_in_turn(to: &mut [[u32; 2]; FOUR], first: v128, second: v128) {
    let (halves, _) = to.as_flattened_mut().as_chunks_mut::<FOUR>();
    store_four(&mut halves[0], i32x4_shuffle::<0, 4, 1, 5>(first, second));
    store_four(&mut halves[1], i32x4_shuffle::<2, 6, 3, 7>(first, second));
}

/// In each lane `1 << at`, by the lower five bits of `at`.
#[inline(always)]
fn bit_at(at: v128) -> v128 {
    // Shifts of lanes by different counts are missing, so the byte with the bit in it is looked up, and the others are cleared.
    let at = i8x16_shuffle::<0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12>(at, at);
    let powers = u8x16(1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0);
    let bit = u8x16_swizzle(powers, v128_and(at, u8x16_splat(7)));
    let bytes = u8x16(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
    let byte = v128_and(u8x16_shr(at, 3), u8x16_splat(3));
    v128_and(bit, u8x16_eq(byte, bytes))
}

#[inline(always)]
fn four_by_four([a, b, c, d]: [v128; FOUR]) -> [v128; FOUR] {
    let [ab, cd] = [
        i32x4_shuffle::<0, 4, 1, 5>(a, b),
        i32x4_shuffle::<0, 4, 1, 5>(c, d),
    ];
    let [ab_high, cd_high] = [
        i32x4_shuffle::<2, 6, 3, 7>(a, b),
        i32x4_shuffle::<2, 6, 3, 7>(c, d),
    ];
    [
        i32x4_shuffle::<0, 1, 4, 5>(ab, cd),
        i32x4_shuffle::<2, 3, 6, 7>(ab, cd),
        i32x4_shuffle::<0, 1, 4, 5>(ab_high, cd_high),
        i32x4_shuffle::<2, 3, 6, 7>(ab_high, cd_high),
    ]
}

#[inline(always)]
fn words_of(vectors: [v128; VECTORS]) -> [u32; LANES] {
    let mut words = [0; LANES];
    Simd128.store_words(&mut words, vectors);
    words
}

impl Lanes for Simd128 {
    type Floats = [v128; VECTORS];
    type Words = [v128; VECTORS];
    /// A lane is in the set if its top bit is set; the other bits mean nothing.
    type Mask = [v128; VECTORS];
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
        each!(|vector| load_four(&fours[vector]))
    }

    #[inline(always)]
    fn store_words(self, to: &mut [u32; LANES], words: Self::Words) {
        let (fours, _) = to.as_chunks_mut();
        for (to, four) in fours.iter_mut().zip(words) {
            store_four(to, four);
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
        to[..count].copy_from_slice(&words_of(words)[..count]);
    }

    #[inline(always)]
    fn store_kept(self, to: &mut [f32; LANES], keep: u32, floats: Self::Floats) {
        for (vector, four) in floats.into_iter().enumerate() {
            let (set, kept) = part(keep, vector);
            store_four(four_behind(to, kept), u8x16_swizzle(four, to_front(set)));
        }
    }

    #[inline(always)]
    fn store_kept_words(self, to: &mut [u32; LANES], keep: u32, words: Self::Words) {
        for (vector, four) in words.into_iter().enumerate() {
            let (set, kept) = part(keep, vector);
            store_four(four_behind(to, kept), u8x16_swizzle(four, to_front(set)));
        }
    }

    #[inline(always)]
    fn note(self, to: &mut [u8; LANES], set: Self::Mask, shift: usize) -> usize {
        note_bytes(to, halves(self.bits(set)), shift)
    }

    #[inline(always)]
    fn noted(self, notes: &[u8; LANES]) -> [Self::Words; 2] {
        // SAFETY: `notes` is sixteen bytes, all of which are read; the load needs no alignment.
        let notes = unsafe { v128_load(notes.as_ptr().cast()) };
        let lanes = v128_and(notes, u8x16_splat(15));
        [widened(lanes), widened(u8x16_shr(notes, 4))]
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
                each!(|vector| u32x4_min(left[vector], right[vector])),
                each!(|vector| u32x4_max(left[vector], right[vector])),
            ),
            PairOrder::Left => (left, right),
            PairOrder::Right => (right, left),
        };
        for vector in 0..VECTORS {
            let (set, kept) = part(keep, vector);
            let front = to_front(set);
            store_pairs_in_turn(
                four_behind(to, kept),
                u8x16_swizzle(first[vector], front),
                u8x16_swizzle(second[vector], front),
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
        for (vector, four) in left.into_iter().enumerate() {
            let (set, kept) = part(keep, vector);
            let front = u8x16_swizzle(four, to_front(set));
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
        let from = words_of(from);
        self.load_words(&words_of(at).map(|at| from[at as usize % LANES]))
    }

    #[inline(always)]
    fn pick_of_two(self, from: [Self::Words; 2], at: Self::Words) -> Self::Words {
        let from = from.map(words_of);
        let from = from.as_flattened();
        self.load_words(&words_of(at).map(|at| from[at as usize % (2 * LANES)]))
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Floats {
        [f32x4_splat(value); VECTORS]
    }

    #[inline(always)]
    fn splat_words(self, value: u32) -> Self::Words {
        [u32x4_splat(value); VECTORS]
    }

    #[inline(always)]
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each!(|vector| f32x4_add(a[vector], b[vector]))
    }

    #[inline(always)]
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each!(|vector| f32x4_sub(a[vector], b[vector]))
    }

    #[inline(always)]
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each!(|vector| f32x4_mul(a[vector], b[vector]))
    }

    #[inline(always)]
    fn higher(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        // `pmax(x, y)` is `y` if `x < y`, otherwise `x`.
        each!(|vector| f32x4_pmax(b[vector], a[vector]))
    }

    #[inline(always)]
    fn lower(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        // `pmin(x, y)` is `y` if `y < x`, otherwise `x`.
        each!(|vector| f32x4_pmin(b[vector], a[vector]))
    }

    #[inline(always)]
    fn highest(self, floats: Self::Floats) -> f32 {
        let mut highest = f32x4_splat(f32::NEG_INFINITY);
        for four in floats {
            // Where the second is NaN, the first is returned, which never is.
            highest = f32x4_pmax(highest, four);
        }
        let two = f32x4_pmax(highest, i32x4_shuffle::<2, 3, 0, 1>(highest, highest));
        let one = f32x4_pmax(two, i32x4_shuffle::<1, 0, 3, 2>(two, two));
        f32x4_extract_lane::<0>(one)
    }

    #[inline(always)]
    fn add_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        each!(|vector| u32x4_add(a[vector], b[vector]))
    }

    #[inline(always)]
    fn and_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        each!(|vector| v128_and(a[vector], b[vector]))
    }

    #[inline(always)]
    fn or_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        each!(|vector| v128_or(a[vector], b[vector]))
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
        each!(|vector| u32x4_shr(words[vector], count))
    }

    #[inline(always)]
    fn choose_if_above(
        self,
        a: Self::Words,
        b: Self::Words,
        then: Self::Words,
        or: Self::Words,
    ) -> Self::Words {
        each!(|vector| v128_bitselect(then[vector], or[vector], u32x4_gt(a[vector], b[vector])))
    }

    #[inline(always)]
    fn every_lane(self) -> Self::Mask {
        self.splat_words(!0)
    }

    #[inline(always)]
    fn le(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        each!(|vector| v128_and(among[vector], f32x4_le(a[vector], b[vector])))
    }

    #[inline(always)]
    fn differ(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        each!(|vector| v128_and(among[vector], f32x4_ne(a[vector], b[vector])))
    }

    #[inline(always)]
    fn share_a_bit(self, among: Self::Mask, a: Self::Words, b: Self::Words) -> Self::Mask {
        let none = u32x4_splat(0);
        each!(|vector| v128_and(
            among[vector],
            u32x4_ne(v128_and(a[vector], b[vector]), none)
        ))
    }

    #[inline(always)]
    fn has_bit(self, among: Self::Mask, words: Self::Words, at: Self::Words) -> Self::Mask {
        self.share_a_bit(among, words, each!(|vector| bit_at(at[vector])))
    }

    #[inline(always)]
    fn top_bit_set(self, among: Self::Mask, words: Self::Words) -> Self::Mask {
        self.and_words(among, words)
    }

    #[inline(always)]
    fn equal_pairs(self, a: Self::Words, b: Self::Words) -> u32 {
        let [a, b, c, d] = each!(|vector| {
            let equal = i64x2_bitmask(i64x2_eq(a[vector], b[vector]));
            u32::from(equal) << (FOUR / 2 * vector)
        });
        (a | b) | (c | d)
    }

    #[inline(always)]
    fn count_lt(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        // True is minus one.
        each!(|vector| u32x4_sub(counts[vector], f32x4_lt(a[vector], b[vector])))
    }

    #[inline(always)]
    fn count_le(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        each!(|vector| u32x4_sub(counts[vector], f32x4_le(a[vector], b[vector])))
    }

    #[inline(always)]
    fn bits(self, mask: Self::Mask) -> u32 {
        let [a, b, c, d] =
            each!(|vector| u32::from(u32x4_bitmask(mask[vector])) << (FOUR * vector));
        (a | b) | (c | d)
    }

    #[inline(always)]
    fn any(self, mask: Self::Mask) -> bool {
        let [a, b, c, d] = mask;
        u32x4_bitmask(v128_or(v128_or(a, b), v128_or(c, d))) != 0
    }

    #[inline(always)]
    fn nan_behind(self, count: usize, floats: Self::Floats) -> Self::Floats {
        let count = u32x4_splat(count.min(LANES) as u32);
        let (numbers, nan) = (self.load_words(&NUMBERS), f32x4_splat(f32::NAN));
        each!(|vector| v128_bitselect(floats[vector], nan, u32x4_lt(numbers[vector], count)))
    }
}
