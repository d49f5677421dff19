//! Meetings in which somebody looks ahead: between which indices, in how many chunks, and their search.

use throng_core::{
    Arena, BoxesByRow, Corners, LANES, PairBuffer, PairRoom, SearchStats, Simd, for_both,
};
use throng_grid::PointGrid;

use crate::broadphase::Broadphase;
use crate::frame::few_rows::{FewAndMany, FewRows};
use crate::frame::plan::Chunks;
use crate::frame::prediction::look_ahead::LookAhead;
use crate::frame::prediction::swept::SweptBoxes;
use crate::frame::search::PairsTo;
use crate::frame::sieve::Sieve;
use crate::world::category::{Category, IndexPart};
use crate::world::ids::{CategoryId, Row, in_order};
use crate::world::structure::Structure;

/// Whose boxes of a category take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The swept boxes of those rows that look far.
    Far,
    /// The boxes of all others, in one of the indices of the category.
    Near(IndexPart),
}

use IndexPart::{Main, Standing};
use Part::{Far, Near};

/// The meetings of indices that the meeting of two categories consists of, the lower one first. A category with itself has only the
/// first [`WITHIN_ONE`]: the others would find the same pairs again. Who rests and looks ahead does so by a swept box.
const BETWEEN_TWO: [[Part; 2]; 8] = [
    [Far, Far],
    [Far, Near(Main)],
    [Far, Near(Standing)],
    [Near(Main), Near(Main)],
    [Near(Main), Near(Standing)],
    [Near(Main), Far],
    [Near(Standing), Far],
    [Near(Standing), Near(Main)],
];
const WITHIN_ONE: usize = 5;

/// One meeting of two indices, and its first chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredictedMeeting {
    pub(crate) categories: [CategoryId; 2],
    /// Its place among those that are planned.
    pub(crate) place: usize,
    pub(crate) first_chunk: usize,
    parts: [Part; 2],
    /// How far those of both together look that are met where they are. Boxes that are no farther apart than this along either axis are
    /// candidates; none but those that overlap, if it is 0.
    reach: f32,
    /// Which of the plan's few rows meet many here, if so.
    pub(crate) few_rows: Option<usize>,
}

impl PredictedMeeting {
    /// The meetings of two categories in which somebody looks ahead. Their chunks are not planned yet.
    pub(crate) fn of(
        ids: [CategoryId; 2],
        sides: [&Category; 2],
    ) -> impl Iterator<Item = PredictedMeeting> {
        let is_own = ids[0] == ids[1];
        let count = if is_own {
            WITHIN_ONE
        } else {
            BETWEEN_TWO.len()
        };
        let meetings = BETWEEN_TWO.into_iter().take(count);
        let meetings = meetings.map(move |parts| Self {
            categories: ids,
            place: 0,
            first_chunk: 0,
            parts,
            reach: for_both(|side| sides[side].reach_of(parts[side]))
                .iter()
                .sum(),
            few_rows: None,
        });
        meetings.filter(move |meeting| {
            let looks = meeting.reach > 0.0 || meeting.parts.contains(&Far);
            looks && for_both(|side| sides[side].has_part(meeting.parts[side])) == [true; 2]
        })
    }

    /// The chunks of the search.
    pub(crate) fn chunks(&self, sides: [&Category; 2]) -> Chunks {
        let [a, b] = self.structures(sides);
        if let Some([a, b]) = self.grids(sides) {
            return Chunks {
                count: a.near_chunks(b),
                scratch_bytes: a.near_scratch_bytes(b),
            };
        }
        if self.is_within_one() {
            return a.chunks();
        }
        a.meet_wider_chunks(b, self.reach)
    }

