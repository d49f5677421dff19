//! The [`throng`] broadphase as a plugin for [bevy](https://bevy.org). Entities with a position and [`Bounds`] are in
//! it, whatever happens to their components, and every overlapping pair of them is found once a frame.
//!
//! It depends only on `bevy_ecs`, `bevy_app` and `bevy_tasks`: no renderer, no maths library, no reflection.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_throng::{Bounds, BroadphasePlugin, BroadphaseSystems, Center, Overlaps};
//! use throng::{BroadphaseConfig, CategoryConfig};
//!
//! /// How often each orc has been bumped into.
//! #[derive(Component, Default)]
//! struct Bumps(u32);
//!
//! fn bump(overlaps: Res<Overlaps>, mut orcs: Query<&mut Bumps>) {
//!     for entity in overlaps.iter().flatten() {
//!         if let Ok(mut bumps) = orcs.get_mut(entity) {
//!             bumps.0 += 1;
//!         }
//!     }
//! }
//!
//! let config = BroadphaseConfig::new()
//!     .category(CategoryConfig::uniform("orcs", 1.0))
//!     .category(CategoryConfig::scenery("walls"));
//! let mut app = App::new();
//! app.add_plugins(BroadphasePlugin::new(config)?);
//! app.add_systems(PostUpdate, bump.after(BroadphaseSystems::Find));
//!
//! let orc = app.world_mut().spawn((Bumps(0), Center([0.0, 0.0]), Bounds::circle(1.0))).id();
//! app.world_mut().spawn((Bumps(0), Center([1.5, 0.0]), Bounds::circle(1.0)));
//! app.world_mut().spawn((Center([-3.0, 0.0]), Bounds::new([2.0, 9.0]).fixed()));
//! app.update();
//! assert_eq!(app.world().get::<Bumps>(orc).unwrap().0, 2, "once by the other orc and once by the wall");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where an entity is
//!
//! [`BroadphasePlugin::new`] reads the [`Center`] of an entity. Any other component will do as well: pass
//! [`BroadphasePlugin::reading`] a function of it, such as
//! `|position: &GlobalTransform| position.translation().truncate().into()`.
//!
//! # What is followed
//!
//! Spawns, despawns, components added, changed and removed, and `Disabled` entities, which are in no pair and in no
//! query while they are disabled. An entity that has not changed since the last frame costs one look at its change
//! ticks. Its proxy in the broadphase is in its [`Tracked`], which comes with its [`Bounds`].
//!
//! What the broadphase refuses, such as a center that is not finite, is reported in a [`Refused`] message. The entity
//! then stays as it was in the broadphase, or out of it, until one of its components changes again.
//!
//! # What is found
//!
//! [`Overlaps`] holds the pairs of the last frame, in the same order on any number of threads. [`Space`] answers
//! queries as of the last step, also from many systems at once. A game with its own narrowphase runs it on many
//! threads while pairs are found: see [`Space::step`].
//!
//! # What begins and ends
//!
//! Asked for [messages](BroadphasePlugin::with_messages), the plugin sends an [`OverlapBegan`] when two start to overlap, and
//! an [`OverlapEnded`] when they no longer do, also if one of them is gone: for pads that are stepped on, areas that are
//! entered, and sounds. Which categories this is for is said in the config, with
//! [`events`](throng::CategoryConfig::events); the others cost nothing.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_throng::{Bounds, BroadphasePlugin, BroadphaseSystems, Center, OverlapBegan, OverlapEnded};
//! use throng::{BroadphaseConfig, CategoryConfig};
//!
//! /// How many stand in the fire.
//! #[derive(Resource, Default)]
//! struct Burning(usize);
//!
//! fn burn(
//!     mut began: MessageReader<OverlapBegan>,
//!     mut ended: MessageReader<OverlapEnded>,
//!     mut burning: ResMut<Burning>,
//! ) {
//!     burning.0 += began.read().count();
//!     burning.0 -= ended.read().count();
//! }
//!
//! let config = BroadphaseConfig::new()
//!     .category(CategoryConfig::uniform("orcs", 1.0).rests_after(30))
//!     .category(CategoryConfig::scenery("fires").events());
//! let mut app = App::new();
//! app.init_resource::<Burning>()
//!     .add_plugins(BroadphasePlugin::new(config)?.with_messages())
//!     .add_systems(PostUpdate, burn.after(BroadphaseSystems::Find));
//!
//! app.world_mut().spawn((Center([0.0, 0.0]), Bounds::circle(5.0).fixed()));
//! let [orc, other] = [4.0, 4.5].map(|x| app.world_mut().spawn((Center([x, 0.0]), Bounds::circle(1.0))).id());
//! let mut burning = |app: &mut App| {
//!     app.update();
//!     app.world().resource::<Burning>().0
//! };
//! assert_eq!([burning(&mut app), burning(&mut app)], [2, 2]);
//! app.world_mut().get_mut::<Center>(orc).unwrap().0[0] = 9.0;
//! assert_eq!(burning(&mut app), 1);
//! app.world_mut().despawn(other);
//! assert_eq!(burning(&mut app), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What rests
//!
//! What change detection does not report is not written to the broadphase. So in a category that
//! [`rests_after`](throng::CategoryConfig::rests_after) some steps, entities that nobody touches for so long come to rest: they
//! are looked for no more, until they move or something that moves comes near. A system that takes `&mut` of every position in
//! every frame keeps none of them awake, as long as it leaves the values as they are; but it makes each of them worth a look.
//!
//! Pairs of two that rest are not in [`Overlaps`] but in [`Space::resting_overlaps`]. They have no end, and no second begin.
//!
//! # When to use something else
//!
//! This finds what overlaps and what is near; it pushes nothing apart. For rigid bodies use a physics engine, such as
//! avian or rapier, which has its own broadphase. For a few hundred entities a loop over all pairs does as well. If
//! thousands are spawned and despawned every frame, or a game does not keep its crowds in the ECS, use the [`throng`]
//! crate: it takes whole columns of centers at once, which costs less than a look at each entity.
#![forbid(unsafe_code)]

mod bounds;
mod center;
mod executor;
mod follow;
mod messages;
mod overlaps;
mod plugin;
mod refused;
mod space;
mod tracked;

pub use bounds::Bounds;
pub use center::Center;
pub use executor::BevyTasks;
pub use messages::{OverlapBegan, OverlapEnded};
pub use overlaps::Overlaps;
pub use plugin::{BroadphasePlugin, BroadphaseSystems};
pub use refused::{Reason, Refused};
pub use space::Space;
pub use tracked::Tracked;
