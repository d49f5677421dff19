//! What makes a pair with a proxy.

use std::ops::ControlFlow;

use throng_core::Aabb;

use crate::broadphase::Broadphase;
use crate::error::{ProxyError, QueryError};
use crate::query::queries::{Queries, QueryHit, keep_in};
use crate::world::category::Category;
use crate::world::ids::ProxyId;
use crate::world::masks::Masks;

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
        let asker = Asker::new(self.world, id)?;
        self.in_each(|category, structure| {
            if !(asker.is_enabled && self.world.meets(asker.category.id, category.id)) {
                return Ok(ControlFlow::Continue(()));
            }
            Ok(structure.query_aabb(&asker.aabb, |found| {
                let hit = self.resolve_if(category, &found, |hit| asker.may_pair_with(hit));
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

/// The proxy whose partners are asked for.
struct Asker<'w> {
    world: &'w Broadphase,
    id: ProxyId,
    category: &'w Category,
    aabb: Aabb,
    masks: Masks,
    owner: u64,
    is_enabled: bool,
    /// Whether it is in an excluded pair.
    is_excluded: bool,
}

impl<'w> Asker<'w> {
    fn new(world: &'w Broadphase, id: ProxyId) -> Result<Self, ProxyError> {
        let slot = world.slot(id)?;
        let (category, row) = (&world.categories[slot.category_index()], slot.row_index());
        Ok(Self {
            world,
            id,
            category,
            aabb: category.aabb(row, category.bound),
            masks: category.columns.masks(row),
            owner: category.columns.owners.get(row),
            is_enabled: category.is_enabled(row),
            is_excluded: world.exclusions.has(id.index()),
        })
    }

    /// Whether it makes a pair with another one whose box overlaps its own.
    fn may_pair_with(&self, other: &QueryHit) -> bool {
        let columns = &self.world.categories[other.category.index()].columns;
        let row = other.row as usize;
        let are_owned_alike = self.owner != 0 && columns.owners.get(row) == self.owner;
        let are_excluded = self.is_excluded
            && self
                .world
                .exclusions
                .contains(self.id.index(), other.id.index());
        other.id != self.id
            && self.world.meets(self.category.id, other.category)
            && columns.masks(row).meets(self.masks)
            && !(are_owned_alike || are_excluded)
    }
}
