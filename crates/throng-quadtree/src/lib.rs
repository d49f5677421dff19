//! Two quadtrees for 2D boxes: one for **what never moves**, and one for whoever wants **one tree for everything**.
//!
//! | structure | in short | wins |
//! |---|---|---|
//! | [`PackedQuadtree`] | built once into one piece of memory, which is also its file; sixteen boxes compared at once | for walls, castles, boulders: searched for ever, loaded without parsing |
//! | [`Quadtree`] | nodes of eight bytes, any payload; insert, move, remove, and clean up once a frame | in tools and engines where few things move in a frame, and one index should hold them all |
//!
//! ```
//! use std::ops::ControlFlow;
//! use throng_core::{Aabb, Boxes, Segment, Serial};
//! use throng_quadtree::{PackedConfig, PackedQuadtree, Quadtree, QuadtreeConfig};
//!
//! let (min_x, min_y) = ([0.0, 4.0, 9.0], [0.0, 1.0, 0.0]);
//! let (max_x, max_y) = ([1.0, 5.0, 9.5], [8.0, 2.0, 8.0]);
//! let walls = Boxes::new([&min_x, &min_y], [&max_x, &max_y])?;
//! let castle = PackedQuadtree::build(walls, PackedConfig::new(), &Serial)?;
//! let shot = Segment::new([2.0, 1.5], [12.0, 1.5])?;
//! assert_eq!(castle.find_first_hit(&shot).map(|hit| hit.row), Some(1));
//!
//! let mut birds = Quadtree::new(QuadtreeConfig::new())?;
//! let crow = birds.insert(Aabb::new([0.0, 0.0], [1.0, 1.0])?, "crow")?;
//! birds.insert(Aabb::new([5.0, 5.0], [6.0, 6.0])?, "gull")?;
//! birds.set_aabb(crow, Aabb::new([5.5, 5.5], [6.5, 6.5])?)?;
//! birds.clean_up();
//! assert_eq!(birds.find_pairs().len(), 1);
//! # let _: ControlFlow<()> = birds.query_point([6.0, 6.0], |bird| {
//! #     assert!(["crow", "gull"].contains(bird.value()));
//! #     ControlFlow::Continue(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When to use something else
//!
//! Where most things move in most frames, sorting beats any tree: `throng-grid` for things of about one size,
//! `throng-loose` for any. The broadphase `throng` puts each kind of thing where it belongs, and uses the packed tree
//! for scenery.
//!
//! # What they promise
//!
//! - **Overlap** is [`Aabb::overlaps`](throng_core::Aabb::overlaps) on the sides as given, touching included; a segment
//!   and a polygon touch what [`Segment`](throng_core::Segment) and [`ConvexPolygon`](throng_core::ConvexPolygon) say.
//! - **Nothing is missed and nothing comes twice**, whatever the sizes and coordinates, infinite sides included.
//! - **Searches take `&self`**, allocate nothing, and may run from many threads.
//! - **The order of what is found** depends on the boxes and the calls before, not on threads or on the instruction set.
//! - **Bytes from anywhere** are a tree or a typed error, never a panic or a read out of bounds.
//!
//! # Features
//!
//! - `parallel` (default): offers the rayon executor of `throng-core`.
//! - `serde`: configs are read from and written to files.

mod dynamic;
mod packed;

pub use dynamic::{
    Element, ElementId, MOST_ELEMENTS, Quadtree, QuadtreeConfig, QuadtreeError, QuadtreeMemory,
    QuadtreeNode,
};
pub use packed::{
    ALIGNMENT, AlignedBytes, BytesError, MOST_PACKED_ROWS, PackedConfig, PackedError,
    PackedNodeView, PackedQuadtree, SegmentHit, SharedBytes,
};
