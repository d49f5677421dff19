//! The rows of a category as they are, for whoever needs no more of it than their boxes.

use fixedbitset::FixedBitSet;
use throng_core::Corners;

use crate::world::columns::ProxyColumns;

/// The rows of a category as they are.
#[derive(Clone, Copy)]
pub(crate) struct RowsNow<'c> {
    pub(crate) columns: &'c ProxyColumns,
    pub(crate) bound: [f32; 2],
    pub(crate) disabled: Option<&'c FixedBitSet>,
    pub(crate) are_scenery: bool,
}

impl RowsNow<'_> {
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is such a row, and it is not disabled.
    pub(crate) fn has(&self, row: usize) -> bool {
        row < self.len() && !self.disabled.is_some_and(|disabled| disabled.contains(row))
    }

    /// The lower and the upper corner of a row's box, as it is compared.
    #[inline]
    pub(crate) fn corners(&self, row: usize) -> Corners {
        self.columns.corners(row, self.bound)
    }

    /// The same of a box that is larger by a margin on every side. Not for scenery.
    #[inline]
    pub(crate) fn corners_with(&self, row: usize, margin: f32) -> Corners {
        self.columns.corners_with(row, self.bound, margin)
    }

    /// Those of consecutive rows' boxes, from `first` on, larger by a margin; 0 for scenery.
    pub(crate) fn write_corners(&self, first: usize, margin: f32, to: &mut [Corners]) {
        self.columns.write_corners(first, self.bound, margin, to);
    }
}
