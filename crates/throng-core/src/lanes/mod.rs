//! What the kernels of all structures do with a group of boxes in vectors, once per instruction set.
//!
//! Functions here are small, so that they are inlined into the loops that use them: a call for every group costs
//! more than a comparison.
//!
//! # Safety
//!
//! They are safe to call from code that is compiled for their instruction set, and unsafe from any other: the
//! compiler tells the two apart. Which addresses they read and write is checked.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;

use crate::pair_buffer::LANES;

/// The lanes of a group of which `count` or more are left, as a bit set.
#[inline(always)]
#[must_use]
pub fn lanes_below(count: usize) -> u16 {
    if count >= LANES { !0 } else { (1 << count) - 1 }
}
