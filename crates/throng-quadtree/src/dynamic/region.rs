//! The square of the plane that is divided, and its lines.
//!
//! All lines are whole multiples of a power of two, few enough that each is an `f32` and so is every sum and
//! difference on the way down. So a node's box need not be stored: it is computed while descending, and always comes
//! out the same, to the bit.
//!
//! Which nodes a box touches is decided only by comparing its sides with those lines, so nothing is rounded. The
//! outermost nodes have no line on their outer side: the tree covers the plane, however small its region.

use crate::dynamic::config::MOST_DEPTH;
use crate::dynamic::sides::Sides;
use throng_core::{Aabb, for_both};

/// Binary exponents of the finest cells allowed: an `f32` holds their multiples and their inverse.
const EXPONENTS: std::ops::RangeInclusive<i32> = -120..=120;
/// Lines are numbered up to 2^this from the origin, in both directions, well within what an `f32` counts exactly.
const LINE_BITS: i32 = 22;
/// Beyond this nothing is divided: 2^118.
const FARTHEST: f64 = (1_u128 << 118) as f64;

/// The square that the tree divides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    /// Its lower corner, on a line of the finest cells.
    pub origin: [f32; 2],
    /// How many times it may be halved along each axis.
    pub levels: u32,
    /// The width of the finest cell, a power of two.
    cell: f32,
    /// 1 / `cell`, exactly.
    per_cell: f32,
    /// The number of the lowest line on each axis, counted in cells from the origin of the plane.
    first: [i32; 2],
    /// Half the width of the region.
    root_half: f32,
    max_copies: u64,
}

/// Columns and rows of finest cells that a box touches, counted from the region's lower corner: lowest x, lowest y,
/// highest x, highest y. Anything outside counts as in the outermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cells([u32; 4]);

/// What limits a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub max_depth: u32,
    pub min_node_size: f32,
    pub max_copies: usize,
}

impl Region {
    /// A region that holds `[low, high]` on each axis.
    pub fn around(extent: [[f64; 2]; 2], limits: Limits) -> Self {
        let extent = clamped(extent);
        let width = width_of(extent).max(f64::MIN_POSITIVE);
        let farthest = extent
            .iter()
            .flatten()
            .fold(width, |a, end| a.max(end.abs()));
        let width_exponent = exponent_above(width);
        let least = if limits.min_node_size > 0.0 {
            exponent_above(f64::from(limits.min_node_size))
        } else {
            *EXPONENTS.start()
        };
        let exponent = (width_exponent - limits.max_depth as i32)
            .max(exponent_above(farthest) + 1 - LINE_BITS)
            .max(least)
            .clamp(*EXPONENTS.start(), *EXPONENTS.end());
        let levels = (width_exponent - exponent).clamp(1, limits.max_depth as i32);
        let cell = power_of_two(exponent);
        let cells = f64::from(1_u32 << levels);
        // Centers the extent, give or take a cell.
        let first = extent.map(|[low, high]| {
            let center = (low + high) / 2.0 / f64::from(cell);
            (center - cells / 2.0).round() as i32
        });
        Self {
            origin: first.map(|line| line as f32 * cell),
            levels: levels as u32,
            cell,
            per_cell: power_of_two(-exponent),
            first,
            root_half: power_of_two(exponent + levels - 1),
            max_copies: limits.max_copies as u64,
        }
    }

    /// Half the width of a node at this depth.
    #[inline(always)]
    pub fn half(&self, depth: u32) -> f32 {
        const EXPONENT_SHIFT: u32 = f32::MANTISSA_DIGITS - 1;
        f32::from_bits(self.root_half.to_bits() - (depth << EXPONENT_SHIFT))
    }

    /// Where a node is divided, on each axis.
    #[inline(always)]
    pub fn split(&self, low: [f32; 2], depth: u32) -> [f32; 2] {
        let half = self.half(depth);
        low.map(|low| low + half)
    }

    /// The finest cells that a box touches: `cell >= k` exactly if `side >=` line `k`.
    #[inline(always)]
    pub fn cells(&self, sides: &Sides) -> Cells {
        Cells([0, 1, 2, 3].map(|k| self.cell_along(k % 2, sides[k])))
    }

    #[inline(always)]
    fn cell_along(&self, axis: usize, side: f32) -> u32 {
        let first = self.first[axis];
        let last = first + (1 << self.levels) - 1;
        let scaled = (side * self.per_cell).max(first as f32).min(last as f32);
        let truncated = scaled as i32;
        // Truncation rounds negative numbers up. Compares with the side and not the quotient, which may have
        // underflowed.
        let floor = truncated - i32::from(side < truncated as f32 * self.cell);
        (floor.max(first) - first) as u32
    }

    /// The depth below which an element in these cells must not go, because it would be in too many nodes.
    #[inline(always)]
    pub fn level_of(&self, cells: Cells) -> u32 {
        let [x0, y0, x1, y1] = cells.0;
        let bits = |v: u64| u64::BITS - v.leading_zeros();
        // With fewer halvings, the longer side alone would be too long.
        let longer = u64::from((x1 - x0).max(y1 - y0));
        let mut halvings = bits(longer).saturating_sub(bits(self.max_copies));
        while cells.count(halvings) > self.max_copies {
            halvings += 1;
        }
        self.levels - halvings
    }

