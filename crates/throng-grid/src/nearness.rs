//! How near two rows have to be, and how that is measured.

use crate::PointGrid;
use crate::kernels::Near;
use crate::view::View;
use throng_core::{ShapeError, check_reach};

/// Rows no farther apart than a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearness {
    distance: f32,
    measure: Measure,
}

/// What is measured between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// From center to center.
    Centers,
    /// The gap between boxes.
    Boxes,
    /// The gap between boxes along each axis, and [only boxes that do not overlap](crate::kernels) count. Not for neighbors.
    OnlyApart,
}

impl Nearness {
    /// Rows whose centers are no farther apart than `distance`, which may be infinite: then all are near.
    ///
    /// # Errors
    ///
    /// If the distance is NaN or negative.
    pub fn of_centers(distance: f32) -> Result<Self, ShapeError> {
        check_reach(distance)?;
        Ok(Self {
            distance,
            measure: Measure::Centers,
        })
    }

    /// Rows whose boxes are no farther apart than `distance`, by [`Aabb::is_within`](throng_core::Aabb::is_within): the
    /// rows' own boxes in an exact grid, boxes of the bound in a coarse one.
    ///
    /// # Errors
    ///
    /// If the distance is NaN or negative.
    pub fn of_boxes(distance: f32) -> Result<Self, ShapeError> {
        Ok(Self {
            measure: Measure::Boxes,
            ..Self::of_centers(distance)?
        })
    }

    /// Rows whose boxes do not overlap, but are no farther apart than `distance` along either axis; it must be a length.
    pub(crate) fn only_apart(distance: f32) -> Self {
        Self {
            measure: Measure::OnlyApart,
            ..Self::of_boxes(distance).expect("the distance is a length")
        }
    }

    fn limit(self) -> Limit {
        let squared = self.distance * self.distance;
        Limit {
            distance: self.distance,
            squared,
            // With neither end of the range near, a square that is no larger belongs to a number that is no larger.
            squares_suffice: (1e-30..1e30).contains(&squared),
        }
    }

    /// The grid with boxes so wide that those of near rows overlap.
    ///
    /// Between centers, half the distance does: [`throng_core::cell`] has the argument for boxes of any half extent, and
    /// a ten-thousandth covers what rounds in squares. Between boxes, each of their sides has been rounded before, by up
    /// to `2^-24` of its magnitude.
    pub(crate) fn view(self, grid: &PointGrid) -> View<'_> {
        let half = (self.distance * (1.0 + 1e-4) + 1e-21) * 0.5;
        let of_boxes = self.measure != Measure::Centers;
        let half = if of_boxes {
            const PER_MAGNITUDE: f32 = 1.0 / (1 << 21) as f32;
            let furthest = grid.bounds.furthest() + grid.bound[0].max(grid.bound[1]);
            grid.bound
                .map(|bound| (bound + half) * (1.0 + 1e-4) + furthest * PER_MAGNITUDE)
        } else {
            [half; 2]
        };
        View {
            grid,
            half,
            sized: of_boxes,
        }
    }

    /// The same, as kernels search by it, for rows of two grids.
    pub(crate) fn of(self, grids: [&PointGrid; 2]) -> Near {
        Near {
            limit: self.limit(),
            measure: self.measure,
            boxes: grids.map(|grid| grid.bound),
        }
    }
}

/// A distance, as kernels compare with it: see [`throng_core::gaps_within`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub distance: f32,
    pub squared: f32,
    /// Whether comparing squares says all: they neither vanish nor overflow.
    pub squares_suffice: bool,
}
