//! Scenery as a whole: loaded from a tree, and packed into one.

use throng_core::{Aabb, Handle, InfiniteSides};

use crate::broadphase::Broadphase;
use crate::error::{InsertError, SceneryError};
use crate::frame::events::rows_then::Occupant;
use crate::world::category::{Attributes, MAX_ROWS};
use crate::world::ids::{CategoryId, Origin, ProxySlot};
use crate::world::proxy::Proxy;
use crate::world::routing::{Routed, place_in};
use crate::world::scenery_index::Scenery;
use crate::world::structure::Structure;

impl Broadphase {
    /// Replaces everything in a category of scenery with the boxes of a tree: one proxy for each, in row order, without
    /// a key or an owner and with [`Masks::ALL`](crate::Masks::ALL). The tree is shared, not copied, and nothing is built: the next step searches it
    /// as it is.
    ///
    /// Everything that was in the category is removed, and its ids become stale. Proxies that have [moved to another
    /// category](Self::set_category) since the last step are kept, but no query finds them before the next step,
    /// because the index that contained them is replaced. O(boxes).
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
    /// # Errors
    ///
    /// [`SceneryError`] if the category is not scenery, if the tree lacks some rows, or if one of its boxes exceeds the
    /// category's bound. The world is unchanged.
    pub fn load_scenery(
        &mut self,
        category: CategoryId,
        scenery: &Scenery,
    ) -> Result<(), SceneryError> {
        let index = self.scenery_category(category)?;
        let placements = self.placements_of(category, scenery)?;
        let handles = self.reserve_slots(category, placements.len())?;
        self.remove_all(index);
        let settled = &mut self.categories[index];
        for (placement, handle) in placements.iter().zip(handles) {
            settled.push(handle, placement, &Attributes::default());
        }
        if let Structure::Scenery(index) = &mut settled.structure {
            let tree = index.with_level(scenery);
            index.adopt(tree);
        }
        self.is_index_stale = true;
        Ok(())
    }

    /// Everything in a category of scenery as a tree of its own: what is in it now, in row order, even if there was no
    /// step since. Disabled proxies are left out, and later rows move up. To save it to a file, write its
    /// [`as_bytes`](throng_quadtree::PackedQuadtree::as_bytes).
    ///
    /// Costs nothing if nothing has changed since the last step and nothing is disabled; otherwise a tree is packed.
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

    /// Where each box of a tree is stored, by row.
    fn placements_of(
        &self,
        category: CategoryId,
        scenery: &Scenery,
    ) -> Result<Vec<Routed>, SceneryError> {
        let (boxes, rows) = (scenery.len(), scenery.rows());
        if boxes != rows {
            return Err(SceneryError::Incomplete { boxes, rows });
        }
        let nowhere = Routed {
            category: category.raw(),
            center: [0.0; 2],
            half_extents: [0.0; 2],
            infinite: InfiniteSides::default(),
            aabb: Aabb::EVERYWHERE,
        };
        let mut placements = vec![nowhere; rows];
        let mut problem = Ok(());
        scenery.for_each_box(|row, aabb| {
            match place_in(&Proxy::fixed(aabb).extent, category.raw(), &self.config) {
                Ok(placement) => placements[row as usize] = placement,
                Err(what) => problem = Err(SceneryError::Placement { row, problem: what }),
            }
        });
        problem.map(|()| placements)
    }

    /// Takes this many new slots, for rows from 0 on.
    fn reserve_slots(
        &mut self,
        category: CategoryId,
        rows: usize,
    ) -> Result<Vec<Handle>, SceneryError> {
        if rows > MAX_ROWS {
            let category = self.config.categories[category.index()].name.clone();
            return Err(InsertError::Full {
                category,
                rows: MAX_ROWS,
            }
            .into());
        }
        let mut slots = Vec::with_capacity(rows);
        // Slots are added one by one anyway.
        let _ = self.pool.try_reserve(rows);
        for row in 0..rows as u32 {
            let slot = ProxySlot::new(category.raw(), row, Origin::Routed);
            match self.pool.try_insert(slot) {
                Ok(handle) => slots.push(handle),
                Err(full) => {
                    for handle in slots {
                        self.pool.remove(handle);
                    }
                    return Err(InsertError::from(full).into());
                }
            }
        }
        Ok(slots)
    }

    fn remove_all(&mut self, index: usize) {
        // What rests beside it has to be found anew anyway.
        self.wake_everybody();
        self.events
            .rows_lost(CategoryId::from_index(index), &self.categories, &self.pool);
        for row in 0..self.categories[index].len() {
            let Occupant { id, key } = Occupant::now(&self.categories[index], row);
            self.include_all(id);
            self.events.note_removal(id, key);
            self.pool.remove(id.0);
        }
        self.categories[index].clear();
    }
}
