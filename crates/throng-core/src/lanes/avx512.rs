//! Sixteen lanes in one vector of AVX-512.
#![allow(
    unsafe_code,
    reason = "vector instructions of a machine that was found to have them, on raw addresses"
)]

use super::{EVENS, Kernel, LANES, Lanes, ODDS, align_frame, lanes_below};
use crate::pair_buffer::PairOrder;
use std::arch::x86_64::*;

/// Two floats that are not numbers.
const NO_POINT: u64 = 0x7fc0_0000_7fc0_0000;

/// For each shift, the notes of all lanes.
static NOTES: [[u32; LANES]; LANES] = {
    let mut notes = [[0; LANES]; LANES];
    let mut at = 0;
    while at < LANES * LANES {
        let (shift, lane) = (at / LANES, at % LANES);
        notes[shift][lane] = (shift << 16 | lane) as u32;
        at += 1;
    }
    notes
};

/// Proof that the machine has AVX-512 and what else [`SimdLevel::Avx512`](crate::SimdLevel::Avx512) lists.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// # Safety
    ///
    /// The machine has all features of [`SimdLevel::Avx512`](crate::SimdLevel::Avx512).
    #[inline(always)]
    pub unsafe fn new() -> Self {
        Self(())
    }
}

/// Instructions that touch no memory: all they need is the token.
macro_rules! proven {
    ($lanes:ident, $instructions:expr) => {{
        let Avx512(()) = $lanes;
        // SAFETY: the token just taken apart is made only where the machine was found to have AVX-512.
        unsafe { $instructions }
    }};
}

/// Without `avx512dq`, which no primitive needs: with it, the compiler turns [`count_lt`](Lanes::count_lt) into a mask
/// made a vector and subtracted: one more instruction for the only two ports that execute these (a probe took a quarter
/// longer).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn call<K: Kernel>(lanes: Avx512, kernel: K) -> K::Output {
    align_frame::<__m512i>();
    kernel.run(lanes)
}

impl Lanes for Avx512 {
    type Floats = __m512;
    type Words = __m512i;
    type Mask = __mmask16;
    /// The lane in the lower half, the shift in the upper.
    type Note = u32;

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        // SAFETY: `self` proves all features that `SimdLevel::Avx512` lists, and `call` is compiled with no others.
        unsafe { call(self, kernel) }
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::Floats {
        // SAFETY: `from` is sixteen floats, all of which are read; the load needs no alignment. `self` proves the rest.
        unsafe { _mm512_loadu_ps(from.as_ptr()) }
    }

    #[inline(always)]
    fn load_words(self, from: &[u32; LANES]) -> Self::Words {
        // SAFETY: `from` is sixteen words, all of which are read; the load needs no alignment. `self` proves the rest.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_some(self, from: &[f32]) -> Self::Floats {
        let among = lanes_below(from.len()) as __mmask16;
        // SAFETY: only lanes of `among` are read, and there are no more of those than floats. `self` proves the rest.
        unsafe { _mm512_mask_loadu_ps(_mm512_set1_ps(f32::NAN), among, from.as_ptr()) }
    }

