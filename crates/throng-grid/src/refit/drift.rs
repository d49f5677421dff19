//! How far rows are from where the last build put them, and what searches have to allow for therefore.

use crate::PointGrid;
use crate::layout::{COLUMNS, Layout};
use crate::leaf::{Bounds, Leaf};

/// A row may be this many strips from that of its leaf.
const MOST_STRIPS: i32 = 2;

/// How far rows are from where the last build put them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Drift {
    /// In a strip, how far a center may lie to the left of an earlier one. `None` after a build: columns ascend then.
    disorder: Option<f32>,
    /// By how many strips a row may be below and above that of its leaf.
    strips: [i32; 2],
    /// By how many blocks it may be to the left and to the right.
    blocks: [i32; 2],
}

impl Drift {
    /// The strips to look in for rows that are in these, lowest and highest.
    #[inline(always)]
    pub fn strips(&self, [lowest, highest]: [i32; 2]) -> [i32; 2] {
        [lowest - self.strips[1], highest + self.strips[0]]
    }

    /// The same for blocks.
    #[inline(always)]
    pub fn blocks(&self, [first, last]: [i32; 2]) -> [i32; 2] {
        [first - self.blocks[1], last + self.blocks[0]]
    }

    /// Whether rows are where a build would put them.
    pub fn is_none(&self) -> bool {
        self.disorder.is_none()
    }

    /// Whatever is stored before a center below this lies to the left of `x`. `None` without disorder.
    #[inline(always)]
    pub fn before(&self, x: f32) -> Option<f32> {
        self.disorder.map(|disorder| (x - disorder).next_down())
    }

    /// Whatever is stored after a center above this lies to the right of `x`. `None` without disorder.
    #[inline(always)]
    pub fn behind(&self, x: f32) -> Option<f32> {
        self.disorder.map(|disorder| (x + disorder).next_up())
    }

    /// The slack of rows in columns that ascend, or what takes its place; see [`Layout::slack`].
    #[inline]
    pub fn slack(&self, layout: &Layout, window: [f32; 2], half: f32) -> f32 {
        match self.disorder {
            None => layout.slack(window, half),
            Some(disorder) => widened(disorder) + Layout::rounding(window, half),
        }
    }

    /// How much of that is not for rounding.
    #[inline]
    pub fn disorder(&self, layout: &Layout) -> f32 {
        self.disorder.map_or(layout.columns.width(), widened)
    }
}

/// A little more, for what is rounded where it is added to something.
fn widened(disorder: f32) -> f32 {
    disorder * (1.0 + 1.0 / (1 << 20) as f32)
}

impl PointGrid {
    /// How far rows are from where they were put, and with about how many more each is compared therefore. `None` if any of
    /// them is too far, or cannot be indexed.
    pub(super) fn measure_drift(&self) -> Option<(Drift, f32)> {
        let found = &self.refit_scratch.found;
        let within = found.iter().map(|found| found.disorder);
        let mut disorder = within.fold(0.0, f32::max);
        let (mut strips, mut blocks) = ([0; 2], [0; 2]);
        let mut beyond = 0.0_f32;
        for strip in &self.strips {
            let mut furthest = f32::NEG_INFINITY;
            for leaf in &self.leaves[strip.first as usize..strip.end as usize] {
                let Bounds { min, max } = leaf.bounds;
                disorder = disorder.max(furthest - min[0]);
                furthest = furthest.max(max[0]);
                beyond = beyond.max(self.beyond_strip(leaf));
                let [low, high] = [min, max].map(|[x, y]| self.layout.place(x, y));
                if low.is_outside() || high.is_outside() {
                    return None;
                }
                let further = |beyond: [i32; 2], at: i32, [low, high]: [i32; 2]| {
                    [beyond[0].max(at - low), beyond[1].max(high - at)]
                };
                strips = further(strips, leaf.strip, [low.strip, high.strip]);
                blocks = further(blocks, leaf.block, [low.block(), high.block()]);
            }
        }
        let are_good = found.iter().all(|found| found.is_good);
        if !are_good || strips.iter().any(|&strips| strips > MOST_STRIPS) {
            return None;
        }
        if !widened(disorder.next_up()).is_finite() {
            // It overflows, and nothing follows from it.
            return None;
        }
        let more = (disorder - self.layout.columns.width()).max(0.0) + beyond;
        let drift = Drift {
            disorder: Some(disorder.next_up()),
            strips,
            blocks,
        };
        Some((drift, self.rows_within(more)))
    }

    /// How many rows of its strip there are within a length ahead of a row, on average over rows, if each leaf is even.
    pub(super) fn rows_within(&self, ahead: f32) -> f32 {
        let shortest = self.layout.columns.width();
        let in_leaves = self.leaves.iter().map(|leaf| {
            let length = (leaf.bounds.max[0] - leaf.bounds.min[0]).max(shortest);
            let rows = leaf.len as f32;
            rows * (rows * (ahead / length)).min(rows)
        });
        in_leaves.sum::<f32>() / (self.rows as f32).max(1.0)
    }

    /// About where a build puts the rows of a leaf.
    pub(super) fn home(&self, leaf: &Leaf) -> Bounds {
        let (strips, columns) = (self.layout.strips, self.layout.columns);
        let width = columns.width() * COLUMNS as f32;
        let min = [
            columns.origin() + leaf.block as f32 * width,
            strips.origin() + leaf.strip as f32 * strips.width(),
        ];
        Bounds {
            min,
            max: [min[0] + width, min[1] + strips.width()],
        }
    }

    /// About how far rows reach beyond the upper or the lower edge of their strip.
    fn beyond_strip(&self, leaf: &Leaf) -> f32 {
        let home = self.home(leaf);
        let above = leaf.bounds.max[1] - home.max[1];
        above.max(home.min[1] - leaf.bounds.min[1]).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_x() -> BoxedStrategy<f32> {
        let magnitude = (-10.0_f32..24.0).prop_map(f32::exp2);
        (magnitude, any::<bool>())
            .prop_map(|(x, is_negative)| if is_negative { -x } else { x })
            .boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16384, failure_persistence: None, ..ProptestConfig::default() })]

        /// `later` is as far to the left of `earlier` as a refit has measured.
        #[test]
        fn no_test_takes_disorder_for_less(
            earlier in any_x(), back in (-10.0_f32..24.0).prop_map(f32::exp2), half in (-7.0_f32..24.0).prop_map(f32::exp2),
        ) {
            let later = earlier - back;
            let drift = Drift { disorder: Some((earlier - later).next_up()), ..Drift::default() };
            let [low, high] = [later - half, earlier + half];
            let reach = (later - half) + drift.slack(&Layout::single(), [low, high], half);
            prop_assert!(earlier - half <= reach, "{} beyond {reach}", earlier - half);
            prop_assert!(drift.before(earlier).unwrap() <= later);
            prop_assert!(drift.behind(later).unwrap() >= earlier);
        }
    }
}
