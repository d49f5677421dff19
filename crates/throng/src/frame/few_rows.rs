//! A meeting of few rows and many: in how many chunks, and their search.
//!
//! The few are walked. They ask the many: a grid of points for many of them at once, another structure for one at a time if they are
//! far apart; but points in a bunch are [joined](PointsAmongMany) with the points near them. So what is near none of the few costs
//! nothing.
//!
//! But one dragon must not be left to one worker: boxes that may touch a thousand others are listed when the meeting is planned, and
//! are met as if there were no others, by walking the many and asking the list.

use educe::Educe;
use throng_core::{
    Arena, BoxList, FewAmongMany, PairOrder, RowMasks, SearchStats, Simd, Spread, Widened,
};
use throng_grid::PointsAmongMany;

use crate::frame::plan::Chunks;
use crate::frame::search::PairsTo;
use crate::world::spacing::Spacing;
use crate::world::structure::Structure;

/// The most large boxes in a list, all of which are looked at for each piece of the many.
const MOST_LISTED: usize = 64;

/// Among so many times as many points, few points are walked, unless too many of them would ask.
const POINTS_TIMES_MORE: usize = 4;
/// If more of the few would ask than one for so many of the many, it takes no longer to walk the many. (Measured with 200,000.)
const POINTS_FOR_ONE_THAT_ASKS: usize = 64;

/// The many count as closer together than if they were spread evenly only if they are more than this many times closer.
const MUCH_CLOSER: f32 = 2.0;

/// What a plan keeps of a meeting of few rows and many.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct FewRows {
    /// How many chunks there are in which the few are walked.
    walked: usize,
    /// How many of these each chunk of the few's pieces is split into; not used if both are points.
    parts: usize,
    /// How the many are spread out; not used if both are points.
    spread: Option<Spread>,
    /// The few whose pairs are found in the chunks after those.
    large: BoxList,
}

/// Two indices, the one with far fewer rows first, and the order in which pairs have their rows.
pub(crate) struct FewAndMany<'w> {
    few: &'w Structure,
    many: &'w Structure,
    /// How far apart the many are.
    spacing: &'w Spacing,
    order: PairOrder,
    /// By how much the boxes of the many count as larger.
    reach: f32,
}

impl<'w> FewAndMany<'w> {
    /// Tells which index has the few, if either has so few rows that it may be best to walk them and ask for what touches them. Each
    /// index comes with how far apart its rows are. Pairs are of boxes that overlap once those of one of the two are larger by `reach`,
    /// which is 0 if both are points.
    pub(crate) fn of(
        [(a, of_a), (b, of_b)]: [(&'w Structure, &'w Spacing); 2],
        reach: f32,
    ) -> Option<Self> {
        let is_few = |few: &Structure, many: &Structure| {
            few.len()
                .saturating_mul(many.times_more_to_be_asked_by(few))
                <= many.len()
        };
        if is_few(a, b) {
            Some(Self {
                few: a,
                many: b,
                spacing: of_b,
                order: PairOrder::Left,
                reach,
            })
        } else if is_few(b, a) {
            Some(Self {
                few: b,
                many: a,
                spacing: of_a,
                order: PairOrder::Right,
                reach,
            })
        } else {
            None
        }
    }

    /// The many as the few ask them.
    fn asked(&self) -> Widened<'w> {
        Widened::new(self.many.source(), self.reach)
    }

    /// How the many are spread out: if they are much closer together where they are than if they were spread evenly, as in towns in a
    /// wide world, as they are there. Otherwise far too few would be expected to touch a group of the few.
    fn spread(&self) -> Spread {
        let even = self.spacing.get();
        let local = self.many.source().spacing();
        let local = local.filter(|local| local * MUCH_CLOSER < even);
        Spread::of_spacing(local.unwrap_or(even))
    }
}

