//! What is sorted: a box's center and its row.

use throng_core::{Boxes, Executor, float_key, run_each};

/// Rows per task. A fixed number, so that tasks are the same for any executor.
const ROWS_OF_TASK: usize = 1 << 15;

/// A box's center as words that compare as its coordinates do, its row, and its approximate size.
///
/// Two words rather than five, because all that sorting does is compare one of them and move both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// For each axis, the center's coordinate as a word in the upper half. In the lower half, the first has the row;
    /// the second has the sizes along x and y, each as the upper half of a float.
    words: [u64; 2],
}

impl Record {
    fn new(row: u32, min: [f32; 2], max: [f32; 2]) -> Self {
        let word = |axis: usize| u64::from(float_key(center(min[axis], max[axis]))) << 32;
        let size = |axis: usize| u64::from(size(min[axis], max[axis]));
        Self {
            words: [word(0) | u64::from(row), word(1) | size(0) << 16 | size(1)],
        }
    }

    /// The sort key along an axis.
    #[inline(always)]
    pub fn sort_key(&self, axis: usize) -> u64 {
        self.words[axis]
    }

    /// A word that compares as the center's coordinate does.
    #[inline(always)]
    pub fn key(&self, axis: usize) -> u32 {
        (self.words[axis] >> 32) as u32
    }

    /// The approximate size of the box along an axis; at most [`f32::MAX`].
    #[inline(always)]
    pub fn size(&self, axis: usize) -> f32 {
        let bits = (self.words[1] >> (16 * (1 - axis))) as u32;
        f32::from_bits(bits << 16)
    }

    /// The bits of the larger of its sizes, which compare as the sizes do.
    #[inline(always)]
    pub fn longer(&self) -> u32 {
        let bits = self.words[1] as u32;
        (bits & 0xFFFF_0000).max(bits << 16)
    }

    /// The row of the box.
    #[inline(always)]
    pub fn row(&self) -> usize {
        self.words[0] as u32 as usize
    }
}

/// A record of each row that is present and a valid box, by row, and how many present rows are not. Also writes the
/// sides of each of those rows to `sides`, one element for every row: side by side, because they will be read in
/// random order.
pub(super) fn of(
    boxes: &Boxes<'_>,
    sides: &mut [[f32; 4]],
    executor: &dyn Executor,
) -> (Vec<Record>, usize) {
    let mut found = vec![(Vec::new(), 0); boxes.len().div_ceil(ROWS_OF_TASK)];
    let parts = sides.chunks_mut(ROWS_OF_TASK).zip(&mut found);
    run_each(executor, parts, |task, (sides, (records, rejected))| {
        let first = task * ROWS_OF_TASK;
        records.reserve_exact(sides.len());
        for (row, sides) in (first..).zip(sides) {
            if boxes.is_present(row) {
                if boxes.is_sound(row) {
                    let [min, max] = boxes.corners(row);
                    *sides = [min[0], min[1], max[0], max[1]];
                    records.push(Record::new(row as u32, min, max));
                } else {
                    *rejected += 1;
                }
            }
        }
    });
    let mut all = Vec::with_capacity(boxes.len());
    let mut rejected = 0;
    for (records, count) in found {
        all.extend_from_slice(&records);
        rejected += count;
    }
    (all, rejected)
}

/// The center between two sides; if one is infinite, the other; 0 if both are. Halved before adding, so that the sum
/// cannot overflow.
#[inline(always)]
fn center(min: f32, max: f32) -> f32 {
    let center = 0.5 * min + 0.5 * max;
    let either = if min.is_finite() { min } else { max };
    let one_sided = if either.is_finite() { either } else { 0.0 };
    if min.is_finite() & max.is_finite() {
        center
    } else {
        one_sided
    }
}

/// The upper half of the box's size along an axis, as a float.
#[inline(always)]
fn size(min: f32, max: f32) -> u16 {
    ((max - min).min(f32::MAX).to_bits() >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use throng_core::{Aabb, float_of_key, for_both};

    fn side() -> BoxedStrategy<f32> {
        let extremes = vec![
            0.0,
            -0.0,
            f32::MAX,
            f32::MIN,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ];
        prop_oneof![
            3 => any::<f32>(),
            1 => -10.0_f32..10.0,
            1 => prop::sample::select(extremes),
        ]
        .boxed()
    }

    proptest! {
        #[test]
        fn records_say_where_and_about_how_large(
            a in [side(), side()], b in [side(), side()], row in 0_u32..1 << 27,
        ) {
            let min = for_both(|axis: usize| a[axis].min(b[axis]));
            let max = for_both(|axis: usize| a[axis].max(b[axis]));
            if let Ok(aabb) = Aabb::new(min, max) {
                let record = Record::new(row, min, max);
                prop_assert_eq!(record.row(), row as usize);
                for axis in 0..2 {
                    let center = float_of_key(record.key(axis));
                    prop_assert!(center.is_finite());
                    prop_assert!(aabb.min()[axis] <= center && center <= aabb.max()[axis]);
                    let (exact, size) = ((max[axis] - min[axis]).min(f32::MAX), record.size(axis));
                    prop_assert!(size <= exact && size >= exact * 0.99 - f32::MIN_POSITIVE);
                }
                let longer = record.size(0).max(record.size(1));
                prop_assert_eq!(record.longer(), longer.to_bits());
            }
        }
    }
}
