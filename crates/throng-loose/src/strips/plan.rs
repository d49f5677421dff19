//! Layers from the data, and whether they still fit it.

use super::buckets::Slot;
use super::layers::{FEWEST_STRIP_BITS, Layer, Layers};
use super::sample::{Sample, blocks_along, trimmed_extent};
use super::trials::cheapest_layers;
use crate::sides::{Corners, sound_sides};
use crate::typical::typical_doublings;
use throng_core::Boxes;

/// Fewer boxes than this are one strip.
const FEW: usize = 64;
/// Copies that a bucket is expected to hold: what its sort shuffles, and the counters of that, stay in L1.
const COPIES_PER_BUCKET: f64 = 768.0;
/// Where boxes lie in so many strips that most would share a slot, this few copies in a slot will do.
const COPIES_PER_SLOT: f64 = 32.0;
/// The fewest copies for each bucket, empty ones included.
const FEWEST_COPIES_PER_BUCKET: f64 = 16.0;
/// The most blocks in a strip, as a power of two.
const MOST_BLOCK_BITS: u32 = 12;

/// What strips were like when they had been planned, or are now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    rows: f64,
    copies: f64,
    /// How many copies share a copy's slot, on average over copies.
    crowding: f64,
    /// Binary logarithm of a typical box's size.
    doublings: f64,
}

impl Plan {
    /// `spacing` is that of the planned layers.
    pub fn of(rows: usize, slots: &[Slot], boxes: &Boxes<'_>, spacing: f32) -> Self {
        let lens = || slots.iter().map(|slot| f64::from(slot.len));
        let copies: f64 = lens().sum();
        Self {
            rows: rows as f64,
            copies,
            crowding: lens().map(|len| len * len).sum::<f64>() / copies.max(1.0),
            doublings: typical_doublings(boxes.len(), |row| sound_sides(boxes, row), spacing),
        }
    }

    /// Whether what was planned for this will do for `now`.
    pub fn fits(&self, now: &Plan) -> bool {
        let alike = |now: f64, then: f64, factor: f64| now <= then * factor && then <= now * factor;
        // One strip serves few boxes, whatever they do.
        now.rows.max(self.rows) < FEW as f64
            || alike(now.rows, self.rows, 1.5)
                && alike(now.copies, self.copies, 1.5)
                && alike(now.crowding, self.crowding, 2.0)
                && (now.doublings - self.doublings).abs() <= 2.0
    }
}

/// Plans layers for `boxes`, the lowest of the given height if there is one. Depends on the boxes alone. Returns
/// the boxes' spacing too: it matters no more how small they are than that.
pub(crate) fn plan_layers(boxes: &Boxes<'_>, height: Option<f32>) -> (Layers, f32) {
    let sample = Sample::take(boxes);
    if sample.standing_for() < FEW as f64 {
        return (Layers::single(), sample.spacing());
    }
    let mut layers = cheapest_layers(&sample, height);
    let mut left = sample.boxes.clone();
    for layer in &mut layers {
        let taken = left.extract_if(.., |corners| layer.place(*corners).is_some());
        let taken: Vec<_> = taken.collect();
        size_tables(layer, &taken, &sample);
    }
    (Layers::new(&layers), sample.spacing())
}

/// Chooses how many slots and blocks a layer has, from the sampled boxes that it takes.
fn size_tables(layer: &mut Layer, taken: &[Corners], sample: &Sample) {
    let mut strips: Vec<i32> = Vec::new();
    for place in taken.iter().filter_map(|&corners| layer.place(corners)) {
        strips.extend(place.first..=place.last);
    }
    let copies = strips.len() as f64 * sample.rows_per_sampled();
    if layer.has_strips() {
        strips.sort_unstable();
        let span = match strips[..] {
            [first, .., last] => last.wrapping_sub(first) as u32,
            _ => 0,
        };
        let enough = (copies / COPIES_PER_SLOT).max(1.0) as u32;
        let bits = u32::BITS - span.min(enough).leading_zeros();
        layer.strip_bits = bits.clamp(FEWEST_STRIP_BITS, 16);
    }
    let mut slots: Vec<u32> = strips.iter().map(|&strip| layer.slot(strip)).collect();
    slots.sort_unstable();
    // Copies in a copy's slot, on average over copies: what an empty slot does not change.
    let shared: f64 = slots
        .chunk_by(|a, b| a == b)
        .map(|slot| (slot.len() * slot.len()) as f64)
        .sum();
    let per_slot = shared / (strips.len().max(1) as f64) * sample.rows_per_sampled();
    let wanted = (per_slot.min(copies) / COPIES_PER_BUCKET).log2().round();
    // Every slot has as many blocks, however few copies: a crowd in one must not make a table of tables.
    let allowed = (copies / FEWEST_COPIES_PER_BUCKET).log2() - f64::from(layer.strip_bits);
    layer.block_bits = wanted.min(allowed).clamp(0.0, f64::from(MOST_BLOCK_BITS)) as u32;
    layer.blocks = if layer.has_strips() {
        sample.blocks(layer.block_bits)
    } else {
        let axis = usize::from(layer.lies_across());
        blocks_along(axis, &trimmed_extent(taken), layer.block_bits)
    };
}
