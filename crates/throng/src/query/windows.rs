//! The windows along a way through which an index is asked.

use throng_core::Aabb;

use crate::query::way::Way;

/// How many spacings of the rows of an index a window along a way is long.
const SPACINGS: f64 = 8.0;
const MOST_WINDOWS: usize = 4096;

/// What a fraction and a coordinate may be off by, as computed in `f32`: four parts in 2^22, and some.
const SLACK: f64 = 1e-6;

/// The part of a way that is near an index, cut into equal parts, and a window around each: whatever of the index the way
/// touches overlaps one of them.
///
/// A window is wider than its part of the way by what the fractions of [`Way::entry`] may be off by there, so that no
/// rounding leads out of it. From one window to the next all sides go the same way along each axis; therefore a box
/// overlaps windows that follow each other, without a gap.
pub(crate) struct Windows {
    from: [f64; 2],
    along: [f64; 2],
    size: [f64; 2],
    /// The fractions of the way between which it is near the index.
    near: [f64; 2],
    count: usize,
}

impl Windows {
    /// Windows for an index with rows in these bounds, about `spacing` apart where most of them are.
    pub(crate) fn along(way: &Way, spacing: f32, bounds: &Aabb) -> Self {
        let [from, to, size] = way.corners().map(|corner| corner.map(f64::from));
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
            // Of a crowd on one spot nothing is known of the spacing.
            windows.count = if count >= 1.0 { count as usize } else { 1 };
        }
        windows
    }

    /// Leaves out what of the way is beyond `min` and `max` on an axis, and then some.
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

    /// What to allow for rounding on an axis where so much of the way is behind.
    fn slack(&self, axis: usize, fraction: f64) -> f64 {
        let coordinates =
            self.from[axis].abs() + self.size[axis] + self.along[axis].abs() * fraction;
        coordinates * SLACK + f64::from(f32::MIN_POSITIVE)
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The fraction of the way at which a part begins.
    fn begin(&self, part: usize) -> f64 {
        self.near[0] + (self.near[1] - self.near[0]) * (part as f64 / self.count as f64)
    }

    /// The window around a part of the way.
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

    /// Whether nothing that a part is the first to find can be reached before `fraction` of the way, however that was
    /// rounded.
    pub(crate) fn is_beyond(&self, part: usize, fraction: f32) -> bool {
        part > 0 && f64::from(fraction) * (1.0 + SLACK) < self.begin(part - 1)
    }
}