    /// Its two sides, if one of them has far fewer rows. Two grids are searched in their own way.
    pub(crate) fn few_and_many<'w>(&self, sides: [&'w Category; 2]) -> Option<FewAndMany<'w>> {
        let [a, b] = self.structures(sides);
        let [spacing_a, spacing_b] = sides.map(|side| &side.spacing);
        FewAndMany::of([(a, spacing_a), (b, spacing_b)], self.reach)
            .filter(|_| !self.is_within_one() && self.grids(sides).is_none())
    }

    fn structures<'w>(&self, sides: [&'w Category; 2]) -> [&'w Structure; 2] {
        for_both(|side| sides[side].structure_of(self.parts[side]))
    }

    /// Its two indices, if both are grids: or one twice.
    fn grids<'w>(&self, sides: [&'w Category; 2]) -> Option<[&'w PointGrid; 2]> {
        match self.structures(sides) {
            [Structure::Points(a), Structure::Points(b)] => Some([a, b]),
            _ => None,
        }
    }

    /// Whether all are in the same index.
    fn is_within_one(&self) -> bool {
        self.categories[0] == self.categories[1] && self.parts[0] == self.parts[1]
    }

    /// Searches a chunk. The pairs visited are rows, and all that is left to do is to hand them over.
    pub(crate) fn search(
        &self,
        world: &Broadphase,
        few: Option<&FewRows>,
        chunk: usize,
        arena: &mut Arena,
        visit: &mut dyn FnMut(&[[Row; 2]]),
    ) -> SearchStats {
        let sides = (self.categories).map(|category| &world.categories[category.index()]);
        let sift = Sift {
            parts: for_both(|side| RowsOfPart::new(sides[side], self.parts[side])),
            are_apart: self.grids(sides).is_some(),
            are_exact: self.reach == 0.0,
            sieve: Sieve::of_predicted(world, self.categories),
            is_own: self.categories[0] == self.categories[1],
            simd: world.simd(),
        };
        let mut rooms = [[[0; 2]; PairBuffer::MOST]; 3];
        let mut take = |found: &[[u32; 2]]| {
            for found in found.chunks(PairBuffer::MOST - LANES) {
                let kept = sift.sift(found, &mut rooms);
                if !kept.is_empty() {
                    visit(kept);
                }
            }
        };
        if let Some([a, b]) = self.grids(sides) {
            let mut take = |found: &[[u32; 2]], _: &[f32]| take(found);
            return if self.is_within_one() {
                a.pairs_apart_in_chunk(self.reach, chunk, None, arena, &mut take)
            } else {
                a.meet_apart_in_chunk(b, self.reach, chunk, [None; 2], arena, &mut take)
            };
        }
        let [a, b] = self.structures(sides);
        let to = PairsTo::Visitor(&mut take);
        if self.is_within_one() {
            a.pairs_in_chunk(chunk, None, arena, to)
        } else if let Some(few) = few {
            let sides = self.few_and_many(sides);
            let sides = sides.expect("planned as few among many");
            few.search(&sides, chunk, [None; 2], world.simd(), arena, to)
        } else {
            a.meet_wider_in_chunk(b, self.reach, chunk, [None; 2], arena, to)
        }
    }
}

/// What candidates still have to pass.
struct Sift<'w> {
    parts: [RowsOfPart<'w>; 2],
    /// Whether only boxes that do not overlap are found.
    are_apart: bool,
    /// Whether the swept boxes of all that are found overlap.
    are_exact: bool,
    sieve: Option<Sieve<'w>>,
    is_own: bool,
    simd: Simd,
}

