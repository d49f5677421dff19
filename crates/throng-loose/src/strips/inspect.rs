//! Strips from outside: their memory and their invariants.

use super::BoxStrips;
use super::buckets::{Copies, Slot};
use super::layers::{Layer, MOST_COPIES};
use super::partition::{BEGINS_HERE, ROW};
use super::pieces::StripPiece;
use crate::check::ensure;
use std::fmt;
use throng_core::LANES;

/// How many bytes strips hold, and for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StripsMemory {
    /// Copies as distributed to buckets, including the slack of the buckets.
    pub records: usize,
    /// Copies as sorted.
    pub sorted: usize,
    /// Counts, the lists of pieces and chunks, and scratch of updates.
    pub rest: usize,
}

impl StripsMemory {
    /// The sum.
    pub fn total(&self) -> usize {
        self.records + self.sorted + self.rest
    }
}

impl fmt::Display for StripsMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            records,
            sorted,
            rest,
        } = self;
        write!(
            f,
            "{} bytes: {records} in records, {sorted} in sorted copies, {rest} in the rest",
            self.total()
        )
    }
}

impl BoxStrips {
    /// How many copies of boxes there are: one to eight for each.
    pub fn copies(&self) -> usize {
        self.buckets
            .slots()
            .iter()
            .map(|slot| slot.len as usize)
            .sum()
    }

    /// Height of the strips of the lowest layer; `None` if everything is in one strip.
    pub fn strip_height(&self) -> Option<f32> {
        let lowest = &self.layers.as_slice()[0];
        lowest.has_strips().then(|| lowest.strips.width())
    }

    /// The memory that the strips hold. None of it depends on the area of the world.
    pub fn memory(&self) -> StripsMemory {
        let [records, sorted, rest] = self.buckets.memory_bytes();
        let lists = self.pieces.capacity() * size_of::<StripPiece>()
            + (self.chunks.capacity() + self.named.capacity()) * size_of::<u32>()
            + size_of_val(self.disabled.as_slice());
        StripsMemory {
            records,
            sorted,
            rest: rest + lists,
        }
    }

    /// What [`validate`](crate::LooseStructure::validate) does. O(copies · log copies).
    pub(super) fn check_invariants(&self) -> Result<(), String> {
        let mut copies = Vec::with_capacity(self.copies());
        let mut first_slot = 0;
        for (index, layer) in self.layers.as_slice().iter().enumerate() {
            let slots = self
                .buckets
                .slots()
                .iter()
                .skip(first_slot)
                .take(layer.slots());
            for (number, slot) in (0_u32..).zip(slots) {
                let held = self.buckets.copies(slot);
                self.validate_slot(index, layer, number, slot, &held)?;
                let held = held.untransposed(slot.transposed);
                copies.extend((0..held.len).map(|k| {
                    let row = held.rows[k];
                    let span = layer.place(held.corners(k));
                    (row & ROW, row & BEGINS_HERE == 0, index, number, span)
                }));
            }
            first_slot += layer.slots();
        }
        copies.sort_unstable_by_key(|&(row, later, layer, slot, _)| (row, later, layer, slot));
        let rows = copies.chunk_by(|a, b| a.0 == b.0);
        ensure(rows.clone().count() == self.rows, || {
            format!(
                "{} rows in strips, {} counted",
                rows.clone().count(),
                self.rows
            )
        })?;
        for copies in rows {
            let (row, later, layer, _, span) = copies[0];
            ensure(!later && copies[1..].iter().all(|copy| copy.1), || {
                format!("row {row} begins in other than one strip")
            })?;
            let crossed = span.map_or(0, |span| span.last.wrapping_sub(span.first) as usize);
            ensure(
                copies.len() == crossed + 1 && copies.len() <= MOST_COPIES,
                || {
                    format!(
                        "row {row} has {} copies and crosses {crossed} borders",
                        copies.len()
                    )
                },
            )?;
            ensure(
                copies.iter().all(|copy| copy.2 == layer && copy.4 == span),
                || format!("copies of row {row} differ"),
            )?;
            ensure(self.contains(row), || {
                format!("row {row} is there but not contained")
            })?;
        }
        let in_pieces: usize = self.pieces.iter().map(|piece| piece.len as usize).sum();
        ensure(in_pieces == self.copies(), || {
            format!("{in_pieces} copies in pieces, {} in strips", self.copies())
        })
    }

    fn validate_slot(
        &self,
        index: usize,
        layer: &Layer,
        number: u32,
        slot: &Slot,
        held: &Copies<'_>,
    ) -> Result<(), String> {
        let in_layer = slot.layer as usize == index && slot.transposed == layer.transposed();
        ensure(in_layer, || format!("{slot:?} is not of layer {index}"))?;
        ensure(held.min_x[..held.len].is_sorted(), || {
            format!("{slot:?} is not sorted")
        })?;
        ensure(
            held.min_x[held.len..][..LANES].iter().all(|x| x.is_nan()),
            || format!("{slot:?} has no sentinels"),
        )?;
        let stored = held;
        let held = stored.untransposed(slot.transposed);
        for k in 0..held.len {
            let corners = held.corners(k);
            let row = held.rows[k] & ROW;
            let home = self.layers.place(corners);
            ensure(home.0 == index, || {
                format!("row {row} lies in layer {index}, not in {home:?}")
            })?;
            let touched = (home.1.first..=home.1.last).position(|s| layer.slot(s) == number);
            let begins = held.rows[k] & BEGINS_HERE != 0;
            ensure(touched.is_some_and(|at| (at == 0) == begins), || {
                format!("row {row} has a wrong copy in slot {number} of layer {index}")
            })?;
            ensure(stored.max_x[k] - stored.min_x[k] <= slot.widest, || {
                format!("row {row} is wider than its slot says")
            })?;
        }
        Ok(())
    }
}
