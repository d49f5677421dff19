//! Boxes of rows as an engine gives them: one by one, or several at a time where none needs a closer look.
//!
//! What is done to several is inlined into a [kernel](throng_core::lanes::Kernel), and so has loops and no closures, which
//! would be compiled apart from it.

use throng_core::lanes::{Kernel, Lanes};
use throng_core::{Aabb, AabbError, InfiniteSides, centers_and_half_extents};

use crate::world::ids::Row;
use crate::world::proxy::{Extent, half_width};

/// How many boxes are measured at a time.
pub(crate) const SEVERAL: usize = 16;

/// One number for each of `N` boxes, on each axis.
pub(crate) type OfEach<const N: usize> = [[f32; N]; 2];
type OfSeveral = OfEach<SEVERAL>;

/// Several boxes none of which has a side at infinity.
pub(crate) struct SeveralBoxes {
    pub(crate) centers: OfSeveral,
    pub(crate) half_extents: OfSeveral,
    /// The lower and the upper sides, if those are what was given.
    pub(crate) sides: Option<[OfSeveral; 2]>,
}

impl SeveralBoxes {
    /// As [`Extent::of`] has them. `None` if a side is at infinity, or one of them needs a closer look, as hardly any does.
    #[inline(always)]
    pub(crate) fn of_sides(min: OfSeveral, max: OfSeveral) -> Option<Self> {
        let (mut centers, mut half_extents) = (OfSeveral::default(), OfSeveral::default());
        for axis in [0, 1] {
            let (min, max) = (&min[axis], &max[axis]);
            let enough;
            (centers[axis], enough) = centers_and_half_extents(min, max)?;
            for k in 0..SEVERAL {
                half_extents[axis][k] = half_width(min[k], max[k]).max(enough[k]);
            }
        }
        Some(Self {
            centers,
            half_extents,
            sides: Some([min, max]),
        })
    }

    /// As [`Extent::centered`] has them. `None` if one of them is not a box, or not finite.
    #[inline(always)]
    fn of_centers(centers: OfSeveral, half_extents: OfSeveral) -> Option<Self> {
        // 0 times a finite number is 0, and 0 times any other is NaN.
        let mut worst = [0.0; SEVERAL];
        for axis in [0, 1] {
            for k in 0..SEVERAL {
                let (center, half) = (centers[axis][k], half_extents[axis][k]);
                worst[k] += (center + half) * 0.0 + (half.abs() - half);
            }
        }
        let mut is_any_none = 0;
        for worst in worst {
            is_any_none |= u32::from(worst != 0.0);
        }
        if is_any_none == 1 {
            return None;
        }
        Some(Self {
            centers,
            half_extents,
            sides: None,
        })
    }

    /// Whether all have these half extents.
    #[inline(always)]
    pub(crate) fn are_all_of(&self, half_extents: [f32; 2]) -> bool {
        let mut are_any_others = 0;
        for axis in [0, 1] {
            for k in 0..SEVERAL {
                are_any_others |= u32::from(self.half_extents[axis][k] != half_extents[axis]);
            }
        }
        are_any_others == 0
    }

    /// What was measured of one of the boxes, as [`Extent::of`] has it.
    #[inline(always)]
    pub(crate) fn extent(&self, k: usize, aabb: Aabb) -> Extent {
        Extent {
            aabb,
            center: [self.centers[0][k], self.centers[1][k]],
            half_extents: [self.half_extents[0][k], self.half_extents[1][k]],
            infinite: InfiniteSides::default(),
            from_sides: true,
        }
    }
}

/// Measures several boxes, if all are there, each the second of two things.
pub(crate) struct MeasureSides<'b, T>(pub(crate) &'b [(T, Result<Aabb, AabbError>); SEVERAL]);

