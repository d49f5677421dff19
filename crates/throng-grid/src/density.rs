//! Cell sizes from the data.
//!
//! What the sort and the search need to know is not rows per area of the world, which an empty corner changes, but
//! how many neighbors a *row* has around it. That is a correlation sum (Grassberger and Procaccia, "Measuring the
//! strangeness of strange attractors", 1983): the number of pairs of rows that share a cell, over cells of some
//! shape. A few thousand rows are enough for that, at some twenty microseconds a shape. It is only done when a
//! layout is planned: on the first build, and when the counts show that the old plan no longer fits.
//!
//! Crowds are uneven, but one height and one width serve a whole category, because what an uneven crowd costs is not that a
//! strip is too tall here and too low there: rows have about as many candidates in towns as in an even swarm. It costs
//! leaves with few rows, buckets with none, and buckets that places a period apart share. So the plan avoids these: it makes
//! strips taller where leaves would be small, does not cut a small crowd through the middle, and has no more buckets than the
//! crowd has places. (Strips whose height depends on where they are would make a row's strip a search in a table, in the
//! pass that waits for memory as it is.)

use crate::Points;
use crate::crowd::Sample;
use crate::layout::{COLUMN_BITS, COLUMNS, Layout};
use throng_core::cell::CellMap;
use throng_core::for_both;

/// Neighbors that a row should find ahead of it in its strip, within one box width.
const NEIGHBORS_AHEAD: f64 = 3.0;
/// The most rows in a square as wide as a strip is tall. In a sparse crowd no strip, however tall, gives a row
/// neighbors ahead; but a search has to look at the whole height of a strip. A crowd along a line does not fill squares, and
/// may have any height: whoever is close along x is close.
const MOST_ROWS_IN_SQUARE: f64 = 64.0;
/// The lowest strip, in box heights.
const LOWEST_STRIP: f64 = 1.25;
/// Rows per column, where the box is wide enough to allow it.
const ROWS_PER_COLUMN: f64 = 1.0;
/// The widest column, in box widths: wider ones make every search overshoot.
const WIDEST_COLUMN: f64 = 0.65;
/// If columns twice as wide hold no more than this times as many rows, narrow ones do not tell rows apart.
const ON_ONE_SPOT: f64 = 1.2;
/// Blocks with fewer rows than this are worth widening, as long as columns may still grow.
const FEW_ROWS_IN_BLOCK: f64 = 128.0;
/// Leaves with fewer rows than this are worth making taller, as long as that saves more than the comparisons it adds.
const FEW_ROWS_IN_LEAF: f64 = 140.0;
/// How many comparisons take as long as making a leaf and searching it, however few rows it has: about a microsecond.
const COMPARISONS_PER_LEAF: f64 = 6000.0;
/// A crowd that takes no more than this part of a cell is put into the middle of one, so that it may move a little.
const FITS_CELL: f64 = 0.9;
/// Buckets per strip and block that has rows: the more there are, the fewer share a bucket.
const BUCKETS_PER_PLACE: usize = 8;
/// How many rows a bucket is expected to hold, to size the table of buckets.
const ROWS_PER_BUCKET: usize = 1024;

/// Plans a layout for `points` with the given bound. Depends only on the coordinates.
pub(crate) fn plan_layout(points: &Points<'_>, half: [f32; 2]) -> Layout {
    let mut sample = Sample::take(points);
    let [low, high] = sample.trimmed_extent();
    // Never finer than the world's extent over 2^22: cells must stay countable, and rows that share a coordinate
    // exactly give no scale of their own.
    let extent = for_both(|axis| (high[axis] - low[axis]).max(f64::from(f32::MIN_POSITIVE) * 1e8));
    let finest = extent.map(|e| e / f64::from(1 << 22));
    let size = for_both(|axis| 2.0 * f64::from(half[axis]));

    let height = strip_height(&mut sample, size, finest, extent);
    let width = column_width(&mut sample, size, finest, extent, height);
    let block = width * COLUMNS as f64;
    let box_width = size[0].max(finest[0]);
    let height = height_for_leaves(&mut sample, block, box_width, extent, height);

    let columns = CellMap::new(first_cell([low[0], high[0]], block), width as f32);
    let strips = CellMap::new(first_cell([low[1], high[1]], height), height as f32);
    let seen = sample.wide_extent();
    let blocks_seen = places_seen(seen[0], |x| columns.cell(x) >> COLUMN_BITS);
    let strips_seen = places_seen(seen[1], |y| strips.cell(y));
    let mut block_bits = table_bits(blocks_seen, extent[0] / block);
    let mut strip_bits = table_bits(strips_seen, extent[1] / height);
    let occupied = sample
        .occupied_cells(block, height)
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
        strips,
        columns,
        strip_bits,
        block_bits,
    }
}

