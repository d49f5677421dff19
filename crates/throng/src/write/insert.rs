//! Inserts one proxy.

use crate::broadphase::Broadphase;
use crate::error::{InsertError, PlacementError};
use crate::world::ids::{CategoryId, Origin, ProxyId, ProxySlot};
use crate::world::proxy::{Extent, Proxy};
use crate::world::routing::{Routed, place_in};

impl Broadphase {
    /// Inserts a proxy in a new last row of the category it names, or of the smallest one that holds it.
    ///
    /// Pairs and queries include it from the next step or refresh on. O(c) for c categories.
    ///
    /// # Errors
    ///
    /// [`InsertError`] if it fits nowhere, or not in the category it names.
    pub fn insert(&mut self, proxy: Proxy) -> Result<ProxyId, InsertError> {
        let named = proxy.category.map(|id| self.known(id)).transpose()?;
        let (placement, origin) = self.place_anew(&proxy.extent, named, proxy.fixed)?;
        let category = &mut self.categories[usize::from(placement.category)];
        let row = category.len();
        if !category.has_room() {
            let category = self.config.categories[usize::from(placement.category)]
                .name
                .clone();
            return Err(InsertError::Full {
                category,
                rows: row,
            });
        }
        let handle =
            self.pool
                .try_insert(ProxySlot::new(placement.category, row as u32, origin))?;
        category.push(
            handle.index(),
            &placement,
            proxy.key,
            proxy.masks,
            proxy.enabled,
        );
        self.is_index_stale = true;
        Ok(ProxyId(handle))
    }

    /// The given category, if there is one, otherwise the smallest one that holds the box.
    pub(crate) fn place_anew(
        &self,
        extent: &Extent,
        named: Option<CategoryId>,
        fixed: bool,
    ) -> Result<(Routed, Origin), PlacementError> {
        Ok(match named {
            Some(named) => (place_in(extent, named.raw(), &self.config)?, Origin::Named),
            None => (
                self.router.route(extent, fixed, &self.config)?,
                Origin::Routed,
            ),
        })
    }
}
