//! Ids of categories and proxies, row numbers, and what the pool stores for a proxy.

use std::fmt;
use std::sync::atomic::{AtomicU16, Ordering};

use throng_core::{Handle, Pool};

/// The index of a proxy in its category's columns, from 0, and in the engine's own arrays that mirror them.
///
/// A plain number, because it is used as an index; whatever returns rows also says which category they are of.
pub type Row = u32;

/// The rows of a pair as it is handed over: of one category the lower first. Without branches.
#[inline(always)]
pub(crate) fn in_order(are_of_one: bool, [a, b]: [Row; 2]) -> [Row; 2] {
    if are_of_one {
        [a.min(b), a.max(b)]
    } else {
        [a, b]
    }
}

/// The most categories of one world: a category id has 16 bits.
pub const MAX_CATEGORIES: usize = u16::MAX as usize;

/// A category, by its index in the config.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct CategoryId(u16);

impl CategoryId {
    /// The category at `index` (from 0) in the config. A world returns an error for one that it does not have.
    pub const fn new(index: u16) -> Self {
        Self(index)
    }

    /// Its index in the config, from 0.
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

/// Names a proxy for as long as it lives, whatever category and row it is in.
///
/// It consists of an index, a generation and the [tag](crate::Broadphase::world_tag) of its world: the id of a removed proxy
/// is never given to another, and a world refuses the ids of others, except of its [copies](crate::Broadphase#copies).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct ProxyId(pub(crate) Handle);

impl ProxyId {
    /// The whole id as a number, to store where only numbers can be stored: index, generation and world tag.
    pub fn to_bits(self) -> u64 {
        self.0.to_bits()
    }

    /// The id from a number that [`to_bits`](Self::to_bits) returned. Any other number gives an id of no proxy, or that
    /// of some living proxy.
    pub fn from_bits(bits: u64) -> Self {
        Self(Handle::from_bits(bits))
    }

    /// The tag of the world that it belongs to. See
    /// [`BroadphaseConfig::world_tag`](crate::BroadphaseConfig::world_tag).
    pub fn world_tag(self) -> u16 {
        self.0.tag()
    }

    /// A small number, reused after removal: an index for an engine's own tables of proxies.
    pub fn index(self) -> u32 {
        self.0.index()
    }
}

impl fmt::Debug for ProxyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.world_tag() {
            0 => write!(f, "ProxyId({})", self.0),
            tag => write!(f, "ProxyId({} of world {tag})", self.0),
        }
    }
}

/// Names the scenery that one [`add_scenery`](crate::Broadphase::add_scenery) or
/// [`load_scenery`](crate::Broadphase::load_scenery) brought, until it is unloaded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct SceneryId(pub(crate) Handle);

impl SceneryId {
    /// The whole id as a number, to store where only numbers can be stored.
    pub fn to_bits(self) -> u64 {
        self.0.to_bits()
    }

    /// The id from a number that [`to_bits`](Self::to_bits) returned. Any other number gives an id of no scenery, or that of some
    /// that is loaded.
    pub fn from_bits(bits: u64) -> Self {
        Self(Handle::from_bits(bits))
    }

    /// The tag of the world that it belongs to. See
    /// [`BroadphaseConfig::world_tag`](crate::BroadphaseConfig::world_tag).
    pub fn world_tag(self) -> u16 {
        self.0.tag()
    }
}

impl fmt::Debug for SceneryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SceneryId({} of world {})", self.0, self.world_tag())
    }
}

/// The highest tag of a world, and also the number of tags to draw from for worlds whose config has none.
pub const MAX_WORLD_TAG: u16 = Handle::MAX_TAG;

/// A tag for the next world of this process: 1, 2, and so on up to [`MAX_WORLD_TAG`], then 1 again.
pub(crate) fn draw_world_tag() -> u16 {
    static WORLDS: AtomicU16 = AtomicU16::new(0);
    let next = |last: u16| Some(last % MAX_WORLD_TAG + 1);
    let last = WORLDS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    last.unwrap_or_else(|last| last) % MAX_WORLD_TAG + 1
}

/// The slots of all proxies of a world, in all categories.
pub(crate) type ProxyPool = Pool<ProxySlot>;

/// Where a proxy is.
///
/// Eight bytes, with an unused bit pattern in `origin`, so that the pool needs no tag:
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

/// How a proxy was assigned to its category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// By its size: it migrates when that changes.
    Routed,
    /// By name: it stays.
    Named,
}

/// Whether a proxy that lives was put into its category by name.
pub(crate) fn is_named(pool: &ProxyPool, id: Handle) -> bool {
    pool.get(id)
        .is_some_and(|slot| slot.origin == Origin::Named)
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
    fn drawn_tags_go_round_and_are_never_0() {
        let drawn: Vec<u16> = (0..2 * usize::from(MAX_WORLD_TAG))
            .map(|_| draw_world_tag())
            .collect();
        assert!(drawn.iter().all(|tag| (1..=MAX_WORLD_TAG).contains(tag)));
        // Other tests of this process draw as well, so some may be missing.
        let followed = drawn
            .windows(2)
            .filter(|two| two[1] == two[0] % MAX_WORLD_TAG + 1);
        assert!(followed.count() > drawn.len() / 2);
        assert!(drawn.windows(2).any(|two| two[1] < two[0]), "round");
    }

    #[test]
    fn a_proxy_takes_twelve_bytes_of_the_pool() {
        let mut pool = ProxyPool::new();
        for row in 0..1024 {
            pool.insert(ProxySlot::new(0, row, Origin::Routed));
        }
        assert_eq!(pool.memory_bytes(), 1024 * 12);
    }
}
