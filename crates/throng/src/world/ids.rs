//! The names of things: which category, which proxy, which row; and what stands behind a proxy's.

use std::fmt;

use throng_core::{Handle, Pool};

/// A proxy's place in its category's columns, from 0: the index into the engine's own arrays that
/// mirror them.
///
/// A plain number, because that is what it indexes with; whatever hands out rows says of which
/// category.
pub type Row = u32;

/// The most categories of one world: a category is named by 16 bits.
pub const MAX_CATEGORIES: usize = u16::MAX as usize;

/// A category, by its place in the config.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CategoryId(u16);

impl CategoryId {
    /// The category that stands at `index` (from 0) in the config. A world refuses one that it does
    /// not have.
    pub const fn new(index: u16) -> Self {
        Self(index)
    }

    /// Its place in the config, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> Self {
        // A checked config has at most `MAX_CATEGORIES`.
        debug_assert!(index <= usize::from(u16::MAX));
        Self(index as u16)
    }

    pub(crate) const fn raw(self) -> u16 {
        self.0
    }
}

impl fmt::Debug for CategoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CategoryId({})", self.0)
    }
}

/// A proxy's name for as long as it lives, whichever category and row it is in.
///
/// An index and a generation: the name of a proxy that was removed is never given to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct ProxyId(pub(crate) Handle);

impl ProxyId {
    /// The whole id as a number, to store where only numbers go.
    pub fn to_bits(self) -> u64 {
        self.0.to_bits()
    }

    /// The id that [`to_bits`](Self::to_bits) wrote. Any other number gives an id that no proxy
    /// answers to, or that of some living proxy.
    pub fn from_bits(bits: u64) -> Self {
        Self(Handle::from_bits(bits))
    }

    /// A small number, reused after removal: an index for an engine's own tables by proxy.
    pub fn index(self) -> u32 {
        self.0.index()
    }
}

impl fmt::Debug for ProxyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProxyId({}v{})", self.0.index(), self.0.generation())
    }
}

/// The slots of all proxies of a world, of all categories.
pub(crate) type ProxyPool = Pool<ProxySlot>;

/// Where a proxy is.
///
/// Eight bytes, with a bit pattern to spare in `origin` so that the pool needs no tag:
///
/// ```text
/// generation  row    category  origin
/// 4           4      2         1 (+1)     = 12 bytes of the pool per proxy
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProxySlot {
    pub(crate) row: Row,
    category: u16,
    pub(crate) origin: Origin,
}

/// How a proxy came into its category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// By its size: it migrates when that changes.
    Routed,
    /// By name: it stays.
    Named,
}

impl ProxySlot {
    pub(crate) fn new(category: u16, row: Row, origin: Origin) -> Self {
        Self {
            row,
            category,
            origin,
        }
    }

    pub(crate) fn category(&self) -> CategoryId {
        CategoryId::new(self.category)
    }

    /// The category as an index.
    #[inline]
    pub(crate) fn category_index(&self) -> usize {
        usize::from(self.category)
    }

    /// The row as an index.
    #[inline]
    pub(crate) fn row_index(&self) -> usize {
        self.row as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_takes_twelve_bytes_of_the_pool() {
        let mut pool = ProxyPool::new();
        for row in 0..1024 {
            pool.insert(ProxySlot::new(0, row, Origin::Routed));
        }
        assert_eq!(pool.memory_bytes(), 1024 * 12);
    }
}
