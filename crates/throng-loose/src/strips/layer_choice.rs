//! Which layers are cheapest, by what they would cost for a sample of the boxes.
//!
//! Low strips make many copies, tall ones many comparisons. Both can be counted in a sample: the copies directly, and
//! the comparisons as the boxes that begin, in the same strip, before a box ends. So every height that could be good is
//! simply tried, once, when no plan fits. The optimum is flat: with sizes 1..100 and one pair per box, strips twice as
//! tall cost a twentieth more, half as tall a seventh more.
//!
//! Boxes too wide for strips of their height can go to taller strips or to the transposed layer. Which is better
//! depends on how they are spread: planks all over a long, low world share their heights, endless walls share their
//! whole width. That is tried too.

use super::layers::{
    FEWEST_STRIP_BITS, Kind, LAYER_RATIO, Layer, Layers, MOST_CROSSED, MOST_LADDER, MOST_LAYERS,
};
use super::sample::Sample;
use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};
use throng_core::cell::CellMap;

/// Cost of a copy: to distribute, sort and visit it. Roughly nanoseconds, like the costs below; only the ratios matter.
/// Fitted to sizes 1..100 with one, two and four pairs per box, and to 1..1000 with one: the choice is then within
/// noise of the best of seven heights.
const PER_COPY: f64 = 16.0;
/// Cost of each box that begins before a copy ends.
const PER_BOX_AHEAD: f64 = 0.8;
/// Cost of a box that is not in the lowest layer: it is appended by itself.
const PER_HIGHER_BOX: f64 = 16.0;
/// Cost of a box in a layer above all others, because these have to look for it. The fewer boxes look, the less it
/// costs.
const PER_BOX_ABOVE: f64 = 64.0;

/// The layers with the lowest cost for the sample; the lowest has the given height, if there is one. Their tables are
/// the smallest possible.
pub(super) fn cheapest_layers(sample: &Sample, height: Option<f32>) -> [Layer; MOST_LAYERS] {
    let mut choice = LayerChoice::new(sample);
    let height = height.unwrap_or_else(|| choice.best_height());
    // Perhaps only the widest should be transposed.
    choice.try_height(height, 0..MOST_LADDER);
    choice.best.1.layers(sample)
}

/// The choices about layers, before their tables are sized.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Height of the lowest strips.
    height: f32,
    /// How many layers above the lowest also take boxes that are too wide, but not too tall, for the one below.
    for_wide: usize,
}

impl Shape {
    fn layers(&self, sample: &Sample) -> [Layer; MOST_LAYERS] {
        let mut height = self.height;
        std::array::from_fn(|index| match index {
            0..MOST_LADDER => {
                let mut layer = strips_of(sample, height);
                if index > self.for_wide {
                    // Lower boxes cross at most one border in the layer below.
                    layer.least_height = height / LAYER_RATIO;
                }
                height *= LAYER_RATIO;
                layer
            }
            MOST_LADDER => Layer::single(Kind::Transposed, sample.blocks(0)),
            _ => Layer::single(Kind::Top, sample.blocks(0)),
        })
    }
}

/// A layer of strips of about this height, with the smallest possible tables.
fn strips_of(sample: &Sample, height: f32) -> Layer {
    Layer {
        strips: CellMap::new(sample.lowest(), height),
        blocks: sample.blocks(0),
        strip_bits: FEWEST_STRIP_BITS,
        block_bits: 0,
        first_bucket: 0,
        widest: height * MOST_CROSSED as f32,
        least_height: 0.0,
        kind: Kind::Strips,
    }
}

/// Tries layers on a sample.
struct LayerChoice<'a> {
    sample: &'a Sample,
    /// The lowest cost so far, and its choices.
    best: (f64, Shape),
    /// Copies of the sampled boxes in the layers tried last: sorted by layer, strip and left side, or lower side if
    /// transposed.
    copies: Vec<CopyKey>,
}

/// A copy of a sampled box, whose rank is that by left side, or by lower side if transposed.
///
/// ```text
/// │ layer: 4 bits │ strip: 32 bits │ rank:  28 bits │      strips shifted to count from 0
/// ```
///
/// One number, so that sorting, which takes most of the time, is fast.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CopyKey(u64);

