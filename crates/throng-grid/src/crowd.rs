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
    /// How many rows are present.
    pub rows: usize,
    /// Memory to count cells in: a hash table at most half full, of a power of two of places.
    cells: Vec<CountedCell>,
    /// What was counted, by the shape of cells: a plan comes back to some.
    counted: Vec<([f64; 2], Sharing)>,
}

/// A cell, by its number, and how many rows of the sample are in it; a free place if none is.
#[derive(Clone, Copy, Default)]
struct CountedCell {
    number: u64,
    rows: usize,
}

/// How many cells of some shape have rows of the sample, and how many pairs of these share one.
#[derive(Clone, Copy, Default)]
struct Sharing {
    cells: usize,
    pairs: usize,
}

impl Sample {
    /// O(sample), and O(rows) if any are absent.
    pub fn take(points: &Points<'_>) -> Self {
        let all = points.xs.len();
        let absent = points
            .absent
            .map_or(0, |absent| absent.count_ones(..all.min(absent.len())));
        let rows = all - absent;
        let mut chosen = sampled_rows(rows, SAMPLE);
        if absent > 0 {
            let mut present = (0..all).filter(|&row| points.is_present(row));
            let mut passed = 0;
            for chosen in &mut chosen {
                let rank = *chosen;
                *chosen = present.nth(rank - passed).expect("there are so many");
                passed = rank + 1;
            }
        }
        let points: Vec<[f64; 2]> = chosen
            .into_iter()
            .map(|row| [f64::from(points.xs[row]), f64::from(points.ys[row])])
            .filter(|point| point[0].is_finite() && point[1].is_finite())
            .collect();
        let places = (2 * points.len()).next_power_of_two();
        Self {
            points,
            rows,
            cells: vec![CountedCell::default(); places],
            counted: Vec::new(),
        }
    }

