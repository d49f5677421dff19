//! Sixteen lanes in two vectors of AVX2.
#![allow(
    unsafe_code,
    reason = "vector instructions of a machine that was found to have them, on raw addresses"
)]

use super::notes::{HALF, NUMBERS_OF, note_bytes};
use super::{Kernel, LANES, Lanes, align_frame, look_up_sides};
use crate::pair_buffer::PairOrder;
use std::arch::x86_64::*;

/// Proof that the machine has AVX2 and what else [`SimdLevel::Avx2`](crate::SimdLevel::Avx2) lists.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// # Safety
    ///
    /// The machine has all features of [`SimdLevel::Avx2`](crate::SimdLevel::Avx2).
    #[inline(always)]
    pub unsafe fn new() -> Self {
        Self(())
    }
}

/// Instructions that touch no memory: all they need is the token.
macro_rules! proven {
    ($lanes:ident, $instructions:expr) => {{
        let Avx2(()) = $lanes;
        // SAFETY: the token just taken apart is made only where the machine was found to have AVX2.
        unsafe { $instructions }
    }};
}

/// Applies the same instruction to the lower and the upper vectors.
macro_rules! both {
    ($lanes:ident, $instruction:ident$(::<$constant:literal>)?($($vectors:ident),*)) => {
        proven!($lanes, [
            $instruction$(::<$constant>)?($($vectors[0]),*),
            $instruction$(::<$constant>)?($($vectors[1]),*),
        ])
    };
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn call<K: Kernel>(lanes: Avx2, kernel: K) -> K::Output {
    align_frame::<__m256i>();
    kernel.run(lanes)
}

impl Avx2 {
    #[inline(always)]
    fn load_half(self, from: &[f32; HALF]) -> __m256 {
        // SAFETY: `from` is eight floats, all of which are read; the load needs no alignment. `self` proves the rest.
        unsafe { _mm256_loadu_ps(from.as_ptr()) }
    }

    #[inline(always)]
    fn load_half_words(self, from: &[u32; HALF]) -> __m256i {
        // SAFETY: `from` is eight words, all of which are read; the load needs no alignment. `self` proves the rest.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_half(self, to: &mut [f32; HALF], floats: __m256) {
        // SAFETY: `to` is eight floats, all of which are written; the store needs no alignment. `self` proves the rest.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), floats) }
    }

    #[inline(always)]
    fn store_half_words(self, to: &mut [u32; HALF], words: __m256i) {
        // SAFETY: `to` is eight words, all of which are written; the store needs no alignment. `self` proves the rest.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), words) }
    }

    /// Writes the first words: as many as there is room for.
    #[inline(always)]
    fn store_some_of_half(self, to: &mut [u32], words: __m256i) {
        let numbers: &[u32; HALF] = super::NUMBERS.first_chunk().expect("half of them");
        let numbers = self.load_half_words(numbers);
        let count = to.len().min(HALF) as i32;
        let among = proven!(self, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), numbers));
        // SAFETY: only the lanes of `among` are written, and there is room for as many. `self` proves the rest.
        unsafe { _mm256_maskstore_epi32(to.as_mut_ptr().cast(), among, words) }
    }

    /// The permutation that moves the lanes in a set of eight to the front.
    #[inline(always)]
    fn to_front(self, set: u32) -> __m256i {
        self.widen(NUMBERS_OF[set as usize & 255])
    }

    /// Bytes as words.
    #[inline(always)]
    fn widen(self, bytes: [u8; HALF]) -> __m256i {
        let bytes = u64::from_le_bytes(bytes) as i64;
        proven!(self, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bytes)))
    }

    /// In each lane `then` if a bit of `words` is set, otherwise `or`.
    #[inline(always)]
    fn choose_by_bit<const BIT: u32>(self, words: __m256i, then: __m256i, or: __m256i) -> __m256i {
        proven!(self, {
            let top = _mm256_sllv_epi32(words, _mm256_set1_epi32(const { 31 - BIT as i32 }));
            _mm256_castps_si256(_mm256_blendv_ps(
                _mm256_castsi256_ps(or),
                _mm256_castsi256_ps(then),
                _mm256_castsi256_ps(top),
            ))
        })
    }

    /// In each of eight lanes the word, of sixteen, that the lower four bits of `at` name.
    #[inline(always)]
    fn pick_half(self, from: [__m256i; 2], at: __m256i) -> __m256i {
        let [low, high] = proven!(
            self,
            [
                _mm256_permutevar8x32_epi32(from[0], at),
                _mm256_permutevar8x32_epi32(from[1], at),
            ]
        );
        self.choose_by_bit::<3>(at, high, low)
    }

    /// Whether the first index of each pair is below the first length, and the second below the second. Neither length may be
    /// zero.
    #[inline(always)]
    fn are_below(self, pairs: &[[u32; 2]; LANES], lens: [usize; 2]) -> bool {
        let [first, second] = lens.map(|len| (len - 1).min(u32::MAX as usize) as u64);
        let last = proven!(self, _mm256_set1_epi64x((first | second << 32) as i64));
        let (eights, _) = pairs.as_flattened().as_chunks::<HALF>();
        let mut are_below = proven!(self, _mm256_set1_epi32(-1));
        for eight in eights {
            let words = self.load_half_words(eight);
            are_below = proven!(self, {
                let is_below = _mm256_cmpeq_epi32(words, _mm256_min_epu32(words, last));
                _mm256_and_si256(are_below, is_below)
            });
        }
        proven!(self, _mm256_movemask_epi8(are_below)) == -1
    }

    /// The points of one side of sixteen pairs: their first coordinates, and their second.
    ///
    /// # Safety
    ///
    /// There are points with all these indices.
    #[inline(always)]
    unsafe fn look_up_side<const SIDE: usize>(
        self,
        points: &[[f32; 2]],
        pairs: &[[[u32; 2]; HALF]],
    ) -> [[__m256; 2]; 2] {
        let base = points.as_ptr().cast::<f64>();
        // SAFETY: the caller says that there is a point with each index.
        let [low, high] = unsafe {
            [
                self.look_up_half::<SIDE>(base, &pairs[0]),
                self.look_up_half::<SIDE>(base, &pairs[1]),
            ]
        };
        [[low[0], high[0]], [low[1], high[1]]]
    }

    /// As [`look_up_side`](Self::look_up_side), for eight pairs.
    ///
    /// # Safety
    ///
    /// There are points from `base` on, each as long as an `f64`, with all these indices.
    #[inline(always)]
    unsafe fn look_up_half<const SIDE: usize>(
        self,
        base: *const f64,
        pairs: &[[u32; 2]; HALF],
    ) -> [__m256; 2] {
        let at = |lane: usize| pairs[lane][SIDE];
        // SAFETY: there is a point with each index; the loads need no alignment. `self` proves the rest.
        unsafe {
            // Shuffles work inside 128-bit halves: 0 1 | 4 5 and 2 3 | 6 7.
            let outer = four_points(base, [at(0), at(1), at(4), at(5)]);
            let inner = four_points(base, [at(2), at(3), at(6), at(7)]);
            [
                _mm256_shuffle_ps::<0b10_00_10_00>(outer, inner),
                _mm256_shuffle_ps::<0b11_01_11_01>(outer, inner),
            ]
        }
    }

    /// Writes eight pairs: the lanes of `first` and of `second` in turn.
    #[inline(always)]
    fn store_pairs_in_turn(self, to: &mut [[u32; 2]; HALF], first: __m256i, second: __m256i) {
        let [low, high] = proven!(self, {
            // Interleaving works inside 128-bit halves: 0 1 | 4 5 and 2 3 | 6 7.
            let low = _mm256_unpacklo_epi32(first, second);
            let high = _mm256_unpackhi_epi32(first, second);
            [
                _mm256_permute2x128_si256::<0x20>(low, high),
                _mm256_permute2x128_si256::<0x31>(low, high),
            ]
        });
        let [to_low, to_high] = halves(to.as_flattened_mut());
        self.store_half_words(to_low, low);
        self.store_half_words(to_high, high);
    }
}

