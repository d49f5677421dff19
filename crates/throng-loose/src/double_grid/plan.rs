//! Cell sizes from the boxes: how large they are, and how crowded a typical one is.
//!
//! What a search pays for is how many boxes share a box's cell. Boxes per area of the world would not say
//! that, because an empty corner changes it; nor would a mean, because a thousand boxes on one spot do. So a
//! sample is asked for the scale at which a *typical* box, the median one, has a handful of others
//! of the sample in its cell, and the cell is scaled from there. It is asked only when a layout is planned.

use super::layout::Layout;
use crate::DoubleGridConfig;
use crate::sides::Sides;

/// Boxes looked at. More would cost without changing a decision.
const SAMPLE: usize = 4096;
/// Boxes of the sample that should share a cell before their number is trusted.
const TRUSTED: f64 = 8.0;
/// Boxes that should share a loose cell. With 16 a frame took half as long again, because a search pays for
/// each cell that it finds; with 100 it took no less, and a query of a small window looks at more.
const BOXES_IN_CELL: f64 = 48.0;
/// The part of all boxes that should be no larger than the smallest cells.
const FITTING: f64 = 0.9;
/// Halvings of the world, at most, until cells are crowded no more.
const FINEST: i32 = 24;
/// A tight cell's size, in loose cells.
const TIGHT: f32 = 2.0;

/// What a layout was planned for, to tell when it no longer fits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    rows: usize,
    /// Of the first clean-up after planning.
    crowding: Option<f64>,
}

impl Plan {
    pub fn new(rows: usize) -> Self {
        Self {
            rows,
            crowding: None,
        }
    }

    /// Whether the layout fits what there is now: `crowding` is how many boxes share a box's cell, on
    /// average over boxes.
    pub fn still_fits(&mut self, rows: usize, crowding: f64) -> bool {
        let planned = *self.crowding.get_or_insert(crowding);
        let alike = |now: f64, then: f64, factor: f64| {
            let (now, then) = (now.max(BOXES_IN_CELL), then.max(BOXES_IN_CELL));
            now <= then * factor && then <= now * factor
        };
        alike(rows as f64, self.rows as f64, 2.0) && alike(crowding, planned, 3.0)
    }
}

/// A layout for the sides of some rows, of which some may be absent. Depends on them alone.
pub(super) fn plan_layout(
    rows: usize,
    sides: impl Fn(usize) -> Option<Sides>,
    config: &DoubleGridConfig,
) -> Layout {
    let sample = Sample::take(rows, sides);
    let loose = config.loose_cell.unwrap_or_else(|| sample.cell_size());
    let tight = config.tight_cell.unwrap_or(loose * TIGHT);
    Layout::new(sample.center(), loose, tight)
}

/// Centres and sizes of some finite boxes.
struct Sample {
    centers: Vec<[f64; 2]>,
    /// The larger side of each, ascending.
    sizes: Vec<f64>,
    /// How many rows each stands for.
    rows_each: f64,
    min: [f64; 2],
    max: [f64; 2],
}

impl Sample {
    fn take(rows: usize, sides: impl Fn(usize) -> Option<Sides>) -> Self {
        let stride = rows.div_ceil(SAMPLE).max(1);
        // A place of its own in every stretch, so that a pattern in the row order is not sampled for the
        // whole.
        let place = |k: usize| k * stride + k.wrapping_mul(0x9e37_79b9) / 64 % stride;
        let places = (0..rows.div_ceil(stride)).map(place);
        let boxes = places
            .filter(|&row| row < rows)
            .filter_map(sides)
            .filter(|sides| sides.iter().all(|side| side.is_finite()))
            .map(|sides| sides.map(f64::from));
        let mut sample = Self {
            centers: Vec::new(),
            sizes: Vec::new(),
            rows_each: stride as f64,
            min: [f64::INFINITY; 2],
            max: [f64::NEG_INFINITY; 2],
        };
        for [min_x, min_y, max_x, max_y] in boxes {
            let center = [(min_x + max_x) / 2.0, (min_y + max_y) / 2.0];
            for (axis, c) in center.into_iter().enumerate() {
                sample.min[axis] = sample.min[axis].min(c);
                sample.max[axis] = sample.max[axis].max(c);
            }
            sample.centers.push(center);
            sample.sizes.push((max_x - min_x).max(max_y - min_y));
        }
        sample.sizes.sort_unstable_by(f64::total_cmp);
        sample
    }

    /// The middle of the world, whose neighbourhood cells tell apart best.
    fn center(&self) -> [f32; 2] {
        if self.centers.is_empty() {
            return [0.0; 2];
        }
        [0, 1].map(|axis| ((self.min[axis] + self.max[axis]) / 2.0) as f32)
    }

    /// How large the smallest loose cells should be: as large as a typical box's crowd asks for, and most
    /// boxes.
    fn cell_size(&self) -> f32 {
        let fitting = (self.sizes.len() as f64 * FITTING) as usize;
        let size = self.sizes.get(fitting).copied().unwrap_or(0.0);
        let size = size.max(self.crowded_size());
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
        let extent = [0, 1].map(|axis| self.max[axis] - self.min[axis]);
        let extent = extent[0].max(extent[1]);
        if self.centers.is_empty() || extent <= 0.0 {
            return 0.0;
        }
        let enough = (BOXES_IN_CELL / self.rows_each).max(TRUSTED);
        let mut keys = Vec::with_capacity(self.centers.len());
        let mut sizes = (0..FINEST).map(|halvings| extent * 0.5_f64.powi(halvings));
        let scale = sizes.find_map(|size| {
            let crowd = self.typical_crowd(size, &mut keys);
            // The next size would leave about a quarter.
            (crowd < 2.0 * enough).then(|| (BOXES_IN_CELL / (crowd * self.rows_each)).sqrt() * size)
        });
        scale.unwrap_or(0.0).min(extent)
    }

    /// How many of the sample share a cell of some size with the median one.
    fn typical_crowd(&self, size: f64, keys: &mut Vec<[i64; 2]>) -> f64 {
        let cell =
            |center: &[f64; 2]| [0, 1].map(|axis| ((center[axis] - self.min[axis]) / size) as i64);
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
