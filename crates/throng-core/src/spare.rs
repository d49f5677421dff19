//! Memory that is used again.

use std::ops::{Deref, DerefMut};

/// Memory that is kept from one use to the next, and whose contents mean nothing in between. So a clone of its owner gets none, and
/// `clone_from` leaves what there is. Memory that is needed seldom is better copied: each of several copies that take turns would
/// allocate its own, however late.
///
/// ```
/// use throng_core::Spare;
///
/// let [mut kept, mut other] = <[Spare<Vec<u32>>; 2]>::default();
/// kept.extend([1, 2, 3]);
/// assert!(kept.clone().is_empty());
/// other.push(4);
/// other.clone_from(&kept);
/// assert_eq!(*other, [4]);
/// ```
#[derive(Debug, Default)]
pub struct Spare<T>(T);

impl<T: Default> Clone for Spare<T> {
    fn clone(&self) -> Self {
        Self::default()
    }

    fn clone_from(&mut self, _: &Self) {}
}

impl<T> Deref for Spare<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Spare<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
