//! Requests memory ahead of its use.
#![allow(unsafe_code, reason = "the prefetch instruction takes a raw address")]

use std::sync::atomic::AtomicU32;

/// Hints that a row of a column will be read very soon. Does nothing if there is no such row, or on a target without such an
/// instruction (at present all but x86-64).
///
/// A narrowphase that reads arrays whose rows are in no order waits for memory at each pair. If it asks for the rows of a pair some
/// pairs ahead, several reads are on their way at once:
///
/// ```
/// # struct Bodies { xs: Vec<f32>, radii: Vec<f32> }
/// # use throng_core::prefetch;
/// # fn test(_: &Bodies, _: [u32; 2]) {}
/// /// Enough for memory to answer, and not so many that the first is displaced before it is read.
/// const AHEAD: usize = 12;
///
/// fn collide(bodies: &Bodies, pairs: &[[u32; 2]]) {
///     for (place, &pair) in pairs.iter().enumerate() {
///         for &row in pairs.get(place + AHEAD).into_iter().flatten() {
///             prefetch(&bodies.xs, row);
///             prefetch(&bodies.radii, row);
///         }
///         test(bodies, pair);
///     }
/// }
/// # collide(&Bodies { xs: vec![0.0; 2], radii: vec![1.0] }, &[[0, 1]; 20]);
/// ```
#[inline(always)]
pub fn prefetch<T>(column: &[T], row: u32) {
    if let Some(value) = column.get(row as usize) {
        prefetch_for_reading(value);
    }
}

/// Hints that `words[index]` will soon be written. One that is out of range does no harm. Does nothing on a target without
/// such an instruction.
#[inline(always)]
pub fn prefetch_for_writing(words: &[AtomicU32], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        let address = words.as_ptr().wrapping_add(index);
        // SAFETY: a prefetch reads and writes nothing and cannot fault, whatever the address, and SSE,
        // which it needs, is part of every x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (words, index);
}

/// Hints that the memory `ahead` words after the beginning of `words` will be read: soon enough for the L2 cache, but
/// not so soon that it should displace what is in L1. `words` may end before it: this names a place in memory, such
/// as a neighbor's. Does nothing on a target without such an instruction.
#[inline(always)]
pub fn prefetch_ahead(words: &[u32], ahead: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let address = words.as_ptr().wrapping_add(ahead);
        // SAFETY: a prefetch reads and writes nothing and cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (words, ahead);
}

/// Hints that all of `value` will be read very soon. Does nothing on a target without such an instruction.
#[inline(always)]
pub fn prefetch_for_reading<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for offset in (0..size_of::<T>()).step_by(64) {
            let address = std::ptr::from_ref(value).cast::<i8>().wrapping_add(offset);
            // SAFETY: a prefetch reads and writes nothing and cannot fault.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Hints that `len` values from `from` on, or the first few hundred bytes of them, will soon be written. Does nothing on a target
/// without such an instruction.
#[inline(always)]
pub(crate) fn prefetch_all_for_writing<T>(from: *const T, len: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        /// More come in order, which the processor sees for itself.
        const MOST: usize = 512;
        let from = from.cast::<i8>();
        for offset in (0..(len * size_of::<T>()).min(MOST)).step_by(64) {
            // SAFETY: a prefetch reads and writes nothing and cannot fault.
            unsafe { _mm_prefetch::<_MM_HINT_ET0>(from.wrapping_add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, len);
}
