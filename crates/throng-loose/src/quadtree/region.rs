//! Where a box belongs: the cell of its center in the finest grid into which the tree can divide space.
//!
//! The cell of a node is a prefix of those bits. So "is this row still in its leaf" is a shift and an integer
//! comparison, exact wherever the world is, and children always agree with their parent about a border, which halved
//! float intervals may not.
//!
//! A poor choice of cell does no harm. Nodes know the bounds of what is below them, and searches use nothing else; the
//! cell only decides who shares a leaf, and so how fast a search is. So a center may be rounded, and one outside the
//! region goes to the nearest cell at the border.

use crate::sides::center;
use throng_core::cell::CellMap;
use throng_core::for_both;

/// How often the region can be halved along each axis.
///
/// As many as the bits of an `f32`: in a region as wide as its distance from the origin, the finest cells are single
/// coordinates, and towns of a few metres in a world of a thousand kilometres are still divided.
pub(super) const LEVELS: u32 = 24;

/// A cell of the finest grid: column and row, each below 2^[`LEVELS`].
pub(super) type FineCell = [u32; 2];

/// The square of space that the tree divides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    axes: [CellMap; 2],
    /// Low and high end, on each axis, of the boxes that it was chosen for.
    core: [[f64; 2]; 2],
}

impl Region {
    /// The region before anything is known.
    pub fn unit() -> Self {
        Self::of_core([[0.0, 1.0]; 2])
    }

    /// A region for rows like those of a sample, given by the centers of their boxes along each axis. Sorts the sample.
    ///
    /// Its core is the range of all but the outermost fiftieth on each side: outliers must not decide the region, or
    /// one box at 1e30 would leave no bits for the rest.
    pub fn around(sample: &mut [Vec<f32>; 2]) -> Self {
        Self::of_core(sample.each_mut().map(|centers| {
            // A center is infinite for a half-plane, and NaN for the whole axis.
            centers.retain(|center| center.is_finite());
            centers.sort_unstable_by(f32::total_cmp);
            let outermost = centers.len() / 50;
            let ends = (centers.get(outermost), centers.iter().nth_back(outermost));
            match ends {
                (Some(&low), Some(&high)) => [f64::from(low), f64::from(high)],
                _ => [0.0; 2],
            }
        }))
    }

    /// A region with the core at its center.
    fn of_core(core: [[f64; 2]; 2]) -> Self {
        let most = f64::from(f32::MAX);
        let width = width_around(core);
        let cell = (width / f64::from(1_u32 << LEVELS)) as f32;
        Self {
            axes: core.map(|[low, high]| {
                let origin = (low + high - width) / 2.0;
                CellMap::new(origin.clamp(-most, most) as f32, cell)
            }),
            core,
        }
    }

    /// Whether this region is also good for what `other` was chosen for: it contains that, and is not many times wider.
    pub fn suits(&self, other: &Region) -> bool {
        let width = width_around(self.core);
        let holds = self.core.iter().zip(other.core).all(|(own, [low, high])| {
            let center = (own[0] + own[1]) / 2.0;
            center - width / 2.0 <= low && high <= center + width / 2.0
        });
        holds && width <= 8.0 * width_around(other.core)
    }

    /// The cell of a box, from its lower and its upper corner.
    #[inline(always)]
    pub fn fine_cell(&self, min: [f32; 2], max: [f32; 2]) -> FineCell {
        for_both(|axis| self.fine_cell_along(axis, min[axis], max[axis]))
    }

    /// The column or row of that cell.
    #[inline(always)]
    pub fn fine_cell_along(&self, axis: usize, min: f32, max: f32) -> u32 {
        clamped(self.axes[axis].cell(center(min, max)))
    }

    /// Whether the center of a box is outside the region.
    pub fn is_outside(&self, min: [f32; 2], max: [f32; 2]) -> bool {
        (0..2).any(|axis| {
            let cell = self.axes[axis].cell(center(min[axis], max[axis]));
            clamped(cell) as i32 != cell
        })
    }
}

/// The width of a region with this core: twice the core's, and not too small for its distance from the origin;
/// otherwise a crowd on one spot would leave it at every step.
fn width_around(core: [[f64; 2]; 2]) -> f64 {
    let widths = core.map(|[low, high]| high - low);
    let distances = core.map(|[low, high]| low.abs().max(high.abs()));
    let least = distances[0].max(distances[1]) / 1024.0;
    (2.0 * widths[0].max(widths[1])).max(least)
}

#[inline(always)]
fn clamped(cell: i32) -> u32 {
    cell.clamp(0, (1 << LEVELS) - 1) as u32
}
