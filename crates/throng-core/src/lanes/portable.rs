//! Sixteen lanes in four vectors of four, of the kind that the target always has: SSE2 on x86-64, NEON on Arm, simd128
//! in a browser if the build enables it, otherwise plain arrays. The `wide` crate chooses.
//!
//! Arrays of sixteen, left to the compiler, were tried first. It made good vectors in one kernel, and scalar code or
//! vectors along the wrong loop in the next: a sweep took twice the instructions. Two vectors of eight would compile to the
//! same: without wider vectors `wide` makes each of two of four, and with them the AVX2 kernels are used.

use super::notes::{halves, note_bytes};
use super::{Kernel, LANES, Lanes};
use crate::pair_buffer::PairOrder;
use wide::{f32x4, u32x4};

/// How many lanes a vector has.
const FOUR: usize = 4;
/// How many vectors there are.
const VECTORS: usize = LANES / FOUR;

/// The portable counterpart of the proof tokens: portable code needs no proof.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

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

#[inline(always)]
fn split<T>(sixteen: &[T; LANES]) -> &[[T; FOUR]] {
    sixteen.as_chunks().0
}

/// Lanes as an array. Cast as a whole: copied piece by piece they go through the stack in pieces that the processor
/// cannot forward from stores to loads, which took six times as long.
#[inline(always)]
fn floats(vectors: [f32x4; VECTORS]) -> [f32; LANES] {
    bytemuck::cast(vectors)
}

/// See [`floats`].
#[inline(always)]
fn words(vectors: [u32x4; VECTORS]) -> [u32; LANES] {
    bytemuck::cast(vectors)
}

/// Writes the values of the lanes in a set side by side. Does not branch on lanes, because sets are unpredictable.
#[inline(always)]
fn store_kept<T: Copy>(to: &mut [T; LANES], keep: u32, from: [T; LANES]) {
    let mut kept = 0;
    for (lane, value) in from.into_iter().enumerate() {
        to[kept % LANES] = value;
        kept += (keep >> lane & 1) as usize;
    }
}

impl Lanes for Portable {
    type Floats = [f32x4; VECTORS];
    type Words = [u32x4; VECTORS];
    /// A lane is in the set if its top bit is set; the other bits mean nothing.
    type Mask = [f32x4; VECTORS];
    type Note = u8;

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::Floats {
        let from = split(from);
        each!(|vector| f32x4::new(from[vector]))
    }

    #[inline(always)]
    fn load_words(self, from: &[u32; LANES]) -> Self::Words {
        let from = split(from);
        each!(|vector| u32x4::new(from[vector]))
    }

