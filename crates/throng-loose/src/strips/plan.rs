//! Strip heights from the data: a sample of the boxes, and what one height or another would cost.
//!
//! Low strips make many copies, tall ones many comparisons, and both can be counted in a sample: copies
//! as they are, comparisons as the boxes that begin, in the same strip, before a box ends. So the
//! heights that could serve are simply tried, once, when there is no plan that fits. The optimum is flat:
//! with sizes 1..100 and a pair for each box, strips twice as tall cost a twentieth more, half as tall a
//! seventh.

use super::buckets::Slot;
use super::layers::{FEWEST_STRIP_BITS, LAYER_RATIO, Layer, Layers, MOST_CROSSED, MOST_LAYERS};
use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};
use throng_core::cell::CellMap;
use throng_core::{Boxes, sampled_rows};

/// Rows looked at. More would cost without changing a decision.
const SAMPLE: usize = 4096;
/// Fewer boxes than this are one strip.
const FEW: usize = 64;
/// Cost of a copy: to distribute, sort and visit. In nanoseconds, roughly, like those below; only their
/// ratios matter. Fitted to sizes 1..100 with one, two and four pairs for each box, and to 1..1000 with one:
/// what it picks there is within the noise of the best of seven heights.
const PER_COPY: f64 = 16.0;
/// Cost of each box that begins before a copy ends.
const PER_BOX_AHEAD: f64 = 0.8;
/// Cost of a box that is in a higher layer, where everybody has to look for it.
const PER_HIGHER_BOX: f64 = 80.0;
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
}