/// Four points, one after the other.
///
/// # Safety
///
/// The machine has AVX2, and points, each as long as an `f64`, can be read at all these indices from `base` on.
#[inline(always)]
unsafe fn four_points(base: *const f64, [a, b, c, d]: [u32; 4]) -> __m256 {
    // SAFETY: the caller says that points can be read at these indices, and that the machine has AVX2.
    unsafe {
        let low = _mm_loadh_pd(_mm_load_sd(base.add(a as usize)), base.add(b as usize));
        let high = _mm_loadh_pd(_mm_load_sd(base.add(c as usize)), base.add(d as usize));
        _mm256_castpd_ps(_mm256_set_m128d(high, low))
    }
}

/// Rows become columns.
#[inline(always)]
fn eight_by_eight(lanes: Avx2, g: [__m256; HALF]) -> [__m256; HALF] {
    // Four by four inside each half of a vector, then the halves themselves.
    let a = four_by_four(lanes, [g[0], g[1], g[2], g[3]]);
    let b = four_by_four(lanes, [g[4], g[5], g[6], g[7]]);
    proven!(lanes, {
        [
            _mm256_permute2f128_ps::<0x20>(a[0], b[0]),
            _mm256_permute2f128_ps::<0x20>(a[1], b[1]),
            _mm256_permute2f128_ps::<0x20>(a[2], b[2]),
            _mm256_permute2f128_ps::<0x20>(a[3], b[3]),
            _mm256_permute2f128_ps::<0x31>(a[0], b[0]),
            _mm256_permute2f128_ps::<0x31>(a[1], b[1]),
            _mm256_permute2f128_ps::<0x31>(a[2], b[2]),
            _mm256_permute2f128_ps::<0x31>(a[3], b[3]),
        ]
    })
}