    #[inline(always)]
    fn store_words(self, to: &mut [u32; LANES], values: Self::Words) {
        *to = words(values);
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES], values: Self::Floats) {
        *to = floats(values);
    }

    #[inline(always)]
    fn store_some_words(self, to: &mut [u32], values: Self::Words) {
        let count = to.len().min(LANES);
        to[..count].copy_from_slice(&words(values)[..count]);
    }

    #[inline(always)]
    fn store_kept(self, to: &mut [f32; LANES], keep: u32, values: Self::Floats) {
        store_kept(to, keep, floats(values));
    }

    #[inline(always)]
    fn store_kept_words(self, to: &mut [u32; LANES], keep: u32, values: Self::Words) {
        store_kept(to, keep, words(values));
    }

    #[inline(always)]
    fn note(self, to: &mut [u8; LANES], set: Self::Mask, shift: usize) -> usize {
        note_bytes(to, halves(self.bits(set)), shift)
    }

    #[inline(always)]
    fn noted(self, notes: &[u8; LANES]) -> [Self::Words; 2] {
        let (mut lanes, mut shifts) = ([0; LANES], [0; LANES]);
        for (lane, &note) in notes.iter().enumerate() {
            [lanes[lane], shifts[lane]] = [u32::from(note & 15), u32::from(note >> 4)];
        }
        [self.load_words(&lanes), self.load_words(&shifts)]
    }

    /// Loops over the set: of the lanes compared, few make a pair.
    #[inline(always)]
    fn store_pairs(
        self,
        to: &mut [[u32; 2]; LANES],
        keep: u32,
        order: PairOrder,
        left: Self::Words,
        right: Self::Words,
    ) {
        let (left, right) = (words(left), words(right));
        let (mut set, mut kept) = (keep, 0);
        while set != 0 {
            let lane = set.trailing_zeros() as usize % LANES;
            let (left, right) = (left[lane], right[lane]);
            to[kept % LANES] = match order {
                PairOrder::LowerRow => [left.min(right), left.max(right)],
                PairOrder::Left => [left, right],
                PairOrder::Right => [right, left],
            };
            set &= set - 1;
            kept += 1;
        }
    }

    #[inline(always)]
    fn store_all_pairs(self, to: &mut [[u32; 2]; LANES], first: Self::Words, second: Self::Words) {
        let (first, second) = (words(first), words(second));
        for (lane, pair) in to.iter_mut().enumerate() {
            *pair = [first[lane], second[lane]];
        }
    }

    #[inline(always)]
    fn pick(self, from: Self::Words, at: Self::Words) -> Self::Words {
        let (from, mut at) = (words(from), words(at));
        for word in &mut at {
            *word = from[*word as usize % LANES];
        }
        bytemuck::cast(at)
    }

    #[inline(always)]
    fn pick_of_two(self, from: [Self::Words; 2], at: Self::Words) -> Self::Words {
        let from: [u32; 2 * LANES] = bytemuck::cast(from);
        let mut at = words(at);
        for word in &mut at {
            *word = from[*word as usize % from.len()];
        }
        bytemuck::cast(at)
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Floats {
        [f32x4::splat(value); VECTORS]
    }

    #[inline(always)]
    fn splat_words(self, value: u32) -> Self::Words {
        [u32x4::splat(value); VECTORS]
    }

    #[inline(always)]
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each!(|vector| a[vector] + b[vector])
    }

    #[inline(always)]
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each!(|vector| a[vector] - b[vector])
    }

    #[inline(always)]
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each!(|vector| a[vector] * b[vector])
    }

    #[inline(always)]
    fn higher(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each!(|vector| a[vector].simd_gt(b[vector]).select(a[vector], b[vector]))
    }

    #[inline(always)]
    fn lower(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        each!(|vector| a[vector].simd_lt(b[vector]).select(a[vector], b[vector]))
    }

    #[inline(always)]
    fn highest(self, values: Self::Floats) -> f32 {
        let mut highest = f32::NEG_INFINITY;
        for value in floats(values) {
            highest = if value > highest { value } else { highest };
        }
        highest
    }

    #[inline(always)]
    fn add_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        each!(|vector| a[vector] + b[vector])
    }

    #[inline(always)]
    fn and_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        each!(|vector| a[vector] & b[vector])
    }

    #[inline(always)]
    fn or_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        each!(|vector| a[vector] | b[vector])
    }

    #[inline(always)]
    fn transpose(self, groups: [Self::Floats; LANES]) -> [Self::Floats; LANES] {
        let mut to = groups;
        for from in 0..VECTORS {
            for (at, four) in groups.as_chunks::<FOUR>().0.iter().enumerate() {
                let [a, b, c, d] = [four[0][from], four[1][from], four[2][from], four[3][from]];
                for (lane, column) in f32x4::transpose([a, b, c, d]).into_iter().enumerate() {
                    to[from * FOUR + lane][at] = column;
                }
            }
        }
        to
    }

    #[inline(always)]
    fn shift_right(self, words: Self::Words, count: u32) -> Self::Words {
        each!(|vector| words[vector] >> count)
    }

    #[inline(always)]
    fn choose_if_above(
        self,
        a: Self::Words,
        b: Self::Words,
        then: Self::Words,
        or: Self::Words,
    ) -> Self::Words {
        let (a, b) = (words(a), words(b));
        let (then, mut or) = (words(then), words(or));
        for lane in 0..LANES {
            or[lane] = if a[lane] > b[lane] {
                then[lane]
            } else {
                or[lane]
            };
        }
        bytemuck::cast(or)
    }

    #[inline(always)]
    fn every_lane(self) -> Self::Mask {
        [bytemuck::cast(u32x4::splat(!0)); VECTORS]
    }

    #[inline(always)]
    fn le(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        each!(|vector| among[vector] & a[vector].simd_le(b[vector]))
    }

    #[inline(always)]
    fn differ(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        each!(|vector| among[vector] & a[vector].simd_ne(b[vector]))
    }

    #[inline(always)]
    fn share_a_bit(self, among: Self::Mask, a: Self::Words, b: Self::Words) -> Self::Mask {
        each!(|vector| {
            let apart = (a[vector] & b[vector]).simd_eq(u32x4::splat(0));
            bytemuck::cast(bytemuck::cast::<_, u32x4>(among[vector]) & !apart)
        })
    }

    #[inline(always)]
    fn has_bit(self, among: Self::Mask, words: Self::Words, at: Self::Words) -> Self::Mask {
        let (mut top, at) = (self::words(words), self::words(at));
        for lane in 0..LANES {
            top[lane] <<= !at[lane] & 31;
        }
        self.top_bit_set(among, bytemuck::cast(top))
    }

    #[inline(always)]
    fn top_bit_set(self, among: Self::Mask, words: Self::Words) -> Self::Mask {
        each!(|vector| among[vector] & bytemuck::cast::<_, f32x4>(words[vector]))
    }

    #[inline(always)]
    fn equal_pairs(self, a: Self::Words, b: Self::Words) -> u32 {
        let [a, b]: [[u64; LANES / 2]; 2] = [bytemuck::cast(a), bytemuck::cast(b)];
        let mut equal = 0;
        for pair in 0..LANES / 2 {
            equal |= u32::from(a[pair] == b[pair]) << pair;
        }
        equal
    }

    #[inline(always)]
    fn count_lt(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        // True is minus one.
        each!(|vector| counts[vector] - bytemuck::cast::<_, u32x4>(a[vector].simd_lt(b[vector])))
    }

    #[inline(always)]
    fn count_le(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        each!(|vector| counts[vector] - bytemuck::cast::<_, u32x4>(a[vector].simd_le(b[vector])))
    }

    #[inline(always)]
    fn bits(self, mask: Self::Mask) -> u32 {
        let [a, b, c, d] = each!(|vector| mask[vector].to_bitmask() << (FOUR * vector));
        (a | b) | (c | d)
    }

    #[inline(always)]
    fn any(self, mask: Self::Mask) -> bool {
        ((mask[0] | mask[1]) | (mask[2] | mask[3])).to_bitmask() != 0
    }

    #[inline(always)]
    fn nan_behind(self, count: usize, values: Self::Floats) -> Self::Floats {
        if count >= LANES {
            return values;
        }
        let mut values = floats(values);
        values[count..].fill(f32::NAN);
        self.load(&values)
    }
}
