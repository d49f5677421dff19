//! How far each proxy is expected to move until the next step, so that pairs on its way can be predicted.

use std::fmt;

use crate::broadphase::Broadphase;
use crate::error::{ColumnError, ProxyError};
use crate::world::category::{Category, is_finite};
use crate::world::ids::{CategoryId, ProxyId, Row};
use crate::write::column_checks::{check_lengths, check_points, check_rows, values_in_order};
use crate::write::columns::Fill;

impl Broadphase {
    /// Says how far a proxy is expected to move from one step to the next, as a length and not as a length per second: its velocity
    /// times the time of a step. It stays until it is set again, or
    /// the proxy becomes scenery. Moves nothing, and wakes nobody.
    ///
    /// A proxy with a velocity is paired along its way. If the boxes of two touch only on the way, the pair comes after all
    /// others, in a batch that [says so](crate::PairBatch::is_predicted). If both move, all of one's way
    /// is met by all of the other's. The way counts as a box from the one place to the other, and may be longer than
    /// any bound. A pair whose boxes touch already comes in an ordinary batch, so cast what is fast at the other box of every pair,
    /// predicted or not, along its way minus the other's. Events, rest and queries know nothing of it, and pairs with a sensor are never
    /// predicted. The first velocity of a category that is not 0 takes O(rows); after that, each step takes a nanosecond or so for each row
    /// of the category. If many of a uniform category have velocities of up to half their own size, the step takes two and a half to four times
    /// as long; one that is faster takes about what a proxy of an oversized category takes.
    ///
    /// ```
    /// use throng::{Aabb, Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let config = BroadphaseConfig::new()
    ///     .category(CategoryConfig::uniform("arrows", 0.1))
    ///     .category(CategoryConfig::scenery("walls"));
    /// let mut world = Broadphase::new(config)?;
    /// let arrow = world.insert(Proxy::centered([0.0, 0.0], [0.1, 0.1])?)?;
    /// let wall = world.insert(Proxy::fixed(Aabb::new([3.0, -5.0], [3.2, 5.0])?))?;
    ///
    /// world.set_velocity(arrow, [8.0, 0.0])?;
    /// let step = world.step_pairs();
    /// assert_eq!(step.pairs().count(), 0);
    /// let ids = step.predicted_pairs().map(|pair| pair.map(|row| step.world().proxy_at(row)));
    /// assert!(ids.eq([[Some(arrow), Some(wall)]]), "the narrowphase can stop it at the wall");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`]; [`ProxyError::VelocityNotFinite`], and then it keeps the one it has; or
    /// [`ProxyError::NeverMoves`] for scenery.
    #[doc(alias("ccd", "continuous", "swept", "speculative", "bullet"))]
    pub fn set_velocity(
        &mut self,
        id: ProxyId,
        velocity: impl Into<[f32; 2]>,
    ) -> Result<(), ProxyError> {
        let (slot, velocity) = (self.slot(id)?, velocity.into());
        let category = &mut self.categories[slot.category_index()];
        if category.structure.is_scenery() {
            return Err(ProxyError::NeverMoves { id });
        }
        if !is_finite(velocity) {
            return Err(ProxyError::VelocityNotFinite {
                id,
                given: velocity,
            });
        }
        category.write_velocity(slot.row_index(), velocity);
        Ok(())
    }

    /// The velocity of a proxy as it was set; 0 if it was not. O(1).
    ///
    /// # Errors
    ///
    /// [`ProxyError::Stale`] or [`ProxyError::OtherWorld`].
    pub fn velocity(&self, id: ProxyId) -> Result<[f32; 2], ProxyError> {
        let slot = self.slot(id)?;
        let columns = &self.categories[slot.category_index()].columns;
        Ok(columns.velocities.get(slot.row_index()))
    }

    /// The velocities of a category, to be written in row order, as [centers](Self::centers_mut) are, but on one thread only. What they are is said
    /// at [`set_velocity`](Self::set_velocity).
    ///
    /// ```
    /// use throng::{Broadphase, BroadphaseConfig, CategoryConfig, Proxy};
    ///
    /// let mut world = Broadphase::new(BroadphaseConfig::new().category(CategoryConfig::uniform("balls", 0.5)))?;
    /// world.insert_batch((0..3).map(|i| Proxy::centered([i as f32 * 3.0, 0.0], [0.5, 0.5]).unwrap()));
    /// let balls = world.category("balls").unwrap();
    ///
    /// let speeds = ([90.0, 0.0, -30.0], [0.0; 3]);
    /// let dt = 1.0 / 60.0;
    /// let ways = speeds.0.map(|speed| speed * dt);
    /// let fill = world.velocities_mut(balls)?.fill_from(&ways, &speeds.1)?;
    /// assert_eq!(fill.rejected, 0);
    /// let predicted = world.step_pairs().predicted_pairs().count();
    /// assert_eq!(predicted, 0, "a gap of 2, and ways of 1.5 and 0.5");
    ///
    /// let _ = world.velocities_mut(balls)?.set_rows(&[0], &[2.5], &[0.0])?;
    /// assert_eq!(world.step_pairs().predicted_pairs().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ColumnError`] if there is no such category, or it is scenery.
    pub fn velocities_mut(
        &mut self,
        category: CategoryId,
    ) -> Result<VelocitiesMut<'_>, ColumnError> {
        let index = self.known(category)?.index();
        let name = &self.config.categories[index].name;
        let category = &mut self.categories[index];
        if category.structure.is_scenery() {
            let category = name.clone();
            return Err(ColumnError::VelocityOfScenery { category });
        }
        Ok(VelocitiesMut { name, category })
    }
}

