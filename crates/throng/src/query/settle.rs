//! From rows of an index to proxies, for the hits of many queries at once.
//!
//! A hit's id and key are in columns by row, and rows are in no order of space: each read is a cache miss, even where the
//! queries of a batch are next to each other. So a chunk of a batch first notes what it finds as the index has it, and then
//! goes through its hits again, with the columns of later ones prefetched. That takes a quarter to a third off a batch of
//! boxes that find two of 200,000 each.

use throng_core::Handle;

use crate::query::queries::{Found, Queries, QueryHit};
use crate::world::category::Category;
use crate::world::ids::ProxyId;

/// How many hits ahead columns are prefetched.
const AHEAD: usize = 12;

impl QueryHit {
    /// What an index finds, without its proxy: to be [settled](Queries::settle).
    #[inline]
    pub(crate) fn unsettled(indexed: &Category, found: &Found) -> Self {
        Self {
            id: ProxyId(Handle::default()),
            category: indexed.id,
            row: found.row,
            key: 0,
            center: found.center,
            half_extents: found.half_extents,
            aabb: found.aabb,
        }
    }
}

impl Queries<'_> {
    /// Looks up the proxies of hits as indices have them, and drops those that are gone, disabled or do not pass the filter.
    /// `ends` says where the hits of each query end, and is updated.
    pub(crate) fn settle(&self, hits: &mut Vec<QueryHit>, ends: &mut [usize]) {
        let categories = &self.world.categories;
        let (mut at, mut kept) = (0, 0);
        for end in ends {
            for next in at..*end {
                if let Some(later) = hits.get(next + AHEAD) {
                    categories[later.category.index()].prefetch(later.row);
                }
                let unsettled = hits[next];
                let found = Found {
                    row: unsettled.row,
                    center: unsettled.center,
                    half_extents: unsettled.half_extents,
                    aabb: unsettled.aabb,
                };
                let indexed = &categories[unsettled.category.index()];
                if let Some(hit) = self.resolve(indexed, &found) {
                    hits[kept] = hit;
                    kept += 1;
                }
            }
            (at, *end) = (*end, kept);
        }
        hits.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use throng_core::{Aabb, Serial};

    use crate::{
        BatchResults, Broadphase, BroadphaseConfig, CategoryConfig, Proxy, QueryFilter, QueryHit,
    };

    /// Two categories, in which every third proxy was removed, disabled or moved up since the last step.
    fn changed_since_the_step() -> Broadphase {
        let config = BroadphaseConfig::new()
            .category(CategoryConfig::uniform("units", 1.0))
            .category(CategoryConfig::scenery("walls"));
        let mut world = Broadphase::new(config).expect("a sound config");
        let unit = |k: u16| Proxy::centered([f32::from(k), 0.0], [1.0, 1.0]).expect("finite");
        let wall = |k: u16| Proxy::fixed(unit(k).aabb());
        let both = |k| [unit(k), wall(k)].map(|proxy| proxy.key(u64::from(k) + 1));
        let ids: Vec<_> = (0..400)
            .flat_map(both)
            .map(|proxy| world.insert(proxy).expect("it fits"))
            .collect();
        world.refresh();
        for (k, &id) in ids.iter().enumerate() {
            match k % 9 {
                0 => drop(world.remove(id).expect("it is there")),
                4 => world.set_enabled(id, false).expect("it is there"),
                _ => {}
            }
        }
        world
    }

    #[test]
    fn a_batch_drops_what_one_by_one_would_not_find() {
        let world = changed_since_the_step();
        let window = |k: u16| Aabb::from_center([f32::from(k), 0.0], [f32::from(k % 23), 0.5]);
        let windows: Vec<_> = (0..400).map(|k| window(k).expect("finite")).collect();
        let odd = |hit: &QueryHit| hit.key % 2 == 1;
        let (mut answers, mut alone) = (BatchResults::new(), Vec::new());
        for filter in [QueryFilter::new(), QueryFilter::new().only(&odd)] {
            let questions = world.query_with(&filter);
            let asked = questions.find_batch_on(&Serial, &windows, &mut answers);
            asked.expect("an index");
            let mut found = 0;
            for (window, together) in windows.iter().zip(answers.iter()) {
                questions
                    .find_in_aabb(window, &mut alone)
                    .expect("an index");
                assert_eq!(together, alone);
                found += alone.len();
            }
            assert!(found > 1000, "{found}");
        }
    }
}
