//! Meetings in which somebody looks ahead: between which indices, in how many chunks, and their search.

use throng_core::{Arena, BoxesByRow, Corners, LANES, PairBuffer, PairRoom, SearchStats, for_both};

use crate::broadphase::Broadphase;
use crate::frame::few_rows::{FewAndMany, FewRows};
use crate::frame::plan::Chunks;
use crate::frame::prediction::swept::{LookAhead, SweptBoxes};
use crate::frame::search::PairsTo;
use crate::frame::sieve::Sieve;
use crate::world::category::{Category, IndexPart};
use crate::world::ids::{CategoryId, Row, in_order};
use crate::world::rows_now::RowsNow;
use crate::world::structure::Structure;

/// Whose boxes of a category take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The swept boxes of those rows that look ahead.
    Ahead,
    /// The boxes of all others, in one of the indices of the category.
    Others(IndexPart),
}

/// The meetings of indices that the meeting of two categories consists of, the lower one first. A category with itself has only the
/// first [`WITHIN_ONE`]: the others would find the same pairs again.
const BETWEEN_TWO: [[Part; 2]; 5] = [
    [Part::Ahead, Part::Ahead],
    [Part::Ahead, Part::Others(IndexPart::Main)],
    [Part::Ahead, Part::Others(IndexPart::Standing)],
    [Part::Others(IndexPart::Main), Part::Ahead],
    [Part::Others(IndexPart::Standing), Part::Ahead],
];
const WITHIN_ONE: usize = 3;

/// One meeting of two indices, and its first chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PredictedMeeting {
    pub(crate) categories: [CategoryId; 2],
    pub(crate) first_chunk: usize,
    parts: [Part; 2],
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
        let is_needed = move |parts: &[Part; 2]| {
            parts
                .iter()
                .zip(sides)
                .all(|(&part, side)| side.has_part(part))
        };
        meetings.filter(is_needed).map(move |parts| Self {
            categories: ids,
            first_chunk: 0,
            parts,
            few_rows: None,
        })
    }

    /// The chunks of the search.
    pub(crate) fn chunks(&self, sides: [&Category; 2]) -> Chunks {
        let [a, b] = self.structures(sides);
        if self.is_within_one() {
            a.chunks()
        } else {
            a.meet_chunks(b)
        }
    }

    /// Its two sides, if one of them has far fewer rows.
    pub(crate) fn few_and_many<'w>(&self, sides: [&'w Category; 2]) -> Option<FewAndMany<'w>> {
        let [a, b] = self.structures(sides);
        let [spacing_a, spacing_b] = sides.map(|side| &side.spacing);
        FewAndMany::of([(a, spacing_a), (b, spacing_b)]).filter(|_| !self.is_within_one())
    }

    fn structures<'w>(&self, sides: [&'w Category; 2]) -> [&'w Structure; 2] {
        for_both(|side| sides[side].structure_of(self.parts[side]))
    }

    /// Whether all are in the same index.
    fn is_within_one(&self) -> bool {
        self.categories[0] == self.categories[1] && self.parts == [Part::Ahead; 2]
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
        let parts = for_both(|side| RowsOfPart::new(sides[side], self.parts[side]));
        let sieve = Sieve::of_predicted(world, self.categories);
        let is_own = self.categories[0] == self.categories[1];
        let simd = world.simd();
        let mut room = [[0; 2]; PairBuffer::MOST];
        let mut sift = |found: &[[u32; 2]]| {
            for found in found.chunks(room.len() - LANES) {
                let apart = match parts.each_ref().map(RowsOfPart::boxes) {
                    [Some(a), Some(b)] => simd.keep_apart(found, [a, b], &mut room),
                    _ => keep_apart(&parts, found, &mut room),
                };
                let mut kept = 0;
                for k in 0..apart {
                    let rows = for_both(|side| parts[side].row(room[k][side]));
                    room[kept] = in_order(is_own, rows);
                    let passes = sieve.as_ref().is_none_or(|sieve| sieve.passes(room[kept]));
                    kept += usize::from(passes);
                }
                if kept > 0 {
                    visit(&room[..kept]);
                }
            }
        };
        let to = PairsTo::Visitor(&mut sift);
        let [a, b] = self.structures(sides);
        if self.is_within_one() {
            a.pairs_in_chunk(chunk, None, arena, to)
        } else if let Some(few) = few {
            let sides = self.few_and_many(sides).expect("planned as few among many");
            few.search(&sides, chunk, [None; 2], world.simd(), arena, to)
        } else {
            a.meet_in_chunk(b, chunk, [None; 2], arena, to)
        }
    }
}

/// Writes the pairs that count and do not overlap, and returns how many they are.
fn keep_apart(parts: &[RowsOfPart<'_>; 2], pairs: &[[u32; 2]], to: &mut PairRoom) -> usize {
    let mut kept = 0;
    for &pair in pairs {
        let [first, second] = for_both(|side| parts[side].corners(pair[side]));
        let (Some([min_a, max_a]), Some([min_b, max_b])) = (first, second) else {
            continue;
        };
        let overlap = for_both(|axis| (min_a[axis] <= max_b[axis]) & (min_b[axis] <= max_a[axis]));
        to[kept] = pair;
        kept += usize::from(overlap != [true; 2]);
    }
    kept
}

/// What the numbers that a search finds mean.
enum RowsOfPart<'w> {
    /// Numbers of swept boxes.
    Ahead(&'w SweptBoxes),
    /// Rows, of which those that look ahead do not count.
    Others(LookAhead<'w>),
    /// Rows, of which nobody looks ahead.
    All(RowsNow<'w>),
}

impl<'w> RowsOfPart<'w> {
    fn new(category: &'w Category, part: Part) -> Self {
        match (part, &category.swept) {
            (Part::Ahead, Some(swept)) => Self::Ahead(swept),
            (_, Some(swept)) if swept.len() > 0 => Self::Others(LookAhead::of(category)),
            _ => Self::All(category.rows_now()),
        }
    }

    fn row(&self, number: u32) -> Row {
        match self {
            Self::Ahead(swept) => swept.row(number),
            Self::Others(_) | Self::All(_) => number,
        }
    }

    /// All boxes by their numbers, where they are at hand, and all count.
    fn boxes(&self) -> Option<BoxesByRow<'w>> {
        match self {
            Self::Ahead(swept) => Some(swept.boxes()),
            Self::Others(_) => None,
            Self::All(now) => now.columns.boxes.values().map(BoxesByRow::Corners),
        }
    }

    /// A box as it is; none if it does not count.
    fn corners(&self, number: u32) -> Option<Corners> {
        match self {
            Self::Ahead(swept) => Some(swept.corners(number)),
            Self::Others(rows) => {
                let row = number as usize;
                (!rows.has(row)).then(|| rows.now.corners(row))
            }
            Self::All(now) => Some(now.corners(number as usize)),
        }
    }
}

impl Category {
    /// How many rows look ahead.
    pub(crate) fn ahead(&self) -> usize {
        self.swept.as_ref().map_or(0, |swept| swept.len())
    }

    fn has_part(&self, part: Part) -> bool {
        match part {
            Part::Ahead => self.ahead() > 0,
            Part::Others(part) => {
                let mut parts = self.parts();
                parts.any(|(of, structure)| of == part && !structure.is_empty())
                    && self.indexed_rows() > self.ahead()
            }
        }
    }

    fn structure_of(&self, part: Part) -> &Structure {
        match (part, &self.swept) {
            (Part::Ahead, Some(swept)) => swept.structure(),
            (Part::Others(part), _) => self.part(part),
            (Part::Ahead, None) => &self.structure,
        }
    }
}
