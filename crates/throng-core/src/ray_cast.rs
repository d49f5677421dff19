//! Where a ray enters a box: the definition that every ray query follows.

mod circle;
mod from_ray;

pub(crate) use circle::disc_entry;

use crate::aabb::Aabb;
use crate::aabb_error::Axis;
use crate::for_both;
use crate::query::{ShapeError, check_point};

/// The straight line from one point to another, both ends included. It may be a single point. Made from two points
/// ([`from_to`](Self::from_to)), or from a point, a direction and a distance ([`from_ray`](Self::from_ray)).
///
/// # The definition
///
/// [`entry`](Self::entry) is computed in `f32`, by slabs: along each axis the ray is between a box's two sides
/// from `(near - from) / (to - from)` to `(far - from) / (to - from)`, as fractions of its length; see
/// [`RaySlab`]. It touches the box if its [`bounds`](Self::bounds) overlap it and it enters both axes before it
/// leaves either. (Kay and Kajiya, "Ray Tracing Complex Scenes", 1986.)
///
/// A fraction is off by less than one part in 2^22, or by 2^-149 if that is more. So rounding decides whether a
/// ray that grazes a corner hits it. But a ray that begins or ends in a box always touches it, and a ray
/// that is a point touches exactly the boxes that contain the point.
///
/// # Monotone
///
/// If box A contains box B and the ray enters B, then it enters A, and no later: `entry(A) <= entry(B)`. So a
/// tree whose nodes contain everything below them misses nothing when it skips a node that is not entered, or is
/// entered later than the best hit so far.
///
/// The reason: a slab's fractions are the box's sides after a scale, a subtraction and a division by constants of the
/// ray. Each of these, rounded, keeps order, or reverses it together with which side is near. So A's near
/// fractions are no greater than B's and its far ones no less; what follows only compares them. No step makes a NaN:
/// the divisor is finite and not zero, and a box's infinite sides give infinite fractions of the right sign.
#[doc(alias = "raycast")]
#[doc(alias = "linecast")]
#[doc(alias = "segment")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RayCast {
    from: [f32; 2],
    to: [f32; 2],
    slabs: [RaySlab; 2],
}

/// One axis of a [`RayCast`] in the form that a kernel needs to test many boxes at once.
///
/// A box's fractions on this axis run from `(near * scale - near_origin) / length` to
/// `(far * scale - far_origin) / length`, each operation rounded in `f32`. `near` and `far` are its lower and upper
/// side, or the other way round if not `forward`.
///
/// Where the ends are equal there is nothing to divide by: `length` and `scale` are 1, and infinite origins make
/// every box's fractions minus and plus infinity. The bounds then decide whether the box is touched.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RaySlab {
    /// Whether the ray runs towards greater coordinates, and so meets a box's lower side first.
    pub forward: bool,
    /// 1, or one half where the ends are farther apart than the greatest `f32`.
    pub scale: f32,
    /// Subtracted from the scaled near side.
    pub near_origin: f32,
    /// Subtracted from the scaled far side.
    pub far_origin: f32,
    /// From start to end, scaled; negative if not `forward`. Finite and never 0.
    pub length: f32,
}

impl RayCast {
    /// From one point to another.
    ///
    /// # Errors
    ///
    /// [`ShapeError::NotANumber`] or [`ShapeError::InfiniteEnd`].
    pub fn from_to(
        from: impl Into<[f32; 2]>,
        to: impl Into<[f32; 2]>,
    ) -> Result<RayCast, ShapeError> {
        let (from, to) = (from.into(), to.into());
        for end in [from, to] {
            check_point(end)?;
            if end.iter().any(|v| v.is_infinite()) {
                return Err(ShapeError::InfiniteEnd { given: end });
            }
        }
        let slabs = Axis::ALL.map(|axis| RaySlab::new(from[axis as usize], to[axis as usize]));
        Ok(RayCast { from, to, slabs })
    }

    /// Where it begins.
    #[inline]
    #[must_use]
    pub fn from(&self) -> [f32; 2] {
        self.from
    }

    /// Where it ends.
    #[inline]
    #[must_use]
    pub fn to(&self) -> [f32; 2] {
        self.to
    }

    /// How long it is; infinite if that is more than the greatest `f32`. A fraction multiplied by this is a distance.
    #[must_use]
    pub fn length(&self) -> f32 {
        length_of(self.from, self.to)
    }

