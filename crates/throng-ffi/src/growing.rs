//! Structs that may grow: they begin with their size as the caller knows it.

use std::mem::MaybeUninit;

use crate::refusals::{Outcome, Refusal};
use crate::status::throng_status;

/// A struct that may grow.
///
/// # Safety
///
/// It is `repr(C)`, its first field is `struct_size: usize`, and zero bytes are a valid value of it. A field that is added later
/// begins where the struct has ended before, and not in what was padding there: a caller may have anything in that.
pub(crate) unsafe trait Growing: Copy {
    /// The size of its first version, by [`first_size!`]. No later one is smaller.
    const FIRST_SIZE: usize;
    const NAME: &'static str;
}

/// The size of a struct whose last field was this one in its first version, whatever has been added since.
macro_rules! first_size {
    ($last:ident: $of:ty) => {
        (std::mem::offset_of!(Self, $last) + size_of::<$of>()).next_multiple_of(align_of::<Self>())
    };
}
pub(crate) use first_size;

/// The struct that a caller has filled in. What the caller does not know of is zero.
///
/// # Safety
///
/// The pointer is null, or good for as many bytes as its first field says, and at least for that.
pub(crate) unsafe fn grown<T: Growing>(pointer: *const T) -> Outcome<T> {
    if pointer.is_null() {
        let message = format!("the {} is null, and must not be", T::NAME);
        return Err(Refusal::new(throng_status::NullPointer, message));
    }
    // SAFETY: as above; the first field is the size.
    let size = unsafe { pointer.cast::<usize>().read() };
    check_size::<T>(size)?;
    let mut whole = MaybeUninit::<T>::zeroed();
    // SAFETY: as above; it is no larger than `T`, and what is not copied is zero, which is valid.
    Ok(unsafe {
        let bytes = whole.as_mut_ptr().cast::<u8>();
        pointer.cast::<u8>().copy_to_nonoverlapping(bytes, size);
        whole.assume_init()
    })
}

/// An array of such structs, all of the size that the first one says. Copied one by one as they are asked for.
///
/// # Safety
///
/// The pointer is null, or good for `count` structs of that size until the iterator is gone.
pub(crate) unsafe fn all_grown<T: Growing>(
    pointer: *const T,
    count: usize,
) -> Outcome<impl ExactSizeIterator<Item = Outcome<T>>> {
    let size = if count == 0 {
        0
    } else {
        // SAFETY: as above, for the first. Its first field is the size.
        unsafe {
            grown(pointer)?;
            pointer.cast::<usize>().read()
        }
    };
    Ok((0..count).map(move |index| {
        // SAFETY: as above.
        let element = unsafe { pointer.cast::<u8>().add(index * size).cast::<T>() };
        // SAFETY: as above.
        let own_size = unsafe { element.cast::<usize>().read() };
        if own_size != size {
            let name = T::NAME;
            let message =
                format!("the first {name} has {size} bytes, and number {index} has {own_size}");
            return Err(Refusal::new(throng_status::BadStructSize, message));
        }
        // SAFETY: as above.
        unsafe { grown(element) }
    }))
}

/// Writes a struct to a caller who may know less of it.
///
/// # Safety
///
/// The pointer is null, or good to be read and written for as many bytes as its first field says, and at least for that.
pub(crate) unsafe fn write_grown<T: Growing>(pointer: *mut T, value: T) -> Outcome {
    if pointer.is_null() {
        let message = format!("the {} is null, and must not be", T::NAME);
        return Err(Refusal::new(throng_status::NullPointer, message));
    }
    // SAFETY: as above; the first field is the size.
    let size = unsafe { pointer.cast::<usize>().read() };
    check_size::<T>(size)?;
    // SAFETY: as above; it is no larger than `T`.
    unsafe {
        let bytes = (&raw const value).cast::<u8>();
        bytes.copy_to_nonoverlapping(pointer.cast::<u8>(), size);
        pointer.cast::<usize>().write(size);
    }
    Ok(())
}

fn check_size<T: Growing>(size: usize) -> Outcome {
    if (T::FIRST_SIZE..=size_of::<T>()).contains(&size) {
        return Ok(());
    }
    let (name, first, last) = (T::NAME, T::FIRST_SIZE, size_of::<T>());
    let message = format!(
        "`struct_size` of the {name} is {size}, and must be from {first} to {last}: fill in `sizeof(throng_{name})`"
    );
    Err(Refusal::new(throng_status::BadStructSize, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Old {
        struct_size: usize,
        a: u64,
    }

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct New {
        struct_size: usize,
        a: u64,
        b: u64,
    }

    // SAFETY: numbers, of which the first is the size.
    unsafe impl Growing for New {
        const FIRST_SIZE: usize = first_size!(a: u64);
        const NAME: &'static str = "thing";
    }

    /// What these say must never change, whatever is added to the structs: programs that were compiled before fill in these sizes.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn first_sizes_stay_what_they_are() {
        assert_eq!(New::FIRST_SIZE, size_of::<Old>());
        let sizes = [
            crate::config::throng_config::FIRST_SIZE,
            crate::category_config::throng_category_config::FIRST_SIZE,
            crate::insert::throng_proxy::FIRST_SIZE,
            crate::executor::throng_executor::FIRST_SIZE,
            crate::step::throng_narrowphase::FIRST_SIZE,
            crate::report::throng_report::FIRST_SIZE,
            crate::query::filter::throng_query_filter::FIRST_SIZE,
            crate::query::pairs_within::throng_proximity::FIRST_SIZE,
        ];
        assert_eq!(sizes, [56, 96, 80, 32, 32, 168, 112, 32]);
    }

    fn old(a: u64) -> Old {
        Old {
            struct_size: size_of::<Old>(),
            a,
        }
    }

    #[test]
    fn what_an_old_caller_does_not_know_is_zero() {
        let things = [old(7), old(8)];
        // SAFETY: two structs of the size that the first says.
        let read = unsafe { all_grown(things.as_ptr().cast::<New>(), 2) }.unwrap();
        let read: Vec<_> = read.map(|thing| thing.unwrap()).collect();
        assert_eq!(read.iter().map(|thing| thing.a).collect::<Vec<_>>(), [7, 8]);
        assert!(read.iter().all(|thing| thing.b == 0));

        let mut room = [old(1), old(2)];
        let value = New {
            struct_size: size_of::<New>(),
            a: 5,
            b: 6,
        };
        // SAFETY: the first is as long as it says.
        unsafe { write_grown(room.as_mut_ptr().cast::<New>(), value) }.unwrap();
        assert_eq!(room, [old(5), old(2)], "and what is behind it is as it was");
    }

    #[test]
    fn other_sizes_are_refused() {
        for size in [0, 8, size_of::<Old>() - 1, size_of::<New>() + 1] {
            let thing = New {
                struct_size: size,
                a: 1,
                b: 2,
            };
            // SAFETY: no more than the size is read of it.
            let refused = unsafe { grown(&thing) }.unwrap_err();
            assert_eq!(refused.status, throng_status::BadStructSize, "{size}");
        }
    }
}
