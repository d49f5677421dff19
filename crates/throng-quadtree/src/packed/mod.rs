//! The packed tree: built once, searched often, and its bytes are its file.
//!
//! | pass of a build | does | where |
//! |---|---|---|
//! | records | a word for each axis of a box's center, and its approximate size | `build/records.rs` |
//! | order | halves the records again and again, down to leaves | `build/order.rs`, `build/giants.rs` |
//! | blocks | writes the leaves in that order, and level by level the nodes above them | `build/blocks.rs` |
//!
//! # Which boxes share a leaf
//!
//! A run of records is halved by count, along the axis that keeps the halves' boxes small, until it is a leaf. The
//! counts are chosen so that sixteen leaves make a node and sixteen nodes the next, all full. Four halvings are two
//! levels of a quadtree whose lines follow the boxes. (Bentley, "Multidimensional Binary Search Trees Used for
//! Associative Searching", 1975; for bulk loading rectangles top down, Lee and Lee, "OMT: Overlap Minimizing Top-down
//! Bulk Loading Algorithm for R-tree", 2003.)
//!
//! Only boxes that are long for their run ("giants") are treated separately. Each would widen its leaf, and every
//! search near it would visit that leaf. Where an estimate says that this costs more than a few extra nodes, giants
//! get leaves of their own. These are halved by position or by size, whichever leaves the least area (much as the
//! Priority R-tree of Arge, de Berg, Haverkort and Yi, 2004, separates extreme boxes from others). So no box is
//! copied, none piles up at the root, and a tree always has exactly as many leaves as its boxes fill.
//!
//! How many nodes and leaves a window of a fifth of a leaf's width visits, on average over 2000 windows, in 100,000
//! boxes (maps: their blocked cells as rectangles, tiled to as many):
//!
//! | order | sides 0.5 to 20 | walls 2 to 200 long | map of a city | map of a temple | 1 in 100 a wall through the world |
//! |---|---|---|---|---|---|
//! | this one | 4.2 + 1.6 | 5.2 + 2.9 | 4.3 + 1.8 | 5.3 + 2.4 | **10.6 + 9.0** |
//! | halving the longer side, giants not separate | 4.2 + 1.6 | 5.2 + 3.0 | 4.4 + 1.9 | 5.3 + 2.4 | 80.5 + 14.4 |
//! | halving the axis with less area, trying both | 4.2 + 1.6 | 5.2 + 2.8 | 4.2 + 1.6 | 5.1 + 2.1 | 68.6 + 8.6 |
//! | Hilbert's curve | 5.2 + 2.0 | 6.0 + 3.3 | 5.3 + 2.2 | 5.9 + 2.7 | 79.7 + 13.6 |
//! | Morton's curve | 7.6 + 3.4 | 8.6 + 4.9 | 7.9 + 3.7 | 8.6 + 4.6 | 85.3 + 19.8 |
//! | classes of size, each by Hilbert's curve | 5.2 + 2.0 | 10.4 + 5.5 | 9.3 + 3.2 | 9.9 + 5.0 | not measured |
//!
//! Trying both axes at every halving visits a tenth fewer leaves in maps, but costs two selections and the bounds of
//! four halves instead of one selection. Curves need the world cut into cells by its bounds, so one box far away puts
//! all others into one cell; halving only compares coordinates.
//!
//! # A search
//!
//! A search goes through up to four blocks of a level at a time. It compares sixteen boxes at once, and appends the
//! numbers of the children that touch to a short list, without branching on how many there are. Then it goes through
//! that list. The lists are on the stack, one for each level, and cannot overflow.

mod aligned_bytes;
mod batch;
mod build;
mod bytes;
mod collect;
mod config;
mod error;
mod forest;
mod gather;
mod header;
mod inspect;
mod kernels;
mod levels;
mod meet;
mod ordered;
mod probes;
mod query;
mod shared_bytes;
mod view;

use header::Header;
use throng_core::Simd;
use view::View;

pub use aligned_bytes::{ALIGNMENT, AlignedBytes};
pub use config::PackedConfig;
pub use error::{BytesError, PackedError};
pub use forest::{BoxChange, ForestError, PackedForest};
pub use inspect::PackedNodeView;
pub use levels::MOST_PACKED_ROWS;
pub use ordered::RayHit;
pub use shared_bytes::SharedBytes;

