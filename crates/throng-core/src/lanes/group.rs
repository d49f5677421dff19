//! What kernels of several structures do with groups of sixteen boxes, built from the primitives.

use super::Lanes;
use crate::met_classes::MetClasses;
use crate::pair_buffer::{LANES, PairBuffer, PairOrder};

/// The sixteen elements from `at` on.
///
/// # Panics
///
/// If there are fewer.
#[inline(always)]
#[must_use]
pub fn chunk<T>(values: &[T], at: usize) -> &[T; LANES] {
    values[at..at + LANES]
        .first_chunk()
        .expect("as many as lanes")
}

/// Room for sixteen elements from `at` on.
///
/// # Panics
///
/// If there is less.
#[inline(always)]
#[must_use]
pub fn chunk_mut<T>(values: &mut [T], at: usize) -> &mut [T; LANES] {
    values[at..at + LANES]
        .first_chunk_mut()
        .expect("as much as lanes")
}

/// The four sides of sixteen boxes.
#[derive(Clone, Copy)]
pub struct Sides<L: Lanes> {
    /// Left sides.
    pub min_x: L::Floats,
    /// Lower sides.
    pub min_y: L::Floats,
    /// Right sides.
    pub max_x: L::Floats,
    /// Upper sides.
    pub max_y: L::Floats,
}

impl<L: Lanes> Sides<L> {
    /// Sixteen boxes from `at` on, from a column for each side: min x, min y, max x, max y.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[inline(always)]
    pub fn load(lanes: L, [min_x, min_y, max_x, max_y]: [&[f32]; 4], at: usize) -> Self {
        Self {
            min_x: lanes.load(chunk(min_x, at)),
            min_y: lanes.load(chunk(min_y, at)),
            max_x: lanes.load(chunk(max_x, at)),
            max_y: lanes.load(chunk(max_y, at)),
        }
    }

    /// As many boxes as there are, up to sixteen; NaN in the other lanes.
    #[inline(always)]
    pub fn load_some(lanes: L, [min_x, min_y, max_x, max_y]: [&[f32]; 4]) -> Self {
        Self {
            min_x: lanes.load_some(min_x),
            min_y: lanes.load_some(min_y),
            max_x: lanes.load_some(max_x),
            max_y: lanes.load_some(max_y),
        }
    }

    /// The boxes around some centers: x and y, and half extents.
    #[inline(always)]
    pub fn around(lanes: L, [x, y]: [L::Floats; 2], half: [L::Floats; 2]) -> Self {
        Self {
            min_x: lanes.sub(x, half[0]),
            min_y: lanes.sub(y, half[1]),
            max_x: lanes.add(x, half[0]),
            max_y: lanes.add(y, half[1]),
        }
    }

    /// One box in all lanes, given by its lower and its upper corner.
    #[inline(always)]
    pub fn splat(lanes: L, [min, max]: [[f32; 2]; 2]) -> Self {
        Self {
            min_x: lanes.splat(min[0]),
            min_y: lanes.splat(min[1]),
            max_x: lanes.splat(max[0]),
            max_y: lanes.splat(max[1]),
        }
    }

    /// Writes the boxes of the lanes in `keep` side by side, to a column for each side, from `at` on. What comes after
    /// them, up to sixteen, is overwritten with anything.
    ///
    /// # Panics
    ///
    /// If there is no room for sixteen.
    #[inline(always)]
    pub fn store_kept(&self, lanes: L, to: &mut [&mut [f32]; 4], at: usize, keep: u32) {
        lanes.store_kept(chunk_mut(to[0], at), keep, self.min_x);
        lanes.store_kept(chunk_mut(to[1], at), keep, self.min_y);
        lanes.store_kept(chunk_mut(to[2], at), keep, self.max_x);
        lanes.store_kept(chunk_mut(to[3], at), keep, self.max_y);
    }
}

/// The lanes of `among` in which the boxes overlap, as defined by [`overlaps_1d`](crate::overlaps_1d).
#[inline(always)]
pub fn overlapping<L: Lanes>(lanes: L, among: L::Mask, a: &Sides<L>, b: &Sides<L>) -> L::Mask {
    let hit = lanes.le(among, a.min_x, b.max_x);
    let hit = lanes.le(hit, b.min_x, a.max_x);
    let hit = lanes.le(hit, a.min_y, b.max_y);
    lanes.le(hit, b.min_y, a.max_y)
}

