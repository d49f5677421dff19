//! What C has in an array of structs of its own: where the first is, and how many bytes from each to the next.

use std::marker::PhantomData;

use crate::pointers::null;
use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;

/// One value in each of many structs. Reads nothing else of them.
#[derive(Clone, Copy)]
pub(crate) struct Strided<'a, T> {
    first: *const T,
    stride: usize,
    count: usize,
    lives: PhantomData<&'a T>,
}

// SAFETY: it gives out copies of what the caller has promised to leave as it is for as long as this lives, as shared references would.
unsafe impl<T: Sync> Sync for Strided<'_, T> {}

impl<T: Copy> Strided<'_, T> {
    /// The pointer may be null if there are none, and need not be aligned.
    ///
    /// # Safety
    ///
    /// The pointer is null, or good for `count` values that are `stride` bytes apart, as the front page asks.
    pub(crate) unsafe fn new(
        first: *const T,
        stride: usize,
        count: usize,
        what: &str,
    ) -> Outcome<Self> {
        if count > 0 && first.is_null() {
            return Err(null(what));
        }
        let size = size_of::<T>();
        if count > 1 && stride < size {
            let message =
                format!("stride is {stride}, less than the {size} bytes of each of {what}");
            return Err(Refusal::new(throng_status::BadValue, message));
        }
        let bytes = count.saturating_sub(1).checked_mul(stride);
        if bytes.is_none_or(|bytes| bytes > isize::MAX as usize - size) {
            let message = format!(
                "{what}: {count} values with a stride of {stride} are more than there can be in memory"
            );
            return Err(Refusal::new(throng_status::BadValue, message));
        }
        Ok(Self {
            first,
            stride,
            count,
            lives: PhantomData,
        })
    }

    /// One of them.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    #[inline(always)]
    pub(crate) fn get(&self, at: u32) -> T {
        assert!((at as usize) < self.count, "{at} of {}", self.count);
        // SAFETY: there are so many, as just checked, and whoever made this has promised that they can be read. `new` has found their
        // distance in bytes to be in range. The read needs no alignment.
        unsafe {
            self.first
                .byte_add(at as usize * self.stride)
                .read_unaligned()
        }
    }
}

/// One point in each of many structs, whose x and y are two floats anywhere in it.
pub(crate) struct StridedPoints<'a> {
    xs: Strided<'a, f32>,
    ys: Strided<'a, f32>,
}

impl StridedPoints<'_> {
    /// # Safety
    ///
    /// Both pointers are as [`Strided::new`] asks.
    pub(crate) unsafe fn new(
        [xs, ys]: [*const f32; 2],
        stride: usize,
        count: usize,
    ) -> Outcome<Self> {
        // SAFETY: as above.
        unsafe {
            Ok(Self {
                xs: Strided::new(xs, stride, count, "xs")?,
                ys: Strided::new(ys, stride, count, "ys")?,
            })
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, at: u32) -> [f32; 2] {
        [self.xs.get(at), self.ys.get(at)]
    }
}

/// That there is one for each row.
pub(crate) fn check_one_each(count: usize, rows: usize, what: &str) -> Outcome {
    if count == rows {
        return Ok(());
    }
    let message = format!(
        "{count} {what} were given for the {rows} rows of the category; there must be one for each"
    );
    Err(Refusal::new(throng_status::LengthMismatch, message))
}
