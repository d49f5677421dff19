//! Removes one proxy, or all of them.

use crate::broadphase::Broadphase;
use crate::error::ProxyError;
use crate::world::category::Category;
use crate::world::ids::ProxyId;
use crate::world::rows::Removed;

impl Broadphase {
    /// Removes a proxy, and says what that did to the rows. Its id is never used again. O(1).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn remove(&mut self, id: ProxyId) -> Result<Removed, ProxyError> {
        let slot = self.slot(id)?;
        self.include_all(id);
        let category = &mut self.categories[slot.category_index()];
        let key = category.columns.key(slot.row_index());
        self.events.note_removal(id, key);
        let swapped_in = category.take_out(slot.row, id, &mut self.pool);
        self.pool.remove(id.0);
        self.is_index_stale = true;
        Ok(Removed {
            id,
            key,
            category: slot.category(),
            row: slot.row,
            swapped_in,
        })
    }

    /// Removes every proxy and empties the index. Keeps the memory, and commands that are still queued. O(proxies).
    pub fn clear(&mut self) {
        self.wake_everybody();
        self.events.all_rows_lost(&self.categories, &self.pool);
        self.categories.iter_mut().for_each(Category::clear);
        self.pool.clear();
        self.loaded.clear();
        self.exclusions.clear();
        self.misplaced.clear();
        self.planned.clear();
        self.is_index_stale = true;
    }
}
