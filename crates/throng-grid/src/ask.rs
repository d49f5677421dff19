//! The rows of a grid that each of a few boxes touches.
//!
//! For boxes that are few: each is looked up alone, and what is near it is compared in place. Where many come to one leaf, they
//! are compared with it together: where the first and the last row are that each can touch is then counted for sixteen boxes
//! at once, rather than searched for. So it pays to ask for boxes that are near each other. Where boxes are many, the
//! [pieces of the grid ask](crate::PointGrid::meet_boxes_in_chunk) which of them are near instead.
//!
//! Tried: to remember the leaves that the boxes before came to. That takes 4 % less where boxes are in one bunch, and no less
//! elsewhere.

use crate::PointGrid;
use crate::counting::sort_by_number;
use crate::kernels::{self, Probing};
use crate::layout::{COLUMN_BITS, Place};
use crate::leaf::{Bounds, Leaf, leaf_at};
use crate::pieces::LONGEST;
use crate::probe::{Probe, Visits};
use crate::view::View;
use throng_core::cell::{reach_above, reach_below};
use throng_core::{
    Arena, ArenaVec, BoxRun, LANES, PairBuffer, PairOrder, PairsAtOnce, RowMasks, SearchStats,
    for_both,
};

/// Room for the leaves that each box comes to: those in one strip or two.
const LEAVES_EACH: usize = 2;
/// Room for boxes that come to one leaf; more make it grow.
const BOXES_IN_LEAF: usize = 64;
/// Boxes are compared with a leaf together if there are two of them, and at least one for so many groups of its rows.
const GROUPS_EACH: usize = 3;

/// A box that comes to a leaf. They are sorted by leaf, and then by box.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct AskedLeaf {
    pub leaf: u32,
    pub asker: u32,
}

