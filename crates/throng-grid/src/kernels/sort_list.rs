//! A list of rows, put into ascending order.
//!
//! Rows in a list differ, so a row's place follows from the number of rows that are not below it, which is counted for
//! sixteen rows at a time: no branch depends on the data. That is quadratic, and still faster than a general sort up to
//! some hundred rows. In a world whose rows are in the order of space, lists are found in ascending order, and all that
//! is left is to see that.

use crate::grid::MOST_ROWS;
use throng_core::LANES;
use throng_core::lanes::{Lanes, chunk, chunk_mut, lanes_below};

/// Longer lists are left to the standard library.
const MOST: usize = 8 * LANES;
/// Shorter ones are treated as if they were as long, so that most loops have as many rounds for one list as for the next.
const FEWEST_GROUPS: usize = 2;
/// How much may be read and written behind a list.
pub(crate) const BEHIND: usize = FEWEST_GROUPS * LANES + 1;

/// Rows with this bit are floats in the same order, and neither NaN nor denormal.
const AS_FLOAT: u32 = 1 << 29;
const _: () = assert!(MOST_ROWS <= AS_FLOAT as usize);

/// A row as a float: keys compare as rows do.
#[inline(always)]
pub(super) fn key_of(row: u32) -> f32 {
    f32::from_bits(row | AS_FLOAT)
}

/// The row of a key.
#[inline(always)]
pub(super) fn row_of(key: f32) -> u32 {
    key.to_bits() & !AS_FLOAT
}

/// Writes the rows of the first `len` keys in ascending order. No two may be equal. [`BEHIND`] more keys must follow
/// them, whatever they are, and as many rows may be overwritten.
#[inline(always)]
pub(super) fn sort_into<L: Lanes>(lanes: L, keys: &[f32], len: usize, to: &mut [u32]) {
    if copy(lanes, keys, len, to) {
        return;
    }
    if len > MOST {
        to[..len].sort_unstable();
        return;
    }
    let mut places = [0; LANES];
    for group in (0..len).step_by(LANES) {
        let own = chunk(keys, group);
        // What is behind the last key is below nothing, and so its place is behind the list.
        let padded = lanes.nan_behind(len - group, lanes.load(own));
        let mut not_below = lanes.splat_words(0);
        for &key in &keys[..len] {
            not_below = lanes.count_le(not_below, padded, lanes.splat(key));
        }
        lanes.store_words(&mut places, not_below);
        for (&key, &not_below) in own.iter().zip(&places) {
            to[len - not_below as usize] = row_of(key);
        }
    }
}

/// Writes the rows of the first `len` keys. Returns whether they ascend.
#[inline(always)]
pub(super) fn copy<L: Lanes>(lanes: L, keys: &[f32], len: usize, to: &mut [u32]) -> bool {
    let rows: &[u32] = bytemuck::cast_slice(keys);
    let as_row = lanes.splat_words(!AS_FLOAT);
    let mut descents = 0;
    for group in 0..len.div_ceil(LANES).max(FEWEST_GROUPS) {
        let at = group * LANES;
        let (these, next) = (chunk(keys, at), chunk(keys, at + 1));
        let falls = lanes.le(lanes.every_lane(), lanes.load(next), lanes.load(these));
        descents |= lanes.bits(falls) & lanes_below(len.saturating_sub(1 + at));
        let rows = lanes.and_words(lanes.load_words(chunk(rows, at)), as_row);
        lanes.store_words(chunk_mut(to, at), rows);
    }
    descents == 0
}
