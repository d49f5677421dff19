//! What every structure of the `throng` broadphase shares.
//!
//! The crate holds no broadphase of its own: it is the small set of parts that the grids, the trees
//! and the broadphase over them agree on, so that a box, a mask or a row means the same everywhere.
//!
//! | part | for |
//! |---|---|
//! | [`Aabb`], [`overlaps_1d`] | closed boxes, and the one definition of overlap |
//! | [`Masks`], [`MaskColumn`] | which things may meet at all |
//! | [`Pool`], [`Handle`] | names that go stale instead of lying |
//! | [`Columns`], [`OptionalColumn`] | arrays that grow and swap-remove in step, paid for when used |
//! | [`FrameArenas`], [`Arena`] | scratch memory for one chunk of a frame |
//! | [`Executor`], [`run_all`] | a plan of numbered tasks, run by anyone |
//! | [`SimdLevel`] | which kernel this machine can run |
//!
//! # Features
//!
//! - `parallel` (default): `Rayon`, the executor that runs tasks in the rayon pool the caller is in.
//! - `serde`: `Serialize` and `Deserialize` for the plain data types; what is read is validated.

mod aabb;
mod aabb_error;
mod arena;
pub mod cell;
mod columns;
mod executor;
mod half_extent;
mod handle;
mod mask_column;
mod masks;
mod optional_column;
mod pool;
mod simd;

pub use aabb::{Aabb, InfiniteSides, distance_squared, overlaps_1d};
pub use aabb_error::{AabbError, Axis, Side};
pub use arena::{Arena, ArenaVec, FrameArenas};
pub use columns::{Column, Columns};
#[cfg(feature = "parallel")]
pub use executor::Rayon;
pub use executor::{Executor, Serial, run_all};
pub use handle::Handle;
pub use mask_column::{MaskColumn, RowMasks};
pub use masks::Masks;
pub use optional_column::OptionalColumn;
pub use pool::{Pool, PoolFull};
pub use simd::{ParseSimdLevelError, SimdLevel};
