//! Four boxes against a window, at once.
//!
//! Every x86-64 has the instructions, so nothing has to be detected. The compiler does not find them by
//! itself: it makes branches of the comparisons, and a walk down a tree is all mispredictions then.
#![allow(
    unsafe_code,
    reason = "calling a function compiled for an instruction set that is always there"
)]

/// Bits of the boxes that touch a window, by the comparisons of [`throng_core::overlaps_1d`]. `sides` are
/// lower x, lower y, upper x, upper y.
#[inline(always)]
pub(super) fn touching(sides: &[[f32; 4]; 4], window: &[[f32; 2]; 2]) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    // Check: the line above compiles this only where the whole program may use SSE2.
    // SAFETY: so the machine has it.
    return unsafe { sse2::touching(sides, window) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    plain::touching(sides, window)
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2 {
    use std::arch::x86_64::{
        __m128, _mm_and_ps, _mm_cmple_ps, _mm_movemask_ps, _mm_set1_ps, _mm_setr_ps,
    };

    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn touching(sides: &[[f32; 4]; 4], [min, max]: &[[f32; 2]; 2]) -> u32 {
        let [x0, y0, x1, y1] = sides;
        let along_x = overlapping(x0, x1, min[0], max[0]);
        let along_y = overlapping(y0, y1, min[1], max[1]);
        _mm_movemask_ps(_mm_and_ps(along_x, along_y)) as u32
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn overlapping(mins: &[f32; 4], maxs: &[f32; 4], min: f32, max: f32) -> __m128 {
        let mins = _mm_setr_ps(mins[0], mins[1], mins[2], mins[3]);
        let maxs = _mm_setr_ps(maxs[0], maxs[1], maxs[2], maxs[3]);
        _mm_and_ps(
            _mm_cmple_ps(mins, _mm_set1_ps(max)),
            _mm_cmple_ps(_mm_set1_ps(min), maxs),
        )
    }
}

/// The same for any machine, and the reference.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
mod plain {
    use throng_core::overlaps_1d;

    pub(super) fn touching([x0, y0, x1, y1]: &[[f32; 4]; 4], [min, max]: &[[f32; 2]; 2]) -> u32 {
        let touches = |k: usize| {
            overlaps_1d(x0[k], x1[k], min[0], max[0]) && overlaps_1d(y0[k], y1[k], min[1], max[1])
        };
        (0..4).fold(0, |bits, k| bits | u32::from(touches(k)) << k)
    }
}

#[cfg(test)]
mod tests {
    use super::{plain, touching};
    use proptest::prelude::*;

    fn side() -> impl Strategy<Value = f32> {
        prop_oneof![
            8 => (-2_i32..3).prop_map(|k| k as f32),
            1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0]),
        ]
    }

    proptest! {
        #[test]
        fn as_the_definition_has_it(
            sides in prop::array::uniform4(prop::array::uniform4(side())),
            window in prop::array::uniform2(prop::array::uniform2(side())),
        ) {
            prop_assert_eq!(touching(&sides, &window), plain::touching(&sides, &window));
        }
    }
}
