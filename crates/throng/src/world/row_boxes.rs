//! The boxes of the rows of a category, as they were at one time.

use educe::Educe;
use fixedbitset::FixedBitSet;
use throng_core::{BoxesByRow, Corners, Executor, Permutation, run_each};

use crate::world::rows_now::RowsNow;

/// How many rows one task records.
const TASK: usize = 1 << 14;

/// What stands for a box that is not there: NaN, which overlaps nothing.
const NO_CENTER: [f32; 2] = [f32::NAN; 2];
pub(crate) const NO_CORNERS: Corners = [NO_CENTER; 2];

/// The boxes of rows: centers if all are of one size, otherwise corners. A row may have none.
///
/// Sizes may begin to differ and cease to, so the memory for either is kept.
#[derive(Default, Educe)]
#[educe(Clone)]
pub(crate) struct RowBoxes {
    /// The half extents of all, if they are of one size.
    alike: Option<[f32; 2]>,
    centers: Vec<[f32; 2]>,
    corners: Vec<Corners>,
}

impl RowBoxes {
    /// None at all.
    pub(crate) const NONE: Self = Self {
        alike: None,
        centers: Vec::new(),
        corners: Vec::new(),
    };

    /// Boxes of one size. The caller has to write the center of every row: what is in them is left from an earlier step.
    pub(crate) fn begin_alike(&mut self, half_extents: [f32; 2], rows: usize) -> &mut [[f32; 2]] {
        self.corners.clear();
        self.alike = Some(half_extents);
        self.centers.resize(rows, NO_CENTER);
        &mut self.centers
    }

    /// Boxes of any size. Those that are there already are left from an earlier step, and new rows have none: the caller has to write
    /// whatever is another one now.
    pub(crate) fn begin_corners(&mut self, rows: usize) -> &mut [Corners] {
        self.alike = None;
        self.centers.clear();
        self.corners.resize(rows, NO_CORNERS);
        &mut self.corners
    }

    /// The boxes of all rows as they are; none for disabled ones. `alike` are the half extents of all, if they are compared as boxes of one
    /// size. O(rows).
    pub(crate) fn record(
        &mut self,
        now: RowsNow<'_>,
        alike: Option<[f32; 2]>,
        executor: &dyn Executor,
    ) {
        if let Some(half_extents) = alike {
            let centers = self.begin_alike(half_extents, now.len());
            let [xs, ys] = now.columns.centers();
            let parts = centers
                .chunks_mut(TASK)
                .zip(xs.chunks(TASK))
                .zip(ys.chunks(TASK));
            run_each(executor, parts, |_, ((centers, xs), ys)| {
                for ((center, &x), &y) in centers.iter_mut().zip(xs).zip(ys) {
                    *center = [x, y];
                }
            });
        } else {
            let parts = self.begin_corners(now.len()).chunks_mut(TASK);
            run_each(executor, parts, |task, boxes| {
                now.write_corners(task * TASK, 0.0, boxes);
            });
        }
        let disabled = now.disabled.into_iter().flat_map(FixedBitSet::ones);
        disabled.for_each(|row| self.forget(row));
    }

    /// The corners of a row's box, where sizes differ; NaN if it has none.
    #[inline]
    pub(crate) fn corners(&self, row: usize) -> Corners {
        debug_assert!(self.alike.is_none(), "corners are stored");
        self.corners[row]
    }

    /// All boxes, to be compared.
    pub(crate) fn by_row(&self) -> BoxesByRow<'_> {
        match self.alike {
            Some(half_extents) => BoxesByRow::Alike {
                centers: &self.centers,
                half_extents,
            },
            None => BoxesByRow::Corners(&self.corners),
        }
    }

    /// Whether there is a box for a row.
    #[inline]
    pub(crate) fn has(&self, row: usize) -> bool {
        let corner = match self.alike {
            Some(_) => self.centers.get(row),
            None => self.corners.get(row).map(|[min, _]| min),
        };
        corner.is_some_and(|corner| !corner[0].is_nan())
    }

    /// Gives a row a box, of the same size if all are alike.
    pub(crate) fn set(&mut self, row: usize, corners: Corners, center: [f32; 2]) {
        match self.alike {
            Some(_) => self.centers[row] = center,
            None => self.corners[row] = corners,
        }
    }

    /// Leaves a row without a box.
    pub(crate) fn forget(&mut self, row: usize) {
        match self.alike {
            Some(_) => {
                if let Some(center) = self.centers.get_mut(row) {
                    *center = NO_CENTER;
                }
            }
            None => {
                if let Some(corners) = self.corners.get_mut(row) {
                    *corners = NO_CORNERS;
                }
            }
        }
    }

    /// Puts the rows into another order. New ones have no box.
    pub(crate) fn reorder(&mut self, order: &Permutation) {
        let followed = match self.alike {
            Some(_) => {
                self.centers.resize(order.len(), NO_CENTER);
                order.apply_in_place(&mut self.centers)
            }
            None => {
                self.corners.resize(order.len(), NO_CORNERS);
                order.apply_in_place(&mut self.corners)
            }
        };
        followed.expect("one for each row");
    }

    pub(crate) fn clear(&mut self) {
        self.alike = None;
        self.centers.clear();
        self.corners.clear();
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let corners = self.corners.capacity() * size_of::<Corners>();
        self.centers.capacity() * size_of::<[f32; 2]>() + corners
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.centers.shrink_to_fit();
        self.corners.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_boxes_in_another_order_and_new_ones_have_none() {
        for alike in [true, false] {
            let mut boxes = RowBoxes::default();
            if alike {
                boxes.begin_alike([1.0, 2.0], 3);
            } else {
                boxes.begin_corners(3);
            }
            assert!(!boxes.has(0) && !boxes.has(3));
            for row in 0..3 {
                let x = row as f32;
                boxes.set(row, [[x, 0.0], [x + 1.0, 1.0]], [x, 0.0]);
            }
            boxes.forget(1);
            boxes.forget(9);
            let order = Permutation::from_old_rows(vec![3, 2, 1, 0]).unwrap();
            boxes.reorder(&order);
            assert_eq!(
                [0, 1, 2, 3, 4].map(|row| boxes.has(row)),
                [false, true, false, true, false]
            );
            match boxes.by_row() {
                BoxesByRow::Alike {
                    centers,
                    half_extents,
                } => {
                    assert_eq!((centers[1], half_extents), ([2.0, 0.0], [1.0, 2.0]));
                }
                BoxesByRow::Corners(corners) => assert_eq!(corners[1], [[2.0, 0.0], [3.0, 1.0]]),
            }
        }
    }
}
