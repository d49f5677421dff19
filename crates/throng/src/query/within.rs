//! Who is near whom: all pairs of two categories within a distance.

use std::ops::ControlFlow;

use throng_core::check_reach;

use crate::broadphase::Broadphase;
use crate::error::QueryError;
use crate::query::within_search::WithinSearch;
use crate::world::ids::CategoryId;
use crate::world::rows::RowRef;

/// Which pairs to find: of which two categories, how near, and how that is measured.
///
/// | | measures | for |
/// |---|---|---|
/// | [`centers`](Self::centers) | from middle to middle | flocking, hearing, and whatever else is about where things are; melee among things of about one size. The only choice that tells units of a *coarse* category apart by more than its bound |
/// | [`boxes`](Self::boxes) | the gap between boxes, 0 where they overlap | reach beyond one's own body: an ogre's club, a siege engine at a wall, splash damage |
///
/// The same category twice asks for the pairs inside it.
///
/// ```
/// use throng::{CategoryId, Within};
///
/// let [orcs, walls] = [CategoryId::new(0), CategoryId::new(1)];
/// let flock = Within::centers([orcs, orcs], 5.0).ignoring_masks();
/// let under_siege = Within::boxes([orcs, walls], 1.5);
/// # let _ = (flock, under_siege);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    pub(crate) categories: [CategoryId; 2],
    pub(crate) distance: f32,
    pub(crate) from_centers: bool,
    pub(crate) by_masks: bool,
}

impl Within {
    /// Pairs whose middles are no further apart than `distance`.
    ///
    /// A proxy's middle is [`QueryHit::center`](crate::QueryHit::center): its centre in a uniform category, elsewhere the
    /// middle of its box; of a box without end the one side that there is, or 0.
    pub fn centers(categories: [CategoryId; 2], distance: f32) -> Self {
        Self {
            categories,
            distance,
            from_centers: true,
            by_masks: true,
        }
    }

    /// Pairs whose boxes are no further apart than `distance`, by [`Aabb::is_within`](crate::Aabb::is_within). Within 0
    /// are those whose boxes overlap.
    ///
    /// A proxy's box is that which a query finds it by ([`QueryHit::aabb`](crate::QueryHit::aabb)): its own in an exact or
    /// oversized category and in scenery, that of the bound in a coarse one.
    pub fn boxes(categories: [CategoryId; 2], distance: f32) -> Self {
        Self {
            from_centers: false,
            ..Self::centers(categories, distance)
        }
    }

    /// Also pairs whose masks do not agree to meet. Without this, masks count as they do in a step: friends that pass
    /// through each other are no pair.
    pub fn ignoring_masks(mut self) -> Self {
        self.by_masks = false;
        self
    }

    /// Whether pairs can be found within such a distance.
    pub(crate) fn check(&self) -> Result<(), QueryError> {
        check_reach(self.distance)?;
        if self.distance.is_infinite() {
            return Err(QueryError::EndlessDistance {
                given: self.distance,
            });
        }
        Ok(())
    }
}

/// Two proxies near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NearPair {
    /// Where they are now: the lower category first, in one category the lower row. [`Broadphase::proxy_at`] names them.
    pub rows: [RowRef; 2],
    /// The square of the distance between them, measured as asked, when the index was built.
    pub distance_squared: f32,
}

impl Broadphase {
    /// Visits every pair of two categories that are no further apart than a distance, each once, on the calling thread.
    /// The distance may be larger than any bound, and than the world.
    ///
    /// Pairs are those of the index of the last step or refresh, as for every query (see
    /// [`Queries`](crate::Queries)): a proxy that has moved since is where it was; one that was removed or disabled since
    /// is in no pair; one that was inserted or enabled since is not yet. The categories asked for are those that proxies
    /// were in then; the rows reported, and masks, are those of now.
    ///
    /// All pairs of categories may be asked for, also such as never meet in a step: of scenery with scenery, and of those
    /// that the config keeps apart. The order is that of leaves, which is the same on any machine. Any number of such
    /// searches may run at once.
    ///
    /// O(rows + candidates), with a copy of all that lies within the distance of a leaf for each leaf: a distance larger
    /// than the world takes scratch memory for every row of one category, and finds as many pairs as there are. Allocates
    /// nothing once the world has the scratch for it.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy, Within};
    ///
    /// let mut world = Broadphase::new(
    ///     BroadphaseConfig::new()
    ///         .category(CategoryConfig::uniform("orcs", 0.5))
    ///         .category(CategoryConfig::uniform("elves", 0.5)),
    /// )?;
    /// let [orcs, elves] = ["orcs", "elves"].map(|name| world.category(name).expect("as configured"));
    /// let unit = |x| Proxy::centered([x, 0.0], [0.5, 0.5]);
    /// let orc = world.insert(unit(0.0)?.in_category(orcs))?;
    /// let elf = world.insert(unit(1.8)?.in_category(elves))?;
    /// world.insert(unit(4.0)?.in_category(elves))?;
    /// world.refresh();
    ///
    /// // Whoever stands within two metres fights.
    /// let melee = Within::centers([orcs, elves], 2.0);
    /// let mut fights = Vec::new();
    /// let _ = world.query_pairs_within(&melee, |pair| -> ControlFlow<()> {
    ///     fights.push(pair.rows.map(|row| world.proxy_at(row)));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(fights, [[Some(orc), Some(elf)]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`QueryError`] for a distance that is NaN, negative or infinite, or a category that this world does not have.
    pub fn query_pairs_within<B>(
        &self,
        within: &Within,
        mut visit: impl FnMut(NearPair) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, QueryError> {
        let search = WithinSearch::new(self, within)?;
        Ok((0..search.chunks()).try_for_each(|chunk| {
            self.arenas
                .with(|arena| search.search(chunk, arena, &mut visit))
        }))
    }

    /// Puts every such pair into `pairs`, in place of what was there: see
    /// [`query_pairs_within`](Self::query_pairs_within). For many threads there is
    /// [`find_pairs_within_on`](Self::find_pairs_within_on).
    ///
    /// # Errors
    ///
    /// As [`query_pairs_within`](Self::query_pairs_within); `pairs` is then as it was.
    pub fn find_pairs_within(
        &self,
        within: &Within,
        pairs: &mut Vec<NearPair>,
    ) -> Result<(), QueryError> {
        let search = WithinSearch::new(self, within)?;
        pairs.clear();
        for chunk in 0..search.chunks() {
            self.arenas
                .with(|arena| search.collect(chunk, arena, pairs));
        }
        Ok(())
    }
}
