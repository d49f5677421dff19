//! The kernels with AVX2: the sixteen lanes of a block in two vectors.

use super::{Offer, ROOM, TOGETHER, Visit, from_the_top, in_order, least_key, walks};
use crate::packed::header::NODE;
use crate::packed::probes::Probe;
use crate::packed::view::{Column, View};
use std::arch::x86_64::*;
use std::ops::ControlFlow;
use throng_core::LANES;
use throng_core::lanes::avx2::{
    HALF, Sides, load, load_sides, overlapping, splat_box as splat, store_words, to_front,
};

/// The lanes whose boxes touch the window, as a bit set.
#[inline]
#[target_feature(enable = "avx2")]
fn touching([min_x, min_y, max_x, max_y]: &[Column; NODE], window: &Sides) -> u32 {
    let sides = [&min_x[..], min_y, max_x, max_y];
    let low = overlapping(&load_sides(sides, 0), window);
    let high = overlapping(&load_sides(sides, HALF), window);
    low | high << HALF
}

/// The lanes whose key is at most the limit, as a bit set.
#[inline]
#[target_feature(enable = "avx2")]
fn reached(keys: &[f32; LANES], limit: f32) -> u32 {
    let limit = _mm256_set1_ps(limit);
    let low = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(load(keys, 0), limit));
    let high = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(load(keys, HALF), limit));
    (low | high << HALF) as u32
}

/// Appends to `children`, of which there are `len`, those of the block in the set. Returns how many there are
/// then.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn append(set: u32, block: u32, children: &mut [u32; ROOM], mut len: usize) -> usize {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for half in [0, HALF] {
        let hit = set >> half & 255;
        let first = block as usize * LANES + half;
        let own = _mm256_add_epi32(_mm256_set1_epi32(first as i32), lanes);
        store_words(
            children,
            len,
            _mm256_permutevar8x32_epi32(own, to_front(hit)),
        );
        len += hit.count_ones() as usize;
    }
    len
}

walks!(#[target_feature(enable = "avx2,popcnt")]);
