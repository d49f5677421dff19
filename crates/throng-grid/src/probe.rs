//! A piece of a leaf, prepared for boxes of any size: which of its rows can one box reach at all?
//!
//! Nothing is copied. The piece is compared in place, sixteen rows at a time, and each box only with the groups of
//! sixteen that it can reach along x, found from two numbers per group. So a piece that few boxes touch costs what
//! they cost, not what it would itself. Boxes come in blocks of sixteen: first a list is made of which boxes visit
//! which groups, then the list is worked through.

use crate::run::{Centers, RunView};
use throng_core::{Arena, BoxRun, LANES};

/// The most groups in a piece. See `pieces`.
const MOST_GROUPS: usize = 128;

/// The places in a piece, in order: what kernels read where pairs are to be named by them.
static PLACES: [u32; LANES * MOST_GROUPS] = {
    let mut places = [0; LANES * MOST_GROUPS];
    let mut place = 0;
    while place < places.len() {
        places[place] = place as u32;
        place += 1;
    }
    places
};

/// The rows of a piece, and where each group of sixteen begins and ends along x.
///
/// Rows ascend up to `slack` (see [`View::slack`](crate::view::View::slack)) by their left sides, and also by
/// their right ones, since adding the bound rounds as subtracting it does.
pub(crate) struct Probe<'a> {
    pub own: Centers<'a>,
    slack: f32,
    placed: bool,
    /// How many groups there are; the last may not be full.
    groups: usize,
    /// The left side of a box of the bound around the first row of each group.
    lefts: [f32; MOST_GROUPS],
    /// The right side of a box of the bound around the first row after each group, and the slack; infinite if there is
    /// none.
    rights: [f32; MOST_GROUPS],
    /// The last group, padded with NaN.
    last: LastGroup,
}

/// Up to sixteen of the boxes that are compared with a piece.
#[derive(Default)]
pub(crate) struct Block {
    /// min x, min y, max x, max y.
    pub sides: [[f32; LANES]; 4],
    pub rows: [u32; LANES],
    /// How many boxes there are. The lanes after them mean nothing.
    pub len: usize,
}

impl Block {
    /// Copies up to sixteen boxes from `at` on.
    #[inline(always)]
    pub fn load(&mut self, boxes: &BoxRun<'_>, at: usize) {
        for (side, from) in self.sides.iter_mut().zip(boxes.sides()) {
            copy_some(side, &from[at..]);
        }
        copy_some(&mut self.rows, &boxes.rows()[at..]);
        self.len = LANES.min(boxes.len() - at);
    }

    /// The lower and the upper corner of a box.
    #[inline(always)]
    pub fn corners(&self, lane: usize) -> [[f32; 2]; 2] {
        let [min_x, min_y, max_x, max_y] = &self.sides;
        [[min_x[lane], min_y[lane]], [max_x[lane], max_y[lane]]]
    }
}

/// Copies a whole group, or as much as there is of one.
#[inline(always)]
fn copy_some<T: Copy>(to: &mut [T; LANES], from: &[T]) {
    match from.first_chunk() {
        Some(whole) => *to = *whole,
        None => to[..from.len()].copy_from_slice(from),
    }
}

/// The groups that each box of a block can reach. May include groups before or after; never leaves any out.
///
/// Computed for sixteen boxes at once rather than for each in turn: the numbers are then known long before a branch
/// depends on them, which made meeting scenery a tenth faster.
#[derive(Default)]
pub(crate) struct Reached {
    /// How many groups end before a box begins.
    pub passed: [u32; LANES],
    /// How many groups begin before a box ends.
    pub begun: [u32; LANES],
}

/// Which box of a block is to be compared with which group of a piece, box by box.
///
/// A list, because how many groups a box reaches is unpredictable: looping over the groups of each box in turn ends
/// with a branch that is mispredicted for every other box. Without those branches, meeting scenery takes a fifth less
/// time.
pub(crate) struct Visits<'a> {
    list: &'a mut [Visit; MOST_VISITS],
}

/// Room for all that there can be, and for what one write may add past the end.
const MOST_VISITS: usize = LANES * MOST_GROUPS + AT_ONCE;

/// How many groups are listed at a time.
const AT_ONCE: usize = 16;

/// The lane of a box in the upper byte, and a group in the lower one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Visit(u16);

impl Visit {
    #[inline(always)]
    pub fn lane(self) -> usize {
        usize::from(self.0 >> 8) % LANES
    }

    #[inline(always)]
    pub fn group(self) -> usize {
        usize::from(self.0 & 0xff)
    }
}

