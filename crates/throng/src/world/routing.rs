//! Which category a box goes into.

use std::cmp::Ordering;

use educe::Educe;
use throng_core::{Aabb, for_both};

use crate::error::PlacementError;
use crate::world::config::{BroadphaseConfig, CategoryConfig, CategoryKind};
use crate::world::given_boxes::{SEVERAL, SeveralBoxes};
use crate::world::proxy::Extent;

/// The categories in the order in which a box is tried with them: uniform ones, smallest bound first, then oversized
/// ones. For scenery: its categories, smallest bound first. Sensors are not tried, unless there is nothing else: what is meant to
/// be one is named, and a thing too large for the others is not to become one unnoticed.
///
/// Invariant: one step per category of the config, sorted by kind, then by area of the bound, then by its shorter side,
/// then by index in the config.
#[derive(Educe)]
#[educe(Clone)]
pub(crate) struct Router {
    steps: Vec<Step>,
    /// The hysteresis: a proxy moves back when it is at most this fraction of a smaller bound.
    migrate_back: f32,
}

#[derive(Clone, Copy)]
struct Step {
    category: u16,
    kind: CategoryKind,
    bound: [f32; 2],
    /// Whether a box may come here by its size.
    by_size: bool,
}

/// The category for a box, and what is stored of the box there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Routed {
    pub(crate) category: u16,
    pub(crate) extent: Extent,
}

impl Router {
    /// O(c log c) for c categories; `config` must be checked.
    pub(crate) fn new(config: &BroadphaseConfig) -> Self {
        let are_fixed = |settings: &CategoryConfig| settings.kind == CategoryKind::Scenery;
        let are_all_sensors = [false, true].map(|fixed| {
            let mut such = config.categories.iter().filter(|of| are_fixed(of) == fixed);
            such.all(|settings| settings.sensor)
        });
        let mut steps: Vec<Step> = (0u16..)
            .zip(&config.categories)
            .map(|(category, settings)| Step {
                category,
                kind: settings.kind,
                bound: settings.half_extents,
                by_size: !settings.sensor || are_all_sensors[usize::from(are_fixed(settings))],
            })
            .collect();
        // The sort is stable, so equal bounds stay in config order.
        steps.sort_by(|a, b| {
            let by_kind = order_of(a.kind).cmp(&order_of(b.kind));
            by_kind.then(by_size(a.bound, b.bound))
        });
        Self {
            steps,
            migrate_back: config.migrate_back,
        }
    }

    /// The smallest category that holds the box: scenery if it is fixed, otherwise one that moves, with oversized ones
    /// last. O(c) for c categories.
    pub(crate) fn route(
        &self,
        extent: &Extent,
        fixed: bool,
        config: &BroadphaseConfig,
    ) -> Result<Routed, PlacementError> {
        self.first_fit(extent, fixed, config, |step| step.by_size)
    }

    /// Where a routed proxy in category `current` belongs: there; or in a bigger one, if it no longer fits; or in a
    /// smaller one, if it has become clearly smaller. Scenery stays scenery.
    pub(crate) fn reroute(
        &self,
        extent: &Extent,
        current: u16,
        config: &BroadphaseConfig,
    ) -> Result<Routed, PlacementError> {
        let mut below_current = true;
        let fixed = config.categories[usize::from(current)].kind == CategoryKind::Scenery;
        self.first_fit(extent, fixed, config, |step| {
            let is_current = step.category == current;
            below_current &= !is_current;
            (is_current || step.by_size)
                && (!below_current || is_clearly_smaller(extent, step.bound, self.migrate_back))
        })
    }

