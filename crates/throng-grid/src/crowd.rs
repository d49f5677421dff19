//! What a sample of the rows says about all of them: how crowded a crowd is at different scales.

use crate::Points;
use throng_core::{for_both, sampled_rows};

/// How many rows are sampled. More would cost time without changing a decision.
const SAMPLE: usize = 4096;
/// With fewer sharing pairs than this a density is a guess; a coarser cell is tried instead.
const TRUSTED_PAIRS: usize = 64;

/// A sample of the rows, and what it says about all of them.
pub(crate) struct Sample {
    points: Vec<[f64; 2]>,
    pub rows: usize,
}

impl Sample {
    pub fn take(points: &Points<'_>) -> Self {
        let rows = points.xs.len();
        let chosen = sampled_rows(rows, SAMPLE);
        let points = chosen
            .into_iter()
            .filter(|&row| points.is_present(row))
            .map(|row| [f64::from(points.xs[row]), f64::from(points.ys[row])])
            .filter(|point| point[0].is_finite() && point[1].is_finite())
            .collect();
        Self { points, rows }
    }

    /// The extent without its outermost hundredth on either side, so that a single outlier does not set the scale.
    pub fn trimmed_extent(&self) -> [[f64; 2]; 2] {
        let mut extent = [[0.0; 2]; 2];
        for axis in 0..2 {
            let mut values: Vec<f64> = self.points.iter().map(|point| point[axis]).collect();
            values.sort_unstable_by(f64::total_cmp);
            if let Some(last) = values.len().checked_sub(1) {
                extent[0][axis] = values[last / 100];
                extent[1][axis] = values[last - last / 100];
            }
        }
        extent
    }

    /// The extent of the whole sample, and a little more on either side, since other rows may be further out.
    pub fn wide_extent(&self) -> [[f64; 2]; 2] {
        for_both(|axis| {
            let values = self.points.iter().map(|point| point[axis]);
            let span = |[low, high]: [f64; 2], v: f64| [low.min(v), high.max(v)];
            let Some([low, high]) = values.map(|v| [v, v]).reduce(|ends, [v, _]| span(ends, v))
            else {
                return [0.0; 2];
            };
            let margin = (high - low) / 100.0;
            [low - margin, high + margin]
        })
    }

    /// How many other rows share a row's cell if cells have this shape, on average over rows.
    pub fn rows_sharing(&self, width: f64, height: f64) -> f64 {
        self.rows_per_sampled_pair() * self.sharing_pairs(width, height) as f64
    }

    /// How many other rows lie within `reach` ahead of a row in a strip of this height, measured at the smallest
    /// width of at least `reach` that shows enough pairs.
    pub fn neighbors_along(&self, reach: f64, height: f64, extent: f64) -> f64 {
        let mut width = reach;
        loop {
            let pairs = self.sharing_pairs(width, height);
            if pairs >= TRUSTED_PAIRS || width >= extent {
                return self.rows_per_sampled_pair() * pairs as f64 * (reach / width).min(1.0);
            }
            width *= 2.0;
        }
    }

    /// Whether rows fill squares of this side, as those of an area do, rather than lie along a line in them. From a
    /// square to a tall cell as wide, the rows of an area grow as the height does, and those of a line do not; what tells
    /// them apart is the middle between the two, the root.
    pub fn fills_squares(&self, side: f64) -> bool {
        const PARTS: f64 = 8.0;
        let mut part = side / PARTS;
        while part < side {
            let square = self.sharing_pairs(part, part);
            if square >= TRUSTED_PAIRS {
                let tall = self.sharing_pairs(part, side);
                return tall as f64 > square as f64 * (side / part).sqrt();
            }
            part *= 2.0;
        }
        true
    }

    /// How many neighbors per row one sampled pair stands for.
    fn rows_per_sampled_pair(&self) -> f64 {
        let sampled = self.points.len().max(1) as f64;
        2.0 / sampled * (self.rows as f64 / sampled)
    }

    fn sharing_pairs(&self, width: f64, height: f64) -> usize {
        let cells = self.cells(width, height);
        cells
            .chunk_by(|a, b| a == b)
            .map(|run| run.len() * (run.len() - 1) / 2)
            .sum()
    }

    pub fn occupied_cells(&self, width: f64, height: f64) -> usize {
        self.cells(width, height).chunk_by(|a, b| a == b).count()
    }

    /// A number for the cell of each row, the same for rows of one cell, sorted. Two cells could get the same number, but
    /// of a few thousand among 2^64 practically none do; and numbers are sorted several times as fast as pairs of indices.
    fn cells(&self, width: f64, height: f64) -> Vec<u64> {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        // The floor, without a call: the machine that is compiled for may have no instruction for it.
        let index = |v: f64, side: f64| {
            let whole = (v / side) as i64;
            (whole as u64).wrapping_sub(u64::from(whole as f64 > v / side))
        };
        let cell = |&[x, y]: &[f64; 2]| {
            index(x, width).wrapping_mul(ODD) ^ index(y, height).rotate_left(32)
        };
        let mut cells: Vec<u64> = self.points.iter().map(cell).collect();
        cells.sort_unstable();
        cells
    }
}
