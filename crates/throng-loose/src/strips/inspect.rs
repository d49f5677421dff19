//! Looking at strips from outside: their memory, their invariants.

use super::BoxStrips;
use super::buckets::{Copies, Slot};
use super::layers::{Layer, MOST_COPIES};
use super::partition::{BEGINS_HERE, ROW};
use super::pieces::Piece;
use crate::check::ensure;
use std::fmt;
use throng_core::LANES;

/// Bytes that strips hold, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StripsMemory {
    /// Copies as they were distributed, with the buckets' slack.
    pub records: usize,
    /// Copies as they were sorted.
    pub sorted: usize,
    /// Counts, lists of work, and scratch that an update needs.
    pub rest: usize,
}

impl StripsMemory {
    /// All of it.
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
    /// How many copies of boxes there are: at least one for each, and at most eight.
    pub fn copies(&self) -> usize {
        self.buckets
            .slots()
            .iter()
            .map(|slot| slot.len as usize)
            .sum()
    }

    /// How tall the strips of the lowest layer are; `None` where everything is in one strip.
    pub fn strip_height(&self) -> Option<f32> {
        let lowest = &self.layers.as_slice()[0];
        lowest.has_strips().then(|| lowest.strips.width())
    }

    /// What the strips hold in memory. Nothing of it depends on the area of the world.
    pub fn memory(&self) -> StripsMemory {
        let [records, sorted, rest] = self.buckets.memory_bytes();
        let lists = self.pieces.capacity() * size_of::<Piece>()
            + self.chunks.capacity() * size_of::<u32>()
            + size_of_val(self.absent.as_slice());
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
                let held = held.upright(slot.lies_across);
                copies.extend((0..held.len).map(|k| {
                    let row = held.rows[k];
                    let place = layer.place(held.corners(k));
                    (row & ROW, row & BEGINS_HERE == 0, index, number, place)
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
        for own in rows {
            let (row, later, layer, _, place) = own[0];
            ensure(!later && own[1..].iter().all(|copy| copy.1), || {
                format!("row {row} begins in other than one strip")
            })?;
            let crossed = place.map_or(0, |place| place.last.wrapping_sub(place.first) as usize);
            ensure(own.len() == crossed + 1 && own.len() <= MOST_COPIES, || {
                format!(
                    "row {row} has {} copies and crosses {crossed} borders",
                    own.len()
                )
            })?;
            ensure(
                own.iter().all(|copy| copy.2 == layer && copy.4 == place),
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
        let in_layer = slot.layer as usize == index && slot.lies_across == layer.lies_across();
        ensure(in_layer, || format!("{slot:?} is not of layer {index}"))?;
        ensure(held.min_x[..held.len].is_sorted(), || {
            format!("{slot:?} is not sorted")
        })?;
        ensure(
            held.min_x[held.len..][..LANES].iter().all(|x| x.is_nan()),
            || format!("{slot:?} has no sentinels"),
        )?;
        let stored = held;
        let held = stored.upright(slot.lies_across);
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
