//! The windows along a path with which an index is searched.

use throng_core::{Aabb, for_both};

use crate::query::cast::Cast;

/// How many times the spacing of an index's rows a window along a path is long.
pub(crate) const SPACINGS: f32 = 8.0;
/// The same where a search ends at the first hit, which comes soon. With 8 it took half as long again among units that
/// touch one or two others each, and with 2 much longer where there is nothing to hit.
pub(crate) const SPACINGS_TO_FIRST: f32 = 4.0;
const MOST_WINDOWS: usize = 4096;

/// A path of more windows than this is long: endless, most likely. What allows for rounding at its far end, or an even
/// share of it, may be longer than the world. Shorter ones are cut as they always were, which decides the order of visits.
const LONG: f64 = (1_u64 << 40) as f64;
/// A long path with more parts near the index than this many times as many as there may be is not cut evenly: even parts
/// would be so long that the first holds everything.
const MANY_TIMES: f64 = 64.0;
/// This many parts then keep the usual length; each of the others is as long as all before it together.
const EVEN_PARTS: usize = 512;
const MOST_DOUBLINGS: usize = 100;

/// The rounding error allowed for a fraction and a coordinate computed in `f32`: a little over 4 / 2^22.
const SLACK: f64 = 1e-6;
/// The error allowed for a fraction too small to have all its digits: 2^-147, four times the smallest `f32`.
const SMALLEST: f64 = 5.605_193_857_299_268e-45;

/// The part of a path that is near an index, cut into parts with a window around each. Whatever the path touches in the
/// index overlaps one of the windows.
///
/// The parts are equal, unless an endless ray meets an index with endless boxes, or with something extremely far away.
///
/// A window is wider than its part of the path, by the possible error of the fractions of [`Cast::entry`] there, so
/// that rounding cannot lead out of it. From one window to the next all sides move in the same direction along each
/// axis; so the windows that a box overlaps are consecutive, without a gap.
pub(crate) struct Windows {
    from: [f64; 2],
    along: [f64; 2],
    size: [f64; 2],
    /// The fractions of the path between which it is near the index.
    near: [f64; 2],
    count: usize,
    /// The fraction of the path in a part of the usual length, if parts are not equal.
    growing: Option<f64>,
}

impl Windows {
    /// Windows of about this length, or that of the moving box or circle if it is longer, for an index with rows in these bounds.
    pub(crate) fn along(cast: &Cast, length: f32, bounds: &Aabb) -> Self {
        let [from, to, size] = cast.corners().map(|corner| corner.map(f64::from));
        let mut windows = Self {
            from,
            along: for_both(|axis| to[axis] - from[axis]),
            size,
            near: [0.0, 1.0],
            count: 0,
            growing: None,
        };
        let longer = windows.along[0].abs().max(windows.along[1].abs());
        let length = f64::from(length).max(size[0].max(size[1]));
        let is_long = length > 0.0 && longer > LONG * length;
        for axis in [0, 1] {
            let sides = [bounds.min()[axis].into(), bounds.max()[axis].into()];
            windows.clip(axis, sides, is_long);
        }
        let part = windows.near[1] - windows.near[0];
        if part >= 0.0 {
            // Windows shorter than what is allowed for rounding would all hold the same. If all rows are on one spot, nothing
            // is known of their spacing.
            let shortest = windows.slack(0, 0.0).max(windows.slack(1, 0.0));
            let parts = if length > 0.0 {
                longer * part / length.max(shortest)
            } else {
                1.0
            };
            windows.cut(part, parts, is_long);
        }
        windows
    }

    /// Cuts the part of the path that is near into about this many parts.
    fn cut(&mut self, part: f64, parts: f64, is_long: bool) {
        if !(is_long && parts > MANY_TIMES * MOST_WINDOWS as f64) {
            let count = parts.min(MOST_WINDOWS as f64);
            self.count = if count >= 1.0 { count as usize } else { 1 };
            return;
        }
        let enough = (1..MOST_DOUBLINGS).find(|&doublings| doubled(doublings) >= parts);
        self.count = EVEN_PARTS + enough.unwrap_or(MOST_DOUBLINGS);
        self.growing = Some(part / parts);
    }

    /// Leaves out the part of the path beyond two sides on an axis, as far as rounding allows.
    ///
    /// The allowance at the end of the path does for all of it, unless it is long. Then the path is near from where it
    /// and its allowance there reach one side, which is sooner than the path alone, to where it passes the other in spite
    /// of that, which is later.
    fn clip(&mut self, axis: usize, [min, max]: [f64; 2], is_long: bool) {
        let along = self.along[axis];
        let (slack, growth) = if is_long {
            (self.slack(axis, 0.0), SLACK)
        } else {
            (self.slack(axis, 1.0), 0.0)
        };
        let (min, max) = (min - self.size[axis] - slack, max + slack);
        let from = self.from[axis];
        if along == 0.0 {
            if from < min || from > max {
                self.near = [1.0, 0.0];
            }
            return;
        }
        let [a, b] = [(min - from) / along, (max - from) / along];
        self.near[0] = self.near[0].max(a.min(b) / (1.0 + growth));
        self.near[1] = self.near[1].min(a.max(b) / (1.0 - growth));
    }

