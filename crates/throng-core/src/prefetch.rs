//! Asking for memory ahead of its use.
#![allow(unsafe_code, reason = "the prefetch instruction takes a raw address")]

use std::sync::atomic::AtomicU32;

/// Hints that `words[index]` will soon be written. Out of range, or on a target without such an
/// instruction, it does nothing.
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

/// Hints that what lies `ahead` words behind the beginning of `words` will be read, soon enough for the
/// second cache and not so soon that it should displace what is in the first. `words` may end before it: what
/// is named is a place in memory, as a neighbour's is. On a target without such an instruction, it does nothing.
#[inline(always)]
pub fn prefetch_ahead(words: &[u32], ahead: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let address = words.as_ptr().wrapping_add(ahead);
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (words, ahead);
}

/// Hints that all of `value` will be read very soon. On a target without such an instruction, it does nothing.
#[inline(always)]
pub fn prefetch_for_reading<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for offset in (0..size_of::<T>()).step_by(64) {
            let address = std::ptr::from_ref(value).cast::<i8>().wrapping_add(offset);
            // SAFETY: as above.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
