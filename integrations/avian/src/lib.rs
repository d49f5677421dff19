//! [`throng`] as the broad phase of [avian](avian2d), a physics engine for bevy: it finds which colliders come close to each other,
//! and leaves everything else to avian.
//!
//! ```
//! use avian2d::prelude::*;
//! use avian_throng::ThrongBroadPhasePlugin;
//! use bevy::prelude::*;
//!
//! App::new().add_plugins(
//!     PhysicsPlugins::default()
//!         .build()
//!         .disable::<BvhBroadPhasePlugin>()
//!         .add(ThrongBroadPhasePlugin::<()>::default()),
//! );
//! ```
//!
//! It finds what avian's own broad phase finds, each in the same step and with the same collider first: layers, colliders of one
//! body, [`JointCollisionDisabled`](avian2d::prelude::JointCollisionDisabled), hooks, sensors, sleeping and disabled bodies count
//! as they do there. With hooks, see [`ThrongBroadPhasePlugin`].
//!
//! # How it works
//!
//! Avian keeps an enlarged box of each collider in its trees, and asks for pairs of those whose box has changed. This plugin writes
//! those boxes to a world of throng, lets it find all pairs that overlap, and keeps those that avian would ask for.
//!
//! - Colliders of dynamic and kinematic bodies are in [uniform categories](throng::CategoryConfig::uniform), as
//!   [suggested](throng::BroadphaseConfig::suggest) for their boxes. When there are twice as many, or when throng's
//!   [advice](throng::Report::advice) says that sizes have changed, it is asked again.
//! - Static ones are [scenery](throng::CategoryConfig::scenery), packed once. Those that are moved after all go to a category
//!   for what moves, as do static sensors, which meet static colliders, while scenery never meets scenery.
//! - Colliders without a body are in a category that does not meet itself, because avian lets none of them touch. Those whose body
//!   is there, but is not static, kinematic or dynamic any more, do touch, and are with the static sensors.
//! - Layers are throng's masks, so that those that do not interact cost no pair.
//! - Boxes in throng are a sixteenth larger, so that most moves are writes of a center. What it finds is tested by avian's boxes.
//!
//! While nobody's box has changed, nothing is searched.
//!
//! # Order
//!
//! Contacts are added in the order in which avian asks, and among those of one asker by tree and number, where avian adds them
//! in the order of its tree. The order is the same on any number of threads, and decides the last digits of how heaps fall.
//! Hooks are called on one thread, in that order; avian calls them on many. Messages and events of collisions come in that order,
//! too, and not in avian's.
//!
//! # What it does not do
//!
//! Avian's trees stay, since spatial queries need them; what they cost is not saved. Layers of a collider are noticed when its
//! [`CollisionLayers`](avian2d::prelude::CollisionLayers) are inserted, which is the only way to change them; not, if a
//! program writes them into avian's trees by hand.
//!
//! Nor are layers noticed that are inserted in the same frame as a component by which the game hides entities from queries (one of its
//! own, registered by `register_disabling_component`), until something about the collider changes later.
//!
//! Avian's resources can be saved and put back, as for a rollback; what throng knows of them cannot. After such a change tell avian of
//! every collider that is not where it was (`MovedProxies`), or pairs of those that do not move may be missed. A collider whose
//! position is not a number touches nobody here.
//!
//! # Determinism
//!
//! The same program gives the same contacts in the same order, on any number of threads, with any instruction set.
#![forbid(unsafe_code)]

mod candidates;
mod categories;
mod inside;
mod mirror;
mod per_proxy;
mod plugin;
mod tuning;

pub use plugin::{BroadPhaseTimes, ThrongBroadPhase, ThrongBroadPhasePlugin};
