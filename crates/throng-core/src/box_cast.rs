//! Where a box that moves in a straight line first touches another: the definition that every such query follows.

use crate::aabb::Aabb;
use crate::for_both;
use crate::query::ShapeError;
use crate::ray_cast::{RayCast, between};

/// A box that moves in a straight line from one place to another, both included.
///
/// # The definition
///
/// A box that [overlaps](Aabb::overlaps) the moving one at its start is touched at 0. Otherwise the lower corner of
/// the moving box is a [`RayCast`], and the other box is extended on its lower sides by the size of the moving one;
/// it is touched where the ray enters it. If the moving box overlaps it at its end, it is touched at 1 at the
/// latest. So what touches at either end is never missed; in between, rounding decides grazes, as it does for a
/// ray.
///
/// It is monotone as a ray is: if it touches a box, it touches every box that contains that box, and no later.
#[doc(alias = "sweep")]
#[doc(alias = "shape_cast")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoxCast {
    begin: Aabb,
    end: Aabb,
    size: [f32; 2],
    path: RayCast,
}

impl BoxCast {
    /// A box that moves by `by`.
    ///
    /// # Errors
    ///
    /// [`ShapeError::Unbounded`] if the box has an infinite side at the start or at the end, or is wider than an `f32` can tell;
    /// [`ShapeError::NotANumber`] if a coordinate of `by` is NaN.
    pub fn new(begin: Aabb, by: impl Into<[f32; 2]>) -> Result<BoxCast, ShapeError> {
        let by = by.into();
        crate::query::check_point(by)?;
        let moved = |corner: [f32; 2]| for_both(|axis| corner[axis] + by[axis]);
        let (min, max) = (begin.min(), begin.max());
        let size = for_both(|axis| max[axis] - min[axis]);
        let end = Aabb::new(moved(min), moved(max)).ok();
        let end = end.filter(|end| end.is_finite() && begin.is_finite());
        let (Some(end), true) = (end, size.iter().all(|side| side.is_finite())) else {
            return Err(ShapeError::Unbounded { given: begin, by });
        };
        Ok(BoxCast {
            begin,
            end,
            size,
            path: RayCast::from_to(min, end.min())?,
        })
    }

    /// Where it starts.
    #[must_use]
    pub fn begin(&self) -> Aabb {
        self.begin
    }

    /// Where it ends.
    #[must_use]
    pub fn end(&self) -> Aabb {
        self.end
    }

    /// Its width and height.
    #[must_use]
    pub fn size(&self) -> [f32; 2] {
        self.size
    }

    /// How long its path is; infinite if that is more than the greatest `f32`. A fraction multiplied by this is a
    /// distance.
    #[must_use]
    pub fn length(&self) -> f32 {
        self.path.length()
    }

    /// Where it is after this fraction of its path: [`begin`](Self::begin) at 0, [`end`](Self::end) at 1, both exactly.
    /// Less than 0, or NaN, counts as 0, and more than 1 as 1.
    #[must_use]
    pub fn aabb_at(&self, fraction: f32) -> Aabb {
        let min = between(self.begin.min(), self.end.min(), fraction);
        let max = between(self.begin.max(), self.end.max(), fraction);
        Aabb::new(min, max).expect("what is between two boxes is one, because rounding keeps order")
    }

    /// The path of its lower corner.
    pub(crate) fn path(&self) -> &RayCast {
        &self.path
    }

