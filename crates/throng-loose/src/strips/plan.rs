//! Chooses layers from the data, and tells whether they still fit.

use std::f64::consts::SQRT_2;

use super::buckets::Slot;
use super::layer_choice::cheapest_layers;
use super::layers::{FEWEST_STRIP_BITS, Layer, Layers};
use super::sample::{Sample, blocks_along, trimmed_extent};
use crate::sides::sound_sides;
use crate::typical::typical_doublings;
use throng_core::{Boxes, Corners};

/// With fewer boxes than this, one strip is enough.
const FEW: usize = 64;
/// How many copies a bucket should hold: few enough that the records being sorted, and the counters, stay in L1.
const COPIES_PER_BUCKET: f64 = 768.0;
/// Where boxes spread over so many strips that most slots would be shared, this few copies per slot are enough.
const COPIES_PER_SLOT: f64 = 32.0;
/// The fewest copies per bucket, on average over all, including empty ones.
const FEWEST_COPIES_PER_BUCKET: f64 = 16.0;
/// The most blocks in a strip, as a power of two.
const MOST_BLOCK_BITS: u32 = 12;

/// How crowded the strips are and how large the boxes: when they were planned, or now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrowdSummary {
    rows: f64,
    copies: f64,
    /// How many copies are in a copy's slot, on average over copies.
    crowding: f64,
    /// Binary logarithm of a typical box's size, if that is known.
    doublings: Option<f64>,
}

impl CrowdSummary {
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

    /// Whether layers planned for this are good enough for `now`.
    pub fn fits(&self, now: &CrowdSummary) -> bool {
        let alike = |now: f64, then: f64, factor: f64| now <= then * factor && then <= now * factor;
        let differs = |now: Option<f64>, then: Option<f64>| {
            now.zip(then)
                .is_some_and(|(now, then)| (now - then).abs() > 2.0)
        };
        // For few boxes one strip is enough, whatever they do.
        now.rows.max(self.rows) < FEW as f64
            || alike(now.rows, self.rows, 1.5)
                && alike(now.copies, self.copies, 1.5)
                && alike(now.crowding, self.crowding, 2.0)
                && !differs(now.doublings, self.doublings)
    }
}

/// Plans layers for `boxes`; the lowest has the given height, if there is one. Depends only on the boxes. Also returns
/// the boxes' spacing: below it, it does not matter how small boxes are.
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

/// How often one can be doubled without becoming more than `ratio`: exactly, and the same on every machine, unlike a library's
/// logarithm.
fn doublings(ratio: f64) -> u32 {
    (ratio.max(1.0) as u64).ilog2()
}

/// The same, rounded to the nearest.
fn nearest_doublings(ratio: f64) -> u32 {
    doublings(SQRT_2 * ratio)
}

/// Chooses how many slots and blocks a layer has, from the sampled boxes that it takes.
fn size_tables(layer: &mut Layer, taken: &[Corners], sample: &Sample) {
    let mut strips: Vec<i32> = Vec::new();
    for span in taken.iter().filter_map(|&corners| layer.place(corners)) {
        strips.extend(span.first..=span.last);
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
    // How many copies are in a copy's slot, on average over copies: empty slots do not change that.
    let shared: f64 = slots
        .chunk_by(|a, b| a == b)
        .map(|slot| (slot.len() as f64) * (slot.len() as f64))
        .sum();
    let per_slot = shared / (strips.len().max(1) as f64) * sample.rows_per_sampled();
    let wanted = nearest_doublings(per_slot.min(copies) / COPIES_PER_BUCKET);
    // All slots have the same number of blocks, however few copies they hold, so a crowd in one slot must not make the
    // whole table huge.
    let allowed = doublings(copies / FEWEST_COPIES_PER_BUCKET).saturating_sub(layer.strip_bits);
    layer.block_bits = wanted.min(allowed).min(MOST_BLOCK_BITS);
    layer.blocks = if layer.has_strips() {
        sample.blocks(layer.block_bits)
    } else {
        let axis = usize::from(layer.transposed());
        blocks_along(axis, &trimmed_extent(taken), layer.block_bits)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doublings_are_those_of_a_logarithm() {
        assert_eq!([0.0, 0.9, f64::NAN].map(doublings), [0; 3]);
        assert_eq!([0.0, 0.7, f64::NAN].map(nearest_doublings), [0; 3]);
        for power in 0..40 {
            let exact = f64::from(power).exp2();
            assert_eq!([exact, 1.99 * exact].map(doublings), [power; 2]);
            assert_eq!([exact, 1.41 * exact].map(nearest_doublings), [power; 2]);
            assert_eq!([1.42 * exact].map(nearest_doublings), [power + 1]);
        }
    }
}
