//! From a pair of sides to a center and a half extent, and back without losing any of the box.

/// The point midway between two finite numbers, rounded to `f32`; never outside `[min, max]`.
///
/// The sum is taken in `f64`, where it neither overflows nor loses a denormal; rounding is
/// monotone, so the result stays between the two.
#[inline(always)]
pub(crate) fn midpoint(min: f32, max: f32) -> f32 {
    ((f64::from(min) + f64::from(max)) * 0.5) as f32
}

/// The smallest `h >= 0` with `fl(center - h) <= min` and `fl(center + h) >= max`.
///
/// Needs finite arguments with `min <= center <= max`. Both rounded sums are monotone in `h`, so a number that covers the
/// sides while the one below it does not is the answer, however it was found. A guess is it, or the number below it, for
/// nearly all boxes; which of the two is a matter of ties, so it is not asked by a branch.
#[inline]
pub(crate) fn covering_half_extent(center: f32, min: f32, max: f32) -> f32 {
    debug_assert!(min <= center && center <= max, "{min} {center} {max}");
    let (half, is_right) = guess(center, min, max);
    if is_right == 1 {
        half
    } else {
        search(center, min, max)
    }
}

/// The centers and half extents of several boxes along one axis, as [`Aabb::center`](crate::Aabb::center) and
/// [`Aabb::half_extents`](crate::Aabb::half_extents) have them. `None` if a side is not finite, or one of them needs a closer
/// look, as hardly any does. Without branches or closures, so that it takes several at a time in whatever it is inlined into.
#[inline(always)]
#[must_use]
pub fn centers_and_half_extents<const N: usize>(
    min: &[f32; N],
    max: &[f32; N],
) -> Option<([f32; N], [f32; N])> {
    let (mut centers, mut halves, mut are_right) = ([0.0; N], [0.0; N], [0; N]);
    for k in 0..N {
        centers[k] = midpoint(min[k], max[k]);
    }
    for k in 0..N {
        (halves[k], are_right[k]) = guess(centers[k], min[k], max[k]);
    }
    let mut all_right = 1;
    for is_right in are_right {
        all_right &= is_right;
    }
    if all_right == 1 {
        Some((centers, halves))
    } else {
        None
    }
}

/// A guess at the smallest `h`, and 1 if it is right; else 0, as always if a side is not finite.
///
/// That it is not too large is checked, since that is not proven. Of two thousand million boxes whose sizes were near powers
/// of two, where rounding errs most, none had a guess that was too large, so a test that needs this check has not been found.
#[inline(always)]
fn guess(center: f32, min: f32, max: f32) -> (f32, u32) {
    // Where a sum rounds to a side: halfway to the number inside of it. The result is compared, so its rounding is harmless.
    let to_min = (center - min) - 0.5 * (next_up(min) - min);
    let to_max = (max - center) - 0.5 * (max + next_up(-max));
    let guess = to_min.max(to_max);
    // Not a number, if sums overflow; then it is searched for.
    let bits = if guess > 0.0 { guess.to_bits() } else { 0 };
    let below = covers(bits.saturating_sub(1), center, min, max);
    let here = covers(bits, center, min, max);
    let above = covers(bits + 1, center, min, max);
    (f32::from_bits(bits + 1 - here), (1 - below) & above)
}

/// 1 if a number, given by its bits, is enough to reach both sides; else 0.
#[inline(always)]
fn covers(bits: u32, center: f32, min: f32, max: f32) -> u32 {
    let h = f32::from_bits(bits);
    u32::from(center - h <= min) & u32::from(center + h >= max)
}

/// The same, found step by step. Constant time: the first guess is the exact threshold up to one rounding, and the two
/// loops, which alone decide the answer, settle it in a step or two.
#[cold]
#[inline(never)]
fn search(center: f32, min: f32, max: f32) -> f32 {
    let covers = |h: f32| center - h <= min && center + h >= max;
    if covers(0.0) {
        return 0.0;
    }

    // A sum rounds to a side as soon as it is nearer to it than to the float just inside it.
    let middle = |a: f32, b: f32| (f64::from(a) + f64::from(b)) * 0.5;
    let to_min = f64::from(center) - middle(min, min.next_up());
    let to_max = middle(max, max.next_down()) - f64::from(center);
    let mut h = (to_min.max(to_max) as f32).max(0.0);

    while !covers(h) {
        h = h.next_up();
    }
    while h > 0.0 && covers(h.next_down()) {
        h = h.next_down();
    }
    h
}

/// The next number above a finite one, in four instructions; that of the standard library asks what kind of number it is.
#[inline(always)]
fn next_up(finite: f32) -> f32 {
    // Adding zero makes zero of a negative zero.
    let bits = (finite + 0.0).to_bits();
    let one_farther = 1 | (bits.cast_signed() >> 31);
    f32::from_bits(bits.wrapping_add_signed(one_farther))
}

