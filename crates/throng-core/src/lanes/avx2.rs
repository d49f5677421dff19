//! Sixteen lanes in two vectors of AVX2: each function works on one half.
#![allow(
    clippy::missing_safety_doc,
    reason = "said once for all of them, in the header of the module above"
)]
#![allow(unsafe_code, reason = "vector loads and stores take raw addresses")]

use std::arch::x86_64::*;

use crate::pair_buffer::{LANES, PairBuffer, PairOrder};

/// Lanes in a vector.
pub const HALF: usize = LANES / 2;

/// For each set of eight lanes, where the lanes in it come from once they are moved to the front.
static COMPRESS: [[u32; HALF]; 256] = compress_table();

const fn compress_table() -> [[u32; HALF]; 256] {
    let mut table = [[0; HALF]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut kept) = (0, 0);
        while lane < HALF {
            if set >> lane & 1 == 1 {
                table[set][kept] = lane as u32;
                kept += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
}

/// The four sides of eight boxes.
#[derive(Clone, Copy)]
pub struct Sides {
    /// Left sides.
    pub min_x: __m256,
    /// Lower sides.
    pub min_y: __m256,
    /// Right sides.
    pub max_x: __m256,
    /// Upper sides.
    pub max_y: __m256,
}

/// Eight floats from `at` on.
///
/// # Panics
///
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load(values: &[f32], at: usize) -> __m256 {
    let values: &[f32; HALF] = values[at..at + HALF].first_chunk().expect("half a group");
    // SAFETY: `values` is eight floats, all of which are read; the load needs no alignment.
    unsafe { _mm256_loadu_ps(values.as_ptr()) }
}

/// Eight words from `at` on.
///
/// # Panics
///
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_words(values: &[u32], at: usize) -> __m256i {
    let values: &[u32; HALF] = values[at..at + HALF].first_chunk().expect("half a group");
    // SAFETY: `values` is eight words, all of which are read; the load needs no alignment.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

/// Writes Eight floats from `at` on.
///
/// # Panics
///
/// If there is no room for them.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store(values: &mut [f32], at: usize, vector: __m256) {
    let values: &mut [f32; HALF] = values[at..at + HALF]
        .first_chunk_mut()
        .expect("half a group");
    // SAFETY: `values` is eight floats, all of which are written; the store needs no alignment.
    unsafe { _mm256_storeu_ps(values.as_mut_ptr(), vector) }
}

/// Writes Eight words from `at` on.
///
/// # Panics
///
/// If there is no room for them.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_words(values: &mut [u32], at: usize, vector: __m256i) {
    let values: &mut [u32; HALF] = values[at..at + HALF]
        .first_chunk_mut()
        .expect("half a group");
    // SAFETY: `values` is eight words, all of which are written; the store needs no alignment.
    unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), vector) }
}

/// Eight boxes from `at` on, of a column for each side: min x, min y, max x, max y.
///
/// # Panics
///
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx2")]
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
#[target_feature(enable = "avx2")]
pub fn splat(from: [&[f32]; 4], at: usize) -> Sides {
    let [min_x, min_y, max_x, max_y] = from.map(|side| side[at]);
    splat_box(&[[min_x, min_y], [max_x, max_y]])
}

/// One box in all lanes, given by its lower and its upper corner.
#[inline]
#[target_feature(enable = "avx2")]
pub fn splat_box([min, max]: &[[f32; 2]; 2]) -> Sides {
    Sides {
        min_x: _mm256_set1_ps(min[0]),
        min_y: _mm256_set1_ps(min[1]),
        max_x: _mm256_set1_ps(max[0]),
        max_y: _mm256_set1_ps(max[1]),
    }
}

/// The lanes in which the boxes overlap, as a bit set.
#[inline]
#[target_feature(enable = "avx2")]
pub fn overlapping(a: &Sides, b: &Sides) -> u32 {
    let along_x = _mm256_and_ps(
        _mm256_cmp_ps::<_CMP_LE_OQ>(a.min_x, b.max_x),
        _mm256_cmp_ps::<_CMP_LE_OQ>(b.min_x, a.max_x),
    );
    let along_y = _mm256_and_ps(
        _mm256_cmp_ps::<_CMP_LE_OQ>(a.min_y, b.max_y),
        _mm256_cmp_ps::<_CMP_LE_OQ>(b.min_y, a.max_y),
    );
    _mm256_movemask_ps(_mm256_and_ps(along_x, along_y)) as u32
}

/// The lanes whose masks agree, as a bit set.
#[inline]
#[target_feature(enable = "avx2")]
pub fn agreeing(a: [__m256i; 2], b: [__m256i; 2]) -> u32 {
    let zero = _mm256_setzero_si256();
    let refused = _mm256_or_si256(
        _mm256_cmpeq_epi32(_mm256_and_si256(a[0], b[1]), zero),
        _mm256_cmpeq_epi32(_mm256_and_si256(b[0], a[1]), zero),
    );
    !_mm256_movemask_ps(_mm256_castsi256_ps(refused)) as u32
}

/// The order that brings the lanes in `hit` to the front.
#[inline]
#[target_feature(enable = "avx2")]
pub fn to_front(hit: u32) -> __m256i {
    load_words(&COMPRESS[hit as usize & 255], 0)
}

/// Writes the boxes of the lanes in `keep` side by side, a column for each side, and their rows, from `at` on. Eight are
/// written, whatever is kept.
///
/// # Panics
///
/// If there is no room for eight.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_kept(
    into: &mut [&mut [f32]; 4],
    into_rows: &mut [u32],
    at: usize,
    keep: u32,
    boxes: &Sides,
    rows: __m256i,
) {
    let front = to_front(keep);
    store(into[0], at, _mm256_permutevar8x32_ps(boxes.min_x, front));
    store(into[1], at, _mm256_permutevar8x32_ps(boxes.min_y, front));
    store(into[2], at, _mm256_permutevar8x32_ps(boxes.max_x, front));
    store(into[3], at, _mm256_permutevar8x32_ps(boxes.max_y, front));
    store_words(into_rows, at, _mm256_permutevar8x32_epi32(rows, front));
}

/// The rows of a pair in the order asked for.
#[inline]
#[target_feature(enable = "avx2")]
pub fn ordered(order: PairOrder, left: __m256i, right: __m256i) -> (__m256i, __m256i) {
    match order {
        PairOrder::LowerRow => (_mm256_min_epu32(left, right), _mm256_max_epu32(left, right)),
        PairOrder::Left => (left, right),
        PairOrder::Right => (right, left),
    }
}

/// Writes the pairs of the lanes in `hit`, in lane order, without asking how many there are.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub fn emit(out: &mut PairBuffer<'_>, hit: u32, first: __m256i, second: __m256i) {
    let front = to_front(hit);
    let first = _mm256_permutevar8x32_epi32(first, front);
    let second = _mm256_permutevar8x32_epi32(second, front);
    // Interleaving works inside 128-bit halves: 0 1 | 4 5 and 2 3 | 6 7.
    let low = _mm256_unpacklo_epi32(first, second);
    let high = _mm256_unpackhi_epi32(first, second);
    let room = out.room().as_flattened_mut();
    store_words(room, 0, _mm256_permute2x128_si256::<0x20>(low, high));
    store_words(room, HALF, _mm256_permute2x128_si256::<0x31>(low, high));
    out.keep(hit.count_ones() as usize);
}
