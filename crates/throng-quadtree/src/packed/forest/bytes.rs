//! The bytes of a tree in a forest: somebody else's, as long as nothing in it changes.

use crate::packed::{AlignedBytes, SharedBytes};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) enum ForestBytes {
    /// Given by somebody else: never written to.
    Given(SharedBytes),
    /// Packed here, and perhaps shared since.
    Own(Arc<AlignedBytes>),
}

impl ForestBytes {
    /// The bytes, to be written to: a copy of them if anybody else may read them.
    pub fn make_mut(&mut self) -> &mut [u8] {
        if let Self::Given(bytes) = self {
            *self = Self::Own(Arc::new(AlignedBytes::from(bytes.as_ref())));
        }
        match self {
            Self::Own(bytes) => &mut Arc::make_mut(bytes)[..],
            Self::Given(_) => unreachable!("they were just copied"),
        }
    }
}

impl AsRef<[u8]> for ForestBytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Given(bytes) => bytes.as_ref(),
            Self::Own(bytes) => bytes,
        }
    }
}

impl From<AlignedBytes> for ForestBytes {
    fn from(bytes: AlignedBytes) -> Self {
        Self::Own(Arc::new(bytes))
    }
}

impl From<ForestBytes> for SharedBytes {
    fn from(bytes: ForestBytes) -> Self {
        match bytes {
            ForestBytes::Given(bytes) => bytes,
            ForestBytes::Own(bytes) => Self::of(bytes),
        }
    }
}
