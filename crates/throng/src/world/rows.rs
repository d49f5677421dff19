//! How rows change, and how an engine can follow.

use crate::world::ids::{CategoryId, ProxyId, Row};

/// A row of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RowRef {
    /// The category.
    pub category: CategoryId,
    /// The row in it.
    pub row: Row,
}

/// What an insert did to the rows: a `push` on an array that mirrors the category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inserted {
    /// The new proxy.
    pub id: ProxyId,
    /// The category it is in.
    pub category: CategoryId,
    /// Its row: the last of the category.
    pub row: Row,
}

/// What a removal did to the rows.
///
/// Rows are dense: the last row of the category moves into the gap, which is `swap_remove(row)` on an array that
/// mirrors the category.
///
/// ```text
/// row      0 1 2 3                 0 1 2
///          a b c d   remove(b) ->  a d c      row: 1, swapped_in: Some(d)
///          a b c d   remove(d) ->  a b c      row: 3, swapped_in: None
/// ```
///
/// An insert is a `push`: see [`Inserted`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// The removed proxy, whose id is stale from here on.
    pub id: ProxyId,
    /// The engine's own name for the removed proxy.
    pub key: u64,
    /// The category it was in.
    pub category: CategoryId,
    /// The row it was in.
    pub row: Row,
    /// The proxy that was in the last row and is in `row` now; `None` if the removed one was last.
    pub swapped_in: Option<ProxyId>,
}

/// What [`set_aabb`](crate::Broadphase::set_aabb) or [`set_category`](crate::Broadphase::set_category) did to the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Nothing: the proxy is in the same row as before.
    Stayed,
    /// The proxy is in another category now.
    Migrated(Migration),
}

/// How a proxy moved to another category: a `swap_remove` there, a `push` here.
///
/// ```text
/// infantry 0 1 2        0 1           ogres 0 1        0 1 2
///          a b c   ->   a c                 x y   ->   x y b
/// from: infantry row 1, swapped_in: Some(c)      to: ogres row 2
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Migration {
    /// The proxy.
    pub id: ProxyId,
    /// Where it was.
    pub from: RowRef,
    /// The proxy that was in the last row there and is now in the row of `from`; `None` if the migrated one was last.
    pub swapped_in: Option<ProxyId>,
    /// Where it is now: the last row of its new category.
    pub to: RowRef,
}