/// Boxes that never move: walls, castles, boulders.
///
/// ```text
/// level 2   │ 4 blocks at most: a search begins with all of them
/// level 1   │ n n n …                            a node: the bounds of 16 children, 256 bytes
/// level 0   │ l l l l l l l l l l l l l l l l …  a leaf: 16 boxes and their rows, 320 bytes
///             └─ children of the first n ─┘
/// ```
///
/// A block's boxes are stored in columns, `min x` of all sixteen, then `min y`, `max x`, `max y`, so that a vector
/// compares them at once. Child `k` of block `b` is block `16 b + k` of the level below: there are no pointers. An
/// empty slot is NaN, with which no comparison is true. A box is in exactly one leaf; full leaves take 20 bytes a
/// box, and all levels above them 1 more.
///
/// **The bytes are the structure**: [`as_bytes`](Self::as_bytes) is what a file holds, and
/// [`from_bytes`](Self::from_bytes) searches it in place, in `B`: [`AlignedBytes`], a slice, a mapped file. Integers
/// and floats are little-endian. A big-endian machine can build and search trees too, but its bytes are marked as
/// such, and each kind of machine refuses the other's. To share a tree, put it in an [`Arc`](std::sync::Arc), or its
/// bytes in [`SharedBytes`].
///
/// Searches take `&self`, allocate nothing, and may run on any number of threads. They visit rows in leaf order,
/// which depends only on the boxes and the config, and use the overlap test of [`Aabb`](throng_core::Aabb) on the
/// sides as given. If `visit` breaks, the search ends and returns the value it broke with. `B` must return the same
/// bytes every time; a search panics if there are fewer than before.
///
/// | search | visits | collects |
/// |---|---|---|
/// | box | [`query_aabb`](Self::query_aabb), many: [`query_aabbs`](Self::query_aabbs) | [`find_in_aabb`](Self::find_in_aabb) |
/// | point | [`query_point`](Self::query_point) | [`find_at_point`](Self::find_at_point) |
/// | circle | [`query_circle`](Self::query_circle) | [`find_in_circle`](Self::find_in_circle) |
/// | convex polygon | [`query_polygon`](Self::query_polygon) | [`find_in_polygon`](Self::find_in_polygon) |
/// | ray | [`query_ray`](Self::query_ray), roughly in order: [`query_along`](Self::query_along) | [`find_on_ray`](Self::find_on_ray), in order: [`cast_all`](Self::cast_all), first: [`cast_first`](Self::cast_first) |
/// | nearest | [`query_nearest`](Self::query_nearest), roughly nearest first | [`find_nearest`](Self::find_nearest), [`find_nearest_where`](Self::find_nearest_where) |
///
/// ```
/// use throng_core::{Aabb, Boxes, Serial};
/// use throng_quadtree::{AlignedBytes, PackedConfig, PackedQuadtree};
///
/// let (min_x, min_y) = ([0.0, 4.0, 9.0], [0.0, 1.0, 0.0]);
/// let (max_x, max_y) = ([1.0, 5.0, 9.5], [8.0, 2.0, 8.0]);
/// let walls = Boxes::new([&min_x, &min_y], [&max_x, &max_y])?;
/// let tree = PackedQuadtree::build(walls, PackedConfig::new(), &Serial)?;
///
/// // A file of these bytes is the tree.
/// let file = AlignedBytes::read_from(tree.as_bytes())?;
/// let loaded = PackedQuadtree::from_bytes(file)?;
/// let mut rows = Vec::new();
/// loaded.find_in_aabb(&Aabb::new([0.5, 0.0], [4.5, 1.0])?, &mut rows);
/// rows.sort_unstable();
/// assert_eq!(rows, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PackedQuadtree<B = AlignedBytes> {
    bytes: B,
    header: Header,
    simd: Simd,
}

impl<B: AsRef<[u8]>> PackedQuadtree<B> {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        View::new(&self.header, self.bytes.as_ref())
    }

    /// The same tree over the same bytes, held in another way.
    fn map_bytes<C>(self, hold: impl FnOnce(B) -> C) -> PackedQuadtree<C> {
        PackedQuadtree {
            bytes: hold(self.bytes),
            header: self.header,
            simd: self.simd,
        }
    }
}
