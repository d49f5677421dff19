//! Excludes pairs of proxies: the two sides of a joint, riders and what they ride.

use crate::broadphase::Broadphase;
use crate::error::ProxyError;
use crate::world::ids::ProxyId;

impl Broadphase {
    /// Makes two proxies never meet: no step reports them as a pair any more, wherever they are. For the two sides of a
    /// joint, a rider and the horse, a door and its frame. Returns whether that changes anything; it does not if they
    /// are already excluded, or are one and the same.
    ///
    /// The pair follows both through migration and sorting, and is forgotten when either is removed. For many that must
    /// not meet each other, an [owner](crate::Proxy::owner) or [masks](crate::Masks) are cheaper: here a search compares
    /// the partners of one row of a pair with the other, and looks up some of those of which both have more than four.
    ///
    /// Applies to the pairs of a step, and to [`find_partners`](crate::Queries::find_partners); not to other queries, nor to
    /// [`Proximity`](crate::Proximity). O(k) for k excluded pairs that either is in; O(rows) for the first one in a category.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("all", 1.0)))?;
    /// let [horse, rider, foe] = [0.0, 0.1, 1.0].map(|x| world.insert(Proxy::centered([x, 0.0], [1.0, 1.0]).unwrap()).unwrap());
    /// world.exclude_pair(rider, horse)?;
    /// assert_eq!(world.step_pairs().report().pairs, 2, "both meet the foe");
    /// world.include_pair(horse, rider)?; // they dismount
    /// assert_eq!(world.step_pairs().report().pairs, 3);
    /// # let _ = foe;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    #[doc(alias = "ignore_collision")]
    #[doc(alias = "add_collision_exception_with")]
    #[doc(alias = "joint")]
    pub fn exclude_pair(&mut self, a: ProxyId, b: ProxyId) -> Result<bool, ProxyError> {
        let _ = (self.slot(a)?, self.slot(b)?);
        let [a, b] = [a.0.index(), b.0.index()];
        if a == b || !self.exclusions.insert(a, b) {
            return Ok(false);
        }
        self.note_partners(a);
        self.note_partners(b);
        self.wake([a, b]);
        Ok(true)
    }

    /// Lets two proxies meet again, as far as their masks and everything else allow. Returns whether they were
    /// [excluded](Self::exclude_pair). O(k).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn include_pair(&mut self, a: ProxyId, b: ProxyId) -> Result<bool, ProxyError> {
        let _ = (self.slot(a)?, self.slot(b)?);
        let [a, b] = [a.0.index(), b.0.index()];
        let was_excluded = self.exclusions.remove(a, b);
        if was_excluded {
            self.note_partners(a);
            self.note_partners(b);
            self.wake([a, b]);
        }
        Ok(was_excluded)
    }

    /// What they may meet has changed. Nobody but the other one meets scenery otherwise than before.
    fn wake(&mut self, slots: [u32; 2]) {
        for place in slots
            .map(|slot| self.pool.get_at(slot))
            .into_iter()
            .flatten()
        {
            self.categories[place.category_index()].wake_unless_scenery(place.row_index());
        }
    }

    /// Whether two proxies are an [excluded](Self::exclude_pair) pair. O(log k).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn is_pair_excluded(&self, a: ProxyId, b: ProxyId) -> Result<bool, ProxyError> {
        let _ = (self.slot(a)?, self.slot(b)?);
        Ok(self.exclusions.contains(a.0.index(), b.0.index()))
    }

    /// The proxies that are in an [excluded](Self::exclude_pair) pair with this one, ascending by [`ProxyId::index`]: what its joints
    /// hold on to. O(k).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("all", 1.0)))?;
    /// let chain = [0.0, 1.0, 2.0].map(|x| world.insert(Proxy::centered([x, 0.0], [1.0, 1.0]).unwrap()).unwrap());
    /// for link in chain.windows(2) {
    ///     world.exclude_pair(link[0], link[1])?;
    /// }
    /// assert!(world.excluded_partners(chain[1])?.eq([chain[0], chain[2]]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn excluded_partners(
        &self,
        id: ProxyId,
    ) -> Result<impl ExactSizeIterator<Item = ProxyId> + use<'_>, ProxyError> {
        let _ = self.slot(id)?;
        let partners = self.exclusions.partners(id.0.index()).iter();
        Ok(partners.map(|&slot| self.id_at(slot)))
    }

    /// All [excluded](Self::exclude_pair) pairs, to be saved: each once, with the lower [`ProxyId::index`] first, ascending.
    /// O(pairs · log pairs).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("all", 1.0)))?;
    /// let [horse, rider] = [7, 8].map(|key| {
    ///     let proxy = Proxy::centered([0.0, 0.0], [1.0, 1.0]).unwrap();
    ///     world.insert(proxy.key(key)).unwrap()
    /// });
    /// world.exclude_pair(rider, horse)?;
    /// let keys: Vec<_> = world.excluded_pairs().map(|pair| pair.map(|id| world.key(id).unwrap())).collect();
    /// assert_eq!(keys, [[7, 8]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn excluded_pairs(&self) -> impl ExactSizeIterator<Item = [ProxyId; 2]> + use<'_> {
        let pairs = self.exclusions.pairs();
        pairs
            .into_iter()
            .map(|pair| pair.map(|slot| self.id_at(slot)))
    }

    /// The proxy in a slot of an excluded pair.
    fn id_at(&self, slot: u32) -> ProxyId {
        let handle = self.pool.handle_at(slot);
        ProxyId(handle.expect("who is in an excluded pair lives"))
    }

    /// Forgets all excluded pairs that a living proxy is in. O(1) if there are none.
    pub(crate) fn include_all(&mut self, id: ProxyId) {
        let slot = id.0.index();
        while let Some(&partner) = self.exclusions.partners(slot).last() {
            self.exclusions.remove(slot, partner);
            self.note_partners(partner);
        }
        self.note_partners(slot);
    }

    /// Notes in the row of a proxy with whom it is in excluded pairs.
    fn note_partners(&mut self, slot: u32) {
        if let Some(&place) = self.pool.get_at(slot) {
            let category = &mut self.categories[place.category_index()];
            category.note_then(place.row_index());
            let columns = &mut category.columns;
            columns.write_excluded(place.row_index(), self.exclusions.noted(slot));
            self.events.forget_index();
        }
    }
}
