//! A search in which few rows are awake: those ask, one by one or in small groups, and whatever rests is left alone.
//!
//! Uniform categories have an index of their own for those that rest, so this is for oversized ones, which have one for all: their
//! rows that are awake meet each other, the rows of other oversized categories, the index of the rows that rest of uniform ones (their
//! standing index), and scenery. Those of their own category that rest are met in the same search.

use std::ops::ControlFlow;

use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, FewAmongMany, PairBuffer, PairOrder, RowMasks,
    SearchStats, Simd, Spread,
};

use crate::frame::plan::Chunks;
use crate::frame::resting::part::RestOfPart;
use crate::frame::resting::rest_of::RestOf;
use crate::frame::resting::stillness::RESTING;
use crate::frame::search::PairsTo;
use crate::world::category::{Category, IndexPart};
use crate::world::ids::{Row, in_order};

/// Rows ask if the indices of both sides have at least this many for each of them. (Measured in grids of points, in which rows asked in
/// this way before those that rest had an index of their own: one that asks took as long as thirteen in a search of all.)
const TIMES_MORE: usize = 16;
/// How many rows ask in one chunk.
const ROWS_IN_CHUNK: usize = 512;

/// In how many chunks the rows of each side ask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking {
    chunks: [usize; 2],
    scratch_bytes: usize,
    /// Whether one index is searched with itself.
    is_own: bool,
}

impl Asking {
    /// Plans a meeting of two indices, or of one with itself; `None` if all of it is to be searched.
    pub(crate) fn of(sides: [(&Category, IndexPart); 2], is_own: bool) -> Option<Self> {
        let rows = sides.map(|(side, part)| rows_of(side, part));
        let rows = [rows[0]?, rows[1]?];
        let structures = sides.map(|(side, part)| side.part(part));
        let indexed = structures.map(|structure| structure.len());
        let (asking, all) = if is_own {
            ([rows[0], &[]], indexed[0])
        } else {
            (rows, indexed[0] + indexed[1])
        };
        let are_few = Self::may_be_by(asking[0].len() + asking[1].len(), all);
        let [a, b] = structures.map(|many| FewAmongMany::scratch_bytes(many.source()));
        are_few.then(|| Self {
            chunks: asking.map(|rows| rows.len().div_ceil(ROWS_IN_CHUNK)),
            scratch_bytes: a.max(b),
            is_own,
        })
    }

    /// Whether so many rows are few enough to ask, where so many are indexed on both sides.
    pub(crate) fn may_be_by(asking: usize, indexed: usize) -> bool {
        asking <= indexed / TIMES_MORE
    }

    /// The chunks of the search.
    pub(crate) fn chunks(&self) -> Chunks {
        Chunks {
            count: self.chunks.iter().sum(),
            scratch_bytes: self.scratch_bytes,
        }
    }

    /// Searches a chunk. `masks` are those of the lower category's rows, and of the higher one's.
    pub(crate) fn search(
        &self,
        sides: [(&Category, IndexPart); 2],
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        simd: Simd,
        arena: &mut Arena,
        to: PairsTo<'_, '_>,
    ) -> SearchStats {
        let is_own = self.is_own;
        let (side, chunk) = match chunk.checked_sub(self.chunks[0]) {
            None => (0, chunk),
            Some(chunk) => (1, chunk),
        };
        let order = [PairOrder::Left, PairOrder::Right][side];
        let ((own, part), (other, among)) = (sides[side], sides[1 - side]);
        let rows = rows_of(own, part).unwrap_or_default();
        let few = AskingRows {
            category: own,
            rows: rows.chunks(ROWS_IN_CHUNK).nth(chunk).unwrap_or_default(),
        };
        let meeting = FewAmongMany {
            few: &few,
            parts: 1,
            many: other.part(among).source(),
            spread: Spread::of_spacing(other.spacing.get()),
            without_large: false,
            simd,
            masks: if is_own {
                [masks[0]; 2]
            } else {
                order.walked_first(masks)
            },
            order,
        };
        let [first, second] = sides.map(|(side, _)| RestOf::of(side).expect("rows of both rest"));
        // Where both rows ask, one of the two questions counts.
        let counts = |[a, b]: [Row; 2]| match (is_own, side) {
            (true, _) => (a < b) | ((a > b) & second.is_still(b, RESTING)),
            (false, 0) => true,
            (false, _) => first.is_still(a, RESTING),
        };
        to.rows_alone(|visit| {
            let (mut room, mut pairs) = ([[0; 2]; PairBuffer::MOST], 0);
            let found = meeting.meet_in_chunk(0, arena, &mut |found| {
                for found in found.chunks(room.len()) {
                    let mut kept = 0;
                    for &[a, b] in found {
                        room[kept] = in_order(is_own, [a, b]);
                        kept += usize::from(counts([a, b]));
                    }
                    pairs += kept as u64;
                    if kept > 0 {
                        visit(&room[..kept]);
                    }
                }
            });
            SearchStats { pairs, ..found }
        })
    }
}

/// The rows of an index that ask; `None` if too many do, or none of them rests.
fn rows_of(category: &Category, part: IndexPart) -> Option<&[Row]> {
    match RestOfPart::of(category, part) {
        RestOfPart::All => Some(&[]),
        RestOfPart::Nobody => None,
        RestOfPart::Some => category.stillness.as_ref()?.asking(),
    }
}

/// Rows of a category, as boxes to walk.
struct AskingRows<'w> {
    category: &'w Category,
    rows: &'w [Row],
}

impl AskingRows<'_> {
    fn aabb(&self, row: Row) -> Aabb {
        self.category.aabb(row as usize, self.category.bound)
    }

    /// Appends the rows that touch a window.
    fn append<'a>(&self, window: &Aabb, arena: &'a Arena, to: &mut BoxRun<'a>) {
        to.make_room(arena, self.rows.len());
        for &row in self.rows {
            let aabb = self.aabb(row);
            if window.overlaps(&aabb) {
                to.push([aabb.min(), aabb.max()], row);
            }
        }
    }
}

impl BoxSource for AskingRows<'_> {
    fn gather<'a>(&self, window: &Aabb, arena: &'a Arena, found: &mut BoxRun<'a>) {
        self.append(window, arena, found);
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn bounds(&self) -> Option<Aabb> {
        let boxes = self.rows.iter().map(|&row| self.aabb(row));
        boxes.reduce(|all, aabb| all.union(&aabb))
    }
}

impl BoxPieces for AskingRows<'_> {
    fn piece_chunks(&self) -> usize {
        1
    }

    fn visit_pieces<'a>(
        &self,
        _chunk: usize,
        arena: &'a Arena,
        piece: &mut BoxRun<'a>,
        visit: &mut dyn FnMut(&mut BoxRun<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        piece.clear();
        self.append(&Aabb::EVERYWHERE, arena, piece);
        visit(piece)
    }
}
