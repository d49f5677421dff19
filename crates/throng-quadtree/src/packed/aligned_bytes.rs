//! Bytes aligned as a tree's columns must be.

use std::fmt;
use std::io::{self, Read};

/// The alignment of a tree's first byte: a cache line, and the widest vector.
pub const ALIGNMENT: usize = 64;

/// Owned bytes whose first one is aligned to [`ALIGNMENT`].
///
/// ```
/// use throng_quadtree::{ALIGNMENT, AlignedBytes};
///
/// let bytes = AlignedBytes::from(&[1, 2, 3][..]);
/// assert_eq!(bytes[..], [1, 2, 3]);
/// assert!(bytes.as_ptr().addr().is_multiple_of(ALIGNMENT));
/// ```
pub struct AlignedBytes {
    /// Longer than `len` by as much as it may take to reach the first aligned byte.
    storage: Vec<u8>,
    first: usize,
    len: usize,
}

impl AlignedBytes {
    /// `len` zeros. O(`len`).
    #[must_use]
    pub fn zeroed(len: usize) -> Self {
        let storage = vec![0; len + ALIGNMENT - 1];
        let first = storage.as_ptr().align_offset(ALIGNMENT);
        // In principle the standard library may decline to answer; then the tree will refuse the bytes.
        let first = first.min(ALIGNMENT - 1);
        Self {
            storage,
            first,
            len,
        }
    }

    /// Everything that can be read from `source`.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn read_from(mut source: impl Read) -> io::Result<Self> {
        let mut read = Vec::new();
        source.read_to_end(&mut read)?;
        Ok(Self::from(&read[..]))
    }

    /// Bytes allocated, including those before the first aligned one.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.storage.capacity()
    }
}

impl From<&[u8]> for AlignedBytes {
    fn from(bytes: &[u8]) -> Self {
        let mut aligned = Self::zeroed(bytes.len());
        aligned.copy_from_slice(bytes);
        aligned
    }
}

/// A copy in memory of its own, aligned like the original.
impl Clone for AlignedBytes {
    fn clone(&self) -> Self {
        Self::from(&**self)
    }
}

impl std::ops::Deref for AlignedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.storage[self.first..self.first + self.len]
    }
}

impl std::ops::DerefMut for AlignedBytes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.first..self.first + self.len]
    }
}

impl AsRef<[u8]> for AlignedBytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignedBytes({} bytes)", self.len)
    }
}
