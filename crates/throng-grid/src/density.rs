//! Cell sizes from the data: a sample of the rows, and how crowded it is at different scales.
//!
//! What the sort and the search need to know is not rows per area of the world, which an empty corner changes, but
//! how many neighbors a *row* has around it. That is a correlation sum (Grassberger and Procaccia, "Measuring the
//! strangeness of strange attractors", 1983): the number of pairs of rows that share a cell, over cells of some
//! shape. A few thousand rows are enough for that, at about a tenth of a millisecond a shape. It is only done when a
//! layout is planned: on the first build, and when the counts show that the old plan no longer fits.

use crate::Points;
use crate::layout::{COLUMNS, Layout};
use throng_core::cell::CellMap;
use throng_core::sampled_rows;

/// How many rows are sampled. More would cost time without changing a decision.
const SAMPLE: usize = 4096;
/// With fewer sharing pairs than this a density is a guess; a coarser cell is tried instead.
const TRUSTED_PAIRS: usize = 64;
/// Neighbors that a row should find ahead of it in its strip, within one box width.
const NEIGHBOURS_AHEAD: f64 = 3.0;
/// The most rows in a square as wide as a strip is tall. In a sparse crowd no strip, however tall, gives a row
/// neighbors ahead; but a search has to look at the whole height of a strip.
const MOST_ROWS_IN_SQUARE: f64 = 64.0;
/// The lowest strip, in box heights.
const LOWEST_STRIP: f64 = 1.25;
/// Rows per column, where the box is wide enough to allow it.
const ROWS_PER_COLUMN: f64 = 1.0;
/// The widest column, in box widths: wider ones make every search overshoot.
const WIDEST_COLUMN: f64 = 0.65;
/// Blocks with fewer rows than this are worth widening, as long as columns may still grow.
const FEW_ROWS_IN_BLOCK: f64 = 128.0;
/// A leaf with fewer rows than this costs more to visit than to compare.
const FEW_ROWS_IN_LEAF: f64 = 48.0;
/// Buckets per strip and block that has rows: the more there are, the fewer share a bucket.
const BUCKETS_PER_PLACE: usize = 8;
/// How many rows a bucket is expected to hold, to size the table of buckets.
const ROWS_PER_BUCKET: usize = 1024;

/// Plans a layout for `points` with the given bound. Depends only on the coordinates.
pub(crate) fn plan_layout(points: &Points<'_>, half: [f32; 2]) -> Layout {
    let sample = Sample::take(points);
    let [low, high] = sample.trimmed_extent();
    let origin = [0, 1].map(|axis| (low[axis] + (high[axis] - low[axis]) / 2.0) as f32);
    // Never finer than the world's extent over 2^22: cells must stay countable, and rows that share a coordinate
    // exactly give no scale of their own.
    let extent =
        [0, 1].map(|axis| (high[axis] - low[axis]).max(f64::from(f32::MIN_POSITIVE) * 1e8));
    let finest = extent.map(|e| e / f64::from(1 << 22));
    let size = [0, 1].map(|axis| 2.0 * f64::from(half[axis]));

    let mut height = strip_height(&sample, size, finest, extent);
    let width = column_width(&sample, size, finest, extent, height);
    // A crowd on a vertical line would make a leaf for every few rows; it is cheaper to compare more.
    while height < extent[1]
        && sample.rows_sharing(width * COLUMNS as f64, height) < FEW_ROWS_IN_LEAF
    {
        height *= 2.0;
    }

    let cells = |extent: f64, cell: f64| (extent / cell).ceil().clamp(1.0, 1e9) as usize + 2;
    let mut strip_bits = cells(extent[1], height).next_power_of_two().ilog2();
    let mut block_bits = cells(extent[0], width * COLUMNS as f64)
        .next_power_of_two()
        .ilog2();
    let occupied = sample
        .occupied_cells(width * COLUMNS as f64, height)
        .max(sample.rows / ROWS_PER_BUCKET);
    let most_bits = (BUCKETS_PER_PLACE * occupied)
        .max(16)
        .next_power_of_two()
        .ilog2();
    while strip_bits + block_bits > most_bits {
        // Shrink the longer side of the table first: that is where the empty space is.
        if strip_bits >= block_bits {
            strip_bits -= 1
        } else {
            block_bits -= 1
        }
    }
    Layout {
        strips: CellMap::new(origin[1], height as f32),
        columns: CellMap::new(origin[0], width as f32),
        strip_bits,
        block_bits,
    }
}

