//! A piece of a leaf as boxes of any size look at it: which of its rows can one box reach at all?
//!
//! Nothing is copied. The piece is compared where it lies, sixteen rows at a time, and for each box only the
//! groups of sixteen that it can reach along x: a dozen numbers for a thousand rows tell which. So a piece
//! that few boxes touch costs them, not itself.

use crate::run::{Centers, RunView};
use std::ops::Range;
use throng_core::LANES;

/// Groups of a piece, at most. See `pieces`.
const MOST_GROUPS: usize = 128;

/// The rows of a piece, and where each group of sixteen begins and ends along x.
///
/// Rows ascend up to `slack` (see [`Layout::slack`](crate::layout::Layout::slack)), by their left sides and as
/// well by their right ones, since adding the bound is rounded as taking it off is.
pub(crate) struct Probe<'a> {
    pub own: Centers<'a>,
    slack: f32,
    /// How many groups there are, the last perhaps not full.
    pub groups: usize,
    /// The left side of a box of the bound around the first row of each group.
    lefts: [f32; MOST_GROUPS],
    /// The right side of a box of the bound around the first row after each group, and the slack; infinite if there is
    /// none.
    rights: [f32; MOST_GROUPS],
    /// The last group, filled up with NaN.
    last: LastGroup,
}

/// The groups that each of sixteen boxes can reach.
#[derive(Default)]
pub(crate) struct Reached {
    /// How many groups end before a box begins.
    pub passed: [u32; LANES],
    /// How many begin before it ends.
    pub begun: [u32; LANES],
}

impl Reached {
    /// The groups that the box in a lane can reach.
    #[inline(always)]
    pub fn by(&self, lane: usize) -> Range<usize> {
        self.passed[lane] as usize..self.begun[lane] as usize
    }
}

/// x, y, own half width and half height, and rows.
struct LastGroup {
    values: [[f32; LANES]; 4],
    rows: [u32; LANES],
}

impl<'a> Probe<'a> {
    /// Makes ready to compare a piece. O(rows / 16).
    pub fn new(own: Centers<'a>, slack: f32) -> Self {
        let groups = own.len().div_ceil(LANES);
        assert!(groups <= MOST_GROUPS, "a piece of {} rows", own.len());
        let mut probe = Self {
            own,
            slack,
            groups,
            lefts: [f32::INFINITY; MOST_GROUPS],
            rights: [f32::INFINITY; MOST_GROUPS],
            last: LastGroup {
                values: [[f32::NAN; LANES]; 4],
                rows: [0; LANES],
            },
        };
        let firsts = own.xs.iter().step_by(LANES);
        for (group, &x) in firsts.enumerate() {
            probe.lefts[group] = x - own.bound[0];
            if let Some(before) = group.checked_sub(1) {
                probe.rights[before] = x + own.bound[0] + slack;
            }
        }
        probe.fill_last(own);
        probe
    }

    /// Whether own boxes are compared rather than boxes of the bound.
    pub fn is_exact(&self) -> bool {
        self.own.own.is_some()
    }

    fn fill_last(&mut self, own: Centers<'_>) {
        let first = own.len().saturating_sub(1) / LANES * LANES;
        let rest = own.slice(first..own.len());
        let half = rest.own.unwrap_or([&[], &[]]);
        let columns = [rest.xs, rest.ys, half[0], half[1]];
        for (mine, theirs) in self.last.values.iter_mut().zip(columns) {
            mine[..theirs.len()].copy_from_slice(theirs);
        }
        self.last.rows[..rest.len()].copy_from_slice(rest.rows);
    }

    /// The groups that each of the first sixteen boxes can reach, given by their sides along x. Groups before or behind
    /// may be among them, never are any left out.
    ///
    /// For sixteen boxes at a time rather than for each when its turn comes: the numbers are then known long before a
    /// branch depends on them, which made meeting scenery a tenth faster.
    pub fn reached(&self, min_x: &[f32], max_x: &[f32]) -> Reached {
        let mut reached = Reached::default();
        for (lane, (&min, &max)) in min_x.iter().zip(max_x).take(LANES).enumerate() {
            let furthest = max + self.slack;
            for (begins, ends) in self.ends() {
                reached.passed[lane] += u32::from(ends < min);
                reached.begun[lane] += u32::from(begins <= furthest);
            }
        }
        reached
    }

    /// How far beyond its right side a box may reach groups.
    #[inline(always)]
    pub fn slack(&self) -> f32 {
        self.slack
    }

    /// Where each group begins and ends.
    #[inline(always)]
    pub fn ends(&self) -> impl Iterator<Item = (f32, f32)> {
        let ends = self.lefts[..self.groups].iter().zip(&self.rights);
        ends.map(|(&begins, &ends)| (begins, ends))
    }

    /// Of some groups, how many at their beginning are compared where they lie: all but the last of the piece.
    #[inline(always)]
    pub fn in_place(&self, groups: &Range<usize>) -> Range<usize> {
        groups.start..groups.end.min(self.own.len() / LANES)
    }

    /// The last group, if it is among `groups` and not full: filled up with NaN.
    #[inline(always)]
    pub fn last_of(&self, groups: &Range<usize>) -> Option<RunView<'_>> {
        if groups.end * LANES <= self.own.len() || groups.is_empty() {
            return None;
        }
        let [xs, ys, width, height] = &self.last.values;
        let last = Centers {
            xs,
            ys,
            rows: &self.last.rows,
            own: self.own.own.map(|_| [&width[..], &height[..]]),
            ..self.own
        };
        Some(last.view())
    }
}
