//! How a box is assigned to a layer, to strips, to a block in them, and so to buckets.

use throng_core::Corners;
use throng_core::cell::CellMap;

/// The most borders between strips that a box may cross; it is copied into one more strip than that.
///
/// With seven, sizes that differ a thousandfold still fit into one layer when strips are a few times as tall as the
/// common box; few boxes come near the limit. Twice as many would need 32 slots in every layer, empty or not.
pub(crate) const MOST_CROSSED: i32 = 7;
/// The most copies of a box, whatever its size.
pub(crate) const MOST_COPIES: usize = MOST_CROSSED as usize + 1;
/// The fewest strips of a layer that have buckets of their own, as a power of two. See [`Layer`].
pub(crate) const FEWEST_STRIP_BITS: u32 = 4;
const _: () = assert!(1 << FEWEST_STRIP_BITS > 2 * MOST_CROSSED);

/// How much taller the strips of a layer are than those of the layer below.
///
/// One more than [`MOST_CROSSED`], so that a box that is just too tall for one layer crosses one or two borders in the
/// next.
pub(crate) const LAYER_RATIO: f32 = 8.0;
/// The most layers with strips of a fixed height.
pub(crate) const MOST_LADDER: usize = 7;
/// The most layers, including the two that are a single strip each.
pub(crate) const MOST_LAYERS: usize = MOST_LADDER + 2;

/// What a layer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Strips of one height, for boxes of some sizes.
    Strips,
    /// A single strip, transposed: boxes are stored with x and y swapped, so they are sorted by their lower sides. For
    /// boxes that are wider than tall.
    Transposed,
    /// A single strip for everything.
    Top,
}

/// Strips of one height, or a single one.
///
/// Along y, buckets wrap around like a torus: strip `s` has the buckets of `s mod 2^strip_bits`. So there are no world
/// bounds, and no table grows with the world. Along x there are as many blocks as planned, and the outermost two extend
/// to infinity; so the buckets of a strip, one after the other, ascend along x.
///
/// # Why a shared bucket neither loses nor doubles a pair
///
/// Let two boxes overlap. Some y is in both boxes, and its strip is in both of the ranges of strips that the boxes are
/// copied to. So all strips of either box are within `MOST_CROSSED` of that strip, and any two of them are less than
/// `2^strip_bits` apart. So each box has at most one copy in any bucket, and if both have one there, these are copies
/// for the same strip.
///
/// # Why wide boxes are transposed
///
/// Boxes as wide as the world all overlap along x, so a strip that is sorted by left sides compares each with every
/// other in it. Strips that take such wide boxes are as tall as thousands of them, so that would be every pair. Sorted
/// by lower sides, each is compared only with those that it overlaps along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layer {
    pub strips: CellMap,
    pub blocks: CellMap,
    pub strip_bits: u32,
    pub block_bits: u32,
    /// The layer's first bucket.
    pub first_bucket: u32,
    /// The widest box it takes, and the least height of one. Only for `Kind::Strips`.
    pub widest: f32,
    pub least_height: f32,
    pub kind: Kind,
}

/// Where a layer puts a box: the strips that the box is copied to, and its block in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StripSpan {
    pub first: i32,
    pub last: i32,
    pub block: u32,
}

impl Layer {
    /// A layer with a single strip.
    pub fn single(kind: Kind, blocks: CellMap) -> Self {
        Self {
            strips: CellMap::new(0.0, 1.0),
            blocks,
            strip_bits: 0,
            block_bits: 0,
            first_bucket: 0,
            widest: f32::INFINITY,
            least_height: 0.0,
            kind,
        }
    }

    /// Whether its boxes are stored with x and y swapped.
    #[inline(always)]
    pub fn transposed(&self) -> bool {
        self.kind == Kind::Transposed
    }

    /// Whether it has strips of a fixed height rather than a single one.
    #[inline(always)]
    pub fn has_strips(&self) -> bool {
        self.kind == Kind::Strips
    }

    /// The strip at a y coordinate. Monotone.
    #[inline(always)]
    pub fn strip(&self, y: f32) -> i32 {
        if self.has_strips() {
            self.strips.cell(y)
        } else {
            0
        }
    }

    /// The block of a left side, or of a lower side if transposed. Monotone.
    #[inline(always)]
    pub fn block(&self, side: f32) -> u32 {
        self.blocks.cell(side).clamp(0, (1 << self.block_bits) - 1) as u32
    }

    /// The strips and the block of a box, if the layer takes it.
    #[inline(always)]
    pub fn place(&self, [min, max]: Corners) -> Option<StripSpan> {
        let span = StripSpan {
            first: self.strip(min[1]),
            last: self.strip(max[1]),
            block: self.block(min[usize::from(self.transposed())]),
        };
        let [width, height] = [max[0] - min[0], max[1] - min[1]];
        // Cells ascend, and their difference fits a `u32`, but not always an `i32`.
        let crossed = span.last.wrapping_sub(span.first) as u32;
        let fits = match self.kind {
            Kind::Strips => {
                (crossed <= MOST_CROSSED as u32)
                    & (width <= self.widest)
                    & (height >= self.least_height)
            }
            Kind::Transposed => width > height,
            Kind::Top => true,
        };
        fits.then_some(span)
    }

