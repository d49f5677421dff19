//! What makes a pair with a proxy.

use std::ops::ControlFlow;

#[cfg(doc)]
use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::query::filter::QueryFilter;
use crate::query::queries::{Queries, QueryHit, keep_in};
use crate::world::ids::ProxyId;

impl Queries<'_> {
    /// Visits all that make a pair with a proxy: those whose boxes overlap its own, whose categories meet its
    /// category, and that are not kept apart from it by masks, owner or exclusion. Right after a step these are all its pairs:
    /// those that the narrowphase saw, [those that rest](Broadphase::resting_pairs), those with a
    /// [sensor](crate::CategoryConfig::sensor), and those that [`max_pairs`](crate::BroadphaseConfig::max_pairs) cut off.
    /// Predicted pairs are not among them. A disabled proxy has no partners.
    ///
    /// If the proxy has moved or was inserted since, its box of now is used. The others are found as by [every query](Queries):
    /// where they were, if they pass the filter. One that has gone into another category since is found only if the proxy's category
    /// meets both its old category and its new one. Costs what [`query_aabb`](Self::query_aabb) with its box costs.
    ///
    /// # Errors
    ///
    /// [`QueryError`] if the proxy was removed, if this world lacks a category of the filter, or has no
    /// [whole index](crate::StaleIndex).
    pub fn query_partners<B>(
        &self,
        id: ProxyId,
        mut visit: impl FnMut(QueryHit) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        let world = self.world;
        let asker = world.get(id).ok_or_else(|| world.not_here(id))?;
        let meets = |category| asker.enabled && world.meets(asker.category, category);
        // Masks and owner are tested as those of any filter are.
        let own_filter = QueryFilter::new().masks(asker.masks).not_of(asker.owner);
        let may_pair_with = |other: &QueryHit| {
            let category = &world.categories[other.category.index()];
            other.id != id
                && meets(other.category)
                && own_filter.passes(other.id, category, other.row as usize)
                && !world.exclusions.contains(id.index(), other.id.index())
        };
        self.in_each(|category, structure| {
            if !meets(category.id) {
                return Ok(ControlFlow::Continue(()));
            }
            Ok(structure.query_aabb(&asker.aabb, |found| {
                let hit = self.resolve_if(category, &found, may_pair_with);
                hit.map_or(ControlFlow::Continue(()), &mut visit)
            }))
        })
    }

    /// Collects what [`query_partners`](Self::query_partners) visits: what is inside a sensor, or what touches a unit.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(
    ///     BroadphaseConfig::new()
    ///         .category(CategoryConfig::uniform("units", 1.0))
    ///         .category(CategoryConfig::scenery("traps").sensor()),
    /// )?;
    /// world.insert_batch((0..3).map(|i| Proxy::centered([3.0 * i as f32, 0.0], [1.0, 1.0]).unwrap().key(i)));
    /// let trap = world.insert(Proxy::fixed(Aabb::new([0.5, -1.0], [3.5, 1.0])?))?;
    /// world.step_pairs();
    /// let mut inside = Vec::new(); // kept from frame to frame
    /// world.query().find_partners(trap, &mut inside)?;
    /// assert_eq!(inside.iter().map(|hit| hit.key).collect::<Vec<_>>(), [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] if the proxy was removed, if this world lacks a category of the filter, or has no
    /// [whole index](crate::StaleIndex).
    #[doc(alias("contact_pairs_with", "intersection_pairs_with"))]
    #[doc(alias("GetSensorData", "GetSensorOverlaps", "GetContactData"))]
    #[doc(alias("get_overlapping_bodies"))]
    pub fn find_partners(&self, id: ProxyId, hits: &mut Vec<QueryHit>) -> Result<(), QueryError> {
        hits.clear();
        self.query_partners(id, keep_in(hits)).map(drop)
    }
}
