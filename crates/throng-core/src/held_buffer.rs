//! Pairs with the values of both members on their way to the visitor.
//!
//! Most kernels know nothing of this. They write pairs of *places* in the columns that they have just compared, where they
//! would write pairs of rows, and [`HeldBuffer::append_places`] looks up rows and values there, while the columns are in
//! the L1 cache. Kernels that note [`Hits`](crate::lanes::Hits) hand them over sixteen at a time: see `groups`.

use crate::held_pairs::HeldPairs;
use crate::pair_buffer::PairOrder;
use std::hint::select_unpredictable;

mod groups;

/// Rows and their values as a search has them: element `k` of every column belongs to the row at place `k`.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The rows, or words that have something else below a row.
    pub rows: &'a [u32],
    /// How many bits lie below the row; 0 if these are rows alone.
    pub row_shift: u32,
    /// Centers along x and y.
    pub centers: [&'a [f32]; 2],
    /// Rows' own half widths and half heights, if they have any.
    pub own: Option<[&'a [f32]; 2]>,
    /// The half extents of rows without any.
    pub bound: [f32; 2],
}

impl<'a> Placed<'a> {
    /// Rows without values, for whoever takes pairs by their rows.
    #[inline(always)]
    #[must_use]
    pub fn rows_alone(rows: &'a [u32]) -> Self {
        Self {
            rows,
            row_shift: 0,
            centers: [&[]; 2],
            own: None,
            bound: [0.0; 2],
        }
    }
}

/// A batch that is handed over when it is full. No pair is ever lost.
///
/// As with a [`PairBuffer`](crate::PairBuffer), what is left at the end is handed over by [`flush`](Self::flush).
pub struct HeldBuffer<'a> {
    batch: &'a mut HeldPairs,
    total: u64,
    visit: &'a mut dyn FnMut(&mut HeldPairs),
}

impl<'a> HeldBuffer<'a> {
    /// Empties `batch`, and will hand it to `visit`, which writes the values that are not
    /// [known](HeldPairs::is_known).
    pub fn new(batch: &'a mut HeldPairs, visit: &'a mut dyn FnMut(&mut HeldPairs)) -> Self {
        batch.len = 0;
        Self {
            batch,
            total: 0,
            visit,
        }
    }

    /// Pairs handed over so far.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Hands over the pairs in the batch.
    pub fn flush(&mut self) {
        if self.batch.len > 0 {
            self.total += self.batch.len as u64;
            (self.visit)(self.batch);
            self.batch.len = 0;
        }
    }

    /// Appends pairs of rows, with no values known.
    pub fn append_rows(&mut self, pairs: &[[u32; 2]]) {
        self.append([false; 2], pairs, |batch, at, part| {
            batch.pairs[at..at + part.len()].copy_from_slice(part);
        });
    }