    /// Which slot a strip belongs to.
    #[inline(always)]
    pub fn slot(&self, strip: i32) -> u32 {
        strip as u32 & ((1 << self.strip_bits) - 1)
    }

    /// The bucket of a strip and a block.
    #[inline(always)]
    pub fn bucket(&self, strip: i32, block: u32) -> u32 {
        self.first_bucket + (self.slot(strip) << self.block_bits) + block
    }

    /// How many slots it has.
    pub fn slots(&self) -> usize {
        1 << self.strip_bits
    }

    /// How many buckets it has.
    pub fn buckets(&self) -> usize {
        1 << (self.strip_bits + self.block_bits)
    }
}

/// All layers of a plan: the lowest strips first, then the transposed layer, and the one that takes everything last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layers {
    layers: [Layer; MOST_LAYERS],
    count: usize,
}

impl Layers {
    /// Only the layer that takes everything: enough for few boxes.
    pub fn single() -> Self {
        let top = Layer::single(Kind::Top, CellMap::new(0.0, 1.0));
        Self {
            layers: [top; MOST_LAYERS],
            count: 1,
        }
    }

    /// These layers, in this order; numbers their buckets.
    ///
    /// # Panics
    ///
    /// If there are none, or more than [`MOST_LAYERS`].
    pub fn new(given: &[Layer]) -> Self {
        let mut layers = Self::single();
        layers.count = given.len();
        let mut first_bucket = 0;
        for (layer, given) in layers.layers.iter_mut().zip(given) {
            *layer = Layer {
                first_bucket,
                ..*given
            };
            first_bucket += given.buckets() as u32;
        }
        assert!((1..=MOST_LAYERS).contains(&given.len()));
        layers
    }

    #[inline(always)]
    pub fn as_slice(&self) -> &[Layer] {
        &self.layers[..self.count]
    }

    /// The lowest layer that takes a box, and where the box goes there.
    #[inline(always)]
    pub fn place(&self, corners: Corners) -> (usize, StripSpan) {
        for (index, layer) in self.as_slice().iter().enumerate() {
            if let Some(span) = layer.place(corners) {
                return (index, span);
            }
        }
        unreachable!("the topmost layer takes everything")
    }

    pub fn buckets(&self) -> usize {
        self.as_slice().iter().map(Layer::buckets).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layer(height: f32) -> Layer {
        Layer {
            strips: CellMap::new(3.0, height),
            blocks: CellMap::new(-5.0, 7.0),
            strip_bits: FEWEST_STRIP_BITS,
            block_bits: 2,
            first_bucket: 0,
            widest: height * MOST_CROSSED as f32,
            least_height: 0.0,
            kind: Kind::Strips,
        }
    }

    fn side() -> BoxedStrategy<f32> {
        let any = any::<u32>()
            .prop_map(f32::from_bits)
            .prop_filter("a number", |v| !v.is_nan());
        prop_oneof![3 => -100.0_f32..100.0, 1 => any].boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn overlapping_boxes_share_a_slot_once_for_each_strip_they_share(
            a in (side(), side()), b in (side(), side()), height in 0.1_f32..50.0,
        ) {
            let layer = layer(height);
            let place = |(p, q): (f32, f32)| layer.place([[0.0, p.min(q)], [1.0, p.max(q)]]);
            let overlap = a.0.min(a.1) <= b.0.max(b.1) && b.0.min(b.1) <= a.0.max(a.1);
            if let (Some(a), Some(b), true) = (place(a), place(b), overlap) {
                let shared = (a.first..=a.last).filter(|s| (b.first..=b.last).contains(s)).count();
                let slots = |p: StripSpan| (p.first..=p.last).map(|s| layer.slot(s)).collect::<Vec<_>>();
                let (a, b) = (slots(a), slots(b));
                prop_assert!(shared > 0);
                prop_assert_eq!(a.iter().filter(|slot| b.contains(slot)).count(), shared);
            }
        }

        #[test]
        fn every_box_has_a_layer_and_few_copies(
            x in (side(), side()), y in (side(), side()), height in 1e-30_f32..1e30,
        ) {
            let lowest = layer(height);
            let above = Layer {
                strips: CellMap::new(3.0, height * 8.0), widest: f32::MAX, least_height: height, ..lowest
            };
            let single = |kind| Layer::single(kind, lowest.blocks);
            let layers = Layers::new(&[lowest, above, single(Kind::Transposed), single(Kind::Top)]);
            let corners = [[x.0.min(x.1), y.0.min(y.1)], [x.0.max(x.1), y.0.max(y.1)]];
            let (index, span) = layers.place(corners);
            prop_assert!(index < 4 && span.first <= span.last);
            prop_assert!((span.last - span.first) < MOST_COPIES as i32);
            let layer = &layers.as_slice()[index];
            let bucket = layer.bucket(span.last, span.block) as usize;
            prop_assert!(bucket < layers.buckets());
        }
    }
}
