//! Bytes that several owners share.

use super::PackedQuadtree;
use std::fmt;
use std::sync::Arc;

/// Bytes with any number of owners, of whatever kind: a file in memory, a mapped one, part of an archive.
///
/// A tree over them is a few words and a reference count to clone.
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
    /// Shares the bytes of `owner`. It must give the same bytes whenever it is asked.
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self(Arc::new(owner))
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
    /// The same tree with bytes that may have several owners. Copies nothing.
    pub fn into_shared(self) -> PackedQuadtree<SharedBytes> {
        PackedQuadtree {
            bytes: SharedBytes::new(self.bytes),
            header: self.header,
            simd: self.simd,
        }
    }
}
