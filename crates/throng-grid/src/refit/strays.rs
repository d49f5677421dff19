//! After rows were read anew, the few that are far from where the last build put them are carried over to where they belong.
//!
//! In a game hardly a frame passes without a thing that is respawned, teleported, or faster than all others. What searches allow
//! for is how far *any* row has come, so a single one of these would cost a build. Nobody has to say who they are: leaves that
//! somebody is far from are known by what was measured of them, and only these are looked through. Along y a row is compared with
//! its strip, along x with its block and with those beside it in the leaf. Several side by side that go along x together vouch for
//! each other, and are not found. (To compare each row with where it was before took a fifth as long as to read all, in every
//! refit, and did not notice who strays little by little.)

use super::RefitScratch;
use super::log::MOST_AT_ONCE;
use super::read::Refitted;
use crate::layout::{COLUMN_BITS, Place};
use crate::leaf::{Bounds, Leaf, leaf_at};
use crate::mend::{Carried, Columns, MendScratch, departure, leaf_of};
use crate::run::Centers;
use crate::{PointGrid, kernels};
use std::mem;
use std::ops::Range;

/// A row has strayed if it is farther than this from where a build puts rows of its leaf, or out of order by more, in half extents
/// of the bound and one column; or less far where rows are dense.
const FAR: f32 = 3.0;
/// Leaves are looked through if they have no more than one row in so many of all, or a few.
const PART_SEARCHED: usize = 2;
const FEW_SEARCHED: usize = 2048;
/// To carry a row over takes about as long as what a refit saves for so many rows.
const ROWS_PER_STRAY: usize = 384;
const FEW_STRAYS: usize = 1;
/// A row is compared with so many before it and so many behind it, and most of either have to say that it has strayed.
const BESIDE: usize = 4;
const MOST_BESIDE: usize = 3;
/// How many rows are looked at together.
const BLOCK: usize = 64;
/// Among any [`MOST_BESIDE`] of [`BESIDE`] is one of the nearest two.
const NEAREST: usize = 2;
const _: () = assert!(BESIDE - MOST_BESIDE < NEAREST);

impl PointGrid {
    /// Carries over the rows that have strayed, if they are few. Returns `false` if the index is no longer whole, and must be
    /// built.
    pub(super) fn bring_home(&mut self, columns: &Columns<'_>) -> bool {
        let far = self.far();
        if !self.have_few_strayed(far) {
            return true;
        }
        let mut scratch = mem::take(&mut self.mend_scratch);
        self.list_strays(far, &mut scratch);
        let strays = scratch.departures.len();
        let is_whole = strays == 0
            || strays > self.rows / ROWS_PER_STRAY + FEW_STRAYS
            || self.carry_and_measure(columns, &mut scratch);
        self.mend_scratch = scratch;
        is_whole
    }

    /// Whether rows may have strayed from some leaves, and these are few. Not so if any row cannot be indexed.
    fn have_few_strayed(&self, far: [f32; 2]) -> bool {
        let suspects = self
            .measured()
            .filter(|(_, leaf, found)| self.may_have_strays(leaf, found, far));
        let rows: usize = suspects.map(|(_, leaf, _)| leaf.len as usize).sum();
        let are_few = rows > 0 && rows <= (self.rows / PART_SEARCHED).max(FEW_SEARCHED);
        are_few && self.refit_scratch.found.iter().all(|found| found.is_good)
    }

    /// How far from where a build put it somebody has strayed along each axis: so far that searches had to compare each row with as
    /// many more as no refit may cost, but no farther than some boxes are wide.
    fn far(&self) -> [f32; 2] {
        let half = self.bound[0];
        let too_far = half * (MOST_AT_ONCE / self.rows_within(half));
        let [far_x, far_y] = self.bound.map(|half| too_far.min(FAR * half));
        // Along x a build leaves them out of order as well.
        [far_x + self.layout.columns.width(), far_y]
    }

    fn may_have_strays(&self, leaf: &Leaf, found: &Refitted, far: [f32; 2]) -> bool {
        let near = self.home(leaf).widened(far);
        found.disorder > far[0] || near.union(leaf.bounds) != near
    }

    /// Lists the places of those who have strayed.
    fn list_strays(&self, far: [f32; 2], scratch: &mut MendScratch) {
        scratch.clear();
        for (index, leaf, found) in self.measured() {
            if self.may_have_strays(leaf, found, far) {
                let near = self.home(leaf).widened(far);
                let Centers { xs, ys, .. } = self.centers(leaf);
                kernels::strays(self.simd, [xs, ys], &near, far[0], |place| {
                    scratch.departures.push(departure(index, place));
                });
            }
        }
    }

    /// Leaves, by number, with what was found in them.
    fn measured(&self) -> impl Iterator<Item = (u32, &Leaf, &Refitted)> {
        let RefitScratch {
            by_memory, found, ..
        } = &self.refit_scratch;
        let leaves = by_memory.iter().zip(found);
        leaves.map(|(&index, found)| (index, &self.leaves[index as usize], found))
    }

    /// Carries over those who are listed, and measures the leaves again that they leave or come into.
    fn carry_and_measure(&mut self, columns: &Columns<'_>, scratch: &mut MendScratch) -> bool {
        self.forget_measures(&scratch.departures);
        if !self.carry(Carried::Strays, *columns, scratch) {
            return false;
        }
        for &place in &scratch.changed {
            self.measure_again(place);
        }
        true
    }

