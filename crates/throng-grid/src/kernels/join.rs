//! All overlapping pairs of two runs.

use super::boxes::boxes;
use crate::run::{MaskTest, Run, RunView};
use throng_core::lanes::{
    ClassTable, GroupMasks, HitRoom, Hits, Kernel, Lanes, Sides, agreeing, chunk, emit, overlapping,
};
use throng_core::{LANES, MetClasses, PairBuffer, PairOrder, Simd};

/// Every overlapping pair of a box of `left` with a box of `right`. Returns the number of comparisons.
pub(crate) fn join(
    simd: Simd,
    [left, right]: [&Run<'_>; 2],
    met: Option<&MetClasses>,
    slack: [f32; 2],
    order: PairOrder,
    room: &mut HitRoom,
    out: &mut PairBuffer<'_>,
) -> u64 {
    debug_assert_eq!(left.mask_test(), right.mask_test());
    let mask_test = left.mask_test();
    let met = met.unwrap_or(&MetClasses::NONE);
    let join = (left.view(), right.view(), met, slack, order, room, out);
    match mask_test {
        MaskTest::None => simd.run(Join::<false, false>::of(join)),
        MaskTest::Words => simd.run(Join::<true, false>::of(join)),
        MaskTest::Classes => simd.run(Join::<false, true>::of(join)),
    }
}

struct Join<'a, 'b, const MASKED: bool, const CLASSED: bool> {
    left: RunView<'a>,
    right: RunView<'a>,
    /// Which classes meet, if `CLASSED`.
    met: &'a MetClasses,
    slack: [f32; 2],
    order: PairOrder,
    room: &'a mut HitRoom,
    out: &'a mut PairBuffer<'b>,
}

type Arguments<'a, 'b> = (
    RunView<'a>,
    RunView<'a>,
    &'a MetClasses,
    [f32; 2],
    PairOrder,
    &'a mut HitRoom,
    &'a mut PairBuffer<'b>,
);

impl<'a, 'b, const MASKED: bool, const CLASSED: bool> Join<'a, 'b, MASKED, CLASSED> {
    fn of((left, right, met, slack, order, room, out): Arguments<'a, 'b>) -> Self {
        Self {
            left,
            right,
            met,
            slack,
            order,
            room,
            out,
        }
    }
}

impl<const MASKED: bool, const CLASSED: bool> Kernel for Join<'_, '_, MASKED, CLASSED> {
    type Output = u64;

    /// Compares sixteen boxes of the left run with each box of the right one that begins before they all end, up to sixteen of
    /// these at a time: a stretch. What it finds is noted, and looked up some stretches later: see [`Hits`]. But after a stretch that
    /// found much, the next writes its pairs at once, which costs more for each comparison and less for each pair.
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let Self {
            left,
            right,
            met,
            slack,
            order,
            room,
            out,
        } = self;
        let met = ClassTable::load(lanes, met);
        let names = [left.names, right.names];
        let name_shifts = if CLASSED {
            [left.name_shift, right.name_shift]
        } else {
            [0; 2]
        };
        let mut hits = Hits::in_room(lanes, room);
        let mut place = Place::default();
        let mut compared = 0;
        let mut is_crowded = false;
        while place.block < left.len {
            while place.block < left.len && hits.has_room() && !is_crowded {
                let group = Group::<L>::load::<MASKED, CLASSED>(lanes, &left, place.block, met);
                let stretch = place.stretch([&left, &right], group.end(lanes), slack);
                let others = Others::load::<_, MASKED>(lanes, &right, stretch.from);
                let (mut count, noted) = (0, hits.noted());
                while count < stretch.most && others.order(count) <= stretch.furthest {
                    let hit = group.met_by::<MASKED, CLASSED>(lanes, &others, count);
                    hits.note(hit, count);
                    count += 1;
                }
                hits.end_stretch([place.block, stretch.from]);
                is_crowded = hits.noted() - noted > CROWDED * count;
                compared += place.go_on(&stretch, count);
            }
            hits.hand_over_between(names, name_shifts, order, out);
            while place.block < left.len && is_crowded {
                let group = Group::<L>::load::<MASKED, CLASSED>(lanes, &left, place.block, met);
                let stretch = place.stretch([&left, &right], group.end(lanes), slack);
                let others = Others::load::<_, MASKED>(lanes, &right, stretch.from);
                let (mut count, mut found) = (0, 0);
                let own = lanes.load_words(chunk(left.names, place.block));
                let own = lanes.shift_right(own, name_shifts[0]);
                while count < stretch.most && others.order(count) <= stretch.furthest {
                    let hit = lanes.bits(group.met_by::<MASKED, CLASSED>(lanes, &others, count));
                    found += hit.count_ones() as usize;
                    let other = lanes.splat_words(others.names[count] >> name_shifts[1]);
                    emit(lanes, out, hit, order, own, other);
                    count += 1;
                }
                is_crowded = found > CROWDED * count;
                compared += place.go_on(&stretch, count);
            }
        }
        compared
    }
}

/// From how many overlaps on for each box of the right run, on average over a stretch, the next one's pairs are written at once.
const CROWDED: usize = 4;

/// How far a join has come.
#[derive(Default)]
struct Place {
    /// The first of sixteen boxes of the left run.
    block: usize,
    /// All boxes of the right run before it end too far to the left of these.
    first: usize,
    /// Which box of the right run is next, if others were compared with these already.
    next: Option<usize>,
}