    #[inline(always)]
    fn load_some_words(self, from: &[u32]) -> Self::Words {
        let among = lanes_below(from.len()) as __mmask16;
        // SAFETY: only lanes of `among` are read, and there are no more of those than words. `self` proves the rest.
        unsafe { _mm512_maskz_loadu_epi32(among, from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_words(self, to: &mut [u32; LANES], words: Self::Words) {
        // SAFETY: `to` is sixteen words, all of which are written; the store needs no alignment. `self` proves the rest.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), words) }
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES], floats: Self::Floats) {
        // SAFETY: `to` is sixteen floats, all of which are written; the store needs no alignment. `self` proves the rest.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), floats) }
    }

    #[inline(always)]
    fn store_some_words(self, to: &mut [u32], words: Self::Words) {
        let among = lanes_below(to.len()) as __mmask16;
        // SAFETY: only lanes of `among` are written, and there is room for as many. `self` proves the rest.
        unsafe { _mm512_mask_storeu_epi32(to.as_mut_ptr().cast(), among, words) }
    }

    #[inline(always)]
    fn store_kept(self, to: &mut [f32; LANES], keep: u32, floats: Self::Floats) {
        let front = proven!(self, _mm512_maskz_compress_ps(keep as __mmask16, floats));
        self.store(to, front);
    }

    #[inline(always)]
    fn store_kept_words(self, to: &mut [u32; LANES], keep: u32, words: Self::Words) {
        let front = proven!(self, _mm512_maskz_compress_epi32(keep as __mmask16, words));
        self.store_words(to, front);
    }

    #[inline(always)]
    fn note(self, to: &mut [u32; LANES], set: Self::Mask, shift: usize) -> usize {
        let notes = self.load_words(&NOTES[shift % LANES]);
        self.store_kept_words(to, set.into(), notes);
        set.count_ones() as usize
    }

    #[inline(always)]
    fn noted(self, notes: &[u32; LANES]) -> [Self::Words; 2] {
        let notes = self.load_words(notes);
        [notes, proven!(self, _mm512_srli_epi32::<16>(notes))]
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
                proven!(self, _mm512_min_epu32(left, right)),
                proven!(self, _mm512_max_epu32(left, right)),
            ),
            PairOrder::Left => (left, right),
            PairOrder::Right => (right, left),
        };
        let keep = keep as __mmask16;
        let [first, second] = proven!(
            self,
            [
                _mm512_maskz_compress_epi32(keep, first),
                _mm512_maskz_compress_epi32(keep, second),
            ]
        );
        self.store_all_pairs(to, first, second);
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
        let left = proven!(self, _mm512_maskz_compress_epi32(keep as __mmask16, left));
        // A different choice of lanes rather than a branch: it can be hoisted out of the loop.
        let swap = self.splat_words(if order == PairOrder::Right { 16 } else { 0 });
        let [low, high] = in_turn(self);
        let low = proven!(
            self,
            _mm512_permutex2var_epi32(left, _mm512_xor_si512(low, swap), right)
        );
        let [to_low, to_high] = halves(to);
        self.store_words(to_low, low);
        if keep.count_ones() as usize > LANES / 2 {
            let high = proven!(
                self,
                _mm512_permutex2var_epi32(left, _mm512_xor_si512(high, swap), right)
            );
            self.store_words(to_high, high);
        }
    }

    #[inline(always)]
    fn store_all_pairs(self, to: &mut [[u32; 2]; LANES], first: Self::Words, second: Self::Words) {
        let [low, high] = in_turn(self);
        let [low, high] = proven!(
            self,
            [
                _mm512_permutex2var_epi32(first, low, second),
                _mm512_permutex2var_epi32(first, high, second),
            ]
        );
        let [to_low, to_high] = halves(to);
        self.store_words(to_low, low);
        self.store_words(to_high, high);
    }

    #[inline(always)]
    fn pick(self, from: Self::Words, at: Self::Words) -> Self::Words {
        proven!(self, _mm512_permutexvar_epi32(at, from))
    }

    #[inline(always)]
    fn pick_of_two(self, [low, high]: [Self::Words; 2], at: Self::Words) -> Self::Words {
        proven!(self, _mm512_permutex2var_epi32(low, at, high))
    }

    #[inline(always)]
    fn look_up(self, points: &[[f32; 2]], at: Self::Words) -> [Self::Floats; 2] {
        // As indices are read as signed numbers.
        let len = points.len().min(1 << 31) as u32;
        let there = proven!(self, _mm512_cmplt_epu32_mask(at, self.splat_words(len)));
        let none = proven!(self, _mm512_set1_pd(f64::from_bits(NO_POINT)));
        let [low, high] = proven!(
            self,
            [
                _mm512_castsi512_si256(at),
                _mm512_extracti64x4_epi64::<1>(at)
            ]
        );
        let base = points.as_ptr().cast::<f64>();
        // SAFETY: only lanes of `there` are read, whose indices are below the number of points, each of which is eight bytes; the
        // loads need no alignment. `self` proves the rest.
        let [low, high] = unsafe {
            [
                _mm512_mask_i32gather_pd::<8>(none, there as __mmask8, low, base),
                _mm512_mask_i32gather_pd::<8>(none, (there >> 8) as __mmask8, high, base),
            ]
        };
        let both = proven!(self, [_mm512_castpd_si512(low), _mm512_castpd_si512(high)]);
        let first = self.pick_of_two(both, self.load_words(&EVENS));
        let second = self.pick_of_two(both, self.load_words(&ODDS));
        proven!(
            self,
            [_mm512_castsi512_ps(first), _mm512_castsi512_ps(second)]
        )
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Floats {
        proven!(self, _mm512_set1_ps(value))
    }

    #[inline(always)]
    fn splat_words(self, value: u32) -> Self::Words {
        proven!(self, _mm512_set1_epi32(value as i32))
    }

    #[inline(always)]
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        proven!(self, _mm512_add_ps(a, b))
    }

