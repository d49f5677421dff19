//! Which pairs of rows do not overlap, or do, for rows in no particular order.

use crate::lanes::{Kernel, Lanes, Sides, Simd, chunk_mut, lanes_below, overlapping};
use crate::pair_buffer::{LANES, PairOrder};

/// The boxes of rows, in row order. A row has none if its box is NaN, or if it is beyond the last.
#[derive(Clone, Copy, Debug)]
pub enum BoxesByRow<'a> {
    /// All of one size.
    Alike {
        /// The centers.
        centers: &'a [[f32; 2]],
        /// The half extents of all. Sides are the center's coordinates less these, and with these added.
        half_extents: [f32; 2],
    },
    /// The lower and the upper corner of each.
    Corners(&'a [[[f32; 2]; 2]]),
}

impl BoxesByRow<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Alike { centers, .. } => centers.len(),
            Self::Corners(corners) => corners.len(),
        }
    }
}

impl Simd {
    /// Appends to `apart` every pair, in order, whose boxes do not overlap, or of which a row has no box. The first rows of pairs
    /// are those of the first boxes.
    ///
    /// O(pairs).
    pub fn pairs_apart(
        self,
        pairs: &[[u32; 2]],
        boxes: [BoxesByRow<'_>; 2],
        apart: &mut Vec<[u32; 2]>,
    ) {
        let mut room = [[0; 2]; ROOM];
        for pairs in pairs.chunks(ROOM - LANES) {
            let kept = self.keep_apart(pairs, boxes, &mut room);
            apart.extend_from_slice(&room[..kept]);
        }
    }

    /// Writes the same pairs to `kept`, and returns how many they are. Behind them it may write anything.
    ///
    /// O(pairs).
    ///
    /// # Panics
    ///
    /// If there is not room for all, and for [`LANES`] more.
    pub fn keep_apart(
        self,
        pairs: &[[u32; 2]],
        boxes: [BoxesByRow<'_>; 2],
        kept: &mut [[u32; 2]],
    ) -> usize {
        self.keep::<false>(pairs, boxes, kept)
    }

    /// Writes every pair whose boxes overlap to `kept`, in order, and returns how many they are. Behind them it may write anything.
    ///
    /// O(pairs).
    ///
    /// # Panics
    ///
    /// If there is not room for all, and for [`LANES`] more.
    pub fn keep_overlapping(
        self,
        pairs: &[[u32; 2]],
        boxes: [BoxesByRow<'_>; 2],
        kept: &mut [[u32; 2]],
    ) -> usize {
        self.keep::<true>(pairs, boxes, kept)
    }

    fn keep<const OVERLAPPING: bool>(
        self,
        pairs: &[[u32; 2]],
        boxes: [BoxesByRow<'_>; 2],
        kept: &mut [[u32; 2]],
    ) -> usize {
        assert!(pairs.len() + LANES <= kept.len(), "there is room");
        if boxes.iter().any(|boxes| boxes.len() == 0) {
            let all = if OVERLAPPING { &[] } else { pairs };
            kept[..all.len()].copy_from_slice(all);
            return all.len();
        }
        self.run(Keep::<OVERLAPPING> {
            pairs,
            boxes: &boxes,
            kept,
        })
    }
}

/// Room for the pairs that are kept before they are handed over.
const ROOM: usize = 17 * LANES;

/// Keeps pairs that overlap, or those that do not.
struct Keep<'a, 'b, const OVERLAPPING: bool> {
    pairs: &'a [[u32; 2]],
    boxes: &'a [BoxesByRow<'b>; 2],
    /// Has room for all of them, and a group more.
    kept: &'a mut [[u32; 2]],
}

impl<const OVERLAPPING: bool> Kernel for Keep<'_, '_, OVERLAPPING> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { pairs, boxes, kept } = self;
        let (groups, rest) = pairs.as_chunks::<LANES>();
        let mut count = 0;
        for group in groups {
            let to = chunk_mut(kept, count);
            count += keep_group::<L, OVERLAPPING>(lanes, group, LANES, boxes, to);
        }
        let mut group = [[0; 2]; LANES];
        group[..rest.len()].copy_from_slice(rest);
        let to = chunk_mut(kept, count);
        count + keep_group::<L, OVERLAPPING>(lanes, &group, rest.len(), boxes, to)
    }
}

/// Writes those of the first `count` pairs that overlap, or that do not, and anything behind them. Returns how many they are.
#[inline(always)]
fn keep_group<L: Lanes, const OVERLAPPING: bool>(
    lanes: L,
    pairs: &[[u32; 2]; LANES],
    count: usize,
    boxes: &[BoxesByRow<'_>; 2],
    to: &mut [[u32; 2]; LANES],
) -> usize {
    let sides = match *boxes {
        [
            BoxesByRow::Alike {
                centers: first,
                half_extents: half,
            },
            BoxesByRow::Alike {
                centers: second,
                half_extents: other_half,
            },
        ] => {
            let [first, second] = lanes.look_up_pairs([first, second], pairs);
            [alike(lanes, first, half), alike(lanes, second, other_half)]
        }
        [first, second] => {
            let rows = lanes.columns_of_pairs(pairs);
            [
                sides(lanes, &first, rows[0]),
                sides(lanes, &second, rows[1]),
            ]
        }
    };
    let overlap = overlapping(lanes, lanes.every_lane(), &sides[0], &sides[1]);
    let overlap = lanes.bits(overlap);
    let wanted = if OVERLAPPING { overlap } else { !overlap };
    let kept = wanted & lanes_below(count);
    // Where the pairs of two steps are compared, mostly none of sixteen is apart, and of those that may be predicted few are.
    if kept == 0 {
        return 0;
    }
    let [first, second] = lanes.columns_of_pairs(pairs);
    lanes.store_pairs(to, kept, PairOrder::Left, first, second);
    kept.count_ones() as usize
}

/// Sixteen boxes of one size.
#[inline(always)]
fn alike<L: Lanes>(lanes: L, centers: [L::Floats; 2], half_extents: [f32; 2]) -> Sides<L> {
    let half = [lanes.splat(half_extents[0]), lanes.splat(half_extents[1])];
    Sides::around(lanes, centers, half)
}

/// The boxes of sixteen rows.
#[inline(always)]
fn sides<L: Lanes>(lanes: L, boxes: &BoxesByRow<'_>, rows: L::Words) -> Sides<L> {
    match *boxes {
        BoxesByRow::Alike {
            centers,
            half_extents,
        } => {
            let centers = lanes.look_up(centers, rows);
            alike(lanes, centers, half_extents)
        }
        BoxesByRow::Corners(corners) => {
            let points = corners.as_flattened();
            // Twice a row that does not exist may be one that does.
            let last = lanes.splat_words(u32::MAX >> 1);
            let none = lanes.splat_words(u32::MAX);
            let lower = lanes.add_words(rows, rows);
            let upper = lanes.add_words(lower, lanes.splat_words(1));
            let lower = lanes.choose_if_above(rows, last, none, lower);
            let upper = lanes.choose_if_above(rows, last, none, upper);
            let [min_x, min_y] = lanes.look_up(points, lower);
            let [max_x, max_y] = lanes.look_up(points, upper);
            Sides {
                min_x,
                min_y,
                max_x,
                max_y,
            }
        }
    }
}
