//! A data-oriented, multithreaded 2D broadphase for engines that keep their entities in arrays.
//!
//! Given hundreds of thousands to millions of moving boxes, it finds every pair that overlaps, each
//! exactly once, in parallel, and hands the pairs to the engine's own narrowphase while they are
//! hot. It also answers "what is near here?". It holds no bodies, shapes or velocities, and starts
//! no threads.
//!
//! ```
//! use std::ops::ControlFlow;
//! use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CountPairs, Proxy};
//!
//! let mut world = Broadphase::new(
//!     BroadphaseConfig::new()
//!         .category(CategoryConfig::uniform("pixies", 0.1))
//!         .category(CategoryConfig::uniform("infantry", 1.0)),
//! )?;
//! let infantry = world.category("infantry").expect("as configured");
//!
//! // In by size, and moved one by one...
//! let orc = world.insert(Proxy::centered([0.0, 0.0], [0.9, 0.9])?.key(17))?;
//! let elf = world.insert(Proxy::centered([8.0, 0.0], [0.7, 0.7])?.key(18))?;
//! world.set_center(elf, [1.5, 0.0])?;
//! // ...or a whole category at once, in row order.
//! let fill = world.centers_mut(infantry)?.fill_from(&[0.0, 1.5], &[0.0, 0.0])?;
//! assert_eq!(fill.rejected, 0);
//!
//! let step = world.step(&CountPairs); // or a `Narrowphase` of your own
//! assert_eq!(step.outputs().sum::<u64>(), 1);
//!
//! let mut near = Vec::new();
//! let _ = world.query_circle([0.0, 3.0], 2.5, |hit| {
//!     near.push(hit.id);
//!     ControlFlow::<()>::Continue(())
//! })?;
//! assert_eq!(near, [orc, elf]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When to use it
//!
//! When most things move in most frames and come in a few kinds of about one size each. Every index
//! of what may move is rebuilt in every step, which costs the same whether things crawl or jump, and is
//! far cheaper than keeping a tree in order for them; what never moves is scenery, and costs next to
//! nothing. Where a few in a thousand move now and then, a dynamic tree does less work.
//!
//! # What it promises
//!
//! - Every pair of proxies whose boxes overlap, touching included, is reported exactly once.
//! - The same calls give the same pairs in the same order on any number of threads, with or without
//!   SIMD.
//! - No allocation in a steady state.
//! - Bad input is a typed error or an entry in the [`Report`], never a panic, and never spoils what
//!   is good.
//! - Queries take `&self`, may run from many threads, and see the index of the last step.
//!
//! # Features
//!
//! - `parallel` (default): steps run in the rayon pool the caller is in.
//! - `serde`: configs and plain data are read from and written to files.
//! - `glam`, `mint`: boxes, and with glam centres too, come out in the types of these libraries. A point that goes in is
//!   anything that becomes a `[f32; 2]`, which theirs do without a feature.
#![forbid(unsafe_code)]

// The world, and every way in which it can refuse.
mod broadphase;
mod error;

// Its rooms: what it is and keeps,
mod world;

// what is done before a frame,
mod write;

// in a frame,
mod frame;

// after a frame,
mod query;

// and how to do better.
mod tune;

#[cfg(feature = "glam")]
mod interop;

pub use broadphase::Broadphase;
pub use error::{
    ColumnError, CommandError, InsertError, Misfit, ProxyError, QueryError, SceneryError,
    StaleIndex, UnknownCategory,
};
pub use frame::clock::Clock;
pub use frame::collect::{CollectPairs, CountPairs, PairList};
pub use frame::narrowphase::{ChunkOutput, Narrowphase, PairBatch};
pub use frame::plan::Plan;
pub use frame::report::{
    CategoryReport, ChunkStats, MeetingReport, RejectedCenter, Report, StageTimes,
};
pub use frame::step::Step;
pub use query::answers::Answers;
pub use query::batch::{BatchQuery, First};
pub use query::cells::CellView;
pub use query::circle::Circle;
pub use query::nearest::Nearest;
pub use query::pairs_within::NearPairs;
pub use query::queries::{Queries, QueryFilter, QueryHit};
pub use query::way::{Way, WayHit};
pub use query::within::{NearPair, Within};
pub use tune::activity::Activity;
pub use tune::advice::Advice;
pub use tune::memory::{CategoryMemory, MemoryReport};
pub use tune::sizes::{SizeCounts, SizeStep};
pub use world::category::MAX_ROWS;
pub use world::config::{
    BroadphaseConfig, CategoryConfig, CategoryKind, OversizedStructure, PairMode,
};
pub use world::config_error::{ConfigError, ConfigProblem};
pub use world::ids::{CategoryId, MAX_CATEGORIES, ProxyId, Row};
pub use world::proxy::{Proxy, ProxyView};
pub use world::rows::{AabbChange, Migration, Removed, RowRef};
pub use world::scenery_index::Scenery;
pub use write::batch::{BatchInsert, BatchRemove};
pub use write::columns::{CenterChunk, CentersMut, Fill};
pub use write::command_queue::{CommandDone, CommandOutcome, CommandSender, Ticket};
pub use write::reconfigure::{Homeless, ReconfigureError, Reconfigured};

/// Why there is no such shape: what [`Segment`], [`MovingBox`] and [`QueryError::Shape`] say.
pub use throng_core::QueryError as ShapeError;
#[cfg(feature = "parallel")]
pub use throng_core::Rayon;
pub use throng_core::{
    Aabb, AabbError, Axis, ConvexPolygon, ConvexPolygonError, Executor, InfiniteSides, Masks,
    MovingBox, NearestQuery, Segment, Serial, SimdLevel,
};
pub use throng_loose::{DoubleGridConfig, LooseError, LooseQuadtreeConfig, StripsConfig};
pub use throng_quadtree::{AlignedBytes, BytesError, PackedQuadtree, SharedBytes};

/// The README's snippets are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

/// So are those of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide.md")]
mod guide {}
