//! A **grid of points** for boxes of about one size: everything moves every frame, the grid is built anew
//! or refitted every frame, and every overlapping pair is found once, in parallel and in memory order.
//!
//! One upper bound on size serves for all boxes. So a row is stored as a point, in exactly one cell, without its
//! size, and a search only widens by the bound. The grid's rows ("strips") are each sorted along x by a counting sort
//! that never leaves the L1 cache. Neighbors in space are then neighbors in memory, and are compared sixteen at a
//! time.
//!
//! ```
//! use throng_core::Serial;
//! use throng_grid::{GridConfig, PointGrid, Points};
//!
//! let (xs, ys) = ([0.0, 0.9, 5.0], [0.0, 0.9, 5.0]);
//! let mut grid = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
//! grid.build(Points::new(&xs, &ys), &Serial)?;
//!
//! let mut pairs = Vec::new();
//! grid.for_each_pair(None, |a, b| pairs.push((a, b)));
//! assert_eq!(pairs, [(0, 1)]);
//! # Ok::<(), throng_grid::GridError>(())
//! ```
//!
//! # When to use it
//!
//! When most things move, or some of them, and the largest is at most a few times the common size. Anything much larger widens
//! everyone's search to its own size: put it in a separate structure. Things that never move are better off in a tree
//! that is built once. While only some rows change, [`PointGrid::mend`] takes the place of a build.
//!
//! # What it promises
//!
//! - **Overlap** is [`Aabb::overlaps`](throng_core::Aabb::overlaps) on `f32` boxes, touching included: on
//!   `[c - h, c + h]` with the bound as `h` (*coarse*), or with the row's own half extents (*exact*). Rounding is
//!   monotone, so boxes that overlap in an exact grid also do in a coarse one, at any distance from the origin.
//! - **Nothing is missed and nothing is reported twice**, whatever the coordinates; see [`throng_core::cell`] for why
//!   cell borders cannot lose a pair.
//! - **The order of the pairs** depends on the data and on earlier builds, not on threads or the instruction set.
//! - **No world bounds**, and memory does not depend on the area: empty space costs nothing.

mod ask;
mod buckets;
mod config;
mod counting;
mod crowd;
mod density;
mod error;
mod grid;
mod inspect;
mod kernels;
mod layout;
mod leaf;
mod lists;
mod marks;
mod meet;
mod meet_boxes;
mod meet_many;
mod mend;
mod near_buffer;
mod near_pairs;
mod nearest;
mod nearness;
mod neighbors;
mod pair_search;
mod pairs;
mod partition;
mod pieces;
mod points;
mod probe;
mod query;
mod refit;
mod row_word;
mod run;
mod search;
mod sink;
mod sort;
mod subset;
mod view;

pub use config::GridConfig;
pub use error::GridError;
pub use grid::{BuildReport, MOST_ROWS, PointGrid};
pub use inspect::{GridMemory, LeafView};
pub use lists::ListBatch;
pub use marks::NeighborMarks;
pub use meet_many::PointsAmongMany;
pub use mend::MovedRow;
pub use nearness::Nearness;
pub use neighbors::Listing;
pub use points::{Points, RowClasses};
pub use query::Hit;
pub use throng_core::{NearestQuery, Ranked, ShapeError};
