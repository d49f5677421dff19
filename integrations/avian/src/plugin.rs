//! The plugin, and the system that it adds.

use std::marker::PhantomData;
use std::time::Duration;

use avian2d::collider_tree::{
    ColliderTreeProxyFlags, ColliderTreeProxyKey, ColliderTrees, MovedProxies,
};
use avian2d::collision::CollisionDiagnostics;
use avian2d::collision::contact_types::ContactEdgeFlags;
use avian2d::dynamics::joints::joint_graph::JointGraph;
use avian2d::prelude::{
    BroadPhaseSystems, BvhBroadPhasePlugin, CollisionHooks, CollisionLayers, ContactEdge,
    ContactGraph, ContactPairFlags, PhysicsSchedule,
};
use bevy::app::{App, Plugin};
use bevy::ecs::change_detection::{Res, ResMut};
use bevy::ecs::query::{Changed, Or};
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::{Commands, Query, StaticSystemParam, SystemParamItem};
use bevy::platform::time::Instant;
use throng::Report;

use crate::candidates::{Candidate, FindCandidates};
use crate::mirror::{Mirror, Seen};

/// The broad phase of avian by throng, in the place of avian's [`BvhBroadPhasePlugin`].
///
/// With [`CollisionHooks`], both plugins need their type:
///
/// ```
/// use avian2d::prelude::*;
/// use avian_throng::ThrongBroadPhasePlugin;
/// use bevy::ecs::system::SystemParam;
/// use bevy::prelude::*;
///
/// #[derive(SystemParam)]
/// struct Ghosts<'w, 's> {
///     ghosts: Query<'w, 's, (), With<Ghost>>,
/// }
///
/// #[derive(Component)]
/// struct Ghost;
///
/// impl CollisionHooks for Ghosts<'_, '_> {
///     fn filter_pairs(&self, a: Entity, b: Entity, _: &mut Commands) -> bool {
///         !self.ghosts.contains(a) && !self.ghosts.contains(b)
///     }
/// }
///
/// App::new().add_plugins(
///     PhysicsPlugins::default()
///         .with_collision_hooks::<Ghosts>()
///         .build()
///         .disable::<BvhBroadPhasePlugin<Ghosts>>()
///         .add(ThrongBroadPhasePlugin::<Ghosts>::default()),
/// );
/// ```
pub struct ThrongBroadPhasePlugin<H: CollisionHooks = ()>(PhantomData<H>);

impl<H: CollisionHooks> Default for ThrongBroadPhasePlugin<H> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<H: CollisionHooks + 'static> Plugin for ThrongBroadPhasePlugin<H>
where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    fn build(&self, app: &mut App) {
        app.init_resource::<ThrongBroadPhase>().add_systems(
            PhysicsSchedule,
            collect_collision_pairs::<H>.in_set(BroadPhaseSystems::CollectCollisions),
        );
    }

    fn finish(&self, app: &mut App) {
        let hooks = std::any::type_name::<H>();
        assert!(
            !app.is_plugin_added::<BvhBroadPhasePlugin<H>>(),
            "avian's own broad phase is there beside `ThrongBroadPhasePlugin`, and both would add the same contacts: \
             `PhysicsPlugins` needs `.build().disable::<BvhBroadPhasePlugin<{hooks}>>()`"
        );
    }
}

/// What throng knows of the physics world: to read how it is doing.
#[derive(Resource, Debug, Default)]
pub struct ThrongBroadPhase {
    mirror: Mirror,
    /// Kept for its memory.
    found: Vec<Candidate>,
    times: BroadPhaseTimes,
}

/// How long the parts of a broad phase took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BroadPhaseTimes {
    /// To bring throng's boxes up to date with avian's.
    pub follow: Duration,
    /// To find pairs of boxes that overlap, and to filter them.
    pub find: Duration,
    /// To ask hooks, and to tell avian.
    pub tell: Duration,
}

impl ThrongBroadPhase {
    /// Counts and times of the last step, by category.
    pub fn report(&self) -> &Report {
        self.mirror.world.report()
    }

    /// How long the last broad phase took.
    pub fn times(&self) -> BroadPhaseTimes {
        self.times
    }
}

/// Whoever was put into a tree, or given other layers. Who moved is known from avian.
type HasChanged = Or<(Changed<ColliderTreeProxyKey>, Changed<CollisionLayers>)>;

/// Adds an edge to the contact graph for each two colliders whose enlarged boxes have begun to overlap.
#[allow(clippy::too_many_arguments, reason = "each is a resource")]
fn collect_collision_pairs<H: CollisionHooks>(
    trees: Res<'_, ColliderTrees>,
    moved: Res<'_, MovedProxies>,
    changed: Query<'_, '_, &ColliderTreeProxyKey, HasChanged>,
    hooks: StaticSystemParam<'_, '_, H>,
    mut commands: Commands<'_, '_>,
    mut contacts: ResMut<'_, ContactGraph>,
    joints: Res<'_, JointGraph>,
    mut throng: ResMut<'_, ThrongBroadPhase>,
    mut diagnostics: ResMut<'_, CollisionDiagnostics>,
) where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    let started = Instant::now();
    let hooks = hooks.into_inner();
    let ThrongBroadPhase {
        mirror,
        found,
        times,
    } = &mut *throng;

    mirror.follow(&trees, &moved, changed.iter().copied());
    let followed = Instant::now();

    found.clear();
    if !mirror.is_still() {
        let finding = FindCandidates {
            trees: &trees,
            seen: &mirror.seen,
            contacts: &contacts,
            joints: &joints,
        };
        let step = mirror.world.step(&finding);
        found.extend(step.outputs().flatten());
        // The order in which avian asks: it does not depend on what throng was configured for.
        found.sort_unstable_by_key(|&[first, second]| {
            let rank = mirror.seen.get(first).and_then(Seen::rank);
            (rank, second.tree_type() as u8, second.id())
        });
    }
    let was_found = Instant::now();

    for [first, second] in found.iter().copied() {
        let [Some(a), Some(b)] = [first, second].map(|key| trees.get_proxy(key)) else {
            continue;
        };
        let flags = a.flags.union(b.flags);
        if flags.contains(ColliderTreeProxyFlags::CUSTOM_FILTER)
            && !hooks.filter_pairs(a.collider, b.collider, &mut commands)
        {
            continue;
        }
        let mut edge = ContactEdge::new(a.collider, b.collider);
        (edge.body1, edge.body2) = (a.body, b.body);
        edge.flags.set(
            ContactEdgeFlags::CONTACT_EVENTS,
            flags.contains(ColliderTreeProxyFlags::CONTACT_EVENTS),
        );
        contacts.add_edge_with(edge, |pair| {
            (pair.body1, pair.body2) = (a.body, b.body);
            pair.flags.set(
                ContactPairFlags::MODIFY_CONTACTS,
                flags.contains(ColliderTreeProxyFlags::MODIFY_CONTACTS),
            );
            let keeps_apart = !flags.intersects(
                ColliderTreeProxyFlags::BODY_DISABLED.union(ColliderTreeProxyFlags::SENSOR),
            );
            pair.flags
                .set(ContactPairFlags::GENERATE_CONSTRAINTS, keeps_apart);
        });
    }

    *times = BroadPhaseTimes {
        follow: followed - started,
        find: was_found - followed,
        tell: was_found.elapsed(),
    };
    diagnostics.broad_phase += started.elapsed();
}
