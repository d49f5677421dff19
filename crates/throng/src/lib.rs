//! A data-oriented, multithreaded 2D broadphase for engines that keep their entities in arrays.
//!
//! Given hundreds of thousands to millions of moving boxes, it finds every pair that overlaps, exactly once, in
//! parallel, and hands the pairs to the engine's own narrowphase while they are in the cache. It also answers "what is
//! near here?", and lists the neighbors of every row. It holds no bodies or shapes, and starts no threads.
//!
//! ```
//! use throng::{Broadphase, BroadphaseConfig, CategoryConfig, CountPairs, Proxy};
//!
//! let mut world = Broadphase::new(
//!     BroadphaseConfig::new()
//!         .category(CategoryConfig::uniform("pixies", 0.1))
//!         .category(CategoryConfig::uniform("infantry", 1.0)),
//! )?;
//! let infantry = world.category("infantry").expect("it is in the config");
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
//! let mut near = Vec::new(); // kept from frame to frame
//! world.query().find_in_circle([0.0, 3.0], 2.5, &mut near)?;
//! assert_eq!(near.iter().map(|hit| hit.id).collect::<Vec<_>>(), [orc, elf]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When to use it
//!
//! When there are many things, which come in a few kinds of about one size each. The index of everything that
//! moves is brought up to date in every step: at most it is built anew, and for less where things move little. This is far cheaper
//! than maintaining a tree for them. What never moves is scenery, and costs next to nothing; and where most things stay where they are,
//! those that [rest](CategoryConfig::rests_after) have an index that is kept, and a step builds one of the others alone.
//!
//! # What it promises
//!
//! - Every pair of proxies whose boxes overlap, touching included, is reported exactly once.
//! - Where [events](CategoryConfig::events) are on, each pair that begins gets exactly one end, whatever the cause.
//! - Where things [rest](CategoryConfig::rests_after), the pairs of a step and the [resting pairs](Broadphase::resting_pairs) are
//!   together all pairs, each once. Those with [sensors](CategoryConfig::sensor), which are only events, are among the latter
//!   where both rest, and otherwise in neither.
//! - The same calls give the same pairs in the same order on any number of threads, with or without SIMD.
//! - No allocation in a steady state, but for blocks that rayon's queues take now and then and, if the caller is in no pool, for
//!   what it takes to wake workers. A step in which scenery has changed is not steady: it allocates for what has.
//! - Bad input is a typed error or an entry in the [`Report`]; it never panics, and never affects the good input beside
//!   it.
//! - Queries take `&self`, may run from many threads, and see the index of the last step.
//!
//! # What it does not do
//!
//! It finds who overlaps whom, and leaves to the engine what follows from that:
//!
//! | you look for | here |
//! |---|---|
//! | sensors, triggers | a category of [sensors](CategoryConfig::sensor): its pairs come only as [events](CategoryConfig::events), which tell when they begin and end |
//! | layers, groups | [categories](CategoryConfig::meets) say who meets whom at all, [`Masks`] the rest |
//! | continuous collision (CCD), margins | [`set_velocity`](Broadphase::set_velocity) and [`CategoryConfig::margin`] give pairs that are about to touch; [`Queries::cast_first`] casts along a path |
//! | sleeping | [`rests_after`](CategoryConfig::rests_after) a number of steps, or when [told](Broadphase::set_resting); [scenery](CategoryConfig::scenery) for what never moves |
//! | joints, contacts, solvers | none: they are the engine's |
//!
//! # Threads
//!
//! Every public type is `Send` and `Sync`, a world included.
//!
//! # Features
//!
//! - `parallel` (default): steps run in the rayon pool the caller is in, or with the help of the global one.
//! - `serde`: configs and plain data are read from and written to files.
//! - `glam`, `mint`: getters return boxes in the types of these libraries, and with glam centers too. A point given to
//!   a function may be anything that converts to `[f32; 2]`, which their types do without a feature.
//! - `bytemuck`: boxes, ids and circles as bytes.
//! - `tracing`: a span around each step, refresh and sort of rows, and around the stages inside.
#![cfg_attr(not(feature = "bytemuck"), forbid(unsafe_code))]

