//! Whole columns of boxes, written by an engine whose things turn, grow or shrink.
//!
//! A box that stays in its category, as most do, is written at once: the bounds of its category and of smaller ones tell. Those that
//! may have to go elsewhere are [set](Broadphase::set_aabb) one by one in the end: rows do not change while columns are read by row,
//! and every other box costs no look at its proxy.

use std::collections::HashSet;
use std::fmt;

use throng_core::{Aabb, AabbError, Executor};

use crate::broadphase::Broadphase;
use crate::error::{ColumnError, ProxyError};
use crate::world::given_boxes::{Boxes, CenterColumns, CenterPoints, GivenBoxes};
use crate::world::ids::{CategoryId, ProxyId, Row, is_named};
use crate::world::proxy::Extent;
use crate::world::rows::{Migration, Placement};
use crate::write::column_checks::{
    check_aabbs, check_half_extents, check_lengths, check_points, check_rows,
};
use crate::write::columns::ROWS_AHEAD;

impl Broadphase {
    /// The boxes of a category, to be written in row order: for things that turn, grow or shrink, and so have another box in each
    /// frame. Where no size changes, [`centers_mut`](Self::centers_mut) is faster.
    ///
    /// The result is that of a [`set_aabb`](Self::set_aabb) for each, at a fraction of the cost: first for those that stay in the
    /// category, then for the others, each in the order of rows. A box that fits no longer goes to a larger category, one that has
    /// become clearly smaller to a smaller one. One that fits nowhere, or not in the category that it was put into by name, is
    /// refused, and the proxy keeps its box. A coarse category stores only the centers. A row whose box has a side at infinity, or
    /// goes elsewhere, takes as long as a `set_aabb`.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let config = BroadphaseConfig::new()
    ///     .category(CategoryConfig::uniform("planks", 2.5))
    ///     .category(CategoryConfig::oversized("beams"));
    /// let mut world = Broadphase::new(config)?;
    /// let planks = world.category("planks").unwrap();
    /// // The engine's own arrays, in row order.
    /// let (mut angles, mut half_lengths) = (vec![0.0_f32, 0.5, 1.0, 1.5], vec![2.0; 4]);
    /// for i in 0..4 {
    ///     world.insert(Proxy::centered([i as f32 * 3.0, 0.0], [2.0, 0.1])?)?;
    /// }
    ///
    /// // Each frame, in which they turn; and one has grown.
    /// angles.iter_mut().for_each(|angle| *angle += 0.1);
    /// half_lengths[3] = 9.0;
    /// let boxes: Vec<Aabb> = (0..4)
    ///     .map(|i| {
    ///         let (sin, cos) = angles[i].sin_cos();
    ///         let half = [cos, sin].map(|part| half_lengths[i] * part.abs() + 0.1);
    ///         Aabb::from_center([i as f32 * 3.0, 0.0], half)
    ///     })
    ///     .collect::<Result<_, _>>()?;
    /// let fill = world.aabbs_mut(planks)?.fill_from(&boxes)?;
    /// assert!(fill.refused.is_empty());
    /// for migration in &fill.migrated {
    ///     // And pushed to the arrays of beams.
    ///     angles.swap_remove(migration.from.row as usize);
    ///     half_lengths.swap_remove(migration.from.row as usize);
    /// }
    /// assert_eq!(half_lengths, [2.0; 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError`] if there is no such category, or it is scenery.
    #[doc(alias("resize", "half_extents_mut", "rotate"))]
    pub fn aabbs_mut(&mut self, category: CategoryId) -> Result<AabbsMut<'_>, ColumnError> {
        self.boxes_mut(category, None)
    }

    /// [`aabbs_mut`](Self::aabbs_mut) that writes whole columns on an executor of the caller's choice, 8,192 rows to a task.
    ///
    /// # Errors
    ///
    /// As [`aabbs_mut`](Self::aabbs_mut).
    pub fn aabbs_mut_on<'w>(
        &'w mut self,
        executor: &'w dyn Executor,
        category: CategoryId,
    ) -> Result<AabbsMut<'w>, ColumnError> {
        self.boxes_mut(category, Some(executor))
    }

    fn boxes_mut<'w>(
        &'w mut self,
        category: CategoryId,
        executor: Option<&'w dyn Executor>,
    ) -> Result<AabbsMut<'w>, ColumnError> {
        let index = self.writable(category)?;
        Ok(AabbsMut {
            world: self,
            index,
            executor,
        })
    }

    /// Sets the boxes of proxies that may have to go to another category, each with the row that it was in when all were written.
    fn set_left(
        &mut self,
        left: impl Iterator<Item = (Row, ProxyId, Result<Extent, AabbError>)>,
    ) -> AabbFill {
        let mut fill = AabbFill::default();
        for (row, id, extent) in left {
            let set = self.set_given(id, extent);
            sort_out(set, row, &mut fill.migrated, &mut fill.refused);
        }
        fill
    }
}

