//! Where rows ended up: leaves, and the strips they form.

use crate::layout::Place;
use throng_core::{Aabb, highest, lowest};

/// A run of points that share a strip and a block of columns, sorted by column; or that did so as of the last build.
///
/// ```text
/// words:   … │ x x x x x · ┆ y y y y y · ┆ r r r r r · ┆ (own half widths ┆ own half heights) ┆ spare room │ …
///            └ start       └ + stride     └ + 2·stride
/// ```
///
/// A build puts columns side by side. A [mend](crate::PointGrid::mend) that needs room spreads them over all of the leaf's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Leaf {
    pub strip: i32,
    pub block: i32,
    pub start: u32,
    pub len: u32,
    /// How many records each column has room for.
    pub stride: u32,
    /// How many the leaf's memory has room for.
    pub room: u32,
    pub bounds: Bounds,
}

/// The tight bounds of a leaf's centers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub min: [f32; 2],
    pub max: [f32; 2],
}

impl Default for Bounds {
    fn default() -> Self {
        Self::NONE
    }
}

impl Bounds {
    /// Bounds of nothing.
    pub const NONE: Self = Self {
        min: [f32::INFINITY; 2],
        max: [f32::NEG_INFINITY; 2],
    };

    /// Bounds of all centers in some leaves.
    pub fn of_leaves(leaves: &[Leaf]) -> Self {
        let bounds = leaves.iter().map(|leaf| leaf.bounds);
        bounds.fold(Self::NONE, Self::union)
    }

    /// Bounds of the centers.
    #[inline(always)]
    pub fn of(xs: &[f32], ys: &[f32]) -> Self {
        Self {
            min: [lowest(xs), lowest(ys)],
            max: [highest(xs), highest(ys)],
        }
    }

    /// The box around all boxes of half extent `half` at the centers.
    pub fn widened(&self, half: [f32; 2]) -> Self {
        Self {
            min: [self.min[0] - half[0], self.min[1] - half[1]],
            max: [self.max[0] + half[0], self.max[1] + half[1]],
        }
    }

    /// Bounds around both.
    pub fn union(self, other: Self) -> Self {
        Self {
            min: [self.min[0].min(other.min[0]), self.min[1].min(other.min[1])],
            max: [self.max[0].max(other.max[0]), self.max[1].max(other.max[1])],
        }
    }

    /// Makes them wide enough for another center.
    #[inline(always)]
    pub fn include(&mut self, center: [f32; 2]) {
        for (axis, value) in center.into_iter().enumerate() {
            if value < self.min[axis] {
                self.min[axis] = value;
            }
            if value > self.max[axis] {
                self.max[axis] = value;
            }
        }
    }

    /// Whether none of the centers is on a side of the outer bounds, or beyond it.
    pub fn is_within(&self, outer: &Self) -> bool {
        let is_within =
            |axis: usize| outer.min[axis] < self.min[axis] && self.max[axis] < outer.max[axis];
        is_within(0) && is_within(1)
    }

    /// The largest magnitude of a coordinate; 0 if they are of nothing.
    pub fn furthest(&self) -> f32 {
        let below = self.min.iter().map(|min| -min);
        below.chain(self.max).fold(0.0, f32::max)
    }

    pub fn to_aabb(self) -> Option<Aabb> {
        Aabb::new(self.min, self.max).ok()
    }
}

impl Leaf {
    /// Leaves are sorted by this.
    #[inline(always)]
    pub fn place(&self) -> (i32, i32) {
        (self.strip, self.block)
    }
}

/// Sorts leaves that come in the order of buckets. That is the order of strips and, in each, of blocks, which both begin somewhere in
/// the middle; only where several places share a bucket it is no order at all. (To sort those of a million rows took 20 microseconds,
/// while all other workers waited.)
pub(crate) fn sort_leaves(leaves: &mut [Leaf]) {
    rotate_into_order(leaves, |leaf| leaf.strip);
    for strip in leaves.chunk_by_mut(|a, b| a.strip == b.strip) {
        rotate_into_order(strip, |leaf| leaf.block);
    }
    if !leaves.is_sorted_by_key(Leaf::place) {
        leaves.sort_unstable_by_key(Leaf::place);
    }
}

/// Puts the part that begins where the key first becomes less in front of the part before it.
fn rotate_into_order(leaves: &mut [Leaf], key: impl Fn(&Leaf) -> i32) {
    let mut pairs = leaves.windows(2);
    let last = pairs.position(|pair| key(&pair[1]) < key(&pair[0]));
    leaves.rotate_left(last.map_or(0, |last| last + 1));
}

/// The leaves of one strip: a contiguous range, in ascending block order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strip {
    pub id: i32,
    pub first: u32,
    pub end: u32,
}

/// Lists the strips of leaves that are sorted by strip, then block.
pub(crate) fn list_strips(leaves: &[Leaf], strips: &mut Vec<Strip>) {
    strips.clear();
    for (index, leaf) in (0_u32..).zip(leaves.iter()) {
        match strips.last_mut() {
            Some(strip) if strip.id == leaf.strip => strip.end = index + 1,
            _ => strips.push(Strip {
                id: leaf.strip,
                first: index,
                end: index + 1,
            }),
        }
    }
}

/// The index of the leaf of a place, if there is one.
#[inline(always)]
pub(crate) fn leaf_at(strips: &[Strip], leaves: &[Leaf], place: Place) -> Option<usize> {
    // Strips mostly follow each other without a gap, and so do the leaves of one.
    let guess = place.strip.wrapping_sub(strips.first()?.id) as usize;
    let strip = match strips.get(guess) {
        Some(strip) if strip.id == place.strip => strip,
        _ => {
            let found = strips.binary_search_by_key(&place.strip, |strip| strip.id);
            &strips[found.ok()?]
        }
    };
    let first = strip.first as usize;
    let leaves = &leaves[first..strip.end as usize];
    let block = place.block();
    let guess = block.wrapping_sub(leaves.first()?.block) as usize;
    match leaves.get(guess) {
        Some(leaf) if leaf.block == block => Some(first + guess),
        _ => {
            let found = leaves.binary_search_by_key(&block, |leaf| leaf.block);
            Some(first + found.ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn leaf(strip: i32, block: i32) -> Leaf {
        Leaf {
            strip,
            block,
            start: 0,
            len: 1,
            stride: 1,
            room: 1,
            bounds: Bounds::NONE,
        }
    }

    /// Places in the order of buckets that are numbered by the last bits of strip and block.
    fn in_order_of_buckets(places: &[(i32, i32)], bits: [u32; 2]) -> Vec<Leaf> {
        let [strips, blocks] = bits.map(|bits| (1 << bits) - 1);
        let mut leaves: Vec<Leaf> = places
            .iter()
            .map(|&(strip, block)| leaf(strip, block))
            .collect();
        leaves.sort_by_key(|leaf| (leaf.strip & strips, leaf.block & blocks));
        leaves
    }

    proptest! {
        #[test]
        fn leaves_are_sorted_whether_or_not_places_share_a_bucket(
            places in prop::collection::hash_set((-9..9, -9..9), 0..80),
            bits in [0_u32..6, 0..6],
        ) {
            let mut places: Vec<_> = places.into_iter().collect();
            let mut leaves = in_order_of_buckets(&places, bits);
            sort_leaves(&mut leaves);
            places.sort_unstable();
            prop_assert_eq!(leaves.iter().map(Leaf::place).collect::<Vec<_>>(), places);
        }
    }
}
