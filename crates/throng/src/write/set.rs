//! Changes to one proxy: its center, box, category, masks, owner and key, and whether it is enabled.

use throng_core::{Aabb, AabbError};

use crate::broadphase::Broadphase;
use crate::error::{PlacementError, ProxyError};
use crate::world::category::is_finite;
use crate::world::ids::{CategoryId, Origin, ProxyId, ProxySlot};
use crate::world::masks::Masks;
use crate::world::proxy::Extent;
use crate::world::routing::{Routed, place_in};
use crate::world::rows::{Migration, Placement, RowRef};

impl Broadphase {
    /// Moves a proxy. O(1), and the cheapest way to move one: no row or category changes. Scenery can be moved too,
    /// which costs some microseconds more in the next step.
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`]; or [`ProxyError::NotFinite`], and then the proxy stays where it
    /// was.
    #[inline]
    pub fn set_center(
        &mut self,
        id: ProxyId,
        center: impl Into<[f32; 2]>,
    ) -> Result<(), ProxyError> {
        let (slot, center) = (self.slot(id)?, center.into());
        if !is_finite(center) {
            return Err(ProxyError::NotFinite { id, given: center });
        }
        let category = &mut self.categories[slot.category_index()];
        category.write_center(slot.row_index(), center);
        if category.structure.is_scenery() {
            self.events.forget_index();
        }
        Ok(())
    }

    /// Moves and resizes a proxy, and says what that did to the rows.
    ///
    /// A proxy that was routed by size migrates when it outgrows its category's bound, and back only when it has become
    /// clearly smaller ([`migrate_back`](crate::BroadphaseConfig::migrate_back)). A coarse category stores only the
    /// center. O(c) for c categories.
    ///
    /// # Errors
    ///
    /// [`ProxyError`] if it was removed, or if the box fits nowhere or not in the category that was named for it; the
    /// proxy is unchanged.
    pub fn set_aabb(&mut self, id: ProxyId, aabb: Aabb) -> Result<Placement, ProxyError> {
        self.set_extent(id, &Extent::of(aabb))
    }

    /// Moves and resizes a proxy, whose box may be given in any way.
    #[inline]
    pub(super) fn set_extent(
        &mut self,
        id: ProxyId,
        extent: &Extent,
    ) -> Result<Placement, ProxyError> {
        let slot = self.slot(id)?;
        let category = &mut self.categories[slot.category_index()];
        if !category.structure.is_scenery()
            && let staying = self.router.staying_in(slot.category().raw())
            && let Some(fitted) = staying.fit(extent, || slot.origin == Origin::Named)
        {
            category.write_box(slot.row_index(), fitted);
            category.note_written(slot.row_index());
            return Ok(Placement::Stayed);
        }
        self.place(id, &slot, extent)
    }

    /// The same with what may be no box.
    pub(super) fn set_given(
        &mut self,
        id: ProxyId,
        extent: Result<Extent, AabbError>,
    ) -> Result<Placement, ProxyError> {
        match extent {
            Ok(extent) => self.set_extent(id, &extent),
            Err(problem) => Err(ProxyError::BadAabb { id, problem }),
        }
    }

    /// The same, if it may move to another category.
    fn place(
        &mut self,
        id: ProxyId,
        slot: &ProxySlot,
        extent: &Extent,
    ) -> Result<Placement, ProxyError> {
        let placement = self
            .place_again(slot, extent)
            .map_err(|problem| ProxyError::Placement { id, problem })?;
        if usize::from(placement.category) == slot.category_index() {
            let category = &mut self.categories[slot.category_index()];
            category.write_extent(slot.row, &placement.extent);
            if category.structure.is_scenery() {
                self.events.forget_index();
            }
            return Ok(Placement::Stayed);
        }
        self.try_migrate(id, slot, &placement)
    }

    /// Moves a proxy to the given category, where it then stays, as if it had been inserted there by name; or for
    /// `None` to the smallest one that holds it, from where it migrates by size. Says what that did to the rows.
    ///
    /// Everything stored about the proxy goes with it, but for a velocity into scenery, which has none. A coarse category stores no sizes, so a proxy that leaves it
    /// counts as large as the largest inserted there since it was last empty: follow with [`set_aabb`](Self::set_aabb)
    /// if that is too large. A fixed proxy stays scenery unless a category that moves is given. O(c) for c categories.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let config = BroadphaseConfig::new()
    ///     .category(CategoryConfig::uniform("orcs", 1.0))
    ///     .category(CategoryConfig::oversized("trolls"));
    /// let mut world = Broadphase::new(config)?;
    /// let [orcs, trolls] = ["orcs", "trolls"].map(|name| world.category(name).expect("it is in the config"));
    /// let ugluk = world.insert(Proxy::centered([0.0, 0.0], [1.0, 1.0])?.in_category(orcs))?;
    /// let grown = Aabb::from_center([0.0, 0.0], [2.0, 2.0])?;
    /// assert!(world.set_aabb(ugluk, grown).is_err(), "it was put there to stay");
    /// world.set_category(ugluk, Some(trolls))?;
    /// world.set_aabb(ugluk, grown)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ProxyError`] if it was removed, if there is no such category, or if it does not fit there; the proxy is
    /// unchanged.
    pub fn set_category(
        &mut self,
        id: ProxyId,
        category: Option<CategoryId>,
    ) -> Result<Placement, ProxyError> {
        let mut slot = self.slot(id)?;
        let extent = self.extent_of(&slot);
        let is_fixed = self.categories[slot.category_index()]
            .structure
            .is_scenery();
        let named = category.map(|id| self.known(id)).transpose()?;
        let (placement, origin) = self
            .place_anew(&extent, named, is_fixed)
            .map_err(|problem| ProxyError::Placement { id, problem })?;
        slot.origin = origin;
        if usize::from(placement.category) == slot.category_index() {
            if let Some(entry) = self.pool.get_mut(id.0) {
                *entry = slot;
            }
            return Ok(Placement::Stayed);
        }
        self.try_migrate(id, &slot, &placement)
    }

    /// Moves a proxy to another category, if there is room.
    fn try_migrate(
        &mut self,
        id: ProxyId,
        slot: &ProxySlot,
        placement: &Routed,
    ) -> Result<Placement, ProxyError> {
        let category = &self.categories[usize::from(placement.category)];
        if !category.has_room() {
            let (category, rows) = (
                self.config.categories[usize::from(placement.category)]
                    .name
                    .clone(),
                category.len(),
            );
            return Err(ProxyError::Full { id, category, rows });
        }
        Ok(Placement::Migrated(self.migrate(id, slot, placement)))
    }

    fn place_again(&self, slot: &ProxySlot, extent: &Extent) -> Result<Routed, PlacementError> {
        let current = slot.category().raw();
        match slot.origin {
            Origin::Routed => self.router.reroute(extent, current, &self.config),
            Origin::Named => place_in(extent, current, &self.config),
        }
    }

    fn migrate(&mut self, id: ProxyId, slot: &ProxySlot, placement: &Routed) -> Migration {
        let old = &mut self.categories[slot.category_index()];
        let row = slot.row_index();
        let mut attributes = old.attributes(row);
        // Whoever goes to another place as well was not told to rest there.
        attributes.told_to_rest &= old.columns.center(row) == placement.extent.center;
        let swapped_in = old.take_out(slot.row, id, &mut self.pool);
        let new = &mut self.categories[usize::from(placement.category)];
        let new_row = new.push(id.0, &placement.extent, &attributes);
        if new.structure.is_scenery() {
            // It may have left it since the last step, and lost its pairs with those that rest, and be where it was.
            new.wake(new_row as usize);
        }
        if let Some(entry) = self.pool.get_mut(id.0) {
            *entry = ProxySlot::new(placement.category, new_row, slot.origin);
        }
        self.note_changed(slot.category_index());
        self.note_changed(usize::from(placement.category));
        Migration {
            id,
            from: RowRef {
                category: slot.category(),
                row: slot.row,
            },
            swapped_in,
            to: RowRef {
                category: CategoryId::new(placement.category),
                row: new_row,
            },
        }
    }

    /// Excludes a proxy from pairs and queries, or includes it again, without moving its row.
    ///
    /// Queries stop finding a disabled proxy at once, and find an enabled one from the next step or refresh on. O(1).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    #[doc(alias("disable", "enable"))]
    pub fn set_enabled(&mut self, id: ProxyId, enabled: bool) -> Result<(), ProxyError> {
        let slot = self.slot(id)?;
        let category = &mut self.categories[slot.category_index()];
        if category.is_enabled(slot.row_index()) != enabled {
            if category.structure.is_scenery() {
                category.note_then(slot.row_index());
            }
            category.wake_unless_scenery(slot.row_index());
            category.note_change(slot.row_index());
            category.set_enabled(slot.row_index(), enabled);
            self.note_changed(slot.category_index());
        }
        Ok(())
    }

    /// Whether a proxy takes part in pairs and queries. O(1).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn is_enabled(&self, id: ProxyId) -> Result<bool, ProxyError> {
        let slot = self.slot(id)?;
        Ok(self.categories[slot.category_index()].is_enabled(slot.row_index()))
    }

    /// Sets which proxies a proxy may pair with. O(1); O(rows) for the first masks of the category that are not
    /// [`Masks::ALL`]. If nobody had these masks before, the next step looks at each kind of masks again.
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn set_masks(&mut self, id: ProxyId, masks: Masks) -> Result<(), ProxyError> {
        let slot = self.slot(id)?;
        let category = &mut self.categories[slot.category_index()];
        if category.columns.masks(slot.row_index()) != masks {
            category.note_then(slot.row_index());
            category.wake(slot.row_index());
            // Trees of scenery say nothing of masks.
            if !category.structure.is_scenery() {
                category.note_change(slot.row_index());
            }
            category.columns.write_masks(slot.row_index(), masks);
            self.note_changed(slot.category_index());
        }
        Ok(())
    }

    /// Sets the owner of a proxy: see [`Proxy::owner`](crate::Proxy::owner). 0 for nobody. O(1); O(rows) for the first
    /// owner in the category.
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn set_owner(&mut self, id: ProxyId, owner: u64) -> Result<(), ProxyError> {
        let slot = self.slot(id)?;
        let category = &mut self.categories[slot.category_index()];
        if category.columns.owners.get(slot.row_index()) != owner {
            category.note_then(slot.row_index());
            category.wake(slot.row_index());
            category.columns.write_owner(slot.row_index(), owner);
            self.events.forget_index();
        }
        Ok(())
    }

    /// Sets the engine's own name for a proxy. O(1); O(rows) for the first key of the category that is not 0.
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn set_key(&mut self, id: ProxyId, key: u64) -> Result<(), ProxyError> {
        let slot = self.slot(id)?;
        self.categories[slot.category_index()]
            .columns
            .write_key(slot.row_index(), key);
        Ok(())
    }
}