    /// The point after this fraction of its length: [`from`](Self::from) at 0, [`to`](Self::to) at 1, both exactly.
    /// Less than 0, or NaN, counts as 0, and more than 1 as 1.
    #[inline]
    #[must_use]
    pub fn point_at(&self, fraction: f32) -> [f32; 2] {
        between(self.from, self.to, fraction)
    }

    /// The smallest box that holds it. A box that does not overlap this one is not touched.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let ([ax, ay], [bx, by]) = (self.from, self.to);
        Aabb::new([ax.min(bx), ay.min(by)], [ax.max(bx), ay.max(by)])
            .expect("the ends of a ray are finite")
    }

    /// The axes, x and y, as a kernel needs them.
    #[inline]
    #[must_use]
    pub fn slabs(&self) -> [RaySlab; 2] {
        self.slabs
    }

    /// How far along the ray it first touches the box, from 0 at its start to 1 at its end: 0 if it starts inside
    /// (never -0), `None` if it does not touch the box. **The** test of a ray against a box.
    ///
    /// ```
    /// use throng_core::{Aabb, RayCast};
    ///
    /// let wall = Aabb::new([2.0, -1.0], [3.0, 1.0])?;
    /// let shot = RayCast::from_to([0.0, 0.0], [8.0, 0.0])?;
    /// assert_eq!(shot.entry(&wall), Some(0.25));
    /// let too_short = RayCast::from_to([0.0, 0.0], [1.5, 0.0])?;
    /// assert_eq!(too_short.entry(&wall), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn entry(&self, aabb: &Aabb) -> Option<f32> {
        if !self.bounds().overlaps(aabb) {
            return None;
        }
        let [x, y] = Axis::ALL.map(|axis| {
            let axis = axis as usize;
            self.slabs[axis].fractions(aabb.min()[axis], aabb.max()[axis])
        });
        if x.0 > y.1 || y.0 > x.1 {
            return None;
        }
        // At most 1, as the bounds overlap: a near side is no farther than the ray's end.
        let later = |a: f32, b: f32| if a > b { a } else { b };
        Some(later(later(x.0, y.0), 0.0))
    }
}

/// How far apart two points are, up to the last rounding.
pub(crate) fn length_of(from: [f32; 2], to: [f32; 2]) -> f32 {
    let [x, y] = for_both(|axis| f64::from(to[axis]) - f64::from(from[axis]));
    (x * x + y * y).sqrt() as f32
}

/// The point after a fraction of the path between two ends; exactly an end at 0 and at 1.
///
/// In `f64`, with each end times its share, so that no difference of the ends is rounded. Every operation keeps order,
/// and so does the path: if no coordinate of another path's ends is less, none of its points' is.
#[inline]
pub(crate) fn between(from: [f32; 2], to: [f32; 2], fraction: f32) -> [f32; 2] {
    // `clamp` would keep a NaN.
    let fraction = if fraction > 0.0 {
        fraction.min(1.0)
    } else {
        0.0
    };
    let fraction = f64::from(fraction);
    let share = 1.0 - fraction;
    for_both(|axis| (f64::from(from[axis]) * share + f64::from(to[axis]) * fraction) as f32)
}

impl RaySlab {
    fn new(from: f32, to: f32) -> RaySlab {
        let length = to - from;
        // With gradual underflow, a difference is 0 only if the two are equal.
        if length == 0.0 {
            return RaySlab {
                forward: true,
                scale: 1.0,
                near_origin: f32::INFINITY,
                far_origin: f32::NEG_INFINITY,
                length: 1.0,
            };
        }
        let scale = if length.is_finite() { 1.0 } else { 0.5 };
        let origin = from * scale;
        RaySlab {
            forward: to > from,
            scale,
            near_origin: origin,
            far_origin: origin,
            length: to * scale - origin,
        }
    }

    /// Where the ray is at the near and at the far side, as fractions of its length.
    #[inline]
    #[must_use]
    pub fn fractions(&self, min: f32, max: f32) -> (f32, f32) {
        let (near, far) = if self.forward { (min, max) } else { (max, min) };
        (
            (near * self.scale - self.near_origin) / self.length,
            (far * self.scale - self.far_origin) / self.length,
        )
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) const INF: f32 = f32::INFINITY;

    pub(crate) fn ray(from: [f32; 2], to: [f32; 2]) -> RayCast {
        RayCast::from_to(from, to).unwrap()
    }

    pub(crate) fn aabb(min: [f32; 2], max: [f32; 2]) -> Aabb {
        Aabb::new(min, max).unwrap()
    }

