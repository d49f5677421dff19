//! Where a box belongs: the cell of its middle in the finest grid that the tree can divide space into.
//!
//! A node's cell is then a prefix of those bits, so that "is this row still in its leaf" is a shift and a
//! comparison of whole numbers, exact wherever the world lies, and children never disagree with their
//! parent about a border, as halved float intervals can.
//!
//! Nothing is lost if the cell is a poor one. Nodes know the box of what is below them, and searches ask
//! for nothing else; the cell decides who shares a leaf, that is, how fast a search is. So a middle may be
//! rounded, and one outside the region goes to the nearest cell at its border.

use crate::sides::middle;
use throng_core::cell::CellMap;

/// How often the region can be halved along each axis.
///
/// As many bits as an `f32` has: in a region as wide as its distance from the origin the finest cells are
/// single coordinates, and towns of a few metres in a world of a thousand kilometres are still divided.
pub(super) const LEVELS: u32 = 24;

/// A cell of the finest grid: column and row, each below 2^[`LEVELS`].
pub(super) type Place = [u32; 2];

/// The square of space that the tree divides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    axes: [CellMap; 2],
    /// Low and high end of what it was chosen for, on each axis.
    core: [[f64; 2]; 2],
}

impl Region {
    /// The region to begin with, before anything is known.
    pub fn unit() -> Self {
        Self::of_core([[0.0, 1.0]; 2])
    }

    /// A region for rows like those of a sample, given by the middles of their boxes along each axis. Sorts
    /// the sample.
    ///
    /// Its core is what holds all but the outermost fiftieth on each side: strays must not make the region,
    /// or one box at 1e30 would leave no bits for the rest.
    pub fn around(sample: &mut [Vec<f32>; 2]) -> Self {
        Self::of_core(sample.each_mut().map(|middles| {
            // An infinite middle is that of a half-plane, and NaN that of the whole axis.
            middles.retain(|middle| middle.is_finite());
            middles.sort_unstable_by(f32::total_cmp);
            let outermost = middles.len() / 50;
            let ends = (middles.get(outermost), middles.iter().nth_back(outermost));
            match ends {
                (Some(&low), Some(&high)) => [f64::from(low), f64::from(high)],
                _ => [0.0; 2],
            }
        }))
    }

    /// A region with the core in its middle.
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

    /// Whether this region would do for what `other` was chosen for: it holds that, and is not many times as
    /// wide.
    pub fn suits(&self, other: &Region) -> bool {
        let width = width_around(self.core);
        let holds = self.core.iter().zip(other.core).all(|(own, [low, high])| {
            let middle = (own[0] + own[1]) / 2.0;
            middle - width / 2.0 <= low && high <= middle + width / 2.0
        });
        holds && width <= 8.0 * width_around(other.core)
    }

    /// The cell of a box, given by its lower and upper corner.
    #[inline(always)]
    pub fn place(&self, min: [f32; 2], max: [f32; 2]) -> Place {
        [0, 1].map(|axis| self.place_along(axis, min[axis], max[axis]))
    }

    /// The column or row of that cell.
    #[inline(always)]
    pub fn place_along(&self, axis: usize, min: f32, max: f32) -> u32 {
        clamped(self.axes[axis].cell(middle(min, max)))
    }

    /// Whether the middle of a box lies outside the region.
    pub fn is_outside(&self, min: [f32; 2], max: [f32; 2]) -> bool {
        (0..2).any(|axis| {
            let cell = self.axes[axis].cell(middle(min[axis], max[axis]));
            clamped(cell) as i32 != cell
        })
    }
}

/// The width of a region with this core: twice the core's, and not next to nothing beside its distance from
/// the origin, or a crowd on one spot would leave it at every step.
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
