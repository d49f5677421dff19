//! Elements and their ids.

use std::fmt;
use throng_core::{Aabb, Handle, Pool};

/// The id of an element in a [`Quadtree`](crate::Quadtree). Once the element is removed, the id is invalid for ever:
/// no later element gets the same one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct ElementId(pub(super) Handle);

impl ElementId {
    #[inline(always)]
    pub(super) fn new(index: u32, generation: u32) -> Self {
        Self::from_bits(u64::from(generation) << u32::BITS | u64::from(index))
    }

    /// A number that no other element in the tree has at the same time, for tables beside the tree. The numbers of
    /// removed elements are reused.
    #[must_use]
    pub fn index(self) -> u32 {
        self.0.index()
    }

    /// The id as one number.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        self.0.to_bits()
    }

    /// The id that [`to_bits`](Self::to_bits) made the number from. Any number is accepted; one that was never an id
    /// is simply unknown to every tree.
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        Self(Handle::from_bits(bits))
    }
}

/// Index and generation, as in `17v3`.
impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// As [`fmt::Display`].
impl fmt::Debug for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An element that a search found.
pub struct Element<'t, T> {
    /// Its id.
    pub id: ElementId,
    /// Its box, as given.
    pub aabb: Aabb,
    pub(super) values: &'t Pool<T>,
}

impl<'t, T> Element<'t, T> {
    /// Its value. Looked up on demand: a search that needs only ids and boxes never touches the values.
    #[inline]
    #[must_use]
    pub fn value(&self) -> &'t T {
        let value = self.values.get(self.id.0);
        value.expect("an element that was found is there")
    }
}

// Implemented by hand, so that `T` need not be `Clone` or `Copy`.
impl<T> Clone for Element<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Element<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for Element<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Element")
            .field("id", &self.id)
            .field("aabb", &self.aabb)
            .field("value", self.value())
            .finish()
    }
}