/// The tallest strip in which a row still has few neighbors ahead.
fn strip_height(sample: &Sample, size: [f64; 2], finest: [f64; 2], extent: [f64; 2]) -> f64 {
    let lowest = (LOWEST_STRIP * size[1]).max(finest[1]);
    let box_width = size[0].max(finest[0]);
    let mut height = lowest;
    while height < extent[1] {
        let taller = height * 2.0;
        let neighbours = sample.neighbours_along(box_width, taller, extent[0]);
        let in_square = neighbours * taller / box_width;
        if neighbours > NEIGHBOURS_AHEAD || in_square > MOST_ROWS_IN_SQUARE {
            let by_neighbours = taller * NEIGHBOURS_AHEAD / neighbours;
            let by_square = taller * (MOST_ROWS_IN_SQUARE / in_square).sqrt();
            return by_neighbours.min(by_square).clamp(height, taller);
        }
        height = taller;
    }
    height
}

/// Columns narrow enough to hold about [`ROWS_PER_COLUMN`], unless that would leave blocks empty.
fn column_width(
    sample: &Sample,
    size: [f64; 2],
    finest: [f64; 2],
    extent: [f64; 2],
    height: f64,
) -> f64 {
    let box_width = size[0].max(finest[0]);
    let widest = if size[0] > 0.0 {
        WIDEST_COLUMN * box_width
    } else {
        f64::INFINITY
    };
    let along = sample.neighbours_along(box_width, height, extent[0]);
    let mut width = (box_width * ROWS_PER_COLUMN / along.max(1e-3))
        .min(widest)
        .max(finest[0]);
    while width < widest && width * (COLUMNS as f64) < 2.0 * extent[0] {
        if sample.rows_sharing(width * COLUMNS as f64, height) >= FEW_ROWS_IN_BLOCK {
            break;
        }
        width = (width * 2.0).min(widest);
    }
    width
}

/// A sample of the rows, and what it says about all of them.
struct Sample {
    points: Vec<[f64; 2]>,
    rows: usize,
}

impl Sample {
    fn take(points: &Points<'_>) -> Self {
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
    fn trimmed_extent(&self) -> [[f64; 2]; 2] {
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

    /// How many other rows share a row's cell if cells have this shape, on average over rows.
    fn rows_sharing(&self, width: f64, height: f64) -> f64 {
        self.rows_per_sampled_pair() * self.sharing_pairs(width, height) as f64
    }

    /// How many other rows lie within `reach` ahead of a row in a strip of this height, measured at the smallest
    /// width of at least `reach` that shows enough pairs.
    fn neighbours_along(&self, reach: f64, height: f64, extent: f64) -> f64 {
        let mut width = reach;
        loop {
            let pairs = self.sharing_pairs(width, height);
            if pairs >= TRUSTED_PAIRS || width >= extent {
                return self.rows_per_sampled_pair() * pairs as f64 * (reach / width).min(1.0);
            }
            width *= 2.0;
        }
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

    fn occupied_cells(&self, width: f64, height: f64) -> usize {
        self.cells(width, height).chunk_by(|a, b| a == b).count()
    }

    fn cells(&self, width: f64, height: f64) -> Vec<(i64, i64)> {
        let cell = |point: &[f64; 2]| {
            (
                (point[1] / height).floor() as i64,
                (point[0] / width).floor() as i64,
            )
        };
        let mut cells: Vec<(i64, i64)> = self.points.iter().map(cell).collect();
        cells.sort_unstable();
        cells
    }
}
