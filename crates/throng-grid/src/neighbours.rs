//! Which leaves, and which part of each, can touch a window.

use crate::leaf::{Bounds, Leaf, Strip};
use crate::search::{partition_point_near_back, partition_point_near_front};
use crate::{PointGrid, run::Centers};
use std::ops::Range;
use throng_core::cell::{reach_above, reach_below};
use throng_core::overlaps_1d;

impl PointGrid {
    /// The strips whose boxes can touch the window, ascending.
    pub(crate) fn strips_touching(&self, window: &Bounds) -> &[Strip] {
        let cell = |y: f32| self.layout.strips.cell(y);
        let lowest = cell(reach_below(window.min[1], self.bound[1]));
        let highest = cell(reach_above(window.max[1], self.bound[1]));
        let first = self.strips.partition_point(|strip| strip.id < lowest);
        let count = self.strips[first..].partition_point(|strip| strip.id <= highest);
        &self.strips[first..first + count]
    }

    /// The leaves of a strip whose boxes can touch the window along x, ascending.
    pub(crate) fn leaves_touching(&self, strip: Strip, window: &Bounds) -> &[Leaf] {
        let leaves = &self.leaves[strip.first as usize..strip.end as usize];
        let lowest = reach_below(window.min[0], self.bound[0]);
        let highest = reach_above(window.max[0], self.bound[0]);
        let first = leaves.partition_point(|leaf| leaf.bounds.max[0] < lowest);
        let count = leaves[first..].partition_point(|leaf| leaf.bounds.min[0] <= highest);
        &leaves[first..first + count]
    }

    /// The part of a leaf whose boxes can touch the window along x; nothing if none can along y.
    pub(crate) fn centers_touching(&self, leaf: &Leaf, window: &Bounds) -> Centers<'_> {
        let centers = self.centers(leaf);
        let boxes = leaf.bounds.widened(self.bound);
        if !overlaps_1d(boxes.min[1], boxes.max[1], window.min[1], window.max[1]) {
            return centers.slice(0..0);
        }
        centers.slice(self.columns_touching(leaf, centers.xs, window))
    }

    /// Columns ascend along a leaf, and the map from x to column is monotone, so this searches by column.
    fn columns_touching(&self, leaf: &Leaf, xs: &[f32], window: &Bounds) -> Range<usize> {
        let column = |x: f32| self.layout.columns.cell(x);
        let lowest = reach_below(window.min[0], self.bound[0]);
        let highest = reach_above(window.max[0], self.bound[0]);
        let first = if leaf.bounds.min[0] >= lowest {
            0
        } else {
            let lowest = column(lowest);
            partition_point_near_back(xs, |&x| column(x) < lowest)
        };
        let end = if leaf.bounds.max[0] <= highest {
            xs.len()
        } else {
            let highest = column(highest);
            first + partition_point_near_front(&xs[first..], |&x| column(x) <= highest)
        };
        first..end
    }

    /// How far out of order runs inside the window may be; see [`Layout::slack`](crate::layout::Layout::slack).
    pub(crate) fn slack(&self, window: &Bounds) -> f32 {
        self.layout
            .slack([window.min[0], window.max[0]], self.bound[0])
    }
}