impl<T> Kernel for MeasureSides<'_, T> {
    type Output = Option<SeveralBoxes>;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> Option<SeveralBoxes> {
        let (mut min, mut max) = (OfSeveral::default(), OfSeveral::default());
        for k in 0..SEVERAL {
            let Ok(aabb) = self.0[k].1 else {
                return None;
            };
            let (lower, upper) = (aabb.min(), aabb.max());
            for axis in [0, 1] {
                (min[axis][k], max[axis][k]) = (lower[axis], upper[axis]);
            }
        }
        SeveralBoxes::of_sides(min, max)
    }
}

/// A box for each row.
pub(crate) trait GivenBoxes: Sync {
    fn extent(&self, row: usize) -> Result<Extent, AabbError>;

    /// Those of several rows, from `first` on. `None` if one of them is to be looked at by itself.
    fn several(&self, first: usize) -> Option<SeveralBoxes>;
}

/// Boxes that are asked for, by row.
pub(crate) struct Boxes<F>(pub(crate) F);

impl<F> GivenBoxes for Boxes<F>
where
    F: Fn(Row) -> Result<Aabb, AabbError> + Sync,
{
    #[inline(always)]
    fn extent(&self, row: usize) -> Result<Extent, AabbError> {
        self.0(row as Row).map(Extent::of)
    }

    #[inline(always)]
    fn several(&self, first: usize) -> Option<SeveralBoxes> {
        let (mut min, mut max) = (OfSeveral::default(), OfSeveral::default());
        for k in 0..SEVERAL {
            let Ok(aabb) = self.0((first + k) as Row) else {
                return None;
            };
            let (lower, upper) = (aabb.min(), aabb.max());
            for axis in [0, 1] {
                (min[axis][k], max[axis][k]) = (lower[axis], upper[axis]);
            }
        }
        SeveralBoxes::of_sides(min, max)
    }
}

/// Centers and half extents as points.
pub(crate) struct CenterPoints<'b, P, H> {
    pub(crate) centers: &'b [P],
    pub(crate) half_extents: &'b [H],
}

impl<P, H> GivenBoxes for CenterPoints<'_, P, H>
where
    P: Copy + Sync + Into<[f32; 2]>,
    H: Copy + Sync + Into<[f32; 2]>,
{
    #[inline(always)]
    fn extent(&self, row: usize) -> Result<Extent, AabbError> {
        Extent::centered(self.centers[row].into(), self.half_extents[row].into())
    }

    #[inline(always)]
    fn several(&self, first: usize) -> Option<SeveralBoxes> {
        let centers = by_axis(several_of(self.centers, first));
        SeveralBoxes::of_centers(centers, by_axis(several_of(self.half_extents, first)))
    }
}

/// Centers and half extents in an array for each axis.
pub(crate) struct CenterColumns<'b> {
    pub(crate) centers: [&'b [f32]; 2],
    pub(crate) half_extents: [&'b [f32]; 2],
}

impl GivenBoxes for CenterColumns<'_> {
    #[inline(always)]
    fn extent(&self, row: usize) -> Result<Extent, AabbError> {
        let of_row = |columns: [&[f32]; 2]| columns.map(|column| column[row]);
        Extent::centered(of_row(self.centers), of_row(self.half_extents))
    }

    #[inline(always)]
    fn several(&self, first: usize) -> Option<SeveralBoxes> {
        let ([xs, ys], [half_xs, half_ys]) = (self.centers, self.half_extents);
        SeveralBoxes::of_centers(
            [*several_of(xs, first), *several_of(ys, first)],
            [*several_of(half_xs, first), *several_of(half_ys, first)],
        )
    }
}

/// Several elements of a slice, which must have them.
#[inline(always)]
fn several_of<T>(all: &[T], first: usize) -> &[T; SEVERAL] {
    all[first..]
        .first_chunk()
        .expect("there are boxes for all rows")
}

#[inline(always)]
fn by_axis<P: Copy + Into<[f32; 2]>>(points: &[P; SEVERAL]) -> OfSeveral {
    let mut by_axis = OfSeveral::default();
    for k in 0..SEVERAL {
        let point = points[k].into();
        for axis in [0, 1] {
            by_axis[axis][k] = point[axis];
        }
    }
    by_axis
}
