//! Whole columns of centers, written by an engine that has its own arrays.

use std::fmt;
use std::ops::Range;

use parking_lot::Mutex;
use throng_core::prefetch;

use crate::broadphase::Broadphase;
use crate::error::ColumnError;
use crate::world::category::{Category, is_finite};
use crate::world::ids::{CategoryId, ProxyId, Row};
use crate::write::column_checks::{check_lengths, check_points, check_rows, values_in_order};

/// How many rows are checked with one branch.
const BLOCK: usize = 64;
/// Where only some rows are written, their memory is fetched so many rows ahead.
pub(super) const ROWS_AHEAD: usize = 16;

impl Broadphase {
    /// The centers of a category, to be written in row order: all at once, row by row, or from many threads.
    ///
    /// A row for which the new center is not finite keeps its last good one, and is listed in the report of the next
    /// step or refresh.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 0.5)))?;
    /// world.insert_batch((0..100).map(|i| Proxy::centered([i as f32, 0.0], [0.5, 0.4]).unwrap()));
    /// let sheep = world.category("sheep").unwrap();
    ///
    /// let (mut xs, ys) = (vec![3.0; 100], vec![4.0; 100]);
    /// xs[7] = f32::NAN;
    /// let fill = world.centers_mut(sheep)?.fill_from(&xs, &ys)?;
    /// assert_eq!(fill.rejected, 1);
    ///
    /// // The same from one thread per chunk.
    /// let mut centers = world.centers_mut(sheep)?;
    /// std::thread::scope(|scope| {
    ///     for mut chunk in centers.chunks(25) {
    ///         scope.spawn(move || {
    ///             for row in chunk.rows() {
    ///                 chunk.set(row, [row as f32, 1.0]).unwrap();
    ///             }
    ///         });
    ///     }
    /// });
    /// drop(centers);
    /// world.refresh();
    /// assert_eq!(world.centers(sheep)[0][99], 99.0);
    /// assert_eq!(world.report().rejected.len(), 1, "the NaN of before");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError`] if there is no such category, or it is scenery.
    pub fn centers_mut(&mut self, category: CategoryId) -> Result<CentersMut<'_>, ColumnError> {
        let index = self.writable(category)?;
        Ok(CentersMut {
            name: &self.config.categories[index].name,
            category: &mut self.categories[index],
            misplaced: &mut self.misplaced,
            rejected: Mutex::new(Vec::new()),
        })
    }

    /// The index of a category whose centers and boxes are written in columns: any but scenery.
    pub(super) fn writable(&self, category: CategoryId) -> Result<usize, ColumnError> {
        let index = self.known(category)?.index();
        if self.categories[index].structure.is_scenery() {
            return Err(ColumnError::Scenery {
                category: self.config.categories[index].name.clone(),
            });
        }
        Ok(index)
    }
}

/// The centers of one category, for writing.
#[must_use = "no center is written yet"]
pub struct CentersMut<'w> {
    name: &'w str,
    category: &'w mut Category,
    misplaced: &'w mut Vec<ProxyId>,
    /// Rows rejected so far; locked only to add some.
    rejected: Mutex<Vec<Row>>,
}

/// What a column write did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "a row that was turned away keeps what it had"]
#[non_exhaustive]
pub struct Fill {
    /// Rows that keep what they had because what was given is not finite.
    pub rejected: usize,
    /// The first of these rows, by its number in the category.
    pub first_rejected: Option<Row>,
}

impl Fill {
    /// Counts one more row.
    pub(super) fn reject(&mut self, row: Row) {
        self.rejected += 1;
        self.first_rejected.get_or_insert(row);
    }
}

impl fmt::Debug for CentersMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CentersMut")
            .field("category", &self.name)
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}

