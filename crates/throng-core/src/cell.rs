//! The one place where a coordinate becomes a cell.
//!
//! A [`CellMap`] promises a single thing: it is **monotone**. If `a <= b` then `cell(a) <= cell(b)`,
//! for every pair of `f32` values, at any distance from the origin. Each step of the arithmetic keeps
//! that promise on its own: rounded subtraction of a constant, rounded multiplication by a positive
//! constant, clamping and flooring never swap two values.
//!
//! Nothing else is promised, and nothing else may be assumed: a cell's width in space is only *about*
//! `1 / inverse`, and far from the origin a cell may be one representable coordinate. Structures that
//! must not miss a neighbor therefore never reason about distances in cells. They ask [`reach_above`]
//! and [`reach_below`] how far a coordinate can possibly lie, and map *that coordinate* through the
//! same monotone function.
//!
//! # The rounding argument
//!
//! A point `p` with half extent `h` stands for the closed interval `[fl(p - h), fl(p + h)]`, where `fl`
//! is rounding to the nearest `f32`. Which `p` can reach up to a value `v`, that is `fl(p + h) >= v`?
//! Let `u` be the next `f32` below `v`. If `fl(p + h) >= v` then the real sum `p + h` is at least the
//! midpoint of `u` and `v`, so `p + h > u` and `p > u - h` as real numbers. The `f32` just below
//! `fl(u - h)` is no greater than the real `u - h`, hence `p >= next_down(fl(u - h))`. No constant, no
//! "epsilon", no assumption about the size of `v`; overflow rounds to an infinity, which only widens the
//! answer. [`reach_above`] is the mirror image.
#![allow(
    unsafe_code,
    reason = "a saturating conversion after a clamp is scalar code, ten times slower"
)]

/// The largest distance from the origin, in cells, that a [`CellMap`] tells apart.
///
/// Coordinates farther out share the outermost cell, which keeps the map monotone. Being a power of two
/// it is exact in `f32`, and leaves room for a neighbor's index in an `i32`.
pub const CELL_LIMIT: f32 = (1_u32 << 30) as f32;

/// A monotone map from coordinates to cell indices along one axis: `floor((v - origin) / width)`,
/// clamped to ±[`CELL_LIMIT`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellMap {
    origin: f32,
    inverse: f32,
}

impl CellMap {
    /// A map whose cells are about `width` wide and whose cell 0 begins at `origin`.
    ///
    /// A width too small to invert (or not a positive number) is raised to the smallest that can be, and one too large is lowered
    /// to the largest; a non-finite origin counts as 0. The map is usable whatever the input.
    pub fn new(origin: f32, width: f32) -> Self {
        // Between these two, the reciprocal is finite and not zero.
        const NARROWEST: f32 = f32::MIN_POSITIVE * 4.0;
        const WIDEST: f32 = f32::MAX / 8.0;
        let width = if width > NARROWEST {
            width.min(WIDEST)
        } else {
            NARROWEST
        };
        Self {
            origin: if origin.is_finite() { origin } else { 0.0 },
            inverse: 1.0 / width,
        }
    }

    /// The cell of `v`. Monotone in `v`; NaN goes to the lowest cell, so callers turn NaN away first.
    ///
    /// Written so that a loop over it becomes vector instructions on any target: the two comparisons are one `max`
    /// and one `min`, and the floor is a truncation with a correction.
    #[inline(always)]
    pub fn cell(self, v: f32) -> i32 {
        let q = (v - self.origin) * self.inverse;
        let q = if q > -CELL_LIMIT { q } else { -CELL_LIMIT };
        let q = if q < CELL_LIMIT { q } else { CELL_LIMIT };
        // Check: the two lines above leave -CELL_LIMIT <= q <= CELL_LIMIT, and turn NaN into -CELL_LIMIT.
        // SAFETY: so q is finite, and 2^30 in magnitude at most, which fits an `i32`.
        let truncated = unsafe { q.to_int_unchecked::<i32>() };
        truncated - i32::from(truncated as f32 > q)
    }

    /// A coordinate below `v`, in a lower cell, and as near as is found without a search; minus infinity if that is in no
    /// lower cell.
    ///
    /// For searches through what is sorted by cell, which can then compare coordinates. Whatever is not above this is in
    /// a lower cell than `v`, and so is all before it.
    #[inline]
    pub fn one_below(self, v: f32) -> f32 {
        let below = v - self.width();
        if self.cell(below) < self.cell(v) {
            below
        } else {
            f32::NEG_INFINITY
        }
    }

    /// The mirror image of [`one_below`](Self::one_below): a coordinate in a higher cell, or infinity.
    #[inline]
    pub fn one_above(self, v: f32) -> f32 {
        let above = v + self.width();
        if self.cell(above) > self.cell(v) {
            above
        } else {
            f32::INFINITY
        }
    }

    /// Whether `v` lies so far out that it shares the outermost cell with everything beyond it.
    #[inline]
    pub fn is_clamped(self, v: f32) -> bool {
        ((v - self.origin) * self.inverse).abs() >= CELL_LIMIT
    }

    /// About how wide a cell is, in the coordinates' units.
    pub fn width(self) -> f32 {
        1.0 / self.inverse
    }