/// Transposes the four by four lanes of each half.
#[inline(always)]
fn four_by_four(lanes: Avx2, [a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    proven!(lanes, {
        let [ab, cd] = [_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d)];
        let [ab_high, cd_high] = [_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d)];
        [
            _mm256_shuffle_ps::<0b01_00_01_00>(ab, cd),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab, cd),
            _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
        ]
    })
}

/// The lower eight lanes of a set, and the upper.
#[inline(always)]
fn split(set: u32) -> [u32; 2] {
    [set & 255, set >> HALF & 255]
}

/// Both halves of sixteen.
#[inline(always)]
fn halves<T>(all: &mut [T]) -> [&mut [T; HALF]; 2] {
    let (low, high) = all.split_at_mut(HALF);
    let chunk = "half of sixteen";
    [
        low.first_chunk_mut().expect(chunk),
        high.first_chunk_mut().expect(chunk),
    ]
}

/// Eight elements of `to`, after as many as the set has lanes among its lower eight.
#[inline(always)]
fn behind<T>(to: &mut [T; LANES], set: u32) -> &mut [T; HALF] {
    // Cut to eight bits, so the compiler knows that the index is in range.
    let kept = (set as u8).count_ones() as usize;
    to[kept..]
        .first_chunk_mut()
        .expect("a set of eight leaves eight places of sixteen")
}

impl Lanes for Avx2 {
    type Floats = [__m256; 2];
    type Words = [__m256i; 2];
    /// A lane is in the set if its top bit is set; the other bits mean nothing.
    type Mask = [__m256; 2];
    type Note = u8;

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: `self` proves all features that `SimdLevel::Avx2` lists, which are those that `call` is compiled with.
        unsafe { call(self, kernel) }
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::Floats {
        let (halves, _) = from.as_chunks::<HALF>();
        [self.load_half(&halves[0]), self.load_half(&halves[1])]
    }

    #[inline(always)]
    fn load_words(self, from: &[u32; LANES]) -> Self::Words {
        let (halves, _) = from.as_chunks::<HALF>();
        [
            self.load_half_words(&halves[0]),
            self.load_half_words(&halves[1]),
        ]
    }

