//! Three structures for **boxes of any size that move**: dragons among infantry, ships among boats, a box
//! that covers the world.
//!
//! | structure | in short | wins |
//! |---|---|---|
//! | [`BoxStrips`] | rows of boxes, each sorted along x; rebuilt by every update | wherever all pairs are searched, and in queries: the default |
//! | [`DoubleGrid`] | loose cells under tight ones; only what changed is touched | where few rows change between updates and few searches follow, or rows change one by one |
//! | [`LooseQuadtree`] | a tree over the centers of boxes; only what changed is touched | as the grid, in half the time a query takes there and in less memory; with endless walls too |
//!
//! What all three do is the trait [`LooseStructure`]: `update` from columns of sides, all overlapping pairs, each once,
//! in chunks, meetings with any other [`BoxSource`](throng_core::BoxSource), box queries, and cells for drawing.
//! [`AnyStructure`] is one of the three, chosen at run time. The double grid and the tree can also change one row at a
//! time.
//!
//! ```
//! use throng_core::{Boxes, Serial};
//! use throng_loose::{BoxStrips, LooseStructure, StripsConfig};
//!
//! let (min_x, min_y) = ([0.0, 3.0, 40.0], [0.0, 1.0, 1.0]);
//! let (max_x, max_y) = ([4.0, 99.0, 42.0], [4.0, 50.0, 2.0]);
//! let mut strips = BoxStrips::new(StripsConfig::new())?;
//! strips.update(Boxes::new([&min_x, &min_y], [&max_x, &max_y])?, &Serial)?;
//!
//! let mut pairs = Vec::new();
//! strips.for_each_pair(None, |a, b| pairs.push((a, b)));
//! pairs.sort_unstable();
//! assert_eq!(pairs, [(0, 1), (1, 2)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When to use something else
//!
//! Things of about one size are several times faster as points, in `throng-grid`. What never moves belongs in a tree
//! that is built once.
//!
//! # What they promise
//!
//! - **Overlap** is [`Aabb::overlaps`](throng_core::Aabb::overlaps) on the sides as given, touching included.
//! - **Nothing is missed or reported twice**, whatever the sizes and coordinates, infinite sides included.
//! - **A row costs a bounded number of bytes**, whatever its size; nothing grows with the area of the world.
//! - **The order of the pairs** depends on the boxes and on earlier calls, not on threads or the instruction set.
//!
//! # Features
//!
//! - `parallel` (default): offers the rayon executor of `throng-core`.
//! - `serde`: configs are read from and written to files.

mod check;
mod double_grid;
mod error;
mod leaves;
mod or_empty;
mod quadtree;
mod report;
mod sides;
mod some_rows;
mod strips;
mod structure;
mod typical;
mod work;

pub use double_grid::{DoubleGrid, DoubleGridConfig, DoubleGridMemory};
pub use error::{LooseError, MOST_ROWS};
pub use quadtree::{LooseQuadtree, LooseQuadtreeConfig, QuadtreeMemory};
pub use report::UpdateReport;
pub use strips::{BoxStrips, StripsConfig, StripsMemory};
pub use structure::{AnyStructure, LooseCell, LooseStructure};
