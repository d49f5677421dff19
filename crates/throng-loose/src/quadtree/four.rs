//! Four boxes against a window, at once.
//!
//! In vectors of four, which almost every processor has, so nothing has to be detected. The compiler does not find them
//! by itself: it compiles the comparisons to branches, and a walk down a tree then mispredicts all the time.

use wide::f32x4;

/// One bit for each box that touches a window, by the comparisons of [`throng_core::overlaps_1d`]. `sides` are lower x,
/// lower y, upper x, upper y.
#[inline(always)]
pub(super) fn touching([x0, y0, x1, y1]: &[[f32; 4]; 4], [min, max]: &[[f32; 2]; 2]) -> u32 {
    let along_x = overlapping(x0, x1, min[0], max[0]);
    let along_y = overlapping(y0, y1, min[1], max[1]);
    (along_x & along_y).to_bitmask()
}

#[inline(always)]
fn overlapping(mins: &[f32; 4], maxs: &[f32; 4], min: f32, max: f32) -> f32x4 {
    f32x4::new(*mins).simd_le(f32x4::splat(max)) & f32x4::splat(min).simd_le(f32x4::new(*maxs))
}

#[cfg(test)]
mod tests {
    use super::touching;
    use proptest::prelude::*;
    use throng_core::overlaps_1d;

    fn side() -> BoxedStrategy<f32> {
        prop_oneof![
            8 => (-2_i32..3).prop_map(|k| k as f32),
            1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0]),
        ]
        .boxed()
    }

    proptest! {
        #[test]
        fn as_the_definition_has_it(
            sides in prop::array::uniform4(prop::array::uniform4(side())),
            window in prop::array::uniform2(prop::array::uniform2(side())),
        ) {
            let [x0, y0, x1, y1] = sides;
            let [min, max] = window;
            let touches = |k: usize| {
                overlaps_1d(x0[k], x1[k], min[0], max[0]) && overlaps_1d(y0[k], y1[k], min[1], max[1])
            };
            let expected = (0..4).fold(0, |bits, k| bits | u32::from(touches(k)) << k);
            prop_assert_eq!(touching(&sides, &window), expected);
        }
    }
}
