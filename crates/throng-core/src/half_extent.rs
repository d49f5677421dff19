//! From a pair of sides to a center and a half extent, and back without losing any of the box.

/// The point midway between two finite numbers, rounded to `f32`; never outside `[min, max]`.
///
/// The sum is taken in `f64`, where it neither overflows nor loses a denormal; rounding is
/// monotone, so the result stays between the two.
#[inline]
pub(crate) fn midpoint(min: f32, max: f32) -> f32 {
    ((f64::from(min) + f64::from(max)) * 0.5) as f32
}

/// The smallest `h >= 0` with `fl(center - h) <= min` and `fl(center + h) >= max`.
///
/// Needs finite arguments with `min <= center <= max`. Constant time: the first guess is the exact threshold,
/// rounded up, or the next number, and the two loops, which alone decide the answer, rarely have anything left to do. Stepping is valid
/// because both rounded sums are monotone in `h`.
#[inline]
pub(crate) fn covering_half_extent(center: f32, min: f32, max: f32) -> f32 {
    debug_assert!(min <= center && center <= max, "{min} {center} {max}");
    let covers = |h: f32| (center - h <= min) & (center + h >= max);
    if covers(0.0) {
        return 0.0;
    }

    // A sum rounds to a side as soon as it is nearer to it than to the float just inside it.
    let middle = |a: f32, b: f32| (f64::from(a) + f64::from(b)) * 0.5;
    let to_min = f64::from(center) - middle(min, min.next_up());
    let to_max = middle(max, max.next_down()) - f64::from(center);
    let threshold = to_min.max(to_max).max(0.0);
    let nearest = threshold as f32;
    // A guess that is the threshold itself makes a tie, which goes either way: no branch would be predicted.
    let above = nearest.to_bits() + u32::from(f64::from(nearest) < threshold);
    let mut h = f32::from_bits(above + u32::from(!covers(f32::from_bits(above))));

    while !covers(h) {
        h = h.next_up();
    }
    while h > 0.0 && covers(h.next_down()) {
        h = h.next_down();
    }
    h
}

#[cfg(test)]
mod tests {
    use super::{covering_half_extent, midpoint};

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
