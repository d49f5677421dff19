//! A ray from a point, a direction and a distance.

use super::RayCast;
use crate::for_both;
use crate::query::{ShapeError, check_point, check_reach};

impl RayCast {
    /// How far a ray with an infinite distance goes: 2^63, about 9.2e18.
    ///
    /// Not farther, because then squares of lengths along it would be infinite as `f32`, which breaks tests of shapes,
    /// and the fractions of things near its start would lose digits.
    pub const FARTHEST: f32 = 9_223_372_036_854_775_808.0;

    /// From a point in a direction, for a distance. The direction may be of any length: only where it points counts.
    ///
    /// An infinite distance becomes [`FARTHEST`](Self::FARTHEST), which reaches whatever is not farther away than that.
    /// [`entry`](Self::entry) and all other fractions are then of that length, and so are very small numbers, but as
    /// exact as any: multiplied by [`length`](Self::length), they are distances.
    ///
    /// The end is computed in `f64` and rounded, the same on any machine. Far from the origin, where a coordinate's
    /// last bit is large, that can turn a short ray a little. The ray ends where coordinates do.
    ///
    /// ```
    /// use throng_core::{Aabb, RayCast};
    ///
    /// let wall = Aabb::new([-1.0, 30.0], [40.0, 31.0])?;
    /// let shot = RayCast::from_ray([0.0, 0.0], [3.0, 4.0], 50.0)?;
    /// assert_eq!((shot.to(), shot.length()), ([30.0, 40.0], 50.0));
    /// assert_eq!(shot.entry(&wall), Some(0.75));
    /// let endless = RayCast::from_ray([0.0, 0.0], [3.0, 4.0], f32::INFINITY)?;
    /// let distance = endless.entry(&wall).ok_or("it is in the way")? * endless.length();
    /// assert!((distance - 37.5).abs() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ShapeError::NotANumber`] or [`ShapeError::InfiniteEnd`] for the origin; [`ShapeError::Direction`] for a
    /// direction that is zero or not finite; [`ShapeError::Reach`] for a distance that is negative or NaN.
    pub fn from_ray(
        origin: impl Into<[f32; 2]>,
        direction: impl Into<[f32; 2]>,
        max_distance: f32,
    ) -> Result<RayCast, ShapeError> {
        let (origin, direction) = (origin.into(), direction.into());
        check_point(origin)?;
        if origin.iter().any(|v| v.is_infinite()) {
            return Err(ShapeError::InfiniteEnd { given: origin });
        }
        let finite = direction.iter().all(|v| v.is_finite());
        if !finite || direction == [0.0; 2] {
            return Err(ShapeError::Direction { given: direction });
        }
        check_reach(max_distance)?;
        let distance = if max_distance == f32::INFINITY {
            Self::FARTHEST
        } else {
            max_distance
        };
        Self::from_to(origin, end(origin, direction, distance))
    }
}