/// Adds what came of one of many boxes to those that migrated or to those that were refused; `given` says which it was.
pub(super) fn sort_out<G>(
    set: Result<Placement, ProxyError>,
    given: G,
    migrated: &mut Vec<Migration>,
    refused: &mut Vec<(G, ProxyError)>,
) {
    match set {
        Ok(Placement::Stayed) => {}
        Ok(Placement::Migrated(migration)) => migrated.push(migration),
        Err(problem) => refused.push((given, problem)),
    }
}

/// The boxes of one category, for writing.
#[must_use = "no box is written yet"]
pub struct AabbsMut<'w> {
    world: &'w mut Broadphase,
    index: usize,
    /// As named by the caller; otherwise the world's.
    executor: Option<&'w dyn Executor>,
}

/// What a write of boxes did to the rows.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "proxies may be in other rows now, and those refused keep what they had"]
#[non_exhaustive]
pub struct AabbFill {
    /// Those that went to another category, in the order in which they did; apply them one after the other.
    pub migrated: Vec<Migration>,
    /// Those whose box was refused, and why, each with the row that it was in before any migrated; in the order of rows, or of rows as
    /// they were listed.
    pub refused: Vec<(Row, ProxyError)>,
}

impl fmt::Debug for AabbsMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AabbsMut")
            .field("category", &self.name())
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}

