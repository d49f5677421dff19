//! The rows near each row of a piece.
//!
//! Four rows at a time, against sixteen others at a time: what four rows share, the loads and the loop, is most of what
//! one comparison costs. Pairs from a sweep would be found from one side only, but would have to be put into the lists
//! of both rows one by one, which costs more than the comparisons do.

use super::boxes::around as boxes_around;
use super::near::{Near, measured_one, near_lanes, points};
use super::sort_list::{BEHIND, copy, key_of, sort_into};
use crate::lists::{Lists, NextLists};
use crate::run::RunView;
use std::ops::Range;
use throng_core::lanes::{GroupMasks, Kernel, Lanes, Sides, agreeing, chunk, chunk_mut};
use throng_core::{Arena, LANES, Simd};

/// Sixteen rows that may be near others, with what is compared of them side by side: a loop over groups has one address
/// to keep, and no bounds to check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    xs: [f32; LANES],
    ys: [f32; LANES],
    /// See [`key_of`].
    keys: [f32; LANES],
    /// Half widths and heights, where boxes are compared.
    half: [[f32; LANES]; 2],
    /// Memberships and filters, where masks are.
    masks: [[u32; LANES]; 2],
}

impl Group {
    /// No rows.
    pub const EMPTY: Self = Self {
        xs: [f32::NAN; LANES],
        ys: [f32::NAN; LANES],
        keys: [f32::NAN; LANES],
        half: [[f32::NAN; LANES]; 2],
        masks: [[0; LANES]; 2],
    };

    /// Copies the sixteen of a run from `at` on; NaN after its end. Where rows have no sizes of their own, they have
    /// `half`.
    pub fn copy(&mut self, run: &RunView<'_>, half: [f32; 2], at: usize) {
        self.xs = *chunk(run.xs, at);
        self.ys = *chunk(run.ys, at);
        for (key, &row) in self.keys.iter_mut().zip(chunk(run.names, at)) {
            *key = key_of(row);
        }
        self.half = half.map(|half| [half; LANES]);
        if !run.own[0].is_empty() {
            self.half = run.own.map(|half| *chunk(half, at));
        }
        if !run.masks[0].is_empty() {
            self.masks = run.masks.map(|masks| *chunk(masks, at));
        }
    }

    /// What is measured of them: boxes, or points.
    #[inline(always)]
    fn boxes<L: Lanes, const BOXES: bool>(&self, lanes: L, [x, y]: [L::Floats; 2]) -> Sides<L> {
        if BOXES {
            let half = [lanes.load(&self.half[0]), lanes.load(&self.half[1])];
            boxes_around(lanes, [x, y], half)
        } else {
            points(x, y)
        }
    }

    #[inline(always)]
    fn masks<L: Lanes, const MASKED: bool>(&self, lanes: L) -> GroupMasks<L> {
        let columns = [&self.masks[0][..], &self.masks[1][..]];
        GroupMasks::load(lanes, MASKED, columns, 0)
    }
}

/// Groups that ascend along x up to a slack: those of one strip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// The first that any of the rows still to come have to look at.
    pub first: u32,
    pub end: u32,
    /// Which groups each of sixteen blocks of rows has to look at.
    begins: [u32; LANES],
    ends: [u32; LANES],
}

impl Stretch {
    pub fn new(groups: Range<usize>) -> Self {
        Self {
            first: groups.start as u32,
            end: groups.end as u32,
            begins: [0; LANES],
            ends: [0; LANES],
        }
    }

    /// The groups that a block has to look at.
    #[inline(always)]
    fn groups_of(&self, block: usize) -> Range<usize> {
        self.begins[block] as usize..self.ends[block] as usize
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
    pub nearby: &'a [Group],
    /// Half the width that the others' boxes are looked for with.
    pub reach: f32,
    /// How far out of order the two are, together.
    pub slack: f32,
    pub counted: Counted,
}

/// How many rows look at the same groups.
pub(crate) const TOGETHER: usize = 4;

/// What has been found for rows that are looked at together, before their lists are put into order: for those at hand,
/// and for those before them.
pub(crate) struct Found<'a> {
    arena: &'a Arena,
    keys: &'a mut [f32],
    /// As much, if they are wanted.
    offsets: [&'a mut [f32]; 2],
}

impl<'a> Found<'a> {
    /// How many candidates there is room for at first.
    const ROOM: usize = 2 * TOGETHER * 256;
    /// Bytes that it takes from its arena at first.
    pub const BYTES: usize = 3 * Self::ROOM * size_of::<f32>();

