//! What is set of one proxy: its centre, box, category, masks and key, and whether it takes part.

use throng_core::{Aabb, Masks};

use crate::broadphase::Broadphase;
use crate::error::{Misfit, ProxyError};
use crate::world::category::is_finite;
use crate::world::ids::{CategoryId, Origin, ProxyId, ProxySlot};
use crate::world::proxy::Extent;
use crate::world::routing::{Place, place_in};
use crate::world::rows::{AabbChange, Migration, RowRef};

impl Broadphase {
    /// Moves a proxy. O(1), and the cheapest way to move one: no row and no category changes. Scenery can be moved
    /// too, but then all of its category is packed anew before the next step.
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`]; [`ProxyError::NotFinite`], and the proxy stays where it was.
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
        self.categories[slot.category_index()].write_center(slot.row_index(), center);
        Ok(())
    }

    /// Moves and resizes a proxy, and says what that did to the rows.
    ///
    /// One that was routed by size migrates when it outgrows its category's bound, and back only
    /// when it has become clearly smaller
    /// ([`migrate_back`](crate::BroadphaseConfig::migrate_back)). A coarse category keeps the
    /// centre only. O(c) in the number of categories.
    ///
    /// # Errors
    ///
    /// [`ProxyError`] if it is gone, or if the box fits nowhere, or not in the category it was
    /// named to be in; the proxy is unchanged.
    pub fn set_aabb(&mut self, id: ProxyId, aabb: Aabb) -> Result<AabbChange, ProxyError> {
        let slot = self.slot(id)?;
        let place = self
            .place_again(&slot, &Extent::of(aabb))
            .map_err(|misfit| ProxyError::Misfit { id, misfit })?;
        if usize::from(place.category) == slot.category_index() {
            self.categories[slot.category_index()].write_place(slot.row, &place);
            return Ok(AabbChange::Stayed);
        }
        self.try_migrate(id, &slot, &place)
    }

    /// Puts a proxy into the category that is named, as if it had been inserted so, where it then stays; or for `None`
    /// into the smallest one that holds it, from where it migrates by size. Says what that did to the rows.
    ///
    /// What is stored of it goes with it. A coarse category stores no sizes, so that one that leaves it is as large as the
    /// largest that came in since it was empty: follow with [`set_aabb`](Self::set_aabb) if that is too large. What is
    /// fixed stays scenery unless a category that moves is named. O(c) in the number of categories.
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
    /// [`ProxyError`] if it is gone, if there is no such category, or if it does not fit there; the proxy is unchanged.
    pub fn set_category(
        &mut self,
        id: ProxyId,
        category: Option<CategoryId>,
    ) -> Result<AabbChange, ProxyError> {
        let mut slot = self.slot(id)?;
        let extent = self.extent_of(&slot);
        let is_fixed = self.categories[slot.category_index()]
            .structure
            .is_scenery();
        let named = category.map(|id| self.known(id)).transpose()?;
        let (place, origin) = self
            .place_anew(&extent, named, is_fixed)
            .map_err(|misfit| ProxyError::Misfit { id, misfit })?;
        slot.origin = origin;
        if usize::from(place.category) == slot.category_index() {
            if let Some(entry) = self.pool.get_mut(id.0) {
                *entry = slot;
            }
            return Ok(AabbChange::Stayed);
        }
        self.try_migrate(id, &slot, &place)
    }

    /// Moves a proxy to another category, if there is room.
    fn try_migrate(
        &mut self,
        id: ProxyId,
        slot: &ProxySlot,
        place: &Place,
    ) -> Result<AabbChange, ProxyError> {
        let category = &self.categories[usize::from(place.category)];
        if !category.has_room() {
            let (category, rows) = (
                self.config.categories[usize::from(place.category)]
                    .name
                    .clone(),
                category.len(),
            );
            return Err(ProxyError::Full { id, category, rows });
        }
        Ok(AabbChange::Migrated(self.migrate(id, slot, place)))
    }

    fn place_again(&self, slot: &ProxySlot, extent: &Extent) -> Result<Place, Misfit> {
        let current = slot.category().raw();
        match slot.origin {
            Origin::Routed => self.router.reroute(extent, current, &self.config),
            Origin::Named => place_in(extent, current, &self.config),
        }
    }

    fn migrate(&mut self, id: ProxyId, slot: &ProxySlot, place: &Place) -> Migration {
        let old = &mut self.categories[slot.category_index()];
        let row = slot.row_index();
        let (key, masks, enabled) = (
            old.columns.key(row),
            old.columns.masks(row),
            old.is_enabled(row),
        );
        let moved = old.take_out(slot.row, id, &mut self.pool);
        let new_row = self.categories[usize::from(place.category)].push(
            id.0.index(),
            place,
            key,
            masks,
            enabled,
        );
        if let Some(entry) = self.pool.get_mut(id.0) {
            *entry = ProxySlot::new(place.category, new_row, slot.origin);
        }
        self.is_index_stale = true;
        Migration {
            from: RowRef {
                category: slot.category(),
                row: slot.row,
            },
            moved,
            to: RowRef {
                category: CategoryId::new(place.category),
                row: new_row,
            },
        }
    }

    /// Takes a proxy out of pairs and queries, or back in, without touching its row.
    ///
    /// Disabling shows in queries at once, enabling at the next step or refresh. O(1).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`].
    pub fn set_enabled(&mut self, id: ProxyId, enabled: bool) -> Result<(), ProxyError> {
        let slot = self.slot(id)?;
        self.categories[slot.category_index()].set_enabled(slot.row_index(), enabled);
        self.is_index_stale = true;
        Ok(())
    }

    /// Whether a proxy takes part in pairs and queries. O(1).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`].
    pub fn is_enabled(&self, id: ProxyId) -> Result<bool, ProxyError> {
        let slot = self.slot(id)?;
        Ok(self.categories[slot.category_index()].is_enabled(slot.row_index()))
    }

    /// Says whom a proxy may pair with. O(1); O(rows) for the first masks of the category that are
    /// not [`Masks::ALL`].
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`].
    pub fn set_masks(&mut self, id: ProxyId, masks: Masks) -> Result<(), ProxyError> {
        let slot = self.slot(id)?;
        self.categories[slot.category_index()]
            .columns
            .write_masks(slot.row_index(), masks);
        self.is_index_stale = true;
        Ok(())
    }

    /// Gives a proxy the engine's own name. O(1); O(rows) for the first key of the category that is
    /// not 0.
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`].
    pub fn set_key(&mut self, id: ProxyId, key: u64) -> Result<(), ProxyError> {
        let slot = self.slot(id)?;
        self.categories[slot.category_index()]
            .columns
            .write_key(slot.row_index(), key);
        Ok(())
    }
}