impl CentersMut<'_> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.category.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes every row: row `i` goes to `(xs[i], ys[i])`. O(rows), about as fast as a copy.
    ///
    /// # Errors
    ///
    /// [`ColumnError::LengthMismatch`]; nothing is written then.
    pub fn fill_from(&mut self, xs: &[f32], ys: &[f32]) -> Result<Fill, ColumnError> {
        let fill = self.whole().fill_from(xs, ys)?;
        self.category.note_all_written();
        Ok(fill)
    }

    /// Writes every row: row `i` goes to `points[i]`, which may be a `[f32; 2]`, a `glam::Vec2` or anything that
    /// converts to `[f32; 2]`. O(rows); [`fill_from`](Self::fill_from), which does not have to split points, is faster.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 0.5)))?;
    /// world.insert_batch((0..3).map(|i| Proxy::centered([i as f32, 0.0], [0.5, 0.4]).unwrap()));
    /// let sheep = world.category("sheep").unwrap();
    ///
    /// let points = [[0.0, 1.0], [2.0, f32::NAN], [4.0, 5.0]];
    /// let fill = world.centers_mut(sheep)?.fill_from_points(&points)?;
    /// assert_eq!(fill.rejected, 1);
    /// assert_eq!(world.centers(sheep), [[0.0, 1.0, 4.0], [1.0, 0.0, 5.0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError::PointsMismatch`]; nothing is written then.
    pub fn fill_from_points<P>(&mut self, points: &[P]) -> Result<Fill, ColumnError>
    where
        P: Copy + Into<[f32; 2]>,
    {
        check_points(self.name, points.len(), self.len())?;
        // Noted before they are written: if a conversion panics, some rows are written already.
        self.category.note_all_written();
        self.whole().fill_from_points(points)
    }

    /// Writes every row: row `r` goes to `center(r)`, a `[f32; 2]`, a `glam::Vec2` or anything that converts to `[f32; 2]`. For
    /// structs, components, or numbers in double precision: nothing has to be gathered first. Asks for each row once, in order. A row
    /// whose center is not finite, such as a double too large for `f32`, keeps the one that it has, and counts as rejected. O(rows).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// struct Sheep {
    ///     name: String,
    ///     position: (f64, f64),
    /// }
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 0.5)))?;
    /// let mut flock = Vec::new();
    /// for (name, x) in [("Dolly", 1.0), ("Shaun", 3.0)] {
    ///     world.insert(Proxy::centered([x as f32, 0.0], [0.5, 0.4])?)?;
    ///     flock.push(Sheep { name: name.to_owned(), position: (x, 0.0) });
    /// }
    /// let sheep = world.category("sheep").unwrap();
    ///
    /// flock[1].position.0 += 0.5;
    /// let fill = world.centers_mut(sheep)?.fill_with(|row| {
    ///     let (x, y) = flock[row as usize].position;
    ///     [x as f32, y as f32]
    /// });
    /// assert_eq!(fill.rejected, 0);
    /// assert_eq!(world.centers(sheep)[0], [1.0, 3.5], "{} walked", flock[1].name);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill_with<P: Into<[f32; 2]>>(&mut self, center: impl FnMut(Row) -> P) -> Fill {
        // Noted first, as in `fill_from_points`: if `center` panics, some rows are written already.
        self.category.note_all_written();
        self.whole().fill_with(center)
    }

    /// Writes some rows: row `rows[i]` goes to `(xs[i], ys[i])`; if a row is listed twice, to the last of these. O(rows written).
    /// Where most rows [rest](crate::CategoryConfig::rests_after), it is much cheaper to write those that move than all of them.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let sheep = CategoryConfig::uniform("sheep", 0.5).rests_after(30);
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(sheep))?;
    /// world.insert_batch((0..5).map(|i| Proxy::centered([i as f32, 0.0], [0.5, 0.4]).unwrap()));
    /// let sheep = world.category("sheep").unwrap();
    ///
    /// let fill = world.centers_mut(sheep)?.set_rows(&[3, 1], &[8.0, 9.0], &[0.5, f32::NAN])?;
    /// assert_eq!(fill.rejected, 1);
    /// assert_eq!(world.centers(sheep)[0], [0.0, 1.0, 2.0, 8.0, 4.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError::LengthMismatch`] or [`ColumnError::NoSuchRow`]; nothing is written then.
    pub fn set_rows(&mut self, rows: &[Row], xs: &[f32], ys: &[f32]) -> Result<Fill, ColumnError> {
        let centers = values_in_order(self.name, rows, [xs, ys], self.len())?;
        Ok(self.write_rows(rows, centers))
    }

    /// Writes some rows from columns of all rows: row `r` goes to `(xs[r], ys[r])`. For an engine that knows which of its rows
    /// have moved, and so does not have to gather them. O(rows written).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let sheep = CategoryConfig::uniform("sheep", 0.5).rests_after(30);
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(sheep))?;
    /// world.insert_batch((0..5).map(|i| Proxy::centered([i as f32, 0.0], [0.5, 0.4]).unwrap()));
    /// let sheep = world.category("sheep").unwrap();
    ///
    /// let (mut xs, ys) = ([0.0, 1.0, 2.0, 3.0, 4.0], [0.0; 5]);
    /// xs[3] = 8.0;
    /// let fill = world.centers_mut(sheep)?.set_rows_from(&[3], &xs, &ys)?;
    /// assert_eq!(fill.rejected, 0);
    /// assert_eq!(world.centers(sheep)[0], xs);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError::LengthMismatch`] if the columns are not those of all rows, or [`ColumnError::NoSuchRow`]; nothing is
    /// written then.
    pub fn set_rows_from(
        &mut self,
        rows: &[Row],
        xs: &[f32],
        ys: &[f32],
    ) -> Result<Fill, ColumnError> {
        check_lengths(self.name, xs, ys, self.len())?;
        self.set_rows_with(rows, |row| [xs[row as usize], ys[row as usize]])
    }

    /// The same from points, of which row `r` goes to `points[r]`: each a `[f32; 2]`, a `glam::Vec2` or anything that converts to
    /// `[f32; 2]`.
    ///
    /// # Errors
    ///
    /// [`ColumnError::PointsMismatch`] if there is not one for each row, or [`ColumnError::NoSuchRow`]; nothing is written then.
    pub fn set_rows_from_points<P>(
        &mut self,
        rows: &[Row],
        points: &[P],
    ) -> Result<Fill, ColumnError>
    where
        P: Copy + Into<[f32; 2]>,
    {
        check_points(self.name, points.len(), self.len())?;
        self.set_rows_with(rows, |row| points[row as usize])
    }

    /// Writes some rows: each row `r` listed goes to `center(r)`. Asks once for each place in `rows`, in that order, so twice for a row
    /// that is listed twice. Otherwise as [`set_rows`](Self::set_rows).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let sheep = CategoryConfig::uniform("sheep", 0.5).rests_after(30);
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(sheep))?;
    /// world.insert_batch((0..5).map(|i| Proxy::centered([i as f32, 0.0], [0.5, 0.4]).unwrap()));
    /// let sheep = world.category("sheep").unwrap();
    ///
    /// let fill = world.centers_mut(sheep)?.set_rows_with(&[3, 4], |row| [row as f32 * 2.0, 0.0])?;
    /// assert_eq!(fill.rejected, 0);
    /// assert_eq!(world.centers(sheep)[0], [0.0, 1.0, 2.0, 6.0, 8.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError::NoSuchRow`]; nothing is written then, and `center` is not called.
    pub fn set_rows_with<P: Into<[f32; 2]>>(
        &mut self,
        rows: &[Row],
        mut center: impl FnMut(Row) -> P,
    ) -> Result<Fill, ColumnError> {
        check_rows(self.name, rows, 0..self.len() as Row)?;
        Ok(self.write_rows(rows, rows.iter().map(|&row| center(row).into())))
    }

    /// Writes rows, which must exist; there must be a center for each.
    fn write_rows(&mut self, rows: &[Row], centers: impl Iterator<Item = [f32; 2]>) -> Fill {
        self.category.note_rows_written(rows);
        let (mut all, mut fill) = (self.whole(), Fill::default());
        for (place, (&row, center)) in rows.iter().zip(centers).enumerate() {
            if let Some(&later) = rows.get(place + ROWS_AHEAD) {
                all.prefetch(later);
            }
            if !all.write(row as usize, center) {
                fill.reject(row);
            }
        }
        fill
    }

    /// Writes one row.
    ///
    /// # Errors
    ///
    /// [`ColumnError::NoSuchRow`] or [`ColumnError::NotFinite`].
    pub fn set(&mut self, row: Row, center: impl Into<[f32; 2]>) -> Result<(), ColumnError> {
        check_rows(self.name, &[row], 0..self.len() as Row)?;
        let center = center.into();
        self.whole().set(row, center)?;
        self.category.note_rows_written(&[row]);
        Ok(())
    }

    /// Splits the rows into chunks of `rows_each` (0 counts as 1; the last may be shorter). Each may be written by its
    /// own thread.
    pub fn chunks(&mut self, rows_each: usize) -> impl ExactSizeIterator<Item = CenterChunk<'_>> {
        let (name, rows_each) = (self.name, rows_each.max(1));
        self.category.note_all_written();
        let columns = &mut self.category.columns;
        let rejected = &self.rejected;
        let runs = columns
            .xs
            .chunks_mut(rows_each)
            .zip(columns.ys.chunks_mut(rows_each));
        runs.enumerate().map(move |(chunk, (xs, ys))| CenterChunk {
            name,
            first: (chunk * rows_each) as Row,
            xs,
            ys,
            rejected,
        })
    }

    fn whole(&mut self) -> CenterChunk<'_> {
        let columns = &mut self.category.columns;
        CenterChunk {
            name: self.name,
            first: 0,
            xs: &mut columns.xs,
            ys: &mut columns.ys,
            rejected: &self.rejected,
        }
    }
}

