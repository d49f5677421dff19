//! Many proxies at a time: the good ones go through, and each bad one is reported.

use throng_core::Columns;

use crate::broadphase::Broadphase;
use crate::error::{InsertError, ProxyError, RefusedCenters, ReserveError};
use crate::world::category::MAX_ROWS;
use crate::world::ids::{CategoryId, ProxyId};
use crate::world::proxy::Proxy;
use crate::world::rows::Removed;

/// The result of a batch of inserts.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BatchInsert {
    /// One entry per proxy, in the given order; `None` if it was refused.
    pub ids: Vec<Option<ProxyId>>,
    /// The refused ones: the index in the given order, from 0, and why.
    pub refused: Vec<(usize, InsertError)>,
}

/// The result of a batch of removals.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BatchRemove {
    /// What each removal did to the rows, in the order in which they were done; apply them one after the other.
    pub removed: Vec<Removed>,
    /// The refused ones: the index in the given order, from 0, and why.
    pub refused: Vec<(usize, ProxyError)>,
}

impl Broadphase {
    /// Makes room for `additional` more proxies in a category. If it is empty, for exactly that many, while growth
    /// alone may leave half of the memory unused.
    ///
    /// # Errors
    ///
    /// [`ReserveError`] if there is not enough memory, or there would be more than [`MAX_ROWS`], the most that a category
    /// holds.
    pub fn reserve(&mut self, category: CategoryId, additional: usize) -> Result<(), ReserveError> {
        let index = self.known(category)?.index();
        let rows = self.categories[index].len();
        let name = || self.config.categories[index].name.clone();
        if additional > MAX_ROWS - rows {
            return Err(ReserveError::TooMany {
                category: name(),
                rows,
                additional,
            });
        }
        let vacant = self.pool.slots_len() as usize - self.pool.len();
        let columns = &mut self.categories[index].columns;
        columns
            .try_reserve_rows(additional)
            .and_then(|()| self.pool.try_reserve(additional.saturating_sub(vacant)))
            .map_err(|problem| ReserveError::Memory {
                category: name(),
                additional,
                problem,
            })
    }

    /// [`insert`](Self::insert)s each proxy, in order. One that is refused does not stop the others.
    ///
    /// In a world with one category it first [`reserve`](Self::reserve)s what the iterator's size hint says, if there
    /// is memory for that many.
    pub fn insert_batch(&mut self, proxies: impl IntoIterator<Item = Proxy>) -> BatchInsert {
        let proxies = proxies.into_iter();
        let expected = proxies.size_hint().0.min(MAX_ROWS);
        if self.categories.len() == 1 {
            // A hint may promise more than comes.
            let _ = self.reserve(CategoryId::new(0), expected);
        }
        let mut batch = BatchInsert::default();
        let _ = batch.ids.try_reserve(expected);
        for (position, proxy) in proxies.enumerate() {
            let inserted = self.insert(proxy);
            batch.ids.push(inserted.as_ref().ok().copied());
            batch
                .refused
                .extend(inserted.err().map(|error| (position, error)));
        }
        batch
    }

    /// Calls [`set_center`](Self::set_center) for each proxy, in order. One that is refused does not stop the others.
    ///
    /// To move everything in a category, [`centers_mut`](Self::centers_mut) is several times faster.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, ProxyError};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("bees", 0.1)))?;
    /// let bee = Proxy::centered([0.0, 0.0], [0.1, 0.1])?;
    /// let [maya, willi] = [world.insert(bee)?, world.insert(bee)?];
    /// world.set_centers([(maya, [1.0, 2.0]), (willi, [3.0, 4.0])])?;
    ///
    /// world.remove(willi)?;
    /// let refused = world.set_centers([(willi, [5.0, 6.0]), (maya, [7.0, 8.0])]).unwrap_err();
    /// assert_eq!(refused.refused, [(0, ProxyError::Stale { id: willi })]);
    /// assert_eq!(world.get(maya).unwrap().center, [7.0, 8.0], "which was good");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RefusedCenters`] lists those that were refused; all others are set.
    pub fn set_centers<P: Into<[f32; 2]>>(
        &mut self,
        centers: impl IntoIterator<Item = (ProxyId, P)>,
    ) -> Result<(), RefusedCenters> {
        let (mut given, mut refused) = (0, Vec::new());
        for (position, (id, center)) in centers.into_iter().enumerate() {
            given = position + 1;
            if let Err(error) = self.set_center(id, center) {
                refused.push((position, error));
            }
        }
        if refused.is_empty() {
            return Ok(());
        }
        let set = given - refused.len();
        Err(RefusedCenters { set, refused })
    }

    /// [`remove`](Self::remove)s each proxy, in order. One that is refused does not stop the others.
    pub fn remove_batch(&mut self, ids: impl IntoIterator<Item = ProxyId>) -> BatchRemove {
        let mut batch = BatchRemove::default();
        for (position, id) in ids.into_iter().enumerate() {
            match self.remove(id) {
                Ok(removed) => batch.removed.push(removed),
                Err(error) => batch.refused.push((position, error)),
            }
        }
        batch
    }
}
