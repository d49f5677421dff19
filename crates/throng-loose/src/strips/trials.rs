//! Which layers would be cheapest: a sample of the boxes, and what they would cost in one set or another.
//!
//! Low strips make many copies, tall ones many comparisons, and both can be counted in a sample: copies
//! as they are, comparisons as the boxes that begin, in the same strip, before a box ends. So the
//! heights that could serve are simply tried, once, when there is no plan that fits. The optimum is flat:
//! with sizes 1..100 and a pair for each box, strips twice as tall cost a twentieth more, half as tall a
//! seventh.
//!
//! Boxes too wide for the strips that their height asks for can go to taller strips or lie across, and which
//! is better depends on how they lie: planks all over a long, low world share their heights, endless walls
//! their whole width. That is tried too.

use super::layers::{
    FEWEST_STRIP_BITS, Kind, LAYER_RATIO, Layer, Layers, MOST_CROSSED, MOST_LADDER, MOST_LAYERS,
};
use super::sample::Sample;
use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};
use throng_core::cell::CellMap;

/// Cost of a copy: to distribute, sort and visit. In nanoseconds, roughly, like those below; only their
/// ratios matter. Fitted to sizes 1..100 with one, two and four pairs for each box, and to 1..1000 with one:
/// what it picks there is within the noise of the best of seven heights.
const PER_COPY: f64 = 16.0;
/// Cost of each box that begins before a copy ends.
const PER_BOX_AHEAD: f64 = 0.8;
/// Cost of a box that is in other than the lowest layer: to be put there one by one.
const PER_HIGHER_BOX: f64 = 16.0;
/// Cost of a box in a higher layer than all others, who have to look for it. So much less as fewer do.
const PER_BOX_ABOVE: f64 = 64.0;

/// The layers that cost the sample the least, the lowest of the given height if there is one. Their tables are
/// the smallest there are.
pub(super) fn cheapest_layers(sample: &Sample, height: Option<f32>) -> [Layer; MOST_LAYERS] {
    let mut trials = Trials::new(sample);
    let height = height.unwrap_or_else(|| trials.best_height());
    // Perhaps the widest should lie across, and others not.
    trials.try_height(height, 0..MOST_LADDER);
    trials.best.1.layers(sample)
}

/// What there is to choose about layers, before their tables are sized.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Of the lowest strips.
    height: f32,
    /// How many layers above the lowest take boxes that are there for their width alone.
    for_wide: usize,
}

impl Shape {
    fn layers(&self, sample: &Sample) -> [Layer; MOST_LAYERS] {
        let mut height = self.height;
        std::array::from_fn(|index| match index {
            0..MOST_LADDER => {
                let mut layer = strips_of(sample, height);
                if index > self.for_wide {
                    // What is lower crosses one border at most in the layer below.
                    layer.least_height = height / LAYER_RATIO;
                }
                height *= LAYER_RATIO;
                layer
            }
            MOST_LADDER => Layer::single(Kind::Across, sample.blocks(0)),
            _ => Layer::single(Kind::Top, sample.blocks(0)),
        })
    }
}

/// A layer of strips of about this height, with the smallest tables there are.
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

/// Layers tried on a sample.
struct Trials<'a> {
    sample: &'a Sample,
    /// The cheapest so far, and its cost.
    best: (f64, Shape),
    /// Copies of the sampled boxes in the layers tried last: ascending by layer, strip and left side, or lower
    /// side where they lie across.
    copies: Vec<CopyKey>,
}

/// A copy of a sampled box: of the one at some place in the order of left sides, or of lower sides where boxes
/// lie across.
///
/// ```text
/// │ layer: 4 bits │ strip: 32 bits │ place: 28 bits │      strips shifted to count from 0
/// ```
///
/// A number, so that sorting, which is most of what trying takes, is fast.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CopyKey(u64);

impl CopyKey {
    const PLACE_BITS: u32 = 28;

    fn new(layer: usize, strip: i32, place: usize) -> Self {
        let strip = strip.wrapping_sub(i32::MIN) as u32;
        Self(((layer as u64) << 32 | u64::from(strip)) << Self::PLACE_BITS | place as u64)
    }

    /// Layer and strip.
    fn strip(self) -> u64 {
        self.0 >> Self::PLACE_BITS
    }

    fn layer(self) -> usize {
        (self.0 >> (32 + Self::PLACE_BITS)) as usize
    }

    fn place(self) -> usize {
        (self.0 & ((1 << Self::PLACE_BITS) - 1)) as usize
    }
}

impl<'a> Trials<'a> {
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

    /// Tries heights among half powers of two of the common size, and returns the best.
    fn best_height(&mut self) -> f32 {
        const ENDS: [usize; 2] = [0, MOST_LADDER - 1];
        let common = self.sample.common_size();
        for step in -3..16 {
            self.try_height(common * f32::exp2(step as f32), ENDS);
            let is_higher = self.copies.last().is_some_and(|last| last.layer() > 0);
            if self.copies.len() == self.sample.boxes.len() && !is_higher {
                // Taller strips could save no copy.
                break;
            }
        }
        let whole = self.best.1.height;
        for between in [whole * FRAC_1_SQRT_2, whole * SQRT_2] {
            self.try_height(between, ENDS);
        }
        self.best.1.height
    }

    /// Tries a height with so many layers for wide boxes, fewer first, while there are any that lie across.
    fn try_height(&mut self, height: f32, for_wide: impl IntoIterator<Item = usize>) {
        for for_wide in for_wide {
            self.try_shape(Shape { height, for_wide });
            let is_across = |copy: &CopyKey| copy.layer() == MOST_LADDER;
            if !self.copies.iter().any(is_across) {
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
            let (layer, place) = layers.place(corners);
            boxes_in[layer] += 1;
            let strips = place.first..=place.last;
            let place = sample.place_along(layers.as_slice()[layer].lies_across(), index);
            let copies = strips.map(|strip| CopyKey::new(layer, strip, place));
            self.copies.extend(copies);
        }
        self.copies.sort_unstable();
        let mut ahead = 0;
        for strip in self.copies.chunk_by(|a, b| a.strip() == b.strip()) {
            let lies_across = layers.as_slice()[strip[0].layer()].lies_across();
            let [begins, ends] = sample.sides_along(lies_across);
            for (index, copy) in strip.iter().enumerate() {
                let end = ends[copy.place()];
                let behind = &strip[index + 1..];
                ahead += behind.partition_point(|other| begins[other.place()] <= end);
            }
        }
        let boxes = sample.boxes.len().max(1) as f64;
        let (mut below, mut above) = (0.0, 0.0);
        for in_layer in boxes_in.map(f64::from) {
            above += in_layer * below / boxes;
            below += in_layer;
        }
        // Of a sampled box's neighbours only the sampled are seen.
        PER_COPY * self.copies.len() as f64
            + PER_BOX_AHEAD * ahead as f64 * sample.rows_per_sampled()
            + PER_HIGHER_BOX * (boxes - f64::from(boxes_in[0]))
            + PER_BOX_ABOVE * above
    }
}
