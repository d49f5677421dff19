//! Sixteen lanes in a vector of AVX-512.
#![allow(
    clippy::missing_safety_doc,
    reason = "said once for all of them, in the header of the module above"
)]
#![allow(unsafe_code, reason = "vector loads and stores take raw addresses")]

use std::arch::x86_64::*;

use super::lanes_below;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};

/// The four sides of sixteen boxes.
#[derive(Clone, Copy)]
pub struct Sides {
    /// Left sides.
    pub min_x: __m512,
    /// Lower sides.
    pub min_y: __m512,
    /// Right sides.
    pub max_x: __m512,
    /// Upper sides.
    pub max_y: __m512,
}

/// Sixteen floats from `at` on.
///
/// # Panics
///
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load(values: &[f32], at: usize) -> __m512 {
    let values: &[f32; LANES] = values[at..at + LANES].first_chunk().expect("a whole group");
    // SAFETY: `values` is sixteen floats, all of which are read; the load needs no alignment.
    unsafe { _mm512_loadu_ps(values.as_ptr()) }
}

/// Sixteen words from `at` on.
///
/// # Panics
///
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_words(values: &[u32], at: usize) -> __m512i {
    let values: &[u32; LANES] = values[at..at + LANES].first_chunk().expect("a whole group");
    // SAFETY: `values` is sixteen words, all of which are read; the load needs no alignment.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}

/// Writes Sixteen floats from `at` on.
///
/// # Panics
///
/// If there is no room for them.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn store(values: &mut [f32], at: usize, vector: __m512) {
    let values: &mut [f32; LANES] = values[at..at + LANES]
        .first_chunk_mut()
        .expect("a whole group");
    // SAFETY: `values` is sixteen floats, all of which are written; the store needs no alignment.
    unsafe { _mm512_storeu_ps(values.as_mut_ptr(), vector) }
}

/// Writes Sixteen words from `at` on.
///
/// # Panics
///
/// If there is no room for them.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn store_words(values: &mut [u32], at: usize, vector: __m512i) {
    let values: &mut [u32; LANES] = values[at..at + LANES]
        .first_chunk_mut()
        .expect("a whole group");
    // SAFETY: `values` is sixteen words, all of which are written; the store needs no alignment.
    unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), vector) }
}

/// The first `lanes` of a group at the end of an array.
///
/// # Panics
///
/// If `at` lies beyond it.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_last(values: &[f32], at: usize) -> __m512 {
    let values = &values[at..];
    // SAFETY: the mask admits as many lanes as there are floats, sixteen at most; others are not read.
    unsafe { _mm512_maskz_loadu_ps(lanes_below(values.len()), values.as_ptr()) }
}

/// The first `lanes` of a group of words at the end of an array.
///
/// # Panics
///
/// If `at` lies beyond it.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_last_words(values: &[u32], at: usize) -> __m512i {
    let values = &values[at..];
    // SAFETY: the mask admits as many lanes as there are words, sixteen at most; others are not read.
    unsafe { _mm512_maskz_loadu_epi32(lanes_below(values.len()), values.as_ptr().cast()) }
}

/// Sixteen boxes from `at` on, of a column for each side: min x, min y, max x, max y.
///
/// # Panics
///
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_sides(from: [&[f32]; 4], at: usize) -> Sides {
    Sides {
        min_x: load(from[0], at),
        min_y: load(from[1], at),
        max_x: load(from[2], at),
        max_y: load(from[3], at),
    }
}

/// One box in all lanes.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn splat(from: [&[f32]; 4], at: usize) -> Sides {
    let [min_x, min_y, max_x, max_y] = from.map(|side| side[at]);
    splat_box(&[[min_x, min_y], [max_x, max_y]])
}

/// One box in all lanes, given by its lower and its upper corner.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn splat_box([min, max]: &[[f32; 2]; 2]) -> Sides {
    Sides {
        min_x: _mm512_set1_ps(min[0]),
        min_y: _mm512_set1_ps(min[1]),
        max_x: _mm512_set1_ps(max[0]),
        max_y: _mm512_set1_ps(max[1]),
    }
}