    /// How far along its path it first touches the box, from 0 to 1; `None` if it never does. **The** test of a
    /// moving box against another.
    ///
    /// ```
    /// use throng_core::{Aabb, BoxCast};
    ///
    /// let wall = Aabb::new([10.0, -5.0], [11.0, 5.0])?;
    /// let cart = BoxCast::new(Aabb::new([0.0, 0.0], [2.0, 2.0])?, [16.0, 0.0])?;
    /// assert_eq!(cart.entry(&wall), Some(0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn entry(&self, aabb: &Aabb) -> Option<f32> {
        if self.begin.overlaps(aabb) {
            return Some(0.0);
        }
        let (min, max) = (aabb.min(), aabb.max());
        let reached = for_both(|axis| min[axis] - self.size[axis]);
        let on_its_way = Aabb::new(reached, max)
            .ok()
            .and_then(|aabb| self.path.entry(&aabb));
        on_its_way.or_else(|| self.end.overlaps(aabb).then_some(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side() -> BoxedStrategy<[f32; 2]> {
        let coordinate = prop_oneof![
            6 => (-40..40_i32).prop_map(|step| step as f32 / 4.0),
            2 => -10.0_f32..10.0,
            1 => -1e30_f32..1e30,
        ];
        [coordinate.clone(), coordinate]
            .prop_map(|[a, b]| [a.min(b), a.max(b)])
            .boxed()
    }

    fn aabb() -> BoxedStrategy<Aabb> {
        [side(), side()]
            .prop_map(|[x, y]| Aabb::new([x[0], y[0]], [x[1], y[1]]).unwrap())
            .boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn touches_what_its_ends_touch(begin in aabb(), by in [-20.0_f32..20.0, -20.0_f32..20.0], other in aabb()) {
            let moving = BoxCast::new(begin, by).unwrap();
            let entry = moving.entry(&other);
            prop_assert_eq!(entry == Some(0.0) || !begin.overlaps(&other), true);
            prop_assert!(entry.is_some() || !moving.end().overlaps(&other));
            prop_assert!(entry.is_none_or(|entry| (0.0..=1.0).contains(&entry)));
        }

        /// If only the lower corner were tested, rounding would lose half of these.
        #[test]
        fn touches_what_it_only_just_reaches(
            begin in aabb(), by in [-20.0_f32..20.0, -20.0_f32..20.0], more in [0.0_f32..5.0, 0.0_f32..5.0],
        ) {
            let moving = BoxCast::new(begin, by).unwrap();
            let (min, max) = (moving.end().min(), moving.end().max());
            let beyond = Aabb::new(max, [max[0] + more[0], max[1] + more[1]]).unwrap();
            let before = Aabb::new([min[0] - more[0], min[1] - more[1]], min).unwrap();
            for other in [beyond, before] {
                prop_assert!(moving.entry(&other).is_some(), "{moving:?} ends where {other} begins");
            }
        }

        #[test]
        fn a_larger_box_is_touched_no_later(
            begin in aabb(), by in [-20.0_f32..20.0, -20.0_f32..20.0], inner in aabb(), more in aabb(),
        ) {
            let moving = BoxCast::new(begin, by).unwrap();
            let outer = inner.union(&more);
            if let Some(entry) = moving.entry(&inner) {
                let sooner = moving.entry(&outer);
                prop_assert!(sooner.is_some_and(|sooner| sooner <= entry), "{sooner:?} {entry}");
            }
        }

        /// Where nothing is rounded, stepping along the path gives the same.
        #[test]
        fn agrees_with_going_there_step_by_step(
            at in [-20..20_i32, -20..20_i32], size in [0..8_i32, 0..8_i32], by in [-16..=16_i32, -16..=16_i32],
            other in [-20..20_i32, -20..20_i32], other_size in [0..8_i32, 0..8_i32],
        ) {
            let boxed = |at: [i32; 2], size: [i32; 2]| {
                let min = at.map(|v| v as f32);
                Aabb::new(min, for_both(|axis| min[axis] + size[axis] as f32)).unwrap()
            };
            let (begin, target) = (boxed(at, size), boxed(other, other_size));
            let moving = BoxCast::new(begin, by.map(|v| v as f32)).unwrap();
            let touched = (0..=256).find(|&step| {
                let moved = |corner: [f32; 2]| {
                    for_both(|axis| corner[axis] + by[axis] as f32 * step as f32 / 256.0)
                };
                Aabb::new(moved(begin.min()), moved(begin.max())).unwrap().overlaps(&target)
            });
            let entry = moving.entry(&target);
            match touched {
                Some(step) => {
                    let entry = entry.expect("it is touched");
                    let step = step as f32 / 256.0;
                    prop_assert!(entry <= step + 1e-6 && entry > step - 1.0 / 256.0 - 1e-6, "{entry} {step}");
                }
                // A corner may be grazed between two steps.
                None => prop_assert!(entry.is_none_or(|entry| entry > 0.0)),
            }
        }
    }

    #[test]
    fn refuses_what_never_ends() {
        let wall = Aabb::new([0.0, f32::NEG_INFINITY], [1.0, 0.0]).unwrap();
        let error = BoxCast::new(wall, [1.0, 0.0]).unwrap_err();
        assert!(error.to_string().contains("bounded"), "{error}");
        let far = Aabb::new([3e38, 0.0], [3e38, 0.0]).unwrap();
        assert!(BoxCast::new(far, [3e38, 0.0]).is_err());
        assert!(BoxCast::new(far, [f32::NAN, 0.0]).is_err());
        let wide = Aabb::new([-3e38, 0.0], [3e38, 0.0]).unwrap();
        assert!(BoxCast::new(wide, [0.0, 0.0]).is_err());
    }
}
