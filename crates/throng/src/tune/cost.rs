//! What a frame would cost under a different config: a model, to compare configs by.
//!
//! Boxes lie anywhere in an area, whatever their size. Then two of them overlap with a probability of
//! `(2 xi + 2 xj)(2 yi + 2 yj) / area`, where `x` and `y` are the half extents that are compared: the bound in a
//! uniform category, their own in an oversized one. Summed over all pairs of `N` boxes that is
//! `4 / area * (N * sum(x y) + sum(x) * sum(y))`.
//!
//! Constants are relative: a row of a uniform category, with its index and its search, costs 10. They were fitted to
//! frames on one thread of 20,000 and 200,000 squares of half extents from 0.5 to 1, in one category or cut into two
//! or three, bounded at 1 to 4, with 0.1 to 16 pairs each, and with circles in the caller's arrays as the
//! narrowphase; the fastest of 15 interleaved rounds, on a machine with AVX-512 that was also doing other work. They
//! are good to about a quarter.

use throng_core::for_both;

/// A row of a uniform category.
pub(crate) const UNIFORM_ROW: f64 = 10.0;
/// A row of an exact uniform category, which stores its own size.
pub(crate) const EXACT_ROW: f64 = 12.0;
/// A row of an oversized category in sorted strips.
pub(crate) const OVERSIZED_ROW: f64 = 24.0;
/// A pair: finding it, writing it, and the narrowphase reading both sides.
pub(crate) const PAIR: f64 = 5.0;
/// A comparison that makes no pair.
pub(crate) const CANDIDATE: f64 = 0.5;
/// Comparisons per pair of boxes of the bound.
pub(crate) const COMPARED_PER_PAIR: f64 = 1.5;
/// Comparisons that each row makes even if it is alone; [`UNIFORM_ROW`] includes them.
pub(crate) const COMPARED_ALONE: f64 = 6.0;

/// What meetings with all others cost a category that has `rows` of `all` rows, beyond the pairs.
pub(crate) fn meetings(rows: f64, all: f64, kept: Kept) -> f64 {
    let price = match kept {
        Kept::Uniform => 12.0,
        Kept::Oversized => 24.0,
    };
    price * ((rows * all).sqrt() - rows)
}

/// The kind of category that moving things are kept in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kept {
    Uniform,
    Oversized,
}

/// Some boxes, by the sums that determine their overlaps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    pub(crate) rows: f64,
    /// Sums of half extents, per axis.
    pub(crate) sums: [f64; 2],
    /// The sum of the products of the two half extents.
    pub(crate) products: f64,
    /// The largest, per axis.
    pub(crate) largest: [f64; 2],
}

impl Group {
    /// This many boxes of one size.
    pub(crate) fn alike(rows: f64, half_extents: [f64; 2]) -> Self {
        Self {
            rows,
            sums: half_extents.map(|half| rows * half),
            products: rows * half_extents[0] * half_extents[1],
            largest: half_extents,
        }
    }

    /// The same boxes as a uniform category sees them: all as large as the largest.
    pub(crate) fn coarse(&self) -> Self {
        Self::alike(self.rows, self.largest)
    }

    /// Both together.
    pub(crate) fn and(&self, other: &Self) -> Self {
        let axes =
            |sum: fn(f64, f64) -> f64, a: [f64; 2], b: [f64; 2]| for_both(|k| sum(a[k], b[k]));
        Self {
            rows: self.rows + other.rows,
            sums: axes(|a, b| a + b, self.sums, other.sums),
            products: self.products + other.products,
            largest: axes(f64::max, self.largest, other.largest),
        }
    }

    /// How many pairs they make, times a quarter of the area.
    pub(crate) fn pairs_by_area(&self) -> f64 {
        self.rows * self.products + self.sums[0] * self.sums[1]
    }
}

#[cfg(test)]
mod tests {
    use super::Group;

    #[test]
    fn pairs_are_those_of_boxes_that_lie_anywhere() {
        // Two boxes overlap in (2 wa + 2 wb) (2 ha + 2 hb) of the area: a quarter of that is what is summed up over pairs.
        let [small, large] = [Group::alike(3.0, [1.0, 2.0]), Group::alike(2.0, [5.0, 4.0])];
        assert_eq!(small.pairs_by_area(), 9.0 * 2.0 * (1.0 * 2.0));
        let of_two = |a: [f64; 2], b: [f64; 2]| (a[0] + b[0]) * (a[1] + b[1]);
        let expected = small.pairs_by_area()
            + large.pairs_by_area()
            + 3.0 * 2.0 * of_two([1.0, 2.0], [5.0, 4.0]);
        assert_eq!(small.and(&large).pairs_by_area(), expected);
    }
}
