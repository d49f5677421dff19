//! Boxes in columns, gathered from anywhere: what the kernels compare.

use crate::aabb::Aabb;
use crate::arena::Arena;
use crate::extremes::{highest, lowest};
use crate::mask_words::MaskWords;
use crate::mask_words::RowMasks;
use crate::pair_buffer::LANES;

/// Only runs of more blocks than this get a bounding box for each block. In shorter ones, comparing every block is
/// cheaper than finding out which to compare.
const FEW_BLOCKS: usize = 4;

/// Boxes in an arena, a column for each side, in any order.
///
/// ```text
/// min x  │ a b c d e f … │ NaN × 16 │        the same for min y, max x, max y
/// row    │ 7 2 9 4 8 1 … │          │        memberships and filters beside it, if masks are tested
/// blocks │ a‥p  q‥F  …   │                   bounds of sixteen boxes each, in a long run
/// ```
///
/// A run is filled ([`push`](Self::push), [`append`](Self::append), after [`make_room`](Self::make_room)),
/// then [`finish`](Self::finish)ed, then compared. Once it is finished, sixteen NaNs follow the last box: no comparison
/// with them is true, so a kernel never has to check where the boxes end.
///
/// Sides rather than centers: what is compared is what was stored, so nothing is rounded on the way.
#[derive(Debug)]
pub struct BoxRun<'a> {
    len: usize,
    finished: bool,
    /// min x, min y, max x, max y.
    sides: [&'a mut [f32]; 4],
    rows: &'a mut [u32],
    /// Memberships and filters; empty if masks are not tested.
    masks: [&'a mut [u32]; 2],
    /// The bounds of each block of [`LANES`] boxes, in columns as `sides` are. Only valid in a finished run of more
    /// than [`FEW_BLOCKS`]; NaN follows the last block, up to the end of its group of [`LANES`] blocks.
    blocks: [&'a mut [f32]; 4],
}

/// A finished run as a kernel reads it: every column cut to the same length, the NaNs at the end included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunView<'a> {
    pub len: usize,
    pub sides: [&'a [f32]; 4],
    pub rows: &'a [u32],
    pub masks: [&'a [u32]; 2],
    /// Whole groups of [`LANES`] blocks; empty in a short run.
    pub blocks: [&'a [f32]; 4],
}

impl<'a> BoxRun<'a> {
    /// An empty run with room for `capacity` boxes; `masked` if masks are to be tested. O(`capacity`).
    #[must_use]
    pub fn with_capacity(arena: &'a Arena, capacity: usize, masked: bool) -> Self {
        let room = capacity + LANES;
        let masks = if masked { room } else { 0 };
        let floats = |len: usize| std::array::from_fn(|_| arena.alloc_slice_fill(len, f32::NAN));
        Self {
            len: 0,
            finished: false,
            sides: floats(room),
            rows: arena.alloc_slice_fill(room, 0),
            masks: std::array::from_fn(|_| arena.alloc_slice_fill(masks, 0)),
            blocks: floats(blocks_room(capacity)),
        }
    }

    /// The most bytes that a run of up to `capacity` boxes takes from an arena.
    #[must_use]
    pub fn bytes(capacity: usize, masked: bool) -> usize {
        let columns = 5 + 2 * usize::from(masked);
        // Each column may be padded to its alignment.
        let column = |len: usize| len * size_of::<f32>() + align_of::<f32>();
        columns * column(capacity + LANES) + 4 * column(blocks_room(capacity))
    }

    /// How many boxes there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the run has no boxes.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the run has columns for masks.
    #[inline]
    #[must_use]
    pub fn is_masked(&self) -> bool {
        !self.masks[0].is_empty()
    }

    /// The boxes so far, a slice for each side: min x, min y, max x, max y.
    #[inline]
    #[must_use]
    pub fn sides(&self) -> [&[f32]; 4] {
        self.sides.each_ref().map(|side| &side[..self.len])
    }

    /// The rows so far.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> &[u32] {
        &self.rows[..self.len]
    }

    /// The lower and the upper corner of box `k`.
    ///
    /// # Panics
    ///
    /// If there is no such box.
    #[inline]
    #[must_use]
    pub fn corners(&self, k: usize) -> [[f32; 2]; 2] {
        let [min_x, min_y, max_x, max_y] = self.sides();
        [[min_x[k], min_y[k]], [max_x[k], max_y[k]]]
    }

    /// Whether `more` boxes fit.
    #[inline(always)]
    #[must_use]
    pub fn has_room(&self, more: usize) -> bool {
        self.len + more + LANES <= self.rows.len()
    }

    /// Makes sure that `more` boxes fit, moving to a block twice as large in the arena if they do not.
    #[inline]
    pub fn make_room(&mut self, arena: &'a Arena, more: usize) {
        if !self.has_room(more) {
            self.move_to_larger_place(arena, more);
        }
    }

    #[cold]
    fn move_to_larger_place(&mut self, arena: &'a Arena, more: usize) {
        let capacity = (self.len + more).next_power_of_two();
        let mut larger = BoxRun::with_capacity(arena, capacity, self.is_masked());
        larger.append(self.sides(), self.rows());
        *self = larger;
    }

    /// Empties the run but keeps its memory.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
        self.finished = false;
    }

    /// Appends a box. There must be room for it.
    ///
    /// # Panics
    ///
    /// If there is no room.
    #[inline]
    pub fn push(&mut self, corners: [[f32; 2]; 2], row: u32) {
        assert!(self.has_room(1), "the caller makes room");
        let [min, max] = corners;
        for (side, value) in self.sides.iter_mut().zip([min[0], min[1], max[0], max[1]]) {
            side[self.len] = value;
        }
        self.rows[self.len] = row;
        self.len += 1;
        self.finished = false;
    }

    /// Appends boxes, given a slice for each side and their rows. There must be room for them.
    ///
    /// # Panics
    ///
    /// If there is no room, or the slices differ in length.
    #[inline]
    pub fn append(&mut self, sides: [&[f32]; 4], rows: &[u32]) {
        assert!(self.has_room(rows.len()), "the caller makes room");
        let place = self.len..self.len + rows.len();
        for (mine, theirs) in self.sides.iter_mut().zip(sides) {
            mine[place.clone()].copy_from_slice(theirs);
        }
        self.rows[place.clone()].copy_from_slice(rows);
        self.len = place.end;
        self.finished = false;
    }

    /// The columns to write to, [`LANES`] longer than the capacity: min x, min y, max x, max y, and rows. For a
    /// kernel that appends: what it wrote counts once it calls [`set_len`](Self::set_len).
    #[inline(always)]
    pub fn columns_mut(&mut self) -> ([&mut [f32]; 4], &mut [u32]) {
        (self.sides.each_mut().map(|side| &mut **side), self.rows)
    }

    /// Sets the number of boxes, after writing to [`columns_mut`](Self::columns_mut).
    ///
    /// # Panics
    ///
    /// If there is no room for that many.
    #[inline(always)]
    pub fn set_len(&mut self, len: usize) {
        self.len = len;
        self.finished = false;
        assert!(self.has_room(0), "what was written fits");
    }

    /// Replaces each box, keeping its row. O(len).
    #[inline]
    pub fn replace_each(&mut self, of_box: impl Fn(Aabb) -> Aabb) {
        self.replace_from(0, of_box);
    }

    /// Replaces each box from `first` on, keeping its row.
    #[inline]
    pub(crate) fn replace_from(&mut self, first: usize, of_box: impl Fn(Aabb) -> Aabb) {
        self.finished = false;
        for k in first..self.len {
            let [min, max] = self.corners(k);
            let (min, max) = of_box(Aabb::of_corners(min, max)).into();
            for (side, value) in self.sides.iter_mut().zip([min[0], min[1], max[0], max[1]]) {
                side[k] = value;
            }
        }
    }

    /// Replaces each box's row by its position in the run, so that a pair then names the positions of its two boxes.
    /// O(len).
    pub fn number_by_place(&mut self) {
        self.finished = false;
        for (place, row) in (0..).zip(&mut self.rows[..self.len]) {
            *row = place;
        }
    }

    /// Makes the run ready to be compared: looks up the masks by row, if the run has columns for them, and writes the
    /// NaNs after the last box. Without `masks`, every row has [`MaskWords::ALL`].
    ///
    /// # Panics
    ///
    /// If a row has no masks in `masks`.
    pub fn finish(&mut self, masks: Option<RowMasks<'_>>) {
        if self.is_masked() {
            match masks {
                None => self.fetch_masks(|_| MaskWords::ALL),
                Some(RowMasks::Each(masks)) => self.fetch_masks(|row| masks[row]),
                Some(RowMasks::Classes { classes, palette }) => {
                    self.fetch_masks(|row| palette[classes[row] as usize]);
                }
            }
        }
        self.close();
    }

    /// [`finish`](Self::finish), with masks from wherever the caller keeps them: `of_row` is called once for each
    /// box, if the run has columns for masks.
    #[inline]
    pub fn finish_with(&mut self, of_row: impl Fn(u32) -> MaskWords) {
        if self.is_masked() {
            self.fetch_masks(|row| of_row(row as u32));
        }
        self.close();
    }

    /// Writes the NaNs after the last box, and the bounds of blocks.
    fn close(&mut self) {
        for side in &mut self.sides {
            side[self.len..self.len + LANES].fill(f32::NAN);
        }
        if self.len > FEW_BLOCKS * LANES {
            self.bound_blocks();
        }
        self.finished = true;
    }

    #[inline(always)]
    fn fetch_masks(&mut self, of_row: impl Fn(usize) -> MaskWords) {
        let [memberships, filters] = &mut self.masks;
        let rows = self.rows[..self.len].iter();
        for ((&row, memberships), filter) in rows.zip(&mut **memberships).zip(&mut **filters) {
            let masks = of_row(row as usize);
            (*memberships, *filter) = (masks.memberships, masks.filter);
        }
    }

    /// Writes the bounds of each block, and NaN up to the end of the last group of blocks.
    fn bound_blocks(&mut self) {
        let blocks = self.len.div_ceil(LANES);
        let end = blocks.next_multiple_of(LANES);
        let sides = self.sides.iter().zip(&mut self.blocks);
        for (axis, (side, bounds)) in sides.enumerate() {
            let is_lower = axis < 2;
            // NaNs after the last box fill its block; a minimum and a maximum ignore NaN.
            let (side, _) = side.as_chunks::<LANES>();
            for (block, bound) in side[..blocks].iter().zip(&mut **bounds) {
                *bound = if is_lower {
                    block.iter().fold(f32::INFINITY, |a, &v| a.min(v))
                } else {
                    block.iter().fold(f32::NEG_INFINITY, |a, &v| a.max(v))
                };
            }
            bounds[blocks..end].fill(f32::NAN);
        }
    }

    /// The lower and the upper corner of the box around all boxes; `None` if there are none. O(len).
    #[must_use]
    pub fn bounds(&self) -> Option<[[f32; 2]; 2]> {
        if self.is_empty() {
            return None;
        }
        let [min_x, min_y, max_x, max_y] = self.sides();
        Some([
            [lowest(min_x), lowest(min_y)],
            [highest(max_x), highest(max_y)],
        ])
    }

    /// # Panics
    ///
    /// If the run is not finished.
    #[inline(always)]
    pub(crate) fn view(&self) -> RunView<'_> {
        assert!(self.finished, "a run is finished before it is compared");
        let end = self.len + LANES;
        let masked = if self.is_masked() { end } else { 0 };
        let blocks = self.len.div_ceil(LANES);
        let blocks = if blocks > FEW_BLOCKS {
            blocks.next_multiple_of(LANES)
        } else {
            0
        };
        RunView {
            len: self.len,
            sides: self.sides.each_ref().map(|side| &side[..end]),
            rows: &self.rows[..end],
            masks: self.masks.each_ref().map(|masks| &masks[..masked]),
            blocks: self.blocks.each_ref().map(|side| &side[..blocks]),
        }
    }
}

impl RunView<'_> {
    /// The lower and the upper corner of box `k`.
    #[inline(always)]
    pub fn corners(&self, k: usize) -> [[f32; 2]; 2] {
        let [min_x, min_y, max_x, max_y] = self.sides;
        [[min_x[k], min_y[k]], [max_x[k], max_y[k]]]
    }
}

