//! The lowest and the highest of many values.

/// Values processed side by side: as many as the widest vector holds.
const LANES: usize = 16;

/// The lowest value; infinity if there are none. NaN is ignored.
///
/// Compiles to vector minima of whatever instruction set the caller is compiled for. Computing both extremes in one
/// loop does not: the compiler turns the two selections into a chain of shuffles.
#[inline(always)]
#[must_use]
pub fn lowest(values: &[f32]) -> f32 {
    fold_lanes(values, f32::INFINITY, |a, b| if b < a { b } else { a })
}

/// The highest value; minus infinity if there are none. NaN is ignored. See [`lowest`].
#[inline(always)]
#[must_use]
pub fn highest(values: &[f32]) -> f32 {
    fold_lanes(values, f32::NEG_INFINITY, |a, b| if b > a { b } else { a })
}

/// Folds each lane on its own, then the lanes with each other.
#[inline(always)]
fn fold_lanes(values: &[f32], start: f32, better: impl Fn(f32, f32) -> f32) -> f32 {
    let (groups, rest) = values.as_chunks::<LANES>();
    let mut lanes = [start; LANES];
    for group in groups {
        for (lane, &v) in lanes.iter_mut().zip(group) {
            *lane = better(*lane, v);
        }
    }
    lanes.iter().chain(rest).fold(start, |a, &b| better(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_and_the_rest_are_looked_at() {
        for len in [1_usize, 15, 16, 17, 100] {
            for at in 0..len {
                let mut values = vec![1.0; len];
                values[at] = 5.0;
                assert_eq!(highest(&values), 5.0);
                values[at] = -7.0;
                assert_eq!(lowest(&values), -7.0);
                values[at] = f32::NAN;
                assert_eq!(lowest(&values), if len == 1 { f32::INFINITY } else { 1.0 });
            }
        }
        assert_eq!(
            [lowest(&[]), highest(&[])],
            [f32::INFINITY, f32::NEG_INFINITY]
        );
    }
}
