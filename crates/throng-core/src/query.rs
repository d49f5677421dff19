//! What the queries of every structure have in common: which input is refused, and how far they look.

use std::ops::ControlFlow;

use crate::aabb::Aabb;

/// Why a shape to ask with, or a path to cast along, is not valid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A coordinate of the query is NaN.
    #[error("a query needs a valid position, but {given:?} has a coordinate that is not a number")]
    NotANumber {
        /// The point as given.
        given: [f32; 2],
    },
    /// A radius or a distance is negative or NaN.
    #[error("a radius or distance must be zero or more, but {given} was given")]
    Reach {
        /// The radius or distance as given.
        given: f32,
    },
    /// A moving box or circle is unbounded at its start or at its end, or wider than an `f32` can tell.
    #[error(
        "a moving box or circle must be bounded from start to end, and less wide than the largest `f32`, but one within {given} \
         moving by {by:?} was given"
    )]
    Unbounded {
        /// The box as given; for a circle, a box around it, or one without bounds if the square of its radius is too large for an
        /// `f32`.
        given: Aabb,
        /// The movement as given.
        by: [f32; 2],
    },
    /// A ray's direction points nowhere.
    #[error(
        "a ray's direction must be finite and not zero, of any length, but {given:?} was given"
    )]
    Direction {
        /// The direction as given.
        given: [f32; 2],
    },
    /// An end of a ray is infinitely far away.
    #[error("a ray needs finite ends, but {given:?} was given")]
    InfiniteEnd {
        /// The end as given.
        given: [f32; 2],
    },
}

/// Refuses a point with a NaN coordinate. Infinite coordinates are accepted: unbounded boxes reach them.
///
/// # Errors
///
/// If a coordinate is NaN.
pub fn check_point(point: [f32; 2]) -> Result<(), ShapeError> {
    if point.iter().any(|v| v.is_nan()) {
        return Err(ShapeError::NotANumber { given: point });
    }
    Ok(())
}

/// Refuses a radius or a distance that is NaN or negative.
///
/// # Errors
///
/// If it is NaN or negative.
pub fn check_reach(reach: f32) -> Result<(), ShapeError> {
    if reach >= 0.0 {
        Ok(())
    } else {
        Err(ShapeError::Reach { given: reach })
    }
}

/// A box that touches every box whose computed squared distance to `center` can be within `reach²`.
///
/// The squares and their sum are each rounded once, which can hide about one part in 2^23 of the reach. Squares below
/// the smallest `f32` vanish altogether, which can hide about 1e-22. A square that overflows hides everything: every
/// distance is within reach then.
#[must_use]
pub fn window_around(center: [f32; 2], reach: f32) -> Aabb {
    let widened = reach * (1.0 + 1e-5) + 1e-21;
    let min = center.map(|c| (c - widened).next_down());
    let max = center.map(|c| (c + widened).next_up());
    if reach * reach == f32::INFINITY {
        return Aabb::EVERYWHERE;
    }
    // Only a NaN makes this fail, and callers refuse those.
    Aabb::new(min, max).unwrap_or(Aabb::EVERYWHERE)
}

/// Converts a visitor's outcome for a walk that does not care what value it broke with.
#[inline]
pub fn whether_broken<B>(outcome: &ControlFlow<B>) -> ControlFlow<()> {
    match outcome {
        ControlFlow::Continue(()) => ControlFlow::Continue(()),
        ControlFlow::Break(_) => ControlFlow::Break(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_point_is_refused_for_a_nan_and_for_nothing_else() {
        for good in [
            [0.0, -0.0],
            [f32::MAX, f32::INFINITY],
            [f32::NEG_INFINITY, 1e-45],
        ] {
            assert_eq!(check_point(good), Ok(()));
        }
        for bad in [[f32::NAN, 0.0], [0.0, f32::NAN], [f32::INFINITY, -f32::NAN]] {
            let error = check_point(bad).unwrap_err();
            assert!(error.to_string().contains("NaN"), "{error}");
        }
    }

    #[test]
    fn a_reach_is_refused_if_negative_or_nan() {
        for good in [0.0, -0.0, 1e-45, f32::MAX, f32::INFINITY] {
            assert_eq!(check_reach(good), Ok(()));
        }
        for bad in [-1e-45, -1.0, f32::NEG_INFINITY] {
            assert_eq!(check_reach(bad), Err(ShapeError::Reach { given: bad }));
        }
        assert!(check_reach(f32::NAN).is_err());
    }

    #[test]
    fn a_break_is_told_whatever_it_carries() {
        assert!(whether_broken(&ControlFlow::<&str>::Continue(())).is_continue());
        assert!(whether_broken(&ControlFlow::Break("found")).is_break());
    }

    #[test]
    fn a_window_is_everywhere_once_the_square_of_the_reach_overflows() {
        for reach in [1.9e19, f32::MAX, f32::INFINITY] {
            assert_eq!(window_around([3.0, -4.0], reach), Aabb::EVERYWHERE);
        }
        assert!(window_around([3.0, -4.0], 1.8e19).is_finite());
    }

    #[test]
    fn a_window_around_a_point_at_infinity_touches_what_reaches_there() {
        let beyond = Aabb::new([5.0, 0.0], [f32::INFINITY, 1.0]).unwrap();
        let before = Aabb::new([f32::NEG_INFINITY, 0.0], [-5.0, 1.0]).unwrap();
        let bounded = Aabb::new([-5.0, 0.0], [5.0, 1.0]).unwrap();
        for (x, endless) in [(f32::INFINITY, beyond), (f32::NEG_INFINITY, before)] {
            assert_eq!(endless.distance_squared([x, 0.0]), 0.0);
            let window = window_around([x, 0.0], 1.0);
            assert!(
                window.overlaps(&endless) && !window.overlaps(&bounded),
                "{window}"
            );
        }
    }

    fn far_or_near() -> BoxedStrategy<f32> {
        prop_oneof![
            -10.0_f32..10.0,
            -1e-20_f32..1e-20,
            -1e8_f32..1e8,
            -1e30_f32..1e30
        ]
        .boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// The reach is the computed distance itself, or the lowest one whose square is no less.
        #[test]
        fn a_window_touches_whatever_is_computed_to_be_within_reach(
            x in far_or_near(), y in far_or_near(), dx in far_or_near(), dy in far_or_near(), straight in any::<bool>(),
        ) {
            let dy = if straight { 0.0 } else { dy };
            let other = Aabb::point([x + dx, y + dy]).unwrap();
            let distance_squared = other.distance_squared([x, y]);
            let mut reach = distance_squared.sqrt();
            if reach * reach < distance_squared {
                reach = reach.next_up();
            }
            prop_assert!(distance_squared <= reach * reach);
            prop_assert!(window_around([x, y], reach).overlaps(&other), "{reach} from {x} {y} to {other}");
        }

        #[test]
        fn a_window_is_larger_by_what_squares_can_hide_and_hardly_more(x in -10.0_f32..10.0, reach in 0.0_f32..10.0) {
            let window = window_around([0.0, x], reach);
            let hidden = f64::from(reach) * 2.0_f64.powi(-23);
            prop_assert!(f64::from(window.max()[0]) >= f64::from(reach) + hidden);
            prop_assert!(f64::from(window.min()[0]) <= -f64::from(reach) - hidden);
            prop_assert!(x - window.min()[1] <= reach + 3e-4 && window.max()[1] - x <= reach + 3e-4);
        }
    }
}
