//! Builds from some of the rows of the columns, and from what other grids have.
//!
//! The rows are first copied into columns of their own, without gaps, and the index is built from these columns. But what goes into
//! its records are not the places in the copies, but the rows' own numbers, which are copied too. So what a build costs depends on
//! these rows alone, however many the columns have. Rows ascend by place as well as by number, so records are in the order of a build
//! from the whole columns. (To put the places into records, and to look the numbers up afterwards, took an eighth to a fifth longer.)

use crate::buckets::Said;
use crate::grid::check_columns;
use crate::row_word::RowWord;
use crate::{BuildReport, GridError, PointGrid, Points, RowClasses};
use fixedbitset::FixedBitSet;
use throng_core::Executor;

/// Memory for the columns of some rows, kept from one build to the next.
#[derive(Debug, Default)]
pub(crate) struct RowColumns {
    xs: Vec<f32>,
    ys: Vec<f32>,
    half_extents: Vec<[f32; 2]>,
    /// What records say of rows.
    words: Vec<u32>,
    /// Which rows are in none of the grids that are joined.
    absent: FixedBitSet,
}

impl RowColumns {
    fn clear(&mut self) {
        self.xs.clear();
        self.ys.clear();
        self.half_extents.clear();
        self.words.clear();
        self.absent.clear();
    }

    /// Copies some rows, but for absent ones; they have classes unless words are plain.
    fn copy(&mut self, points: &Points<'_>, (classes, word): (&[u16], RowWord), rows: &[u32]) {
        self.clear();
        let present = |row: &&u32| points.is_present(**row as usize);
        match (points.absent, word.is_plain()) {
            (None, true) => self.words.extend_from_slice(rows),
            (None, false) => {
                let words = rows
                    .iter()
                    .map(|&row| word.word(row, classes[row as usize]));
                self.words.extend(words);
            }
            (Some(_), true) => self.words.extend(rows.iter().filter(present)),
            (Some(_), false) => {
                let rows = rows.iter().filter(present);
                let words = rows.map(|&row| word.word(row, classes[row as usize]));
                self.words.extend(words);
            }
        }
        let rows = || self.words.iter().map(|&of| word.row(of) as usize);
        self.xs.extend(rows().map(|row| points.xs[row]));
        self.ys.extend(rows().map(|row| points.ys[row]));
        if let Some(own) = points.half_extents {
            self.half_extents.extend(rows().map(|row| own[row]));
        }
    }

    pub fn memory_bytes(&self) -> usize {
        let floats = self.xs.capacity() + self.ys.capacity() + 2 * self.half_extents.capacity();
        floats * size_of::<f32>()
            + self.words.capacity() * size_of::<u32>()
            + std::mem::size_of_val(self.absent.as_slice())
    }
}

impl PointGrid {
    /// As [`build`](Self::build), or with classes [`build_with_classes`](Self::build_with_classes), but from some rows alone: `rows`
    /// has their numbers, ascending. Rows keep these numbers; absent ones stay out. O(`rows`), however many the columns have. The
    /// index can be [mended](Self::mend): the other rows of the columns stay out until they are among those that have moved, with
    /// `from` as `None`.
    ///
    /// ```
    /// use throng_core::Serial;
    /// use throng_grid::{GridConfig, PointGrid, Points};
    ///
    /// let (xs, ys) = ([0.0, 0.9, 0.1, 5.0], [0.0, 0.9, 0.1, 5.0]);
    /// let mut grid = PointGrid::new(GridConfig::new([0.5, 0.5]))?;
    /// grid.build_rows(Points::new(&xs, &ys), None, &[0, 2, 3], &Serial)?;
    ///
    /// let mut pairs = Vec::new();
    /// grid.for_each_pair(None, |a, b| pairs.push((a, b)));
    /// assert_eq!(pairs, [(0, 2)]);
    /// # Ok::<(), throng_grid::GridError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`build_with_classes`](Self::build_with_classes), and if the rows do not ascend, or the columns do not have one of
    /// them. The grid then still holds the last build.
    pub fn build_rows(
        &mut self,
        points: Points<'_>,
        classes: Option<RowClasses<'_>>,
        rows: &[u32],
        executor: &dyn Executor,
    ) -> Result<BuildReport, GridError> {
        check_columns(&points)?;
        check_rows(rows, points.xs.len())?;
        let classes = self.classes_for(&points, classes)?;
        let mut columns = std::mem::take(&mut self.row_columns);
        columns.copy(&points, classes, rows);
        let (_, row_word) = classes;
        let some = Points {
            xs: &columns.xs,
            ys: &columns.ys,
            half_extents: points.half_extents.map(|_| &columns.half_extents[..]),
            absent: None,
        };
        let report = self.build_with(some, Said::Words(&columns.words), row_word, executor);
        if report.is_ok() {
            for rejected in self.buckets.rejected_mut() {
                *rejected = row_word.row(columns.words[*rejected as usize]);
            }
        }
        self.row_columns = columns;
        report
    }

