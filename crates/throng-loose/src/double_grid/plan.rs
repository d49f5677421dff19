//! Cell sizes from the boxes: how large they are, and how crowded a typical one is.
//!
//! What a search pays for is how many boxes share a box's cell. Boxes per area of the world would not say
//! that, because an empty corner changes it; nor would a mean, because a thousand boxes on one spot do. So a
//! sample is asked for the scale at which a *typical* box, the median one, has a handful of others
//! of the sample in its cell, and the cell is scaled from there. Where boxes are is counted from the median
//! one too: however far some have strayed, the others are told apart. It is asked only when a layout is planned.

use super::layout::Layout;
use crate::DoubleGridConfig;
use crate::sides::Sides;
use crate::typical::{spread_rows, typical_doublings};

/// Boxes looked at. More would cost without changing a decision.
const SAMPLE: usize = 4096;
/// Boxes of the sample that should share a cell before their number is trusted.
const TRUSTED: f64 = 8.0;
/// Boxes that should share a loose cell. With 16 a frame of 250,000 boxes, all moving, of one size or of sizes
/// 1..100, takes half as long again, because a search pays for each cell that it finds; with 100 it takes no
/// less, and a query of a small window looks at more.
const BOXES_IN_CELL: f64 = 48.0;
/// The part of all boxes that should be no larger than the smallest cells, unless these are giants: so many
/// times as large as the median one.
const FITTING: f64 = 0.9;
const GIANT: f64 = 16.0;
/// Halvings of the world, at most, until cells are crowded no more: as many as there are between the largest
/// and the smallest number.
const FINEST: i32 = 280;
/// Rows that share a cell with a row, at least, that it is worth to have more or fewer.
const FEW: f64 = 4.0;
/// A tight cell's size, in loose cells.
const TIGHT: f32 = 2.0;

/// What a layout was planned for, to tell when it no longer fits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Rows and crowding at the first clean-up after planning.
    crowd: Option<[f64; 2]>,
    /// How small cells would have been but for the boxes' size. It matters no more how small they are than
    /// that.
    least: f32,
    /// Binary logarithm of a typical box's size.
    doublings: f64,
}

impl Plan {
    /// Whether the layout fits what there is now: `crowding` is how many boxes share a box's cell, on
    /// average over boxes.
    pub fn fits_crowd(&mut self, rows: usize, crowding: f64) -> bool {
        let now = [rows as f64, crowding];
        let then = *self.crowd.get_or_insert(now);
        let alike = |which: usize, least: f64, factor: f64| {
            let [now, then] = [now, then].map(|crowd| crowd[which].max(least));
            now <= then * factor && then <= now * factor
        };
        alike(0, BOXES_IN_CELL, 2.0) && alike(1, FEW, 3.0)
    }

    /// Whether the layout fits boxes of the sizes that there are now. Larger ones have coarser levels.
    pub fn fits_sizes(&self, rows: usize, sides: impl Fn(usize) -> Option<Sides>) -> bool {
        self.doublings - typical_doublings(rows, sides, self.least) <= 1.5
    }
}

/// A layout for the sides of some rows, of which some may be absent, and what it is planned for. Depends on
/// them alone.
pub(super) fn plan_layout(
    rows: usize,
    sides: impl Fn(usize) -> Option<Sides>,
    config: &DoubleGridConfig,
) -> (Layout, Plan) {
    let sample = Sample::take(rows, &sides);
    let crowded = sample.crowded_size();
    let loose = config
        .loose_cell
        .unwrap_or_else(|| sample.cell_size(crowded));
    let tight = config.tight_cell.unwrap_or(loose * TIGHT);
    let least = crowded as f32;
    let plan = Plan {
        crowd: None,
        least,
        doublings: typical_doublings(rows, sides, least),
    };
    (Layout::new(sample.center, loose, tight), plan)
}

/// Centres and sizes of some finite boxes.
struct Sample {
    centers: Vec<[f64; 2]>,
    /// The larger side of each, ascending.
    sizes: Vec<f64>,
    /// How many rows each stands for.
    rows_each: f64,
    /// The median centre along each axis.
    center: [f32; 2],
    /// The larger of width and height of what the centres span.
    extent: f64,
}