    pub fn new(arena: &'a Arena, with_offsets: bool) -> Self {
        Self::with_room(arena, Self::ROOM, with_offsets)
    }

    fn with_room(arena: &'a Arena, room: usize, with_offsets: bool) -> Self {
        let offsets = if with_offsets { room } else { 0 };
        Self {
            arena,
            keys: arena.alloc_slice_fill(room, f32::NAN),
            offsets: [0, 1].map(|_| arena.alloc_slice_fill(offsets, f32::NAN)),
        }
    }

    /// Where to write what is found next, beside what has not been put into lists yet. There is as much room for each of
    /// the rows as asked for.
    #[inline(always)]
    fn room_beside(&mut self, pending: &Pending, room: usize) -> usize {
        if pending.from >= TOGETHER * room {
            return 0;
        }
        let from = pending.from + TOGETHER * pending.room;
        if from + TOGETHER * room > self.keys.len() {
            self.grow(from + TOGETHER * room);
        }
        from
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, room: usize) {
        let mut larger = Self::with_room(self.arena, 2 * room, !self.offsets[0].is_empty());
        larger.keys[..self.keys.len()].copy_from_slice(self.keys);
        for (to, from) in larger.offsets.iter_mut().zip(&self.offsets) {
            to[..from.len()].copy_from_slice(from);
        }
        *self = larger;
    }
}

/// Appends the list of each row of the piece. Returns the number of comparisons.
pub(crate) fn around<'a>(
    simd: Simd,
    search: &Around<'_>,
    stretches: &mut [Stretch],
    found: &mut Found<'a>,
    lists: &mut Lists<'a, '_>,
) -> u64 {
    let masked = !search.own.masks[0].is_empty();
    let with_offsets = !found.offsets[0].is_empty();
    let listed = (search, stretches, found, lists);
    match (search.near.of_boxes, masked, with_offsets) {
        (false, false, false) => simd.run(Listed::<false, false, false>::of(listed)),
        (false, false, true) => simd.run(Listed::<false, false, true>::of(listed)),
        (false, true, false) => simd.run(Listed::<false, true, false>::of(listed)),
        (false, true, true) => simd.run(Listed::<false, true, true>::of(listed)),
        (true, false, false) => simd.run(Listed::<true, false, false>::of(listed)),
        (true, false, true) => simd.run(Listed::<true, false, true>::of(listed)),
        (true, true, false) => simd.run(Listed::<true, true, false>::of(listed)),
        (true, true, true) => simd.run(Listed::<true, true, true>::of(listed)),
    }
}

struct Listed<'k, 'a, 'v, const BOXES: bool, const MASKED: bool, const OFFSETS: bool> {
    search: &'k Around<'k>,
    stretches: &'k mut [Stretch],
    found: &'k mut Found<'a>,
    lists: &'k mut Lists<'a, 'v>,
}

type Arguments<'k, 'a, 'v> = (
    &'k Around<'k>,
    &'k mut [Stretch],
    &'k mut Found<'a>,
    &'k mut Lists<'a, 'v>,
);

impl<'k, 'a, 'v, const BOXES: bool, const MASKED: bool, const OFFSETS: bool>
    Listed<'k, 'a, 'v, BOXES, MASKED, OFFSETS>
{
    fn of((search, stretches, found, lists): Arguments<'k, 'a, 'v>) -> Self {
        Self {
            search,
            stretches,
            found,
            lists,
        }
    }
}

/// One row in all lanes.
struct OwnRow<L: Lanes> {
    center: [L::Floats; 2],
    measured: Sides<L>,
    masks: GroupMasks<L>,
    /// The keys of the row and of the one after it.
    key: L::Floats,
    next_key: L::Floats,
}

