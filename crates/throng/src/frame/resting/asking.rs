//! A search in which few rows are awake: those ask, one by one or in small groups, and whatever rests is left alone. They ask in
//! the order of the leaves of their own grid, so that those near each other come to a leaf together.

use std::ops::ControlFlow;

use throng_core::{
    Aabb, Arena, BoxPieces, BoxRun, BoxSource, ChunkStats, FewAmongMany, PairBuffer, PairOrder,
    RowMasks, Simd, Spread,
};
use throng_grid::{PointGrid, SomeRows};

use crate::frame::resting::RestOf;
use crate::frame::resting::stillness::RESTING;
use crate::frame::search::PairsTo;
use crate::world::category::Category;
use crate::world::ids::Row;
use crate::world::structure::Structure;

/// Rows ask if the index has at least this many for each of them. One that asks takes as long as thirteen in a search of all
/// (48 ns, and 3.7 ns a row, where a twentieth of 200,000 rows is awake).
const TIMES_MORE: usize = 16;
/// How many rows ask in one chunk.
const ROWS_IN_CHUNK: usize = 512;

/// In how many chunks the rows of each side ask; and how many more are swept, where a category meets itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking {
    chunks: [usize; 2],
    swept: usize,
    scratch_bytes: usize,
}

impl Asking {
    /// Plans a meeting of two categories, or of one with itself; `None` if all of it is to be searched.
    pub(crate) fn of(sides: [&Category; 2]) -> Option<Self> {
        let asked = BoxRun::bytes(ROWS_IN_CHUNK, false);
        let of_boxes = asked + PointGrid::ask_scratch_bytes(ROWS_IN_CHUNK);
        let scratch_bytes = of_boxes.max(FewAmongMany::scratch_bytes());
        let chunks = |rows: &[Row]| rows.len().div_ceil(ROWS_IN_CHUNK);
        let indexed = sides.map(|side| side.structure.len());
        let is_own = std::ptr::eq(sides[0], sides[1]);
        if let Some((grid, plan)) = own_plan(sides[0]).filter(|_| is_own) {
            let asking = plan.asking();
            let are_few = Self::may_be_by(asking.len(), indexed[0] - plan.swept_rows());
            return are_few.then(|| Self {
                chunks: [chunks(asking), 0],
                swept: plan.swept_chunks(),
                scratch_bytes: scratch_bytes.max(grid.swept_scratch_bytes(plan)),
            });
        }
        let rows = [rows_of(sides[0])?, rows_of(sides[1])?];
        let (asking, all) = if is_own {
            ([rows[0], &[]], indexed[0])
        } else {
            (rows, indexed[0] + indexed[1])
        };
        let are_few = Self::may_be_by(asking[0].len() + asking[1].len(), all);
        are_few.then(|| Self {
            chunks: asking.map(chunks),
            swept: 0,
            scratch_bytes,
        })
    }

    /// Whether so many rows are few enough to ask, where so many are indexed on both sides.
    pub(crate) fn may_be_by(asking: usize, indexed: usize) -> bool {
        asking <= indexed / TIMES_MORE
    }

    /// How many chunks there are, and the arena bytes of each.
    pub(crate) fn chunks(&self) -> (usize, usize) {
        let [first, second] = self.chunks;
        (first + second + self.swept, self.scratch_bytes)
    }