    /// The extent without its outermost hundredth on either side, so that a single outlier does not set the scale.
    pub fn trimmed_extent(&self) -> [[f64; 2]; 2] {
        let mut extent = [[0.0; 2]; 2];
        for axis in 0..2 {
            let mut values: Vec<f64> = self.points.iter().map(|point| point[axis]).collect();
            if let Some(last) = values.len().checked_sub(1) {
                for (end, place) in [last / 100, last - last / 100].into_iter().enumerate() {
                    extent[end][axis] = *values.select_nth_unstable_by(place, f64::total_cmp).1;
                }
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
    pub fn rows_sharing(&mut self, width: f64, height: f64) -> f64 {
        self.rows_per_sampled_pair() * self.sharing_pairs(width, height) as f64
    }

    /// How many other rows lie within `reach` ahead of a row in a strip of this height, measured at the smallest
    /// width of at least `reach` that shows enough pairs.
    pub fn neighbors_along(&mut self, reach: f64, height: f64, extent: f64) -> f64 {
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
    pub fn fills_squares(&mut self, side: f64) -> bool {
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

    fn sharing_pairs(&mut self, width: f64, height: f64) -> usize {
        self.sharing([width, height]).pairs
    }

    pub fn occupied_cells(&mut self, width: f64, height: f64) -> usize {
        self.sharing([width, height]).cells
    }

    /// What there is in cells of a shape.
    fn sharing(&mut self, shape: [f64; 2]) -> Sharing {
        let known = self.counted.iter().find(|counted| counted.0 == shape);
        if let Some(&(_, sharing)) = known {
            return sharing;
        }
        let sharing = self.count(shape);
        self.counted.push((shape, sharing));
        sharing
    }

    /// Cells are told apart by a number. Two could get the same, but of a few thousand among 2^64 practically none do; and numbers
    /// are compared faster than pairs of indices.
    fn count(&mut self, [width, height]: [f64; 2]) -> Sharing {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        // The floor, without a call: the machine that is compiled for may have no instruction for it.
        let index = |v: f64, side: f64| {
            let whole = (v / side) as i64;
            (whole as u64).wrapping_sub(u64::from(whole as f64 > v / side))
        };
        self.cells.fill(CountedCell::default());
        let last = self.cells.len() - 1;
        let shift = u64::BITS - self.cells.len().ilog2();
        let mut sharing = Sharing::default();
        for &[x, y] in &self.points {
            let number = index(x, width).wrapping_mul(ODD) ^ index(y, height).rotate_left(32);
            // The upper bits of a product depend on all bits of the number.
            let mut place = (number.wrapping_mul(ODD) >> shift) as usize;
            while self.cells[place].rows > 0 && self.cells[place].number != number {
                place = (place + 1) & last;
            }
            let cell = &mut self.cells[place];
            sharing.cells += usize::from(cell.rows == 0);
            sharing.pairs += cell.rows;
            *cell = CountedCell {
                number,
                rows: cell.rows + 1,
            };
        }
        sharing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixedbitset::FixedBitSet;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// On both sides of zero, often on a border of cells, and sometimes far out.
    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![
            4 => -40.0..40.0f32,
            2 => (-8..8i32).prop_map(|v| v as f32 * 2.5),
            1 => prop::sample::select(vec![0.0, -0.0, 1e9, -1e9, 1e30]),
        ]
    }

    proptest! {
        #[test]
        fn cells_are_counted(
            points in prop::collection::vec([coordinate(), coordinate()], 0..300),
            [width, height] in [0.5..20.0f64, 0.5..20.0f64],
        ) {
            let (xs, ys): (Vec<_>, Vec<_>) = points.iter().map(|&[x, y]| (x, y)).unzip();
            let mut sample = Sample::take(&Points::new(&xs, &ys));
            let mut rows_in = HashMap::new();
            for [x, y] in points {
                // What is too far out to be counted is in the last cell.
                let cell = [(x, width), (y, height)].map(|(v, side)| (f64::from(v) / side).floor() as i64);
                *rows_in.entry(cell).or_insert(0) += 1;
            }
            let pairs: usize = rows_in.values().map(|rows| rows * (rows - 1) / 2).sum();
            // Counting leaves its memory behind.
            let other = sample.count([height, 2.0 * width]);
            for _ in 0..2 {
                prop_assert_eq!(sample.sharing_pairs(width, height), pairs);
                prop_assert_eq!(sample.occupied_cells(width, height), rows_in.len());
            }
            prop_assert_eq!(sample.sharing_pairs(height, 2.0 * width), other.pairs);
        }

        /// A pool of rows of which most are not in use says the same as those in use alone.
        #[test]
        fn absent_rows_do_not_count(
            points in prop::collection::vec([coordinate(), coordinate()], 1..6000), every in 1..7_usize,
        ) {
            let in_pool = |axis: usize| {
                let pool = points.iter().map(|point| point[axis]);
                pool.flat_map(|v| std::iter::repeat_n(v, every)).collect::<Vec<_>>()
            };
            let mut absent = FixedBitSet::with_capacity(points.len() * every);
            absent.insert_range(..);
            (0..points.len()).for_each(|k| absent.remove((k + 1) * every - 1));
            let (xs, ys): (Vec<_>, Vec<_>) = points.iter().map(|&[x, y]| (x, y)).unzip();
            let mut alone = Sample::take(&Points::new(&xs, &ys));
            let [pool_xs, pool_ys] = [0, 1].map(in_pool);
            let mut pool = Sample::take(&Points::new(&pool_xs, &pool_ys).without(&absent));
            prop_assert_eq!(pool.rows, alone.rows);
            prop_assert_eq!(pool.rows_sharing(2.0, 3.0), alone.rows_sharing(2.0, 3.0));
        }

        #[test]
        fn an_outlier_does_not_set_the_extent(
            mut values in prop::collection::vec(coordinate(), 0..300),
        ) {
            let extent = Sample::take(&Points::new(&values, &values)).trimmed_extent();
            values.sort_unstable_by(f32::total_cmp);
            let ends = values.len().checked_sub(1).map_or([0.0; 2], |last| {
                let outer = last / 100;
                [values[outer], values[last - outer]].map(f64::from)
            });
            prop_assert_eq!(extent, ends.map(|end| [end; 2]));
        }
    }
}
