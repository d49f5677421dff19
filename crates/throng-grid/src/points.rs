//! The input of a build.

use fixedbitset::FixedBitSet;
use std::ops::Range;

/// The columns that a grid is built from, one element per row. Borrowed for one build or mend only.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    /// Centers along x.
    pub xs: &'a [f32],
    /// Centers along y.
    pub ys: &'a [f32],
    /// Each row's own half extents, none larger than the grid's bound. With them the grid compares rows' own boxes
    /// (it is *exact*); without, boxes of the bound (*coarse*).
    pub half_extents: Option<&'a [[f32; 2]]>,
    /// Rows to leave out ("absent"), one bit each. Rows beyond the set's length are present.
    pub absent: Option<&'a FixedBitSet>,
}

/// The class of masks that each row has, for an index that is to carry them.
#[derive(Clone, Debug)]
pub struct RowClasses<'a> {
    /// One per row.
    pub of_rows: &'a [u16],
    /// The range in which all of them lie. A class outside of it is taken for another.
    pub in_use: Range<usize>,
}

impl<'a> Points<'a> {
    /// All rows of two columns of centers, coarse.
    pub fn new(xs: &'a [f32], ys: &'a [f32]) -> Self {
        Self {
            xs,
            ys,
            half_extents: None,
            absent: None,
        }
    }

    /// The same rows with half extents of their own.
    pub fn with_half_extents(self, half_extents: &'a [[f32; 2]]) -> Self {
        Self {
            half_extents: Some(half_extents),
            ..self
        }
    }

    /// The same rows without those whose bit is set.
    pub fn without(self, absent: &'a FixedBitSet) -> Self {
        Self {
            absent: Some(absent),
            ..self
        }
    }

    /// Whether the row is to be indexed, according to `absent`.
    #[inline]
    pub(crate) fn is_present(&self, row: usize) -> bool {
        self.absent.is_none_or(|absent| !absent.contains(row))
    }

    /// Whether `N` rows from `first` on are all present, with half extents within the bound.
    #[inline(always)]
    pub(crate) fn are_plain<const N: usize>(&self, first: usize, bound: [f32; 2]) -> bool {
        // Written out rather than with closures, which would not be inlined into the vector code.
        let present = match self.absent {
            Some(absent) => {
                let end = absent.len().min(first + N);
                first >= end || !absent.contains_any_in_range(first..end)
            }
            None => true,
        };
        let mut fits = true;
        if let Some(own) = self.half_extents {
            for half in &own[first..first + N] {
                fits &= (half[0] >= 0.0)
                    & (half[0] <= bound[0])
                    & (half[1] >= 0.0)
                    & (half[1] <= bound[1]);
            }
        }
        present & fits
    }

    /// Whether the row can be indexed: finite center, and half extents between zero and the bound.
    #[inline]
    pub(crate) fn is_sound(&self, row: usize, bound: [f32; 2]) -> bool {
        let fits = |half: f32, bound: f32| (0.0..=bound).contains(&half);
        self.xs[row].is_finite()
            && self.ys[row].is_finite()
            && self
                .half_extents
                .is_none_or(|own| fits(own[row][0], bound[0]) && fits(own[row][1], bound[1]))
    }
}