    /// The rounding allowance on an axis after this fraction of the path.
    fn slack(&self, axis: usize, fraction: f64) -> f64 {
        let along = self.along[axis].abs();
        let coordinates = self.from[axis].abs() + self.size[axis] + along * fraction;
        coordinates * SLACK + along * SMALLEST + f64::from(f32::MIN_POSITIVE)
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The fraction of the path at which a part begins.
    fn begin(&self, part: usize) -> f64 {
        let [first, last] = self.near;
        match self.growing {
            Some(_) if part == self.count => last,
            Some(usual) => {
                let even = part.min(EVEN_PARTS);
                let parts = if part > even {
                    doubled(part - even)
                } else {
                    even as f64
                };
                first + usual * parts
            }
            None => first + (last - first) * (part as f64 / self.count as f64),
        }
    }

    /// The window around a part of the path.
    pub(crate) fn window(&self, part: usize) -> Aabb {
        let [begin, end] = [self.begin(part), self.begin(part + 1)];
        let [x, y] = for_both(|axis| {
            let at = |fraction: f64| self.from[axis] + self.along[axis] * fraction;
            let (slack_a, slack_b) = (self.slack(axis, begin), self.slack(axis, end));
            let (a, b) = (at(begin), at(end));
            let low = (a - slack_a).min(b - slack_b);
            let high = (a + slack_a).max(b + slack_b) + self.size[axis];
            [low as f32, high as f32]
        });
        Aabb::new([x[0], y[0]], [x[1], y[1]]).expect("finite corners make a window")
    }

    /// Whether everything that a part is the first to find is reached at or after `fraction` of the path, despite
    /// rounding.
    pub(crate) fn is_beyond(&self, part: usize, fraction: f32) -> bool {
        part > 0 && f64::from(fraction) * (1.0 + SLACK) < self.begin(part - 1)
    }
}

/// How long the whole is, in usual parts, after the even parts and then this many that each double it.
fn doubled(times: usize) -> f64 {
    EVEN_PARTS as f64 * (1_u128 << times) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::RayCast;

    const ENDLESS: f32 = f32::INFINITY;

    fn windows(from: [f32; 2], direction: [f32; 2], reach: f32, bounds: &Aabb) -> Windows {
        let ray = RayCast::from_ray(from, direction, reach).unwrap();
        Windows::along(&ray.into(), 8.0, bounds)
    }

    fn square(min: f32, max: f32) -> Aabb {
        Aabb::new([min; 2], [max; 2]).unwrap()
    }

    /// A part begins where the one before ends, and its window holds both its ends.
    fn check_parts(windows: &Windows) {
        for part in 0..windows.len() {
            let window = windows.window(part);
            for fraction in [windows.begin(part), windows.begin(part + 1)] {
                let point =
                    for_both(|axis| (windows.from[axis] + windows.along[axis] * fraction) as f32);
                assert!(window.contains_point(point), "{part}: {window} {point:?}");
            }
            assert!(windows.begin(part) < windows.begin(part + 1), "{part}");
        }
        let ends = [windows.begin(0), windows.begin(windows.len())];
        assert_eq!(ends, windows.near);
    }

    #[test]
    fn where_windows_would_all_hold_the_same_there_are_few() {
        let cast = |x: f32| RayCast::from_to([x - 25.0, 0.0], [x + 25.0, 0.0]).unwrap();
        let all_on_one_spot = Windows::along(&cast(0.0).into(), 0.0, &square(-1.0, 1.0));
        check_parts(&all_on_one_spot);
        assert_eq!(all_on_one_spot.len(), 1);
        // Coordinates are 64 apart there.
        let far_out = Aabb::new([1e9 - 64.0, -1.0], [1e9 + 64.0, 1.0]).unwrap();
        let few = Windows::along(&cast(1e9).into(), 1e-3, &far_out);
        assert!(few.len() < 8, "{}", few.len());
        let near = Windows::along(&cast(0.0).into(), 1e-3, &square(-20.0, 20.0));
        assert!(near.len() > 1000, "{}", near.len());
    }

    #[test]
    fn an_endless_ray_looks_no_farther_than_the_index() {
        for direction in [[1.0, 0.0], [-0.6, 0.8], [0.5, -0.5], [1e-6, 1.0]] {
            let windows = windows([40.0, 50.0], direction, ENDLESS, &square(0.0, 100.0));
            check_parts(&windows);
            assert!((5..=18).contains(&windows.len()), "{}", windows.len());
            for part in 0..windows.len() {
                let window = windows.window(part);
                assert!(square(-1.0, 101.0).contains(&window), "{window}");
                let size = for_both(|axis| window.max()[axis] - window.min()[axis]);
                assert!(size.iter().all(|&size| size < 17.0), "{window}");
            }
        }
        let away = windows([-1.0, 50.0], [-1.0, 0.0], ENDLESS, &square(0.0, 100.0));
        assert_eq!(away.len(), 0);
    }

    #[test]
    fn among_endless_boxes_too_the_first_windows_are_small() {
        let windows = windows([40.0, 50.0], [0.6, 0.8], ENDLESS, &Aabb::EVERYWHERE);
        check_parts(&windows);
        let count = windows.len();
        assert!(count < EVEN_PARTS + MOST_DOUBLINGS, "{count}");
        for part in 0..EVEN_PARTS {
            let window = windows.window(part);
            let size = for_both(|axis| window.max()[axis] - window.min()[axis]);
            assert!(size.iter().all(|&size| size < 9.0), "{part}: {window}");
        }
        assert_eq!(windows.near, [0.0, 1.0]);
        assert!(!windows.is_beyond(1, 0.0) && windows.is_beyond(2, 0.0));
    }
}