/// Boxes of the right run: from one on, as long as they begin at or before `furthest`, and at most so many.
struct Stretch {
    from: usize,
    most: usize,
    furthest: f32,
}

impl Place {
    /// What is to be compared with the sixteen boxes, which end no farther than `end`.
    #[inline(always)]
    fn stretch(&mut self, [left, right]: [&RunView<'_>; 2], end: f32, slack: [f32; 2]) -> Stretch {
        if self.next.is_none() {
            self.first = skip_before(right, self.first, left.order(self.block) - slack[0]);
        }
        let from = self.next.unwrap_or(self.first);
        Stretch {
            from,
            // No more than `Hits` can tell apart: what comes after them is a stretch of its own.
            most: LANES.min(right.len - from),
            furthest: end + slack[1],
        }
    }

    /// To be called when so many boxes of a stretch were compared. Returns the number of comparisons.
    #[inline(always)]
    fn go_on(&mut self, stretch: &Stretch, others: usize) -> u64 {
        self.next = (others == LANES).then_some(stretch.from + others);
        if self.next.is_none() {
            self.block += LANES;
        }
        (others * LANES) as u64
    }
}

/// Sixteen boxes of the left run.
struct Group<L: Lanes> {
    sides: Sides<L>,
    masks: GroupMasks<L>,
    /// A bit for each class that they meet.
    classes: L::Words,
}

impl<L: Lanes> Group<L> {
    #[inline(always)]
    fn load<const MASKED: bool, const CLASSED: bool>(
        lanes: L,
        left: &RunView<'_>,
        block: usize,
        met: ClassTable<L>,
    ) -> Self {
        Self {
            sides: boxes(lanes, left.is_exact(), left, block),
            masks: GroupMasks::load(lanes, MASKED, left.masks, block),
            classes: if CLASSED {
                met.met_by(lanes, lanes.load_words(chunk(left.rows, block)))
            } else {
                lanes.splat_words(0)
            },
        }
    }

    /// How far they reach. After the last box there are NaNs, which are never the highest and overlap nothing.
    #[inline(always)]
    fn end(&self, lanes: L) -> f32 {
        lanes.highest(self.sides.max_x)
    }

    /// Those that form a pair with one of the boxes of the right run.
    #[inline(always)]
    fn met_by<const MASKED: bool, const CLASSED: bool>(
        &self,
        lanes: L,
        others: &Others<'_>,
        k: usize,
    ) -> L::Mask {
        let [min_x, min_y, max_x, max_y] = &others.sides;
        let other = Sides::splat(lanes, [[min_x[k], min_y[k]], [max_x[k], max_y[k]]]);
        let hit = overlapping(lanes, lanes.every_lane(), &self.sides, &other);
        let masks = GroupMasks::splat(lanes, MASKED, others.masks, k);
        let hit = agreeing(lanes, hit, self.masks, masks);
        if CLASSED {
            lanes.has_bit(hit, self.classes, lanes.splat_words(others.rows[k]))
        } else {
            hit
        }
    }
}

/// Sixteen boxes of the right run, to be compared one by one. Their sides are computed together and stored, so that a comparison takes each
/// from memory into all lanes, which needs no instruction of its own. To compute the sides of each box and to spread them took as long as
/// to compare them.
///
/// Tried: to compare eight boxes of the left run with one, and the eight after them with one as much farther ahead. That is a quarter fewer
/// comparisons, and a fifth less time with AVX2; but none with AVX-512, where two halves have to be put together for each.
struct Others<'a> {
    sides: [[f32; LANES]; 4],
    /// The bound along x: a center less this is the left side of a box as large as the bound.
    bound: f32,
    xs: &'a [f32; LANES],
    names: &'a [u32; LANES],
    rows: &'a [u32; LANES],
    masks: [&'a [u32]; 2],
}

impl<'a> Others<'a> {
    #[inline(always)]
    fn load<L: Lanes, const MASKED: bool>(lanes: L, right: &RunView<'a>, from: usize) -> Self {
        let loaded = boxes(lanes, right.is_exact(), right, from);
        let mut sides = [[0.0; LANES]; 4];
        lanes.store(&mut sides[0], loaded.min_x);
        lanes.store(&mut sides[1], loaded.min_y);
        lanes.store(&mut sides[2], loaded.max_x);
        lanes.store(&mut sides[3], loaded.max_y);
        let [memberships, filters] = right.masks;
        Self {
            sides,
            bound: right.bound[0],
            xs: chunk(right.xs, from),
            names: chunk(right.names, from),
            rows: chunk(right.rows, from),
            masks: if MASKED {
                [chunk(memberships, from), chunk(filters, from)]
            } else {
                [&[]; 2]
            },
        }
    }

    /// The sort key of one of them: see [`RunView::order`].
    #[inline(always)]
    fn order(&self, k: usize) -> f32 {
        self.xs[k] - self.bound
    }
}

/// Skips the boxes of `right`, from `first` on, that end left of `reach`. They are done if no later box of the left run
/// begins left of `reach`.
#[inline(always)]
fn skip_before(right: &RunView<'_>, first: usize, reach: f32) -> usize {
    let mut first = first;
    while first < right.len && right.corners(first)[1][0] < reach {
        first += 1;
    }
    first
}
