//! Removes one proxy, all of a category, or all.

use crate::broadphase::Broadphase;
use crate::error::{ProxyError, UnknownCategory};
use crate::frame::events::rows_then::Occupant;
use crate::world::category::Category;
use crate::world::ids::{CategoryId, ProxyId};
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
        let category = slot.category_index();
        let who = Occupant::now(&self.categories[category], slot.row_index());
        self.note_removal(who);
        let category = &mut self.categories[category];
        let swapped_in = category.take_out(slot.row, id, &mut self.pool);
        self.pool.remove(id.0);
        self.note_changed(slot.category_index());
        Ok(Removed {
            id,
            key: who.key,
            category: slot.category(),
            row: slot.row,
            swapped_in,
        })
    }

    /// To be called before a proxy leaves the pool.
    pub(crate) fn note_removal(&mut self, who: Occupant) {
        let resting = self.rest.pairs.as_slice();
        self.events
            .note_removal(who, resting, &self.categories, &self.pool);
    }

    /// Removes every proxy of a category, the last row first, as [`remove`](Self::remove) does: all bullets when a level ends.
    /// Returns how many there were. Keeps the memory. O(rows), and in scenery also O(boxes that were loaded).
    ///
    /// If it is scenery, pieces of which nothing is left then are not loaded any more.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let config = BroadphaseConfig::new()
    ///     .category(CategoryConfig::uniform("bullets", 0.1))
    ///     .category(CategoryConfig::uniform("units", 1.0));
    /// let mut world = Broadphase::new(config)?;
    /// let [bullets, units] = ["bullets", "units"].map(|name| world.category(name).expect("as configured"));
    /// let many = |half: f32| (0..9).map(move |i| Proxy::centered([i as f32, 0.0], [half; 2]).unwrap());
    /// world.insert_batch(many(0.1).chain(many(1.0)));
    /// assert_eq!(world.clear_category(bullets)?, 9);
    /// assert_eq!([bullets, units].map(|category| world.rows(category)), [0, 9]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such category; nothing is removed then.
    pub fn clear_category(&mut self, category: CategoryId) -> Result<usize, UnknownCategory> {
        let index = self.known(category)?.index();
        let rows = self.categories[index].len();
        let remove = |world: &mut Self| {
            for row in (0..rows).rev() {
                let id = world.categories[index].id_in_row(row);
                world.remove(id).expect("it is in that row");
            }
        };
        if self.categories[index].structure.is_scenery() {
            self.forget_pieces_after(remove);
        } else {
            remove(self);
        }
        Ok(rows)
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
        (0..self.categories.len()).for_each(|category| self.note_changed(category));
    }
}