impl Sift<'_> {
    /// The rows of the candidates that are predicted pairs.
    fn sift<'r>(&self, found: &[[u32; 2]], rooms: &'r mut [PairRoom; 3]) -> &'r [[Row; 2]] {
        let [apart, swept, kept] = rooms;
        let mut pairs = found;
        if !self.are_apart {
            let count = self.keep_apart(pairs, apart);
            pairs = &apart[..count];
        }
        if !self.are_exact {
            const RECORDED: &str = "boxes are recorded where any are met in their place";
            let boxes = for_both(|side| self.parts[side].swept().expect(RECORDED));
            let count = self.simd.keep_overlapping(pairs, boxes, swept);
            pairs = &swept[..count];
        }
        let mut count = 0;
        // What does not count has no swept box.
        let counts = |part: &RowsOfPart<'_>| !self.are_exact || !part.are_some_far;
        let all_count = self.parts.iter().all(counts);
        for pair in pairs {
            let rows = for_both(|side| self.parts[side].row(pair[side]));
            kept[count] = in_order(self.is_own, rows);
            let counts = all_count || self.do_count(rows);
            let passes = |sieve: &Sieve<'_>| sieve.passes(kept[count]);
            count += usize::from(counts && self.sieve.as_ref().is_none_or(passes));
        }
        &kept[..count]
    }

    /// Whether this meeting is the one that finds both rows: one that looks far counts only in the index of swept boxes.
    fn do_count(&self, rows: [Row; 2]) -> bool {
        let counts = |side: usize| {
            let part = &self.parts[side];
            !part.are_some_far || !part.ahead.is_far(rows[side] as usize)
        };
        counts(0) && counts(1)
    }

    /// Writes the pairs that do not overlap, and returns how many they are. Those with a row that does not count may be among them.
    fn keep_apart(&self, pairs: &[[u32; 2]], to: &mut PairRoom) -> usize {
        let parts = &self.parts;
        if let [Some(a), Some(b)] = parts.each_ref().map(RowsOfPart::now) {
            return self.simd.keep_apart(pairs, [a, b], to);
        }
        let mut kept = 0;
        for &pair in pairs {
            let [[min_a, max_a], [min_b, max_b]] = for_both(|side| parts[side].corners(pair[side]));
            let overlap =
                for_both(|axis| (min_a[axis] <= max_b[axis]) & (min_b[axis] <= max_a[axis]));
            to[kept] = pair;
            kept += usize::from(overlap != [true; 2]);
        }
        kept
    }
}

/// What the numbers that a search finds mean.
struct RowsOfPart<'w> {
    ahead: LookAhead<'w>,
    boxes: Option<&'w SweptBoxes>,
    /// Whether they are numbers of swept boxes, or rows.
    are_far: bool,
    /// Whether some of the rows do not count, because they are met by their swept boxes.
    are_some_far: bool,
}

impl<'w> RowsOfPart<'w> {
    fn new(category: &'w Category, part: Part) -> Self {
        let are_far = part == Far;
        Self {
            ahead: LookAhead::of(category),
            boxes: category.swept.as_deref(),
            are_far,
            are_some_far: !are_far && category.looks_far() > 0,
        }
    }

    fn row(&self, number: u32) -> Row {
        match self.boxes {
            Some(boxes) if self.are_far => boxes.row(number),
            _ => number,
        }
    }

    /// All boxes by their numbers, where they are at hand.
    fn now(&self) -> Option<BoxesByRow<'w>> {
        let scenery = self.ahead.now.columns.boxes.values();
        match self.boxes {
            Some(boxes) if self.are_far => Some(boxes.far_now()),
            Some(boxes) if boxes.are_recorded() => Some(boxes.now()),
            _ => scenery.map(BoxesByRow::Corners),
        }
    }

    /// The same along their way.
    fn swept(&self) -> Option<BoxesByRow<'w>> {
        match self.boxes {
            Some(boxes) if self.are_far => Some(boxes.far_swept()),
            Some(boxes) if boxes.are_recorded() => Some(boxes.swept()),
            _ => self.now(),
        }
    }

    /// A box as it is.
    fn corners(&self, number: u32) -> Corners {
        match self.boxes {
            Some(boxes) if self.are_far => boxes.corners(number),
            _ => self.ahead.now.corners(number as usize),
        }
    }
}

impl Category {
    /// How far rows of a part look at most, unless by their own swept boxes.
    fn reach_of(&self, part: Part) -> f32 {
        match part {
            Near(Main) => self.reach(),
            Far | Near(Standing) => 0.0,
        }
    }

    fn has_part(&self, part: Part) -> bool {
        match part {
            Far => self.looks_far() > 0,
            Near(part) => {
                let mut parts = self.parts();
                parts.any(|(of, structure)| of == part && !structure.is_empty())
                    && self.indexed_rows() > self.looks_far()
            }
        }
    }

    fn structure_of(&self, part: Part) -> &Structure {
        match (part, &self.swept) {
            (Far, Some(swept)) => swept.structure(),
            (Near(part), _) => self.part(part),
            (Far, None) => &self.structure,
        }
    }
}