    #[test]
    fn entries_are_what_a_person_finds() {
        let unit = aabb([0.0, 0.0], [1.0, 1.0]);
        let cases = [
            ([-1.0, 0.5], [3.0, 0.5], Some(0.25), "through the middle"),
            ([3.0, 0.5], [-1.0, 0.5], Some(0.5), "and back"),
            ([0.5, 5.0], [0.5, 1.0], Some(1.0), "ends on the border"),
            ([0.5, 5.0], [0.5, 1.5], None, "ends short of it"),
            ([0.5, 0.5], [9.0, 9.0], Some(0.0), "begins inside"),
            ([1.0, 1.0], [9.0, 1.0], Some(0.0), "begins at a corner"),
            ([-1.0, 1.0], [9.0, 1.0], Some(0.1), "along a side"),
            ([-1.0, 0.0], [1.0, 2.0], Some(0.5), "touches a corner"),
            ([-1.0, 0.25], [0.75, 2.0], None, "passes a corner"),
            ([-1.0, 0.0], [2.0, 6.0], None, "passes it steeply"),
            ([0.25, 0.5], [0.25, 0.5], Some(0.0), "a point inside"),
            ([1.0, 0.5], [1.0, 0.5], Some(0.0), "a point on the border"),
            ([1.5, 0.5], [1.5, 0.5], None, "a point outside"),
            ([1.5, -4.0], [1.5, 4.0], None, "upright, beside it"),
        ];
        for (from, to, entry, what) in cases {
            assert_eq!(ray(from, to).entry(&unit), entry, "{what}");
        }
    }

    #[test]
    fn infinite_sides_and_overflowing_lengths_have_fractions() {
        let across = ray([f32::MIN, 0.0], [f32::MAX, 0.0]);
        assert_eq!(across.entry(&Aabb::EVERYWHERE), Some(0.0));
        assert_eq!(across.entry(&aabb([0.0, -INF], [INF, INF])), Some(0.5));
        assert_eq!(across.entry(&aabb([f32::MAX, 0.0], [INF, 0.0])), Some(1.0));
        let back = ray([f32::MAX, f32::MAX], [f32::MIN, f32::MIN]);
        assert_eq!(back.entry(&aabb([-INF, -INF], [0.0, INF])), Some(0.5));
        let short = ray([f32::MIN, 0.0], [-3e38, 0.0]);
        assert_eq!(short.entry(&aabb([3e38, -1.0], [INF, 1.0])), None);
        assert_eq!(short.entry(&aabb([-INF, -1.0], [INF, 1.0])), Some(0.0));
    }

    #[test]
    fn ends_that_are_nowhere_are_refused() {
        let nan = RayCast::from_to([0.0, 0.0], [0.0, f32::NAN]).unwrap_err();
        assert!(matches!(nan, ShapeError::NotANumber { .. }), "{nan}");
        let far = RayCast::from_to([INF, 0.0], [0.0, 0.0]).unwrap_err();
        let given = [INF, 0.0];
        assert_eq!(far, ShapeError::InfiniteEnd { given }, "{far}");
    }

    /// Finite coordinates that are hard on the arithmetic.
    fn coordinate() -> BoxedStrategy<f32> {
        let tiny = f32::from_bits(1);
        let nasty = vec![
            0.0,
            -0.0,
            tiny,
            -tiny,
            f32::MIN_POSITIVE,
            1.0,
            1.0 + f32::EPSILON,
            -1e38,
            3e38,
            f32::MAX,
            f32::MIN,
        ];
        prop_oneof![
            4 => (-6_i32..7).prop_map(|k| k as f32),
            3 => -10.0_f32..10.0,
            3 => prop::sample::select(nasty),
            2 => any::<f32>().prop_filter("finite", |v| v.is_finite()),
            1 => (-100_i32..100).prop_map(|k| f32::from_bits(k.unsigned_abs()).copysign(k as f32)),
            1 => (0_u32..40).prop_map(|k| f32::from_bits(1e7_f32.to_bits() + k)),
        ]
        .boxed()
    }

    fn point() -> BoxedStrategy<[f32; 2]> {
        [coordinate(), coordinate()].boxed()
    }

    fn some_box() -> BoxedStrategy<Aabb> {
        box_of(coordinate)
    }