    /// Forgets what was found in leaves that rows depart from.
    fn forget_measures(&mut self, departures: &[u64]) {
        let RefitScratch {
            by_memory, found, ..
        } = &mut self.refit_scratch;
        let mut left = departures;
        for (&leaf, found) in by_memory.iter().zip(found) {
            // They are listed as leaves lie in memory.
            let departs = |departure: &&u64| leaf_of(**departure) == leaf as usize;
            let its = left.iter().take_while(departs).count();
            if its > 0 {
                *found = Refitted {
                    is_good: true,
                    ..Refitted::NONE
                };
            }
            left = &left[its..];
        }
    }

    /// Measures a leaf again, if it is still there.
    fn measure_again(&mut self, (strip, block): (i32, i32)) {
        let first = Place {
            strip,
            column: block << COLUMN_BITS,
        };
        let Some(index) = leaf_at(&self.strips, &self.leaves, first) else {
            return;
        };
        let Centers { xs, ys, .. } = self.centers(&self.leaves[index]);
        let measured = kernels::measure(self.simd, [xs, ys]);
        self.leaves[index].bounds = measured.bounds;
        self.refit_scratch.found.push(measured);
    }
}

/// Lists the rows of a leaf that have strayed, whose centers these are: those that are not near, or far out of order.
#[inline(always)]
pub(crate) fn list_strays(
    [xs, ys]: [&[f32]; 2],
    near: &Bounds,
    far: f32,
    list: &mut impl FnMut(usize),
) {
    let leaf = Searched { xs, ys, near, far };
    // Those at either end have too few beside them to be looked at together.
    let first = NEAREST.min(xs.len());
    let inner = first..first.max(xs.len().saturating_sub(NEAREST));
    let mut look_at = |some: Range<usize>| {
        some.filter(|&place| leaf.has_strayed(place))
            .for_each(&mut *list);
    };
    look_at(0..inner.start);
    for first in inner.clone().step_by(BLOCK) {
        let block = first..inner.end.min(first + BLOCK);
        if leaf.may_have_strays(block.clone()) {
            look_at(block);
        }
    }
    look_at(inner.end..xs.len());
}

/// A leaf that is looked through, what is near where a build put its rows, and how far out of order they may be.
struct Searched<'l> {
    xs: &'l [f32],
    ys: &'l [f32],
    near: &'l Bounds,
    far: f32,
}

impl Searched<'_> {
    /// Whether any of these rows may have strayed.
    #[inline(always)]
    fn may_have_strays(&self, some: Range<usize>) -> bool {
        let (first, len) = (some.start, some.len());
        let beside = |at: usize| &self.xs[at..][..len];
        let [before_2, before_1] = [first - 2, first - 1].map(beside);
        let [behind_1, behind_2] = [first + 1, first + 2].map(beside);
        let (xs, ys) = (beside(first), &self.ys[some]);
        let Bounds {
            min: [leftmost, lowest],
            max: [rightmost, highest],
        } = *self.near;
        let far = self.far;
        // No closures: what is done for each row is to be vector code.
        let mut any = 0;
        for at in 0..len {
            let before = if before_1[at] > before_2[at] {
                before_1[at]
            } else {
                before_2[at]
            };
            let behind = if behind_1[at] < behind_2[at] {
                behind_1[at]
            } else {
                behind_2[at]
            };
            any |= u32::from(ys[at] < lowest) | u32::from(ys[at] > highest);
            any |= u32::from(xs[at] < leftmost) | u32::from(xs[at] > rightmost);
            any |= u32::from(xs[at] < before - far) | u32::from(xs[at] > behind + far);
        }
        any != 0
    }

    fn has_strayed(&self, place: usize) -> bool {
        let Bounds { min, max } = self.near;
        let (x, y) = (self.xs[place], self.ys[place]);
        let is_beyond = x < min[0] || x > max[0] || y < min[1] || y > max[1];
        is_beyond || self.is_out_of_order(place)
    }

    /// Whether most of those before a row are far to the right of it, or most of those behind it far to the left. One that is out
    /// of order makes others seem so to it, but not to most others.
    fn is_out_of_order(&self, place: usize) -> bool {
        let x = self.xs[place];
        let before = |beside: usize| Some(self.xs[place.checked_sub(beside)?]);
        let behind = |beside: usize| self.xs.get(place + beside).copied();
        let is_far_left = |other: f32| x < other - self.far;
        let is_far_right = |other: f32| x > other + self.far;
        are_most(before, behind, is_far_left) || are_most(behind, before, is_far_right)
    }
}

/// Whether most of those on one side of a row say that it is out of order, and of the nearest two at least one. Where the leaf
/// ends, those on the other side are asked instead of those missing.
#[inline(always)]
fn are_most(
    side: impl Fn(usize) -> Option<f32> + Copy,
    other: impl Fn(usize) -> Option<f32> + Copy,
    is_out: impl Fn(f32) -> bool,
) -> bool {
    let is_nearest_out = (1..=NEAREST).any(|beside| side(beside).is_some_and(&is_out));
    if !is_nearest_out {
        return false;
    }
    let on_side = (1..=BESIDE).map_while(side);
    let missing = BESIDE - on_side.clone().count();
    let beside = on_side.chain((1..=missing).map_while(other));
    beside.filter(|&x| is_out(x)).count() >= MOST_BESIDE
}
