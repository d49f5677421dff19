//! Brings an index up to date where only some rows have changed, at a price in proportion to these.
//!
//! | pass | does |
//! |---|---|
//! | settle | finds each mover; if it stays in its leaf, moves its record past the few that it overtook |
//! | notice | lists departures from leaves and arrivals in leaves |
//! | splice | sorts them by leaf; each leaf lets its departures go and takes its arrivals in, shifting only what lies between |
//! | finish | tight bounds where they were touched; strips, pieces and chunks where leaves came, went or grew |
//!
//! A mended index has the leaves that a build with the same plan makes, rows in the same order and bounds as tight. Where
//! they are in memory may differ, and where chunks begin. Nothing depends on the order in which movers are given.

mod arrivals;
mod carry;
mod finish;
mod movers;
mod places;
mod room;
mod scratch;
mod settle;
mod splice;
mod upkeep;

pub(crate) use carry::Carried;
pub(crate) use scratch::MendScratch;
pub(crate) use splice::{departure, leaf_of};
pub(crate) use upkeep::Upkeep;

use crate::grid::check_columns;
use crate::layout::Layout;
use crate::leaf::{Leaf, Strip};
use crate::partition::{COARSE_WORDS, EXACT_WORDS};
use crate::pieces::Piece;
use crate::row_word::RowWord;
use crate::{GridError, PointGrid, Points, RowClasses, kernels};

/// A row of which the index no longer says what the columns do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovedRow {
    /// The row.
    pub row: u32,
    /// Where the index has it: its center in the last build or mend. `None` if it is not in the index, because it is new, was
    /// absent or rejected, or was not among the rows that the index was [built from](PointGrid::build_rows).
    pub from: Option<[f32; 2]>,
}

/// A build takes as long for this many rows as a mend for one that moves a little.
const ROWS_PER_MOVER: usize = 16;
/// One that comes into another leaf takes as long as this many more that move a little.
const MOVERS_PER_CROSSING: usize = 4;
/// A build of no rows takes as long as a mend of this many.
const FEW_MOVERS: usize = 16;

impl PointGrid {
    /// Brings the index up to date with columns in which only the `moved` rows differ from those of the last build or mend:
    /// in center, half extents, class or presence, or by being new, or beyond the end of the columns now. Each row once, in
    /// any order; a row whose number changes is two, the one that it was and the one that it is. O(moved): each takes about
    /// as long as a build takes for sixteen rows, or five times that if it goes to another leaf.
    ///
    /// Returns whether it did. If not, the grid is empty and has to be built: when there is no index, when too many rows have
    /// moved, now or in all mends since the build, when the rows no longer suit the cell sizes, when rows have half extents or
    /// classes that they did not have before, or the range of classes begins elsewhere, and when a row is not where it is said
    /// to come from. Apart from memory running out of 32 bits, that depends on the data alone.
    ///
    /// What is not listed is not noticed: rows that have changed but are not listed stay as they were, and a row that is
    /// listed as new although it is in the index is then in it twice.
    ///
    /// ```
    /// use throng_core::Serial;
    /// use throng_grid::{GridConfig, MovedRow, PointGrid, Points};
    ///
    /// let mut xs: Vec<f32> = (0..100).map(|k| 3.0 * k as f32).collect();
    /// let ys = [0.0; 100];
    /// let mut grid = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
    /// grid.build(Points::new(&xs, &ys), &Serial)?;
    ///
    /// let from = Some([xs[7], ys[7]]);
    /// xs[7] = 23.5;
    /// let points = Points::new(&xs, &ys);
    /// if !grid.mend(points, None, &[MovedRow { row: 7, from }])? {
    ///     grid.build(points, &Serial)?;
    /// }
    /// let mut pairs = Vec::new();
    /// grid.for_each_pair(None, |a, b| pairs.push((a, b)));
    /// assert_eq!(pairs, [(7, 8)]);
    /// # Ok::<(), throng_grid::GridError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for a build. The grid then still holds what it held.
    pub fn mend(
        &mut self,
        points: Points<'_>,
        classes: Option<RowClasses<'_>>,
        moved: &[MovedRow],
    ) -> Result<bool, GridError> {
        check_columns(&points)?;
        let (of_rows, row_word) = self.classes_for(&points, classes)?;
        let fits = self.has_plan()
            && self.drift.is_none()
            && self.exact == points.half_extents.is_some()
            && self.row_word == row_word
            && moved.len() <= Self::most_moved(self.rows);
        let columns = Columns {
            points,
            classes: of_rows,
            row_word,
            bound: self.bound,
        };
        let mended = fits
            && if self.exact {
                self.mend_rows::<EXACT_WORDS>(columns, moved)
            } else {
                self.mend_rows::<COARSE_WORDS>(columns, moved)
            };
        if !mended {
            self.forget_index();
        }
        Ok(mended)
    }