impl<'a> Visits<'a> {
    /// Bytes that a list takes from its arena.
    pub const BYTES: usize = size_of::<[Visit; MOST_VISITS]>();

    /// An empty list. Filling its memory with zeros takes longer than comparing a few boxes with a piece, so one list should serve many
    /// pieces.
    pub fn new(arena: &'a Arena) -> Self {
        let list = arena.alloc_slice_fill(MOST_VISITS, Visit::default());
        Self {
            list: list.first_chunk_mut().expect("it is as long"),
        }
    }

    /// Lists the groups that the first `boxes` of a block reach.
    #[inline(always)]
    pub fn list(&mut self, reached: &Reached, boxes: usize) -> &[Visit] {
        let mut len = 0;
        let ends = reached.passed.iter().zip(&reached.begun);
        for (lane, (&passed, &begun)) in (0..).zip(ends).take(boxes) {
            let mut group = passed;
            loop {
                // Writes sixteen, whether or not there are as many: few boxes reach more.
                let room: &mut [Visit; AT_ONCE] = self.list[len..]
                    .first_chunk_mut()
                    .expect("room for every group of every box");
                let first = (lane << 8 | group) as u16;
                for (next, visit) in (0..).zip(room) {
                    *visit = Visit(first + next);
                }
                let left = begun.saturating_sub(group) as usize;
                len += left.min(AT_ONCE);
                if left <= AT_ONCE {
                    break;
                }
                group += AT_ONCE as u32;
            }
        }
        &self.list[..len]
    }
}

/// Centers x and y, own half widths and half heights, and rows.
struct LastGroup {
    values: [[f32; LANES]; 4],
    rows: [u32; LANES],
}

impl<'a> Probe<'a> {
    /// Prepares a piece for comparison; if `placed`, pairs are to be named by places in it rather than by rows.
    /// O(rows / 16).
    pub fn new(own: Centers<'a>, slack: f32, placed: bool) -> Self {
        let groups = own.len().div_ceil(LANES);
        assert!(groups <= MOST_GROUPS, "a piece of {} rows", own.len());
        let mut probe = Self {
            own,
            slack,
            placed,
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

    /// Whether rows' own boxes are compared rather than boxes of the bound.
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

    /// How far beyond its right side a box may still reach groups.
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

    /// The groups that are whole, in place.
    #[inline(always)]
    pub fn whole_groups(&self) -> RunView<'_> {
        let whole = self.own.len() / LANES * LANES;
        self.named(self.own.slice(0..whole), 0)
    }

    /// The last group, if it is not whole: padded with NaN.
    #[inline(always)]
    pub fn last_group(&self) -> RunView<'_> {
        let [xs, ys, width, height] = &self.last.values;
        let last = Centers {
            xs,
            ys,
            rows: &self.last.rows,
            own: self.own.own.map(|_| [&width[..], &height[..]]),
            ..self.own
        };
        self.named(last, self.groups.saturating_sub(1) * LANES)
    }

    /// Centers as a kernel reads them, the first of which is at a place of the piece.
    #[inline(always)]
    fn named<'v>(&self, centers: Centers<'v>, first: usize) -> RunView<'v> {
        let mut view = centers.view();
        if self.placed {
            view.names = &PLACES[first..first + centers.len()];
            view.name_shift = 0;
        }
        view
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MOST: u32 = MOST_GROUPS as u32;

    proptest! {
        #[test]
        fn every_box_visits_the_groups_that_it_reaches(
            ends in prop::collection::vec((0..=MOST, 0..=MOST), LANES),
            boxes in 1..=LANES,
            all in any::<bool>(),
        ) {
            let mut reached = Reached::default();
            let ends = ends.iter().map(|&ends| if all { (0, MOST) } else { ends });
            for (lane, ends) in ends.enumerate() {
                (reached.passed[lane], reached.begun[lane]) = ends;
            }
            let arena = Arena::new();
            let mut visits = Visits::new(&arena);
            // Nothing of an earlier block shows.
            visits.list(&Reached { passed: [0; LANES], begun: [MOST; LANES] }, LANES);
            let listed = visits.list(&reached, boxes);
            let listed: Vec<_> = listed.iter().map(|visit| (visit.lane(), visit.group())).collect();
            let expected: Vec<_> = (0..boxes)
                .flat_map(|lane| (reached.passed[lane]..reached.begun[lane]).map(move |group| (lane, group as usize)))
                .collect();
            prop_assert_eq!(listed, expected);
        }
    }
}