impl Sample {
    fn take(rows: usize, sides: impl Fn(usize) -> Option<Sides>) -> Self {
        let boxes = spread_rows(rows, SAMPLE)
            .filter_map(sides)
            .filter(|sides| sides.iter().all(|side| side.is_finite()))
            .map(|sides| sides.map(f64::from));
        let mut sample = Self {
            centers: Vec::new(),
            sizes: Vec::new(),
            rows_each: rows.div_ceil(SAMPLE).max(1) as f64,
            center: [0.0; 2],
            extent: 0.0,
        };
        for [min_x, min_y, max_x, max_y] in boxes {
            sample
                .centers
                .push([(min_x + max_x) / 2.0, (min_y + max_y) / 2.0]);
            sample.sizes.push((max_x - min_x).max(max_y - min_y));
        }
        sample.sizes.sort_unstable_by(f64::total_cmp);
        for axis in 0..2 {
            let mut along: Vec<f64> = sample.centers.iter().map(|center| center[axis]).collect();
            along.sort_unstable_by(f64::total_cmp);
            if let [first, .., last] = along[..] {
                sample.center[axis] = along[along.len() / 2] as f32;
                sample.extent = sample.extent.max(last - first);
            }
        }
        sample
    }

    /// How large the smallest loose cells should be: as large as a typical box's crowd asks for, and most
    /// boxes.
    fn cell_size(&self, crowded: f64) -> f32 {
        let quantile = |part: f64| {
            let place = (self.sizes.len() as f64 * part) as usize;
            self.sizes.get(place).copied().unwrap_or(0.0)
        };
        let size = quantile(FITTING).min(quantile(0.5) * GIANT).max(crowded);
        if size > 0.0 {
            // A box that is just as large as the cell should not miss it by the rounding of a side.
            (size * (1.0 + 1e-6)) as f32
        } else {
            1.0
        }
    }

    /// The size of a cell in which a typical box has as many others as it should. Zero if all are on one
    /// spot.
    fn crowded_size(&self) -> f64 {
        if self.extent <= 0.0 {
            return 0.0;
        }
        let enough = (BOXES_IN_CELL / self.rows_each).max(TRUSTED);
        let mut keys = Vec::with_capacity(self.centers.len());
        // The fewest halvings of the world that leave a typical box no more than a crowd.
        let (mut too_few, mut halvings) = (-1, FINEST);
        let mut scale = None;
        while halvings - too_few > 1 {
            let middle = (too_few + halvings) / 2;
            let size = self.extent * 0.5_f64.powi(middle);
            let crowd = self.typical_crowd(size, &mut keys);
            // The next size would leave about a quarter.
            if crowd < 2.0 * enough {
                halvings = middle;
                scale = Some((BOXES_IN_CELL / (crowd * self.rows_each)).sqrt() * size);
            } else {
                too_few = middle;
            }
        }
        scale.unwrap_or(0.0).min(self.extent)
    }

    /// How many of the sample share a cell of some size with the median one.
    fn typical_crowd(&self, size: f64, keys: &mut Vec<[u64; 2]>) -> f64 {
        // Numbers rather than indices, which would not go as far; the sum makes one zero of two.
        let cell = |center: &[f64; 2]| {
            [0, 1].map(|axis| {
                let from_center = center[axis] - f64::from(self.center[axis]);
                ((from_center / size).floor() + 0.0).to_bits()
            })
        };
        keys.clear();
        keys.extend(self.centers.iter().map(cell));
        keys.sort_unstable();
        let mut crowds: Vec<usize> = keys.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
        crowds.sort_unstable();
        // The crowd of the box in the middle, when boxes are lined up by their crowds.
        let mut boxes = 0;
        let median = crowds.iter().find(|&&crowd| {
            boxes += crowd;
            2 * boxes >= keys.len()
        });
        median.map_or(1.0, |&crowd| crowd as f64)
    }
}
