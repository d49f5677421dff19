//! What every structure of the `throng` broadphase shares.
//!
//! This crate is not a broadphase itself: it is the small set of parts that the grids, the trees and the broadphase
//! on top of them agree on, so that a box, a mask or a row means the same everywhere.
//!
//! | part | for |
//! |---|---|
//! | [`Aabb`], [`overlaps_1d`] | closed boxes, and the one definition of overlap |
//! | [`RayCast`], [`BoxCast`], [`CircleCast`], [`ConvexPolygon`], [`NearestQuery`] | the other queries against a box, and their definitions |
//! | [`CastContact`] | where a cast strikes a box, and which side |
//! | [`MaskWords`], [`RowMasks`] | which things may meet at all |
//! | [`Pool`], [`Handle`] | names that go stale instead of naming another value |
//! | [`Permutation`] | how rows were put into another order, for arrays that follow |
//! | [`FrameArenas`], [`Arena`] | scratch memory for one chunk of a frame |
//! | [`Boxes`] | what a structure of boxes is built from |
//! | [`BoxSource`], [`BoxPieces`], [`BoxRun`] | a structure as seen by another one that asks it, and by one that walks it |
//! | [`Executor`], [`Serial`], [`run_all`], [`run_each`], [`run_inside`] | a list of numbered tasks, and who runs it |
//! | [`SimdLevel`] | which kernels this machine can run |
//!
//! What these pages show besides is in the signatures of these parts, and of the structures. Whatever else is public is plumbing for the
//! other crates. It is left out of these pages, and may change in any version.
//!
//! ```
//! use throng_core::{Aabb, RayCast};
//!
//! let gate = Aabb::new([4.0, 0.0], [6.0, 10.0])?;
//! let orc = Aabb::from_center([3.0, 2.0], [1.0, 1.0])?;
//! assert!(orc.overlaps(&gate), "they touch, which counts");
//! let arrow = RayCast::from_to([0.0, 5.0], [8.0, 5.0])?;
//! assert_eq!(arrow.entry(&gate), Some(0.5), "it enters the gate halfway");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When to use it
//!
//! With one of the structures, for the types in their signatures; alone, as the definitions of overlap and of
//! queries, to test against. For pairs and queries depend on `throng`, which re-exports everything here that an
//! engine needs.
//!
//! # Features
//!
//! - `parallel` (default): `Rayon`, the executor that runs tasks in the caller's rayon pool.
//! - `serde`: `Serialize` and `Deserialize` for the plain data types; what is read is validated.
//! - `bytemuck`: [`Aabb`] and [`Handle`] as bytes.
//! - `glam`, `mint`: the corners of an [`Aabb`] in the types of these libraries.

mod aabb;
mod aabb_error;
mod arena;
mod box_cast;
mod box_kernels;
mod box_list;
mod box_run;
mod box_source;
mod boxes;
#[doc(hidden)]
pub mod buckets;
#[doc(hidden)]
pub mod cell;
mod chunks;
mod circle_cast;
mod columns;
mod contact;
mod convex_polygon;
mod executor;
mod extremes;
mod few_among_many;
mod find_words;
mod float_key;
mod for_both;
mod group_search;
mod half_extent;
mod handle;
mod handles;
mod held_buffer;
mod held_pairs;
#[cfg(any(feature = "glam", feature = "mint"))]
mod interop;
#[doc(hidden)]
pub mod lanes;
mod local_spacing;
mod mask_words;
mod met_classes;
mod nearest;
mod optional_column;
mod pair_buffer;
mod pair_matching;
mod permutation;
#[cfg(feature = "bytemuck")]
mod plain;
mod pool;
mod prefetch;
mod query;
mod ray_cast;
#[cfg(feature = "parallel")]
mod rayon_executor;
mod run_each;
mod sample;
mod scattered;
mod search_stats;
mod shared;
mod simd;
mod spare;
mod widened;

pub use aabb::{Aabb, Corners, InfiniteSides, overlaps_1d};
pub use aabb_error::{AabbError, Axis, Side};
pub use arena::{Arena, FrameArenas};
pub use box_cast::BoxCast;
pub use box_run::BoxRun;
pub use box_source::{BoxPieces, BoxSource, PairsAtOnce};
pub use boxes::{Boxes, ColumnsDiffer};
pub use circle_cast::CircleCast;
pub use contact::CastContact;
pub use convex_polygon::{ConvexPolygon, ConvexPolygonError};
pub use executor::{Executor, Serial, default_executor, run_all, run_inside};
pub use handle::Handle;
pub use handles::Handles;
pub use mask_words::{MaskWords, RowMasks};
pub use nearest::{NearestQuery, Ranked};
pub use pair_buffer::{PairBuffer, PairOrder};
pub use permutation::{Permutation, PermutationError};
pub use pool::{Pool, PoolFull};
pub use prefetch::prefetch;
pub use query::ShapeError;
pub use ray_cast::RayCast;
#[cfg(feature = "parallel")]
pub use rayon_executor::Rayon;
pub use run_each::run_each;
pub use search_stats::SearchStats;
pub use simd::{ParseSimdLevelError, SimdLevel, SimdUnavailable};

// Plumbing for the structures and the broadphase: not for engines, and changed whenever those need it.
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use aabb::or_infinite;
#[doc(hidden)]
pub use aabb::{distance_squared, gaps, gaps_within, length_squared};
#[doc(hidden)]
pub use arena::ArenaVec;
#[doc(hidden)]
pub use box_kernels::BoxesByRow;
#[doc(hidden)]
pub use box_list::BoxList;
#[doc(hidden)]
pub use chunks::search_chunks;
#[doc(hidden)]
pub use columns::{Column, Columns};
#[doc(hidden)]
pub use convex_polygon::PolygonEdge;
#[doc(hidden)]
pub use extremes::{highest, lowest};
#[doc(hidden)]
pub use few_among_many::{FewAmongMany, Spread};
#[doc(hidden)]
pub use float_key::{float_key, float_of_key};
#[doc(hidden)]
pub use for_both::for_both;
#[doc(hidden)]
pub use group_search::{guess_group, last_group_below, last_group_below_from};
#[doc(hidden)]
pub use half_extent::centers_and_half_extents;
#[doc(hidden)]
pub use held_buffer::{HeldBuffer, Placed};
#[doc(hidden)]
pub use held_pairs::HeldPairs;
#[doc(hidden)]
pub use lanes::Simd;
#[doc(hidden)]
pub use local_spacing::{even_spacing, spacing_of_parts};
#[doc(hidden)]
pub use met_classes::MetClasses;
#[doc(hidden)]
pub use nearest::{Least, visit_by_boxes};
#[doc(hidden)]
pub use optional_column::OptionalColumn;
#[doc(hidden)]
pub use pair_buffer::{LANES, PairRoom};
#[doc(hidden)]
pub use prefetch::{prefetch_ahead, prefetch_for_reading, prefetch_for_writing};
#[doc(hidden)]
pub use query::{check_point, check_reach, whether_broken, window_around};
#[doc(hidden)]
pub use ray_cast::RaySlab;
#[doc(hidden)]
pub use sample::sampled_rows;
#[doc(hidden)]
pub use scattered::{Scattered, Share, Shares};
#[doc(hidden)]
pub use shared::as_atomics;
#[doc(hidden)]
pub use spare::Spare;
#[doc(hidden)]
pub use widened::Widened;