/// Keeps those of sixteen boxes that touch a window, with their rows: writes them to a column for each side, and to one
/// of rows, from `at` on. What comes after them, up to sixteen, is overwritten with anything. Returns how many they are.
///
/// # Panics
///
/// If there is no room for sixteen.
#[inline(always)]
pub fn keep_touching<L: Lanes>(
    lanes: L,
    [window, boxes]: [&Sides<L>; 2],
    rows: L::Words,
    (to, to_rows): (&mut [&mut [f32]; 4], &mut [u32]),
    at: usize,
) -> usize {
    let keep = lanes.bits(overlapping(lanes, lanes.every_lane(), boxes, window));
    boxes.store_kept(lanes, to, at, keep);
    lanes.store_kept_words(chunk_mut(to_rows, at), keep, rows);
    keep.count_ones() as usize
}

/// The masks of sixteen rows, or nothing if masks are not tested.
#[derive(Clone, Copy)]
pub struct GroupMasks<L: Lanes>(Option<[L::Words; 2]>);

impl<L: Lanes> GroupMasks<L> {
    /// The masks of sixteen rows from `at` on, from a column of memberships and one of filters; nothing if not
    /// `masked`.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    #[inline(always)]
    pub fn load(lanes: L, masked: bool, [memberships, filters]: [&[u32]; 2], at: usize) -> Self {
        if !masked {
            return Self(None);
        }
        Self(Some([
            lanes.load_words(chunk(memberships, at)),
            lanes.load_words(chunk(filters, at)),
        ]))
    }

    /// The masks of one row in all lanes, from the same columns.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline(always)]
    pub fn splat(lanes: L, masked: bool, [memberships, filters]: [&[u32]; 2], at: usize) -> Self {
        if !masked {
            return Self(None);
        }
        Self(Some([
            lanes.splat_words(memberships[at]),
            lanes.splat_words(filters[at]),
        ]))
    }
}

/// Which classes meet which, in registers.
#[derive(Clone, Copy)]
pub struct ClassTable<L: Lanes>([L::Words; 2]);

impl<L: Lanes> ClassTable<L> {
    /// The same as `met` says.
    #[inline(always)]
    pub fn load(lanes: L, met: &MetClasses) -> Self {
        let words = met.words();
        Self([
            lanes.load_words(chunk(words, 0)),
            lanes.load_words(chunk(words, LANES)),
        ])
    }

    /// For each lane's class, which is in the lower five bits of its word, a bit for each class that it meets.
    #[inline(always)]
    pub fn met_by(self, lanes: L, words: L::Words) -> L::Words {
        lanes.pick_of_two(self.0, words)
    }

    /// The lanes of `among` whose classes meet, which are in the lower five bits of each word.
    #[inline(always)]
    pub fn meeting(self, lanes: L, among: L::Mask, [left, right]: [L::Words; 2]) -> L::Mask {
        lanes.has_bit(among, self.met_by(lanes, left), right)
    }
}

/// The lanes of `among` whose masks match, as defined by [`MaskWords::meets`](crate::MaskWords::meets); all of them if masks
/// are not tested.
#[inline(always)]
pub fn agreeing<L: Lanes>(lanes: L, among: L::Mask, a: GroupMasks<L>, b: GroupMasks<L>) -> L::Mask {
    match (a.0, b.0) {
        (Some(a), Some(b)) => {
            let hit = lanes.share_a_bit(among, a[0], b[1]);
            lanes.share_a_bit(hit, b[0], a[1])
        }
        _ => among,
    }
}

/// Writes a pair for each lane in `hit`, in lane order.
#[inline(always)]
pub fn emit<L: Lanes>(
    lanes: L,
    out: &mut PairBuffer<'_>,
    hit: u32,
    order: PairOrder,
    left: L::Words,
    right: L::Words,
) {
    lanes.store_pairs(out.room(), hit, order, left, right);
    out.keep(hit.count_ones() as usize);
}

/// The same if all lanes of `right` are the same row, for an order that does not depend on which row is lower.
#[inline(always)]
pub fn emit_with_one<L: Lanes>(
    lanes: L,
    out: &mut PairBuffer<'_>,
    hit: u32,
    order: PairOrder,
    left: L::Words,
    right: L::Words,
) {
    lanes.store_pairs_with_one(out.room(), hit, order, left, right);
    out.keep(hit.count_ones() as usize);
}
