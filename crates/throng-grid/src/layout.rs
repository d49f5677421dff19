//! How a pair of coordinates becomes a strip, a column, a block of columns and a bucket.

use throng_core::cell::{CELL_LIMIT, CellMap, reach_above, reach_below};

/// Columns in a block, as a power of two: the sort's counters and its shuffling stay inside L1.
pub(crate) const COLUMN_BITS: u32 = 10;
/// Columns in a block.
pub(crate) const COLUMNS: usize = 1 << COLUMN_BITS;
const _: () = assert!(
    COLUMN_BITS < 16,
    "a column within its block is kept in 16 bits"
);

/// The geometry of a build: everything that follows from a row's center alone.
///
/// A strip is a row of the grid, and a block is a number of consecutive columns in it. Buckets wrap around like a
/// torus: `strip mod 2^strip_bits`, `block mod 2^block_bits`. So there are no world bounds to declare, no table that
/// grows with the area, and nothing to clamp. Two places a whole period apart may share a bucket; the sort separates
/// them again, so wrapping never changes a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    pub strips: CellMap,
    pub columns: CellMap,
    pub strip_bits: u32,
    pub block_bits: u32,
}

/// Where a row is: its strip, and its column along the strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub strip: i32,
    pub column: i32,
}

impl Place {
    #[inline(always)]
    pub fn block(self) -> i32 {
        self.column >> COLUMN_BITS
    }

    /// Whether it is clamped to an outermost cell.
    pub fn is_outside(self) -> bool {
        let outermost = CELL_LIMIT as u32;
        self.strip.unsigned_abs() == outermost || self.column.unsigned_abs() == outermost
    }
}

impl Layout {
    /// A single bucket for everything, which is what an empty grid has.
    pub fn single() -> Self {
        Self {
            strips: CellMap::new(0.0, 1.0),
            columns: CellMap::new(0.0, 1.0),
            strip_bits: 0,
            block_bits: 0,
        }
    }

    #[inline(always)]
    pub fn place(&self, x: f32, y: f32) -> Place {
        Place {
            strip: self.strips.cell(y),
            column: self.columns.cell(x),
        }
    }

    #[inline(always)]
    pub fn bucket(&self, strip: i32, block: i32) -> u32 {
        let strip = strip as u32 & ((1 << self.strip_bits) - 1);
        let block = block as u32 & ((1 << self.block_bits) - 1);
        (strip << self.block_bits) | block
    }

    pub fn buckets(&self) -> usize {
        1 << (self.strip_bits + self.block_bits)
    }

    /// In a run sorted by column, how far the left side of a later element may lie to the left of an earlier one's,
    /// for boxes of at most `half` that touch `window` along x, and as seen by a test `a > fl(b + slack)`.
    ///
    /// Let `d` be a center's distance from the origin of columns, at most `D`. Its column is the floor of `d / width`
    /// after two roundings, so of two centers with ascending columns, the second may be lower by one `width` and
    /// `2^-22 D`. Subtracting `half` rounds twice, by at most `2^-24 M` each, with `M` the largest magnitude of a
    /// side; the sum in the test rounds once more. The factors below are twice that.
    ///
    /// The outermost columns are shared by everything beyond them, in no order along x. There the slack is infinite,
    /// and every box of the run is compared.
    pub fn slack(&self, window: [f32; 2], half: f32) -> f32 {
        const PER_DISTANCE: f32 = 1.0 / (1 << 21) as f32;
        let centers = [reach_below(window[0], half), reach_above(window[1], half)];
        if centers.iter().any(|&x| self.columns.is_clamped(x)) {
            return f32::INFINITY;
        }
        let furthest = |from: f32| (centers[0] - from).abs().max((centers[1] - from).abs());
        let width = self.columns.width() * (1.0 + PER_DISTANCE);
        width + furthest(self.columns.origin()) * PER_DISTANCE + Self::rounding(window, half)
    }

    /// The part of the [slack](Self::slack) for what subtracting `half` and the test round.
    pub fn rounding(window: [f32; 2], half: f32) -> f32 {
        const PER_MAGNITUDE: f32 = 1.0 / (1 << 22) as f32;
        let centers = [reach_below(window[0], half), reach_above(window[1], half)];
        let furthest = centers[0].abs().max(centers[1].abs());
        (furthest + half) * PER_MAGNITUDE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All magnitudes are equally likely.
    fn magnitude(exponents: std::ops::Range<f32>) -> BoxedStrategy<f32> {
        exponents.prop_map(f32::exp2).boxed()
    }

    fn signed(exponents: std::ops::Range<f32>) -> BoxedStrategy<f32> {
        (magnitude(exponents), any::<bool>())
            .prop_map(|(v, negative)| if negative { -v } else { v })
            .boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16384, failure_persistence: None, ..ProptestConfig::default() })]

        /// Columns, distances and sizes of any magnitude.
        #[test]
        fn disorder_inside_a_column_stays_within_the_slack(
            a in signed(-10.0..24.0), b in signed(-10.0..24.0), near in 0..3_u32, step in -1.0_f32..1.0,
            origin in signed(-10.0..24.0), around in any::<bool>(), width in magnitude(-10.0..10.0),
            half in magnitude(-7.0..24.0),
        ) {
            let origin = if around { a + origin * 1e-3 } else { origin };
            let layout = Layout {
                strips: CellMap::new(0.0, 1.0),
                columns: CellMap::new(origin, width),
                strip_bits: 0,
                block_bits: 0,
            };
            let b = match near {
                0 => b,
                1 => a + step * width,
                // As far as rounding can shift the distance from the origin.
                _ => a + step * (a - origin).abs() / (1 << 22) as f32,
            };
            if layout.columns.cell(a) <= layout.columns.cell(b) {
                let slack = layout.slack([a.min(b) - half, a.max(b) + half], half);
                let reach = (b - half) + slack;
                prop_assert!(a - half <= reach, "{} beyond {}", a - half, reach);
            }
        }

        /// From 2^23 on floats are whole numbers, and halves round up for one and down for the next.
        #[test]
        fn disorder_among_neighbouring_floats_stays_within_the_slack(
            a in 0..1000_i32, b in -3..=3_i32, origin in -8..=8_i32, width in 1.0_f32..4.0, half in 0..8_i32,
        ) {
            let whole = |offset: i32| ((1 << 23) + 8 + offset) as f32;
            let (a, b, origin, half) = (whole(a), whole(a + b), whole(a + origin), half as f32 / 2.0);
            let layout = Layout {
                columns: CellMap::new(origin, width),
                ..Layout::single()
            };
            if layout.columns.cell(a) <= layout.columns.cell(b) {
                let reach = (b - half) + layout.slack([a.min(b), a.max(b)], half);
                prop_assert!(a - half <= reach, "{} beyond {}", a - half, reach);
            }
        }

        #[test]
        fn neighbours_share_a_bucket_only_a_period_apart(strip in -1000_i32..1000, block in -1000_i32..1000) {
            let layout = Layout {
                strips: CellMap::new(0.0, 1.0),
                columns: CellMap::new(0.0, 1.0),
                strip_bits: 3,
                block_bits: 2,
            };
            let bucket = layout.bucket(strip, block);
            prop_assert!((bucket as usize) < layout.buckets());
            prop_assert_eq!(bucket, layout.bucket(strip + 8, block - 4));
            prop_assert_ne!(bucket, layout.bucket(strip + 1, block));
            prop_assert_ne!(bucket, layout.bucket(strip, block + 1));
        }
    }
}
