//! How a coordinate pair becomes a strip, a column, a block of columns and a bucket.

use throng_core::cell::{CellMap, reach_above, reach_below};

/// Columns in a block, as a power of two: the sort's counters and its shuffle stay inside L1.
pub(crate) const COLUMN_BITS: u32 = 10;
/// Columns in a block.
pub(crate) const COLUMNS: usize = 1 << COLUMN_BITS;
const _: () = assert!(
    COLUMN_BITS < 16,
    "a column within its block is kept in 16 bits"
);

/// The geometry of a build: what is a function of a row's centre alone.
///
/// Buckets wrap around like a torus: `strip mod 2^strip_bits`, `block mod 2^block_bits`. So there is no
/// world to declare, no table that grows with area, and nothing to clamp. Two places a whole period
/// apart may share a bucket; the sort takes them apart again, so wrapping never changes a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    pub strips: CellMap,
    pub columns: CellMap,
    pub strip_bits: u32,
    pub block_bits: u32,
}

/// A row's place: which strip, and which column along it.
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
}

impl Layout {
    /// One bucket for everything: what an empty grid has.
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

    /// By how much the left side of an element of a run sorted by column may lie left of an earlier
    /// one's, for boxes of at most `half` that touch `window` along x, and as a test
    /// `a > fl(b + slack)` sees it.
    ///
    /// Let `d` be a centre's distance from the origin of columns, at most `D`. Its column is the floor of
    /// `d / width` after two roundings, so two centres whose columns ascend can descend by one `width` and
    /// `2^-22 D`. Taking `half` off rounds twice, by at most `2^-24 M` each, with `M` the largest magnitude
    /// of a side; the sum in the test rounds once more. The factors below are twice what that comes to.
    ///
    /// The outermost columns are shared by everything beyond them, in no order along x: there the slack
    /// is infinite, and every box of the run is compared.
    pub fn slack(&self, window: [f32; 2], half: f32) -> f32 {
        const PER_DISTANCE: f32 = 1.0 / (1 << 21) as f32;
        const PER_MAGNITUDE: f32 = 1.0 / (1 << 22) as f32;
        let centers = [reach_below(window[0], half), reach_above(window[1], half)];
        if centers.iter().any(|&x| self.columns.is_clamped(x)) {
            return f32::INFINITY;
        }
        let furthest = |from: f32| (centers[0] - from).abs().max((centers[1] - from).abs());
        let width = self.columns.width() * (1.0 + PER_DISTANCE);
        width
            + furthest(self.columns.origin()) * PER_DISTANCE
            + (furthest(0.0) + half) * PER_MAGNITUDE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn disorder_inside_a_column_stays_within_the_slack(
            a in -1e7_f32..1e7, b in -1e7_f32..1e7, near in any::<bool>(), step in -1.0_f32..1.0,
            origin in -1e7_f32..1e7, width in 1e-3_f32..1e3, half in 0.0_f32..10.0,
        ) {
            let layout = Layout {
                strips: CellMap::new(0.0, 1.0),
                columns: CellMap::new(origin, width),
                strip_bits: 0,
                block_bits: 0,
            };
            let b = if near { a + step * width } else { b };
            if layout.columns.cell(a) <= layout.columns.cell(b) {
                let slack = layout.slack([a.min(b) - half, a.max(b) + half], half);
                let reach = (b - half) + slack;
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
