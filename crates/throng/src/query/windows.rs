//! The windows along a path with which an index is searched.

use throng_core::Aabb;

use crate::query::cast::Cast;

/// How many times the spacing of an index's rows a window along a path is long.
const SPACINGS: f64 = 8.0;
const MOST_WINDOWS: usize = 4096;

/// The rounding error allowed for a fraction and a coordinate computed in `f32`: a little over 4 / 2^22.
const SLACK: f64 = 1e-6;

/// The part of a path that is near an index, cut into equal parts with a window around each. Whatever the path
/// touches in the index overlaps one of the windows.
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
}

impl Windows {
    /// Windows for an index with rows in these bounds, about `spacing` apart where most of them are.
    pub(crate) fn along(cast: &Cast, spacing: f32, bounds: &Aabb) -> Self {
        let [from, to, size] = cast.corners().map(|corner| corner.map(f64::from));
        let mut windows = Self {
            from,
            along: [0, 1].map(|axis| to[axis] - from[axis]),
            size,
            near: [0.0, 1.0],
            count: 0,
        };
        for axis in [0, 1] {
            windows.clip(axis, bounds.min()[axis].into(), bounds.max()[axis].into());
        }
        let part = windows.near[1] - windows.near[0];
        if part >= 0.0 {
            let longer = windows.along[0].abs().max(windows.along[1].abs()) * part;
            let length = (SPACINGS * f64::from(spacing)).max(size[0].max(size[1]));
            let count = (longer / length).min(MOST_WINDOWS as f64);
            // If all rows are on one spot, nothing is known of the spacing.
            windows.count = if count >= 1.0 { count as usize } else { 1 };
        }
        windows
    }

    /// Leaves out the part of the path beyond `min` and `max` on an axis, with some margin.
    fn clip(&mut self, axis: usize, min: f64, max: f64) {
        let along = self.along[axis];
        let slack = self.slack(axis, 1.0);
        let (min, max) = (min - self.size[axis] - slack, max + slack);
        let from = self.from[axis];
        if along == 0.0 {
            if from < min || from > max {
                self.near = [1.0, 0.0];
            }
            return;
        }
        let [a, b] = [(min - from) / along, (max - from) / along];
        self.near[0] = self.near[0].max(a.min(b));
        self.near[1] = self.near[1].min(a.max(b));
    }

    /// The rounding allowance on an axis after this fraction of the path.
    fn slack(&self, axis: usize, fraction: f64) -> f64 {
        let coordinates =
            self.from[axis].abs() + self.size[axis] + self.along[axis].abs() * fraction;
        coordinates * SLACK + f64::from(f32::MIN_POSITIVE)
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The fraction of the path at which a part begins.
    fn begin(&self, part: usize) -> f64 {
        self.near[0] + (self.near[1] - self.near[0]) * (part as f64 / self.count as f64)
    }

    /// The window around a part of the path.
    pub(crate) fn window(&self, part: usize) -> Aabb {
        let [begin, end] = [self.begin(part), self.begin(part + 1)];
        let [x, y] = [0, 1].map(|axis| {
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