    #[inline(always)]
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        proven!(self, _mm512_sub_ps(a, b))
    }

    #[inline(always)]
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        proven!(self, _mm512_mul_ps(a, b))
    }

    #[inline(always)]
    fn higher(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        proven!(self, _mm512_max_ps(a, b))
    }

    #[inline(always)]
    fn lower(self, a: Self::Floats, b: Self::Floats) -> Self::Floats {
        proven!(self, _mm512_min_ps(a, b))
    }

    #[inline(always)]
    fn highest(self, floats: Self::Floats) -> f32 {
        let lowest = self.splat(f32::NEG_INFINITY);
        // If either is NaN, the second operand is taken.
        proven!(self, _mm512_reduce_max_ps(_mm512_max_ps(floats, lowest)))
    }

    #[inline(always)]
    fn add_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        proven!(self, _mm512_add_epi32(a, b))
    }

    #[inline(always)]
    fn and_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        proven!(self, _mm512_and_si512(a, b))
    }

    #[inline(always)]
    fn or_words(self, a: Self::Words, b: Self::Words) -> Self::Words {
        proven!(self, _mm512_or_si512(a, b))
    }

    #[inline(always)]
    fn transpose(self, g: [Self::Floats; LANES]) -> [Self::Floats; LANES] {
        // Four by four inside each quarter of a vector, then the quarters themselves.
        let e = four_by_four(self, [g[0], g[1], g[2], g[3]]);
        let f = four_by_four(self, [g[4], g[5], g[6], g[7]]);
        let h = four_by_four(self, [g[8], g[9], g[10], g[11]]);
        let i = four_by_four(self, [g[12], g[13], g[14], g[15]]);
        let a = quarters(self, [e[0], f[0], h[0], i[0]]);
        let b = quarters(self, [e[1], f[1], h[1], i[1]]);
        let c = quarters(self, [e[2], f[2], h[2], i[2]]);
        let d = quarters(self, [e[3], f[3], h[3], i[3]]);
        [
            a[0], b[0], c[0], d[0], a[1], b[1], c[1], d[1], a[2], b[2], c[2], d[2], a[3], b[3],
            c[3], d[3],
        ]
    }

    #[inline(always)]
    fn shift_right(self, words: Self::Words, count: u32) -> Self::Words {
        let count = self.splat_words(count);
        proven!(self, _mm512_srlv_epi32(words, count))
    }

    #[inline(always)]
    fn choose_if_above(
        self,
        a: Self::Words,
        b: Self::Words,
        then: Self::Words,
        or: Self::Words,
    ) -> Self::Words {
        let above = proven!(self, _mm512_cmpgt_epu32_mask(a, b));
        proven!(self, _mm512_mask_mov_epi32(or, above, then))
    }

    #[inline(always)]
    fn every_lane(self) -> Self::Mask {
        !0
    }

    #[inline(always)]
    fn le(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        proven!(self, _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(among, a, b))
    }

    #[inline(always)]
    fn differ(self, among: Self::Mask, a: Self::Floats, b: Self::Floats) -> Self::Mask {
        proven!(self, _mm512_mask_cmp_ps_mask::<_CMP_NEQ_UQ>(among, a, b))
    }

    #[inline(always)]
    fn share_a_bit(self, among: Self::Mask, a: Self::Words, b: Self::Words) -> Self::Mask {
        proven!(self, _mm512_mask_test_epi32_mask(among, a, b))
    }

    #[inline(always)]
    fn has_bit(self, among: Self::Mask, words: Self::Words, at: Self::Words) -> Self::Mask {
        let lowest = proven!(self, _mm512_rorv_epi32(words, at));
        self.share_a_bit(among, lowest, self.splat_words(1))
    }

    #[inline(always)]
    fn top_bit_set(self, among: Self::Mask, words: Self::Words) -> Self::Mask {
        let top = self.splat_words(1 << 31);
        proven!(self, _mm512_mask_test_epi32_mask(among, words, top))
    }

    #[inline(always)]
    fn equal_pairs(self, a: Self::Words, b: Self::Words) -> u32 {
        proven!(self, _mm512_cmpeq_epi64_mask(a, b)).into()
    }

    #[inline(always)]
    fn count_lt(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        let one = self.splat_words(1);
        let less = proven!(self, _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b));
        proven!(self, _mm512_mask_add_epi32(counts, less, counts, one))
    }

    #[inline(always)]
    fn count_le(self, counts: Self::Words, a: Self::Floats, b: Self::Floats) -> Self::Words {
        let one = self.splat_words(1);
        let less = proven!(self, _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b));
        proven!(self, _mm512_mask_add_epi32(counts, less, counts, one))
    }

    #[inline(always)]
    fn bits(self, mask: Self::Mask) -> u32 {
        mask.into()
    }

    #[inline(always)]
    fn any(self, mask: Self::Mask) -> bool {
        mask != 0
    }

    #[inline(always)]
    fn nan_behind(self, count: usize, floats: Self::Floats) -> Self::Floats {
        let among = lanes_below(count) as __mmask16;
        let nan = self.splat(f32::NAN);
        proven!(self, _mm512_mask_mov_ps(nan, among, floats))
    }
}

