//! What C passes by pointer: where to read, and where to write.
//!
//! A C program need not have written to what it wants to be filled, so that it is `MaybeUninit` here.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;

/// More elements than any array has, so that their bytes can be counted.
fn check_count<T>(count: usize, what: &str) -> Outcome {
    if count
        .checked_mul(size_of::<T>())
        .is_none_or(|bytes| bytes > isize::MAX as usize)
    {
        let message = format!("{what}: {count} elements are more than there can be in memory");
        return Err(Refusal::new(throng_status::BadValue, message));
    }
    Ok(())
}

pub(crate) fn null(what: &str) -> Refusal {
    Refusal::new(
        throng_status::NullPointer,
        format!("{what} is null, and must not be"),
    )
}

/// One element to be read.
///
/// # Safety
///
/// The pointer is null, or good as the front page asks.
pub(crate) unsafe fn one<'a, T>(pointer: *const T, what: &str) -> Outcome<&'a T> {
    // SAFETY: as above.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// As many elements to be read; the pointer may be null if there are none.
///
/// # Safety
///
/// The pointer is null, or good for `count` elements, as the front page asks.
pub(crate) unsafe fn many<'a, T>(pointer: *const T, count: usize, what: &str) -> Outcome<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check_count::<T>(count, what)?;
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: as above, and it is not null.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// A text that ends in a zero.
///
/// # Safety
///
/// The pointer is null, or points to such a text.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Outcome<&'a str> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: as above, and it is not null.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|error| {
        Refusal::new(
            throng_status::BadText,
            format!("{what} is not UTF-8: {error}"),
        )
    })
}

/// A callback that must be there.
pub(crate) fn callback<F>(callback: Option<F>, what: &str) -> Outcome<F> {
    callback.ok_or_else(|| null(&format!("`{what}`")))
}

/// Where one value is to be written.
pub(crate) struct Out<'a, T>(&'a mut MaybeUninit<T>);

impl<T> Out<'_, T> {
    /// # Safety
    ///
    /// The pointer is null, or good as the front page asks.
    pub(crate) unsafe fn new(pointer: *mut T, what: &str) -> Outcome<Self> {
        // SAFETY: as above. Anything is a valid `MaybeUninit`.
        match unsafe { pointer.cast::<MaybeUninit<T>>().as_mut() } {
            Some(place) => Ok(Self(place)),
            None => Err(null(what)),
        }
    }

    pub(crate) fn write(self, value: T) {
        self.0.write(value);
    }
}

/// Tells the caller something that it may want to know or not.
///
/// # Safety
///
/// The pointer is null, or good as the front page asks.
pub(crate) unsafe fn tell_if_wanted<T>(pointer: *mut T, value: impl Into<T>) {
    // SAFETY: as above. Anything is a valid `MaybeUninit`.
    if let Some(place) = unsafe { pointer.cast::<MaybeUninit<T>>().as_mut() } {
        place.write(value.into());
    }
}

/// A caller's buffer, which may be too small for what comes.
pub(crate) struct Buffer<'a, T> {
    room: &'a mut [MaybeUninit<T>],
    total: Out<'a, usize>,
    /// How many came, of which the first are in the buffer.
    came: usize,
}

impl<T> Buffer<'_, T> {
    /// # Safety
    ///
    /// Both pointers are null, or good as the front page asks.
    pub(crate) unsafe fn new(
        pointer: *mut T,
        capacity: usize,
        count: *mut usize,
        what: &str,
    ) -> Outcome<Self> {
        // SAFETY: as above.
        let total = unsafe { Out::new(count, "count") }?;
        check_count::<T>(capacity, what)?;
        let room = match (capacity, pointer.is_null()) {
            (0, _) => &mut [][..],
            (_, true) => return Err(null(what)),
            // SAFETY: as above. Anything is a valid `MaybeUninit`.
            _ => unsafe { std::slice::from_raw_parts_mut(pointer.cast(), capacity) },
        };
        Ok(Self {
            room,
            total,
            came: 0,
        })
    }

    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        if let Some(place) = self.room.get_mut(self.came) {
            place.write(value);
        }
        self.came += 1;
    }

    /// Tells how many came, and whether they all fit.
    pub(crate) fn finish(self) -> Outcome {
        let (came, capacity) = (self.came, self.room.len());
        self.total.write(came);
        if came <= capacity {
            return Ok(());
        }
        let message =
            format!("there are {came}, and the buffer has room for {capacity}: it has the first");
        Err(Refusal::new(throng_status::BufferTooSmall, message))
    }

    /// As [`push`](Self::push) of each and [`finish`](Self::finish).
    pub(crate) fn fill(mut self, values: impl IntoIterator<Item = T>) -> Outcome {
        values.into_iter().for_each(|value| self.push(value));
        self.finish()
    }
}

impl Buffer<'_, c_char> {
    /// Fills it with a text, and a zero at the end, which counts.
    pub(crate) fn fill_text(self, text: &str) -> Outcome {
        self.fill(text.bytes().chain([0]).map(|byte| byte as c_char))
    }
}

impl<T: Copy> Buffer<'_, T> {
    /// Pushes all of a slice.
    pub(crate) fn push_all(&mut self, values: &[T]) {
        let begin = self.came.min(self.room.len());
        let fit = values.len().min(self.room.len() - begin);
        for (place, value) in self.room[begin..begin + fit].iter_mut().zip(values) {
            place.write(*value);
        }
        self.came += values.len();
    }
}