    /// Appends pairs of places, the left one first in each. Their rows come in the given order, with their values.
    ///
    /// # Panics
    ///
    /// If there is no such place.
    pub fn append_places(&mut self, places: &[[u32; 2]], of: [&Placed<'_>; 2], order: PairOrder) {
        self.append([true; 2], places, |batch, at, part| {
            batch.write_places(at, part, of, order);
        });
    }

    /// Appends pairs of a place and a row, whose values are not known. The order does not depend on which row is lower.
    ///
    /// # Panics
    ///
    /// If there is no such place; in a debug build, if the order is [`PairOrder::LowerRow`].
    pub fn append_left_places(&mut self, pairs: &[[u32; 2]], left: &Placed<'_>, order: PairOrder) {
        debug_assert_ne!(order, PairOrder::LowerRow);
        let side = usize::from(order == PairOrder::Right);
        self.append([side == 0, side == 1], pairs, |batch, at, part| {
            batch.write_side(side, at, part, left);
        });
    }

    /// Appends pairs in parts for which there is room. `write` gets the index in the batch of the first of a part.
    #[inline(always)]
    fn append(
        &mut self,
        known: [bool; 2],
        mut pairs: &[[u32; 2]],
        write: impl Fn(&mut HeldPairs, usize, &[[u32; 2]]),
    ) {
        if self.batch.known != known {
            self.flush();
            self.batch.known = known;
        }
        while !pairs.is_empty() {
            if self.batch.len == HeldPairs::BATCH {
                self.flush();
            }
            let (part, rest) = pairs.split_at(pairs.len().min(HeldPairs::BATCH - self.batch.len));
            write(self.batch, self.batch.len, part);
            self.batch.len += part.len();
            pairs = rest;
        }
    }
}

impl HeldPairs {
    /// One loop for all columns but those of sizes: a loop for each took a third longer, and vectors that swap afterwards
    /// no less. Which of two rows is the lower is as good as random, so nothing branches on it.
    #[inline(always)]
    fn write_places(
        &mut self,
        at: usize,
        places: &[[u32; 2]],
        [left, right]: [&Placed<'_>; 2],
        order: PairOrder,
    ) {
        let here = at..at + places.len();
        let [[xs, other_xs], [ys, other_ys]] = (self.centers.each_mut())
            .map(|sides| sides.each_mut().map(|column| &mut column[here.clone()]));
        let ([left_xs, left_ys], [right_xs, right_ys]) = (left.xs_and_ys(), right.xs_and_ys());
        let (by_row, right_first) = (order == PairOrder::LowerRow, order == PairOrder::Right);
        let mut swaps = [false; Self::BATCH];
        let pairs = self.pairs[here.clone()].iter_mut().zip(&mut swaps);
        let centers = xs.iter_mut().zip(other_xs).zip(ys.iter_mut().zip(other_ys));
        for (((pair, swap), ((x, other_x), (y, other_y))), [i, j]) in pairs.zip(centers).zip(places)
        {
            let (i, j) = (*i as usize, *j as usize);
            let (a, b) = (left.row(i), right.row(j));
            *swap = by_row & (a > b) | right_first;
            *pair = swapped_if(*swap, [a, b]);
            [*x, *other_x] = floats_swapped_if(*swap, [left_xs[i], right_xs[j]]);
            [*y, *other_y] = floats_swapped_if(*swap, [left_ys[i], right_ys[j]]);
        }
        if self.wants_half_extents {
            self.write_half_extents(at, places, [left, right], &swaps);
        }
    }

    #[inline(always)]
    fn write_half_extents(
        &mut self,
        at: usize,
        places: &[[u32; 2]],
        [left, right]: [&Placed<'_>; 2],
        swaps: &[bool; Self::BATCH],
    ) {
        for (axis, [first, second]) in self.half_extents.iter_mut().enumerate() {
            let columns = first[at..].iter_mut().zip(&mut second[at..]);
            let swapped = columns.zip(swaps).zip(places);
            if let (Some(left), Some(right)) = (left.own, right.own) {
                for (((half, other), swap), [i, j]) in swapped {
                    let pair = [left[axis][*i as usize], right[axis][*j as usize]];
                    [*half, *other] = floats_swapped_if(*swap, pair);
                }
            } else {
                for (((half, other), swap), [i, j]) in swapped {
                    let pair = [left.half_extent(axis, *i), right.half_extent(axis, *j)];
                    [*half, *other] = floats_swapped_if(*swap, pair);
                }
            }
        }
    }

    /// Writes pairs of a place, whose row goes to the given side, and a row.
    #[inline(always)]
    fn write_side(&mut self, side: usize, at: usize, pairs: &[[u32; 2]], of: &Placed<'_>) {
        let [from_xs, from_ys] = of.xs_and_ys();
        let [xs, ys] = self.centers.each_mut().map(|sides| &mut sides[side][at..]);
        let written = self.pairs[at..].iter_mut().zip(xs.iter_mut().zip(ys));
        for ((pair, (x, y)), &[place, other]) in written.zip(pairs) {
            let row = of.row(place as usize);
            *pair = if side == 0 {
                [row, other]
            } else {
                [other, row]
            };
            (*x, *y) = (from_xs[place as usize], from_ys[place as usize]);
        }
        if self.wants_half_extents {
            for (axis, sides) in self.half_extents.iter_mut().enumerate() {
                for (half, [place, _]) in sides[side][at..].iter_mut().zip(pairs) {
                    *half = of.half_extent(axis, *place);
                }
            }
        }
    }
}

impl<'a> Placed<'a> {
    /// The row at a place.
    #[inline(always)]
    fn row(&self, place: usize) -> u32 {
        self.rows[place] >> self.row_shift
    }

    /// Cut to the same length as the rows, so that one bounds check covers them all.
    #[inline(always)]
    fn xs_and_ys(&self) -> [&'a [f32]; 2] {
        self.centers.map(|column| &column[..self.rows.len()])
    }

    #[inline(always)]
    fn half_extent(&self, axis: usize, place: u32) -> f32 {
        self.own
            .map_or(self.bound[axis], |own| own[axis][place as usize])
    }
}

/// The two, swapped or not, without a branch.
#[inline(always)]
fn swapped_if(swap: bool, [a, b]: [u32; 2]) -> [u32; 2] {
    [
        select_unpredictable(swap, b, a),
        select_unpredictable(swap, a, b),
    ]
}

/// The same for floats. As words, because among floats the compiler chooses by a branch: four times as slow.
#[inline(always)]
fn floats_swapped_if(swap: bool, both: [f32; 2]) -> [f32; 2] {
    let [a, b] = swapped_if(swap, [both[0].to_bits(), both[1].to_bits()]);
    [f32::from_bits(a), f32::from_bits(b)]
}

#[cfg(test)]
mod tests;