    /// A box with these coordinates, sometimes with infinite sides, sometimes flat.
    pub(crate) fn box_of(coordinate: impl Fn() -> BoxedStrategy<f32>) -> BoxedStrategy<Aabb> {
        let side = || {
            prop_oneof![
                8 => [coordinate(), coordinate()],
                1 => coordinate().prop_map(|v| [v, INF]),
                1 => coordinate().prop_map(|v| [-INF, v]),
                1 => coordinate().prop_map(|v| [v, v]),
            ]
        };
        [side(), side()]
            .prop_map(|[x, y]| {
                let low = [x[0].min(x[1]), y[0].min(y[1])];
                aabb(low, [x[0].max(x[1]), y[0].max(y[1])])
            })
            .boxed()
    }

    /// Whole numbers make exact grazes common; a few ulps either way make near misses common.
    fn nudged(aabb: Aabb, ulps: [i32; 4]) -> Aabb {
        let nudge = |v: f32, ulps: i32| {
            let step = if ulps < 0 {
                f32::next_down
            } else {
                f32::next_up
            };
            (0..ulps.abs()).fold(v, |v, _| step(v))
        };
        let ([x0, y0], [x1, y1]) = (aabb.min(), aabb.max());
        let min = [nudge(x0, ulps[0]), nudge(y0, ulps[1])];
        Aabb::new(min, [nudge(x1, ulps[2]), nudge(y1, ulps[3])]).unwrap_or(aabb)
    }

    /// The two fractions on an axis in `f64`; everything, if the ends are equal and between the sides.
    fn fractions_in_f64(from: f32, to: f32, min: f32, max: f32) -> Option<[f64; 2]> {
        let [from, to, min, max] = [from, to, min, max].map(f64::from);
        if from == to {
            let inside = min <= from && from <= max;
            return inside.then_some([f64::NEG_INFINITY, f64::INFINITY]);
        }
        let at = |side: f64| (side - from) / (to - from);
        Some([at(min).min(at(max)), at(min).max(at(max))])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn a_box_around_another_is_entered_no_later(
            from in point(), to in point(), inner in some_box(), other in some_box(),
            ulps in [-2_i32..3, -2..3, -2..3, -2..3],
        ) {
            let ray = ray(from, to);
            let outer = nudged(inner, ulps).union(&inner);
            for outer in [inner.union(&other), outer] {
                if let Some(entry) = ray.entry(&inner) {
                    prop_assert!((0.0..=1.0).contains(&entry) && entry.is_sign_positive());
                    let before = ray.entry(&outer);
                    prop_assert!(before.is_some_and(|t| t <= entry), "{before:?} {entry}");
                }
            }
        }

        #[test]
        fn ends_inside_always_touch(from in point(), to in point(), aabb in some_box()) {
            let entry = ray(from, to).entry(&aabb);
            if aabb.contains_point(from) {
                prop_assert_eq!(entry, Some(0.0));
            }
            prop_assert!(entry.is_some() || !aabb.contains_point(to));
            let touches = ray(from, from).entry(&aabb).is_some();
            prop_assert_eq!(touches, aabb.contains_point(from));
        }

        #[test]
        fn fractions_are_those_of_f64_but_for_rounding(
            from in point(), to in point(), aabb in some_box(),
        ) {
            let near = |a: f64, b: f64| a == b || (a - b).abs() <= b.abs() * 2_f64.powi(-22) + 1.5e-45;
            let of_axis = |i: usize| fractions_in_f64(from[i], to[i], aabb.min()[i], aabb.max()[i]);
            let entry = ray(from, to).entry(&aabb);
            let (Some(x), Some(y)) = (of_axis(0), of_axis(1)) else {
                prop_assert_eq!(entry, None);
                return Ok(());
            };
            let (enters, leaves) = (x[0].max(y[0]).max(0.0), x[1].min(y[1]).min(1.0));
            match entry {
                Some(entry) => {
                    prop_assert!(near(entry.into(), enters), "{entry} {enters}");
                    prop_assert!(enters <= leaves || near(enters, leaves));
                }
                None => prop_assert!(enters > leaves || near(enters, leaves)),
            }
        }

        #[test]
        fn no_fraction_is_nan(from in point(), to in point(), aabb in some_box()) {
            for (axis, slab) in ray(from, to).slabs().into_iter().enumerate() {
                let (near, far) = slab.fractions(aabb.min()[axis], aabb.max()[axis]);
                prop_assert!(near <= far, "{near} {far}");
                prop_assert!(slab.length.is_finite() && slab.length != 0.0);
            }
        }
    }
}