    /// Whether an element that moves from some cells to others stays in the nodes it is in. `deepest` is at least the
    /// depth of the deepest of those, and was never deeper than the element's level.
    #[inline(always)]
    pub fn same_nodes(&self, old: Cells, new: Cells, deepest: u32) -> bool {
        let halvings = self.levels - deepest;
        // From the same cells, the two may touch different numbers of cells one level deeper, so that only one may go
        // there.
        old.halved(halvings) == new.halved(halvings)
            && (halvings == 0 || self.may_go(old, halvings - 1) == self.may_go(new, halvings - 1))
    }

    #[inline(always)]
    fn may_go(&self, cells: Cells, halvings: u32) -> bool {
        cells.count(halvings) <= self.max_copies
    }

    /// Whether this region would also serve what `other` was chosen for: it holds the extent, and is not many times
    /// as wide.
    pub fn suits(&self, extent: [[f64; 2]; 2], other: &Region) -> bool {
        let extent = clamped(extent);
        let width = 2.0 * f64::from(self.root_half);
        let holds = (0..2).all(|axis| {
            let low = f64::from(self.origin[axis]);
            low <= extent[axis][0] && extent[axis][1] <= low + width
        });
        holds && self.root_half <= 8.0 * other.root_half
    }

    /// The lowest and the highest coordinates that belong to a node. A point on a line belongs to the upper side; at
    /// the region's sides a node extends to infinity.
    pub fn window(&self, low: [f32; 2], depth: u32) -> [[f32; 2]; 2] {
        let width = 2.0 * self.half(depth);
        let end = |axis: usize| self.origin[axis] + 2.0 * self.root_half;
        let lowest = for_both(|axis| match low[axis] {
            low if low == self.origin[axis] => f32::NEG_INFINITY,
            low => low,
        });
        let highest = for_both(|axis| match low[axis] + width {
            high if high == end(axis) => f32::INFINITY,
            high => high.next_down(),
        });
        [lowest, highest]
    }

    /// A node's square within the region, for drawing.
    pub fn square(&self, low: [f32; 2], depth: u32) -> Option<Aabb> {
        let width = 2.0 * self.half(depth);
        Aabb::new(low, low.map(|low| low + width)).ok()
    }
}

impl Cells {
    /// The cells of a coarser level.
    #[inline(always)]
    fn halved(self, halvings: u32) -> [u32; 4] {
        self.0.map(|cell| cell >> halvings)
    }

    /// How many cells of a coarser level there are.
    #[inline(always)]
    fn count(self, halvings: u32) -> u64 {
        let [x0, y0, x1, y1] = self.halved(halvings);
        u64::from(x1 - x0 + 1) * u64::from(y1 - y0 + 1)
    }
}

/// The extent of the elements with these centers, ignoring the outermost fiftieth on each side: a few outliers must
/// not decide the region, or one box at 1e30 would leave no lines for the rest. Sorts the coordinates.
pub(super) fn extent_of(centers: &mut [Vec<f32>; 2]) -> [[f64; 2]; 2] {
    centers.each_mut().map(|centers| {
        centers.retain(|center| center.is_finite());
        centers.sort_unstable_by(f32::total_cmp);
        let outermost = centers.len() / 50;
        let ends = (centers.get(outermost), centers.iter().nth_back(outermost));
        match ends {
            (Some(&low), Some(&high)) => [f64::from(low), f64::from(high)],
            _ => [0.0; 2],
        }
    })
}

/// The same extent half as wide again, to leave room for movement. Also not too narrow for its distance from the
/// origin, or a crowd on one spot would leave it at every step.
pub(super) fn widened(extent: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    let distance = extent
        .iter()
        .flatten()
        .fold(0.0_f64, |a, end| a.max(end.abs()));
    let by = (width_of(extent) / 4.0).max(distance / 1024.0);
    extent.map(|[low, high]| [low - by, high + by])
}

fn clamped(extent: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    extent.map(|ends| ends.map(|end| end.clamp(-FARTHEST, FARTHEST)))
}

fn width_of(extent: [[f64; 2]; 2]) -> f64 {
    let [x, y] = extent.map(|[low, high]| high - low);
    x.max(y)
}

/// The lowest whole `e` with `2^e >= value`, for a normal number above zero.
fn exponent_above(value: f64) -> i32 {
    const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    const BIAS: i32 = f64::MAX_EXP - 1;
    let bits = value.to_bits();
    let exponent = (bits >> MANTISSA_BITS) as i32 - BIAS;
    let has_fraction = bits & ((1 << MANTISSA_BITS) - 1) != 0;
    exponent + i32::from(has_fraction)
}

/// `2^exponent`, for exponents of normal numbers.
fn power_of_two(exponent: i32) -> f32 {
    const BIAS: i32 = f32::MAX_EXP - 1;
    f32::from_bits(((exponent + BIAS) as u32) << (f32::MANTISSA_DIGITS - 1))
}

const _: () = assert!((MOST_DEPTH as i32) < LINE_BITS);
