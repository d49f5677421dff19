//! Plain words as atomics, so that several threads may write them at once.
#![allow(
    unsafe_code,
    reason = "the standard library's own safe form of this cast is not stable yet"
)]

use std::sync::atomic::AtomicU32;

/// The same words as atomics. The borrow is unique, so nobody else can access them as plain words meanwhile.
pub fn as_atomics(words: &mut [u32]) -> &[AtomicU32] {
    const {
        assert!(
            align_of::<AtomicU32>() == align_of::<u32>()
                && size_of::<AtomicU32>() == size_of::<u32>()
        )
    };
    // SAFETY: size and alignment are equal, as just asserted, every bit pattern is valid for both, and the unique
    // borrow lasts as long as the result does, so there is no plain access beside the atomic ones.
    unsafe { &*(std::ptr::from_mut(words) as *const [AtomicU32]) }
}