    /// The coordinate at which cell 0 begins.
    pub fn origin(self) -> f32 {
        self.origin
    }
}

/// The smallest coordinate that a point of half extent `half` can have if its interval reaches up to
/// `value`: every `p` with `fl(p + half) >= value` has `p >= reach_below(value, half)`.
///
/// See the [module's rounding argument](self).
#[inline]
pub fn reach_below(value: f32, half: f32) -> f32 {
    (value.next_down() - half).next_down()
}

/// The largest coordinate that a point of half extent `half` can have if its interval reaches down to
/// `value`: every `p` with `fl(p - half) <= value` has `p <= reach_above(value, half)`.
#[inline]
pub fn reach_above(value: f32, half: f32) -> f32 {
    (value.next_up() + half).next_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_finite() -> BoxedStrategy<f32> {
        any::<u32>()
            .prop_map(f32::from_bits)
            .prop_filter("finite", |v| v.is_finite())
            .boxed()
    }

    #[test]
    fn a_cell_is_as_wide_as_asked_for() {
        for width in [0.01, 0.3, 1.0, 7.0, 1e6] {
            let map = CellMap::new(5.0, width);
            assert!(
                (map.width() / width - 1.0).abs() < 1e-6,
                "{} for {width}",
                map.width()
            );
            assert_eq!(
                [map.cell(5.0 + 0.25 * width), map.cell(5.0 + 1.5 * width)],
                [0, 1]
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn cells_are_monotone(a in any_finite(), b in any_finite(), origin in any_finite(), width in any_finite()) {
            let map = CellMap::new(origin, width);
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            prop_assert!(map.cell(a) <= map.cell(b));
        }

        #[test]
        fn one_below_and_one_above_are_in_other_cells(v in any_finite(), near: bool, origin in -1e7_f32..1e7, width in 1e-3_f32..1e3) {
            let map = CellMap::new(origin, width);
            let v = if near { v % 1e4 } else { v };
            let (below, above) = (map.one_below(v), map.one_above(v));
            prop_assert!(below == f32::NEG_INFINITY || map.cell(below) < map.cell(v));
            prop_assert!(above == f32::INFINITY || map.cell(above) > map.cell(v));
        }

        #[test]
        fn neighbouring_floats_are_monotone(a in any_finite(), origin in -1e7_f32..1e7, width in 1e-3_f32..1e3) {
            let map = CellMap::new(origin, width);
            prop_assert!(map.cell(a) <= map.cell(a.next_up()));
        }

        #[test]
        fn what_reaches_a_value_is_within_reach(p in any_finite(), half in 0.0_f32..1e8, ulps in -3_i32..=3) {
            // A rounding mistake would show near the interval's own ends.
            let nudge = |v: f32| (0..ulps.abs()).fold(v, |v, _| if ulps < 0 { v.next_down() } else { v.next_up() });
            let above = nudge(p + half);
            if p + half >= above { prop_assert!(p >= reach_below(above, half)); }
            let below = nudge(p - half);
            if p - half <= below { prop_assert!(p <= reach_above(below, half)); }
        }

        /// The rounding argument goes through the real `u - half`, which lies between two floats.
        #[test]
        fn reach_covers_the_sum_before_it_is_rounded(v in any_finite(), half in 0.0_f32..1e8) {
            let [v_below, v_above, half_wide] = [v.next_down(), v.next_up(), half].map(f64::from);
            prop_assert!(f64::from(reach_below(v, half)) <= v_below - half_wide);
            prop_assert!(f64::from(reach_above(v, half)) >= v_above + half_wide);
        }

        #[test]
        fn reach_is_tight_near_the_origin(v in -1e3_f32..1e3, half in 0.01_f32..10.0) {
            prop_assert!(v - half - reach_below(v, half) < 1e-3);
            prop_assert!(reach_above(v, half) - (v + half) < 1e-3);
        }
    }

    #[test]
    fn cells_are_floors() {
        let map = CellMap::new(0.0, 2.0);
        for (v, cell) in [
            (0.0, 0),
            (1.999, 0),
            (2.0, 1),
            (-0.001, -1),
            (-2.0, -1),
            (-2.001, -2),
            (7.0, 3),
        ] {
            assert_eq!(map.cell(v), cell, "cell of {v}");
        }
    }

    #[test]
    fn far_out_shares_the_outermost_cell() {
        let map = CellMap::new(0.0, 1e-3);
        assert_eq!(map.cell(f32::MAX), 1 << 30);
        assert_eq!(map.cell(f32::MIN), -(1 << 30));
        assert!(map.is_clamped(f32::MAX) && !map.is_clamped(1e5));
    }

    #[test]
    fn any_width_and_origin_make_a_usable_map() {
        for width in [
            0.0,
            -1.0,
            f32::NAN,
            f32::INFINITY,
            f32::MIN_POSITIVE / 8.0,
            f32::MAX,
        ] {
            for origin in [0.0, f32::NAN, f32::NEG_INFINITY, f32::MAX] {
                let map = CellMap::new(origin, width);
                assert!(
                    map.cell(-1.0) <= map.cell(1.0),
                    "width {width}, origin {origin}"
                );
            }
        }
    }
}