    #[inline(always)]
    fn store_words(self, to: &mut [u32; LANES], words: Self::Words) {
        let [low, high] = halves(to);
        self.store_half_words(low, words[0]);
        self.store_half_words(high, words[1]);
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES], floats: Self::Floats) {
        let [low, high] = halves(to);
        self.store_half(low, floats[0]);
        self.store_half(high, floats[1]);
    }

    #[inline(always)]
    fn store_some_words(self, to: &mut [u32], words: Self::Words) {
        let (low, high) = to.split_at_mut(to.len().min(HALF));
        self.store_some_of_half(low, words[0]);
        self.store_some_of_half(high, words[1]);
    }

    #[inline(always)]
    fn store_kept(self, to: &mut [f32; LANES], keep: u32, floats: Self::Floats) {
        let [low, high] = split(keep);
        let (low, high) = (self.to_front(low), self.to_front(high));
        let front = proven!(
            self,
            [
                _mm256_permutevar8x32_ps(floats[0], low),
                _mm256_permutevar8x32_ps(floats[1], high),
            ]
        );
        self.store_half(behind(to, 0), front[0]);
        self.store_half(behind(to, keep), front[1]);
    }

    #[inline(always)]
    fn store_kept_words(self, to: &mut [u32; LANES], keep: u32, words: Self::Words) {
        let [low, high] = split(keep);
        let (low, high) = (self.to_front(low), self.to_front(high));
        let front = proven!(
            self,
            [
                _mm256_permutevar8x32_epi32(words[0], low),
                _mm256_permutevar8x32_epi32(words[1], high),
            ]
        );
        self.store_half_words(behind(to, 0), front[0]);
        self.store_half_words(behind(to, keep), front[1]);
    }

    #[inline(always)]
    fn note(self, to: &mut [u8; LANES], set: Self::Mask, shift: usize) -> usize {
        let halves = both!(self, _mm256_movemask_ps(set)).map(|half| half as u8);
        note_bytes(to, halves, shift)
    }

    #[inline(always)]
    fn noted(self, notes: &[u8; LANES]) -> [Self::Words; 2] {
        let (halves, _) = notes.as_chunks();
        let notes = [self.widen(halves[0]), self.widen(halves[1])];
        let lanes = self.and_words(notes, self.splat_words(15));
        [lanes, both!(self, _mm256_srli_epi32::<4>(notes))]
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
                both!(self, _mm256_min_epu32(left, right)),
                both!(self, _mm256_max_epu32(left, right)),
            ),
            PairOrder::Left => (left, right),
            PairOrder::Right => (right, left),
        };
        let [low, high] = split(keep);
        let (low, high) = (self.to_front(low), self.to_front(high));
        let (first, second) = proven!(
            self,
            (
                [
                    _mm256_permutevar8x32_epi32(first[0], low),
                    _mm256_permutevar8x32_epi32(first[1], high),
                ],
                [
                    _mm256_permutevar8x32_epi32(second[0], low),
                    _mm256_permutevar8x32_epi32(second[1], high),
                ],
            )
        );
        self.store_pairs_in_turn(behind(to, 0), first[0], second[0]);
        self.store_pairs_in_turn(behind(to, keep), first[1], second[1]);
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
        let [right, _] = right;
        let sets = split(keep);
        for (half, before) in [(0, 0), (1, keep)] {
            let order_to_front = self.to_front(sets[half]);
            let left = proven!(
                self,
                _mm256_permutevar8x32_epi32(left[half], order_to_front)
            );
            let (first, second) = match order {
                PairOrder::Right => (right, left),
                _ => (left, right),
            };
            self.store_pairs_in_turn(behind(to, before), first, second);
        }
    }

    #[inline(always)]
    fn store_all_pairs(self, to: &mut [[u32; 2]; LANES], first: Self::Words, second: Self::Words) {
        let [low, high] = halves(to);
        self.store_pairs_in_turn(low, first[0], second[0]);
        self.store_pairs_in_turn(high, first[1], second[1]);
    }

    #[inline(always)]
    fn pick(self, from: Self::Words, at: Self::Words) -> Self::Words {
        [self.pick_half(from, at[0]), self.pick_half(from, at[1])]
    }

    #[inline(always)]
    fn pick_of_two(self, [low, high]: [Self::Words; 2], at: Self::Words) -> Self::Words {
        let (low, high) = (self.pick(low, at), self.pick(high, at));
        [
            self.choose_by_bit::<4>(at[0], high[0], low[0]),
            self.choose_by_bit::<4>(at[1], high[1], low[1]),
        ]
    }

    /// Point by point, since gathers take longer on many machines; but all indices are checked at once, and are not stored and read again
    /// first.
    #[inline(always)]
    fn look_up_pairs(
        self,
        points: [&[[f32; 2]]; 2],
        pairs: &[[u32; 2]; LANES],
    ) -> [[Self::Floats; 2]; 2] {
        if points[0].is_empty()
            || points[1].is_empty()
            || !self.are_below(pairs, points.map(<[_]>::len))
        {
            return look_up_sides(self, points, pairs);
        }
        let (halves, _) = pairs.as_chunks::<HALF>();
        // SAFETY: `are_below` found every index below the number of its points, and neither list of points is empty.
        unsafe {
            [
                self.look_up_side::<0>(points[0], halves),
                self.look_up_side::<1>(points[1], halves),
            ]
        }
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Floats {
        [proven!(self, _mm256_set1_ps(value)); 2]
    }

    #[inline(always)]
    fn splat_words(self, value: u32) -> Self::Words {
        [proven!(self, _mm256_set1_epi32(value as i32)); 2]
    }

    #[inline(always)]
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        both!(self, _mm256_add_ps(a, b))
    }

    #[inline(always)]
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        both!(self, _mm256_sub_ps(a, b))
    }

    #[inline(always)]
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        both!(self, _mm256_mul_ps(a, b))
    }

    #[inline(always)]
    fn higher(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        both!(self, _mm256_max_ps(a, b))
    }

    #[inline(always)]
    fn lower(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        both!(self, _mm256_min_ps(a, b))
    }

    #[inline(always)]
    fn highest(self, floats: Self::Floats) -> f32 {
        proven!(self, {
            let lowest = _mm256_set1_ps(f32::NEG_INFINITY);
            // If one of the two is NaN, the second operand is returned.
            let high = _mm256_max_ps(floats[1], lowest);
            let eight = _mm256_max_ps(floats[0], high);
            let four = _mm_max_ps(
                _mm256_castps256_ps128(eight),
                _mm256_extractf128_ps::<1>(eight),
            );
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            let one = _mm_max_ss(two, _mm_shuffle_ps::<1>(two, two));
            _mm_cvtss_f32(one)
        })
    }

    #[inline(always)]
    fn add_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        both!(self, _mm256_add_epi32(a, b))
    }

    #[inline(always)]
    fn and_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        both!(self, _mm256_and_si256(a, b))
    }

    #[inline(always)]
    fn or_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        both!(self, _mm256_or_si256(a, b))
    }

    #[inline(always)]
    fn transpose(self, groups: [Self::Floats; LANES]) -> [Self::Floats; LANES] {
        let mut to = groups;
        for from_half in 0..2 {
            for to_half in 0..2 {
                let mut eight = [groups[0][0]; HALF];
                for (k, lanes) in eight.iter_mut().enumerate() {
                    *lanes = groups[to_half * HALF + k][from_half];
                }
                let eight = eight_by_eight(self, eight);
                for (k, lanes) in eight.into_iter().enumerate() {
                    to[from_half * HALF + k][to_half] = lanes;
                }
            }
        }
        to
    }

    #[inline(always)]
    fn shift_right(self, words: Self::Words, count: u32) -> Self::Words {
        let counts = self.splat_words(count);
        both!(self, _mm256_srlv_epi32(words, counts))
    }

    #[inline(always)]
    fn choose_if_above(
        self,
        a: Self::Words,
        b: Self::Words,
        then: Self::Words,
        or: Self::Words,
    ) -> Self::Words {
        let lower = both!(self, _mm256_min_epu32(a, b));
        let is_lower = both!(self, _mm256_cmpeq_epi32(a, lower));
        both!(self, _mm256_blendv_epi8(then, or, is_lower))
    }

    #[inline(always)]
    fn every_lane(self) -> Self::Mask {
        let ones = proven!(self, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
        [ones; 2]
    }

    #[inline(always)]
    fn le(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        proven!(
            self,
            [
                _mm256_and_ps(among[0], _mm256_cmp_ps::<_CMP_LE_OQ>(a[0], b[0])),
                _mm256_and_ps(among[1], _mm256_cmp_ps::<_CMP_LE_OQ>(a[1], b[1])),
            ]
        )
    }

    #[inline(always)]
    fn differ(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        proven!(
            self,
            [
                _mm256_and_ps(among[0], _mm256_cmp_ps::<_CMP_NEQ_UQ>(a[0], b[0])),
                _mm256_and_ps(among[1], _mm256_cmp_ps::<_CMP_NEQ_UQ>(a[1], b[1])),
            ]
        )
    }

    #[inline(always)]
    fn share_a_bit(self, among: Self::Mask, a: Self::Words, b: Self::Words) -> Self::Mask {
        let shared = self.and_words(a, b);
        proven!(self, {
            let zero = _mm256_setzero_si256();
            [
                _mm256_andnot_ps(
                    _mm256_castsi256_ps(_mm256_cmpeq_epi32(shared[0], zero)),
                    among[0],
                ),
                _mm256_andnot_ps(
                    _mm256_castsi256_ps(_mm256_cmpeq_epi32(shared[1], zero)),
                    among[1],
                ),
            ]
        })
    }

    #[inline(always)]
    fn has_bit(self, among: Self::Mask, words: Self::Words, at: Self::Words) -> Self::Mask {
        let top = proven!(self, {
            let last = _mm256_set1_epi32(31);
            let to_top = |words, at| _mm256_sllv_epi32(words, _mm256_andnot_si256(at, last));
            [to_top(words[0], at[0]), to_top(words[1], at[1])]
        });
        self.top_bit_set(among, top)
    }

    #[inline(always)]
    fn top_bit_set(self, among: Self::Mask, words: Self::Words) -> Self::Mask {
        proven!(
            self,
            [
                _mm256_and_ps(among[0], _mm256_castsi256_ps(words[0])),
                _mm256_and_ps(among[1], _mm256_castsi256_ps(words[1])),
            ]
        )
    }

    #[inline(always)]
    fn equal_pairs(self, a: Self::Words, b: Self::Words) -> u32 {
        let equal = both!(self, _mm256_cmpeq_epi64(a, b));
        let equal = both!(self, _mm256_castsi256_pd(equal));
        let [low, high] = both!(self, _mm256_movemask_pd(equal));
        // A shift that the compiler does not know. Otherwise it packs both into one vector first, and the next comparison waits for that.
        (low | high << std::hint::black_box(HALF / 2)) as u32
    }

    #[inline(always)]
    fn count_lt(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        // True is minus one.
        proven!(
            self,
            [
                _mm256_sub_epi32(
                    counts[0],
                    _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a[0], b[0]))
                ),
                _mm256_sub_epi32(
                    counts[1],
                    _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a[1], b[1]))
                ),
            ]
        )
    }

    #[inline(always)]
    fn count_le(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        proven!(
            self,
            [
                _mm256_sub_epi32(
                    counts[0],
                    _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LE_OQ>(a[0], b[0]))
                ),
                _mm256_sub_epi32(
                    counts[1],
                    _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LE_OQ>(a[1], b[1]))
                ),
            ]
        )
    }

    #[inline(always)]
    fn bits(self, mask: Self::Mask) -> u32 {
        let [low, high] = both!(self, _mm256_movemask_ps(mask));
        (low | high << HALF) as u32
    }

    #[inline(always)]
    fn any(self, mask: Self::Mask) -> bool {
        proven!(self, {
            let either = _mm256_or_ps(mask[0], mask[1]);
            _mm256_testz_ps(either, either) == 0
        })
    }

    #[inline(always)]
    fn nan_behind(self, count: usize, floats: Self::Floats) -> Self::Floats {
        let numbers = self.load_words(&super::NUMBERS);
        let count = self.splat_words(count.min(LANES) as u32);
        let nan = self.splat(f32::NAN);
        proven!(self, {
            let low = _mm256_castsi256_ps(_mm256_cmpgt_epi32(count[0], numbers[0]));
            let high = _mm256_castsi256_ps(_mm256_cmpgt_epi32(count[1], numbers[1]));
            [
                _mm256_blendv_ps(nan[0], floats[0], low),
                _mm256_blendv_ps(nan[1], floats[1], high),
            ]
        })
    }
}