/// The lanes of `among` in which the boxes overlap.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn overlapping(among: __mmask16, a: &Sides, b: &Sides) -> __mmask16 {
    let hit = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(among, a.min_x, b.max_x);
    let hit = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(hit, b.min_x, a.max_x);
    let hit = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(hit, a.min_y, b.max_y);
    _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(hit, b.min_y, a.max_y)
}

/// Writes the boxes of the lanes in `keep` side by side, a column for each side, and their rows, from `at` on. A whole
/// group is written, whatever is kept.
///
/// # Panics
///
/// If there is no room for a group.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn store_kept(
    into: &mut [&mut [f32]; 4],
    into_rows: &mut [u32],
    at: usize,
    keep: __mmask16,
    boxes: &Sides,
    rows: __m512i,
) {
    store(into[0], at, _mm512_maskz_compress_ps(keep, boxes.min_x));
    store(into[1], at, _mm512_maskz_compress_ps(keep, boxes.min_y));
    store(into[2], at, _mm512_maskz_compress_ps(keep, boxes.max_x));
    store(into[3], at, _mm512_maskz_compress_ps(keep, boxes.max_y));
    store_words(into_rows, at, _mm512_maskz_compress_epi32(keep, rows));
}

/// The lanes of `among` whose masks agree.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn agreeing(among: __mmask16, a: [__m512i; 2], b: [__m512i; 2]) -> __mmask16 {
    let hit = _mm512_mask_test_epi32_mask(among, a[0], b[1]);
    _mm512_mask_test_epi32_mask(hit, b[0], a[1])
}

/// The rows of a pair in the order asked for.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn ordered(order: PairOrder, left: __m512i, right: __m512i) -> (__m512i, __m512i) {
    match order {
        PairOrder::LowerRow => (_mm512_min_epu32(left, right), _mm512_max_epu32(left, right)),
        PairOrder::Left => (left, right),
        PairOrder::Right => (right, left),
    }
}

/// Writes the pairs of the lanes in `hit`, in lane order, without asking how many there are.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
pub fn emit(out: &mut PairBuffer<'_>, hit: __mmask16, first: __m512i, second: __m512i) {
    let first = _mm512_maskz_compress_epi32(hit, first);
    let second = _mm512_maskz_compress_epi32(hit, second);
    let [low, high] = in_turn();
    let room = out.room().as_flattened_mut();
    store_words(room, 0, _mm512_permutex2var_epi32(first, low, second));
    store_words(room, LANES, _mm512_permutex2var_epi32(first, high, second));
    out.keep(hit.count_ones() as usize);
}

/// The same where one of each pair is `one`, in all lanes: it goes second, or first for [`PairOrder::Right`].
///
/// # Panics
///
/// In a debug build, if the order is the lower row's.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
pub fn emit_with_one(
    out: &mut PairBuffer<'_>,
    hit: __mmask16,
    order: PairOrder,
    rows: __m512i,
    one: __m512i,
) {
    debug_assert_ne!(order, PairOrder::LowerRow);
    let rows = _mm512_maskz_compress_epi32(hit, rows);
    let count = hit.count_ones() as usize;
    // Another choice of lanes rather than a branch: it can be made before the loop.
    let swap = _mm512_set1_epi32(if order == PairOrder::Right { 16 } else { 0 });
    let [low, high] = in_turn().map(|lanes| _mm512_xor_si512(lanes, swap));
    let room = out.room().as_flattened_mut();
    store_words(room, 0, _mm512_permutex2var_epi32(rows, low, one));
    if count > LANES / 2 {
        store_words(room, LANES, _mm512_permutex2var_epi32(rows, high, one));
    }
    out.keep(count);
}

/// Lanes of two vectors in turn, the second being 16 and on: those of their lower and of their upper halves.
#[inline]
#[target_feature(enable = "avx512f")]
fn in_turn() -> [__m512i; 2] {
    let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    [low, _mm512_add_epi32(low, _mm512_set1_epi32(8))]
}
