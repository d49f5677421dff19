//! Which rows are near each row of a piece, as bits.
//!
//! Four rows at a time, against sixteen others at a time: what four rows share, the loads and the loop, is most of what
//! one comparison costs. Pairs from a sweep would be found from one side only, but would have to be put into the lists
//! of both rows one by one, which costs more than the comparisons do.
//!
//! Most comparisons find nothing near. So four rows begin at the first candidate of a strip that they reach, wherever
//! that is, and not at a multiple of sixteen: that saves half a group for each strip.
//!
//! Tried instead: to list first what all rows of a piece look at, and then to compare in one loop that no branch depends on. Comparing
//! four rows with sixteen takes some 22 cycles then, which is what its instructions need, but with the listing it takes as long.

use super::near::{Near, measured, measured_one, near_lanes};
use crate::marks::{Mark, NeighborMarks, TOGETHER, key_of};
use crate::nearness::{Limit, Measure};
use crate::run::RunView;
use throng_core::lanes::{GroupMasks, Kernel, Lanes, Sides, agreeing, chunk};
use throng_core::{LANES, Simd};

/// What may be near a piece in one strip: places in the run nearby. They ascend along x up to a slack, and sixteen NaNs follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// The first that the rows at hand, or any still to come, have to look at, and the first that they need not look at.
    first: usize,
    reached: usize,
}

impl Stretch {
    pub fn from(place: usize) -> Self {
        Self {
            first: place,
            reached: place,
        }
    }

    /// Finds out what rows have to look at if their boxes reach from `left` to `right` and boxes in the run reach this
    /// far.
    ///
    /// A box is passed over if it ends before `left`, and looked at if it begins before `right`; NaN does neither. Sixteen are
    /// asked at a time, and counted: the number is unpredictable, but hardly ever sixteen.
    #[inline(always)]
    fn aim<L: Lanes>(&mut self, lanes: L, xs: &[f32], reach: f32, [left, right]: [f32; 2]) {
        let (reach, every) = (lanes.splat(reach), lanes.every_lane());
        let (left, right) = (lanes.splat(left), lanes.splat(right));
        loop {
            let ends = lanes.add(lanes.load(chunk(xs, self.first)), reach);
            let passed = lanes.bits(lanes.le(every, ends, left)).count_ones() as usize;
            self.first += passed;
            if passed < LANES {
                break;
            }
        }
        self.reached = self.reached.max(self.first);
        loop {
            let begins = lanes.sub(lanes.load(chunk(xs, self.reached)), reach);
            let begun = lanes.bits(lanes.le(every, begins, right)).count_ones() as usize;
            self.reached += begun;
            if begun < LANES {
                break;
            }
        }
    }

    /// How many groups of sixteen there are to look at.
    #[inline(always)]
    fn groups(&self) -> usize {
        (self.reached - self.first).div_ceil(LANES)
    }
}

/// Which of the rows nearby count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// All: they are rows of another grid.
    All,
    /// All but the row itself.
    Others,
    /// Those after the row itself.
    Later,
}

/// The rows of a piece, and what may be near them.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub near: Near,
    pub own: RunView<'a>,
    /// Stretch by stretch.
    pub nearby: RunView<'a>,
    /// How far out of order each is.
    pub slack: [f32; 2],
    pub counted: Counted,
}

/// Marks what is near each row of the piece: adds its blocks to `marks`, which has the rows nearby already, from
/// `first_key` on. Returns the number of comparisons.
pub(crate) fn around(
    simd: Simd,
    search: &Around<'_>,
    stretches: &mut [Stretch],
    first_key: usize,
    marks: &mut NeighborMarks,
) -> u64 {
    let masked = !search.own.masks[0].is_empty();
    let marking = Marking {
        search,
        stretches,
        first_key,
        marks,
    };
    let later = search.counted == Counted::Later;
    debug_assert_ne!(search.near.measure, Measure::OnlyApart);
    let of_boxes = search.near.measure == Measure::Boxes;
    match (of_boxes, masked, later) {
        (false, false, false) => simd.run(marking.kernel::<false, false, false>()),
        (false, false, true) => simd.run(marking.kernel::<false, false, true>()),
        (false, true, false) => simd.run(marking.kernel::<false, true, false>()),
        (false, true, true) => simd.run(marking.kernel::<false, true, true>()),
        (true, false, false) => simd.run(marking.kernel::<true, false, false>()),
        (true, false, true) => simd.run(marking.kernel::<true, false, true>()),
        (true, true, false) => simd.run(marking.kernel::<true, true, false>()),
        (true, true, true) => simd.run(marking.kernel::<true, true, true>()),
    }
}

struct Marking<'k> {
    search: &'k Around<'k>,
    stretches: &'k mut [Stretch],
    first_key: usize,
    marks: &'k mut NeighborMarks,
}

struct MarkNear<'k, const BOXES: bool, const MASKED: bool, const LATER: bool>(Marking<'k>);

impl<'k> Marking<'k> {
    fn kernel<const BOXES: bool, const MASKED: bool, const LATER: bool>(
        self,
    ) -> MarkNear<'k, BOXES, MASKED, LATER> {
        MarkNear(self)
    }
}

