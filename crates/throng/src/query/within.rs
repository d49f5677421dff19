//! Which pairs within a distance to find, and what is reported of each.

use throng_core::check_reach;

use crate::error::QueryError;
use crate::world::ids::CategoryId;
use crate::world::rows::RowRef;

/// Which pairs to find: of which two categories, how near, and how that is measured.
///
/// | | measures | for |
/// |---|---|---|
/// | [`centers`](Self::centers) | from centre to centre | flocking, hearing, and anything else about where things are; melee among things of about one size. In a *coarse* category the only exact choice, because boxes there are those of its bound |
/// | [`boxes`](Self::boxes) | the gap between boxes, 0 where they overlap | reach beyond one's own body: an ogre's club, a siege engine at a wall, splash damage |
///
/// Name the same category twice for the pairs inside it.
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
    /// Pairs whose centres are no farther apart than `distance`.
    ///
    /// A proxy's centre is [`QueryHit::center`](crate::QueryHit::center): as stored in a uniform category, elsewhere
    /// the centre of its box. Along an axis where the box is unbounded, it is the finite side, or 0 if there is none.
    pub fn centers(categories: [CategoryId; 2], distance: f32) -> Self {
        Self {
            categories,
            distance,
            from_centers: true,
            by_masks: true,
        }
    }

    /// Pairs whose boxes are no farther apart than `distance`, by [`Aabb::is_within`](crate::Aabb::is_within). With
    /// distance 0 these are the pairs whose boxes overlap.
    ///
    /// A proxy's box is the one that a query finds it by ([`QueryHit::aabb`](crate::QueryHit::aabb)): its own in an
    /// exact or oversized category and in scenery, that of the bound in a coarse one.
    pub fn boxes(categories: [CategoryId; 2], distance: f32) -> Self {
        Self {
            from_centers: false,
            ..Self::centers(categories, distance)
        }
    }

    /// Also finds pairs whose masks do not agree. Without this, masks count as they do in a step: friends that pass
    /// through each other are not a pair.
    pub fn ignoring_masks(mut self) -> Self {
        self.by_masks = false;
        self
    }

    /// Checks that the distance is valid.
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
    /// Where they are now: the lower category first, or within a category the lower row.
    /// [`Broadphase::proxy_at`](crate::Broadphase::proxy_at) gives their ids.
    pub rows: [RowRef; 2],
    /// The square of the distance between them when the index was built, measured as asked for.
    pub distance_squared: f32,
}