/// How many cells there are from the one of the lower end to that of the upper.
fn places_seen([low, high]: [f64; 2], cell: impl Fn(f32) -> i32) -> usize {
    (i64::from(cell(high as f32)) - i64::from(cell(low as f32))) as usize + 1
}

/// The bits of a table with a place for each cell seen; unless a few rows far out have made these many more than the cells of
/// the rest, `along`.
fn table_bits(seen: usize, along: f64) -> u32 {
    let enough = along.ceil().clamp(1.0, 1e9) as usize + 2;
    seen.min(enough).next_power_of_two().ilog2()
}

/// Where a cell begins: in the middle of the crowd, or so that the whole crowd is in the middle of a cell if it fits.
fn first_cell([low, high]: [f64; 2], cell: f64) -> f32 {
    let middle = low + (high - low) / 2.0;
    let fits = high - low < FITS_CELL * cell;
    (if fits { middle - cell / 2.0 } else { middle }) as f32
}

/// The tallest strip in which a row still has few neighbors ahead.
fn strip_height(sample: &mut Sample, size: [f64; 2], finest: [f64; 2], extent: [f64; 2]) -> f64 {
    let lowest = (LOWEST_STRIP * size[1]).max(finest[1]);
    let box_width = size[0].max(finest[0]);
    let mut height = lowest;
    while height < extent[1] {
        let taller = height * 2.0;
        let neighbors = sample.neighbors_along(box_width, taller, extent[0]);
        let in_square = neighbors * taller / box_width;
        let is_wasteful = in_square > MOST_ROWS_IN_SQUARE && sample.fills_squares(taller);
        if neighbors > NEIGHBORS_AHEAD || is_wasteful {
            let by_neighbors = taller * NEIGHBORS_AHEAD / neighbors;
            let by_square = if is_wasteful {
                taller * (MOST_ROWS_IN_SQUARE / in_square).sqrt()
            } else {
                taller
            };
            return by_neighbors.min(by_square).clamp(height, taller);
        }
        height = taller;
    }
    height
}

/// Columns narrow enough to hold about [`ROWS_PER_COLUMN`], unless that would leave blocks empty.
fn column_width(
    sample: &mut Sample,
    size: [f64; 2],
    finest: [f64; 2],
    extent: [f64; 2],
    height: f64,
) -> f64 {
    let box_width = size[0].max(finest[0]);
    let widest = if size[0] > 0.0 {
        WIDEST_COLUMN * box_width
    } else {
        extent[0]
    };
    let along = sample.neighbors_along(box_width, height, extent[0]);
    let mut width = (box_width * ROWS_PER_COLUMN / along.max(1e-3))
        .min(widest)
        .max(finest[0]);
    let mut in_column = |width: f64| sample.rows_sharing(width, height);
    let mut inside = in_column(width);
    while width < widest {
        let wider = in_column(2.0 * width);
        if wider >= ON_ONE_SPOT * inside {
            break;
        }
        (width, inside) = ((2.0 * width).min(widest), wider);
    }
    while width < widest && width * (COLUMNS as f64) < 2.0 * extent[0] {
        if sample.rows_sharing(width * COLUMNS as f64, height) >= FEW_ROWS_IN_BLOCK {
            break;
        }
        width = (width * 2.0).min(widest);
    }
    width
}

/// Strips of `height`, or taller ones if these leave few rows in a leaf: a crowd on a vertical line would make a leaf for
/// every few rows, and so would a small one.
fn height_for_leaves(
    sample: &mut Sample,
    block: f64,
    box_width: f64,
    extent: [f64; 2],
    mut height: f64,
) -> f64 {
    // Rows in a leaf, and what a row costs.
    let mut with = |height: f64| {
        let in_leaf = sample.rows_sharing(block, height) + 1.0;
        let ahead = sample.neighbors_along(box_width, height, extent[0]);
        (in_leaf, COMPARISONS_PER_LEAF / in_leaf + ahead)
    };
    let (mut in_leaf, mut cost) = with(height);
    while height < extent[1] && in_leaf < FEW_ROWS_IN_LEAF {
        let taller = with(2.0 * height);
        if taller.1 >= cost {
            break;
        }
        (in_leaf, cost) = taller;
        height *= 2.0;
    }
    height
}
