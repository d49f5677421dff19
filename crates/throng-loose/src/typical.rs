//! How large boxes are, from a sample small enough for every update.

use crate::sides::Sides;

/// How many rows are sampled. Their mean is off by a quarter of a doubling where sizes spread over a factor of a
/// hundred.
const ROWS: usize = 64;
/// From this many times `least`, sizes no longer matter either.
const MOST: f32 = (1 << 24) as f32;

/// The mean binary logarithm, roughly, of the larger side of a sample of the rows; sides below `least` count as
/// `least`. A mean of logarithms, because a few very large boxes that come and go in the sample must not change it
/// much. `None` if none of the sampled rows is held. Allocates nothing. Which rows are sampled depends only on how many there are.
pub(crate) fn typical_doublings(
    rows: usize,
    sides: impl Fn(usize) -> Option<Sides>,
    least: f32,
) -> Option<f64> {
    let least = least.max(f32::MIN_POSITIVE);
    let most = least * MOST;
    let size = |[min_x, min_y, max_x, max_y]: Sides| (max_x - min_x).max(max_y - min_y);
    let (mut sum, mut count) = (0.0, 0);
    for sides in spread_rows(rows, ROWS).filter_map(sides) {
        sum += doublings(size(sides).clamp(least, most));
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// The binary logarithm of powers of two, linear between them: the same on every machine, unlike a library's logarithm.
fn doublings(size: f32) -> f64 {
    const MANTISSA_BITS: u32 = f32::MANTISSA_DIGITS - 1;
    const BIAS: f64 = (f32::MAX_EXP - 1) as f64;
    f64::from(size.to_bits()) / f64::from(1_u32 << MANTISSA_BITS) - BIAS
}

/// At most about `most` rows, one from each of as many equal intervals, but not at the same offset, so that a pattern
/// in the row order does not mislead.
pub(crate) fn spread_rows(rows: usize, most: usize) -> impl Iterator<Item = usize> {
    let stride = rows.div_ceil(most).max(1);
    // Numbers of 64 bits, whatever the machine has: everywhere the same rows.
    let offset = move |k: usize| (k as u64).wrapping_mul(0x9e37_79b9) / 64 % stride as u64;
    let place = move |k: usize| k * stride + offset(k) as usize;
    let places = (0..rows.div_ceil(stride)).map(place);
    places.filter(move |&row| row < rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doublings_are_those_of_the_larger_side() {
        let tall = |_| Some([0.0, 0.0, 1.0, 8.0]);
        let of = |least| typical_doublings(1000, tall, least);
        assert_eq!((of(1.0), of(32.0)), (Some(3.0), Some(5.0)));
        let endless = |_| Some([f32::NEG_INFINITY, 0.0, f32::INFINITY, 8.0]);
        assert_eq!(typical_doublings(1000, endless, 1.0), Some(24.0));
        assert_eq!(typical_doublings(1000, |_| None, 1.0), None);
    }

    #[test]
    fn rows_are_spread_and_there() {
        for rows in [0, 1, 63, 64, 65, 1000, 12_345] {
            let chosen: Vec<usize> = spread_rows(rows, 64).collect();
            assert!(chosen.is_sorted_by(|a, b| a < b), "{rows}");
            assert!(chosen.iter().all(|&row| row < rows), "{rows}");
            assert!(
                2 * chosen.len() >= rows.min(64) && chosen.len() <= 64,
                "{rows}"
            );
        }
        // The same on every machine.
        let of = |rows, most| spread_rows(rows, most).skip(1).step_by(most / 5);
        assert!(of(192, 64).eq([3, 41, 76, 113, 148, 183]));
        assert!(of(1_000_000, 4096).eq([488, 200_970, 401_696, 602_423, 802_904]));
    }
}