impl<L: Lanes> OwnRow<L> {
    #[inline(always)]
    fn load<const BOXES: bool, const MASKED: bool>(
        lanes: L,
        own: &RunView<'_>,
        half: [f32; 2],
        at: usize,
    ) -> Self {
        let row = own.names[at];
        Self {
            center: [lanes.splat(own.xs[at]), lanes.splat(own.ys[at])],
            measured: measured_one::<L, BOXES>(lanes, own, half, at),
            masks: GroupMasks::splat(lanes, MASKED, own.masks, at),
            key: lanes.splat(key_of(row)),
            next_key: lanes.splat(key_of(row + 1)),
        }
    }
}

/// Rows whose neighbours have been found, and whose lists are still to be written. That waits until the next ones have
/// been searched for: what has just been stored cannot be loaded again at other offsets before it is in the cache.
#[derive(Clone, Copy, Default)]
struct Pending {
    first: usize,
    rows: usize,
    /// Where what was found for the first of them begins, and how much room each has.
    from: usize,
    room: usize,
    lens: [usize; TOGETHER],
}

impl<const BOXES: bool, const MASKED: bool, const OFFSETS: bool> Kernel
    for Listed<'_, '_, '_, BOXES, MASKED, OFFSETS>
{
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            search,
            stretches,
            found,
            lists,
        } = self;
        // Each by itself and by value: what is read through a reference is read again after each store.
        let Around {
            near: Near { limit, boxes, .. },
            own,
            nearby,
            counted,
            ..
        } = *search;
        let last = own.len - 1;
        let mut compared = 0;
        let mut pending = Pending::default();
        for first in (0..own.len).step_by(TOGETHER) {
            let block = first / TOGETHER % LANES;
            if block == 0 {
                aim(lanes, search, stretches, &own.xs[first..own.len]);
            }
            let groups: usize = stretches
                .iter()
                .map(|stretch| stretch.groups_of(block).len())
                .sum();
            let rows = TOGETHER.min(own.len - first);
            compared += (rows * groups * LANES) as u64;
            let room = groups * LANES + BEHIND;
            let from = found.room_beside(&pending, room);
            let (keys_found, [dx, dy]) = (&mut *found.keys, &mut found.offsets);
            // If there are fewer, the last one takes the place of those missing.
            let around = [
                OwnRow::load::<BOXES, MASKED>(lanes, &own, boxes[0], first),
                OwnRow::load::<BOXES, MASKED>(lanes, &own, boxes[0], last.min(first + 1)),
                OwnRow::load::<BOXES, MASKED>(lanes, &own, boxes[0], last.min(first + 2)),
                OwnRow::load::<BOXES, MASKED>(lanes, &own, boxes[0], last.min(first + 3)),
            ];
            // Where the next neighbour of each is written.
            let mut ends = [from, from + room, from + 2 * room, from + 3 * room];
            for stretch in &*stretches {
                for group in &nearby[stretch.groups_of(block)] {
                    let center = [lanes.load(&group.xs), lanes.load(&group.ys)];
                    let keys = lanes.load(&group.keys);
                    let b = group.boxes::<L, BOXES>(lanes, center);
                    let masks = group.masks::<L, MASKED>(lanes);
                    for (row, end) in around.iter().zip(&mut ends) {
                        let (every, at) = (lanes.every_lane(), *end);
                        let both = [&row.measured, &b];
                        let (hit, _) = near_lanes::<L, BOXES>(lanes, every, both, &limit);
                        let hit = agreeing(lanes, hit, row.masks, masks);
                        let hit = match counted {
                            Counted::All => hit,
                            Counted::Others => lanes.differ(hit, keys, row.key),
                            Counted::Later => lanes.le(hit, row.next_key, keys),
                        };
                        let hit = lanes.bits(hit);
                        lanes.store_kept(chunk_mut(keys_found, at), hit, keys);
                        if OFFSETS {
                            let [x, y] = row.center;
                            let (x, y) = (lanes.sub(center[0], x), lanes.sub(center[1], y));
                            lanes.store_kept(chunk_mut(dx, at), hit, x);
                            lanes.store_kept(chunk_mut(dy, at), hit, y);
                        }
                        *end += hit.count_ones() as usize;
                    }
                }
            }
            write::<L, OFFSETS>(lanes, &pending, &own, found, lists);
            pending = Pending {
                first,
                rows,
                from,
                room,
                lens: [
                    ends[0] - from,
                    ends[1] - from - room,
                    ends[2] - from - 2 * room,
                    ends[3] - from - 3 * room,
                ],
            };
        }
        write::<L, OFFSETS>(lanes, &pending, &own, found, lists);
        compared
    }
}

