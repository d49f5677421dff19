//! A piece of a leaf as boxes of any size look at it: which of its rows can one box reach at all?
//!
//! Nothing is copied. The piece is compared where it lies, sixteen rows at a time, and for each box only the
//! groups of sixteen that it can reach along x: a dozen numbers for a thousand rows tell which. So a piece
//! that few boxes touch costs them, not itself.

use crate::run::{Centers, RunView};
use throng_core::LANES;

/// Groups of a piece, at most. See `pieces`.
const MOST_GROUPS: usize = 128;

/// The rows of a piece, and where each group of sixteen begins and ends along x.
///
/// Rows ascend up to `slack` (see [`Layout::slack`](crate::layout::Layout::slack)), by their left sides and as
/// well by their right ones, since adding the bound is rounded as taking it off is.
pub(crate) struct Probe<'a> {
    own: Centers<'a>,
    slack: f32,
    groups: usize,
    /// The left side of a box of the bound around the first row of each group; infinite behind the last.
    lefts: [f32; MOST_GROUPS],
    /// The right side of a box of the bound around the first row after each group; infinite if there is none.
    rights: [f32; MOST_GROUPS],
    /// The last group, filled up with NaN.
    last: LastGroup,
}

/// x, y, own half width and half height, and rows.
struct LastGroup {
    values: [[f32; LANES]; 4],
    rows: [u32; LANES],
}

impl<'a> Probe<'a> {
    /// Makes ready to compare a piece. O(rows / 16).
    pub fn new(own: Centers<'a>, slack: f32) -> Self {
        let groups = own.len().div_ceil(LANES);
        assert!(groups <= MOST_GROUPS, "a piece of {} rows", own.len());
        let mut probe = Self {
            own,
            slack,
            groups,
            lefts: [f32::INFINITY; MOST_GROUPS],
            rights: [f32::INFINITY; MOST_GROUPS],
            last: LastGroup {
                values: [[f32::NAN; LANES]; 4],
                rows: [0; LANES],
            },
        };
        let firsts = own.xs.iter().step_by(LANES);
        for (group, &x) in firsts.enumerate() {
            probe.lefts[group] = x - own.bound[0];
            if let Some(before) = group.checked_sub(1) {
                probe.rights[before] = x + own.bound[0];
            }
        }
        probe.fill_last(own);
        probe
    }

    /// Whether own boxes are compared rather than boxes of the bound.
    pub fn is_exact(&self) -> bool {
        self.own.own.is_some()
    }

    fn fill_last(&mut self, own: Centers<'_>) {
        let first = own.len().saturating_sub(1) / LANES * LANES;
        let rest = own.slice(first..own.len());
        let half = rest.own.unwrap_or([&[], &[]]);
        let columns = [rest.xs, rest.ys, half[0], half[1]];
        for (mine, theirs) in self.last.values.iter_mut().zip(columns) {
            mine[..theirs.len()].copy_from_slice(theirs);
        }
        self.last.rows[..rest.len()].copy_from_slice(rest.rows);
    }

    /// The groups that a box between two sides along x can reach. Groups before or behind may be among them,
    /// never are any left out.
    #[inline(always)]
    pub fn reached(&self, min_x: f32, max_x: f32) -> std::ops::Range<usize> {
        let whole = self.groups.next_multiple_of(LANES);
        let furthest = max_x + self.slack;
        let (mut passed, mut begun) = (0_u32, 0_u32);
        for &right in &self.rights[..whole] {
            passed += u32::from(right + self.slack < min_x);
        }
        for &left in &self.lefts[..whole] {
            begun += u32::from(left <= furthest);
        }
        passed as usize..(begun as usize).min(self.groups)
    }

    /// A group's rows, to be read from the place that comes with them.
    #[inline(always)]
    pub fn group(&self, group: usize) -> (RunView<'_>, usize) {
        let at = group * LANES;
        if at + LANES <= self.own.len() {
            return (self.own.view(), at);
        }
        let [xs, ys, width, height] = &self.last.values;
        let last = Centers {
            xs,
            ys,
            rows: &self.last.rows,
            own: self.own.own.map(|_| [&width[..], &height[..]]),
            ..self.own
        };
        (last.view(), 0)
    }
}