    /// Searches a chunk. `masks` are those of the lower category's rows, and of the higher one's.
    pub(crate) fn search(
        &self,
        sides: [&Category; 2],
        chunk: usize,
        masks: [Option<RowMasks<'_>>; 2],
        simd: Simd,
        arena: &mut Arena,
        to: PairsTo<'_, '_>,
    ) -> ChunkStats {
        if let Some(swept) = self.swept_chunk(chunk) {
            let (grid, plan) = own_plan(sides[0]).expect("it is swept");
            return to.rows_alone(|visit| {
                grid.pairs_in_swept_chunk(plan, swept, masks[0], arena, visit)
            });
        }
        let is_own = std::ptr::eq(sides[0], sides[1]);
        let (side, chunk) = match chunk.checked_sub(self.chunks[0]) {
            None => (0, chunk),
            Some(chunk) => (1, chunk),
        };
        let order = [PairOrder::Left, PairOrder::Right][side];
        let (own, other) = (sides[side], sides[1 - side]);
        let plan = own_plan(own).filter(|_| is_own).map(|(_, plan)| plan);
        let rows = match plan {
            Some(plan) => plan.asking(),
            None => rows_of(own).unwrap_or_default(),
        };
        let rows = rows.chunks(ROWS_IN_CHUNK).nth(chunk).unwrap_or_default();
        let few = AskingRows {
            category: own,
            rows,
        };
        let masks = if is_own {
            [masks[0]; 2]
        } else {
            order.walked_first(masks)
        };
        let ask = |arena: &mut Arena, visit: &mut dyn FnMut(&[[Row; 2]])| match &other.structure {
            Structure::Points(grid) => {
                arena.reset();
                let mut boxes = BoxRun::with_capacity(arena, rows.len(), false);
                few.append(&Aabb::EVERYWHERE, arena, &mut boxes);
                let (masks, order) = ([masks[1], masks[0]], order.flipped());
                match plan {
                    Some(plan) => {
                        let first = chunk * ROWS_IN_CHUNK;
                        grid.ask_for_some(plan, first, &boxes, masks, order, arena, visit)
                    }
                    None => grid.ask_for_each(&boxes, masks, order, arena, visit),
                }
            }
            Structure::Boxes(_) | Structure::Scenery(_) => {
                let meeting = FewAmongMany {
                    few: &few,
                    parts: 1,
                    many: other.structure.source(),
                    spread: Spread::of_spacing(other.spacing.get()),
                    without_large: false,
                    simd,
                    masks,
                    order,
                };
                meeting.meet_in_chunk(0, arena, visit)
            }
        };
        let [first, second] = sides.map(|side| RestOf::of(side).expect("rows of both rest"));
        // Where both rows ask, one of the two questions counts.
        let counts = |[a, b]: [Row; 2]| match (is_own, side) {
            (true, _) => (a < b) | ((a > b) & second.is_still(b, RESTING)),
            (false, 0) => true,
            (false, _) => first.is_still(a, RESTING),
        };
        to.rows_alone(|visit| {
            let (mut room, mut pairs) = ([[0; 2]; PairBuffer::MOST], 0);
            let found = ask(arena, &mut |found| {
                for found in found.chunks(room.len()) {
                    let mut kept = 0;
                    for &[a, b] in found {
                        room[kept] = if is_own { [a.min(b), a.max(b)] } else { [a, b] };
                        kept += usize::from(counts([a, b]));
                    }
                    pairs += kept as u64;
                    visit(&room[..kept]);
                }
            });
            ChunkStats { pairs, ..found }
        })
    }

    /// Which of the swept chunks a chunk is, if it is one: its pairs of two that rest are found as well.
    pub(crate) fn swept_chunk(&self, chunk: usize) -> Option<usize> {
        let [first, second] = self.chunks;
        chunk.checked_sub(first + second)
    }
}

/// The grid of a category with rows that rest, and how those that are awake look for their pairs in it, if not all is searched.
fn own_plan(category: &Category) -> Option<(&PointGrid, &SomeRows)> {
    match &category.structure {
        Structure::Points(grid) => Some((grid, category.stillness.as_ref()?.plan()?)),
        Structure::Boxes(_) | Structure::Scenery(_) => None,
    }
}

/// The rows of a category that ask; `None` if too many do, or it never rests.
fn rows_of(category: &Category) -> Option<&[Row]> {
    match &category.stillness {
        Some(stillness) => stillness.asking(),
        None => category.structure.is_scenery().then_some(&[]),
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
