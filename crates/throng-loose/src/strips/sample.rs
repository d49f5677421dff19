//! A sample of the boxes, and what it says of all of them.

use crate::sides::Corners;
use throng_core::cell::CellMap;
use throng_core::{Boxes, sampled_rows};

/// Rows looked at. More would cost without changing a decision.
const SAMPLE: usize = 4096;

/// Some of the boxes, and what they say of all.
pub(super) struct Sample {
    /// Ascending by left side.
    pub boxes: Vec<Corners>,
    /// Where each lies in the order of lower sides.
    place_by_lower: Vec<u32>,
    /// Lower and upper sides along x, in the order of left sides, and along y, in that of lower sides.
    along: [[Vec<f32>; 2]; 2],
    /// How many rows each row looked at stands for.
    scale: f64,
    /// Of the lower corners, without strays.
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
        boxes.sort_unstable_by(|[a, _], [b, _]| a[0].total_cmp(&b[0]));
        let mut by_lower: Vec<u32> = (0..boxes.len() as u32).collect();
        let lower = |index: u32| boxes[index as usize][0][1];
        by_lower.sort_unstable_by(|&a, &b| lower(a).total_cmp(&lower(b)));
        let mut place_by_lower = vec![0; boxes.len()];
        for (place, &index) in (0..).zip(&by_lower) {
            place_by_lower[index as usize] = place;
        }
        let along_x = [0, 1].map(|end: usize| boxes.iter().map(|b| b[end][0]).collect());
        let along_y = [0, 1].map(|end: usize| {
            let ends = by_lower.iter().map(|&index| boxes[index as usize][end][1]);
            ends.collect()
        });
        Self {
            extent: trimmed_extent(&boxes),
            boxes,
            place_by_lower,
            along: [along_x, along_y],
            scale,
        }
    }

    /// The place of a box in the order of left sides, which it is given by, or in that of lower sides.
    pub fn place_along(&self, lies_across: bool, index: usize) -> usize {
        if lies_across {
            self.place_by_lower[index] as usize
        } else {
            index
        }
    }

    /// Where boxes begin and end along a strip, by their places along it.
    pub fn sides_along(&self, lies_across: bool) -> [&[f32]; 2] {
        let [begins, ends] = &self.along[usize::from(lies_across)];
        [begins, ends]
    }

    pub fn rows_per_sampled(&self) -> f64 {
        self.scale
    }

    /// How many boxes there are, about.
    pub fn standing_for(&self) -> f64 {
        self.boxes.len() as f64 * self.scale
    }

    /// The lowest lower side, strays left out.
    pub fn lowest(&self) -> f32 {
        self.extent[0][1] as f32
    }

    /// So many blocks along x.
    pub fn blocks(&self, block_bits: u32) -> CellMap {
        blocks_along(0, &self.extent, block_bits)
    }

    /// The distance to the next box if they were spread evenly over the world, or along a line if it is one.
    pub fn spacing(&self) -> f32 {
        let [low, high] = self.extent;
        let [width, height] = [high[0] - low[0], high[1] - low[1]];
        let boxes = self.standing_for().max(1.0);
        let along = width.max(height) / boxes;
        (width * height / boxes).sqrt().max(along) as f32
    }

    /// The median of what is higher or wider than nothing, of width and height, whichever is more and finite.
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

/// So many blocks along an axis.
pub(super) fn blocks_along(axis: usize, [low, high]: &[[f64; 2]; 2], block_bits: u32) -> CellMap {
    let width = (high[axis] - low[axis]) / f64::from(1_u32 << block_bits);
    CellMap::new(low[axis] as f32, width as f32)
}

/// Boxes farther out than so many times what the middle half of them spans are strays.
const STRAY: f64 = 16.0;

/// The extent of the lower corners without their outermost hundredth on either side, and without strays, so
/// that these do not set the scale, and a little more again, so that an even spread is covered.
pub(super) fn trimmed_extent(boxes: &[Corners]) -> [[f64; 2]; 2] {
    let mut extent = [[0.0; 2]; 2];
    for axis in 0..2 {
        let sides = boxes.iter().map(|[min, _]| f64::from(min[axis]));
        let mut sides: Vec<f64> = sides.filter(|side| side.is_finite()).collect();
        sides.sort_unstable_by(f64::total_cmp);
        if let Some(last) = sides.len().checked_sub(1) {
            let [mut low, mut high] = [sides[last / 100], sides[last - last / 100]];
            let [quarter, three_quarters] = [sides[last / 4], sides[last - last / 4]];
            let reach = STRAY * (three_quarters - quarter);
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