impl AabbsMut<'_> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.world.categories[self.index].len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes every row: row `i` gets the box `aabbs[i]`, which may be an [`Aabb`], a pair `(min, max)` of corners, or a type of yours
    /// with `impl From<Yours> for Aabb`, or `TryFrom` with an [`AabbError`]. O(rows), on the threads that a [step](Broadphase::step)
    /// would run on if there are more than 8,192.
    ///
    /// A row for which the conversion fails, such as one with NaN, keeps its box, and is listed as refused with the error. Conversions
    /// may be called on any of the threads, and more than once for a row.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 0.5)))?;
    /// world.insert_batch((0..2).map(|i| Proxy::centered([i as f32, 0.0], [0.5, 0.4]).unwrap()));
    /// let sheep = world.category("sheep").unwrap();
    ///
    /// let corners = [([0.0, 0.0], [0.5, 0.25]), ([7.0, 0.0], [f32::NAN, 1.0])];
    /// let fill = world.aabbs_mut(sheep)?.fill_from(&corners)?;
    /// let (row, problem) = &fill.refused[0];
    /// assert_eq!(*row, 1);
    /// assert!(problem.to_string().contains("NaN"), "{problem}");
    /// assert_eq!(world.centers(sheep), [[0.25, 1.0], [0.125, 0.0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError::AabbsMismatch`]; nothing is written then.
    pub fn fill_from<A>(&mut self, aabbs: &[A]) -> Result<AabbFill, ColumnError>
    where
        A: Copy + Sync + TryInto<Aabb, Error: Into<AabbError>>,
    {
        check_aabbs(self.name(), aabbs.len(), self.len())?;
        Ok(self.fill_with(|row| converted(aabbs[row as usize])))
    }

    /// Writes every row: row `r` gets the box `aabb(r)`; where `aabb` gives an error, the row keeps its box and is listed as refused. For
    /// structs and components, from which no column of boxes has to be made first. `aabb` may be called in any order, on any thread
    /// that a step would run on, and more than once for a row. Otherwise as [`fill_from`](Self::fill_from).
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// struct Balloon {
    ///     center: [f32; 2],
    ///     radius: f32,
    /// }
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::oversized("balloons")))?;
    /// let mut balloons: Vec<Balloon> = (0..3).map(|i| Balloon { center: [i as f32 * 5.0, 0.0], radius: 1.0 }).collect();
    /// for balloon in &balloons {
    ///     world.insert(Proxy::centered(balloon.center, [balloon.radius; 2])?)?;
    /// }
    /// let category = world.category("balloons").unwrap();
    ///
    /// balloons.iter_mut().for_each(|balloon| balloon.radius *= 3.0);
    /// let fill = world.aabbs_mut(category)?.fill_with(|row| {
    ///     let Balloon { center, radius } = balloons[row as usize];
    ///     Aabb::from_center(center, [radius; 2])
    /// });
    /// assert!(fill.refused.is_empty());
    /// assert_eq!(world.step_pairs().pairs().count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill_with(&mut self, aabb: impl Fn(Row) -> Result<Aabb, AabbError> + Sync) -> AabbFill {
        self.fill(&Boxes(aabb))
    }

    /// Writes every row: row `i` gets the box around `centers[i]` that reaches as far as `half_extents[i]`, each a `[f32; 2]`, a
    /// `glam::Vec2` or anything that converts to `[f32; 2]`. Both are stored as they are, as by
    /// [`Proxy::centered`](crate::Proxy::centered), and refused where that refuses them. Otherwise as [`fill_from`](Self::fill_from),
    /// and a little faster.
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 0.5)))?;
    /// let id = world.insert(Proxy::centered([0.0, 0.0], [0.5, 0.4])?)?;
    /// let sheep = world.category("sheep").unwrap();
    ///
    /// let fill = world.aabbs_mut(sheep)?.fill_from_centers(&[[0.1, 0.2]], &[[0.3, 0.4]])?;
    /// assert!(fill.refused.is_empty());
    /// let view = world.get(id).unwrap();
    /// assert_eq!((view.center, view.half_extents), ([0.1, 0.2], [0.3, 0.4]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError::PointsMismatch`] or [`ColumnError::HalfExtentsMismatch`]; nothing is written then.
    pub fn fill_from_centers<P, H>(
        &mut self,
        centers: &[P],
        half_extents: &[H],
    ) -> Result<AabbFill, ColumnError>
    where
        P: Copy + Sync + Into<[f32; 2]>,
        H: Copy + Sync + Into<[f32; 2]>,
    {
        check_points(self.name(), centers.len(), self.len())?;
        check_half_extents(self.name(), half_extents.len(), self.len())?;
        Ok(self.fill(&CenterPoints {
            centers,
            half_extents,
        }))
    }

    /// The same from one array for each axis, `[xs, ys]` and `[half_xs, half_ys]`: row `i` gets the box around `(xs[i], ys[i])` that
    /// reaches as far as `(half_xs[i], half_ys[i])`.
    ///
    /// # Errors
    ///
    /// [`ColumnError::LengthMismatch`] or [`ColumnError::HalfExtentsMismatch`]; nothing is written then.
    pub fn fill_from_columns(
        &mut self,
        centers: [&[f32]; 2],
        half_extents: [&[f32]; 2],
    ) -> Result<AabbFill, ColumnError> {
        let [xs, ys] = centers;
        check_lengths(self.name(), xs, ys, self.len())?;
        for half_extents in half_extents {
            check_half_extents(self.name(), half_extents.len(), self.len())?;
        }
        Ok(self.fill(&CenterColumns {
            centers,
            half_extents,
        }))
    }

    /// Writes some rows: row `rows[i]` gets the box `aabbs[i]`; if a row is listed twice, its boxes are set one after the other, as by
    /// two calls of [`set_aabb`](Broadphase::set_aabb). Otherwise as [`fill_from`](Self::fill_from), on the calling thread. O(rows
    /// written); O(rows) once, when the first box is not as large as the bound. Where most rows
    /// [rest](crate::CategoryConfig::rests_after), it is much cheaper to write those that change than all of them.
    ///
    /// # Errors
    ///
    /// [`ColumnError::AabbsMismatch`] or [`ColumnError::NoSuchRow`]; nothing is written then.
    pub fn set_rows<A>(&mut self, rows: &[Row], aabbs: &[A]) -> Result<AabbFill, ColumnError>
    where
        A: Copy + TryInto<Aabb, Error: Into<AabbError>>,
    {
        check_aabbs(self.name(), aabbs.len(), rows.len())?;
        check_rows(self.name(), rows, 0..self.len() as Row)?;
        Ok(self.set(rows, |place| converted(aabbs[place])))
    }

    /// Writes some rows from boxes of all rows: row `r` gets `aabbs[r]`. For an engine that knows which of its rows have changed, and
    /// so does not have to gather them. Otherwise as [`set_rows`](Self::set_rows).
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("sheep", 0.5)))?;
    /// let mut boxes = Vec::new();
    /// for i in 0..5 {
    ///     boxes.push(Aabb::from_center([i as f32, 0.0], [0.5, 0.4])?);
    ///     world.insert(Proxy::moving(boxes[i]))?;
    /// }
    /// let sheep = world.category("sheep").unwrap();
    ///
    /// boxes[3] = Aabb::from_center([8.0, 0.0], [0.25, 0.125])?;
    /// let fill = world.aabbs_mut(sheep)?.set_rows_from(&[3], &boxes)?;
    /// assert!(fill.refused.is_empty() && fill.migrated.is_empty());
    /// assert_eq!(world.centers(sheep)[0], [0.0, 1.0, 2.0, 8.0, 4.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError::AabbsMismatch`] if there is not one for each row, or [`ColumnError::NoSuchRow`]; nothing is written then.
    pub fn set_rows_from<A>(&mut self, rows: &[Row], aabbs: &[A]) -> Result<AabbFill, ColumnError>
    where
        A: Copy + TryInto<Aabb, Error: Into<AabbError>>,
    {
        check_aabbs(self.name(), aabbs.len(), self.len())?;
        self.set_rows_with(rows, |row| converted(aabbs[row as usize]))
    }

    /// Writes some rows: each row `r` listed gets the box `aabb(r)`; where `aabb` gives an error, the row keeps its box and is listed as
    /// refused. `aabb` is called on the calling thread, in the order of `rows`, and in the end once more for rows that are refused or
    /// may go elsewhere. Otherwise as [`set_rows`](Self::set_rows).
    ///
    /// # Errors
    ///
    /// [`ColumnError::NoSuchRow`]; nothing is written then, and `aabb` is not called.
    pub fn set_rows_with(
        &mut self,
        rows: &[Row],
        aabb: impl Fn(Row) -> Result<Aabb, AabbError>,
    ) -> Result<AabbFill, ColumnError> {
        check_rows(self.name(), rows, 0..self.len() as Row)?;
        Ok(self.set(rows, |place| aabb(rows[place])))
    }

    fn name(&self) -> &str {
        &self.world.config.categories[self.index].name
    }

    /// Writes every row.
    fn fill(&mut self, boxes: &impl GivenBoxes) -> AabbFill {
        let of_world = self.world.step_executor();
        let executor = self.executor.unwrap_or(&*of_world);
        let category = &mut self.world.categories[self.index];
        let staying = self.world.router.staying_in(self.index as u16);
        let mut left = Vec::new();
        category.write_boxes(boxes, staying, &self.world.pool, executor, &mut left);
        if left.is_empty() {
            return AabbFill::default();
        }
        let left: Vec<_> = left
            .into_iter()
            .map(|row| (row, category.id_in_row(row as usize)))
            .collect();
        let left = left.into_iter();
        self.world
            .set_left(left.map(|(row, id)| (row, id, boxes.extent(row as usize))))
    }

    /// Writes rows, which must exist; `aabb` gets a place in `rows`.
    fn set(&mut self, rows: &[Row], aabb: impl Fn(usize) -> Result<Aabb, AabbError>) -> AabbFill {
        let extent = |place| aabb(place).map(Extent::of);
        let category = &mut self.world.categories[self.index];
        let staying = self.world.router.staying_in(self.index as u16);
        let (mut left, mut are_left) = (Vec::new(), HashSet::new());
        category.note_rows_written(rows);
        for (place, &row) in rows.iter().enumerate() {
            if let Some(&later) = rows.get(place + ROWS_AHEAD) {
                category.prefetch_box(later);
            }
            let id = category.id_in_row(row as usize);
            let is_named = || is_named(&self.world.pool, id.0);
            let extent = extent(place).ok();
            match extent.and_then(|extent| staying.fit(&extent, is_named)) {
                // What is left for the end must not come after what was given later.
                Some(fitted) if !are_left.contains(&row) => {
                    category.write_box(row as usize, fitted);
                }
                _ => {
                    are_left.insert(row);
                    left.push((place, row, id));
                }
            }
        }
        let left = left.into_iter();
        self.world
            .set_left(left.map(|(place, row, id)| (row, id, extent(place))))
    }
}

/// A box of the caller's type.
#[inline(always)]
fn converted<A>(aabb: A) -> Result<Aabb, AabbError>
where
    A: TryInto<Aabb, Error: Into<AabbError>>,
{
    aabb.try_into().map_err(Into::into)
}
