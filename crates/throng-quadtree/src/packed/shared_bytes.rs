//! Bytes with several owners.

use super::PackedQuadtree;
use std::fmt;
use std::sync::Arc;

/// Bytes with any number of owners, from any source: a file in memory, a mapped one, part of an archive.
///
/// Cloning a tree over them copies a few words and raises a reference count.
///
/// ```
/// use throng_quadtree::SharedBytes;
///
/// let bytes = SharedBytes::new(vec![1, 2, 3]);
/// assert_eq!(bytes.clone().as_ref(), [1, 2, 3]);
/// ```
#[derive(Clone)]
pub struct SharedBytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl SharedBytes {
    /// Shares the bytes of `owner`, which must return the same bytes every time.
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self(Arc::new(owner))
    }

    /// Shares bytes that are shared already.
    pub(crate) fn of<B: AsRef<[u8]> + Send + Sync + 'static>(owner: Arc<B>) -> Self {
        Self(owner)
    }
}

impl AsRef<[u8]> for SharedBytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBytes({} bytes)", self.as_ref().len())
    }
}

impl<B: AsRef<[u8]> + Send + Sync + 'static> PackedQuadtree<B> {
    /// The same tree over shared bytes. Copies nothing.
    pub fn into_shared(self) -> PackedQuadtree<SharedBytes> {
        self.map_bytes(SharedBytes::new)
    }
}