/// Turns rejected rows into proxies while row numbers still mean the same.
impl Drop for CentersMut<'_> {
    fn drop(&mut self) {
        for &row in self.rejected.get_mut().iter() {
            self.misplaced.push(self.category.id_in_row(row as usize));
        }
    }
}

/// The centers of consecutive rows, for writing; can be sent to another thread.
#[must_use = "no center is written yet"]
pub struct CenterChunk<'w> {
    name: &'w str,
    first: Row,
    xs: &'w mut [f32],
    ys: &'w mut [f32],
    rejected: &'w Mutex<Vec<Row>>,
}

impl fmt::Debug for CenterChunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CenterChunk")
            .field("category", &self.name)
            .field("rows", &self.rows())
            .finish_non_exhaustive()
    }
}

impl CenterChunk<'_> {
    /// The rows of the chunk.
    pub fn rows(&self) -> Range<Row> {
        self.first..self.first + self.xs.len() as Row
    }

    /// Writes every row of the chunk: the first goes to `(xs[0], ys[0])`.
    ///
    /// # Errors
    ///
    /// [`ColumnError::LengthMismatch`]; nothing is written then.
    pub fn fill_from(&mut self, xs: &[f32], ys: &[f32]) -> Result<Fill, ColumnError> {
        check_lengths(self.name, xs, ys, self.xs.len())?;
        let mut fill = Fill::default();
        for block in blocks_of(xs.len()) {
            let columns = [&xs[block.clone()], &ys[block.clone()]];
            self.write_block(block, columns, &mut fill);
        }
        Ok(fill)
    }

    /// Writes every row of the chunk: the first goes to `points[0]`. See [`CentersMut::fill_from_points`].
    ///
    /// # Errors
    ///
    /// [`ColumnError::PointsMismatch`]; nothing is written then.
    pub fn fill_from_points<P>(&mut self, points: &[P]) -> Result<Fill, ColumnError>
    where
        P: Copy + Into<[f32; 2]>,
    {
        check_points(self.name, points.len(), self.xs.len())?;
        Ok(self.write_all(points.iter().map(|&point| point.into())))
    }

    /// Writes every row of the chunk: row `r`, by its number in the category, goes to `center(r)`. See
    /// [`CentersMut::fill_with`].
    pub fn fill_with<P: Into<[f32; 2]>>(&mut self, mut center: impl FnMut(Row) -> P) -> Fill {
        let centers = self.rows().map(|row| center(row).into());
        self.write_all(centers)
    }

    /// There must be a center for each row.
    #[inline(always)]
    fn write_all(&mut self, mut centers: impl Iterator<Item = [f32; 2]>) -> Fill {
        let mut fill = Fill::default();
        let (mut xs, mut ys) = ([0.0; BLOCK], [0.0; BLOCK]);
        for block in blocks_of(self.xs.len()) {
            let (xs, ys) = (&mut xs[..block.len()], &mut ys[..block.len()]);
            for ((x, y), center) in xs.iter_mut().zip(&mut *ys).zip(&mut centers) {
                [*x, *y] = center;
            }
            self.write_block(block, [xs, ys], &mut fill);
        }
        fill
    }

    #[inline(always)]
    fn write_block(&mut self, block: Range<usize>, [xs, ys]: [&[f32]; 2], fill: &mut Fill) {
        if all_finite(xs) & all_finite(ys) {
            self.xs[block.clone()].copy_from_slice(xs);
            self.ys[block].copy_from_slice(ys);
            return;
        }
        for (i, (&x, &y)) in block.zip(xs.iter().zip(ys)) {
            if !self.write(i, [x, y]) {
                fill.reject(self.first + i as Row);
            }
        }
    }

    /// Writes one row, by its number in the category.
    ///
    /// # Errors
    ///
    /// [`ColumnError::NoSuchRow`] or [`ColumnError::NotFinite`].
    pub fn set(&mut self, row: Row, center: impl Into<[f32; 2]>) -> Result<(), ColumnError> {
        let center = center.into();
        check_rows(self.name, &[row], self.rows())?;
        if self.write((row - self.first) as usize, center) {
            Ok(())
        } else {
            Err(ColumnError::NotFinite {
                category: self.name.to_owned(),
                row,
                given: center,
            })
        }
    }

    /// Fetches the memory of a row, by its place in the chunk; does nothing if there is no such row.
    #[inline(always)]
    fn prefetch(&self, index: Row) {
        prefetch(self.xs, index);
        prefetch(self.ys, index);
    }

    #[inline(always)]
    fn write(&mut self, index: usize, center: [f32; 2]) -> bool {
        let good = is_finite(center);
        if good {
            [self.xs[index], self.ys[index]] = center;
        } else {
            self.reject(index);
        }
        good
    }

    #[cold]
    fn reject(&self, index: usize) {
        self.rejected.lock().push(self.first + index as Row);
    }
}

fn blocks_of(rows: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = (0..rows).step_by(BLOCK);
    starts.map(move |start| start..rows.min(start + BLOCK))
}

/// Without a branch per value, so that it compiles to vector code.
fn all_finite(values: &[f32]) -> bool {
    values
        .iter()
        .fold(true, |all, value| all & value.is_finite())
}
