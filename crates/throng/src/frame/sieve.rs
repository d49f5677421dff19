//! What kernels cannot test: pairs are looked at once more before the narrowphase sees them.
//!
//! This happens only in meetings that need it: where owners or excluded pairs are on both sides, there are too many
//! masks for words, or some on both sides rest that have no index of their own. A batch of pairs is still in the L1 cache
//! then, and is filtered there.

use throng_core::{HeldPairs, PairRoom, for_both};

use crate::broadphase::Broadphase;
use crate::frame::plan::Meeting;
use crate::frame::resting::rest_of::RestOf;
use crate::frame::resting::stillness::RESTING;
use crate::world::category::Category;
use crate::world::exclusions::{Exclusions, Partners};
use crate::world::ids::{CategoryId, Row};

/// The tests that pairs of a meeting still have to pass.
pub(crate) struct Sieve<'w> {
    exclusions: &'w Exclusions,
    sides: [&'w Category; 2],
    /// Whether masks have to be compared.
    masks: bool,
    owners: Option<[&'w [u64]; 2]>,
    /// With whom rows are in excluded pairs.
    excluded: Option<[&'w [Partners]; 2]>,
    /// Who rests, if any pair of two that do may be found.
    rest: Option<[RestOf<'w>; 2]>,
    /// Whether nothing else is tested.
    tests_rest_alone: bool,
}

impl<'w> Sieve<'w> {
    /// The tests of a meeting; `None` if there are none.
    pub(crate) fn of(world: &'w Broadphase, meeting: &Meeting, masks: bool) -> Option<Self> {
        let mut sieve = Self::but_for_rest(world, meeting.categories, masks);
        let others = sieve.tests_meetings();
        let rest = sieve.sides.map(RestOf::of);
        let rest = rest[0].zip(rest[1]).filter(|_| meeting.finds_resting);
        sieve.rest = rest.map(|(a, b)| [a, b]);
        sieve.tests_rest_alone = !others;
        (others || rest.is_some()).then_some(sieve)
    }

    /// The tests of predicted pairs of two categories: all that there are, but for rest, since one of the two looks ahead.
    pub(crate) fn of_predicted(world: &'w Broadphase, categories: [CategoryId; 2]) -> Option<Self> {
        let columns = categories.map(|category| &world.categories[category.index()].columns);
        let masks = columns.iter().any(|columns| columns.masks.is_allocated());
        let sieve = Self::but_for_rest(world, categories, masks);
        sieve.tests_meetings().then_some(sieve)
    }

    /// Whether any of its tests has to do with who meets whom.
    fn tests_meetings(&self) -> bool {
        self.masks || self.owners.is_some() || self.excluded.is_some()
    }

    fn but_for_rest(world: &'w Broadphase, categories: [CategoryId; 2], masks: bool) -> Self {
        let sides = categories.map(|category| &world.categories[category.index()]);
        let [a, b] = sides.map(|side| &side.columns);
        let owners = a.owners.values().zip(b.owners.values());
        let excluded = a.excluded.values().zip(b.excluded.values());
        let excluded = excluded.filter(|_| world.exclusions.proxies() > 0);
        Self {
            exclusions: &world.exclusions,
            sides,
            masks,
            owners: owners.map(|(a, b)| [a, b]),
            excluded: excluded.map(|(a, b)| [a, b]),
            rest: None,
            tests_rest_alone: false,
        }
    }

    /// Writes the pairs that pass to `kept`, and returns how many. There must be room for all.
    ///
    /// Each pair is written, and then counted or not: whether one passes is too unpredictable for a branch.
    pub(crate) fn sift(&self, pairs: &[[Row; 2]], kept: &mut PairRoom) -> usize {
        if let (Some([RestOf::Rows(one), RestOf::Rows(other)]), true) =
            (self.rest, self.tests_rest_alone)
        {
            return sift_resting(pairs, [one, other], kept);
        }
        let mut count = 0;
        for &pair in pairs {
            kept[count] = pair;
            count += usize::from(self.passes(pair));
        }
        count
    }

    /// Keeps the pairs that pass, with their values.
    pub(crate) fn sift_held(&self, held: &mut HeldPairs) {
        held.retain(|pair| self.passes(pair));
    }

    #[inline]
    pub(crate) fn passes(&self, pair: [Row; 2]) -> bool {
        let [a, b] = pair.map(|row| row as usize);
        let apart_by_masks = self.masks && {
            let [one, other] = self.sides.map(|side| &side.columns);
            !one.masks(a).meets(other.masks(b))
        };
        let same_owner = self.owners.is_some_and(|[one, other]| {
            let (one, other) = (one[a], other[b]);
            (one == other) & (one != 0)
        });
        let excluded = self.excluded.is_some_and(|partners| {
            let of_one = partners[0][a];
            // Where few are in such pairs, or nearly all, that is easy to predict.
            !of_one.are_none()
                && (of_one.have(self.slot(1, b)))
                    .unwrap_or_else(|| self.are_excluded(partners, pair))
        });
        let at_rest = self.rest.is_some_and(|[one, other]| {
            one.is_still(pair[0], RESTING) & other.is_still(pair[1], RESTING)
        });
        !(apart_by_masks | same_owner | excluded | at_rest)
    }

    /// What exclusions know a proxy by.
    #[inline]
    fn slot(&self, side: usize, row: usize) -> u32 {
        self.sides[side].columns.ids[row].index()
    }

    /// The same where the first has more partners than there is room for in its row: the second may have fewer.
    #[cold]
    fn are_excluded(&self, partners: [&[Partners]; 2], pair: [Row; 2]) -> bool {
        let [a, b] = for_both(|side| self.slot(side, pair[side] as usize));
        let of_other = partners[1][pair[1] as usize].have(a);
        of_other.unwrap_or_else(|| self.exclusions.contains(a, b))
    }
}

/// The same where all that is tested is whether both rest.
fn sift_resting(pairs: &[[Row; 2]], still: [&[u8]; 2], kept: &mut PairRoom) -> usize {
    let mut count = 0;
    for &pair in pairs {
        kept[count] = pair;
        let [a, b] = for_both(|side| still[side][pair[side] as usize]);
        count += usize::from(a & b != RESTING);
    }
    count
}
const _: () = assert!(RESTING == u8::MAX, "whatever is not, lacks a bit");
