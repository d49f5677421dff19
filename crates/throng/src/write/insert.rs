//! One proxy comes in.

use crate::broadphase::Broadphase;
use crate::error::{InsertError, Misfit};
use crate::world::ids::{CategoryId, Origin, ProxyId, ProxySlot};
use crate::world::proxy::{Extent, Proxy};
use crate::world::routing::{Place, place_in};

impl Broadphase {
    /// Takes a proxy in, in a new last row of the category it names, or of the smallest one that
    /// holds it.
    ///
    /// Seen by pairs and queries from the next step or refresh on. O(c) in the number of
    /// categories.
    ///
    /// # Errors
    ///
    /// [`InsertError`] if it fits nowhere, or not where it was to go.
    pub fn insert(&mut self, proxy: Proxy) -> Result<ProxyId, InsertError> {
        let named = proxy.category.map(|id| self.known(id)).transpose()?;
        let (place, origin) = self.place_anew(&proxy.extent, named, proxy.fixed)?;
        let category = &mut self.categories[usize::from(place.category)];
        let row = category.len();
        if !category.has_room() {
            let category = self.config.categories[usize::from(place.category)]
                .name
                .clone();
            return Err(InsertError::Full {
                category,
                rows: row,
            });
        }
        let handle = self
            .pool
            .try_insert(ProxySlot::new(place.category, row as u32, origin))?;
        category.push(
            handle.index(),
            &place,
            proxy.key,
            proxy.masks,
            proxy.enabled,
        );
        self.is_index_stale = true;
        Ok(ProxyId(handle))
    }

    /// The category that is named, which is known, or else the smallest one that holds the box.
    pub(crate) fn place_anew(
        &self,
        extent: &Extent,
        named: Option<CategoryId>,
        fixed: bool,
    ) -> Result<(Place, Origin), Misfit> {
        Ok(match named {
            Some(named) => (place_in(extent, named.raw(), &self.config)?, Origin::Named),
            None => (
                self.router.route(extent, fixed, &self.config)?,
                Origin::Routed,
            ),
        })
    }
}
