//! The broadphase as a resource.

use std::ops::Deref;

use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use throng::{
    Broadphase, BroadphaseConfig, Narrowphase, ProxyError, ProxyId, ReconfigureError, Reconfigured,
    Step,
};

/// The broadphase: read and query it through [`Deref`]; the plugin writes it.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_throng::Space;
/// use throng::QueryHit;
///
/// #[derive(Resource, Default)]
/// struct Selection {
///     hits: Vec<QueryHit>,
///     entities: Vec<Entity>,
/// }
///
/// fn select(space: Res<Space>, mut selection: ResMut<Selection>) -> Result {
///     let Selection { hits, entities } = &mut *selection;
///     space.query().find_in_circle([10.0, 5.0], 3.0, hits)?;
///     entities.clear();
///     entities.extend(hits.iter().filter_map(|hit| space.entity(hit.id)));
///     Ok(())
/// }
/// ```
#[derive(Resource, Debug)]
pub struct Space {
    pub(crate) broadphase: Broadphase,
}

impl Space {
    /// The entity that a proxy stands for, or `None` if it is gone. O(1).
    pub fn entity(&self, proxy: ProxyId) -> Option<Entity> {
        let view = self.broadphase.get(proxy)?;
        Entity::try_from_bits(view.key)
    }

    /// Finds all pairs, and passes them to a narrowphase: on the threads of bevy's compute pool, or on the calling one alone if steps
    /// are too short for others to be worth waking.
    ///
    /// The plugin does this in [`BroadphaseSystems::Find`](crate::BroadphaseSystems::Find) to fill
    /// [`Overlaps`](crate::Overlaps). A game with its own narrowphase [turns that
    /// off](crate::BroadphasePlugin::without_overlaps), and adds a system there:
    ///
    /// ```
    /// use bevy_app::prelude::*;
    /// use bevy_ecs::prelude::*;
    /// use bevy_throng::{Bounds, BroadphasePlugin, BroadphaseSystems, Center, Space};
    /// use throng::{BroadphaseConfig, CategoryConfig, Narrowphase, PairBatch};
    ///
    /// /// Tests circles; many threads read the query at once.
    /// struct Touching<'a>(&'a Query<'a, 'a, (&'static Center, &'static Bounds)>);
    ///
    /// impl Narrowphase for Touching<'_> {
    ///     type Scratch = ();
    ///     type Output = Vec<[Entity; 2]>;
    ///
    ///     fn collide(&self, batch: PairBatch<'_>, _: &mut (), touching: &mut Vec<[Entity; 2]>) {
    ///         for &rows in batch.pairs() {
    ///             let pair = batch.keys(rows).map(Entity::from_bits);
    ///             if let Ok([(a, bounds_a), (b, bounds_b)]) = self.0.get_many(pair) {
    ///                 let reach = bounds_a.half_extents[0] + bounds_b.half_extents[0];
    ///                 if (a.0[0] - b.0[0]).hypot(a.0[1] - b.0[1]) <= reach {
    ///                     touching.push(pair);
    ///                 }
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// #[derive(Resource, Default)]
    /// struct Contacts(Vec<[Entity; 2]>);
    ///
    /// fn touch(
    ///     mut space: ResMut<Space>,
    ///     circles: Query<(&'static Center, &'static Bounds)>,
    ///     mut contacts: ResMut<Contacts>,
    /// ) {
    ///     let step = space.step(&Touching(&circles));
    ///     contacts.0.clear();
    ///     contacts.0.extend(step.outputs().flatten());
    /// }
    ///
    /// let mut app = App::new();
    /// let config = BroadphaseConfig::new().category(CategoryConfig::uniform("balls", 1.0));
    /// app.init_resource::<Contacts>()
    ///     .add_plugins(BroadphasePlugin::new(config)?.without_overlaps())
    ///     .add_systems(PostUpdate, touch.in_set(BroadphaseSystems::Find));
    /// app.world_mut().spawn((Center([0.0, 0.0]), Bounds::circle(1.0)));
    /// app.world_mut().spawn((Center([1.5, 1.5]), Bounds::circle(1.0)));
    /// let near = app.world_mut().spawn((Center([-1.5, 0.0]), Bounds::circle(1.0))).id();
    /// app.update();
    /// let contacts = &app.world().resource::<Contacts>().0;
    /// assert!(contacts.len() == 1 && contacts[0].contains(&near));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step<N: Narrowphase>(&mut self, narrowphase: &N) -> Step<'_, N::Output> {
        self.broadphase.step(narrowphase)
    }

    /// Updates the indices to where everything is now, without finding pairs, for queries before the next step.
    pub fn refresh(&mut self) {
        self.broadphase.refresh();
    }

    /// Pairs of two that rest, as of the last step, which are not in [`Overlaps`](crate::Overlaps). In no particular order; see
    /// [`Broadphase::resting_pairs`].
    pub fn resting_overlaps(&self) -> impl Iterator<Item = [Entity; 2]> {
        let pairs = self.broadphase.resting_pairs().iter();
        pairs.filter_map(|pair| {
            let [a, b] = pair.ids.map(|id| self.entity(id));
            Some([a?, b?])
        })
    }

    /// Puts what stands for an entity to rest, or wakes it; see [`Broadphase::set_resting`]. The proxy is in the entity's
    /// [`Tracked`](crate::Tracked).
    ///
    /// # Errors
    ///
    /// [`ProxyError`]; everything is as before.
    pub fn set_resting(&mut self, proxy: ProxyId, resting: bool) -> Result<(), ProxyError> {
        self.broadphase.set_resting(proxy, resting)
    }

    /// Changes the config; see [`Broadphase::reconfigure`].
    ///
    /// # Errors
    ///
    /// [`ReconfigureError`]; everything is as before.
    pub fn reconfigure(
        &mut self,
        config: BroadphaseConfig,
    ) -> Result<Reconfigured, ReconfigureError> {
        self.broadphase.reconfigure(config)
    }

    pub(crate) fn forget(&mut self, proxy: ProxyId) {
        let removed = self.broadphase.remove(proxy);
        debug_assert!(removed.is_ok(), "a proxy is removed once: {removed:?}");
    }
}

impl Deref for Space {
    type Target = Broadphase;

    fn deref(&self) -> &Broadphase {
        &self.broadphase
    }
}