impl CopyKey {
    const RANK_BITS: u32 = 28;

    fn new(layer: usize, strip: i32, rank: usize) -> Self {
        let strip = strip.wrapping_sub(i32::MIN) as u32;
        Self(((layer as u64) << 32 | u64::from(strip)) << Self::RANK_BITS | rank as u64)
    }

    /// Layer and strip together.
    fn strip(self) -> u64 {
        self.0 >> Self::RANK_BITS
    }

    fn layer(self) -> usize {
        (self.0 >> (32 + Self::RANK_BITS)) as usize
    }

    fn rank(self) -> usize {
        (self.0 & ((1 << Self::RANK_BITS) - 1)) as usize
    }
}

impl<'a> LayerChoice<'a> {
    fn new(sample: &'a Sample) -> Self {
        let shape = Shape {
            height: sample.common_size(),
            for_wide: 0,
        };
        Self {
            sample,
            best: (f64::INFINITY, shape),
            copies: Vec::new(),
        }
    }

    /// Tries heights that are half powers of two times the common size, and returns the best.
    fn best_height(&mut self) -> f32 {
        const ENDS: [usize; 2] = [0, MOST_LADDER - 1];
        let common = self.sample.common_size();
        for step in -3..16 {
            // The power is exact: `exp2` need not be.
            self.try_height(common * 2.0_f32.powi(step), ENDS);
            let is_higher = self.copies.last().is_some_and(|last| last.layer() > 0);
            if self.copies.len() == self.sample.boxes.len() && !is_higher {
                // Taller strips cannot save any copies.
                break;
            }
        }
        let whole = self.best.1.height;
        for between in [whole * FRAC_1_SQRT_2, whole * SQRT_2] {
            self.try_height(between, ENDS);
        }
        self.best.1.height
    }

    /// Tries a height with each of these numbers of layers for wide boxes, in ascending order, as long as some boxes
    /// are transposed.
    fn try_height(&mut self, height: f32, for_wide: impl IntoIterator<Item = usize>) {
        for for_wide in for_wide {
            self.try_shape(Shape { height, for_wide });
            let is_transposed = |copy: &CopyKey| copy.layer() == MOST_LADDER;
            if !self.copies.iter().any(is_transposed) {
                break;
            }
        }
    }

    fn try_shape(&mut self, shape: Shape) {
        let cost = self.cost(&Layers::new(&shape.layers(self.sample)));
        if cost < self.best.0 {
            self.best = (cost, shape);
        }
    }

    /// What the sampled boxes would cost.
    fn cost(&mut self, layers: &Layers) -> f64 {
        let sample = self.sample;
        self.copies.clear();
        let mut boxes_in = [0_u32; MOST_LAYERS];
        for (index, &corners) in sample.boxes.iter().enumerate() {
            let (layer, span) = layers.place(corners);
            boxes_in[layer] += 1;
            let strips = span.first..=span.last;
            let rank = sample.rank_along(layers.as_slice()[layer].transposed(), index);
            let copies = strips.map(|strip| CopyKey::new(layer, strip, rank));
            self.copies.extend(copies);
        }
        self.copies.sort_unstable();
        let mut ahead = 0;
        for strip in self.copies.chunk_by(|a, b| a.strip() == b.strip()) {
            let transposed = layers.as_slice()[strip[0].layer()].transposed();
            let [begins, ends] = sample.sides_along(transposed);
            for (index, copy) in strip.iter().enumerate() {
                let end = ends[copy.rank()];
                let behind = &strip[index + 1..];
                ahead += behind.partition_point(|other| begins[other.rank()] <= end);
            }
        }
        let boxes = sample.boxes.len().max(1) as f64;
        let (mut below, mut above) = (0.0, 0.0);
        for in_layer in boxes_in.map(f64::from) {
            above += in_layer * below / boxes;
            below += in_layer;
        }
        // For a sampled box, only the sampled neighbors are counted.
        PER_COPY * self.copies.len() as f64
            + PER_BOX_AHEAD * ahead as f64 * sample.rows_per_sampled()
            + PER_HIGHER_BOX * (boxes - f64::from(boxes_in[0]))
            + PER_BOX_ABOVE * above
    }
}
