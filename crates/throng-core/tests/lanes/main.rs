//! What kernels are made of, at every level of SIMD against plain loops.
//!
//! A program of its own, since it is what other processors are tried with, which need not compile all other tests for it.

mod hits;
mod places;
mod primitives;

use throng_core::lanes::{Lanes, NUMBERS};

/// The mask of a set of lanes.
#[inline(always)]
fn lanes_of<L: Lanes>(lanes: L, set: u32) -> L::Mask {
    let tops = lanes.load_words(&NUMBERS.map(|lane| set >> lane << 31));
    lanes.top_bit_set(lanes.every_lane(), tops)
}
