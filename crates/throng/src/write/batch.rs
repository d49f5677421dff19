//! Many proxies at a time: the good ones go through, and each bad one is reported.

use throng_core::Columns;

use crate::broadphase::Broadphase;
use crate::error::{InsertError, ProxyError, UnknownCategory};
use crate::world::category::MAX_ROWS;
use crate::world::ids::{CategoryId, ProxyId};
use crate::world::proxy::Proxy;
use crate::world::rows::Removed;

/// The result of a batch of inserts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchInsert {
    /// One entry per proxy, in the given order; `None` if it was refused.
    pub ids: Vec<Option<ProxyId>>,
    /// The refused ones: the index in the given order, from 0, and why.
    pub refused: Vec<(usize, InsertError)>,
}

/// The result of a batch of removals.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// Never makes room for more than [`MAX_ROWS`], the most that a category holds.
    ///
    /// # Errors
    ///
    /// [`UnknownCategory`].
    pub fn reserve(
        &mut self,
        category: CategoryId,
        additional: usize,
    ) -> Result<(), UnknownCategory> {
        let index = self.known(category)?.index();
        let additional = additional.min(MAX_ROWS - self.categories[index].len());
        self.categories[index].columns.reserve_rows(additional);
        let vacant = self.pool.slots_len() as usize - self.pool.len();
        self.pool.reserve(additional.saturating_sub(vacant));
        Ok(())
    }

    /// [`insert`](Self::insert)s each proxy, in order. One that is refused does not stop the others.
    ///
    /// In a world with one category it first [`reserve`](Self::reserve)s what the iterator's size hint says.
    pub fn insert_batch(&mut self, proxies: impl IntoIterator<Item = Proxy>) -> BatchInsert {
        let proxies = proxies.into_iter();
        let expected = proxies.size_hint().0.min(MAX_ROWS);
        if self.categories.len() == 1 {
            let reserved = self.reserve(CategoryId::new(0), expected);
            debug_assert!(reserved.is_ok(), "there is one category");
        }
        let mut batch = BatchInsert {
            ids: Vec::with_capacity(expected),
            refused: Vec::new(),
        };
        for (position, proxy) in proxies.enumerate() {
            let inserted = self.insert(proxy);
            batch.ids.push(inserted.as_ref().ok().copied());
            batch
                .refused
                .extend(inserted.err().map(|error| (position, error)));
        }
        batch
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
