//! The kernels without vectors: the reference for the others.

use super::{Offer, ROOM, TOGETHER, Visit, from_the_top, in_order, least_key, walks};
use crate::packed::header::NODE;
use crate::packed::probes::Probe;
use crate::packed::view::{Column, View};
use std::ops::ControlFlow;
use throng_core::{LANES, overlaps_1d};

type Sides = [[f32; 2]; 2];

fn splat(window: &[[f32; 2]; 2]) -> Sides {
    *window
}

/// The lanes whose boxes touch the window, as a bit set.
#[inline(always)]
fn touching([min_x, min_y, max_x, max_y]: &[Column; NODE], [min, max]: &Sides) -> u32 {
    let mut set = 0;
    for lane in 0..LANES {
        let along_x = overlaps_1d(min_x[lane], max_x[lane], min[0], max[0]);
        let along_y = overlaps_1d(min_y[lane], max_y[lane], min[1], max[1]);
        set |= u32::from(along_x & along_y) << lane;
    }
    set
}

/// The lanes whose key is at most the limit, as a bit set.
#[inline(always)]
fn reached(keys: &[f32; LANES], limit: f32) -> u32 {
    (0..LANES).fold(0, |set, lane| set | u32::from(keys[lane] <= limit) << lane)
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