    /// Rebuilds the index from all rows of two other grids, which may have none in common. Rows keep their numbers. It is exact if one
    /// of the two is: rows of the other then have its bound for half extents. It carries no classes. Cells are those of the grid with
    /// more rows, so that the result does not depend on what was built before. O(highest number of a row), in time and in memory.
    ///
    /// For searches that take a single grid, where rows are in several.
    ///
    /// ```
    /// use throng_core::Serial;
    /// use throng_grid::{GridConfig, PointGrid, Points};
    ///
    /// let (xs, ys) = ([0.0, 0.9, 5.0], [0.0, 0.9, 5.0]);
    /// let points = Points::new(&xs, &ys);
    /// let new = || PointGrid::new(GridConfig::new([0.5, 0.5]));
    /// let (mut some, mut others, mut all) = (new()?, new()?, new()?);
    /// some.build_rows(points, None, &[0], &Serial)?;
    /// others.build_rows(points, None, &[1, 2], &Serial)?;
    /// all.build_from_grids([&some, &others], &Serial)?;
    ///
    /// let mut pairs = Vec::new();
    /// all.for_each_pair(None, |a, b| pairs.push((a, b)));
    /// assert_eq!(pairs, [(0, 1)]);
    /// # Ok::<(), throng_grid::GridError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build), and if the two have a row in common.
    pub fn build_from_grids(
        &mut self,
        grids: [&PointGrid; 2],
        executor: &dyn Executor,
    ) -> Result<BuildReport, GridError> {
        let mut columns = std::mem::take(&mut self.row_columns);
        let joined = columns.join(grids);
        let built = joined.and_then(|is_exact| {
            let [a, b] = grids;
            self.use_layout(if a.rows >= b.rows { a.layout } else { b.layout });
            let all = Points {
                xs: &columns.xs,
                ys: &columns.ys,
                half_extents: is_exact.then_some(&columns.half_extents[..]),
                absent: Some(&columns.absent),
            };
            self.build(all, executor)
        });
        self.row_columns = columns;
        built
    }
}

impl RowColumns {
    /// Makes columns of all rows that two grids have, with gaps where neither has one. Returns whether rows have half extents.
    fn join(&mut self, grids: [&PointGrid; 2]) -> Result<bool, GridError> {
        self.clear();
        let is_exact = grids.iter().any(|grid| grid.exact);
        let highest = grids.iter().flat_map(|grid| {
            let leaves = grid.leaves.iter().map(|leaf| grid.centers(leaf));
            leaves.flat_map(|centers| (0..centers.len()).map(move |at| centers.row(at)))
        });
        let rows = highest.max().map_or(0, |row| row as usize + 1);
        self.xs.resize(rows, 0.0);
        self.ys.resize(rows, 0.0);
        if is_exact {
            self.half_extents.resize(rows, [0.0; 2]);
        }
        self.absent.grow(rows);
        self.absent.insert_range(..);
        for grid in grids {
            for leaf in &grid.leaves {
                let centers = grid.centers(leaf);
                for at in 0..centers.len() {
                    let row = centers.row(at) as usize;
                    if !self.absent.contains(row) {
                        return Err(GridError::InBoth { row: row as u32 });
                    }
                    self.absent.set(row, false);
                    (self.xs[row], self.ys[row]) = (centers.xs[at], centers.ys[at]);
                    if is_exact {
                        let own = centers.own.map(|[xs, ys]| [xs[at], ys[at]]);
                        self.half_extents[row] = own.unwrap_or(grid.bound);
                    }
                }
            }
        }
        Ok(is_exact)
    }
}

/// Refuses rows that do not ascend, or are beyond the end of the columns.
fn check_rows(rows: &[u32], columns: usize) -> Result<(), GridError> {
    if let Some(two) = rows.windows(2).find(|two| two[0] >= two[1]) {
        return Err(GridError::Descending {
            row: two[1],
            after: two[0],
        });
    }
    match rows.last() {
        Some(&row) if row as usize >= columns => Err(GridError::NoSuchRow { row, columns }),
        _ => Ok(()),
    }
}
