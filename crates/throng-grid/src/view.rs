//! A grid as a search sees it: boxes of some size around its centers. Which leaves, and which part of each, can touch a
//! window then.

use crate::leaf::{Bounds, Leaf, Strip};
use crate::pieces::Piece;
use crate::run::Run;
use crate::search::{partition_point, partition_point_near_back, partition_point_near_front};
use crate::{PointGrid, kernels, run::Centers};
use std::ops::Range;
use throng_core::cell::{reach_above, reach_below};
use throng_core::{Arena, LANES, guess_group, last_group_below_from, overlaps_1d};

/// How many centers runs have room for beyond those that are certain to come.
pub(crate) const SPARE_ROOM: usize = 128;

/// What is looked for along a leaf: where its boxes can touch a window.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Aim {
    /// No center below this is close enough, and none before one that is.
    pub passed: f32,
    /// An x at or beyond which a group, and all groups after it, begin too late.
    pub ahead: f32,
    /// About which group of centers is the first.
    pub guess: usize,
}

impl Aim {
    /// In a leaf, given [where its boxes can touch](View::passed_before).
    #[inline(always)]
    pub fn at(leaf: &Leaf, [passed, ahead]: [f32; 2]) -> Self {
        let ends = [leaf.bounds.min[0], leaf.bounds.max[0]];
        Self {
            passed,
            ahead,
            guess: guess_group(leaf.len as usize, ends, passed),
        }
    }
}

/// A grid, and the half extents that its boxes count as.
///
/// A step looks at boxes of the bound; a search for what is near looks at wider ones. Where rows are stored does not
/// depend on any size, so one index serves both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'g> {
    pub grid: &'g PointGrid,
    /// No row's own box is larger.
    pub half: [f32; 2],
    /// Whether rows' own sizes matter, where the grid has them.
    pub sized: bool,
}

impl PointGrid {
    /// The grid as a step sees it.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            grid: self,
            half: self.bound,
            sized: true,
        }
    }
}

impl<'g> View<'g> {
    /// Whether the rows' own sizes are compared.
    pub fn is_exact(&self) -> bool {
        self.sized && self.grid.exact
    }

