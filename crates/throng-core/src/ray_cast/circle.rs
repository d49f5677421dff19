//! Where a ray enters a circle.

use super::RayCast;
use crate::for_both;

impl RayCast {
    /// How far along the ray it first touches a closed disc, as a fraction like those of [`entry`](Self::entry): 0 if
    /// it starts inside, `None` if it does not touch the disc. There is no disc if the radius is negative, or if
    /// anything is NaN.
    ///
    /// Computed in `f64` with nothing but the basic operations and a square root, so the same on any machine. Long rays
    /// and far circles lose nothing.
    ///
    /// ```
    /// use throng_core::RayCast;
    ///
    /// let shot = RayCast::from_to([0.0, 3.0], [10.0, 3.0])?;
    /// assert_eq!(shot.circle_entry([6.0, 0.0], 5.0), Some(0.2));
    /// assert_eq!(shot.circle_entry([6.0, 0.0], 2.9), None, "its box alone is touched");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn circle_entry(&self, center: impl Into<[f32; 2]>, radius: f32) -> Option<f32> {
        let (ends, center) = ([self.from, self.to], center.into().map(f64::from));
        disc_entry(ends, center, f64::from(radius)).map(|entry| entry as f32)
    }
}

/// What [`RayCast::circle_entry`] returns, before it is rounded: for a ray given by its ends, and for a disc with a center or a radius that is not an `f32`.
#[inline]
pub(crate) fn disc_entry(ends: [[f32; 2]; 2], center: [f64; 2], radius: f64) -> Option<f64> {
    let [from, to] = ends.map(|end| end.map(f64::from));
    let [x, y] = for_both(|axis| center[axis] - from[axis]);
    let (distance_squared, radius_squared) = (x * x + y * y, radius * radius);
    if !(radius >= 0.0 && distance_squared > radius_squared) {
        let starts_inside = radius >= 0.0 && distance_squared <= radius_squared;
        return starts_inside.then_some(0.0);
    }
    let [dx, dy] = for_both(|axis| to[axis] - from[axis]);
    let length = (dx * dx + dy * dy).sqrt();
    if length == 0.0 {
        return None;
    }
    let (dx, dy) = (dx / length, dy / length);
    // The center: how far ahead, and how far beside the ray.
    let (ahead, beside) = (x * dx + y * dy, x * dy - y * dx);
    let half_chord_squared = radius_squared - beside * beside;
    if !(ahead > 0.0 && half_chord_squared >= 0.0) {
        return None;
    }
    // `ahead` less half the chord, without the cancellation.
    let entry = (distance_squared - radius_squared) / (ahead + half_chord_squared.sqrt());
    let fraction = entry / length;
    (fraction as f32 <= 1.0).then_some(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ray(from: [f32; 2], to: [f32; 2]) -> RayCast {
        RayCast::from_to(from, to).unwrap()
    }

    #[test]
    fn entries_are_what_a_person_finds() {
        let cases = [
            ([-3.0, 0.0], [1.0, 0.0], Some(0.5), "through the middle"),
            ([-3.0, 1.0], [3.0, 1.0], Some(0.5), "along its edge"),
            ([-3.0, 0.9], [3.0, 1.5], None, "past it, through its box"),
            ([-3.0, 0.0], [-1.0, 0.0], Some(1.0), "up to it"),
            ([-3.0, 0.0], [-1.1, 0.0], None, "short of it"),
            ([-3.0, 0.0], [-9.0, 0.0], None, "away from it"),
            ([0.5, 0.5], [9.0, 9.0], Some(0.0), "out of it"),
            ([1.0, 0.0], [9.0, 0.0], Some(0.0), "off its border"),
            ([0.0, 1.0], [0.0, 1.0], Some(0.0), "a point on it"),
            ([0.8, 0.8], [0.8, 0.8], None, "a point beside it"),
        ];
        for (from, to, entry, what) in cases {
            assert_eq!(ray(from, to).circle_entry([0.0; 2], 1.0), entry, "{what}");
        }
        let across = ray([f32::MIN, 0.0], [f32::MAX, 0.0]);
        assert_eq!(across.circle_entry([0.0; 2], 1.0), Some(0.5));
        assert_eq!(across.circle_entry([0.0; 2], f32::INFINITY), Some(0.0));
        let endless = RayCast::from_ray([0.0; 2], [3.0, 4.0], f32::INFINITY).unwrap();
        let entry = endless.circle_entry([6.0, 8.0], 2.5).unwrap();
        assert!((entry * endless.length() - 7.5).abs() < 1e-5);
    }

    #[test]
    fn what_is_no_disc_is_missed() {
        let shot = ray([0.0; 2], [9.0, 0.0]);
        for (center, radius) in [
            ([0.0; 2], -1.0),
            ([0.0; 2], f32::NAN),
            ([f32::NAN, 0.0], 1.0),
            ([f32::INFINITY, 0.0], 1.0),
        ] {
            assert_eq!(
                shot.circle_entry(center, radius),
                None,
                "{center:?} {radius}"
            );
        }
        assert_eq!(shot.circle_entry([4.5, 0.0], 0.0), Some(0.5), "a point");
    }

    proptest! {
        /// The point found is on the circle, and nothing of the ray before it is inside.
        #[test]
        fn the_ray_enters_there(
            from in [-10.0_f32..10.0, -10.0_f32..10.0], to in [-10.0_f32..10.0, -10.0_f32..10.0],
            center in [-10.0_f32..10.0, -10.0_f32..10.0], radius in 0.0_f32..5.0,
        ) {
            let away = |at: f64| {
                let [x, y] = for_both(|axis| {
                    let (from, to) = (f64::from(from[axis]), f64::from(to[axis]));
                    from + (to - from) * at - f64::from(center[axis])
                });
                x.hypot(y) - f64::from(radius)
            };
            let entry = ray(from, to).circle_entry(center, radius);
            let before = entry.map_or(1.0, f64::from);
            if let Some(entry) = entry {
                prop_assert!((0.0..=1.0).contains(&entry) && entry.is_sign_positive());
                prop_assert!(away(before) <= 1e-5 && (entry == 0.0 || away(before) >= -1e-5));
            }
            for step in 0..64 {
                prop_assert!(away(before * f64::from(step) / 64.0) >= -1e-5 || entry == Some(0.0));
            }
        }
    }
}