impl Structure {
    /// How many times more rows than another this index must have to be asked for the pairs of the few, rather than walked.
    ///
    /// Where the few are evenly spread, this is where the two ways cost the same, as measured with 200,000 rows; where
    /// they are bunched, asking wins from twice as many on, except in grids. Those are compared in place, which is hard
    /// to beat. Points among points are an exception: from here on it is [looked at](FewRows::plan_points) where the few are.
    fn times_more_to_be_asked_by(&self, few: &Self) -> usize {
        match (self, few) {
            (Self::Points(_), Self::Points(_)) => POINTS_TIMES_MORE,
            (Self::Points(_), _) => 256,
            (Self::Boxes(boxes), _) => boxes.times_more_to_be_asked(),
            (Self::Scenery(_), _) => 8,
        }
    }
}

impl FewRows {
    /// Plans the meeting. Returns its chunks; `None` if too many of the few are large, or would ask. O(few).
    pub(crate) fn plan(&mut self, sides: &FewAndMany<'_>, arena: &mut Arena) -> Option<Chunks> {
        let (few, many) = (sides.few, sides.many);
        let spread = sides.spread();
        self.spread = Some(spread);
        self.large.clear();
        if let Structure::Points(grid) = few {
            // Rows count as about as large as the bound: either all are small or all may be large.
            if spread.finds_large(&[[0.0; 2], grid.half_extents().map(|half| 2.0 * half)]) {
                return None;
            }
            if let Structure::Points(many) = many {
                return self.plan_points(PointsAmongMany::new(grid, many), many.len());
            }
        } else {
            let most = MOST_LISTED.min(few.len() / 4);
            if !spread.list_large(few.pieces(), most, arena, &mut self.large) {
                return None;
            }
        }
        self.parts = FewAmongMany::parts(few.pieces(), few.len());
        self.walked = self.parts * few.pieces().piece_chunks();
        let mut chunks = Chunks {
            count: self.walked,
            scratch_bytes: FewAmongMany::scratch_bytes(&sides.asked()),
        };
        if !self.large.is_empty() {
            let walking = many.walk_chunks(&Widened::new(&self.large, sides.reach));
            chunks.count += walking.count;
            chunks.scratch_bytes = chunks.scratch_bytes.max(walking.scratch_bytes);
        }
        Some(chunks)
    }

    /// The same for points among points. O(pieces of the few), and less where many would ask.
    fn plan_points(&mut self, meeting: PointsAmongMany<'_>, many: usize) -> Option<Chunks> {
        if meeting.do_more_ask_than(many / POINTS_FOR_ONE_THAT_ASKS) {
            return None;
        }
        self.walked = meeting.chunks();
        Some(Chunks {
            count: self.walked,
            scratch_bytes: meeting.scratch_bytes(),
        })
    }

    /// Searches a chunk. `masks` are those of the lower category's rows, and of the higher one's.
    pub(crate) fn search(
        &self,
        sides: &FewAndMany<'_>,
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        simd: Simd,
        arena: &mut Arena,
        to: PairsTo<'_, '_>,
    ) -> SearchStats {
        let (few, many) = (sides.few, sides.many);
        if chunk >= self.walked {
            let (chunk, order) = (chunk - self.walked, sides.order.flipped());
            let masks = order.walked_first(masks);
            let large = Widened::new(&self.large, sides.reach);
            return many.walk_in_chunk(&large, chunk, masks, order, arena, to);
        }
        let masks = sides.order.walked_first(masks);
        if let (Structure::Points(few), Structure::Points(many)) = (few, many) {
            let meeting = PointsAmongMany::new(few, many);
            return to.rows_alone(|visit| {
                meeting.meet_in_chunk(chunk, masks, sides.order, arena, visit)
            });
        }
        let asked = sides.asked();
        let meeting = FewAmongMany {
            few: few.pieces(),
            parts: self.parts,
            many: &asked,
            spread: self.spread.expect("it was planned with one"),
            without_large: !self.large.is_empty(),
            simd,
            masks,
            order: sides.order,
        };
        to.rows_alone(|visit| meeting.meet_in_chunk(chunk, arena, visit))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.large.memory_bytes()
    }
}