    /// The centers in a leaf.
    #[inline(always)]
    pub fn centers(&self, leaf: &Leaf) -> Centers<'g> {
        let centers = self.grid.centers(leaf);
        Centers {
            own: centers.own.filter(|_| self.sized),
            bound: self.half,
            ..centers
        }
    }

    /// The centers of a piece, and the window that the boxes around them fill.
    pub fn centers_of(&self, piece: Piece) -> (Centers<'g>, Bounds) {
        let leaf = &self.grid.leaves[piece.leaf as usize];
        let (first, end) = (piece.first as usize, (piece.first + piece.len) as usize);
        let own = self.centers(leaf).slice(first..end);
        let bounds = if piece.len == leaf.len {
            leaf.bounds
        } else {
            Bounds::of(own.xs, own.ys)
        };
        (own, bounds.widened(self.half))
    }

    /// The strip that a piece is in.
    pub fn strip_of(&self, piece: Piece) -> Strip {
        let strips = &self.grid.strips;
        strips[strips.partition_point(|strip| strip.end <= piece.leaf)]
    }

    /// The strips whose boxes can touch the window, ascending.
    #[inline(always)]
    pub fn strips_touching(&self, window: &Bounds) -> &'g [Strip] {
        let cells = self.grid.layout.strips;
        self.strips_between(self.grid.drift.strips([
            cells.cell(reach_below(window.min[1], self.half[1])),
            cells.cell(reach_above(window.max[1], self.half[1])),
        ]))
    }

    /// The strips from one to another, ascending.
    #[inline(always)]
    pub fn strips_between(&self, [lowest, highest]: [i32; 2]) -> &'g [Strip] {
        let strips = &self.grid.strips;
        // Strips mostly follow each other without a gap.
        let guess = strips
            .first()
            .map_or(0, |strip| lowest.wrapping_sub(strip.id)) as usize;
        let first = match strips.get(guess) {
            Some(strip) if strip.id == lowest => guess,
            _ => strips.partition_point(|strip| strip.id < lowest),
        };
        let count = partition_point_near_front(&strips[first..], |strip| strip.id <= highest);
        &strips[first..first + count]
    }

    /// The strips above one whose boxes can touch the window, ascending.
    pub fn strips_above(&self, strip: Strip, window: &Bounds) -> impl Iterator<Item = Strip> {
        let strips = self.strips_touching(window).iter().copied();
        strips.filter(move |other| other.id > strip.id)
    }

    /// Bounds of the boxes of some leaves, if there are any.
    pub fn reach_of<'l>(&self, leaves: impl IntoIterator<Item = &'l Leaf>) -> Option<Bounds> {
        leaves
            .into_iter()
            .map(|leaf| leaf.bounds.widened(self.half))
            .reduce(Bounds::union)
    }

    /// The leaves of a strip whose boxes can touch the window along x, ascending.
    #[inline(always)]
    pub fn leaves_touching(&self, strip: Strip, window: &Bounds) -> &'g [Leaf] {
        let leaves = &self.grid.leaves[strip.first as usize..strip.end as usize];
        let [lowest, highest] = self.ends_of(window);
        let drift = &self.grid.drift;
        let lowest = drift.before(lowest).unwrap_or(lowest);
        let highest = drift.behind(highest).unwrap_or(highest);
        let first = partition_point(leaves, |leaf| leaf.bounds.max[0] < lowest);
        let count =
            partition_point_near_front(&leaves[first..], |leaf| leaf.bounds.min[0] <= highest);
        &leaves[first..first + count]
    }

    /// Whether any box of a leaf can touch the window.
    #[inline(always)]
    pub fn can_touch(&self, leaf: &Leaf, window: &Bounds) -> bool {
        let boxes = leaf.bounds.widened(self.half);
        overlaps_1d(boxes.min[0], boxes.max[0], window.min[0], window.max[0])
            & overlaps_1d(boxes.min[1], boxes.max[1], window.min[1], window.max[1])
    }

    /// The part of a leaf whose boxes can touch the window along x; nothing if none can along y.
    pub fn centers_touching(&self, leaf: &Leaf, window: &Bounds) -> Centers<'g> {
        let centers = self.centers(leaf);
        let boxes = leaf.bounds.widened(self.half);
        if !overlaps_1d(boxes.min[1], boxes.max[1], window.min[1], window.max[1]) {
            return centers.slice(0..0);
        }
        centers.slice(self.columns_touching(leaf, centers.xs, window))
    }

    /// The same and a little more: whole groups of lanes, which are found much faster. For windows that hold few rows.
    ///
    /// Compares coordinates, not columns, each with one that is a column farther out: see [`CellMap::one_below`].
    ///
    /// [`CellMap::one_below`]: throng_core::cell::CellMap::one_below
    #[inline(always)]
    pub fn groups_touching(&self, leaf: &Leaf, window: &Bounds) -> Centers<'g> {
        match self.aim(leaf, window) {
            Some(aim) => self.groups_at(leaf, &aim),
            None => self.centers(leaf).slice(0..0),
        }
    }

    /// What to look for along a leaf; nothing if no box of the leaf can touch the window along y.
    #[inline(always)]
    pub fn aim(&self, leaf: &Leaf, window: &Bounds) -> Option<Aim> {
        let boxes = leaf.bounds.widened(self.half);
        if !overlaps_1d(boxes.min[1], boxes.max[1], window.min[1], window.max[1]) {
            return None;
        }
        Some(Aim::at(
            leaf,
            [
                self.passed_before(window.min[0]),
                self.ahead_of(window.max[0]),
            ],
        ))
    }

    /// An x below all centers whose boxes can touch a window that begins at `min`. No center at or below it is close enough, and neither
    /// is any that is stored before such a center.
    #[inline(always)]
    pub fn passed_before(&self, min: f32) -> f32 {
        // What is before a center that is a column short of the window is no closer.
        let lowest = reach_below(min, self.half[0]);
        let before = self.grid.drift.before(lowest);
        before.unwrap_or_else(|| self.grid.layout.columns.one_below(lowest))
    }

    /// An x above all centers whose boxes can touch a window that ends at `max`. No center at or above it is close enough, and neither is
    /// any that is stored after such a center.
    #[inline(always)]
    pub fn ahead_of(&self, max: f32) -> f32 {
        let highest = reach_above(max, self.half[0]);
        let behind = self.grid.drift.behind(highest);
        behind.unwrap_or_else(|| self.grid.layout.columns.one_above(highest))
    }

    /// The first group of a leaf's centers whose boxes can touch the window.
    #[inline(always)]
    pub fn first_group(&self, centers: &Centers<'_>, aim: &Aim) -> usize {
        last_group_below_from(aim.guess, centers.xs, aim.passed)
    }

    /// All groups of a leaf whose boxes can touch the window.
    #[inline(always)]
    pub fn groups_at(&self, leaf: &Leaf, aim: &Aim) -> Centers<'g> {
        let centers = self.centers(leaf);
        let first = self.first_group(&centers, aim) * LANES;
        let mut end = first;
        while centers.xs.get(end).is_some_and(|&x| x < aim.ahead) {
            end += LANES;
        }
        centers.slice(first..end.min(centers.len()))
    }

    /// Between which centers the boxes begin and end that can touch the window along x.
    #[inline(always)]
    fn ends_of(&self, window: &Bounds) -> [f32; 2] {
        [
            reach_below(window.min[0], self.half[0]),
            reach_above(window.max[0], self.half[0]),
        ]
    }

    /// Columns ascend along a leaf, and the map from x to column is monotone, so this searches by column. Where there is
    /// disorder, it searches by x, as far out as that is.
    fn columns_touching(&self, leaf: &Leaf, xs: &[f32], window: &Bounds) -> Range<usize> {
        let drift = &self.grid.drift;
        let column = |x: f32| self.grid.layout.columns.cell(x);
        let [lowest, highest] = self.ends_of(window);
        let first = if leaf.bounds.min[0] >= lowest {
            0
        } else if let Some(before) = drift.before(lowest) {
            partition_point_near_back(xs, |&x| x < before)
        } else {
            let lowest = column(lowest);
            partition_point_near_back(xs, |&x| column(x) < lowest)
        };
        let end = if leaf.bounds.max[0] <= highest {
            xs.len()
        } else if let Some(behind) = drift.behind(highest) {
            first + partition_point_near_front(&xs[first..], |&x| x <= behind)
        } else {
            let highest = column(highest);
            first + partition_point_near_front(&xs[first..], |&x| column(x) <= highest)
        };
        first..end
    }

    /// How many of a run's first centers have boxes that may begin at or before `x`.
    fn reached_by(&self, x: f32, xs: &[f32]) -> usize {
        let column = |x: f32| self.grid.layout.columns.cell(x);
        let furthest = reach_above(x, self.half[0]);
        if let Some(behind) = self.grid.drift.behind(furthest) {
            return partition_point_near_front(xs, |&x| x <= behind);
        }
        let furthest = column(furthest);
        partition_point_near_front(xs, |&x| column(x) <= furthest)
    }

    /// How far out of order runs inside the window may be; see [`Layout::slack`](crate::layout::Layout::slack).
    pub fn slack(&self, window: &Bounds) -> f32 {
        let along = [window.min[0], window.max[0]];
        let grid = self.grid;
        grid.drift.slack(&grid.layout, along, self.half[0])
    }

    /// The same, with twice as much for what rounds: for tests that compute both sides.
    pub fn wide_slack(&self, window: &Bounds) -> f32 {
        2.0 * self.slack(window) - self.grid.drift.disorder(&self.grid.layout)
    }

    /// Fills a run with the centers of a piece of a strip, followed by those whose boxes theirs reach ahead in the strip.
    pub fn fill_ahead<'a>(
        &self,
        (strip, piece): (Strip, Piece),
        (own, window): (Centers<'_>, &Bounds),
        run: &mut Run<'a>,
        arena: &'a Arena,
    ) {
        run.clear();
        run.make_room(arena, own.rows.len());
        run.append(&own);
        let grid = self.grid;
        let leaf = &grid.leaves[piece.leaf as usize];
        let rest = (piece.first + piece.len) as usize..leaf.len as usize;
        let rest = self.centers(leaf).slice(rest);
        let later = grid.leaves[piece.leaf as usize + 1..strip.end as usize].iter();
        for ahead in std::iter::once(rest).chain(later.map(|leaf| self.centers(leaf))) {
            let reached = self.reached_by(window.max[0], ahead.xs);
            run.make_room(arena, reached);
            run.append(&ahead.slice(0..reached));
            if reached < ahead.xs.len() {
                break;
            }
        }
    }

    /// Appends the centers whose boxes can touch the window along y; whoever compares them decides which do. Makes room
    /// a little at a time, because most cannot.
    pub fn pick_touching<'a>(
        &self,
        run: &mut Run<'a>,
        arena: &'a Arena,
        centers: Centers<'_>,
        window: &Bounds,
    ) {
        for first in (0..centers.len()).step_by(SPARE_ROOM) {
            let part = centers.slice(first..centers.len().min(first + SPARE_ROOM));
            run.make_room(arena, part.len());
            kernels::pick(self.grid.simd, &part, [window.min[1], window.max[1]], run);
        }
    }
    /// The same for all centers of some leaves whose boxes can touch the window along x.
    pub fn pick_leaves<'a>(
        &self,
        leaves: &[Leaf],
        run: &mut Run<'a>,
        arena: &'a Arena,
        window: &Bounds,
    ) {
        for leaf in leaves {
            self.pick_touching(run, arena, self.centers_touching(leaf, window), window);
        }
    }
}
