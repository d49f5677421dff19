//! Cell sizes from the boxes: how large they are, and how crowded a typical one is.
//!
//! The cost of a search depends on how many boxes share a box's cell. Boxes per area would not tell, because an empty
//! corner changes it; nor would a mean, because a thousand boxes on one spot change that. So from a sample comes the
//! cell size at which a *typical* box, the median one, shares its cell with a few others of the sample, and the real
//! size is scaled from that. Cells are counted from the median box as well: so however far away some boxes are, the
//! others are told apart. This is only done when a layout is planned.

use super::layout::Layout;
use crate::DoubleGridConfig;
use crate::sides::Sides;
use crate::typical::{spread_rows, typical_doublings};
use throng_core::for_both;

/// How many boxes are sampled. More would cost time without changing a decision.
const SAMPLE: usize = 4096;
/// How many boxes of the sample should share a cell before their count is trusted.
const TRUSTED: f64 = 8.0;
/// How many boxes should share a loose cell. With 16 a frame of 250,000 moving boxes, of one size or of sizes 1..100,
/// takes half as long again, because a search pays for each cell that it finds. With 100 it takes no less time, and a
/// query of a small window looks at more boxes.
const BOXES_IN_CELL: f64 = 48.0;
/// The share of all boxes that should be no larger than the smallest cells, unless the box at that rank is more than
/// `TOO_LARGE` times the median one.
const FITTING: f64 = 0.9;
const TOO_LARGE: f64 = 16.0;
/// The most times that the world is halved in search of a cell that is not crowded: as many as there are between the
/// largest and the smallest number.
const FINEST: i32 = 280;
/// A row must share its cell with at least this many others before more or fewer of them matter.
const FEW: f64 = 4.0;
/// Size of a tight cell, in loose cells.
const TIGHT: f32 = 2.0;

/// What a layout was planned for, to tell when it no longer fits.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedFor {
    /// Rows and crowding at the first clean-up after planning.
    crowd: Option<[f64; 2]>,
    /// How small cells would have been if not for the sizes of the boxes. Below this it does not matter how small boxes
    /// are.
    least: f32,
    /// Binary logarithm of a typical box's size, if that is known.
    doublings: Option<f64>,
}

impl PlannedFor {
    /// Whether the layout fits the current rows. `crowding` is how many boxes are in a box's cell, on average over
    /// boxes.
    pub fn fits_crowd(&mut self, rows: usize, crowding: f64) -> bool {
        let now = [rows as f64, crowding];
        let then = *self.crowd.get_or_insert(now);
        let alike = |which: usize, least: f64, factor: f64| {
            let [now, then] = [now, then].map(|crowd| crowd[which].max(least));
            now <= then * factor && then <= now * factor
        };
        alike(0, BOXES_IN_CELL, 2.0) && alike(1, FEW, 3.0)
    }

    /// Whether the layout fits the current sizes of the boxes. Larger boxes do not matter, since there are coarser
    /// levels.
    pub fn fits_sizes(&self, rows: usize, sides: impl Fn(usize) -> Option<Sides>) -> bool {
        let now = typical_doublings(rows, sides, self.least);
        let halvings = self.doublings.zip(now).map(|(then, now)| then - now);
        halvings.is_none_or(|halvings| halvings <= 1.5)
    }
}

/// A layout for the sides of some rows (`None` for rows that are not held), and what it was planned for. Depends only
/// on the sides.
pub(super) fn plan_layout(
    rows: usize,
    sides: impl Fn(usize) -> Option<Sides>,
    config: &DoubleGridConfig,
) -> (Layout, PlannedFor) {
    let sample = Sample::take(rows, &sides);
    let crowded = sample.crowded_size();
    let loose = config
        .loose_cell
        .unwrap_or_else(|| sample.cell_size(crowded));
    let tight = config.tight_cell.unwrap_or(loose * TIGHT);
    let least = crowded as f32;
    let plan = PlannedFor {
        crowd: None,
        least,
        doublings: typical_doublings(rows, sides, least),
    };
    (Layout::new(sample.center, loose, tight), plan)
}

/// Centers and sizes of a sample of the finite boxes.
struct Sample {
    centers: Vec<[f64; 2]>,
    /// The larger side of each, ascending.
    sizes: Vec<f64>,
    /// How many rows each sampled row stands for.
    rows_each: f64,
    /// The median center along each axis.
    center: [f32; 2],
    /// Width or height of the bounds of all centers, whichever is larger.
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

    /// How large the smallest loose cells should be: large enough to hold a typical box's share of others, and as large
    /// as most boxes.
    fn cell_size(&self, crowded: f64) -> f32 {
        let quantile = |part: f64| {
            let rank = (self.sizes.len() as f64 * part) as usize;
            self.sizes.get(rank).copied().unwrap_or(0.0)
        };
        let size = quantile(FITTING)
            .min(quantile(0.5) * TOO_LARGE)
            .max(crowded);
        if size > 0.0 {
            // So that a box of exactly this size is not excluded by the rounding of a side.
            (size * (1.0 + 1e-6)) as f32
        } else {
            1.0
        }
    }

    /// The cell size at which a typical box shares its cell with the right number of others. Zero if all are on one
    /// spot.
    fn crowded_size(&self) -> f64 {
        if self.extent <= 0.0 {
            return 0.0;
        }
        let enough = (BOXES_IN_CELL / self.rows_each).max(TRUSTED);
        let mut keys = Vec::with_capacity(self.centers.len());
        // The fewest halvings of the world after which a typical box is no longer crowded.
        let (mut too_few, mut halvings) = (-1, FINEST);
        let mut scale = None;
        while halvings - too_few > 1 {
            let halfway = (too_few + halvings) / 2;
            // Exact, as it is a power of two.
            let size = self.extent * 0.5_f64.powi(halfway);
            let crowd = self.typical_crowd(size, &mut keys);
            // One more halving would leave about a quarter.
            if crowd < 2.0 * enough {
                halvings = halfway;
                scale = Some((BOXES_IN_CELL / (crowd * self.rows_each)).sqrt() * size);
            } else {
                too_few = halfway;
            }
        }
        scale.unwrap_or(0.0).min(self.extent)
    }

    /// How many boxes of the sample are in the cell of a typical one, for a given cell size.
    fn typical_crowd(&self, size: f64, keys: &mut Vec<[u64; 2]>) -> f64 {
        // Floats rather than integer indices, which would overflow; adding zero turns -0 into 0.
        let cell = |center: &[f64; 2]| {
            for_both(|axis| {
                let from_center = center[axis] - f64::from(self.center[axis]);
                ((from_center / size).floor() + 0.0).to_bits()
            })
        };
        keys.clear();
        keys.extend(self.centers.iter().map(cell));
        keys.sort_unstable();
        let mut crowds: Vec<usize> = keys.chunk_by(|a, b| a == b).map(<[_]>::len).collect();
        crowds.sort_unstable();
        // The median, when boxes are sorted by how many share their cell.
        let mut boxes = 0;
        let median = crowds.iter().find(|&&crowd| {
            boxes += crowd;
            2 * boxes >= keys.len()
        });
        median.map_or(1.0, |&crowd| crowd as f64)
    }
}
