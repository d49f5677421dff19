//! A sample of the boxes, and what it says about all of them.

use throng_core::cell::CellMap;
use throng_core::{Boxes, Corners, even_spacing, for_both, sampled_rows};

/// How many rows are sampled. More would cost time without changing a decision.
const SAMPLE: usize = 4096;

/// A sample of the boxes, and what it says about all of them.
pub(super) struct Sample {
    /// Sorted by left side.
    pub boxes: Vec<Corners>,
    /// The rank of each box in the order of lower sides.
    rank_by_lower: Vec<u32>,
    /// Lower and upper sides along x, sorted by left side, and along y, sorted by lower side.
    along: [[Vec<f32>; 2]; 2],
    /// How many rows each sampled row stands for.
    scale: f64,
    /// Of the lower corners, without outliers.
    extent: [[f64; 2]; 2],
}

impl Sample {
    pub fn take(boxes: &Boxes<'_>) -> Self {
        let rows = boxes.len();
        let chosen = sampled_rows(rows, SAMPLE);
        let scale = rows as f64 / chosen.len().max(1) as f64;
        let sound = |&row: &usize| boxes.is_present(row) && boxes.is_sound(row);
        let chosen = chosen.into_iter().filter(sound);
        let mut boxes: Vec<_> = chosen.map(|row| boxes.corners(row)).collect();
        // Total, so that the plan depends on nothing but the boxes, whatever sorts them.
        let words = |b: &[[f32; 2]; 2]| b.map(|corner| corner.map(|side| side.to_bits()));
        boxes.sort_unstable_by(|a, b| {
            let by_left = a[0][0].total_cmp(&b[0][0]);
            by_left.then_with(|| words(a).cmp(&words(b)))
        });
        let mut by_lower: Vec<u32> = (0..boxes.len() as u32).collect();
        let lower = |index: u32| boxes[index as usize][0][1];
        by_lower.sort_unstable_by(|&a, &b| lower(a).total_cmp(&lower(b)).then(a.cmp(&b)));
        let mut rank_by_lower = vec![0; boxes.len()];
        for (rank, &index) in (0..).zip(&by_lower) {
            rank_by_lower[index as usize] = rank;
        }
        let along_x = for_both(|end: usize| boxes.iter().map(|b| b[end][0]).collect());
        let along_y = for_both(|end: usize| {
            let ends = by_lower.iter().map(|&index| boxes[index as usize][end][1]);
            ends.collect()
        });
        Self {
            extent: trimmed_extent(&boxes),
            boxes,
            rank_by_lower,
            along: [along_x, along_y],
            scale,
        }
    }

    /// The rank of a box by left side, which is its index, or by lower side if transposed.
    pub fn rank_along(&self, transposed: bool, index: usize) -> usize {
        if transposed {
            self.rank_by_lower[index] as usize
        } else {
            index
        }
    }

    /// Where boxes begin and end along a strip, by their rank along it.
    pub fn sides_along(&self, transposed: bool) -> [&[f32]; 2] {
        let [begins, ends] = &self.along[usize::from(transposed)];
        [begins, ends]
    }

    pub fn rows_per_sampled(&self) -> f64 {
        self.scale
    }

    /// About how many boxes there are.
    pub fn standing_for(&self) -> f64 {
        self.boxes.len() as f64 * self.scale
    }

    /// The lowest lower side, without outliers.
    pub fn lowest(&self) -> f32 {
        self.extent[0][1] as f32
    }

    /// Blocks along x.
    pub fn blocks(&self, block_bits: u32) -> CellMap {
        blocks_along(0, &self.extent, block_bits)
    }

    /// The distance to the next box if they were spread evenly over the world, or over a line if the world is one.
    pub fn spacing(&self) -> f32 {
        let [low, high] = self.extent;
        let extent = for_both(|axis| high[axis] - low[axis]);
        even_spacing(extent, self.standing_for().max(1.0)) as f32
    }

    /// The median size of a box, which is its width or its height, whichever is larger and finite; zero is left out.
    pub fn common_size(&self) -> f32 {
        let sides = |&[min, max]: &Corners| [max[0] - min[0], max[1] - min[1]];
        let finite = |size: f32| if size.is_finite() { size } else { 0.0 };
        let size = |corners| {
            let [width, height] = sides(corners).map(finite);
            width.max(height)
        };
        let mut sizes: Vec<f32> = self
            .boxes
            .iter()
            .map(size)
            .filter(|size| *size > 0.0)
            .collect();
        sizes.sort_unstable_by(f32::total_cmp);
        sizes
            .get(sizes.len() / 2)
            .copied()
            .unwrap_or_else(|| self.spacing())
            .max(f32::MIN_POSITIVE)
    }
}

/// Blocks along an axis.
pub(super) fn blocks_along(axis: usize, [low, high]: &[[f64; 2]; 2], block_bits: u32) -> CellMap {
    let width = (high[axis] - low[axis]) / f64::from(1_u32 << block_bits);
    CellMap::new(low[axis] as f32, width as f32)
}

/// Boxes farther out than this many times the range of the middle half are outliers.
const OUTLIER: f64 = 16.0;

/// The extent of the lower corners without the outermost hundredth on either side and without outliers, so that these
/// do not set the scale; then a little larger, so that an even spread is covered.
pub(super) fn trimmed_extent(boxes: &[Corners]) -> [[f64; 2]; 2] {
    let mut extent = [[0.0; 2]; 2];
    for axis in 0..2 {
        let sides = boxes.iter().map(|[min, _]| f64::from(min[axis]));
        let mut sides: Vec<f64> = sides.filter(|side| side.is_finite()).collect();
        sides.sort_unstable_by(f64::total_cmp);
        if let Some(last) = sides.len().checked_sub(1) {
            let [mut low, mut high] = [sides[last / 100], sides[last - last / 100]];
            let [quarter, three_quarters] = [sides[last / 4], sides[last - last / 4]];
            let reach = OUTLIER * (three_quarters - quarter);
            if reach > 0.0 {
                (low, high) = (low.max(quarter - reach), high.min(three_quarters + reach));
            }
            let margin = (high - low) / 32.0;
            extent[0][axis] = low - margin;
            extent[1][axis] = high + margin;
        }
    }
    extent
}
