//! Many proxies at a time: the good ones go through, and each bad one is reported.

use throng_core::{Aabb, AabbError, Columns};

use crate::broadphase::Broadphase;
use crate::error::{InsertError, ProxyError, RefusedCenters, ReserveError};
use crate::world::category::MAX_ROWS;
use crate::world::given_boxes::{MeasureSides, SEVERAL};
use crate::world::ids::{CategoryId, ProxyId};
use crate::world::proxy::{Extent, Proxy};
use crate::world::rows::{Migration, Removed};
use crate::write::aabbs::sort_out;

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

/// The result of a batch of boxes.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "rows may be others now, and a proxy that was refused keeps the box it had"]
#[non_exhaustive]
pub struct BatchAabbs {
    /// Those that went to another category, in the order in which they did; apply them one after the other.
    pub migrated: Vec<Migration>,
    /// The refused ones: the index in the given order, from 0, and why.
    pub refused: Vec<(usize, ProxyError)>,
}

/// More proxies than this are not all in a cache near by.
const MANY: usize = 100_000;
/// How many proxies are fetched at a time.
const FETCHED: usize = 2 * SEVERAL;

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
        let mut refused = Vec::new();
        let centers = centers.into_iter();
        let centers = centers.map(|(id, center)| (id, center.into()));
        let given = self.for_each_fetched(centers, |world, first, centers| {
            for (position, &(id, center)) in (first..).zip(centers) {
                if let Err(error) = world.set_center(id, center) {
                    refused.push((position, error));
                }
            }
        });
        if refused.is_empty() {
            return Ok(());
        }
        let set = given - refused.len();
        Err(RefusedCenters { set, refused })
    }

    /// Calls [`set_aabb`](Self::set_aabb) for each proxy, in order. One that is refused does not stop the others.
    ///
    /// For an engine that has boxes by id, as with an ECS: each an [`Aabb`], a pair `(min, max)` of corners, or a type of yours that
    /// converts to [`Aabb`]. One that has them in the order of rows writes them [in columns](Self::aabbs_mut), which is several
    /// times faster.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy, ProxyError};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("bees", 0.1)))?;
    /// let bee = Proxy::centered([0.0, 0.0], [0.1, 0.1])?;
    /// let [maya, willi] = [world.insert(bee)?, world.insert(bee)?];
    /// let thin = Aabb::from_center([1.0, 2.0], [0.05, 0.1])?;
    /// world.remove(willi)?;
    /// let set = world.set_aabbs([(willi, thin), (maya, thin)]);
    /// assert_eq!(set.refused, [(0, ProxyError::Stale { id: willi })]);
    /// assert!(set.migrated.is_empty(), "there is no other category");
    /// assert_eq!(world.get(maya).unwrap().center, [1.0, 2.0], "which was good");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_aabbs<A>(&mut self, aabbs: impl IntoIterator<Item = (ProxyId, A)>) -> BatchAabbs
    where
        A: TryInto<Aabb, Error: Into<AabbError>>,
    {
        let mut batch = BatchAabbs::default();
        let simd = self.simd();
        let aabbs = aabbs.into_iter();
        let aabbs = aabbs.map(|(id, aabb)| (id, aabb.try_into().map_err(Into::into)));
        self.for_each_fetched(aabbs, |world, first, aabbs| {
            for (first, some) in (first..).step_by(SEVERAL).zip(aabbs.chunks(SEVERAL)) {
                let measured = some.try_into().ok();
                let measured = measured.and_then(|some| simd.run(MeasureSides(some)));
                for (k, &(id, aabb)) in some.iter().enumerate() {
                    let extent = aabb.map(|aabb| match &measured {
                        Some(measured) => measured.extent(k, aabb),
                        None => Extent::of(aabb),
                    });
                    let set = world.set_given(id, extent);
                    sort_out(set, first + k, &mut batch.migrated, &mut batch.refused);
                }
            }
        });
        batch
    }

    /// Calls `set` with several values at a time and the position of the first, having fetched what is written of their proxies.
    /// Returns how many there were.
    ///
    /// Proxies by id may be anywhere, and each would be waited for alone.
    fn for_each_fetched<V: Copy>(
        &mut self,
        mut values: impl Iterator<Item = (ProxyId, V)>,
        mut set: impl FnMut(&mut Self, usize, &[(ProxyId, V)]),
    ) -> usize {
        let are_many = self.len() > MANY;
        let mut given = 0;
        while let Some(first) = values.next() {
            let mut fetched = [first; FETCHED];
            let mut count = 1;
            self.pool.prefetch(first.0.0);
            for (place, value) in fetched[1..].iter_mut().zip(&mut values) {
                self.pool.prefetch(value.0.0);
                *place = value;
                count += 1;
            }
            let fetched = &fetched[..count];
            for (id, _) in fetched.iter().filter(|_| are_many) {
                if let Some(slot) = self.pool.get(id.0) {
                    self.categories[slot.category_index()].prefetch_box(slot.row);
                }
            }
            set(self, given, fetched);
            given += count;
        }
        given
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
