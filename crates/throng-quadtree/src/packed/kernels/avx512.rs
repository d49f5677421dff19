//! The kernels with AVX-512: the sixteen lanes of a block in a vector.

use super::{Offer, ROOM, TOGETHER, Visit, from_the_top, in_order, least_key, walks};
use crate::packed::header::NODE;
use crate::packed::probes::Probe;
use crate::packed::view::{Column, View};
use std::arch::x86_64::*;
use std::ops::ControlFlow;
use throng_core::LANES;
use throng_core::lanes::avx512::{
    Sides, load, load_sides, overlapping, splat_box as splat, store_words,
};

/// The lanes whose boxes touch the window, as a bit set.
#[inline]
#[target_feature(enable = "avx512f")]
fn touching([min_x, min_y, max_x, max_y]: &[Column; NODE], window: &Sides) -> u32 {
    let boxes = load_sides([&min_x[..], min_y, max_x, max_y], 0);
    overlapping(!0, &boxes, window).into()
}

/// The lanes whose key is at most the limit, as a bit set.
#[inline]
#[target_feature(enable = "avx512f")]
fn reached(keys: &[f32; LANES], limit: f32) -> u32 {
    _mm512_cmp_ps_mask::<_CMP_LE_OQ>(load(keys, 0), _mm512_set1_ps(limit)).into()
}

/// Appends to `children`, of which there are `len`, those of the block in the set. Returns how many there are
/// then.
#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn append(set: u32, block: u32, children: &mut [u32; ROOM], len: usize) -> usize {
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let own = _mm512_add_epi32(_mm512_set1_epi32((block * LANES as u32) as i32), lanes);
    store_words(
        children,
        len,
        _mm512_maskz_compress_epi32(set as __mmask16, own),
    );
    len + set.count_ones() as usize
}

walks!(#[target_feature(enable = "avx512f,popcnt")]);
