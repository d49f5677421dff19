//! Floats as integers that sort in the same order.

/// A word that compares as the number does, by [`f32::total_cmp`]: -0 comes before 0.
///
/// Words sort faster than floats, and several fit into one key.
///
/// ```
/// use throng_core::{float_key, float_of_key};
///
/// let numbers = [f32::NEG_INFINITY, -2.5, -0.0, 0.0, 1e-40, 2.0, f32::INFINITY];
/// assert!(numbers.map(float_key).is_sorted_by(|a, b| a < b));
/// assert_eq!(float_of_key(float_key(-2.5)), -2.5);
/// ```
#[inline(always)]
#[must_use]
pub fn float_key(v: f32) -> u32 {
    let bits = v.to_bits();
    let negative = (bits as i32 >> 31) as u32;
    bits ^ (negative | 1 << 31)
}

/// The number of a word made by [`float_key`].
#[inline(always)]
#[must_use]
pub fn float_of_key(key: u32) -> f32 {
    let positive = (key as i32 >> 31) as u32;
    f32::from_bits(key ^ (!positive | 1 << 31))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_compare_as_numbers_do(bits: [u32; 2]) {
            let [a, b] = bits.map(f32::from_bits);
            prop_assert_eq!(float_key(a).cmp(&float_key(b)), a.total_cmp(&b));
            prop_assert_eq!(float_of_key(float_key(a)).to_bits(), a.to_bits());
        }
    }

    #[test]
    fn so_do_those_of_numbers_at_the_limits() {
        let positive = [
            0.0,
            f32::from_bits(1),
            f32::MIN_POSITIVE,
            1.0,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
        ];
        let all: Vec<f32> = positive.iter().flat_map(|&v| [v, -v]).collect();
        for &a in &all {
            assert_eq!(float_of_key(float_key(a)).to_bits(), a.to_bits());
            for b in &all {
                assert_eq!(
                    float_key(a).cmp(&float_key(*b)),
                    a.total_cmp(b),
                    "{a} and {b}"
                );
            }
        }
    }
}