    /// How to tell that boxes stay in `current`, which is not scenery.
    pub(crate) fn staying_in(&self, current: u16) -> Staying<'_> {
        let is_current = |step: &Step| step.category == current;
        let position = self.steps.iter().position(is_current);
        let position = position.expect("there is a step for each category");
        Staying {
            smaller: &self.steps[..position],
            bound: self.steps[position].bound,
            migrate_back: self.migrate_back,
        }
    }

    fn first_fit(
        &self,
        extent: &Extent,
        fixed: bool,
        config: &BroadphaseConfig,
        mut may: impl FnMut(&Step) -> bool,
    ) -> Result<Routed, PlacementError> {
        let first_fixed = self
            .steps
            .partition_point(|step| step.kind != CategoryKind::Scenery);
        let (moving, scenery) = self.steps.split_at(first_fixed);
        let steps = if fixed { scenery } else { moving };
        for step in steps {
            if may(step)
                && let Some(extent) = fit(extent, step.bound)
            {
                let category = step.category;
                return Ok(Routed { category, extent });
            }
        }
        Err(Self::no_fit(extent, fixed, steps, config))
    }

    /// Why a box is in none of these categories.
    #[cold]
    fn no_fit(
        extent: &Extent,
        fixed: bool,
        steps: &[Step],
        config: &BroadphaseConfig,
    ) -> PlacementError {
        let by_their_size = steps.iter().filter(|step| step.by_size);
        let largest = by_their_size.max_by(|a, b| by_size(a.bound, b.bound));
        let Some(largest) = largest else {
            return if fixed {
                PlacementError::NoScenery
            } else {
                PlacementError::OnlyScenery
            };
        };
        let name = |step: &Step| config.categories[usize::from(step.category)].name.clone();
        if fixed {
            return PlacementError::TooLargeForScenery {
                given: extent.half_extents,
                largest: name(largest),
                bound: largest.bound,
            };
        }
        if extent.infinite.any() {
            return PlacementError::Unbounded { aabb: extent.aabb };
        }
        let sensor = steps
            .iter()
            .find(|step| !step.by_size && fits(extent, step.bound));
        PlacementError::TooLarge {
            given: extent.half_extents,
            largest: name(largest),
            bound: largest.bound,
            sensor: sensor.map(name),
        }
    }
}

fn is_clearly_smaller(extent: &Extent, bound: [f32; 2], migrate_back: f32) -> bool {
    (0..2).all(|axis| extent.half_extents[axis] <= migrate_back * bound[axis])
}

/// A quick test that a box stays in its category: it fits, and is not so small that a proxy that was routed by its size would go to a
/// smaller one.
#[derive(Clone, Copy)]
pub(crate) struct Staying<'r> {
    /// The categories that come before it in the order of routing.
    smaller: &'r [Step],
    bound: [f32; 2],
    migrate_back: f32,
}

impl Staying<'_> {
    /// What is stored of a box that stays. `None` if it has a side at infinity, or may not stay: then the caller has to route it.
    /// `is_named` says whether the proxy was put there by name, and is asked only if that matters.
    #[inline(always)]
    pub(crate) fn fit(&self, extent: &Extent, is_named: impl FnOnce() -> bool) -> Option<Fitted> {
        let [x, y] = extent.half_extents;
        if x == f32::INFINITY || y == f32::INFINITY {
            return None;
        }
        let goes_back =
            |step: &Step| step.by_size && is_clearly_smaller(extent, step.bound, self.migrate_back);
        if self.smaller.iter().any(goes_back) && !is_named() {
            return None;
        }
        fit_under(extent, self.bound)
    }

    /// Whether several boxes all fit, and are stored as they are. If not, each is to be looked at by itself.
    #[inline(always)]
    pub(crate) fn fits_all(&self, boxes: &SeveralBoxes) -> bool {
        let [xs, ys] = &boxes.half_extents;
        let [x, y] = self.bound;
        let mut are_any_others = 0;
        for k in 0..SEVERAL {
            are_any_others |= u32::from(xs[k] > x) | u32::from(ys[k] > y);
        }
        if let Some([min, max]) = &boxes.sides {
            for axis in [0, 1] {
                if self.bound[axis] < f32::INFINITY {
                    for k in 0..SEVERAL {
                        let (min, max) = (min[axis][k], max[axis][k]);
                        let is_unlike = is_unlike_bound(min, max, self.bound[axis]);
                        are_any_others |= u32::from(!is_unlike);
                    }
                }
            }
        }
        are_any_others == 0
    }

    /// Whether none of several boxes that fit would go to a smaller category.
    #[inline(always)]
    pub(crate) fn keeps_all(&self, boxes: &SeveralBoxes) -> bool {
        let [xs, ys] = &boxes.half_extents;
        let mut may_any_go = 0;
        for step in self.smaller {
            if step.by_size {
                let x = self.migrate_back * step.bound[0];
                let y = self.migrate_back * step.bound[1];
                for k in 0..SEVERAL {
                    may_any_go |= u32::from(xs[k] <= x) & u32::from(ys[k] <= y);
                }
            }
        }
        may_any_go == 0
    }
}

/// What is stored of a box: in [`Staying`], of one without a side at infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fitted {
    pub(crate) center: [f32; 2],
    pub(crate) half_extents: [f32; 2],
}

/// The position of a kind in the order of routing.
fn order_of(kind: CategoryKind) -> u8 {
    match kind {
        CategoryKind::Uniform => 0,
        CategoryKind::Oversized => 1,
        CategoryKind::Scenery => 2,
    }
}