/// For each of some boxes, where to look for rows whose boxes touch it: the lowest and highest strip, the first and last block, and the
/// limits of x.
///
/// Columns and not a struct for each box, so that several are computed at once.
pub(crate) struct ReachedCells<'a> {
    strips: [&'a mut [i32]; 2],
    blocks: [&'a mut [i32]; 2],
    /// Along each leaf [from here](View::passed_before) [to here](View::ahead_of).
    ends: [&'a mut [f32]; 2],
}

impl<'a> ReachedCells<'a> {
    /// Bytes for so many boxes.
    const fn bytes(boxes: usize) -> usize {
        boxes * size_of::<[u32; 6]>()
    }

    fn new(boxes: usize, arena: &'a Arena) -> Self {
        Self {
            strips: for_both(|_| arena.alloc_slice_fill(boxes, 0)),
            blocks: for_both(|_| arena.alloc_slice_fill(boxes, 0)),
            ends: for_both(|_| arena.alloc_slice_fill(boxes, 0.0)),
        }
    }

    /// Where to look along a leaf for the rows whose boxes touch a box.
    #[inline(always)]
    pub fn ends(&self, at: usize) -> [f32; 2] {
        for_both(|end| self.ends[end][at])
    }
}

impl PointGrid {
    /// Visits every pair of a row of this grid and one of `boxes` that overlap, in batches, in an order that depends on the data
    /// alone: the grid's row first for [`PairOrder::Left`], second for [`PairOrder::Right`]. `masks` are those of the grid's
    /// rows, and of the boxes' rows. O(boxes), about a tenth of a microsecond each where they are few, and O(pairs).
    ///
    /// ```
    /// use throng_core::{Arena, BoxRun, PairOrder, Serial};
    /// use throng_grid::{GridConfig, PointGrid, Points};
    ///
    /// let (xs, ys) = ([0.0, 0.9, 5.0], [0.0, 0.9, 5.0]);
    /// let mut grid = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
    /// grid.build(Points::new(&xs, &ys), &Serial)?;
    ///
    /// let (arena, room) = (Arena::new(), Arena::new());
    /// let mut boxes = BoxRun::with_capacity(&arena, 1, false);
    /// boxes.push([[1.0, 1.0], [4.6, 4.6]], 70);
    /// let mut found = Vec::new();
    /// grid.ask_for_each(&boxes, [None; 2], PairOrder::Left, &room, &mut |pairs| found.extend_from_slice(pairs));
    /// assert_eq!(found, [[1, 70], [2, 70]]);
    /// # Ok::<(), throng_grid::GridError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If masks are too few for the rows.
    pub fn ask_for_each(
        &self,
        boxes: &BoxRun<'_>,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &Arena,
        visit: &mut dyn FnMut(&[[u32; 2]]),
    ) -> SearchStats {
        let mut out = PairBuffer::new(arena, visit);
        let candidates = self.ask(boxes, Probing { masks, order }, arena, &mut out);
        out.flush();
        SearchStats {
            pairs: out.total(),
            candidates,
        }
    }

    /// The same, into a buffer that may hold pairs. Returns the number of comparisons.
    fn ask(
        &self,
        boxes: &BoxRun<'_>,
        with: Probing<'_>,
        arena: &Arena,
        out: &mut PairBuffer<'_>,
    ) -> u64 {
        let view = self.view();
        let mut cells = ReachedCells::new(boxes.len(), arena);
        kernels::reached_cells(self.simd, &view, boxes.sides(), &mut cells);
        let visits = view.visits(boxes, &cells, arena);
        let mut alone = arena.vec(visits.len());
        let mut together = BoxRun::with_capacity(arena, BOXES_IN_LEAF, false);
        let mut listed = Visits::new(arena);
        let mut candidates = 0;
        for visits in visits.chunk_by(|one, other| one.leaf == other.leaf) {
            let leaf = &self.leaves[visits[0].leaf as usize];
            if !are_enough(visits.len(), leaf) {
                alone.extend_from_slice(visits);
                continue;
            }
            together.clear();
            together.make_room(arena, visits.len());
            for visit in visits {
                let asker = visit.asker as usize;
                together.push(boxes.corners(asker), boxes.rows()[asker]);
            }
            candidates += view.compare(leaf, &together, with, &mut listed, out);
        }
        candidates + kernels::ask(self.simd, view, (boxes, &cells, &alone), with, out)
    }

    /// How much arena memory it takes to ask for so many boxes. If they come to unusually many leaves, the arena grows.
    #[must_use]
    pub fn ask_scratch_bytes(boxes: usize) -> usize {
        // As they are found, sorted, and those that come alone; and where those of each leaf begin.
        let visits = 3 * LEAVES_EACH * boxes * size_of::<AskedLeaf>();
        let places = LEAVES_EACH * LEAVES_EACH * boxes * size_of::<u32>();
        let cells = ReachedCells::bytes(boxes);
        // A run that outgrows its room leaves it behind.
        let together = BoxRun::bytes(BOXES_IN_LEAF, false) + 2 * BoxRun::bytes(2 * boxes, false);
        PairBuffer::BYTES + Visits::BYTES + visits + places + cells + together
    }
}

/// Few boxes that meet many points [ask](PointGrid::ask_for_each) for their pairs.
impl PairsAtOnce for PointGrid {
    fn pairs_with(
        &self,
        boxes: &BoxRun<'_>,
        masks: [Option<RowMasks<'_>>; 2],
        order: PairOrder,
        arena: &Arena,
        out: &mut PairBuffer<'_>,
    ) -> u64 {
        let [theirs, own] = masks;
        let with = Probing {
            masks: [own, theirs],
            order: order.flipped(),
        };
        self.ask(boxes, with, arena, out)
    }

    fn scratch_bytes_for(&self, boxes: usize) -> usize {
        Self::ask_scratch_bytes(boxes)
    }
}

/// Writes `map` of each value. The compiler vectorizes such a loop over one column, without branches.
#[inline(always)]
fn fill<T>(to: &mut [T], from: &[f32], map: impl Fn(f32) -> T) {
    to.iter_mut()
        .zip(from)
        .for_each(|(to, &from)| *to = map(from));
}

/// Whether so many boxes had better be compared with a leaf together.
fn are_enough(boxes: usize, leaf: &Leaf) -> bool {
    boxes > 1 && boxes * GROUPS_EACH >= leaf.len as usize / LANES
}

impl View<'_> {
    /// Finds out which cells, and which x, boxes reach, given their sides.
    #[inline(always)]
    pub fn reach_cells(
        &self,
        [min_x, min_y, max_x, max_y]: [&[f32]; 4],
        cells: &mut ReachedCells<'_>,
    ) {
        let (layout, half) = (&self.grid.layout, self.half);
        let strip_of = |y: f32| layout.strips.cell(y);
        let block_of = |x: f32| layout.columns.cell(x) >> COLUMN_BITS;
        let [lowest, highest] = &mut cells.strips;
        let [below, above] = self.grid.drift.strips([0, 0]);
        fill(lowest, min_y, |y| strip_of(reach_below(y, half[1])) + below);
        fill(highest, max_y, |y| {
            strip_of(reach_above(y, half[1])) + above
        });
        let [first, last] = &mut cells.blocks;
        let [before, behind] = self.grid.drift.blocks([0, 0]);
        fill(first, min_x, |x| block_of(reach_below(x, half[0])) + before);
        fill(last, max_x, |x| block_of(reach_above(x, half[0])) + behind);
        let [passed, ahead] = &mut cells.ends;
        fill(passed, min_x, |x| self.passed_before(x));
        fill(ahead, max_x, |x| self.ahead_of(x));
    }

    /// The leaves that a box comes to, where these are in one block of one strip or two: each with whether it counts. `None`
    /// where they may be more.
    ///
    /// For a box that is no larger than those of the grid it mostly is so, and which strips they are is unpredictable: so no
    /// branch depends on it.
    #[inline(always)]
    fn one_or_two_leaves(
        &self,
        [[lowest, highest], [block, last]]: [[i32; 2]; 2],
        window: &Bounds,
    ) -> Option<[(u32, bool); 2]> {
        if (highest.wrapping_sub(lowest) as u32 > 1) | (block != last) {
            return None;
        }
        let mut found = [(0, false); 2];
        for (strip, found) in [lowest, highest].into_iter().zip(&mut found) {
            let column = block << COLUMN_BITS;
            if let Some(leaf) = leaf_at(
                &self.grid.strips,
                &self.grid.leaves,
                Place { strip, column },
            ) {
                *found = (leaf as u32, self.can_touch(&self.grid.leaves[leaf], window));
            }
        }
        found[1].1 &= highest != lowest;
        Some(found)
    }

    /// Calls `visit` with each leaf that a box comes to, ascending.
    #[inline(always)]
    fn for_each_leaf(
        &self,
        [strips, [lowest, highest]]: [[i32; 2]; 2],
        window: &Bounds,
        mut visit: impl FnMut(u32),
    ) {
        for strip in self.strips_between(strips) {
            let leaves = &self.grid.leaves[strip.first as usize..strip.end as usize];
            // They mostly follow each other without a gap, as strips do.
            let guess = lowest.wrapping_sub(leaves[0].block) as usize;
            let mut at = match leaves.get(guess) {
                Some(leaf) if leaf.block == lowest => guess,
                _ => leaves.partition_point(|leaf| leaf.block < lowest),
            };
            while let Some(leaf) = leaves.get(at).filter(|leaf| leaf.block <= highest) {
                if self.can_touch(leaf, window) {
                    visit(strip.first + at as u32);
                }
                at += 1;
            }
        }
    }

    /// Which boxes come to which leaves, leaf by leaf.
    fn visits<'a>(
        &self,
        boxes: &BoxRun<'_>,
        cells: &ReachedCells<'_>,
        arena: &'a Arena,
    ) -> ArenaVec<'a, AskedLeaf> {
        let mut visits = arena.vec(LEAVES_EACH * boxes.len());
        for asker in 0..boxes.len() {
            let cells = [&cells.strips, &cells.blocks].map(|ends| for_both(|end| ends[end][asker]));
            let [min, max] = boxes.corners(asker);
            let (window, asker) = (Bounds { min, max }, asker as u32);
            if let Some(leaves) = self.one_or_two_leaves(cells, &window) {
                for (leaf, counts) in leaves {
                    visits.push(AskedLeaf { leaf, asker });
                    visits.truncate(visits.len() - usize::from(!counts));
                }
            } else {
                self.for_each_leaf(cells, &window, |leaf| {
                    visits.push(AskedLeaf { leaf, asker })
                });
            }
        }
        let (mut first, mut end) = (u32::MAX, 0);
        for visit in &visits {
            (first, end) = (first.min(visit.leaf), end.max(visit.leaf + 1));
        }
        let leaves = end.saturating_sub(first) as usize;
        if leaves > LEAVES_EACH * visits.len() {
            visits.sort_unstable();
            return visits;
        }
        let mut places = arena.vec(leaves);
        places.resize(leaves, 0);
        let mut sorted = arena.vec(visits.len());
        sorted.resize(visits.len(), AskedLeaf { leaf: 0, asker: 0 });
        let by_leaf = visits.iter().map(|visit| (visit.leaf - first, *visit));
        sort_by_number(by_leaf, &mut places, &mut sorted);
        sorted
    }

    /// The pairs of some boxes with the rows of a leaf.
    fn compare(
        &self,
        leaf: &Leaf,
        boxes: &BoxRun<'_>,
        with: Probing<'_>,
        listed: &mut Visits<'_>,
        out: &mut PairBuffer<'_>,
    ) -> u64 {
        let (centers, window) = (self.centers(leaf), leaf.bounds.widened(self.half));
        let slack = self.slack(&window);
        let mut candidates = 0;
        for first in (0..centers.len()).step_by(LONGEST as usize) {
            let end = centers.len().min(first + LONGEST as usize);
            let probe = Probe::new(centers.slice(first..end), slack, false);
            candidates += kernels::probe(self.grid.simd, &probe, boxes, with, listed, out);
        }
        candidates
    }
}
