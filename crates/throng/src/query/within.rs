//! Which pairs within a distance to find, and what is reported of each.

use throng_core::check_reach;
use throng_grid::Nearness;

use crate::error::QueryError;
use crate::world::ids::{CategoryId, Row};
use crate::world::masks::Masks;
use crate::world::rows::RowRef;

/// Which pairs to find: of which categories, how near, and how that is measured.
///
/// | | measures | for |
/// |---|---|---|
/// | [`centers`](Self::centers) | from center to center | flocking, hearing, and anything else about where things are; melee among things of about one size. In a *coarse* category the only exact choice, because boxes there are those of its bound |
/// | [`boxes`](Self::boxes) | the gap between boxes, 0 where they overlap | reach beyond one's own body: an ogre's club, a siege engine at a wall, splash damage |
///
/// Nearness takes account of masks, unless told [otherwise](Self::ignoring_masks), but not of
/// [owners](crate::Proxy::owner) and [excluded pairs](crate::Broadphase::exclude_pair): those are about touching, and
/// two riders of one horse, or two limbs of one body, are near each other all the same.
///
/// Name the same category twice for the pairs inside it. One question may be about several pairs of categories.
///
/// ```
/// use throng::{CategoryId, Proximity};
///
/// let [orcs, elves, walls] = [0, 1, 2].map(CategoryId::new);
/// let flock = Proximity::centers([orcs, orcs], 5.0).ignoring_masks();
/// let under_siege = Proximity::boxes([orcs, walls], 1.5).and([elves, walls]);
/// // Everybody with everybody: six pairs of categories. And only enemies, who are on no side together.
/// let in_sight = Proximity::centers([orcs, orcs], 30.0)
///     .among(&[orcs, elves, walls])
///     .only(|a, b| a.memberships & b.memberships == 0);
/// # let _ = (flock, under_siege, in_sight);
/// ```
#[derive(Clone, Debug)]
#[must_use = "it finds nothing until a world is asked"]
pub struct Proximity {
    /// The lower category first; ascending, and each once.
    pub(crate) meetings: Vec<[CategoryId; 2]>,
    /// The first pair of categories as it was given.
    pub(crate) asked: [CategoryId; 2],
    pub(crate) distance: f32,
    pub(crate) from_centers: bool,
    pub(crate) by_masks: bool,
    pub(crate) only: Option<fn(Masks, Masks) -> bool>,
}

impl Proximity {
    /// Pairs whose centers are no farther apart than `distance`.
    ///
    /// A proxy's center is [`QueryHit::center`](crate::QueryHit::center): as stored in a uniform category, elsewhere
    /// the center of its box. Along an axis where the box is unbounded, it is the finite side, or 0 if there is none.
    pub fn centers(categories: [CategoryId; 2], distance: f32) -> Self {
        let of_none = Self {
            meetings: Vec::new(),
            asked: categories,
            distance,
            from_centers: true,
            by_masks: true,
            only: None,
        };
        of_none.and(categories)
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

    /// Also finds the pairs of these two categories.
    pub fn and(mut self, [a, b]: [CategoryId; 2]) -> Self {
        let meeting = [a.min(b), a.max(b)];
        if let Err(place) = self.meetings.binary_search(&meeting) {
            self.meetings.insert(place, meeting);
        }
        self
    }

    /// Also finds all pairs among these categories: within each, and between any two.
    pub fn among(mut self, categories: &[CategoryId]) -> Self {
        let mut each = categories.to_vec();
        each.sort_unstable();
        each.dedup();
        for (place, &a) in each.iter().enumerate() {
            self.meetings.extend(each[place..].iter().map(|&b| [a, b]));
        }
        self.meetings.sort_unstable();
        self.meetings.dedup();
        self
    }

    /// Also finds pairs whose masks do not agree. Without this, masks count as they do in a step: friends that pass
    /// through each other are not a pair.
    pub fn ignoring_masks(mut self) -> Self {
        self.by_masks = false;
        self
    }

    /// Finds only pairs whose masks pass a test, such as enemies where allies collide as well: besides that they agree, unless
    /// masks are [ignored](Self::ignoring_masks). Of the 64 groups, teams take some bits, and the test looks at those:
    /// `|a, b| a.memberships & b.memberships & TEAMS == 0`. The test should not depend on the order of its two
    /// arguments: which proxy comes first is not specified. It captures nothing, so a team has to be a constant, or be in the masks.
    /// It takes the place of an earlier test. Costs a look at the masks of every pair that is near enough.
    pub fn only(mut self, passes: fn(Masks, Masks) -> bool) -> Self {
        self.only = Some(passes);
        self
    }

    /// Becomes the same question as another, about one pair of categories. Allocates nothing if it was about one before.
    pub(crate) fn be_about(&mut self, categories: [CategoryId; 2], other: &Self) {
        let mut meetings = std::mem::take(&mut self.meetings);
        meetings.clear();
        meetings.push(categories);
        *self = Self {
            meetings,
            asked: categories,
            ..*other
        };
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

    /// The same, as grids of points are asked; the distance must be valid.
    pub(crate) fn nearness(&self) -> Nearness {
        let nearness = if self.from_centers {
            Nearness::of_centers(self.distance)
        } else {
            Nearness::of_boxes(self.distance)
        };
        nearness.expect("the distance is checked")
    }
}

/// Pairs of proxies near each other, all of the same two categories.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProximityBatch<'a> {
    /// The categories they are in now, the lower one first: the first row of each pair is of the first, the second of
    /// the second.
    pub categories: [CategoryId; 2],
    /// The rows they are in now; within one category, the lower row first. Never empty.
    pub pairs: &'a [[Row; 2]],
    /// For each pair, the square of the distance between them when the index was built, measured as asked for. Empty if
    /// it was not kept.
    pub distances_squared: &'a [f32],
}

/// Two proxies near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProximityPair {
    /// Where they are now: the lower category first, or within a category the lower row.
    /// [`Broadphase::proxy_at`](crate::Broadphase::proxy_at) gives their ids.
    pub rows: [RowRef; 2],
    /// The square of the distance between them when the index was built, measured as asked for.
    pub distance_squared: f32,
}