/// Writes the lists of rows for which all has been found.
#[inline(always)]
fn write<L: Lanes, const OFFSETS: bool>(
    lanes: L,
    pending: &Pending,
    own: &RunView<'_>,
    found: &Found<'_>,
    lists: &mut Lists<'_, '_>,
) {
    let &Pending {
        first,
        rows,
        from,
        room,
        ref lens,
    } = pending;
    let lens = &lens[..rows];
    let NextLists {
        neighbors,
        mut offsets,
    } = lists.next(&own.names[first..first + rows], lens);
    let mut at = 0;
    for (row, &len) in lens.iter().enumerate() {
        let begin = from + row * room;
        let (keys, to) = (&found.keys[begin..begin + room], &mut neighbors[at..]);
        if OFFSETS {
            copy(lanes, keys, len, to);
            for (to, from) in offsets.iter_mut().zip(&found.offsets) {
                to[at..at + len].copy_from_slice(&from[begin..begin + len]);
            }
        } else {
            sort_into(lanes, keys, len, to);
        }
        at += len;
    }
}

/// Finds out which groups of each stretch can be near any row of a block, for the first sixteen blocks of some rows: of
/// sixteen at once, because the number of groups a block looks at is unpredictable.
///
/// A group is passed over if its last row is out of reach by more than the slack: then so are all rows before it. It is
/// looked at if its first row is not out of reach by more than that; and so are all groups before it.
#[inline(always)]
fn aim<L: Lanes>(lanes: L, search: &Around<'_>, stretches: &mut [Stretch], own: &[f32]) {
    let mut begins = [f32::INFINITY; LANES];
    let mut ends = [f32::NEG_INFINITY; LANES];
    let (mut leftmost, mut rightmost) = (f32::INFINITY, f32::NEG_INFINITY);
    let bounds = begins.iter_mut().zip(&mut ends);
    for (block, (begin, end)) in own.chunks(TOGETHER).zip(bounds) {
        for &x in block {
            *begin = if x < *begin { x } else { *begin };
            *end = if x > *end { x } else { *end };
        }
        *begin -= search.own.bound[0] + search.slack;
        *end += search.own.bound[0] + search.slack;
        leftmost = if *begin < leftmost { *begin } else { leftmost };
        rightmost = if *end > rightmost { *end } else { rightmost };
    }
    let (begins, ends) = (lanes.load(&begins), lanes.load(&ends));
    let reach = search.reach;
    for stretch in stretches {
        let groups = &search.nearby[stretch.first as usize..stretch.end as usize];
        // No block begins before the leftmost does, nor does any of the next sixteen, up to the slack.
        let early = groups
            .iter()
            .take_while(|group| group.xs[LANES - 1] + reach < leftmost - search.slack);
        let early = early.count();
        stretch.first += early as u32;
        let (mut passed, mut begun) = (
            lanes.splat_words(stretch.first),
            lanes.splat_words(stretch.first),
        );
        for group in &groups[early..] {
            let (left, right) = (group.xs[0] - reach, group.xs[LANES - 1] + reach);
            if left > rightmost {
                break;
            }
            passed = lanes.count_lt(passed, lanes.splat(right), begins);
            begun = lanes.count_le(begun, lanes.splat(left), ends);
        }
        lanes.store_words(&mut stretch.begins, passed);
        lanes.store_words(&mut stretch.ends, begun);
    }
}
