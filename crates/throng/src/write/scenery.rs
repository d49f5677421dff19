//! Scenery by the tree: loaded from one or several, unloaded, and packed into one.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use throng_core::{Aabb, Columns, Executor, Handles};

use crate::broadphase::Broadphase;
use crate::error::{InsertError, SceneryError};
use crate::frame::events::rows_then::Occupant;
use crate::world::category::MAX_ROWS;
use crate::world::ids::{CategoryId, Origin, ProxyId, ProxySlot, Row, SceneryId};
use crate::world::loaded_scenery::{self, LoadedScenery};
use crate::world::proxy::Extent;
use crate::world::routing::{fits, place_in};
use crate::world::scenery_index::Scenery;
use crate::world::structure::Structure;

impl Broadphase {
    /// Replaces everything in a category of scenery with the boxes of a tree: one proxy for each, in row order, without a
    /// key or an owner and with [`Masks::ALL`](crate::Masks::ALL). The tree is shared, not copied, and nothing is built: the
    /// next step searches it as it is.
    ///
    /// Everything that was in the category is removed, its ids become stale, and its pieces are not loaded any more. Proxies
    /// that have [moved to another category](Self::set_category) since the last step are kept, but no query finds them before
    /// the next step, because the index that contained them is replaced. Everything that [rests](Self::is_resting) wakes. O(boxes).
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, PackedQuadtree, Proxy, SharedBytes};
    ///
    /// let config = BroadphaseConfig::new()
    ///     .category(CategoryConfig::uniform("infantry", 1.0))
    ///     .category(CategoryConfig::scenery("castles"));
    /// let castles = throng::CategoryId::new(1);
    ///
    /// // Where levels are made: fill a world, and write its scenery to a file.
    /// let mut editor = Broadphase::new(config.clone())?;
    /// editor.insert(Proxy::fixed(Aabb::new([0.0, 0.0], [50.0, 2.0])?))?;
    /// let file: Vec<u8> = editor.pack_scenery(castles)?.as_bytes().to_vec();
    ///
    /// // In the game: the file is the tree.
    /// let bytes = SharedBytes::new(throng::AlignedBytes::from(&file[..]));
    /// let mut world = Broadphase::new(config)?;
    /// world.load_scenery(castles, &PackedQuadtree::from_bytes(bytes)?)?;
    /// world.insert(Proxy::centered([10.0, 2.5], [1.0, 1.0])?)?;
    /// assert_eq!(world.step_pairs().report().pairs, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// What is returned names what was loaded, for [`unload_scenery`](Self::unload_scenery).
    ///
    /// # Errors
    ///
    /// [`SceneryError`] if the category is not scenery, if the tree lacks some rows, or if one of its boxes exceeds the
    /// category's bound. The world is unchanged.
    pub fn load_scenery(
        &mut self,
        category: CategoryId,
        scenery: &Scenery,
    ) -> Result<SceneryId, SceneryError> {
        self.load_scenery_on(&*self.chosen_executor(), category, scenery)
    }

    /// [`load_scenery`](Self::load_scenery) on an executor of the caller's choice.
    ///
    /// # Errors
    ///
    /// As [`load_scenery`](Self::load_scenery).
    ///
    /// # Panics
    ///
    /// If the executor panics; the category is empty then.
    pub fn load_scenery_on(
        &mut self,
        executor: &dyn Executor,
        category: CategoryId,
        scenery: &Scenery,
    ) -> Result<SceneryId, SceneryError> {
        let index = self.scenery_category(category)?;
        self.check_boxes(category, scenery)?;
        let handles = self.reserve_slots(category, 0, scenery.len())?;
        self.forget_pieces_after(|world| world.remove_all(index));
        Ok(self.append_scenery(executor, category, scenery, handles))
    }

    /// Adds the boxes of a tree to a category of scenery: one proxy for each, in new last rows, in row order, without
    /// a key or an owner and with [`Masks::ALL`](crate::Masks::ALL). For a level that is streamed in and out in pieces, each a
    /// file: what is returned names this one for [`unload_scenery`](Self::unload_scenery).
    ///
    /// Nothing is built: the next step searches the tree beside those that are there. Only if there are more than 128 trees,
    /// the smaller ones are packed together. Its bytes are shared if its rows are the first of the category, and otherwise
    /// copied, since its rows get other numbers. O(boxes).
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, CategoryId, Proxy, Scenery};
    ///
    /// let config = BroadphaseConfig::new()
    ///     .category(CategoryConfig::uniform("riders", 1.0))
    ///     .category(CategoryConfig::scenery("rocks"));
    /// let rocks = CategoryId::new(1);
    /// let piece = |x: f32| {
    ///     let rocks = [0.0, 4.0].map(|y| Aabb::new([x, y], [x + 3.0, y + 3.0]).unwrap());
    ///     Scenery::from_boxes(&rocks)
    /// };
    /// let (west, east) = (piece(0.0)?, piece(100.0)?);
    ///
    /// let mut world = Broadphase::new(config)?;
    /// world.insert(Proxy::centered([101.0, 3.5], [1.0, 1.0])?)?;
    /// let loaded_west = world.add_scenery(rocks, &west)?;
    /// let loaded_east = world.add_scenery(rocks, &east)?;
    /// assert_eq!(world.step_pairs().report().pairs, 2);
    /// // A rock of the east that breaks.
    /// world.remove(world.scenery_proxies(loaded_east)?[0])?;
    /// world.unload_scenery(loaded_west)?;
    /// assert_eq!(world.step_pairs().report().pairs, 1);
    /// assert_eq!(world.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`load_scenery`](Self::load_scenery).
    pub fn add_scenery(
        &mut self,
        category: CategoryId,
        scenery: &Scenery,
    ) -> Result<SceneryId, SceneryError> {
        self.add_scenery_on(&*self.chosen_executor(), category, scenery)
    }

    /// [`add_scenery`](Self::add_scenery) on an executor of the caller's choice.
    ///
    /// # Errors
    ///
    /// As [`load_scenery`](Self::load_scenery).
    ///
    /// # Panics
    ///
    /// If the executor panics; nothing is added then.
    pub fn add_scenery_on(
        &mut self,
        executor: &dyn Executor,
        category: CategoryId,
        scenery: &Scenery,
    ) -> Result<SceneryId, SceneryError> {
        let index = self.scenery_category(category)?;
        self.check_boxes(category, scenery)?;
        let first = self.categories[index].len();
        let handles = self.reserve_slots(category, first, scenery.len())?;
        Ok(self.append_scenery(executor, category, scenery, handles))
    }

    /// Removes every proxy that came with a tree and is still there, wherever it is now, the last first, as
    /// [`remove`](Self::remove) does. Returns how many there were. O(boxes).
    ///
    /// The next step takes the boxes out of the trees that they are in. But if that changes more than one row in four of
    /// the category, the step packs all of it anew. A removed row that is not the last counts twice, since the last moves
    /// into its gap. Of what rests, only those wake who are beside what goes.
    ///
    /// Whoever mirrors rows removes the [proxies](Self::scenery_proxies) one by one instead, or reads all rows anew.
    ///
    /// # Errors
    ///
    /// [`SceneryError`] if it is not loaded any more, or belongs to another world.
    pub fn unload_scenery(&mut self, scenery: SceneryId) -> Result<usize, SceneryError> {
        let loaded = self.loaded.remove(scenery.0);
        let loaded = loaded.ok_or_else(|| self.not_loaded(scenery))?;
        let ids = loaded.iter().rev();
        Ok(ids.filter(|&id| self.remove(id).is_ok()).count())
    }

    /// The proxies that came with a tree, in the order of its rows. Those that were removed since are still listed, and their
    /// ids are stale.
    ///
    /// # Errors
    ///
    /// [`SceneryError`] if it is not loaded any more, or belongs to another world.
    pub fn scenery_proxies(&self, scenery: SceneryId) -> Result<&[ProxyId], SceneryError> {
        let loaded = self.loaded.get(scenery.0);
        let loaded = loaded.ok_or_else(|| self.not_loaded(scenery))?;
        Ok(loaded.list())
    }

    fn not_loaded(&self, id: SceneryId) -> SceneryError {
        let own = self.world_tag();
        if id.world_tag() == own {
            SceneryError::Unloaded { id }
        } else {
            SceneryError::OtherWorld { id, own }
        }
    }

    /// Adds a tree in new last rows; everything must be checked.
    fn append_scenery(
        &mut self,
        executor: &dyn Executor,
        category: CategoryId,
        scenery: &Scenery,
        handles: Handles,
    ) -> SceneryId {
        self.note_changed(category.index());
        let settled = &mut self.categories[category.index()];
        let rows = settled.len();
        let append = || settled.append(&handles, scenery, executor);
        let first = catch_unwind(AssertUnwindSafe(append)).unwrap_or_else(|panic| {
            // Whatever the executor has left undone.
            settled.columns.truncate_rows(rows);
            self.pool.remove_all(&handles);
            resume_unwind(panic)
        });
        if let Structure::Scenery(index) = &mut settled.structure {
            index.changes.note_added(scenery.clone(), first);
        }
        SceneryId(self.loaded.insert(LoadedScenery::new(handles)))
    }

    /// Everything in a category of scenery as a tree of its own: what is in it now, in row order, even if there was no
    /// step since. A tree holds boxes only: save keys, masks and owners beside it, in the order of its rows. Disabled
    /// proxies are left out, and later rows move up. To save it to a file, write its
    /// [`as_bytes`](throng_quadtree::PackedQuadtree::as_bytes).
    ///
    /// Costs nothing if all is one tree as it was packed or loaded, nothing has changed since the last step and nothing is disabled;
    /// otherwise a tree is packed. O(boxes log boxes), on one thread.
    ///
    /// # Errors
    ///
    /// [`SceneryError`] if the category is not scenery.
    pub fn pack_scenery(&self, category: CategoryId) -> Result<Scenery, SceneryError> {
        let index = self.scenery_category(category)?;
        Ok(self.categories[index].packed().expect("it is scenery"))
    }

    fn scenery_category(&self, category: CategoryId) -> Result<usize, SceneryError> {
        let index = self.known(category)?.index();
        if self.categories[index].structure.is_scenery() {
            return Ok(index);
        }
        Err(SceneryError::NotScenery {
            category: self.config.categories[index].name.clone(),
        })
    }

    /// Checks that every row of a tree has a box, and that no box exceeds the bound of the category.
    fn check_boxes(&self, category: CategoryId, scenery: &Scenery) -> Result<(), SceneryError> {
        let (boxes, rows) = (scenery.len(), scenery.rows());
        if boxes != rows {
            return Err(SceneryError::Incomplete { boxes, rows });
        }
        let bound = self.config.categories[category.index()].half_extents;
        if bound == [f32::INFINITY; 2] {
            return Ok(());
        }
        // The lowest row, whatever the order of leaves.
        let mut misfit: Option<(Row, Aabb)> = None;
        scenery.for_each_box(|row, aabb| {
            let is_lower = misfit.is_none_or(|(lowest, _)| row < lowest);
            if is_lower && !fits(&Extent::of(aabb), bound) {
                misfit = Some((row, aabb));
            }
        });
        let Some((row, aabb)) = misfit else {
            return Ok(());
        };
        place_in(&Extent::of(aabb), category.raw(), &self.config)
            .map(drop)
            .map_err(|problem| SceneryError::Placement { row, problem })
    }

    /// Takes this many new slots, for rows from `first` on.
    fn reserve_slots(
        &mut self,
        category: CategoryId,
        first: usize,
        rows: usize,
    ) -> Result<Handles, SceneryError> {
        if first + rows > MAX_ROWS {
            return Err(SceneryError::TooMany {
                category: self.config.categories[category.index()].name.clone(),
                rows: first,
                additional: rows,
            });
        }
        let slot = |k| ProxySlot::new(category.raw(), (first + k) as Row, Origin::Routed);
        let inserted = self.pool.try_insert_all((0..rows).map(slot));
        Ok(inserted.map_err(InsertError::from)?)
    }

    /// Removes proxies, and forgets the pieces of which nothing is left then. Those that were empty before may be of other
    /// categories, and stay.
    pub(crate) fn forget_pieces_after(&mut self, remove: impl FnOnce(&mut Self)) {
        let pieces = loaded_scenery::with_proxies(&self.loaded, &self.pool);
        remove(self);
        loaded_scenery::forget_gone(&mut self.loaded, pieces, &self.pool);
    }

    fn remove_all(&mut self, index: usize) {
        // Pairs with what rests beside it have to be found anew anyway.
        self.wake_everybody();
        self.events
            .rows_lost(CategoryId::from_index(index), &self.categories, &self.pool);
        // The last first, so that the handles of a piece are a run again when the next is loaded.
        for row in (0..self.categories[index].len()).rev() {
            let who = Occupant::now(&self.categories[index], row);
            self.include_all(who.id);
            self.note_removal(who);
            self.pool.remove(who.id.0);
        }
        self.categories[index].clear();
    }
}