    /// How many of so many rows may have moved for [`mend`](Self::mend) to be faster than a build. O(1).
    #[must_use]
    pub fn most_moved(rows: usize) -> usize {
        rows / ROWS_PER_MOVER + FEW_MOVERS
    }

    fn mend_rows<const WORDS: usize>(&mut self, columns: Columns<'_>, moved: &[MovedRow]) -> bool {
        let Some(mut upkeep) = self.upkeep.take() else {
            return false;
        };
        let most_movers = Self::most_moved(self.rows);
        let mut scratch = std::mem::take(&mut self.mend_scratch);
        let simd = self.simd;
        let mut mend = self.parts::<WORDS>(columns, &mut upkeep, &mut scratch);
        let done = kernels::mend(simd, &mut mend, moved, most_movers);
        if done {
            self.finish_mend(&mut upkeep, &mut scratch);
            self.upkeep = Some(upkeep);
            // Rows may have become absent.
            self.refuse_refit();
        }
        self.mend_scratch = scratch;
        done
    }

    /// The parts that are mended, with what was taken out of the grid for as long.
    fn parts<'a, const WORDS: usize>(
        &'a mut self,
        columns: Columns<'a>,
        upkeep: &'a mut Upkeep,
        scratch: &'a mut MendScratch,
    ) -> Mend<'a, WORDS> {
        Mend {
            columns,
            layout: self.layout,
            strips: &self.strips,
            leaves: &mut self.leaves,
            pieces: &mut self.pieces,
            words: self.buckets.words_mut(),
            upkeep,
            scratch,
        }
    }
}

/// The columns of a mend or a refit.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub points: Points<'a>,
    pub classes: &'a [u16],
    /// What records are to say of their rows.
    pub row_word: RowWord,
    pub bound: [f32; 2],
}

/// The parts of a grid as they are mended.
pub(crate) struct Mend<'a, const WORDS: usize> {
    columns: Columns<'a>,
    layout: Layout,
    strips: &'a [Strip],
    leaves: &'a mut [Leaf],
    pieces: &'a mut [Piece],
    words: &'a mut Vec<u32>,
    upkeep: &'a mut Upkeep,
    scratch: &'a mut MendScratch,
}

impl<const WORDS: usize> Mend<'_, WORDS> {
    /// Returns whether all rows were where they were said to come from, a build is not faster, and everything had room.
    #[inline(always)]
    pub(crate) fn run(&mut self, moved: &[MovedRow], most_movers: usize) -> bool {
        self.scratch.clear();
        let arrivals = moved.iter().filter(|moved| moved.from.is_none()).count();
        arrivals * (1 + MOVERS_PER_CROSSING) <= most_movers
            && self.settle_all(moved).is_some()
            && moved.len() + MOVERS_PER_CROSSING * self.scratch.crossing.len() <= most_movers
            && self.notice_all(moved).is_some()
            && self.splice_all().is_some()
    }
}
