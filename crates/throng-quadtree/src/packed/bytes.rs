//! A tree from its bytes, and back.

use super::config::simd;
use super::header::Header;
use super::{BytesError, PackedError, PackedQuadtree};
use throng_core::{Simd, SimdLevel};

impl<B: AsRef<[u8]>> PackedQuadtree<B> {
    /// The tree stored in the bytes. Nothing is copied: the bytes are kept, and searched in place.
    ///
    /// Everything is checked once, including the checksum, in O(bytes). A tree that was accepted can be searched
    /// without ever reading out of bounds, whoever wrote it.
    ///
    /// # Errors
    ///
    /// If the bytes are not aligned to [`ALIGNMENT`](super::ALIGNMENT), are of another version, length or byte
    /// order, are damaged, or do not make a tree.
    pub fn from_bytes(bytes: B) -> Result<Self, BytesError> {
        let header = Header::read(bytes.as_ref())?;
        let simd = Simd::new(None).expect("what was detected is there");
        let tree = Self {
            bytes,
            header,
            simd,
        };
        match tree.validate() {
            Ok(()) => Ok(tree),
            Err(broken) => Err(BytesError::Broken { broken }),
        }
    }

    /// The same tree, searched with the given instruction set.
    ///
    /// # Errors
    ///
    /// If this machine does not have it.
    pub fn simd(self, level: SimdLevel) -> Result<Self, PackedError> {
        let simd = simd(Some(level))?;
        Ok(Self { simd, ..self })
    }

    /// The bytes of the tree, which [`from_bytes`](Self::from_bytes) accepts. Written to a file, they can be loaded
    /// as they are.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The bytes as they were given.
    pub fn into_bytes(self) -> B {
        self.bytes
    }
}
