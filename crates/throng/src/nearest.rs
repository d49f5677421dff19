//! The nearest few, over all categories.

use throng_core::NearestQuery;

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::found::Found;
use crate::query::{EVERYTHING, Queries, QueryHit};

/// A proxy near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Nearest {
    /// The proxy, as any query reports it.
    pub hit: QueryHit,
    /// The square of the distance from the point to its box; 0 inside.
    pub distance_squared: f32,
}

impl Broadphase {
    /// The `k` proxies whose boxes are nearest to the point and no further than `max_distance`,
    /// nearest first. See [`Queries`].
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("units", 1.0)))?;
    /// world.insert_batch((0..10).map(|i| Proxy::centered([3.0 * i as f32, 0.0], [1.0, 1.0]).unwrap().key(i)));
    /// world.refresh();
    /// let nearest = world.nearest([9.0, 2.0], 2, f32::INFINITY)?;
    /// assert_eq!(nearest[0].hit.center, [9.0, 0.0]);
    /// assert_eq!(nearest[0].distance_squared, 1.0, "to the box, not to the centre");
    /// assert_eq!(nearest.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a NaN, or a negative distance.
    pub fn nearest(
        &self,
        point: [f32; 2],
        k: usize,
        max_distance: f32,
    ) -> Result<Vec<Nearest>, QueryError> {
        self.queries(&EVERYTHING).nearest(point, k, max_distance)
    }
}

impl Queries<'_> {
    /// The `k` proxies whose boxes are nearest to the point and no further than `max_distance`,
    /// nearest first. Equal distances come in the order of categories, then of rows as indexed.
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a NaN, a negative distance, or a category that this world does not have.
    pub fn nearest(
        &self,
        point: [f32; 2],
        k: usize,
        max_distance: f32,
    ) -> Result<Vec<Nearest>, QueryError> {
        let mut nearest = Vec::new();
        let query = NearestQuery {
            point,
            k,
            max_distance,
        };
        for category in self.selected()? {
            let lives = |found: &Found| self.resolve(category, found).is_some();
            let found = category.structure.nearest(query, lives)?;
            nearest.extend(found.iter().filter_map(|ranked| {
                Some(Nearest {
                    hit: self.resolve(category, &ranked.item)?,
                    distance_squared: ranked.distance_squared,
                })
            }));
        }
        // Stable: what is equally near stays in the order of categories and rows.
        nearest.sort_by(|a, b| a.distance_squared.total_cmp(&b.distance_squared));
        nearest.truncate(k);
        Ok(nearest)
    }
}