// The world, and its errors.
mod broadphase;
mod error;

// Its modules: what it is and stores,
mod world;

// what is written before a frame,
mod write;

// the frame,
mod frame;

// queries after a frame,
mod query;

// and how to tune it.
mod tune;

#[cfg(feature = "glam")]
mod interop;
#[cfg(feature = "bytemuck")]
mod plain;

pub use broadphase::Broadphase;
pub use error::{
    ColumnError, CommandError, InsertError, PlacementError, ProxyError, QueryError, RefusedCenters,
    ReserveError, SceneryError, SortRowsError, StaleIndex, UnknownCategory,
};
pub use frame::clock::Clock;
pub use frame::collect::{CollectPairs, CountPairs, PairList};
pub use frame::events::event::PairEvent;
pub use frame::events::pair_events::PairEvents;
pub use frame::events::pair_slots::NO_SLOT;
pub use frame::in_hand::PairData;
pub use frame::narrowphase::{ChunkOutput, Narrowphase, PairBatch};
pub use frame::plan::Plan;
pub use frame::report::{
    CategoryReport, ChunkStats, MeetingReport, RejectedCenter, Report, StageTimes, StepCut,
};
pub use frame::resting::pairs::RestingPair;
pub use frame::step::Step;
pub use query::answers::BatchResults;
pub use query::batch::{BatchQuery, CastQuery, FirstOnly};
pub use query::cast::{Cast, CastHit};
pub use query::cells::CellView;
pub use query::circle::Circle;
pub use query::filter::QueryFilter;
pub use query::nearest::NearestHit;
pub use query::neighborhoods::{NeighborOutputs, Neighborhood};
pub use query::neighbors::{NeighborLists, Neighbors};
pub use query::pairs_within::ProximityPairs;
pub use query::queries::{Queries, QueryHit};
pub use query::within::{Proximity, ProximityBatch, ProximityPair};
pub use tune::activity::Activity;
pub use tune::advice::Advice;
pub use tune::memory::{CategoryMemory, MemoryReport};
pub use tune::row_order::RowScatter;
pub use tune::sizes::{SizeCounts, SizeStep};
pub use world::category::MAX_ROWS;
pub use world::config::{
    BroadphaseConfig, CategoryConfig, CategoryKind, EventsWith, OversizedStructure, PairMode,
};
pub use world::config_error::{ConfigError, ConfigProblem};
pub use world::ids::{CategoryId, MAX_CATEGORIES, MAX_WORLD_TAG, ProxyId, Row, SceneryId};
pub use world::masks::{MaskMode, Masks};
pub use world::proxy::{Proxy, ProxyView};
pub use world::resting::Resting;
pub use world::rows::{Inserted, Migration, Placement, Removed, RowRef};
pub use world::scenery_index::Scenery;
pub use write::aabbs::{AabbFill, AabbsMut};
pub use write::batch::{BatchAabbs, BatchInsert, BatchRemove};
pub use write::columns::{CenterChunk, CentersMut, Fill};
pub use write::command_queue::{CommandDone, CommandOutcome, CommandSender, Ticket};
pub use write::reconfigure::{ReconfigureError, Reconfigured, Unplaced};
pub use write::sort_rows::RowOrder;
pub use write::velocity::VelocitiesMut;

#[cfg(feature = "parallel")]
pub use throng_core::Rayon;
pub use throng_core::{
    Aabb, AabbError, Axis, BoxCast, Boxes, CastContact, CircleCast, ColumnsDiffer, ConvexPolygon,
    ConvexPolygonError, Executor, InfiniteSides, NearestQuery, ParseSimdLevelError, Permutation,
    PermutationError, PoolFull, RayCast, RaySlab, Serial, ShapeError, Side, SimdLevel,
    SimdUnavailable, prefetch,
};
pub use throng_loose::{DoubleGridConfig, LooseError, LooseQuadtreeConfig, StripsConfig};
pub use throng_quadtree::{
    AlignedBytes, BytesError, PackedConfig, PackedError, PackedQuadtree, SharedBytes,
};

/// The snippets of the README are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

/// And those of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide.md")]
mod guide {}