/// One row in all lanes.
struct OwnRow<L: Lanes> {
    measured: Sides<L>,
    masks: GroupMasks<L>,
    /// The key that does not count, or the first that does: NaN where all do.
    key: L::Floats,
}

impl<L: Lanes> OwnRow<L> {
    #[inline(always)]
    fn load<const BOXES: bool, const MASKED: bool>(
        lanes: L,
        search: &Around<'_>,
        at: usize,
    ) -> Self {
        let own = &search.own;
        let row = own.names[at];
        Self {
            measured: measured_one::<L, BOXES>(lanes, own, search.near.boxes[0], at),
            masks: GroupMasks::splat(lanes, MASKED, own.masks, at),
            key: lanes.splat(match search.counted {
                Counted::All => f32::NAN,
                Counted::Others => key_of(row),
                Counted::Later => key_of(row + 1),
            }),
        }
    }
}

/// Sixteen rows nearby, with what is compared of them.
struct Group<L: Lanes> {
    measured: Sides<L>,
    masks: GroupMasks<L>,
    keys: L::Floats,
}

/// Which of a group are near a row, and count.
#[inline(always)]
fn hits<L: Lanes, const BOXES: bool, const LATER: bool>(
    lanes: L,
    row: &OwnRow<L>,
    group: &Group<L>,
    limit: &Limit,
) -> u32 {
    let both = [&row.measured, &group.measured];
    let (hit, _) = near_lanes::<L, BOXES>(lanes, lanes.every_lane(), both, limit);
    let hit = agreeing(lanes, hit, row.masks, group.masks);
    lanes.bits(if LATER {
        lanes.le(hit, row.key, group.keys)
    } else {
        lanes.differ(hit, row.key, group.keys)
    })
}

impl<const BOXES: bool, const MASKED: bool, const LATER: bool> Kernel
    for MarkNear<'_, BOXES, MASKED, LATER>
{
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Marking {
            search,
            stretches,
            first_key,
            marks,
        } = self.0;
        // Each by itself and by value: what is read through a reference is read again after each store.
        let Around {
            near: Near { limit, boxes, .. },
            own,
            nearby,
            slack,
            ..
        } = *search;
        let NeighborMarks {
            lens,
            keys,
            marks,
            blocks,
            ..
        } = marks;
        let keys = &keys[first_key..];
        let last = own.len - 1;
        let (own_reach, reach) = (own.bound[0], nearby.bound[0]);
        let mut compared = 0;
        for first in (0..own.len).step_by(TOGETHER) {
            // If there are fewer, the last one takes the place of those missing.
            let places = [
                first,
                last.min(first + 1),
                last.min(first + 2),
                last.min(first + 3),
            ];
            let (mut left, mut right) = (own.xs[first], own.xs[first]);
            for x in places.map(|at| own.xs[at]) {
                left = if x < left { x } else { left };
                right = if x > right { x } else { right };
            }
            // What is passed over is passed over by later rows too, which may be out of order themselves.
            left -= own_reach + (slack[0] + slack[1]);
            right += own_reach + slack[1];
            let mut groups = 0;
            for stretch in &mut *stretches {
                stretch.aim(lanes, nearby.xs, reach, [left, right]);
                groups += stretch.groups();
            }
            let rows = TOGETHER.min(own.len - first);
            compared += (rows * groups * LANES) as u64;
            let begin = marks.len();
            marks.resize(begin + groups, Mark::default());
            let mut to = marks[begin..].iter_mut();
            let around = [
                OwnRow::load::<BOXES, MASKED>(lanes, search, places[0]),
                OwnRow::load::<BOXES, MASKED>(lanes, search, places[1]),
                OwnRow::load::<BOXES, MASKED>(lanes, search, places[2]),
                OwnRow::load::<BOXES, MASKED>(lanes, search, places[3]),
            ];
            for stretch in &*stretches {
                for (at, mark) in (stretch.first..stretch.reached).step_by(LANES).zip(&mut to) {
                    let group = Group {
                        measured: measured::<L, BOXES>(lanes, &nearby, boxes[1], at),
                        masks: GroupMasks::load(lanes, MASKED, nearby.masks, at),
                        keys: lanes.load(chunk(keys, at)),
                    };
                    let near = [
                        hits::<L, BOXES, LATER>(lanes, &around[0], &group, &limit),
                        hits::<L, BOXES, LATER>(lanes, &around[1], &group, &limit),
                        hits::<L, BOXES, LATER>(lanes, &around[2], &group, &limit),
                        hits::<L, BOXES, LATER>(lanes, &around[3], &group, &limit),
                    ];
                    *mark = Mark {
                        from: (first_key + at) as u32,
                        near: near.map(|near| near as u16),
                    };
                }
            }
            // By themselves: next to the comparisons, the compiler would put bits together in a vector, one by one.
            let mut counts = [0; TOGETHER];
            for mark in &marks[begin..] {
                for (count, near) in counts.iter_mut().zip(mark.near) {
                    *count += near.count_ones();
                }
            }
            // Four, whether there are as many rows or not: a number that is not known takes a call.
            lens.extend_from_slice(&counts);
            blocks.push(marks.len());
        }
        lens.truncate(lens.len() - own.len.next_multiple_of(TOGETHER) + own.len);
        compared
    }
}