/// Puts a box into the category that was named for it.
pub(crate) fn place_in(
    extent: &Extent,
    category: u16,
    config: &BroadphaseConfig,
) -> Result<Routed, PlacementError> {
    let settings = &config.categories[usize::from(category)];
    if let Some(extent) = fit(extent, settings.half_extents) {
        return Ok(Routed { category, extent });
    }
    Err(PlacementError::OverBound {
        given: extent.half_extents,
        category: settings.name.clone(),
        bound: settings.half_extents,
    })
}

/// Whether a box fits under a bound.
pub(crate) fn fits(extent: &Extent, bound: [f32; 2]) -> bool {
    fit(extent, bound).is_some()
}

/// What is stored of a box under a bound, if it fits: a center and half extents, no larger than the bound on any axis,
/// whose box contains the given one.
#[inline(always)]
pub(crate) fn fit(extent: &Extent, bound: [f32; 2]) -> Option<Extent> {
    let Fitted {
        center,
        half_extents,
    } = fit_under(extent, bound)?;
    Some(Extent {
        center,
        half_extents,
        ..*extent
    })
}

/// [`fit`], but only the center and the half extents, which are infinite on an axis with an infinite side.
#[inline(always)]
fn fit_under(extent: &Extent, bound: [f32; 2]) -> Option<Fitted> {
    let mut placement = Fitted {
        center: extent.center,
        half_extents: extent.half_extents,
    };
    for axis in [0, 1] {
        if placement.half_extents[axis] > bound[axis] {
            if !extent.from_sides || placement.half_extents[axis] == f32::INFINITY {
                return None;
            }
            placement.center[axis] = center_under_bound(&extent.aabb, axis, bound[axis])?;
            placement.half_extents[axis] = bound[axis];
        } else if extent.from_sides
            && bound[axis] < f32::INFINITY
            && !is_unlike_bound(
                extent.aabb.min()[axis],
                extent.aabb.max()[axis],
                bound[axis],
            )
            && let Some(center) = center_of_bound(extent, axis, bound[axis])
        {
            placement.center[axis] = center;
            placement.half_extents[axis] = bound[axis];
        }
    }
    Some(placement)
}

/// Half extents, each no more than the bound if it is finite.
pub(crate) fn under(bound: [f32; 2], half: [f32; 2]) -> [f32; 2] {
    for_both(|axis| {
        if half[axis] < f32::INFINITY {
            half[axis].min(bound[axis])
        } else {
            half[axis]
        }
    })
}

/// The center from which `bound` reaches just the sides of the box on one axis, if there is one. Half the width may still
/// come out less than the bound, because the sides are rounded. Hardly any box is as large as the bound, so ask
/// [`is_unlike_bound`] first.
fn center_of_bound(extent: &Extent, axis: usize, bound: f32) -> Option<f32> {
    let (min, max) = (extent.aabb.min()[axis], extent.aabb.max()[axis]);
    let is_just_reached = |center: &f32| center - bound == min && center + bound == max;
    let own = Some(extent.center[axis]).filter(is_just_reached);
    own.or_else(|| center_under_bound(&extent.aabb, axis, bound).filter(is_just_reached))
}

/// Whether a box is for sure not as wide as the bound, told cheaply: each side is rounded by no more than 2^-24 of its magnitude, or by
/// the smallest positive number, and twice that is allowed for.
#[inline(always)]
fn is_unlike_bound(min: f32, max: f32, bound: f32) -> bool {
    let (low, high) = (f64::from(min), f64::from(max));
    let rounded_off = (low.abs() + high.abs()) / f64::from(1 << 23) + f64::from(f32::from_bits(4));
    (high - low - 2.0 * f64::from(bound)).abs() > rounded_off
}

/// A center from which `bound` reaches both sides of the box on one axis, if there is one.
///
/// The sides of a box that was made from a center and the bound itself are rounded. So half its width may come out an
/// ulp over the bound, and the box must fit nonetheless. A center `c` is good if and only if `fl(c - bound) <= min` and
/// `fl(c + bound) >= max`. That is an interval of centers, whose ends are half an ulp of `min` and of `max` outside
/// `max - bound` and `min + bound`. If it contains any `f32`, it contains the one nearest to its center.
fn center_under_bound(aabb: &Aabb, axis: usize, bound: f32) -> Option<f32> {
    let (min, max) = (aabb.min()[axis], aabb.max()[axis]);
    let lowest = (f64::from(max) + f64::from(max.next_down())) / 2.0 - f64::from(bound);
    let highest = (f64::from(min) + f64::from(min.next_up())) / 2.0 + f64::from(bound);
    let center = ((lowest + highest) / 2.0) as f32;
    (center - bound <= min && center + bound >= max && center.is_finite()).then_some(center)
}

