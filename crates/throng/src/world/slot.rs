//! What stands behind a proxy's id: where the proxy is now.

use throng_core::Pool;

use crate::world::ids::{CategoryId, Row};

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