/// The most blocks that a run of `capacity` boxes can have, rounded up to whole groups.
fn blocks_room(capacity: usize) -> usize {
    capacity.div_ceil(LANES).next_multiple_of(LANES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(k: u32) -> [[f32; 2]; 2] {
        let v = k as f32;
        [[v, -v], [v + 1.0, 2.0 - v]]
    }

    #[test]
    fn a_run_grows_and_loses_nothing() {
        let arena = Arena::new();
        let mut run = BoxRun::with_capacity(&arena, 0, true);
        for k in 0..100 {
            run.make_room(&arena, 1);
            run.push(numbered(k), 1000 + k);
        }
        assert_eq!(run.len(), 100);
        for k in 0..100 {
            assert_eq!(run.corners(k as usize), numbered(k));
            assert_eq!(run.rows()[k as usize], 1000 + k);
        }
        assert_eq!(run.bounds(), Some([[0.0, -99.0], [100.0, 2.0]]));
        run.clear();
        assert!(run.is_empty() && run.bounds().is_none());
    }

    #[test]
    fn blocks_are_bounded_and_groups_of_them_filled_up() {
        let arena = Arena::new();
        for len in [65, 80, 81, 256, 257, 300_u32] {
            let mut run = BoxRun::with_capacity(&arena, len as usize, false);
            for k in 0..len {
                run.push(numbered(k), k);
            }
            run.finish(None);
            let view = run.view();
            let blocks = (len as usize).div_ceil(LANES);
            for block in 0..blocks {
                let first = (block * LANES) as f32;
                let last = (len.min((block as u32 + 1) * LANES as u32) - 1) as f32;
                let bounds = view.blocks.map(|side| side[block]);
                assert_eq!(
                    bounds,
                    [first, -last, last + 1.0, 2.0 - first],
                    "{block} of {len}"
                );
            }
            assert_eq!(view.blocks[0].len() % LANES, 0);
            assert!(
                view.blocks
                    .iter()
                    .all(|side| side[blocks..].iter().all(|v| v.is_nan()))
            );
        }
    }

    #[test]
    fn a_run_takes_no_more_than_it_says() {
        for (capacity, masked) in [(0, false), (1, true), (100, false), (5000, true)] {
            let arena = Arena::with_capacity(BoxRun::bytes(capacity, masked));
            let before = arena.free_bytes();
            let _run = BoxRun::with_capacity(&arena, capacity, masked);
            let taken = before - arena.free_bytes();
            assert!(
                taken <= BoxRun::bytes(capacity, masked),
                "{taken} for {capacity}"
            );
            assert_eq!(
                arena.memory_bytes(),
                Arena::with_capacity(BoxRun::bytes(capacity, masked)).memory_bytes()
            );
        }
    }
}
