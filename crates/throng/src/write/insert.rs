//! Inserts one proxy.

use crate::broadphase::Broadphase;
use crate::error::{InsertError, PlacementError};
use crate::world::category::{Attributes, is_finite};
use crate::world::ids::{CategoryId, Origin, ProxyId, ProxySlot};
use crate::world::proxy::{Extent, Proxy};
use crate::world::routing::{Routed, place_in};
use crate::world::rows::Inserted;

impl Broadphase {
    /// Inserts a proxy in a new last row of the category it names, or of the smallest one that holds it.
    ///
    /// Pairs and queries include it from the next step or refresh on. O(c) for c categories. For arrays that mirror rows,
    /// [`insert_row`](Self::insert_row) says which category and row it got.
    ///
    /// # Errors
    ///
    /// [`InsertError`] if it fits nowhere, or not in the category it names; if its velocity is not finite, or if it is scenery and has one
    /// that is not 0.
    pub fn insert(&mut self, proxy: Proxy) -> Result<ProxyId, InsertError> {
        Ok(self.insert_row(proxy)?.id)
    }

    /// [`insert`](Self::insert), and says what that did to the rows, as [`remove`](Self::remove) does.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let config = BroadphaseConfig::new()
    ///     .category(CategoryConfig::uniform("orcs", 1.0))
    ///     .category(CategoryConfig::uniform("trolls", 3.0));
    /// let mut world = Broadphase::new(config)?;
    /// let mut names = [vec![], vec![]]; // the engine's own arrays, one per category
    /// for (name, size) in [("Ugluk", 1.0), ("Bert", 2.5), ("Azog", 0.9)] {
    ///     let new = world.insert_row(Proxy::centered([0.0, 0.0], [size, size])?)?;
    ///     let names = &mut names[new.category.index()];
    ///     assert_eq!(new.row as usize, names.len());
    ///     names.push(name);
    /// }
    /// assert_eq!(names, [vec!["Ugluk", "Azog"], vec!["Bert"]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn insert_row(&mut self, proxy: Proxy) -> Result<Inserted, InsertError> {
        let named = proxy.category.map(|id| self.known(id)).transpose()?;
        let (placement, origin) = self.place_anew(&proxy.extent, named, proxy.fixed)?;
        let category = &mut self.categories[usize::from(placement.category)];
        let name = || {
            self.config.categories[usize::from(placement.category)]
                .name
                .clone()
        };
        let given = proxy.velocity;
        if !is_finite(given) {
            return Err(InsertError::VelocityNotFinite { given });
        }
        if given != [0.0; 2] && category.structure.is_scenery() {
            let category = name();
            return Err(InsertError::NeverMoves { category, given });
        }
        let row = category.len();
        if !category.has_room() {
            return Err(InsertError::Full {
                category: name(),
                rows: row,
            });
        }
        let handle =
            self.pool
                .try_insert(ProxySlot::new(placement.category, row as u32, origin))?;
        let attributes = Attributes {
            key: proxy.key,
            masks: proxy.masks,
            owner: proxy.owner,
            velocity: proxy.velocity,
            enabled: proxy.enabled,
            ..Attributes::default()
        };
        let row = category.push(handle, &placement.extent, &attributes);
        self.note_changed(usize::from(placement.category));
        Ok(Inserted {
            id: ProxyId(handle),
            category: CategoryId::new(placement.category),
            row,
        })
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