/// Transposes the four by four lanes of each quarter.
#[inline(always)]
fn four_by_four(lanes: Avx512, [a, b, c, d]: [__m512; 4]) -> [__m512; 4] {
    proven!(lanes, {
        let [ab, cd] = [_mm512_unpacklo_ps(a, b), _mm512_unpacklo_ps(c, d)];
        let [ab_high, cd_high] = [_mm512_unpackhi_ps(a, b), _mm512_unpackhi_ps(c, d)];
        [
            _mm512_shuffle_ps::<0b01_00_01_00>(ab, cd),
            _mm512_shuffle_ps::<0b11_10_11_10>(ab, cd),
            _mm512_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
            _mm512_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
        ]
    })
}

/// Transposes four by four quarters: the first of each vector, the second of each, and so on.
#[inline(always)]
fn quarters(lanes: Avx512, [a, b, c, d]: [__m512; 4]) -> [__m512; 4] {
    proven!(lanes, {
        let even = [
            _mm512_shuffle_f32x4::<0b10_00_10_00>(a, b),
            _mm512_shuffle_f32x4::<0b10_00_10_00>(c, d),
        ];
        let odd = [
            _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(c, d),
        ];
        [
            _mm512_shuffle_f32x4::<0b10_00_10_00>(even[0], even[1]),
            _mm512_shuffle_f32x4::<0b10_00_10_00>(odd[0], odd[1]),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(even[0], even[1]),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(odd[0], odd[1]),
        ]
    })
}

/// Alternating lanes of two vectors, where 16 and up mean the second: first those of their lower halves, then of
/// their upper.
#[inline(always)]
fn in_turn(lanes: Avx512) -> [__m512i; 2] {
    proven!(lanes, {
        let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        [low, _mm512_add_epi32(low, _mm512_set1_epi32(8))]
    })
}

/// Room for sixteen pairs as two vectors.
#[inline(always)]
fn halves(pairs: &mut [[u32; 2]; LANES]) -> [&mut [u32; LANES]; 2] {
    let [low, high]: &mut [[u32; LANES]; 2] = bytemuck::cast_mut(pairs);
    [low, high]
}