impl Plan {
    pub fn of(rows: usize, slots: &[Slot]) -> Self {
        let lens = || slots.iter().map(|slot| f64::from(slot.len));
        let copies: f64 = lens().sum();
        Self {
            rows: rows as f64,
            copies,
            crowding: lens().map(|len| len * len).sum::<f64>() / copies.max(1.0),
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
    }
}

/// Plans layers for `boxes`, the lowest of the given height if there is one. Depends on the boxes alone.
pub(crate) fn plan_layers(boxes: &Boxes<'_>, height: Option<f32>) -> Layers {
    let sample = Sample::take(boxes);
    if sample.standing_for() < FEW as f64 {
        return Layers::single();
    }
    let lowest = height.unwrap_or_else(|| cheapest_height(&sample));
    let mut layers = Vec::with_capacity(MOST_LAYERS);
    let mut left = sample.boxes.clone();
    let mut height = lowest;
    for _ in 1..MOST_LAYERS {
        let mut layer = layer_of(&sample, height);
        let taken = left.extract_if(.., |corners| layer.place(*corners).is_some());
        let taken: Vec<_> = taken.collect();
        size_tables(&mut layer, &taken, &sample);
        layers.push(layer);
        height *= LAYER_RATIO;
    }
    let mut top = Layer::top(sample.blocks(0));
    size_tables(&mut top, &left, &sample);
    layers.push(top);
    Layers::new(&layers)
}

/// A layer of strips of about this height, with the smallest tables there are.
fn layer_of(sample: &Sample, height: f32) -> Layer {
    let [[_, low], _] = sample.extent;
    Layer {
        strips: CellMap::new(low as f32, height),
        blocks: sample.blocks(0),
        strip_bits: FEWEST_STRIP_BITS,
        block_bits: 0,
        first_bucket: 0,
        widest: height * MOST_CROSSED as f32,
        is_top: false,
    }
}

/// Chooses how many slots and blocks a layer has, from the sampled boxes that it takes.
fn size_tables(layer: &mut Layer, taken: &[[[f32; 2]; 2]], sample: &Sample) {
    let mut strips: Vec<i32> = Vec::new();
    for place in taken.iter().filter_map(|&corners| layer.place(corners)) {
        strips.extend(place.first..=place.last);
    }
    let copies = strips.len() as f64 * sample.rows_per_sampled();
    if !layer.is_top {
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
    layer.blocks = sample.blocks(layer.block_bits);
}

/// The height that costs the sample the least, among half powers of two of the common size.
fn cheapest_height(sample: &Sample) -> f32 {
    let (common, mut entries) = (sample.common_size(), Vec::new());
    let mut best = (f64::INFINITY, common);
    let mut ask = |height: f32, best: &mut (f64, f32)| {
        let cost = cost(sample, height, &mut entries);
        if cost < best.0 {
            *best = (cost, height);
        }
        // Whether taller strips could still save copies.
        entries.len() != sample.boxes.len()
    };
    for step in -3..16 {
        if !ask(common * f32::exp2(step as f32), &mut best) {
            break;
        }
    }
    let whole = best.1;
    for between in [whole * FRAC_1_SQRT_2, whole * SQRT_2] {
        ask(between, &mut best);
    }
    best.1
}

/// What the sampled boxes would cost in strips of this height.
fn cost(sample: &Sample, height: f32, entries: &mut Vec<(i32, f32, f32)>) -> f64 {
    let layer = layer_of(sample, height);
    entries.clear();
    let mut higher = 0;
    for &[min, max] in &sample.boxes {
        match layer.place([min, max]) {
            Some(place) => entries.extend((place.first..=place.last).map(|s| (s, min[0], max[0]))),
            None => higher += 1,
        }
    }
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut ahead = 0;
    for strip in entries.chunk_by(|a, b| a.0 == b.0) {
        for (index, &(_, _, end)) in strip.iter().enumerate() {
            ahead += strip[index + 1..].partition_point(|&(_, begin, _)| begin <= end);
        }
    }
    // Of a sampled box's neighbours only the sampled are seen.
    PER_COPY * entries.len() as f64
        + PER_BOX_AHEAD * ahead as f64 * sample.rows_per_sampled()
        + PER_HIGHER_BOX * f64::from(higher)
}

/// Some of the boxes, and what they say of all.
struct Sample {
    boxes: Vec<[[f32; 2]; 2]>,
    /// How many rows each row looked at stands for.
    scale: f64,
    /// Of the lower corners, without strays.
    extent: [[f64; 2]; 2],
}

impl Sample {
    fn take(boxes: &Boxes<'_>) -> Self {
        let rows = boxes.len();
        let chosen = sampled_rows(rows, SAMPLE);
        let scale = rows as f64 / chosen.len().max(1) as f64;
        let sound = |&row: &usize| boxes.is_present(row) && boxes.is_sound(row);
        let boxes: Vec<_> = chosen
            .into_iter()
            .filter(sound)
            .map(|row| boxes.corners(row))
            .collect();
        Self {
            extent: trimmed_extent(&boxes),
            boxes,
            scale,
        }
    }

    fn rows_per_sampled(&self) -> f64 {
        self.scale
    }

    /// How many boxes there are, about.
    fn standing_for(&self) -> f64 {
        self.boxes.len() as f64 * self.scale
    }

    /// So many blocks along x.
    fn blocks(&self, block_bits: u32) -> CellMap {
        let [[low, _], [high, _]] = self.extent;
        let width = (high - low) / f64::from(1_u32 << block_bits);
        CellMap::new(low as f32, width as f32)
    }

    /// The median of what is higher or wider than nothing, of width and height, whichever is more.
    fn common_size(&self) -> f32 {
        let size = |&[min, max]: &[[f32; 2]; 2]| (max[0] - min[0]).max(max[1] - min[1]);
        let sized = |size: &f32| size.is_finite() && *size > 0.0;
        let mut sizes: Vec<f32> = self.boxes.iter().map(size).filter(sized).collect();
        sizes.sort_unstable_by(f32::total_cmp);
        let spacing = || {
            let [low, high] = self.extent;
            let area = (high[0] - low[0]) * (high[1] - low[1]);
            (area / self.standing_for()).sqrt() as f32
        };
        sizes
            .get(sizes.len() / 2)
            .copied()
            .unwrap_or_else(spacing)
            .max(f32::MIN_POSITIVE)
    }
}

/// The extent of the lower corners without their outermost hundredth on either side, so that a stray does
/// not set the scale, and a little more again, so that an even spread is covered.
fn trimmed_extent(boxes: &[[[f32; 2]; 2]]) -> [[f64; 2]; 2] {
    let mut extent = [[0.0; 2]; 2];
    for axis in 0..2 {
        let sides = boxes.iter().map(|[min, _]| f64::from(min[axis]));
        let mut sides: Vec<f64> = sides.filter(|side| side.is_finite()).collect();
        sides.sort_unstable_by(f64::total_cmp);
        if let Some(last) = sides.len().checked_sub(1) {
            let [low, high] = [sides[last / 100], sides[last - last / 100]];
            let margin = (high - low) / 32.0;
            extent[0][axis] = low - margin;
            extent[1][axis] = high + margin;
        }
    }
    extent
}
