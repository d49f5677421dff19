//! Two quadtrees for 2D boxes: one for **what never moves**, and one general **tree for everything**.
//!
//! | structure | in short | use it |
//! |---|---|---|
//! | [`PackedQuadtree`] | built once into one block of memory, which is also its file format; sixteen boxes compared at once | for walls, castles, boulders: searched often, loaded without parsing |
//! | [`Quadtree`] | nodes of eight bytes, any payload; insert, move, remove, and clean up once a frame | in tools and engines where few things move in a frame, and one index should hold them all |
//!
//! ```
//! use std::ops::ControlFlow;
//! use throng_core::{Aabb, Boxes, RayCast, Serial};
//! use throng_quadtree::{PackedConfig, PackedQuadtree, Quadtree, QuadtreeConfig};
//!
//! let (min_x, min_y) = ([0.0, 4.0, 9.0], [0.0, 1.0, 0.0]);
//! let (max_x, max_y) = ([1.0, 5.0, 9.5], [8.0, 2.0, 8.0]);
//! let walls = Boxes::new([&min_x, &min_y], [&max_x, &max_y])?;
//! let castle = PackedQuadtree::build(walls, PackedConfig::new(), &Serial)?;
//! let shot = RayCast::from_to([2.0, 1.5], [12.0, 1.5])?;
//! assert_eq!(castle.cast_first(&shot).map(|hit| hit.row), Some(1));
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
//! Where most things move in most frames, sorting beats any tree: use `throng-grid` for things of about one size,
//! `throng-loose` for any size. The broadphase `throng` puts each kind of thing in the structure that suits it, and
//! uses the packed tree for scenery.
//!
//! # What they promise
//!
//! - **Overlap** is [`Aabb::overlaps`](throng_core::Aabb::overlaps) on the sides as given, touching included;
//!   [`RayCast`](throng_core::RayCast) and [`ConvexPolygon`](throng_core::ConvexPolygon) define what a ray and a
//!   polygon touch.
//! - **Nothing is missed and nothing is reported twice**, whatever the sizes and coordinates, infinite sides
//!   included.
//! - **Searches take `&self`**, allocate nothing, and may run on many threads.
//! - **The order of results** depends on the boxes and on earlier calls, not on threads or the instruction set.
//! - **Any bytes** are read as a tree or refused with a typed error, never with a panic or a read out of bounds.
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
    ALIGNMENT, AlignedBytes, BoxChange, BytesError, ForestError, MOST_PACKED_ROWS, PackedConfig,
    PackedError, PackedForest, PackedNodeView, PackedQuadtree, RayHit, SharedBytes,
};
