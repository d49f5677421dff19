//! The invariants of a category.

use throng_core::{Aabb, Columns};

use super::{Category, is_finite};
use crate::tune::sizes::SizeCounts;
use crate::world::ids::ProxyPool;
use crate::world::structure::Structure;

impl Category {
    /// Checks the invariants. O(rows).
    pub(crate) fn validate(
        &self,
        category: usize,
        pool: &ProxyPool,
        is_index_whole: bool,
    ) -> Result<(), String> {
        self.columns.validate()?;
        self.columns.masks.validate()?;
        if is_index_whole {
            self.parts()
                .map(|(_, structure)| structure)
                .chain(self.swept.as_ref().map(|swept| swept.structure()))
                .try_for_each(Structure::validate)?;
        }
        self.disabled.validate(self.len())?;
        let unlike =
            (0..self.len()).filter(|&row| self.half_extents(row, self.bound) != self.bound);
        if self.exact && self.unlike != unlike.count() {
            return Err(format!("{} rows count as unlike the bound", self.unlike));
        }
        if self.knows_sizes() {
            let sizes = (0..self.len()).map(|row| self.half_extents(row, self.bound));
            if !SizeCounts::of(sizes).steps().eq(self.sizes.steps()) {
                return Err(format!("sizes are counted as {:?}", self.sizes));
            }
        }
        for row in 0..self.len() {
            let slot = pool
                .get(self.columns.ids[row])
                .ok_or_else(|| format!("row {row} has a stale id"))?;
            if slot.row_index() != row || slot.category_index() != category {
                return Err(format!("the slot of row {row} says {slot:?}"));
            }
            let (center, half) = (self.columns.center(row), self.half_extents(row, self.bound));
            let fits = match self.columns.fixed_box(row) {
                // As in routing: half the width may exceed the bound where sides are rounded.
                Some(aabb) => {
                    Aabb::from_center(center, self.bound).is_ok_and(|most| most.contains(&aabb))
                }
                None => (0..2).all(|axis| (0.0..=self.bound[axis]).contains(&half[axis])),
            };
            if !(is_finite(center) && fits) {
                return Err(format!(
                    "row {row} is at {center:?} with half extents of {half:?}"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Masks, Proxy};

    /// Whether the next index carries classes, after a step in which the n-th of four has the masks that are `given`.
    fn tests_masks(given: fn(u32) -> Masks) -> bool {
        let bees = CategoryConfig::uniform("bees", 1.0);
        let mut world = Broadphase::new(BroadphaseConfig::new().category(bees)).unwrap();
        for n in 0..4 {
            let bee = Proxy::centered([0.0; 2], [1.0; 2]).unwrap();
            world.insert(bee.masks(given(n))).unwrap();
        }
        world.refresh();
        world.categories[0].tests_own_masks
    }

    #[test]
    fn classes_are_carried_only_where_masks_keep_some_apart() {
        assert!(tests_masks(|n| Masks::new(1 << n, !(1 << n))));
        assert!(!tests_masks(|_| Masks::ALL));
        assert!(
            !tests_masks(|n| Masks::new(1 << n, !0)),
            "nobody is kept apart"
        );
        assert!(
            !tests_masks(|n| Masks::new(1 << n, 0)),
            "everybody is kept apart"
        );
    }

    #[test]
    fn a_box_of_scenery_over_the_bound_is_broken() {
        let huts = CategoryConfig::scenery("huts").half_extents([1.0; 2]);
        let mut world = Broadphase::new(BroadphaseConfig::new().category(huts)).unwrap();
        let hut = Aabb::from_center([5.0; 2], [1.0; 2]).unwrap();
        world.insert(Proxy::fixed(hut)).unwrap();
        assert_eq!(world.validate(), Ok(()));
        let boxes = &mut world.categories[0].columns.boxes;
        boxes.set(0, [hut.min(), [hut.max()[0], hut.max()[1].next_up()]]);
        let broken = world.validate().unwrap_err();
        assert!(
            broken.contains("\"huts\": row 0 is at [5.0, 5.0]"),
            "{broken}"
        );
    }
}
