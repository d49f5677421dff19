//! How far a run of boxes reaches, and how large they are.

use super::records::Record;
use throng_core::{LANES, float_of_key};

/// How many records are sampled.
const SAMPLE: usize = 128;

/// The extent of some boxes' centers, and the boxes' sizes. In `f64`, where extents cannot overflow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub low: [f64; 2],
    pub high: [f64; 2],
    /// Of the boxes, by axis.
    pub mean_size: [f64; 2],
}

impl Spread {
    /// Estimated from a sample: the last outlier need not decide the axis.
    pub fn of(records: &[Record]) -> Self {
        let (mut low, mut high) = ([u32::MAX; 2], [0; 2]);
        let mut sum = [0.0_f64; 2];
        let stride = records.len().div_ceil(SAMPLE).max(1);
        let sample = records.iter().step_by(stride);
        let share = 1.0 / sample.len() as f64;
        for record in sample {
            for axis in 0..2 {
                low[axis] = low[axis].min(record.key(axis));
                high[axis] = high[axis].max(record.key(axis));
                sum[axis] += f64::from(record.size(axis));
            }
        }
        Self {
            low: low.map(|key| f64::from(float_of_key(key))),
            high: high.map(|key| f64::from(float_of_key(key))),
            mean_size: sum.map(|sum| sum * share),
        }
    }

    pub fn extent(&self, axis: usize) -> f64 {
        self.high[axis] - self.low[axis]
    }

    /// The width of a leaf if `len` boxes are spread evenly.
    pub fn leaf_width(&self, len: usize) -> f64 {
        let share = LANES as f64 / len as f64;
        (self.extent(0) * self.extent(1) * share).sqrt()
    }

    /// The axis along which halving makes the halves' boxes smallest.
    ///
    /// If the centers' extents are `e` and the boxes have size `m`, halves along x are `e.x / 2 + m.x` by `e.y + m.y`
    /// large. They are smaller than halves along y if `e.x m.y > e.y m.x`. `around` is added to the sizes: the size
    /// of a typical search window.
    pub fn axis(&self, around: f64) -> usize {
        let x = self.extent(0) * (self.mean_size[1] + around);
        let y = self.extent(1) * (self.mean_size[0] + around);
        usize::from(y > x || (x == y && self.extent(1) > self.extent(0)))
    }

    /// Bounds on the spreads of the records before `middle` and from it on, once halved along an axis: never narrower
    /// than the real ones.
    pub fn halves(&self, axis: usize, middle: &Record) -> [Spread; 2] {
        let cut = f64::from(float_of_key(middle.key(axis)));
        let (mut below, mut above) = (*self, *self);
        (below.high[axis], above.low[axis]) = (cut, cut);
        [below, above]
    }
}