#[cfg(test)]
mod tests {
    use super::{centers_and_half_extents, covering_half_extent, midpoint, next_up, search};
    use crate::Aabb;
    use proptest::prelude::*;

    #[test]
    fn next_is_what_the_standard_library_says() {
        let magnitudes = [
            0.0,
            1e-45,
            1e-40,
            f32::MIN_POSITIVE,
            1.0,
            1.5,
            7e20,
            f32::MAX,
        ];
        for value in magnitudes
            .into_iter()
            .flat_map(|v: f32| [v, -v, v.next_down()])
        {
            assert_eq!(next_up(value), value.next_up(), "{value:e}");
        }
    }

    fn side() -> BoxedStrategy<f32> {
        let any = any::<u32>().prop_map(f32::from_bits);
        let any = any.prop_filter("finite", |v| v.is_finite());
        prop_oneof![-100.0_f32..100.0, 1e4_f32..1.001e4, -1e-37_f32..1e-37, any].boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 65536, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_guess_that_is_checked_is_what_a_search_finds(a in side(), b in side(), near: bool, ulps in 0..300_u32) {
            let b = if near { f32::from_bits(a.to_bits() ^ ulps) } else { b };
            let (min, max) = (a.min(b), a.max(b));
            prop_assume!(max.is_finite());
            let center = midpoint(min, max);
            let found = covering_half_extent(center, min, max);
            prop_assert_eq!(found.to_bits(), search(center, min, max).to_bits(), "{} {}", min, max);
        }
    }

    proptest! {
        #[test]
        fn several_at_a_time_are_as_one_by_one(sides in proptest::array::uniform8(proptest::array::uniform2(side()))) {
            let sides = sides.map(|[a, b]| [a.min(b), a.max(b)]);
            let along = |end: usize| sides.map(|side| side[end]);
            if let Some((centers, halves)) = centers_and_half_extents(&along(0), &along(1)) {
                for (k, [min, max]) in sides.into_iter().enumerate() {
                    let aabb = Aabb::new([min; 2], [max; 2]).unwrap();
                    prop_assert_eq!([centers[k]; 2], aabb.center());
                    prop_assert_eq!([halves[k]; 2], aabb.half_extents());
                }
            }
        }
    }

    #[test]
    fn boxes_of_a_map_are_taken_several_at_a_time_and_endless_ones_are_not() {
        let min = [0.0, -3.5, 1000.25, -1e4];
        let all = centers_and_half_extents(&min, &min.map(|min| min + 2.5));
        let (centers, halves) = all.expect("plain boxes");
        assert_eq!(centers, min.map(|min| min + 1.25));
        assert!(
            halves.iter().all(|half| (1.249..=1.25).contains(half)),
            "{halves:?}"
        );
        for end in [
            [f32::NEG_INFINITY, 0.0],
            [0.0, f32::INFINITY],
            [f32::NEG_INFINITY, f32::INFINITY],
        ] {
            assert_eq!(
                centers_and_half_extents(&[end[0]], &[end[1]]),
                None,
                "{end:?}"
            );
        }
    }

    #[test]
    fn midpoints_neither_overflow_nor_lose_denormals() {
        let tiny = f32::from_bits(1);
        assert_eq!(midpoint(f32::MAX, f32::MAX), f32::MAX);
        assert_eq!(midpoint(f32::MIN, f32::MAX), 0.0);
        assert_eq!(midpoint(tiny, tiny), tiny);
        assert_eq!(midpoint(-tiny, tiny), 0.0);
    }

    #[test]
    fn exact_boxes_of_powers_of_two_lose_at_most_half_an_ulp_of_a_side() {
        // fl(8 + h) reaches 9 from halfway between 9 and the float below it.
        let below_nine = (f64::from(9_f32.next_down()) + 9.0) * 0.5;
        let h = covering_half_extent(8.0, 7.0, 9.0);
        assert!(h <= 1.0 && f64::from(h) + 8.0 >= below_nine);
        assert!(8.0 + h == 9.0 && 8.0 - h == 7.0);
    }

    #[test]
    fn half_an_ulp_is_enough_far_out_if_the_tie_goes_the_right_way() {
        // At 1e7 floats are 1 apart; 9_999_999.5 would round to the even 10_000_000.
        let h = covering_half_extent(1e7, 9_999_999.0, 1e7);
        assert_eq!(h, 0.5_f32.next_up());
        assert_eq!(covering_half_extent(1e7, 1e7, 1e7), 0.0);
    }

    #[test]
    fn the_widest_finite_box_is_covered() {
        assert!(covering_half_extent(0.0, f32::MIN, f32::MAX).is_finite());
        assert_eq!(covering_half_extent(f32::MIN, f32::MIN, f32::MIN), 0.0);
    }
}