/// Orders bounds by area; infinite areas by their shorter side.
fn by_size(a: [f32; 2], b: [f32; 2]) -> Ordering {
    let area = |[x, y]: [f32; 2]| {
        if x.is_infinite() || y.is_infinite() {
            f64::INFINITY
        } else {
            f64::from(x) * f64::from(y)
        }
    };
    let shorter = |[x, y]: [f32; 2]| x.min(y);
    let by_area = area(a).total_cmp(&area(b));
    by_area.then(shorter(a).total_cmp(&shorter(b)))
}

#[cfg(test)]
mod tests {
    use throng_core::InfiniteSides;

    use super::*;
    use crate::world::config::CategoryConfig;

    fn config() -> BroadphaseConfig {
        BroadphaseConfig::new()
            .category(CategoryConfig::uniform("ogres", 4.0))
            .category(CategoryConfig::uniform("pixies", 0.1))
            .category(CategoryConfig::uniform("infantry", 1.0))
    }

    fn extent(half: f32) -> Extent {
        Extent::of(Aabb::from_center([3.0, 4.0], [half; 2]).unwrap())
    }

    #[test]
    fn smallest_category_that_holds_the_box() {
        let config = config();
        let router = Router::new(&config);
        let routed = |half| {
            router
                .route(&extent(half), false, &config)
                .map(|placement| placement.category)
        };
        assert_eq!(routed(0.0), Ok(1));
        assert_eq!(routed(0.1), Ok(1));
        assert_eq!(routed(0.5), Ok(2));
        assert_eq!(routed(3.9), Ok(0));
        assert!(
            matches!(routed(4.1), Err(PlacementError::TooLarge { largest, .. }) if largest == "ogres")
        );
    }

    #[test]
    fn bounds_without_end_are_offered_the_thinnest_first() {
        let wide = |name, half| CategoryConfig::oversized(name).half_extents([f32::INFINITY, half]);
        let config = BroadphaseConfig::new()
            .category(wide("thick", 100.0))
            .category(wide("thin", 1.0))
            .category(wide("flat", 0.0))
            .category(CategoryConfig::uniform("units", 1.0));
        let router = Router::new(&config);
        let route = |half: f32| {
            let wall =
                Extent::of(Aabb::new([f32::NEG_INFINITY, -half], [f32::INFINITY, half]).unwrap());
            router
                .route(&wall, false, &config)
                .map(|placement| placement.category)
        };
        assert_eq!(route(0.5).unwrap(), 1);
        assert_eq!(route(0.0).unwrap(), 2);
        assert_eq!(route(50.0).unwrap(), 0);
    }

    #[test]
    fn moves_back_only_when_clearly_smaller() {
        let config = config();
        let router = Router::new(&config);
        let rerouted = |half, current| {
            router
                .reroute(&extent(half), current, &config)
                .unwrap()
                .category
        };
        assert_eq!(rerouted(0.9, 0), 0, "fits infantry, but only just");
        assert_eq!(rerouted(0.79, 0), 2);
        assert_eq!(rerouted(0.9, 2), 2);
        assert_eq!(rerouted(1.1, 2), 0, "outgrown");
        assert_eq!(rerouted(0.07, 0), 1, "two categories down at once");
    }

    #[test]
    fn a_size_given_as_such_is_not_lost_where_sides_round() {
        let config = config();
        let router = Router::new(&config);
        for (center, half, category) in [(1e8, 0.9, 2), (1e7, 1.4, 0), (1e8, 0.1, 1)] {
            let aabb = Aabb::from_center([center; 2], [half; 2]).unwrap();
            let extent = Extent {
                aabb,
                center: [center; 2],
                half_extents: [half; 2],
                infinite: InfiniteSides::default(),
                from_sides: false,
            };
            let placement = router.route(&extent, false, &config).unwrap();
            assert_eq!(placement.category, category, "{half} at {center}");
            assert_eq!(placement.extent, extent);
        }
    }

    #[test]
    fn a_box_made_with_the_bound_fits_the_bound() {
        let mut random = 12345u64;
        let mut next = || {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (random >> 40) as f32 / (1 << 24) as f32
        };
        for _ in 0..20_000 {
            let bound = next() * 10.0f32.powi((next() * 12.0) as i32 - 6) + 1e-9;
            let center = (next() - 0.5) * 10.0f32.powi((next() * 20.0) as i32 - 10);
            let extent = Extent::of(Aabb::from_center([center, 0.0], [bound; 2]).unwrap());
            let placement =
                fit(&extent, [bound; 2]).unwrap_or_else(|| panic!("{center} ± {bound}"));
            let stored = Aabb::from_center(placement.center, placement.half_extents).unwrap();
            assert!(stored.contains(&extent.aabb), "{center} ± {bound}");
        }
    }
}