/// The velocities of one category, for writing.
#[must_use = "no velocity is written yet"]
pub struct VelocitiesMut<'w> {
    name: &'w str,
    category: &'w mut Category,
}

impl fmt::Debug for VelocitiesMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VelocitiesMut")
            .field("category", &self.name)
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}

impl VelocitiesMut<'_> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.category.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes every row: row `i` gets `(xs[i], ys[i])`. One that is not finite is rejected, and the row keeps the velocity that it
    /// has. O(rows).
    ///
    /// # Errors
    ///
    /// [`ColumnError::LengthMismatch`]; nothing is written then.
    pub fn fill_from(&mut self, xs: &[f32], ys: &[f32]) -> Result<Fill, ColumnError> {
        check_lengths(self.name, xs, ys, self.len())?;
        Ok(self.fill(xs.iter().zip(ys).map(|(&x, &y)| [x, y])))
    }

    /// Writes every row: row `i` gets `velocities[i]`, which may be a `[f32; 2]`, a `glam::Vec2` or anything that converts to
    /// `[f32; 2]`. Otherwise as [`fill_from`](Self::fill_from).
    ///
    /// # Errors
    ///
    /// [`ColumnError::PointsMismatch`]; nothing is written then.
    pub fn fill_from_points<P>(&mut self, velocities: &[P]) -> Result<Fill, ColumnError>
    where
        P: Copy + Into<[f32; 2]>,
    {
        check_points(self.name, velocities.len(), self.len())?;
        Ok(self.fill(velocities.iter().map(|&velocity| velocity.into())))
    }

    /// Writes every row: row `r` gets `velocity(r)`, a `[f32; 2]`, a `glam::Vec2` or anything that converts to `[f32; 2]`. Asks for each
    /// row in order, and for all of them a second time if one is not finite or the category had no velocities so far. Otherwise as
    /// [`fill_from`](Self::fill_from).
    pub fn fill_with<P: Into<[f32; 2]>>(&mut self, velocity: impl Fn(Row) -> P) -> Fill {
        let rows = 0..self.len() as Row;
        self.fill(rows.map(|row| velocity(row).into()))
    }

    /// Writes some rows: row `rows[i]` gets `(xs[i], ys[i])`; if a row is listed twice, the last of these. Otherwise as
    /// [`fill_from`](Self::fill_from). O(rows written).
    ///
    /// # Errors
    ///
    /// [`ColumnError::LengthMismatch`] or [`ColumnError::NoSuchRow`]; nothing is written then.
    pub fn set_rows(&mut self, rows: &[Row], xs: &[f32], ys: &[f32]) -> Result<Fill, ColumnError> {
        let velocities = values_in_order(self.name, rows, [xs, ys], self.len())?;
        Ok(self.write(rows.iter().copied().zip(velocities)))
    }

    /// Writes some rows from columns of all rows: row `r` gets `(xs[r], ys[r])`. Otherwise as [`set_rows`](Self::set_rows).
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

    /// The same from velocities, of which row `r` gets `velocities[r]`: each a `[f32; 2]`, a `glam::Vec2` or anything that
    /// converts to `[f32; 2]`.
    ///
    /// # Errors
    ///
    /// [`ColumnError::PointsMismatch`] if there is not one for each row, or [`ColumnError::NoSuchRow`]; nothing is written then.
    pub fn set_rows_from_points<P>(
        &mut self,
        rows: &[Row],
        velocities: &[P],
    ) -> Result<Fill, ColumnError>
    where
        P: Copy + Into<[f32; 2]>,
    {
        check_points(self.name, velocities.len(), self.len())?;
        self.set_rows_with(rows, |row| velocities[row as usize])
    }

    /// Writes some rows: each row `r` listed gets `velocity(r)`. Asks once for each place in `rows`, in that order. Otherwise as
    /// [`set_rows`](Self::set_rows).
    ///
    /// # Errors
    ///
    /// [`ColumnError::NoSuchRow`]; nothing is written then, and `velocity` is not called.
    pub fn set_rows_with<P: Into<[f32; 2]>>(
        &mut self,
        rows: &[Row],
        mut velocity: impl FnMut(Row) -> P,
    ) -> Result<Fill, ColumnError> {
        check_rows(self.name, rows, 0..self.len() as Row)?;
        Ok(self.write(rows.iter().map(|&row| (row, velocity(row).into()))))
    }

    /// Writes one row.
    ///
    /// # Errors
    ///
    /// [`ColumnError::NoSuchRow`] or [`ColumnError::VelocityNotFinite`].
    pub fn set(&mut self, row: Row, velocity: impl Into<[f32; 2]>) -> Result<(), ColumnError> {
        check_rows(self.name, &[row], 0..self.len() as Row)?;
        let given = velocity.into();
        if !is_finite(given) {
            let category = self.name.to_owned();
            return Err(ColumnError::VelocityNotFinite {
                category,
                row,
                given,
            });
        }
        self.category.write_velocity(row as usize, given);
        Ok(())
    }

    /// Writes all rows; each is given a velocity.
    fn fill(&mut self, velocities: impl Iterator<Item = [f32; 2]> + Clone) -> Fill {
        if self.category.fill_velocities(velocities.clone()) {
            return Fill::default();
        }
        self.write((0..).zip(velocities))
    }

    fn write(&mut self, velocities: impl Iterator<Item = (Row, [f32; 2])>) -> Fill {
        let mut fill = Fill::default();
        for (row, velocity) in velocities {
            if is_finite(velocity) {
                self.category.write_velocity(row as usize, velocity);
            } else {
                fill.reject(row);
            }
        }
        fill
    }
}