/// Where a ray made of finite numbers ends.
fn end(origin: [f32; 2], direction: [f32; 2], distance: f32) -> [f32; 2] {
    let [x, y] = direction.map(f64::from);
    // No square of an `f32` overflows or vanishes in `f64`.
    let length = (x * x + y * y).sqrt();
    let unit = [x / length, y / length];
    let mut distance = f64::from(distance);
    for axis in [0, 1] {
        if unit[axis] != 0.0 {
            let last = f64::from(f32::MAX).copysign(unit[axis]);
            distance = distance.min((last - f64::from(origin[axis])) / unit[axis]);
        }
    }
    for_both(|axis| {
        let end = f64::from(origin[axis]) + unit[axis] * distance;
        (end as f32).clamp(f32::MIN, f32::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ray(origin: [f32; 2], direction: [f32; 2], max_distance: f32) -> RayCast {
        RayCast::from_ray(origin, direction, max_distance).unwrap()
    }

    #[test]
    fn only_the_way_a_direction_points_counts() {
        let tiny = f32::from_bits(1);
        for scale in [tiny, 1e-30, 1.0, 77.0, 1e38] {
            let [x, y] = [1.0, -1.0].map(|v| v * scale);
            assert_eq!(ray([1.0, 2.0], [x, 0.0], 5.0).to(), [6.0, 2.0], "{scale}");
            let slanted = ray([0.0; 2], [x, y], 2.0_f32.sqrt());
            assert_eq!(slanted.to(), [1.0, -1.0], "{scale}");
        }
        assert_eq!(ray([1.0, 2.0], [0.0, -3.0], 0.0).to(), [1.0, 2.0]);
    }

    #[test]
    fn an_infinite_distance_is_the_farthest() {
        let endless = ray([10.0, -10.0], [0.6, 0.8], f32::INFINITY);
        assert_eq!(
            endless,
            ray([10.0, -10.0], [0.6, 0.8], RayCast::FARTHEST),
            "and may be given as a number"
        );
        let length = endless.length();
        assert!((length / RayCast::FARTHEST - 1.0).abs() < 1e-6, "{length}");
        assert!((length * length).is_finite());
    }

    #[test]
    fn where_coordinates_end_so_does_the_ray() {
        let far = ray([3e38, 0.0], [1.0, 1.0], f32::MAX);
        assert_eq!(far.to()[0], f32::MAX);
        let (along, up) = (f32::MAX - 3e38, far.to()[1]);
        assert!((up / along - 1.0).abs() < 1e-6, "it still points there");
        let out = ray([f32::MIN, f32::MIN], [-1.0, -1.0], 1.0);
        assert_eq!(out.to(), [f32::MIN; 2]);
    }

    #[test]
    fn what_is_no_ray_is_refused() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let refused = |origin, direction, distance| {
            RayCast::from_ray(origin, direction, distance).unwrap_err()
        };
        let origin = refused([nan, 0.0], [1.0, 0.0], 1.0);
        assert!(matches!(origin, ShapeError::NotANumber { .. }), "{origin}");
        let given = [0.0, -inf];
        let error = refused(given, [1.0, 0.0], 1.0);
        assert_eq!(error, ShapeError::InfiniteEnd { given });
        for given in [[0.0, 0.0], [-0.0, 0.0], [inf, 0.0], [1.0, -inf]] {
            let error = refused([0.0; 2], given, 1.0);
            assert_eq!(error, ShapeError::Direction { given });
            assert!(error.to_string().contains(&format!("{given:?}")), "{error}");
        }
        let error = refused([0.0; 2], [0.0, nan], 1.0);
        assert!(error.to_string().contains("direction"), "{error}");
        for given in [-1.0, -inf] {
            let error = refused([0.0; 2], [1.0, 0.0], given);
            assert_eq!(error, ShapeError::Reach { given });
        }
        let error = refused([0.0; 2], [1.0, 0.0], nan);
        assert!(matches!(error, ShapeError::Reach { .. }), "{error}");
    }

    proptest! {
        /// The end is as far away as asked, where asked, but for its own rounding.
        #[test]
        fn it_ends_where_it_should(
            x in -100.0_f32..100.0, y in -100.0_f32..100.0,
            dx in -10.0_f32..10.0, dy in -10.0_f32..10.0, distance in 0.0_f32..1e6,
        ) {
            prop_assume!(dx != 0.0 || dy != 0.0);
            let ray = ray([x, y], [dx, dy], distance);
            let [along_x, along_y] = for_both(|axis| {
                f64::from(ray.to()[axis]) - f64::from(ray.from()[axis])
            });
            let (dx, dy) = (f64::from(dx), f64::from(dy));
            let length = dx.hypot(dy);
            let slack = (f64::from(distance) + 100.0) * 2.0_f64.powi(-23);
            prop_assert!((along_x * dy - along_y * dx).abs() / length <= slack);
            let along = (along_x * dx + along_y * dy) / length;
            prop_assert!((along - f64::from(distance)).abs() <= slack);
            prop_assert!((f64::from(ray.length()) - f64::from(distance)).abs() <= slack);
        }
    }
}
