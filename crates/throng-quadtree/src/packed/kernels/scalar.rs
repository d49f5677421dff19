//! The kernels without vectors: the reference for the others.

use super::{Offer, ROOM, TOGETHER, Visit, from_the_top, in_order, least_key, walks};
use crate::packed::header::NODE;
use crate::packed::probes::{Probe, overlaps};
use crate::packed::view::{Column, View};
use std::ops::ControlFlow;
use throng_core::LANES;

type Sides = [[f32; 2]; 2];

fn splat(window: &[[f32; 2]; 2]) -> Sides {
    *window
}

/// The lanes whose boxes touch the window, as a bit set.
#[inline(always)]
fn touching([min_x, min_y, max_x, max_y]: &[Column; NODE], [min, max]: &Sides) -> u32 {
    let mut bits = [0; LANES];
    for lane in 0..LANES {
        let along_x = overlaps(min_x[lane], max_x[lane], min[0], max[0]);
        let along_y = overlaps(min_y[lane], max_y[lane], min[1], max[1]);
        bits[lane] = u32::from(along_x & along_y) << lane;
    }
    together(bits)
}

/// Bits of all lanes in one word. Halves side by side, which makes vectors where there are any.
#[inline(always)]
fn together(mut bits: [u32; LANES]) -> u32 {
    for half in [LANES / 2, LANES / 4, LANES / 8, 1] {
        for lane in 0..half {
            bits[lane] |= bits[lane + half];
        }
    }
    bits[0]
}

/// The lanes whose key is at most the limit, as a bit set.
#[inline(always)]
fn reached(keys: &[f32; LANES], limit: f32) -> u32 {
    let mut bits = [0; LANES];
    for lane in 0..LANES {
        bits[lane] = u32::from(keys[lane] <= limit) << lane;
    }
    together(bits)
}

/// Appends to `children`, of which there are `len`, those of the block in the set. Returns how many there are
/// then.
#[inline(always)]
fn append(set: u32, block: u32, children: &mut [u32; ROOM], mut len: usize) -> usize {
    for lane in 0..LANES as u32 {
        children[len] = block * LANES as u32 + lane;
        len += (set >> lane & 1) as usize;
    }
    len
}

walks!();
